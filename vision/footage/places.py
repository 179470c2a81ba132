"""Places of a round's cards: the direction in which a hand grows, so that covered cards keep an index in view.

A box has its own directions, across and along its bearing. A hand that is not split grows towards the dealer, each card
above and to the right of the one before. The hands of a split lie side by side and grow straight towards the player. In
both, the upper left index of a covered card stays free. A doubled card lies across its hand.
"""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np

from vision.calibration import table
from vision.faces.deck import Deck
from vision.footage.layout import Layout
from vision.footage.sprites import SpritePose

_HAND: Final = re.compile(r"seat(\d+)\.hand(\d+)")
_UP_MM: Final = 12.0  # towards the dealer, from a card to the next
_FREE_MM: Final = 3.5  # beside an index that stays to be seen: cards do not lie straight
_FIRST_MM: Final = 1172.0  # distance of a hand's first card from the arc's middle
_SPLIT_MM: Final = 1018.0  # ... of a split one's
_LEFT_MM: Final = -46.0  # ... and where it lies across the box
_ELSEWHERE_MM: Final = {"dealer": (-150.0, 158.0), "burn": (505.0, 140.0), "discard": (-732.0, 124.0)}
_ELSEWHERE_STEPS_MM: Final = {"dealer": (46.0, 0.0), "burn": (5.0, 3.0), "discard": (17.0, 12.0)}
_HAND_TURN: Final = math.radians(3.0)  # spread of a hand's direction
_CARD_TURN: Final = math.radians(1.0)  # ... and of a card's within it
_ASTRAY_MM: Final = 0.7


class CardStay(NamedTuple):
    """A card lying in one place, one way. ``shoe`` and ``n`` say which card it is, also when it is moved or turned."""

    card: str
    zone: str  # such as seat3.hand1, dealer, burn, discard
    order: int  # in the zone, from 1
    face: str  # up or down
    sideways: bool
    laid_ms: int
    until_ms: int
    round: int = 1
    shoe: str = ""
    n: int = 0


class Lain(NamedTuple):
    """A stay and how the card lies. One of greater depth lies upon the others."""

    stay: CardStay
    pose: SpritePose
    depth: float


def lay_out(stays: Iterable[CardStay], layout: Layout, deck: Deck, rng: np.random.Generator) -> list[Lain]:
    """Poses for all stays, in the order of time."""
    listed = sorted(stays, key=lambda stay: stay.laid_ms)
    rounds: dict[int, list[CardStay]] = {}
    for stay in listed:
        rounds.setdefault(stay.round, []).append(stay)
    spread = {(number, box): hands for number, stays in rounds.items() for box, hands in _split_hands(stays).items()}
    zones: dict[tuple[int, str], _Zone] = {}
    firsts: dict[tuple[int, str], float] = {}  # by round and zone, the depth of the zone's first card
    lain = []
    for number, stay in enumerate(listed):
        key = stay.round, stay.zone
        box, _, hand = stay.zone.partition(".hand")
        hands = spread.get((stay.round, box), [1])
        if key not in zones:
            zones[key] = _Zone.of(stay.zone, hands, layout, deck, rng)
        depth = float(number)
        if hand and stay.order == 1:
            # The first card of a new hand is tucked under those to its right, which keep their index free.
            right = [
                firsts.get((stay.round, f"{box}.hand{each}"), depth) for each in hands[hands.index(int(hand)) + 1 :]
            ]
            firsts[key] = depth = min([depth, *(each - 0.01 for each in right if each < depth)])
        lain.append(Lain(stay, zones[key].put(stay, rng), depth))
    return lain


def _split_hands(stays: Iterable[CardStay]) -> dict[str, list[int]]:
    """By box, its hands as they lie from left to right: a new one next to the one that it was split from."""
    boxes: dict[str, list[int]] = {}
    whence: dict[tuple[str, int], int] = {}
    for stay in stays:
        found = _HAND.fullmatch(stay.zone)
        if found is None:
            continue
        hands, hand, card = boxes.setdefault(f"seat{found[1]}", [1]), int(found[2]), (stay.shoe, stay.n)
        if hand not in hands:
            before = whence.get(card, hands[-1])
            hands.insert(hands.index(before) + 1, hand)
        whence[card] = hand
    return boxes


