"""Timeline of a table: cards fly, lie and are picked up, chips come and go, hands reach over.

Nothing here is drawn. Times are milliseconds of the same clock as the stays.
"""

import bisect
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from vision.calibration import table
from vision.faces.design import Colour
from vision.footage.layout import Layout
from vision.footage.places import Lain, on_box
from vision.footage.props import DrawnHand, Stack
from vision.footage.sprites import SpritePose

Point = tuple[float, float]

_FLIGHT_MS: Final = (250, 400)  # of a card from the shoe to its place
_SLIDE_MS: Final = 380
_TURN_MS: Final = 320
_PICK_UP_MS: Final = 620
_AT_LEAST_MS: Final = 1600  # that a card lies before it is picked up: the hand that laid it leaves, and comes back
_REACH_MS: Final = 300  # of a hand with chips
_AWAY_MS: Final = 350  # in which a hand leaves the table, or comes
_LINGERS_MS: Final = 900  # a hand with less to wait stays above the table
_SHOE_MM: Final = (650.0, 130.0)
_RACK_MM: Final = (-802.0, 130.0)
_TRAY_MM: Final = (0.0, 45.0)
_HOME_MM: Final = -330.0  # how far behind the dealer's edge a hand at rest is
_BLACK: Final[Colour] = (30, 28, 28)
_WHITE: Final[Colour] = (232, 234, 236)


class StageWager(NamedTuple):
    """Chips of a wager, or those paid on it, while they lie in their place."""

    seat: int
    kind: str
    cents: int
    laid_ms: int
    until_ms: int
    bettor: int = 1
    hand: int = 1
    is_paid: bool = False  # laid by the dealer, beside the wager
    is_taken: bool = False  # by the dealer, in the end


class Gesture(NamedTuple):
    """Hand held above the table for a while; seat 0 is the dealer."""

    seat: int
    from_ms: float
    until_ms: float
    place: Point


class Motion(NamedTuple):
    """A card on its way."""

    from_ms: float
    until_ms: float
    card: str
    start: SpritePose
    end: SpritePose
    rises_mm: float  # in the middle of its way

    def at(self, ms: float) -> SpritePose:
        """Return the card's pose at a time; the card starts and stops gently and turns over halfway."""
        share = min(1.0, max(0.0, (ms - self.from_ms) / (self.until_ms - self.from_ms)))
        eased = share * share * (3 - 2 * share)
        a, b = self.start, self.end
        facing = (
            a.facing
            if a.facing == b.facing
            else math.copysign(max(0.15, abs(1 - 2 * share)), b.facing if share > 0.5 else a.facing)
        )
        angle = a.angle + eased * (b.angle - a.angle)
        height = self.rises_mm * 4 * share * (1 - share)
        return SpritePose(a.x_mm + eased * (b.x_mm - a.x_mm), a.y_mm + eased * (b.y_mm - a.y_mm), angle, facing, height)


class Rest(NamedTuple):
    """Object that lies still: a card in its pose, or a stack of chips."""

    from_ms: float
    until_ms: float
    card: str | None
    pose: SpritePose | None
    stack: Stack | None
    depth: float  # objects of greater depth lie on the others


class HandMove(NamedTuple):
    """Movement of a hand from one place to another."""

    from_ms: float
    until_ms: float
    start: Point
    end: Point


@dataclass
class Reach:
    """The ways of one hand: where its fingertips are at which times."""

    hand: DrawnHand
    home: Point
    times: list[float] = field(default_factory=list)
    places: list[Point] = field(default_factory=list)

    def free_ms(self) -> float:
        return self.times[-1] if self.times else -math.inf

    def do(self, act: HandMove) -> None:
        """Add an act after all others; in between the hand goes home if there is time."""
        if act.from_ms - self.free_ms() > _LINGERS_MS:
            self.leave()
            self._add(act.from_ms - _AWAY_MS, self.home)
        self._add(act.from_ms, act.start)
        self._add(act.until_ms, act.end)

    def leave(self) -> None:
        if self.times and self.places[-1] != self.home:
            self._add(self.times[-1] + _AWAY_MS, self.home)

    def _add(self, ms: float, place: Point) -> None:
        self.times.append(max(ms, self.free_ms()))
        self.places.append(place)

    def tip(self, ms: float) -> Point | None:
        """Return the place of the fingertips at a time; None while the hand is not above the table."""
        at = bisect.bisect_right(self.times, ms)
        if at in (0, len(self.times)):
            return None
        a, b = self.places[at - 1], self.places[at]
        if a == b == self.home:
            return None
        share = (ms - self.times[at - 1]) / max(1e-9, self.times[at] - self.times[at - 1])
        eased = share * share * (3 - 2 * share)
        return a[0] + eased * (b[0] - a[0]), a[1] + eased * (b[1] - a[1])


class Settled(NamedTuple):
    """Times at which a stay's card came to rest, was clear of the hand, and was lifted, in ms."""

    settled_ms: float
    clear_ms: float
    lifted_ms: float


