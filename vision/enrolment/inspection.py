"""Counting spread decks: what is missing, what is there too often, what is a ten, what could not be read."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from replay.cards import RANKS
from vision.enrolment.places import CardLine, IndexPlace
from vision.enrolment.sequence import decode
from vision.reading.index import SUITS

SPANISH: Final = tuple(rank + suit for suit in SUITS for rank in RANKS if rank != "T")
SURE: Final = 0.99

_NEW_DECK: Final = 2.2  # steps to the next card from which on it may be of another deck
_ROW: Final = 3  # cards that make a row
_ONE_LEVEL: Final = 1.0  # heights of an index by which parts of a row may lie higher or lower
_UNREAD: Final = 1.6  # steps between two cards with room for one that was not read


class Spotted(NamedTuple):
    """A card of a line."""

    card: str
    sure: float
    place: IndexPlace
    step: float  # the usual one of its line; lengths are in heights of an index
    along: float
    level: float
    line: int  # its number

    def gap(self, following: "Spotted") -> float:
        """Return the distance of another card to the right, in steps from card to card."""
        return (following.along - self.along) / self.step


class Doubt(NamedTuple):
    """A card that is there and was not surely read."""

    row: int  # from 1, within its deck
    nth: int  # from 1, within the row; a card that was not found at all stands after this one
    guess: str  # what it looks like, or should be
    chance: float
    x: float  # px
    y: float


@dataclass(frozen=True)
class DeckCount:
    """One deck of a spread."""

    rows: tuple[tuple[str, ...], ...]  # as read, by row
    missing: tuple[str, ...]
    extra: tuple[str, ...]  # more than once there, or not of such a deck
    doubts: tuple[Doubt, ...]

    @property
    def cards(self) -> int:
        """Count the cards, including cards that were not read with certainty."""
        unread = sum(doubt.chance == 0 for doubt in self.doubts)
        return sum(len(row) for row in self.rows) + unread

    @property
    def tens(self) -> tuple[str, ...]:
        """Tens, which a Spanish 21 deck should not contain."""
        return tuple(card for card in self.extra if card[0] == "T")

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        doubts = [doubt._asdict() | {"chance": round(doubt.chance, 3)} for doubt in self.doubts]
        named = {"missing": self.missing, "extra": self.extra, "tens": self.tens}
        return {"cards": self.cards} | {name: list(found) for name, found in named.items()} | {"doubts": doubts}


@dataclass(frozen=True)
class Inspection:
    """All decks of a spread."""

    decks: tuple[DeckCount, ...]

    @property
    def cards(self) -> int:
        """Count the cards of all decks."""
        return sum(deck.cards for deck in self.decks)

    @property
    def is_clean(self) -> bool:
        """Return whether every deck is complete, without extra or doubtful cards."""
        return all(not (deck.missing or deck.extra or deck.doubts) for deck in self.decks)

    def __add__(self, other: "Inspection") -> "Inspection":
        return Inspection(self.decks + other.decks)

    def to_json(self) -> dict[str, Any]:
        """The sum, as plain data."""
        totals = {
            name: [card for deck in self.decks for card in getattr(deck, name)] for name in ("missing", "extra", "tens")
        }
        doubts = sum(len(deck.doubts) for deck in self.decks)
        return {"decks": len(self.decks), "cards": self.cards} | totals | {"doubts": doubts, "clean": self.is_clean}


def count(lines: Sequence[CardLine]) -> tuple[Inspection, list[Spotted]]:
    """The decks that lie in the lines, and every card as it was spotted."""
    runs = [run for number, line in enumerate(lines) for run in _runs(_spotted(line, number))]
    decks = _decks(runs)
    return Inspection(tuple(_count(rows) for rows in decks)), [card for rows in decks for row in rows for card in row]


def _spotted(line: CardLine, number: int) -> list[Spotted]:
    rows = zip(*decode(line), line.places, line.along, line.levels, strict=True)
    return [Spotted(card, sure, place, line.step, along, level, number) for card, sure, place, along, level in rows]


def _runs(cards: Sequence[Spotted]) -> Iterator[list[Spotted]]:
    """A line's cards in parts of one deck and suit."""
    suits = _suits(cards)
    run: list[Spotted] = []
    for n, card in enumerate(cards):
        run.append(card)
        if n + 1 == len(cards) or suits[n] != suits[n + 1] or _begins_anew(run, *cards[n + 1 : n + 3]):
            yield run
            run = []


def _suits(cards: Sequence[Spotted]) -> list[str]:
    """The suit of the row that each card lies in: a single card of another suit lies in the wrong one."""
    suits = [card.card[1] for card in cards]
    for n in range(1, len(suits) - 1):
        if suits[n - 1] == suits[n + 1]:
            suits[n] = suits[n - 1]
    return suits


