"""The narrative as plain data: frozen records of text, numbers and tuples."""

from dataclasses import dataclass
from typing import Any

from replay.rulebook_file import Rulebook


@dataclass(frozen=True)
class Cited:
    """A clause: the rulebook, the document's own numbering, our id for the part of it, and our paraphrase."""

    rulebook: str
    number: str
    id: str
    says: str


@dataclass(frozen=True)
class UsedReading:
    """A reading of an open text that decided something, with its reason; the reason speaks for the default."""

    name: str
    value: str
    default: str
    clause: Cited | None
    why: str


@dataclass(frozen=True)
class FindingMark:
    """A finding where it showed."""

    code: str
    severity: str
    message: str


@dataclass(frozen=True)
class RoundStep:
    """One event: what happened, where the card went, what the hand came to, and what was irregular."""

    number: int
    event: int  # index into the audit's events
    time: str | None
    turn: str  # before the round, betting, deal, box 1 hand 2, dealer, settlement
    words: str
    card: str | None
    place: str | None  # box 1 hand 2, dealer, removed, burned, left over
    seat: int | None
    hand: int | None
    cards: tuple[str, ...]  # of that hand, this step included
    total: int | None
    soft: bool
    worth: str  # of that hand: blackjack; soft 18; 23, bust
    clause: Cited | None
    findings: tuple[FindingMark, ...]


@dataclass(frozen=True)
class HandAccount:
    """A hand as it ended; the dealer's has no seat."""

    place: str
    seat: int | None
    hand: int | None
    cards: tuple[str, ...]
    total: int
    soft: bool
    worth: str  # blackjack; soft 18; 23, bust
    doubled: bool
    from_split: bool


@dataclass(frozen=True)
class Explanation:
    """Expected and actual settlement of a wager, with the reasons."""

    place: str
    seat: int
    bettor: int
    hand: int
    kind: str
    kind_name: str
    patron: str | None
    stake_cents: int
    player: HandAccount | None
    dealer: HandAccount
    reason: str  # slot
    decided: str
    clause: Cited | None
    because: Cited | None  # the clause of the outcome, where another one sets the amount
    readings: tuple[UsedReading, ...]
    arithmetic: str
    expected_paid_cents: int
    expected_taken_cents: int
    actual_paid_cents: int
    actual_taken_cents: int
    variance_cents: int
    verdict: str
    verdict_words: str
    note: str


@dataclass(frozen=True)
class FindingAccount:
    """A finding with its clause, and what the rulebook prescribes next to what was ruled."""

    id: str
    code: str
    slot: str
    severity: str
    place: str
    message: str
    clause: Cited | None
    prescribed: tuple[str, ...]  # alternatives; empty where nothing is prescribed
    ruled: tuple[str, ...]
    handling: str | None
    handling_words: str
    readings: tuple[UsedReading, ...]
    cost_cents: int
    step: int | None
    certainty: float  # share of the weight of all explanations in which it holds
    certainty_words: str  # empty where there is no doubt
    inferred: bool  # nobody logged it


@dataclass(frozen=True)
class ChangedSetting:
    """An option or reading of the table that is not the rulebook's default."""

    kind: str
    name: str
    value: Any
    default: Any


@dataclass(frozen=True)
class RoundAccount:
    """A round for people."""

    round: str
    rulebook: str
    title: str
    version: str
    table: str
    currency: str
    decks: int
    boxes: int
    min_cents: int
    max_cents: int
    settings: tuple[ChangedSetting, ...]
    void: bool
    void_logged: bool
    dealer: HandAccount
    hands: tuple[HandAccount, ...]
    steps: tuple[RoundStep, ...]
    explanations: tuple[Explanation, ...]
    findings: tuple[FindingAccount, ...]


def cited(book: Rulebook, clause_id: str) -> Cited | None:
    """A clause by its id, None for no clause."""
    if not clause_id:
        return None
    clause = book.find(clause_id)
    return Cited(book.id, clause.number, clause.id, clause.says)
