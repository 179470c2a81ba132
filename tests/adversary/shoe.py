"""The dealing shoe: its cards, its cut card, and burns."""

import random

from tests.adversary.books import Table
from tests.adversary.cards import DECK
from tests.adversary.tape import Card, Tape


class Retry(Exception):
    """The round ran into a situation that the adversary does not produce; it is played again from reshuffled cards."""


class Shoe:
    """A loaded shoe; draws go to the tape."""

    def __init__(self, shoe_id: str, table: Table, rng: random.Random, tape: Tape) -> None:
        self.id, self.table, self.rng, self.tape = shoe_id, table, rng, tape
        self.order = DECK * table.decks
        rng.shuffle(self.order)
        self.drawn = 0
        low = 0.53 if table.book.name == "div15-pontoon" else 0.5
        self.cut_at = int(table.cards * (low + (0.72 - low) * rng.random()))
        self.cut_out = False

    def draw(self, round_id: str | None) -> Card:
        """Draw the next card; the cut card comes out first where it lies."""
        if self.drawn >= len(self.order) - 1:
            raise Retry("shoe empty")
        if self.drawn == self.cut_at and not self.cut_out:
            self.cut_out = True
            self.tape.device("cut_card", shoe=self.id, n=self.drawn)
        card = self.order[self.drawn]
        self.drawn += 1
        return self.tape.draw(self.id, self.drawn, card, round_id)

    def burn(self) -> None:
        """Burn one card between rounds."""
        self.push_cut(2)
        card = self.draw(None)
        card.zone = card.ended = "burn"
        card.position = 1
        self.tape.sight(card, "burn", 1, face_up=False)

    def push_cut(self, cards: int) -> None:
        """Move an undealt cut card back so that it is not the very next."""
        if not self.cut_out and self.cut_at <= self.drawn:
            self.cut_at = self.drawn + cards

    def bring_ace(self, ahead: int) -> None:
        """Exchange the card that many draws ahead for a later ace, if one is left."""
        at = self.drawn + ahead
        later = [i for i in range(at, len(self.order)) if self.order[i][0] == "A"]
        if later:
            i = self.rng.choice(later)
            self.order[at], self.order[i] = self.order[i], self.order[at]

    def reshuffle_rest(self, drawn: int, cut_at: int, cut_out: bool) -> None:
        """Go back to an earlier state with the undealt cards in another order."""
        rest = self.order[drawn:]
        self.rng.shuffle(rest)
        self.order[drawn:] = rest
        self.drawn, self.cut_at, self.cut_out = drawn, cut_at, cut_out
