"""The table in millimetres: its zones, the marks on its layout, where boxes and wagers lie.

The origin is the middle of the dealer's edge. A camera has the dealer at the top of its picture: x grows to the
right of the picture, which is the dealer's left, where box 1 is; y grows from the dealer to the players. Boxes stand
on an arc around a point behind the dealer; a bearing is the angle at that point, 0 straight ahead, positive to the
right.
"""

import math
from typing import Final

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]  # n × 2

SIZE_MM: Final = (1900.0, 1050.0)  # what a camera sees of a table
CARD_MM: Final = (63.0, 88.0)
MARK_MM: Final = 30.0  # across a mark: a dark ring
MARK_CENTRE_MM: Final = 14.0  # across its white centre
# Top left, top right, bottom right, bottom left of the picture: the corners of the printed layout.
MARKS_MM: Final = ((-890.0, 40.0), (890.0, 40.0), (890.0, 655.0), (-890.0, 655.0))

ARC_MM: Final = (0.0, -420.0)  # the point around which the boxes stand
CARDS_MM: Final = (960.0, 1230.0)  # distance from there, of the boxes' card areas
WAGERS_MM: Final = 1300.0  # of the middle of the betting circles
EDGE_MM: Final = 1450.0  # of the players' edge of the felt
MOST_BOXES: Final = 8

_HALF_ARC: Final = math.radians(49.0)
_WIDEST_BOX: Final = math.radians(15.5)
_ARC_STEPS: Final = 4  # chords along a box's curved sides

_AREAS_MM: Final = {  # left, top, right, bottom
    "dealer": (-350.0, 90.0, 350.0, 230.0),
    "burn": (430.0, 80.0, 580.0, 200.0),
    "shoe": (640.0, 60.0, 840.0, 200.0),
    "discard": (-840.0, 60.0, -680.0, 200.0),
}


def zones(boxes: int) -> dict[str, Points]:
    """The outlines of the areas in which cards lie: ``seat1`` to the last box, ``dealer``, ``burn``, ``discard``."""
    if not 1 <= boxes <= MOST_BOXES:
        raise ValueError(f"boxes: found {boxes}, expected 1 to {MOST_BOXES}")
    seats = {f"seat{box}": _sector(bearing(box, boxes), box_width(boxes)) for box in range(1, boxes + 1)}
    return seats | {name: area(name) for name in ("dealer", "burn", "discard")}


def area(name: str) -> Points:
    """The outline of the ``dealer``, ``burn``, ``discard`` or ``shoe`` area."""
    left, top, right, bottom = _AREAS_MM[name]
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)])


def bearing(box: int, boxes: int) -> float:
    """The direction in radians in which a box lies; box 1 lies furthest to the right."""
    return ((boxes + 1) / 2 - box) * box_width(boxes)


def box_width(boxes: int) -> float:
    """The angle in radians that a box takes on the arc."""
    return min(2 * _HALF_ARC / boxes, _WIDEST_BOX)


def on_arc(towards: float, distance_mm: float) -> tuple[float, float]:
    """The point at a bearing and a distance from the arc's middle."""
    return ARC_MM[0] + distance_mm * math.sin(towards), ARC_MM[1] + distance_mm * math.cos(towards)


def _sector(towards: float, width: float) -> Points:
    """The part of a ring between the boxes' near and far side, clockwise from its upper left as a picture shows it."""
    turns = np.linspace(towards - width / 2, towards + width / 2, _ARC_STEPS + 1).tolist()
    near, far = CARDS_MM
    return np.array([on_arc(turn, near) for turn in turns] + [on_arc(turn, far) for turn in reversed(turns)])