def _begins_anew(run: Sequence[Spotted], following: Spotted, after: Spotted | None = None) -> bool:
    """Return whether another deck of the same suit begins after a run."""
    card = run[-1]
    if card.gap(following) > _NEW_DECK:
        return not _leapt_over(card, following)
    leap = abs(RANKS.index(following.card[0]) - RANKS.index(card.card[0]))
    ace_is_high = len(run) == 1 or after is None or following.gap(after) > _NEW_DECK
    return leap > len(RANKS) / 2 and not ace_is_high


def _decks(runs: Sequence[list[Spotted]]) -> list[list[list[Spotted]]]:
    """Runs by deck: a deck has each suit once. What lies apart belongs to the deck that is nearest."""
    rows = [run for run in runs if len(run) >= _ROW]
    in_columns = all(_suit(one) == _suit(other) for one, other in pairwise(rows) if one[0].line == other[0].line)
    columns = _columns(rows) if in_columns else [rows]
    decks = [deck for column in columns for deck in _decks_of(column)]
    for run in runs:
        if len(run) < _ROW:
            nearest = min(decks, key=lambda deck: _distance(run, deck), default=None)
            if nearest is None:
                decks.append([run])
            else:
                nearest.append(run)
    return decks


def _decks_of(column: Iterable[list[Spotted]]) -> Iterator[list[list[Spotted]]]:
    """Decks that lie below each other, or one after another in one line."""
    deck: dict[str, list[Spotted]] = {}
    for run in sorted(column, key=lambda run: (run[0].level, run[0].along)):
        suit = _suit(run)
        if suit in deck and _goes_on(deck[suit], run):
            deck[suit] += run
            continue
        if suit in deck:
            yield list(deck.values())
            deck = {}
        deck[suit] = run
    if deck:
        yield list(deck.values())


def _goes_on(row: Sequence[Spotted], run: Sequence[Spotted]) -> bool:
    """Return whether a run continues an earlier row, with an unread card between the two."""
    return abs(row[-1].level - run[0].level) < _ONE_LEVEL and row[-1].gap(run[0]) > 0 and not _begins_anew(row, run[0])


def _columns(rows: Iterable[list[Spotted]]) -> list[list[list[Spotted]]]:
    """Rows that lie below each other, from left to right."""
    columns: list[list[list[Spotted]]] = []
    for run in sorted(rows, key=_middle):
        beside = columns and _middle(run) - _middle(columns[-1][0]) > 0.5 * (run[-1].along - run[0].along)
        if not columns or beside:
            columns.append([])
        columns[-1].append(run)
    return columns


def _middle(run: Sequence[Spotted]) -> float:
    return (run[0].along + run[-1].along) / 2


def _suit(run: Sequence[Spotted]) -> str:
    return Counter(card.card[1] for card in run).most_common(1)[0][0]


def _distance(run: Sequence[Spotted], deck: Iterable[Iterable[Spotted]]) -> float:
    card = run[0]
    return min(math.hypot(card.along - each.along, card.level - each.level) for row in deck for each in row)


def _count(rows: Sequence[Sequence[Spotted]]) -> DeckCount:
    sure = Counter(card.card for row in rows for card in row if card.sure >= SURE)
    short, extra = Counter(SPANISH) - sure, sure - Counter(SPANISH)
    doubts = []
    for number, row in enumerate(rows, 1):
        for nth, card in enumerate(row, 1):
            if card.sure < SURE:
                short[card.card] -= 1
                doubts.append(Doubt(number, nth, card.card, card.sure, card.place.best.x, card.place.best.y))
    for number, row in enumerate(rows, 1):
        for nth, (card, following) in enumerate(pairwise(row), 1):
            for guess in _leapt_over(card, following):
                if short[guess] > 0:
                    short[guess] -= 1
                    one, other = card.place.best, following.place.best
                    doubts.append(Doubt(number, nth, guess, 0.0, (one.x + other.x) / 2, (one.y + other.y) / 2))
    named = tuple(tuple(card.card for card in row) for row in rows)
    return DeckCount(named, _listed(short), _listed(extra), tuple(sorted(doubts)))


def _leapt_over(card: Spotted, following: Spotted) -> list[str]:
    """Cards of the sequence between two cards that have room for them between them."""
    gap = card.gap(following)
    if gap < _UNREAD or card.card[1] != following.card[1]:
        return []
    low, high = sorted(RANKS.index(each.card[0]) for each in (card, following))
    between = [rank + card.card[1] for rank in RANKS[low + 1 : high] if rank != "T"]
    return between if len(between) <= gap - 0.5 else []


def _listed(cards: Counter[str]) -> tuple[str, ...]:
    order = {rank + suit: n for n, (suit, rank) in enumerate((suit, rank) for suit in SUITS for rank in RANKS)}
    return tuple(sorted(cards.elements(), key=order.__getitem__))
