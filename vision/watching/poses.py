"""Poses of cards, from their corner indices.

An index stands near the upper left corner of a card, and again, turned by half, at the opposite corner: so its place,
direction and size tell where the card lies. Without a calibration nothing is known but the index itself.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from vision.calibration.calibration import Calibration
from vision.reading.index import Index

Points = npt.NDArray[np.float64]

_INSET_MM: Final = (2.0, 2.5)  # from a card's left and upper edge to its index
_COLUMN_MM: Final = 8.0  # the least width of the column that an index stands in the middle of
_SAME_SPOT_MM: Final = 7.0  # how far one index may be off when it is found again
_SAME_CARD_MM: Final = 11.0  # how far apart two indices of a card may put its middle ...
_ALIKE_MM: Final = 26.0  # ... if they are read alike
_OVERLAP: Final = 0.45  # of an index' height: no two stand closer ...
_BESIDE_TURNED: Final = 0.75  # ... nor what may be made of one that is turned against it
_ASIDE: Final = 0.3  # ... unless it stands so far to its side
_LEANS: Final = math.radians(14)  # cards mostly lie straight in their zone: up to here an angle is doubted ...
_BELIEVED: Final = 0.4  # ... and this share of it believed
_SAME_TURN: Final = math.radians(20)
_NEAR_MM: Final = 60.0  # an index may stand so far outside the zone of its card
_HEIGHT_MM: Final = (9.0, 45.0)  # of an index


class Pose(NamedTuple):
    """Place and direction of a card or index, in millimetres or, without calibration, in pixels."""

    x: float
    y: float
    angle: float  # of its top, in radians clockwise from the dealer's side


class Spot(NamedTuple):
    """An index as it lies: its own pose, the pose of what it belongs to, and its height in the same units."""

    found: Index
    at: Pose
    whole: Pose
    height: float


class TableView(Protocol):
    """View of the table in the picture, with or without calibration."""

    @property
    def reach(self) -> float:
        """Return the margin needed around cards and indices, in pixels."""

    def spot(self, index: Index) -> Spot | None:
        """Return the spot of an index; None if the reading cannot be an index."""

    def is_same_spot(self, one: Spot, other: Spot) -> bool:
        """Return whether two spots are the same index."""

    def is_same_whole(self, one: Pose, other: Pose, alike: bool = False) -> bool:
        """Return whether two poses are of the same card; ``alike`` if both had the same reading."""

    def other_index(self, spot: Spot, whole: Pose) -> Spot:
        """Return the spot of the other index of the card at a pose; the given spot if it is not known."""

    def outline(self, spot: Spot) -> Points:
        """Return the corners in pixels of a spot's card or, without calibration, of the index."""

    def index_px(self, height: float) -> float:
        """Return a spot's height in pixels."""


