"""Cards that show no index: filled shapes of a card's size on the felt."""

from collections.abc import Sequence
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration.calibration import Calibration
from vision.watching.ground import Ground
from vision.watching.motion import Box
from vision.watching.poses import Points, Pose, card_outline
from vision.watching.video import Picture

PX_PER_MM: Final = 1.0  # of the plan of the table in which shapes are looked for
_OFF: Final = 0.09  # by which a side may be off from a card's
_LEAST_WIDTH: Final = 0.45  # of a card that lies partly under another
_FILLED: Final = 0.88  # share of its rectangle that a card fills
_CLOSED_MM: Final = 5  # lines thinner than this, in the felt's colour, are part of a back's pattern
_OPENED_MM: Final = 7  # print and edges thinner than this are no cards
_GROWN_MM: Final = 3  # around known cards
_MARGIN_MM: Final = 45.0
_WHITE: Final = (150, 16)  # least lightness and most colour of paper, in 8-bit Lab
_PAPER: Final = 0.5  # share of paper in a face


def find(picture: Picture, box: Box, calibration: Calibration, ground: Ground, known: Sequence[Points]) -> list[Pose]:
    """The cards in a box of the picture beside those with a known outline in millimetres."""
    x0, y0, x1, y1 = box
    corners = calibration.to_mm([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    start, end = corners.min(axis=0) - _MARGIN_MM, corners.max(axis=0) + _MARGIN_MM
    plan = _plan(picture, calibration, start, end)
    covered = 255 - ground.mask(cv2.cvtColor(plan, cv2.COLOR_BGR2LAB).astype(np.uint8, copy=False))
    others = np.zeros_like(covered)
    for outline in known:
        corners = np.round((outline - start) * PX_PER_MM).astype(np.int32)
        cv2.fillConvexPoly(others, corners, 255)
        cv2.polylines(others, [corners], True, 255, 2 * _GROWN_MM)
    covered[others > 0] = 0
    closed = cv2.morphologyEx(covered, cv2.MORPH_CLOSE, np.ones((_CLOSED_MM, _CLOSED_MM), np.uint8))
    shapes = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((_OPENED_MM, _OPENED_MM), np.uint8))
    outlines, _ = cv2.findContours(shapes, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    poses = [_card(outline.reshape(-1, 2), others, calibration.card_mm) for outline in outlines]
    return [pose._replace(x=pose.x + float(start[0]), y=pose.y + float(start[1])) for pose in poses if pose is not None]


def is_face(picture: Picture, card: Pose, calibration: Calibration) -> bool:
    """Return whether a card lies face up: a face is mostly white paper, a back is not."""
    outline = card_outline(card, (0.8 * calibration.card_mm[0], 0.8 * calibration.card_mm[1]))
    start = outline.min(axis=0)
    plan = _plan(picture, calibration, start, outline.max(axis=0))
    lab = cv2.cvtColor(plan, cv2.COLOR_BGR2LAB).astype(np.int16)
    inside = np.zeros(lab.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.round((outline - start) * PX_PER_MM).astype(np.int32), 1)
    lightness, colour = lab[..., 0], np.abs(lab[..., 1:] - 128).max(axis=2)
    paper = (lightness > _WHITE[0]) & (colour < _WHITE[1])
    return float(paper[inside > 0].mean()) >= _PAPER


def _plan(picture: Picture, calibration: Calibration, start: Points, end: Points) -> Picture:
    """The felt from above between two points in millimetres."""
    move = np.array([[PX_PER_MM, 0, -start[0] * PX_PER_MM], [0, PX_PER_MM, -start[1] * PX_PER_MM], [0, 0, 1]])
    width, height = (max(1, int(side)) for side in (end - start) * PX_PER_MM)
    plan = cv2.warpPerspective(picture, move @ calibration.homography, (width, height), flags=cv2.INTER_LINEAR)
    return plan.astype(np.uint8, copy=False)


def _card(outline: npt.NDArray[Any], others: Picture, card_mm: tuple[float, float]) -> Pose | None:
    """The pose in the plan of a shape that a card makes, if it is one: its whole, or what another leaves of it."""
    (x, y), sides, degrees = cv2.minAreaRect(outline)
    (short, long), turned = sorted(sides), degrees if sides[0] <= sides[1] else degrees + 90
    width, height = card_mm[0] * PX_PER_MM, card_mm[1] * PX_PER_MM
    if abs(long / height - 1) > _OFF or cv2.contourArea(outline) < _FILLED * short * long:
        return None
    angle = float(np.radians(turned))
    missing = width - short
    if missing < -_OFF * width or missing > (1 - _LEAST_WIDTH) * width:
        return None
    if missing > _OFF * width:
        across = np.array([np.cos(angle), np.sin(angle)])
        beside = [side for side in (-1, 1) if _is_at(others, np.array([x, y]) + side * across * (short / 2 + 6))]
        if len(beside) != 1:
            return None
        x, y = np.array([x, y]) + beside[0] * across * missing / 2
    return Pose(float(x) / PX_PER_MM, float(y) / PX_PER_MM, angle)


def _is_at(mask: Picture, point: Points) -> bool:
    x, y = (round(float(each)) for each in point)
    return 0 <= y < mask.shape[0] and 0 <= x < mask.shape[1] and bool(mask[y, x])
