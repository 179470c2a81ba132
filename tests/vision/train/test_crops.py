"""Parts of scenes for the finder: labels go where their indices go."""

import math

import cv2
import numpy as np
import pytest

from vision.train.crops import CROP, askew
from vision.train.spoil import Picture

AT, SIZE, ANGLE = (128.0, 120.0), (18.0, 40.0), math.radians(25)
LABEL = np.array([(*AT, *SIZE, ANGLE, 7)], np.float32)


def dotted(up: float) -> Picture:
    """A dark scene with a white dot, so far above the index' middle."""
    x, y = AT[0] + up * math.sin(ANGLE), AT[1] - up * math.cos(ANGLE)
    picture = np.full((256, 256, 3), 20, np.uint8)
    cv2.circle(picture, (round(16 * x), round(16 * y)), 48, (255, 255, 255), -1, cv2.LINE_AA, shift=4)
    return picture


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_labels_go_where_their_indices_go(share: float) -> None:
    shapes, turns = [], []
    for seed in range(40):
        picture, labels = askew(dotted(share * SIZE[1]), LABEL, np.random.default_rng(seed))
        x, y, width, height, angle, card = labels[0].tolist()
        told = x + share * height * math.sin(angle), y - share * height * math.cos(angle)
        dot = np.argwhere(picture[..., 1] > 100)
        assert card == 7 and all(4 < each < CROP - 4 for each in told)
        assert np.linalg.norm(dot.mean(axis=0)[::-1] - told) < 1.0
        shapes.append(width / height)
        turns.append(round((angle - ANGLE) / (math.pi / 2)) % 4)
    assert min(shapes) < 0.36 < 0.55 < max(shapes), "from some sides they are narrow, from some wide"
    assert set(turns) == {0, 1, 2, 3}


def test_what_became_too_low_need_not_be_found() -> None:
    low = LABEL * np.array([1, 1, 0.3, 0.3, 1, 1], np.float32)
    cards = {float(askew(dotted(0), low, np.random.default_rng(seed))[1][0, 5]) for seed in range(40)}
    assert cards == {-1.0, 7.0}
