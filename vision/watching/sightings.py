"""Sightings from tracked cards: the zone and hand of each, its identity, and whether it lay sideways."""

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
_NEXT_MM: Final = 42.0  # from a hand's last card to the next
_SKIPPED_MM: Final = 70.0  # ... where a card between was not found
_BESIDE_MM: Final = 50.0  # hands of a split lie further apart than this
_MOVED_MS: Final = 30_000.0  # in which a card that was taken up for a split lies in its new place
_SLANT: Final = 0.5  # of a column of cards that lie one below the other, at most
_UNSEEN_MS: Final = 3_000.0  # for which a card may lie under a hand that lays the next one
_FORGOTTEN_MS: Final = 600_000.0  # after which a card that was picked up plays no part any more


@dataclass(frozen=True, eq=False)
class Stay:
    """A card from first to last sight."""

    frame: int
    since_ms: float  # when it was not yet there
    first_ms: float
    until_ms: float  # last sight
    missed_ms: float  # when it was looked for in vain, or another lay there
    whole: Pose
    outline: Points  # px
    box: Box
    face: str
    card: str | None
    confidence: float


@dataclass(frozen=True)
class Sighting:
    """Observation of a card that lay on the table: the fields of a ``seen`` line, and the place in the footage.

    Without a calibration a sighting is of one index; zone, order and sideways are None.
    """

    frame: int  # the first in which the card was read, counted from 0
    time_ms: float  # of that frame
    until_ms: float  # the last time the card was visible
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
        zones: dict[str | None, list[Stay]] = {}
        for stay in sorted(due, key=lambda stay: stay.first_ms):
            zones.setdefault(self._zone(stay), []).append(stay)
        placed = [seen for zone, stays in zones.items() for seen in self._as_laid(zone, stays)]
        yield from sorted(placed, key=lambda seen: (seen.time_ms, seen.frame))

    def _as_laid(self, zone: str | None, stays: list[Stay]) -> Iterator[Sighting]:
        """The cards of a zone in the order in which they were laid, which is mostly that of first sight."""
        left = list(stays)
        while left:
            step_mm = _NEXT_MM if zone is not None and zone.startswith("seat") else _SKIPPED_MM
            first = _next(left, self._zones.get(zone or "", []), self._lean(zone), step_mm)
            left = [stay for stay in left if stay is not first]
            yield self._sighting(first, zone)

    def _lean(self, zone: str | None) -> float:
        """The direction in which cards stand upright in a zone."""
        return 0.0 if zone is None or self._calibration is None else self._calibration.upright(zone)

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
        known = self._zones.get(zone, [])
        there = still_there(known, stay.first_ms)
        before = known if there else []
        is_box = zone.startswith("seat")
        hand = hand_of(stay, before, self._lean(zone)) if is_box else 1
        fellows = [lying for lying in there if lying.hand == hand]
        sideways = self._lies_sideways(stay, zone, fellows)
        recent = [lying for lying in before if lying.stay.until_ms > stay.first_ms - _FORGOTTEN_MS]
        self._zones[zone] = [*recent, _Lying(stay, hand, sideways)]
        return (f"{zone}.hand{hand}" if is_box else zone), len(fellows) + 1, sideways

    def _lies_sideways(self, stay: Stay, zone: str, fellows: list[_Lying]) -> bool:
        straight = [lying.stay.whole for lying in fellows if not lying.sideways]
        along = straight[0] if straight else Pose(0.0, 0.0, self._lean(zone))
        return turn_between(stay.whole, along, math.pi) > math.pi / 4


def _next(left: list[Stay], lying: list[_Lying], lean: float, step_mm: float) -> Stay:
    """Return the card of a zone that was laid first.

    Cards hidden by a person's hand are seen together, or the last one first. Then the card that lies next to the
    end of its hand came first; in a hand that is not known yet, the first in the way that hands grow.
    """
    earliest = min(stay.first_ms for stay in left)
    seen = min(
        (stay for stay in left if stay.first_ms == earliest), key=lambda stay: _across_and_along(stay.whole, lean)
    )
    there = [stay for stay in left if stay.since_ms <= earliest]
    hidden = [stay for stay in there if not any(other.until_ms < stay.first_ms for other in there)]
    hand = _together(seen, hidden, step_mm)
    ends = ends_of_hands(lying, earliest).values()
    away = {stay: min((distance(end, stay.whole) for end in ends), default=math.inf) for stay in hand}
    next_to = min(hand, key=away.__getitem__)
    return next_to if away[next_to] <= step_mm else min(hand, key=cmp_to_key(partial(_grows, lean)))


def _across_and_along(pose: Pose, lean: float) -> tuple[float, float]:
    """Return a card's position along the zone's directions: to the right, and away from the dealer."""
    cos, sin = math.cos(lean), math.sin(lean)
    return pose.x * cos + pose.y * sin, pose.y * cos - pose.x * sin


def _grows(lean: float, one: Stay, other: Stay) -> int:
    """Below zero if one card of a hand lies before the other in the way that hands grow.

    That is to the right, or away from the dealer where cards lie one below the other.
    """
    (x0, y0), (x1, y1) = _across_and_along(one.whole, lean), _across_and_along(other.whole, lean)
    return _sign(x0 - x1 if abs(x0 - x1) > _SLANT * abs(y0 - y1) else y0 - y1)


def _together(one: Stay, others: list[Stay], step_mm: float) -> list[Stay]:
    """The cards that lie with one in a hand: each no further than a step from another of them."""
    found, left = [one], [stay for stay in others if stay is not one]
    for stay in found:
        found += [other for other in left if distance(stay.whole, other.whole) <= step_mm]
        left = [other for other in left if other not in found]
    return found


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def hand_of(stay: Stay, before: list[_Lying], lean: float) -> int:
    """The hand of a box to which a card was laid: that whose last card it lies next to, or a new one."""
    ends = ends_of_hands(before, stay.first_ms)
    nearest = min(ends, key=lambda hand: distance(ends[hand], stay.whole), default=None)
    if nearest is not None and _continues(stay, ends[nearest], lean, _was_moved(stay, before)):
        return nearest
    return max((each.hand for each in before), default=0) + 1


def _continues(stay: Stay, end: Pose, lean: float, was_moved: bool) -> bool:
    """Return whether a card continues a hand: next to its end, or next but one without lying beside it."""
    away = distance(end, stay.whole)
    if stay.card is None or was_moved:
        return away <= _NEXT_MM
    beside = abs(_across_and_along(stay.whole, lean)[0] - _across_and_along(end, lean)[0])
    return away <= _NEXT_MM or (away <= _SKIPPED_MM and beside <= _BESIDE_MM)


def ends_of_hands(lying: list[_Lying], time_ms: float) -> dict[int, Pose]:
    """The last card of each hand that lies there at a time."""
    return {each.hand: each.stay.whole for each in still_there(lying, time_ms)}


def still_there(lying: list[_Lying], time_ms: float) -> list[_Lying]:
    """The cards that lie there at a time: seen then or later, or hidden with no sign that their hand was taken up."""
    lately = [each for each in lying if each.stay.until_ms >= time_ms - _UNSEEN_MS]
    taken = {each.hand for each in lately if each.stay.missed_ms <= time_ms}
    return [each for each in lately if each.stay.until_ms >= time_ms or each.hand not in taken]


def _was_moved(stay: Stay, before: list[_Lying]) -> bool:
    """Return whether the same card lay in this box until a moment ago, and was moved for a split."""
    since = stay.first_ms - _MOVED_MS
    return any(each.stay.card == stay.card and since < each.stay.until_ms < stay.first_ms for each in before)
