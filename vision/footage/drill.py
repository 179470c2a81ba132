"""Material for measuring: hurried rounds with long cascades and many splits, and tables without any cards."""

import math
from itertools import pairwise
from typing import Final

import numpy as np

from vision.calibration import table
from vision.faces.deck import ALL_CARDS
from vision.footage.layout import Layout
from vision.footage.places import CardStay, on_box
from vision.footage.stage import Gesture, StageWager

PACE_MS: Final = 420  # from a card to the next
_HANDS: Final = (0.74, 0.16, 0.06, 0.04)  # chance that a box has one, two, three, four hands
_LENGTHS: Final = {2: 0.16, 3: 0.2, 4: 0.18, 5: 0.18, 6: 0.14, 7: 0.08, 8: 0.06}  # chance of so many cards in a hand
_LONGEST_SPLIT: Final = 6
_SIDEWAYS: Final = 0.25  # of last cards
_DEALER: Final = (2, 6)
_LOOK_MS: Final = 1_600  # after the last card of a round
_SWEEP_MS: Final = 260  # from a box to the next, when all is picked up
_BETWEEN_MS: Final = 1_500


class _Round:
    """One round being dealt; cards come from all fifty-two at random."""

    def __init__(self, number: int, ms: int, pace_ms: int, rng: np.random.Generator) -> None:
        self.number, self.ms, self.pace_ms, self.rng = number, ms, pace_ms, rng
        self.stays: list[CardStay] = []
        self.drawn = 0
        self.open: dict[str, list[int]] = {}  # by zone, the numbers of the stays that lie there

    def draw(self, zone: str, sideways: bool = False, face: str = "up") -> None:
        self.drawn += 1
        card = ALL_CARDS[int(self.rng.integers(len(ALL_CARDS)))]
        self._put(CardStay(card, zone, 0, face, sideways, self.ms, 0, self.number, f"R{self.number}", self.drawn))
        self.ms += round(self.pace_ms * float(self.rng.uniform(0.8, 1.3)))

    def _put(self, stay: CardStay) -> None:
        lying = self.open.setdefault(stay.zone, [])
        lying.append(len(self.stays))
        self.stays.append(stay._replace(order=len(lying), laid_ms=self.ms))

    def split(self, zone: str, new: str) -> None:
        """The second card of a hand becomes the first of a new one."""
        self.ms += 2 * self.pace_ms
        moved = self.open[zone].pop()
        self.stays[moved] = self.stays[moved]._replace(until_ms=self.ms)
        self._put(self.stays[moved]._replace(zone=new))
        self.ms += 2 * self.pace_ms

    def turn(self, zone: str, order: int) -> None:
        """A card that lay face down is turned over."""
        number = self.open[zone][order - 1]
        self.stays[number] = self.stays[number]._replace(until_ms=self.ms)
        self.open[zone][order - 1] = len(self.stays)
        self.stays.append(self.stays[number]._replace(face="up", laid_ms=self.ms))
        self.ms += 2 * self.pace_ms

    def clear(self) -> None:
        self.ms += _LOOK_MS
        for lying in self.open.values():
            for number in lying:
                self.stays[number] = self.stays[number]._replace(until_ms=self.ms)
            self.ms += _SWEEP_MS
        self.ms += _BETWEEN_MS


def hurried(
    layout: Layout, rounds: int, rng: np.random.Generator, pace_ms: int = PACE_MS
) -> tuple[list[CardStay], list[StageWager]]:
    """Rounds dealt fast to all boxes, with cascades of up to eight cards, splits into up to four hands, and doubles."""
    stays: list[CardStay] = []
    wagers: list[StageWager] = []
    ms = 2_000
    for number in range(1, rounds + 1):
        dealt = _Round(number, ms, pace_ms, rng)
        _deal(dealt, layout)
        wagers += _stakes(layout, ms, dealt.ms, rng)
        stays += dealt.stays
        ms = dealt.ms
    return stays, wagers


def _deal(dealt: _Round, layout: Layout) -> None:
    rng = dealt.rng
    boxes = [f"seat{seat}" for seat in range(1, layout.boxes + 1) if rng.random() < 0.92] or ["seat1"]
    for nth in range(2):
        for box in boxes:
            dealt.draw(f"{box}.hand1")
        dealt.draw("dealer", face="down" if nth else "up")
    for box in boxes:
        _play(dealt, box, 1 + int(rng.choice(len(_HANDS), p=_HANDS)))
    dealt.turn("dealer", 2)
    for _ in range(int(rng.integers(*_DEALER)) - 2):
        dealt.draw("dealer")
    dealt.clear()


def _play(dealt: _Round, box: str, hands: int) -> None:
    """A box's turn: its splits from the first hand on, then its hands from left to right."""
    rng = dealt.rng
    for hand in range(2, hands + 1):
        dealt.split(f"{box}.hand1", f"{box}.hand{hand}")
        dealt.draw(f"{box}.hand1")
    lengths, chances = np.array(list(_LENGTHS)), np.array(list(_LENGTHS.values()))
    for hand in [1, *range(hands, 1, -1)]:
        zone = f"{box}.hand{hand}"
        wanted = int(rng.choice(lengths, p=chances))
        if hands > 1:
            wanted = min(wanted, _LONGEST_SPLIT)
        missing = wanted - len(dealt.open[zone])
        for left in range(missing, 0, -1):
            dealt.draw(zone, sideways=left == 1 and len(dealt.open[zone]) > 1 and rng.random() < _SIDEWAYS)


def _stakes(layout: Layout, from_ms: int, until_ms: int, rng: np.random.Generator) -> list[StageWager]:
    return [
        StageWager(seat, kind, 500 * int(rng.integers(1, 120)), from_ms - int(rng.integers(300, 900)), until_ms - 900)
        for seat in range(1, layout.boxes + 1)
        for kind in ("main", *layout.sides)
        if kind == "main" or rng.random() < 0.4
    ]


def idle(layout: Layout, seconds: float, rng: np.random.Generator) -> tuple[list[StageWager], list[Gesture]]:
    """A table without cards for so long: wagers come and go, hands reach over it everywhere."""
    wagers: list[StageWager] = []
    for seat in range(1, layout.boxes + 1):
        for kind in ("main", "insurance", *layout.sides):
            times = np.cumsum(rng.exponential(25_000, 2 + math.ceil(seconds / 10)))
            for laid, until in list(pairwise(times[times < 1000 * seconds].tolist()))[::2]:
                cents, paid, taken = 500 * int(rng.integers(1, 300)), rng.random() < 0.2, rng.random() < 0.5
                by = {"is_paid": bool(paid), "is_taken": bool(taken)}
                wagers.append(StageWager(seat, kind, cents, round(laid), round(until), **by))
    gestures = []
    for seat in range(layout.boxes + 1):
        ms = 0.0
        while (ms := ms + float(rng.exponential(9_000 if seat else 4_000))) < 1000 * seconds:
            gestures.append(_gesture(seat, ms, layout, rng))
    return wagers, gestures


def _gesture(seat: int, ms: float, layout: Layout, rng: np.random.Generator) -> Gesture:
    lasts = float(rng.exponential(900)) + 100
    if seat == 0:
        place = float(rng.uniform(-700, 700)), float(rng.uniform(60, 700))
    else:
        place = on_box(layout.bearing(seat), float(rng.uniform(-120, 120)), float(rng.uniform(980, table.EDGE_MM)))
    return Gesture(seat, ms, ms + lasts, place)
