"""The state of one round: wagers, bettors, hands, boxes."""

import random
from dataclasses import dataclass, field

from tests.adversary.books import Table
from tests.adversary.cards import total, two_card_21
from tests.adversary.people import Dealer, Style
from tests.adversary.shoe import Shoe
from tests.adversary.tape import Card, Tape


class Wager:
    """A wager of one bettor, with what was paid and taken on it so far."""

    __slots__ = ("bettor", "cents", "closed", "hand", "kind", "paid", "taken")

    def __init__(self, bettor: int, kind: str, hand: int, cents: int) -> None:
        self.bettor, self.kind, self.hand, self.cents = bettor, kind, hand, cents
        self.paid = self.taken = 0
        self.closed = False


@dataclass(slots=True)
class Bettor:
    """A bettor in a box, bettor 1 having control."""

    number: int
    style: Style
    main: Wager
    side: Wager | None = None
    insurance: Wager | None = None
    surrendered: bool = False
    patron: str | None = None


@dataclass(slots=True)
class Hand:
    """A hand of a box; stakes maps a bettor to the base wager and the double wager on it."""

    number: int
    cards: list[Card] = field(default_factory=list)
    stakes: dict[int, list[Wager]] = field(default_factory=dict)
    split: bool = False
    split_aces: bool = False
    doubled: bool = False
    rescued: set[int] = field(default_factory=set)
    bust: bool = False
    paid: bool = False
    late_hit: bool = False
    low_aces: int = 0

    def faces(self) -> list[str]:
        """Return the cards as strings."""
        return [c.card for c in self.cards]

    def total(self) -> tuple[int, bool]:
        """Return the total and whether it is soft."""
        return total([c.card for c in self.cards], self.low_aces if self.doubled else 0)

    def blackjack(self) -> bool:
        """Tell whether the hand is a blackjack (never after a split)."""
        return not self.split and not self.doubled and two_card_21(self.faces())


@dataclass(slots=True)
class Box:
    """A box with wagers; hands are in order of play."""

    seat: int
    bettors: list[Bettor]
    hands: list[Hand] = field(default_factory=list)
    next_number: int = 2
    dead: bool = False
    covers_all: bool = True
    hit_stand_only: bool = False

    def bettor(self, number: int) -> Bettor:
        """Return the bettor of that number."""
        return self.bettors[number - 1]

    def in_play(self, hand: Hand) -> list[int]:
        """Return the bettors whose wagers on the hand wait for the dealer."""
        if self.dead or hand.bust or hand.paid:
            return []
        return [b for b in hand.stakes if b not in hand.rescued and not self.bettor(b).surrendered]


@dataclass(slots=True)
class Plan:
    """A misdeal or irregularity to produce in this round; the name is empty where there is none."""

    name: str = ""
    seat: int = 0
    variant: str = ""
    at: int = 0
    done: bool = False
    note: str = ""
    errors: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class Round:
    """Everything that the steps of one round share."""

    id: str
    table: Table
    dealer: Dealer
    shoe: Shoe
    tape: Tape
    rng: random.Random
    boxes: list[Box]
    plan: Plan = field(default_factory=Plan)
    up: Card | None = None
    dealer_cards: list[Card] = field(default_factory=list)
    discards: list[Card] = field(default_factory=list)
    strays: dict[int, list[Card]] = field(default_factory=dict)
    hits: int = 0

    @property
    def up_rank(self) -> str:
        """Rank of the dealer's up card, or "" before it is dealt."""
        return self.up.card[0] if self.up else ""

    def has(self, name: str, variant: str = "", seat: int = 0) -> bool:
        """Tell whether the round's plan is this one and has not been carried out."""
        p = self.plan
        fits = (not variant or p.variant == variant) and (not seat or p.seat == seat)
        return not p.done and p.name == name and fits

    def draw(self) -> Card:
        """Draw the next card for this round."""
        return self.shoe.draw(self.id)

    def give(self, box: Box, hand: Hand, sideways: bool = False) -> Card:
        """Draw a card and place it on the hand."""
        card = self.draw()
        hand.cards.append(card)
        self.tape.sight(card, f"seat{box.seat}.hand{hand.number}", len(hand.cards), sideways=sideways)
        return card

    def discard_extra(self) -> None:
        """Draw a card and put it straight into the discards."""
        card = self.draw()
        self.discards.append(card)
        self.tape.sight(card, "discard", len(self.discards))

    def take_dealer_card(self, face_down: bool = False) -> None:
        """Draw a card for the dealer; the first one is the up card."""
        card = self.draw()
        self.dealer_cards.append(card)
        if self.up is None:
            self.up = card
        self.tape.sight(card, "dealer", len(self.dealer_cards), face_up=not face_down)

    def show_hole_card(self) -> None:
        """Turn the hole card face up."""
        self.tape.step()
        self.tape.sight(self.dealer_cards[1], "dealer", 2)

    def clear(self, hand: Hand) -> None:
        """Take a hand's cards off the table."""
        for card in hand.cards:
            self.tape.leave(card)

    def dealer_total(self) -> tuple[int, bool]:
        """Return the dealer's total and whether it is soft."""
        return total([c.card for c in self.dealer_cards])

    def dealer_blackjack(self) -> bool:
        """Tell whether the dealer holds a blackjack."""
        return two_card_21([c.card for c in self.dealer_cards])

    def settle(self, box: Box, wager: Wager, paid: int, taken: int) -> None:
        """Key one settlement; lines of 0 and 0 only by dealers who log them."""
        wager.closed = True
        wager.paid += paid
        wager.taken += taken
        if paid or taken or self.dealer.logs_zero:
            self.tape.key(
                "settle",
                round=self.id,
                seat=box.seat,
                bettor=wager.bettor,
                kind=wager.kind,
                hand=wager.hand,
                paid_cents=paid,
                taken_cents=taken,
            )

    def decide(self, box: Box, hand: Hand, action: str, bettors: list[int] | None = None) -> None:
        """Key a decision; bettors only where some of the box do it."""
        more = {"bettors": bettors} if bettors else {}
        self.tape.key("decision", round=self.id, seat=box.seat, hand=hand.number, action=action, **more)

    def bet(self, box: Box, wager: Wager) -> None:
        """Key a wager."""
        more: dict[str, object] = {"hand": wager.hand} if wager.kind in ("double", "split") else {}
        patron = box.bettor(wager.bettor).patron
        if patron:
            more["patron"] = patron
        self.tape.key(
            "wager", round=self.id, seat=box.seat, bettor=wager.bettor, kind=wager.kind, cents=wager.cents, **more
        )