class Shadow(NamedTuple):
    """Shadow of a person who leans over the table for a while."""

    from_ms: float
    until_ms: float
    start: Point
    end: Point
    size_mm: Point
    depth: float


@dataclass
class FilmStage:
    """Complete timeline of a take; each list is in order of time."""

    rests: list[Rest]
    motions: list[Motion]
    reaches: list[Reach]
    shadows: list[Shadow]
    settled: list[Settled]  # by number of the stay


def staged(
    lain: Sequence[Lain],
    wagers: Iterable[StageWager],
    layout: Layout,
    rng: np.random.Generator,
    gestures: Iterable[Gesture] = (),
) -> FilmStage:
    """The timeline of cards, wagers and hands."""
    cards = _Cards(lain, rng)
    rests, acts = cards.rests, {0: cards.acts}
    for wager in wagers:
        place = _place(wager, layout)
        rests.append(Rest(wager.laid_ms, wager.until_ms, None, None, Stack(*place, wager.cents), -math.inf))
        for seat, act in _chip_acts(wager, place, layout):
            acts.setdefault(seat, []).append(act)
    for each in [*gestures, *signals(lain, layout, rng)]:
        acts.setdefault(each.seat, []).append(HandMove(each.from_ms, each.until_ms, each.place, each.place))
    reaches = _dealer(sorted(acts.pop(0)), rng)
    reaches += [_player(seat, sorted(todo), layout, rng) for seat, todo in sorted(acts.items())]
    for reach in reaches:
        reach.leave()
    starts = min([rest.from_ms for rest in rests] + [reach.times[0] for reach in reaches if reach.times], default=0.0)
    ends = max([rest.until_ms for rest in rests] + [reach.free_ms() for reach in reaches if reach.times], default=0.0)
    shadows = leaning(starts, ends, layout, rng)
    return FilmStage(
        sorted(rests, key=lambda rest: rest.from_ms), sorted(cards.motions), reaches, shadows, cards.settled
    )


def signals(lain: Sequence[Lain], layout: Layout, rng: np.random.Generator) -> list[Gesture]:
    """Players who tap the felt before they get another card, most of them beside it, some above their cards."""
    found = []
    for stay, pose, _ in lain:
        seat = re.match(r"seat(\d+)", stay.zone)
        if seat is None or stay.order < 3 or rng.random() > 0.6:
            continue
        across, away = float(rng.uniform(-70, 70)), float(rng.uniform(20, 75))
        bearing = layout.bearing(int(seat[1]))
        place = pose.x_mm + across * math.cos(bearing) + away * math.sin(bearing), pose.y_mm + away
        from_ms = stay.laid_ms - float(rng.uniform(700, 1100))
        found.append(Gesture(int(seat[1]), from_ms, from_ms + float(rng.uniform(100, 350)), place))
    return found


def _chip_acts(wager: StageWager, place: Point, layout: Layout) -> list[tuple[int, HandMove]]:
    """Return the hand movements that lay a wager and take it away, each with its seat; 0 is the dealer."""
    own = wager.seat, on_box(layout.bearing(wager.seat), 0, table.EDGE_MM)
    lays, takes = ((0, _TRAY_MM) if by_dealer else own for by_dealer in (wager.is_paid, wager.is_taken))
    return [
        (lays[0], HandMove(wager.laid_ms - _REACH_MS, wager.laid_ms, lays[1], place)),
        (takes[0], HandMove(wager.until_ms, wager.until_ms + _REACH_MS, place, takes[1])),
    ]


def _place(wager: StageWager, layout: Layout) -> Point:
    spot = layout.spot(wager.kind, wager.bettor, wager.hand)
    aside = 44.0 if wager.is_paid else 0.0
    return on_box(
        layout.bearing(wager.seat), spot.across_mm + aside, spot.distance_mm + (8.0 if wager.is_paid else 0.0)
    )


