"""From tracked cards to sightings: in which zone and hand each lay, as which card, and whether it lay sideways."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cmp_to_key, partial
from typing import Final, NamedTuple

import numpy as np

from vision.calibration.calibration import Calibration
from vision.watching.motion import Box
from vision.watching.poses import Points, Pose, distance, turn_between

_OUTSIDE_MM: Final = 25.0  # by which the middle of a card may lie outside its zone
_NEXT_MM: Final = 36.0  # from a hand's last card to the next
_SKIPPED_MM: Final = 70.0  # ... where a card between was not found
_MOVED_MS: Final = 30_000.0  # in which a card that was taken up for a split lies in its new place
_COLUMN_MM: Final = 9.0  # cards that lie further apart across a zone do not lie one below the other
_FORGOTTEN_MS: Final = 600_000.0  # after which a card that was picked up plays no part any more


class Stay(NamedTuple):
    """A card from first to last sight."""

    frame: int
    since_ms: float  # when it was not yet there
    first_ms: float
    until_ms: float
    whole: Pose
    outline: Points  # px
    box: Box
    face: str
    card: str | None
    confidence: float


@dataclass(frozen=True)
class Sighting:
    """What a camera saw of a card that lay somewhere: the fields of a ``seen`` line, and where in the footage.

    Without a calibration it is of one index; zone, order and sideways are None.
    """

    frame: int  # the first in which it was read, counted from 0
    time_ms: float  # when that is shown
    until_ms: float  # the last sight of it
    zone: str | None
    order: int | None
    face: str
    card: str | None
    confidence: float
    sideways: bool | None
    box: Box  # of the index, or of a card that shows none
    outline: tuple[tuple[float, float], ...]  # of the card, or of the index


class _Lying(NamedTuple):
    stay: Stay
    hand: int
    sideways: bool


class Register:
    """Puts cards in order of first sight and into hands; keeps only what still lies on the table."""

    def __init__(self, calibration: Calibration | None) -> None:
        self._calibration = calibration
        self._waiting: list[Stay] = []
        self._zones: dict[str, list[_Lying]] = {}

    def add(self, stay: Stay) -> None:
        """A card has been picked up."""
        self._waiting.append(stay)

    def ready(self, open_since_ms: float) -> Iterator[Sighting]:
        """The sightings of cards that were laid before any that is still tracked."""
        limit = open_since_ms
        for stay in sorted(self._waiting, key=lambda stay: -stay.first_ms):
            if stay.first_ms >= limit:
                limit = min(limit, stay.since_ms)
        due = [stay for stay in self._waiting if stay.first_ms < limit]
        self._waiting = [stay for stay in self._waiting if stay.first_ms >= limit]
        placed = [self._sighting(stay, zone) for zone, stay in self._as_laid(due)]
        yield from sorted(placed, key=lambda seen: (seen.time_ms, seen.frame))

    def _as_laid(self, stays: list[Stay]) -> Iterator[tuple[str | None, Stay]]:
        """By zone, in the order in which they were laid; where that was not seen, in that in which hands grow."""
        zones: dict[str | None, list[list[Stay]]] = {}
        for stay in sorted(stays, key=lambda stay: stay.first_ms):
            batches = zones.setdefault(self._zone(stay), [])
            if batches and stay.since_ms < max(other.first_ms for other in batches[-1]):
                batches[-1].append(stay)
            else:
                batches.append([stay])
        for zone, batches in zones.items():
            lean = 0.0 if zone is None or self._calibration is None else self._calibration.upright(zone)
            for batch in batches:
                for stay in sorted(batch, key=cmp_to_key(partial(_grows, lean))):
                    yield zone, stay

    def _zone(self, stay: Stay) -> str | None:
        if self._calibration is None:
            return None
        return self._calibration.zone_at((stay.whole.x, stay.whole.y), _OUTSIDE_MM)

    def _sighting(self, stay: Stay, zone: str | None) -> Sighting:
        place = (None, None, None) if zone is None else self._place(stay, zone)
        outline = tuple((float(x), float(y)) for x, y in np.round(stay.outline, 1))
        return Sighting(
            frame=stay.frame,
            time_ms=stay.first_ms,
            until_ms=stay.until_ms,
            zone=place[0],
            order=place[1],
            face=stay.face,
            card=stay.card,
            confidence=round(stay.confidence, 4),
            sideways=place[2],
            box=stay.box,
            outline=outline,
        )

    def _place(self, stay: Stay, zone: str) -> tuple[str, int, bool]:
        """Zone with hand, order, and whether it lies sideways."""
        before = self._zones.get(zone, [])
        if all(lying.stay.until_ms < stay.first_ms for lying in before):
            before = []
        is_box = zone.startswith("seat")
        hand = hand_of(stay, before) if is_box else 1
        fellows = [lying for lying in before if lying.hand == hand and lying.stay.until_ms >= stay.first_ms]
        sideways = self._lies_sideways(stay, zone, fellows)
        recent = [lying for lying in before if lying.stay.until_ms > stay.first_ms - _FORGOTTEN_MS]
        self._zones[zone] = [*recent, _Lying(stay, hand, sideways)]
        return (f"{zone}.hand{hand}" if is_box else zone), len(fellows) + 1, sideways

    def _lies_sideways(self, stay: Stay, zone: str, fellows: list[_Lying]) -> bool:
        assert self._calibration is not None
        straight = [lying.stay.whole for lying in fellows if not lying.sideways]
        along = straight[0] if straight else Pose(0.0, 0.0, self._calibration.upright(zone))
        return turn_between(stay.whole, along, math.pi) > math.pi / 4


def _grows(lean: float, one: Stay, other: Stay) -> int:
    """Below zero if one card of a zone was laid before the other, or lies before it in the way that hands grow.

    That is to the right, or away from the dealer where cards lie one below the other.
    """
    if one.first_ms <= other.since_ms or other.first_ms <= one.since_ms:
        return _sign(one.first_ms - other.first_ms)
    if one.until_ms < other.first_ms or other.until_ms < one.first_ms:
        return _sign(one.until_ms - other.until_ms)
    x, y = one.whole.x - other.whole.x, one.whole.y - other.whole.y
    across, along = x * math.cos(lean) + y * math.sin(lean), y * math.cos(lean) - x * math.sin(lean)
    return _sign(across if abs(across) >= _COLUMN_MM else along)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def hand_of(stay: Stay, before: list[_Lying]) -> int:
    """The hand of a box to which a card was laid: that whose last card it lies next to, or a new one."""
    lying = [each for each in before if each.stay.until_ms >= stay.first_ms]
    last = {each.hand: each.stay.whole for each in lying}
    reach = _NEXT_MM if stay.card is None or _was_moved(stay, before) else _SKIPPED_MM
    near = {hand: distance(pose, stay.whole) for hand, pose in last.items()}
    nearest = min(near, key=near.__getitem__, default=None)
    if nearest is not None and near[nearest] <= reach:
        return nearest
    return max((each.hand for each in before), default=0) + 1


def _was_moved(stay: Stay, before: list[_Lying]) -> bool:
    """Whether the same card lay in this box until a moment ago: it was taken up for a split."""
    since = stay.first_ms - _MOVED_MS
    return any(each.stay.card == stay.card and since < each.stay.until_ms < stay.first_ms for each in before)
