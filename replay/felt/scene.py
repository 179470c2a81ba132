"""State of the table after a step: plain data, made from a round's account and its events."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from replay.narrative import RoundAccount, RoundStep
from replay.ops import KINDS

Event = Mapping[str, Any]
Spot = tuple[int, int, int]  # box (0: the dealer), hand, place of the card in it from 1

_OPEN_TURNS: Final = ("dealer", "settlement")
_ASIDE: Final = ("removed", "burned", "left over", "not known")
_NOWHERE: Final = -1  # the box of cards that count for nobody
_ON_A_HAND: Final = ("split", "double")


@dataclass(frozen=True)
class Card:
    """A card as it lies; without a name it was not read."""

    name: str | None
    hidden: bool = False
    sideways: bool = False
    is_marked: bool = False
    aside: str = ""  # removed, burned, left over
    is_new: bool = False  # dealt by the step that is shown


@dataclass(frozen=True)
class Hand:
    """A hand of a box."""

    number: int
    cards: tuple[Card, ...]
    worth: str


@dataclass(frozen=True)
class Bet:
    """A wager, and what was paid and taken for it so far."""

    bettor: int
    kind: str
    hand: int
    cents: int
    paid_cents: int = 0
    taken_cents: int = 0
    is_settled: bool = False


@dataclass(frozen=True)
class Box:
    """A box with its hands and wagers."""

    seat: int
    hands: tuple[Hand, ...] = ()
    bets: tuple[Bet, ...] = ()
    has_turn: bool = False  # the step that is shown is about it


@dataclass(frozen=True)
class FeltScene:
    """State of the whole table after a step."""

    boxes: tuple[Box, ...]  # of the whole table, box 1 first
    dealer: Hand
    aside: tuple[Card, ...]
    words: str  # description of the step, or the outcome of the round
    is_void: bool


@dataclass
class _Felt:
    """The table while steps go by."""

    held: dict[tuple[int, int], list[Card]] = field(default_factory=dict)
    worth: dict[tuple[int, int], str] = field(default_factory=dict)
    bets: dict[tuple[int, int, str, int], Bet] = field(default_factory=dict)
    aside: list[Card] = field(default_factory=list)
    doubling: set[tuple[int, int]] = field(default_factory=set)
    hole_card: bool = False
    seat: int = 0  # that the last step is about
    new: Spot | None = None  # the card that the last step dealt


def scene(
    account: RoundAccount, events: Sequence[Event], step: int | None = None, marked: Collection[Spot] = frozenset()
) -> FeltScene:
    """The table after a step, or at the end of the round.

    ``events`` are those of the audit that the account was made from; ``marked`` are cards on which sources disagree.
    """
    steps = [each for each in account.steps if step is None or each.number <= step]
    felt = _Felt()
    for each in steps:
        _take(felt, each, events[each.event])
    if step is None:
        felt.seat, felt.new = 0, None
    is_open = step is None or not steps or steps[-1].turn in _OPEN_TURNS or len(steps) == len(account.steps)
    ended = {(hand.seat or 0, hand.hand or 0): hand.worth for hand in account.hands} if step is None else {}
    worth = {**felt.worth, **ended}
    seats = max([account.boxes, *(seat for seat, _ in felt.held), *(key[0] for key in felt.bets)])
    boxes = tuple(_box(felt, seat, worth, marked) for seat in range(1, seats + 1))
    dealt = _cards(felt, (0, 0), marked)
    if felt.hole_card and not is_open and len(dealt) > 1:
        hole = replace(dealt[1], hidden=True)
        dealt, total = (dealt[0], hole, *dealt[2:]), ""
    else:
        total = account.dealer.worth if step is None else worth.get((0, 0), "")
    words = steps[-1].words if step is not None and steps else ""
    return FeltScene(boxes, Hand(0, dealt, total if dealt else ""), _set_aside(felt), words, account.void)


def _set_aside(felt: _Felt) -> tuple[Card, ...]:
    return tuple(replace(card, is_new=(_NOWHERE, 0, place) == felt.new) for place, card in enumerate(felt.aside, 1))


def _take(felt: _Felt, step: RoundStep, event: Event) -> None:
    """Bring a step onto the table."""
    felt.seat, felt.new = step.seat or event.get("seat") or 0, None
    match event["type"]:
        case "draw":
            _draw(felt, step, event)
        case "decision" if step.seat:
            _decide(felt, step, event)
        case "wager":
            key = (event["seat"], event.get("bettor") or 1, event["kind"], _hand_of(event))
            old = felt.bets.get(key, Bet(key[1], key[2], key[3], 0))
            felt.bets[key] = Bet(old.bettor, old.kind, old.hand, old.cents + event["cents"])
        case "withdraw":
            felt.bets.pop((event["seat"], event.get("bettor") or 1, event["kind"], _hand_of(event)), None)
        case "settle":
            _settle(felt, event)


def _hand_of(event: Event) -> int:
    return (event.get("hand") or 1) if event["kind"] in _ON_A_HAND else 1


def _draw(felt: _Felt, step: RoundStep, event: Event) -> None:
    card = Card(event.get("card"))
    if step.place in _ASIDE or step.place is None:
        felt.aside.append(Card(card.name, aside=step.place or "not known"))
        felt.new = (_NOWHERE, 0, len(felt.aside))
        return
    at = (step.seat or 0, step.hand or 0)
    sideways = at in felt.doubling
    felt.doubling.discard(at)
    felt.held.setdefault(at, []).append(Card(card.name, sideways=sideways))
    felt.new = (*at, len(felt.held[at]))
    felt.worth[at] = step.worth
    felt.hole_card = felt.hole_card or (at == (0, 0) and "face down" in step.words)


def _decide(felt: _Felt, step: RoundStep, event: Event) -> None:
    at = (step.seat or 0, step.hand or 1)
    if event["action"] == "double":
        felt.doubling.add(at)
    held = felt.held.get(at, [])
    if event["action"] == "split" and len(held) == 2 and len(step.cards) == 1:
        new = 1 + max(hand for seat, hand in felt.held if seat == at[0])
        felt.held[at[0], new] = [held.pop()]
        felt.worth[at] = felt.worth[at[0], new] = ""


def _settle(felt: _Felt, event: Event) -> None:
    seat, bettor, kind, hand = event["seat"], event.get("bettor") or 1, event["kind"], event.get("hand") or 1
    paid, taken = event.get("paid_cents") or 0, event.get("taken_cents") or 0
    exact, plain = (seat, bettor, kind, hand), (seat, bettor, kind, 1)
    key = exact if exact in felt.bets or kind in _ON_A_HAND else plain
    old = felt.bets.get(key, Bet(bettor, kind, key[3], 0))
    felt.bets[key] = Bet(
        old.bettor, old.kind, old.hand, old.cents, old.paid_cents + paid, old.taken_cents + taken, is_settled=True
    )


def _cards(felt: _Felt, at: tuple[int, int], marked: Collection[Spot]) -> tuple[Card, ...]:
    return tuple(
        replace(card, is_marked=(*at, place) in marked, is_new=(*at, place) == felt.new)
        for place, card in enumerate(felt.held.get(at, ()), 1)
    )


def _box(felt: _Felt, seat: int, worth: Mapping[tuple[int, int], str], marked: Collection[Spot]) -> Box:
    numbers = sorted(hand for its, hand in felt.held if its == seat)
    hands = tuple(Hand(n, _cards(felt, (seat, n), marked), worth.get((seat, n), "")) for n in numbers)
    bets = [bet for key, bet in felt.bets.items() if key[0] == seat]
    bets.sort(key=lambda bet: (bet.bettor, KINDS.index(bet.kind), bet.hand))
    return Box(seat, hands, tuple(bets), has_turn=seat == felt.seat)
