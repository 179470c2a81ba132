"""Cards that show no index, by their shape."""

import math

import cv2
import numpy as np
import pytest

from vision.calibration.table import CARD_MM
from vision.footage.camera import CameraView
from vision.footage.layout import LOOKS, layout
from vision.watching import quads
from vision.watching.ground import Ground
from vision.watching.poses import Points, Pose, card_outline
from vision.watching.video import Picture

CAMERA = CameraView.at((60.0, 40.0))
CALIBRATION = CAMERA.calibration(layout(5, LOOKS["teal"]), CARD_MM)
FELT, WHITE, RED = (44, 110, 30), (235, 235, 235), (40, 40, 170)
AROUND = (820, 400, 1140, 640)
LIES = Pose(30.0, 500.0, 0.2)


def table() -> Picture:
    return np.full((CALIBRATION.image[1], CALIBRATION.image[0], 3), FELT, np.uint8)


def found(picture: Picture, known: list[Points]) -> list[Pose]:
    ground = Ground(CALIBRATION)
    ground.look(cv2.resize(table(), None, fx=0.25, fy=0.25).astype(np.uint8))
    return quads.find(picture, AROUND, CALIBRATION, ground, known)


def fill(picture: Picture, outline: Points, colour: tuple[int, int, int]) -> None:
    cv2.fillConvexPoly(picture, np.round(16 * CALIBRATION.to_px(outline)).astype(np.int32), colour, cv2.LINE_AA, 4)


def framed(picture: Picture, pose: Pose, ink: tuple[int, int, int]) -> None:
    """A card with a white edge, and within it frames of four millimetres, of an ink and white in turn."""
    width, height = CARD_MM
    for number, inset in enumerate(np.arange(0.0, width / 2, 4.0).tolist()):
        fill(picture, card_outline(pose, (width - 2 * inset, height - 2 * inset)), (WHITE, ink)[number % 2])


@pytest.mark.parametrize("ink", [RED, FELT], ids=["red", "of the felt's colour"])
def test_a_back_is_found_whatever_its_colour(ink: tuple[int, int, int]) -> None:
    picture = table()
    framed(picture, LIES, ink)
    (pose,) = found(picture, [])
    assert math.hypot(pose.x - LIES.x, pose.y - LIES.y) < 2
    assert abs(math.remainder(pose.angle - LIES.angle, math.pi)) < 0.05


def test_a_known_card_and_a_printed_frame_are_none() -> None:
    picture = table()
    fill(picture, card_outline(LIES, CARD_MM), RED)
    assert found(picture, [card_outline(LIES, CARD_MM)]) == []
    picture = table()
    fill(picture, card_outline(LIES, CARD_MM), WHITE)
    fill(picture, card_outline(LIES, (CARD_MM[0] - 8, CARD_MM[1] - 8)), FELT)
    assert found(picture, []) == []