class _Zone:
    """The cards of one zone in one round."""

    def __init__(self, first: tuple[float, float], bearing: float | None, leaning: float, steps: "_Steps") -> None:
        self.first, self.bearing, self.leaning, self.steps = first, bearing, leaning, steps
        self.places: dict[int, tuple[float, float, bool]] = {}  # by order
        self.poses: dict[tuple[str, int, int], SpritePose] = {}

    @classmethod
    def of(cls, zone: str, hands: list[int], layout: Layout, deck: Deck, rng: np.random.Generator) -> "_Zone":
        found = _HAND.fullmatch(zone)
        if found is None:
            return cls(_ELSEWHERE_MM[zone], None, 0.0, _Steps.elsewhere(zone))
        bearing, is_split = layout.bearing(int(found[1])), len(hands) > 1
        first = (_LEFT_MM, _FIRST_MM)
        if is_split:
            place = hands.index(int(found[2]))
            first = _side_by_side(place, len(hands), layout.boxes, deck.card_mm[0]), _SPLIT_MM
        leaning = -bearing + float(np.clip(rng.normal(0, _HAND_TURN), -0.12, 0.12))
        return cls(first, bearing, leaning, _Steps.of(deck, is_split))

    def put(self, stay: CardStay, rng: np.random.Generator) -> SpritePose:
        """Place a card and return its pose; a card that is only turned over keeps its pose."""
        key = stay.shoe, stay.n, stay.order
        if key not in self.poses:
            before = self.places.get(stay.order - 1)
            x, y = self.first
            if before is not None:
                step = self.steps.between(before[2], stay.sideways)
                x, y = before[0] + step[0], before[1] + step[1]
            self.places[stay.order] = (x, y, stay.sideways)
            place = (x, y) if self.bearing is None else on_box(self.bearing, x, y)
            self.poses[key] = _fallen(place, self.leaning, stay.sideways, rng)
        return self.poses[key]._replace(facing=1.0 if stay.face == "up" else -1.0)


def on_box(bearing: float, across_mm: float, distance_mm: float) -> tuple[float, float]:
    """A point in a box's own directions."""
    x, y = table.on_arc(bearing, distance_mm)
    return x + across_mm * math.cos(bearing), y - across_mm * math.sin(bearing)


def _side_by_side(place: int, hands: int, boxes: int, card_mm: float) -> float:
    """Return the position across the box of one hand of a split, in millimetres from the middle."""
    room = (_SPLIT_MM - 44) * table.box_width(boxes) - card_mm - 4
    pitch = min(room / (hands - 1), card_mm + 40)
    return (place - (hands - 1) / 2) * pitch


def _fallen(place: tuple[float, float], angle: float, sideways: bool, rng: np.random.Generator) -> SpritePose:
    """Near the place, about in the direction, either end up."""
    astray = np.clip(rng.normal(0, _ASTRAY_MM, 2), -1.5, 1.5)
    turned = angle + float(np.clip(rng.normal(0, _CARD_TURN), -0.045, 0.045))
    turned += math.pi * int(rng.integers(2)) + (math.pi / 2 if sideways else 0.0)
    return SpritePose(place[0] + float(astray[0]), place[1] + float(astray[1]), turned)


class _Steps(NamedTuple):
    """Steps from a card of a hand to the next, across and away from the dealer; by whether each lies sideways."""

    by_way: Mapping[tuple[bool, bool], tuple[float, float]]

    def between(self, before: bool, after: bool) -> tuple[float, float]:
        return self.by_way[before, after]

    @classmethod
    def elsewhere(cls, zone: str) -> "_Steps":
        return cls({(before, after): _ELSEWHERE_STEPS_MM[zone] for before in (False, True) for after in (False, True)})

    @classmethod
    def of(cls, deck: Deck, is_split: bool) -> "_Steps":
        width, height = deck.card_mm
        longer = (height - width) / 2
        right, bottom = index_edges(deck)
        across, down, flat = right + _FREE_MM, bottom + _FREE_MM - 1, right + _FREE_MM - 1
        if is_split:
            steps = {
                (False, False): (0.0, down),
                (False, True): (0.0, down - longer),
                (True, False): (0.0, flat + longer),
                (True, True): (0.0, flat),
            }
        else:
            steps = {
                (False, False): (across, -_UP_MM),
                (False, True): (across + longer, -_UP_MM / 2),
                (True, False): (8.0, -flat - longer),
                (True, True): (6.0, -flat),
            }
        return cls(steps)


def index_edges(deck: Deck) -> tuple[float, float]:
    """Return the reach of a deck's upper left indices, in millimetres from the card's left and upper edges."""
    marks = [mark for card in ("TS", "QH", "4C") for mark in deck.marks(card) if not mark.turned]
    left = [mark for mark in marks if mark.x_mm < deck.card_mm[0] / 2]
    return max(m.x_mm + m.width_mm / 2 for m in left), max(m.y_mm + m.height_mm / 2 for m in left)