class CardView:
    """A calibrated camera: what is tracked is a card."""

    def __init__(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self.scale = calibration.px_per_mm
        self._uprights: dict[str, float] = {}

    @property
    def reach(self) -> float:
        return 28 * self.scale

    def spot(self, index: Index) -> Spot | None:
        up = np.array([math.sin(index.angle), -math.cos(index.angle)])
        across = np.array([-up[1], up[0]])
        middle = np.array([index.x, index.y])
        ends = [middle - up * index.height / 2, middle + up * index.height / 2]
        sides = [middle - across * index.width / 2, middle + across * index.width / 2]
        centre, foot, head, left, right = self.calibration.to_mm([middle, *ends, *sides])
        height, width = float(np.linalg.norm(head - foot)), float(np.linalg.norm(right - left))
        if not _HEIGHT_MM[0] <= height <= _HEIGHT_MM[1]:
            return None
        top = (head - foot) / height
        angle = self._straightened(math.atan2(top[0], -top[1]), centre)
        at = Pose(float(centre[0]), float(centre[1]), angle)
        return Spot(index, at, _card_of(at, (width, height), self.calibration.card_mm), height)

    def _straightened(self, angle: float, at: Points) -> float:
        """An angle nearer to those of cards that lie straight in the zone, or across it."""
        zone = self.calibration.zone_at(at, _NEAR_MM)
        if zone is None:
            return angle
        off = math.remainder(angle - self._upright(zone), math.pi / 2)
        return angle if abs(off) > _LEANS else angle - (1 - _BELIEVED) * off

    def _upright(self, zone: str) -> float:
        if zone not in self._uprights:
            self._uprights[zone] = self.calibration.upright(zone)
        return self._uprights[zone]

    def is_same_spot(self, one: Spot, other: Spot) -> bool:
        return distance(one.at, other.at) < _SAME_SPOT_MM and turn_between(one.at, other.at) < 2 * _SAME_TURN

    def is_same_whole(self, one: Pose, other: Pose, alike: bool = False) -> bool:
        near = distance(one, other) < (_ALIKE_MM if alike else _SAME_CARD_MM)
        return near and turn_between(one, other, math.pi) < _SAME_TURN

    def other_index(self, spot: Spot, whole: Pose) -> Spot:
        across = Pose(2 * whole.x - spot.at.x, 2 * whole.y - spot.at.y, spot.at.angle + math.pi)
        return spot._replace(at=across)

    def outline(self, spot: Spot) -> Points:
        return self.calibration.to_px(card_outline(spot.whole, self.calibration.card_mm))

    def index_px(self, height: float) -> float:
        return height * self.scale


class IndexView:
    """A camera of which nothing is known: what is tracked is an index, in pixels."""

    def __init__(self, width: int, height: int) -> None:
        self._reach = 0.04 * max(width, height)

    @property
    def reach(self) -> float:
        return self._reach

    def spot(self, index: Index) -> Spot | None:
        pose = Pose(index.x, index.y, index.angle)
        return Spot(index, pose, pose, index.height)

    def is_same_spot(self, one: Spot, other: Spot) -> bool:
        near = 0.4 * min(one.height, other.height)
        return distance(one.at, other.at) < near and turn_between(one.at, other.at) < 2 * _SAME_TURN

    def is_same_whole(self, one: Pose, other: Pose, alike: bool = False) -> bool:
        return False

    def other_index(self, spot: Spot, whole: Pose) -> Spot:
        return spot

    def outline(self, spot: Spot) -> Points:
        return _turned_box(spot.at, spot.found.width, spot.found.height)

    def index_px(self, height: float) -> float:
        return height


def card_outline(card: Pose, card_mm: tuple[float, float]) -> Points:
    """A card's corners, from its upper left clockwise."""
    return _turned_box(card, *card_mm)


def distance(one: Pose, other: Pose) -> float:
    """Return the distance between two poses, in their unit."""
    return math.hypot(one.x - other.x, one.y - other.y)


def turn_between(one: Pose, other: Pose, period: float = 2 * math.pi) -> float:
    """The angle between two directions; a ``period`` of π holds for things that look the same turned by half."""
    turn = (one.angle - other.angle) % period
    return min(turn, period - turn)


def mean_pose(poses: Sequence[Pose]) -> Pose:
    """The middle of poses of one card, of which some may be turned by half."""
    first = poses[0]
    turns = [(pose.angle - first.angle + math.pi / 2) % math.pi - math.pi / 2 for pose in poses]
    x, y = (float(np.mean([pose[axis] for pose in poses])) for axis in (0, 1))
    return Pose(x, y, first.angle + float(np.mean(turns)))


def is_too_near(one: Spot, other: Spot, doubtful: bool) -> bool:
    """Return whether two spots overlap so far that only one can be an index.

    A spot turned against the other needs more room, unless it is clear and stands at the other's side: a rank
    together with the pip of the card below it looks like an index upside down.
    """
    least = min(one.height, other.height)
    away_x, away_y, angle = one.at.x - other.at.x, one.at.y - other.at.y, other.at.angle
    is_aside = abs(away_x * math.cos(angle) + away_y * math.sin(angle)) > _ASIDE * least
    is_turned = turn_between(one.at, other.at) >= 2 * _SAME_TURN
    needs_room = is_turned and (doubtful or not is_aside)
    return math.hypot(away_x, away_y) < (_BESIDE_TURNED if needs_room else _OVERLAP) * least


def _card_of(index: Pose, size_mm: tuple[float, float], card_mm: tuple[float, float]) -> Pose:
    width, height = size_mm
    left, above = _INSET_MM[0] + max(width, _COLUMN_MM) / 2, _INSET_MM[1] + height / 2
    right, down = card_mm[0] / 2 - left, card_mm[1] / 2 - above
    cos, sin = math.cos(index.angle), math.sin(index.angle)
    return Pose(index.x + right * cos - down * sin, index.y + right * sin + down * cos, index.angle)


def _turned_box(pose: Pose, width: float, height: float) -> Points:
    cos, sin = math.cos(pose.angle), math.sin(pose.angle)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (width / 2, height / 2)
    turned: Points = corners @ np.array([(cos, sin), (-sin, cos)]) + (pose.x, pose.y)
    return turned
