"""The opening inspection: decks spread face up, a row for each suit, in sequence, with every index to be seen."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from replay.cards import RANKS, SUITS
from vision.faces.deck import Deck
from vision.footage.film import Take
from vision.footage.places import CardStay, Lain, index_edges
from vision.footage.sprites import SpritePose
from vision.footage.stage import FilmStage, Rest, Settled

SPANISH_RANKS: Final = RANKS.replace("T", "")  # the tens are taken out
ZONE: Final = "spread"
MOST_DECKS: Final = 6
_TOP_MM: Final = 250.0
_WIDTH_MM: Final = 1780.0  # of the table that a row of decks takes
_APART_MM: Final = 8.0  # between two decks
_STEP_MM: Final = 24.0  # from a card to the next, where there is room
_ROW_GAP_MM: Final = 6.0
_LASTS_MS: Final = 6_000

Rows = Sequence[Sequence[str]]  # the cards of a deck as they are spread, by row


def spanish_deck() -> list[list[str]]:
    """A deck as it should be: four rows of twelve."""
    return [[rank + suit for rank in SPANISH_RANKS] for suit in SUITS]


def with_card(rows: Rows, card: str) -> list[list[str]]:
    """A deck with one card more, where it belongs in the sequence."""
    return [
        sorted([*row, card], key=_rank) if card[1] == suit else list(row) for row, suit in zip(rows, SUITS, strict=True)
    ]


def without_card(rows: Rows, card: str) -> list[list[str]]:
    """A deck with a card missing; the others lie as if there were none."""
    return [[each for each in row if each != card] for row in rows]


def _rank(card: str) -> int:
    return RANKS.index(card[0])


def spread(decks: Sequence[Rows], deck: Deck, rng: np.random.Generator, lasts_ms: int = _LASTS_MS) -> Take:
    """Up to six decks lying side by side for a while; ``order`` counts within a deck, ``shoe`` says which it is."""
    if not 1 <= len(decks) <= MOST_DECKS:
        raise ValueError(f"decks: found {len(decks)}, expected 1 to {MOST_DECKS}: spread the others in another take")
    room = _WIDTH_MM / len(decks) - _APART_MM
    longest = max(len(row) for rows in decks for row in rows)
    step = min(_STEP_MM, (room - deck.card_mm[0]) / (longest - 1))
    if step < index_edges(deck)[0] + 1:
        raise ValueError(f"decks: found a row of {longest} cards, expected a shorter one: indices would be covered")
    lain: list[Lain] = []
    for number, rows in enumerate(decks):
        left = -_WIDTH_MM / 2 + number * (room + _APART_MM)
        lain += _deck(rows, number + 1, (left, _TOP_MM), step, deck, rng, lasts_ms)
    rests = [Rest(0.0, float(lasts_ms), each.stay.card, each.pose, None, each.depth) for each in lain]
    settled = [Settled(0.0, 0.0, float(lasts_ms))] * len(lain)
    return Take(FilmStage(rests, [], [], [], settled), lain, 0.0, float(lasts_ms))


def _deck(
    rows: Rows,
    number: int,
    corner: tuple[float, float],
    step: float,
    deck: Deck,
    rng: np.random.Generator,
    lasts_ms: int,
) -> list[Lain]:
    width, height = deck.card_mm
    lain: list[Lain] = []
    for down, row in enumerate(rows):
        for along, card in enumerate(row):
            astray = rng.normal(0, 0.4, 2)
            x = corner[0] + width / 2 + along * step + float(astray[0])
            y = corner[1] + height / 2 + down * (height + _ROW_GAP_MM) + float(astray[1])
            angle = float(rng.normal(0, 0.008)) + np.pi * int(rng.integers(2))
            stay = CardStay(card, ZONE, len(lain) + 1, "up", False, 0, lasts_ms, 0, f"deck{number}", len(lain) + 1)
            lain.append(Lain(stay, SpritePose(x, y, angle), float(along)))
    return lain