class _Cards:
    """The cards' part: for each stay how its card gets there, lies and leaves."""

    def __init__(self, lain: Sequence[Lain], rng: np.random.Generator) -> None:
        self.lain, self.rng = lain, rng
        self.rests: list[Rest] = []
        self.motions: list[Motion] = []
        self.acts: list[HandMove] = []
        self.settled: list[Settled] = []
        arrivals = [self._arrives_ms(number) for number in range(len(lain))]
        follows = self._following()
        lifts = self._lifts(arrivals, follows)
        before = {after: number for number, after in follows.items()}
        for number, (stay, pose, depth) in enumerate(lain):
            start = lain[before[number]].pose if number in before else None
            self._come(number, start, arrivals[number])
            self.rests.append(Rest(arrivals[number], lifts[number], stay.card, pose, None, depth))
            self.settled.append(Settled(arrivals[number], arrivals[number] + _AWAY_MS, lifts[number]))
        self._pick_up([number for number in range(len(lain)) if number not in follows], lifts)

    def _arrives_ms(self, number: int) -> float:
        stay = self.lain[number].stay
        flight = float(self.rng.uniform(*_FLIGHT_MS))
        return stay.laid_ms + min(flight, max(60.0, 0.8 * (stay.until_ms - stay.laid_ms)))

    def _following(self) -> dict[int, int]:
        """By stay, the next one of the same card."""
        last: dict[tuple[str, int], int] = {}
        follows = {}
        for number, (stay, _, _) in enumerate(self.lain):
            card = stay.shoe, stay.n
            if card in last and self.lain[last[card]].stay.until_ms <= stay.laid_ms:
                follows[last[card]] = number
            last[card] = number
        return follows

    def _lifts(self, arrivals: Sequence[float], follows: dict[int, int]) -> list[float]:
        """Return when each card leaves, in ms: with the rest of its zone, shortly after the last arrival."""
        latest: dict[tuple[int, str], float] = {}
        for (stay, _, _), ms in zip(self.lain, arrivals, strict=True):
            key = stay.until_ms, stay.zone
            latest[key] = max(latest.get(key, 0.0), ms)
        lifts = []
        for number, (stay, _, _) in enumerate(self.lain):
            if number in follows:
                lifts.append(float(self.lain[follows[number]].stay.laid_ms))
            else:
                lifts.append(max(stay.until_ms, latest[stay.until_ms, stay.zone] + _AT_LEAST_MS))
        return lifts

    def _come(self, number: int, start: SpritePose | None, arrives_ms: float) -> None:
        """A card is dealt, or moved, or turned over where it lies."""
        stay, pose, _ = self.lain[number]
        rises = 55.0
        if start is None:
            start, rises = SpritePose(*_SHOE_MM, pose.angle - 1.2, -1.0), 25.0
        elif (start.x_mm, start.y_mm) != (pose.x_mm, pose.y_mm):
            rises = 4.0
        self.motions.append(Motion(stay.laid_ms, arrives_ms, stay.card, start, pose, rises))
        self.acts.append(HandMove(stay.laid_ms, arrives_ms, _grip(start), _grip(pose)))

    def _pick_up(self, last: Sequence[int], lifts: Sequence[float]) -> None:
        """Cards of a zone are swept up together and go to the rack."""
        groups: dict[tuple[float, str], list[int]] = {}
        for number in last:
            groups.setdefault((lifts[number], self.lain[number].stay.zone), []).append(number)
        for (ms, _), group in groups.items():
            until = ms + _PICK_UP_MS
            for number in group:
                stay, pose, _ = self.lain[number]
                rack = SpritePose(*_RACK_MM, 0.0, -1.0)
                # The short way round.
                rack = rack._replace(angle=pose.angle - math.remainder(pose.angle, math.pi))
                self.motions.append(Motion(ms, until, stay.card, pose, rack, 30.0))
            self.acts.append(HandMove(ms, until, _grip(self.lain[group[-1]].pose), _RACK_MM))


def _grip(pose: SpritePose) -> Point:
    """Return the point where a hand holds a card: at the edge towards the dealer."""
    return pose.x_mm, pose.y_mm - 30.0


def _dealer(acts: Sequence[HandMove], rng: np.random.Generator) -> list[Reach]:
    """The dealer's two hands share what is to be done; while both are busy, cards and chips move on their own."""
    skin = int(rng.integers(4))
    reaches = [
        Reach(DrawnHand(x, -480.0, skin, _BLACK, _WHITE, mirrored=x < 0), (0.6 * x, _HOME_MM)) for x in (170.0, -170.0)
    ]
    for act in acts:
        nearer = sorted(reaches, key=lambda reach: abs(reach.hand.x_mm - act.end[0]))
        free = next((reach for reach in nearer if reach.free_ms() <= act.from_ms), None)
        if free is not None:
            free.do(act)
    return reaches


def _player(seat: int, acts: Sequence[HandMove], layout: Layout, rng: np.random.Generator) -> Reach:
    bearing = layout.bearing(seat)
    home, root = on_box(bearing, 40.0, table.EDGE_MM + 420), on_box(bearing, 60.0, table.EDGE_MM + 900)
    sleeve: Colour = tuple(int(part) for part in rng.integers(20, 200, 3))  # type: ignore[assignment]
    hand = DrawnHand(*root, int(rng.integers(4)), sleeve, None, mirrored=bool(rng.integers(2)))
    reach = Reach(hand, home)
    for act in acts:
        if act.from_ms >= reach.free_ms():
            reach.do(act)
    return reach


def leaning(from_ms: float, until_ms: float, layout: Layout, rng: np.random.Generator) -> list[Shadow]:
    """People who lean over the table now and then, so that their shadow falls on it."""
    shadows, ms = [], from_ms
    while (ms := ms + float(rng.exponential(14_000))) < until_ms:
        lasts = float(rng.uniform(1_500, 6_000))
        bearing = layout.bearing(int(rng.integers(1, layout.boxes + 1)))
        start, end = (on_box(bearing, float(rng.uniform(-80, 80)), float(rng.uniform(1250, 1500))) for _ in range(2))
        size = float(rng.uniform(380, 700)), float(rng.uniform(280, 520))
        shadows.append(Shadow(ms, ms + lasts, start, end, size, float(rng.uniform(0.12, 0.3))))
    return shadows
