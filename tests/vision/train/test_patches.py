"""Patches for training: what they are said to be off is what they are off."""

import math

import cv2
import numpy as np
import numpy.typing as npt

from vision.reading.cut import HEIGHT, WIDTH
from vision.train.patches import NONE, Cut, cut
from vision.train.pool import Shard

FILLS_PX = 46  # of a patch that an index is high
AT, INDEX_PX, ANGLE = (120.0, 130.0), 40.0, math.radians(25)
NOTHING_FOUND = np.zeros((0, 5), np.float32)


def shard(up: float) -> Shard:
    """Dark scenes with an index each: a white dot, so many heights above the index' middle."""
    scene = np.full((256, 256, 3), 40, np.uint8)
    x, y = AT[0] + up * INDEX_PX * math.sin(ANGLE), AT[1] - up * INDEX_PX * math.cos(ANGLE)
    cv2.circle(scene, (round(16 * x), round(16 * y)), 3 * 16, (255, 255, 255), -1, cv2.LINE_AA, shift=4)
    labels = np.array([(n, *AT, 20.0, INDEX_PX, ANGLE, n % 52) for n in range(200)], np.float32)
    return Shard(np.repeat(scene[None], 200, axis=0), labels)


def of_indices(cuts: list[Cut]) -> list[Cut]:
    return [each for each in cuts if each.card != NONE]


def bright(each: Cut) -> npt.NDArray[np.float64] | None:
    """Return the centre of the dot in pixels if all of it is in the patch, else None."""
    grey = cv2.GaussianBlur(each.patch.mean(axis=2), (0, 0), 1.0)
    dot = grey > (grey.max() + np.median(grey)) / 2
    if dot[0].any() or dot[-1].any() or dot[:, 0].any() or dot[:, -1].any() or not 0 < dot.sum() < 120:
        return None
    return np.asarray(np.argwhere(dot).mean(axis=0)[::-1])


def test_the_way_from_a_patch_to_its_index() -> None:
    for up in (0.0, 0.4):
        cuts = of_indices(cut(shard(up), NOTHING_FOUND, np.random.default_rng(3)))
        away = []
        for each in cuts:
            right, down, size, turn = each.off
            top = up * math.exp(size) * np.array([math.sin(turn), -math.cos(turn)])
            told = np.array([WIDTH, HEIGHT]) / 2 + FILLS_PX * (np.array([right, down]) + top)
            if math.hypot(right, down) > 0.1 and (seen := bright(each)) is not None:
                away.append(float(np.linalg.norm(told - seen)))
        assert len(away) > 40 and np.mean(away) < 0.4


def test_cards_and_numbers_go_together() -> None:
    cuts = cut(shard(0), NOTHING_FOUND, np.random.default_rng(3))
    assert [each.card for each in of_indices(cuts)] == [n % 52 for n in range(200)]
    assert 60 < sum(each.card == NONE for each in cuts) < 140
    assert {each.patch.shape for each in cuts} == {(HEIGHT, WIDTH, 3)}
