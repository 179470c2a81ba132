"""The hands of a round as its rows tell them, the boxes' turns, and the dealer's part when a hand has changed."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple, TypeVar

import numpy as np

from replay import cards, ops, rules
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant.base import Scene, Segment

T = TypeVar("T")
_OPTIONS: Final = (ops.SPLIT, ops.DOUBLE, ops.INSURANCE)


class DecisionStep(NamedTuple):
    """A decision, with the hand as it was then."""

    row: Row
    cards: tuple[int, ...]
    total: int


@dataclass(eq=False)
class DealtHand:
    """A box's hand and whose wagers lie on it."""

    seat: int
    number: int
    cards: list[int] = field(default_factory=list)
    bettors: set[int] = field(default_factory=set)
    doublers: set[int] = field(default_factory=set)
    given_up: set[int] = field(default_factory=set)  # surrendered or taken back
    steps: list[DecisionStep] = field(default_factory=list)
    is_split: bool = False
    is_split_ace: bool = False
    low_aces: int = 0  # fixed at one by a double
    initial_aces: int = 0

    @property
    def total(self) -> int:
        hard = sum(int(cards.VALUE[card]) for card in self.cards)
        return hard + 10 if self._is_soft(hard) else hard

    @property
    def is_soft(self) -> bool:
        return self._is_soft(sum(int(cards.VALUE[card]) for card in self.cards))

    def _is_soft(self, hard: int) -> bool:
        return self.aces() > self.low_aces and hard <= 11

    def aces(self) -> int:
        return sum(cards.RANK[card] == cards.ACE for card in self.cards)

    @property
    def is_blackjack(self) -> bool:
        return len(self.cards) == 2 and self.total == 21 and not self.is_split

    @property
    def live(self) -> set[int]:
        """Bettors who are still in it."""
        return self.bettors - self.given_up

    def last(self) -> int | None:
        """The last action."""
        return self.steps[-1].row.kind if self.steps else None

    def stands(self) -> bool:
        """Tell whether the player stood on it, below 21."""
        return self.last() == ops.STAND and self.total < 21


class DealtHands:
    """All hands of a round, in the order in which they are played."""

    def __init__(self, scene: Scene, segment: Segment, dead: Collection[int] = ()) -> None:
        self.scene, self.segment, self.dead = scene, segment, dead
        self.order: dict[int, list[DealtHand]] = {}
        self.dealer: list[int] = []
        self.surrendered = False
        self._covers: set[tuple[int, int, int]] = set()
        for row in segment.rows:
            self._read(row)

    def hands(self) -> list[DealtHand]:
        """Hands by box, from left to right."""
        return [hand for seat in sorted(self.order) for hand in self.order[seat]]

    def last_hands(self) -> list[DealtHand]:
        """The hand that every box plays last: nothing in the box is dealt after it."""
        return [self.order[seat][-1] for seat in sorted(self.order)]

    def single_hands(self) -> list[DealtHand]:
        """Hands of boxes that did not split."""
        return [hands[0] for _, hands in sorted(self.order.items()) if len(hands) == 1]

    def hand(self, seat: int, number: int) -> DealtHand:
        return next(hand for hand in self.order[seat] if hand.number == number)

    def up(self) -> int:
        """Rank of the dealer's up card."""
        return int(cards.RANK[self.dealer[0]])

    def dealer_total(self) -> int:
        return cards.total(self.dealer)[0]

    def dealer_has_blackjack(self) -> bool:
        return len(self.dealer) == 2 and self.dealer_total() == 21

    def _read(self, row: Row) -> None:
        if row.op == ops.WAGER:
            self._stake(row)
        elif row.op == ops.DRAW and row.zone == J.ZONE_DEALER:
            self.dealer.append(row.card)
        elif row.op == ops.DRAW and row.zone >= J.ZONE_HANDS:
            seat, number = divmod(row.zone, J.ZONE_HANDS)
            hand = self.hand(seat, number)
            hand.cards.append(row.card)
            if len(hand.cards) == 2 and not hand.is_split:
                hand.initial_aces = hand.aces()
        elif row.op == ops.DECISION:
            self._decide(row)
        elif row.op == ops.ASSIGN:
            for hand in self.order[row.seat]:
                hand.bettors.discard(row.bettor)
            self.hand(row.seat, row.hand).bettors.add(row.bettor)

    def _stake(self, row: Row) -> None:
        if row.kind == ops.MAIN:
            self.order.setdefault(row.seat, [DealtHand(row.seat, 1)])[0].bettors.add(row.bettor)
        elif row.kind == ops.SPLIT:
            self._covers.add((row.seat, row.hand, row.bettor))
        elif row.kind == ops.DOUBLE:
            self.hand(row.seat, row.hand).doublers.add(row.bettor)

    def _decide(self, row: Row) -> None:
        hand = self.hand(row.seat, row.hand)
        hand.steps.append(DecisionStep(row, tuple(hand.cards), hand.total))
        masked = {bettor for bettor in range(1, ops.MAX_BETTOR + 1) if row.flags >> bettor & 1}
        if row.kind == ops.SPLIT_PAIR:
            self._split(hand)
        elif row.kind == ops.DOUBLE_DOWN:
            hand.low_aces = _low_aces(self.scene.rules, hand)
        elif row.kind == ops.SURRENDER:
            self.surrendered = True
            for each in self.order[row.seat]:
                each.given_up |= masked or each.bettors
        elif row.kind == ops.RESCUE:
            hand.given_up |= masked or hand.doublers

    def _split(self, hand: DealtHand) -> None:
        box = self.order[hand.seat]
        new = DealtHand(hand.seat, len(box) + 1, [hand.cards.pop()], is_split=True, given_up=set(hand.given_up))
        new.bettors = {bettor for seat, number, bettor in self._covers if (seat, number) == (new.seat, new.number)}
        hand.is_split = True
        hand.is_split_ace = new.is_split_ace = hand.aces() == new.aces() == 1
        hand.initial_aces = new.initial_aces = hand.aces()
        box.insert(box.index(hand) + 1, new)

    # Whether the dealer has to go on.

    def is_open(self, hand: DealtHand) -> bool:
        """Tell whether the dealer's hand can still change what this hand gets."""
        r = self.scene.rules
        blackjack_possible = len(self.dealer) < 2 and cards.VALUE[self.dealer[0]] in (1, 10)
        if hand.seat in self.dead or not hand.live:
            return False
        if hand.total > 21:
            return bool(r.bust_original_only and blackjack_possible and (hand.doublers or hand.is_split))
        if hand.is_blackjack:
            return bool(r.blackjack_against_21)
        if hand.total < 21:
            return True
        if r.wins_at_once:
            return False
        if len(hand.cards) == 2:
            return bool(r.split_21 != rules.SPLIT21_WIN)
        return blackjack_possible

    def anything_open(self) -> bool:
        return any(self.is_open(hand) for hand in self.hands())

    def must_draw(self, dealer: list[int] | None = None) -> bool:
        """Tell whether the dealer's total asks for a card, or would with other cards."""
        total, soft = cards.total(self.dealer if dealer is None else dealer)
        r = self.scene.rules
        return total < r.stands_on or bool(r.soft_17_draws and soft and total == r.stands_on)

    def second_is_due(self) -> bool:
        """Tell whether something depends on the dealer's second card, where it comes after the players."""
        wagered = {row.kind for row in self.segment.find(ops.WAGER)}
        if self.anything_open() or ops.INSURANCE in wagered:
            return True
        if ops.BSX16 in wagered and (self.up() == cards.SIX or self.up() > cards.TEN):
            return True
        return self.surrendered and bool(self.scene.rules.surrender_waits >> self.up() & 1)


def _low_aces(r: Rules, hand: DealtHand) -> int:
    if r.ace_on_double == rules.ACE_FIRST_TWO:
        return sum(cards.RANK[card] == cards.ACE for card in hand.cards[:2])
    return hand.initial_aces if r.ace_on_double == rules.ACE_INITIAL else 0


# Rounds that suit.


def played(scene: Scene, number: int) -> tuple[Segment, DealtHands] | None:
    """A round in which the players had their turns, with its hands.

    Not one whose shoe was changed before its first card: with a card more or less, the burn would be in doubt.
    """
    segment = scene.segment(number)
    if segment is None or segment.is_void() or segment.moment(J.AT_TURNS) is None or segment.first(ops.SHOE_LOADED):
        return None
    return segment, DealtHands(scene, segment)


def mixed(rng: Random, things: Iterable[T]) -> list[T]:
    """In random order."""
    every = list(things)
    rng.shuffle(every)
    return every


def stake_of(segment: Segment, seat: int, bettor: int) -> Row:
    """A bettor's main wager."""
    return segment.find(ops.WAGER, kind=ops.MAIN, seat=seat, bettor=bettor)[0]


def has_wager(segment: Segment, seat: int, *kinds: int) -> bool:
    """Tell whether a box has wagers of these kinds."""
    return any(segment.find(ops.WAGER, seat=seat, kind=kind) for kind in kinds)


def is_plain(segment: Segment, hand: DealtHand) -> bool:
    """A box that has nothing but its main and side wagers, and was not surrendered."""
    return not has_wager(segment, hand.seat, *_OPTIONS) and not hand.given_up


def has_progressive(segment: Segment) -> bool:
    """Tell whether anybody staked on a wheel."""
    return any(row.kind in (ops.BONUS_SPIN, ops.BSX16) for row in segment.find(ops.WAGER))


# Cards and rows.


def zone(hand: DealtHand) -> int:
    return hand.seat * J.ZONE_HANDS + hand.number


def keeps_cut(scene: Scene, segment: Segment, more: int = 0) -> bool:
    """Tell whether the cut card of the round's shoe lies as deep as it should, after all cards added and taken away."""
    shoe, r = scene.shoe_of(segment), scene.rules
    cut = np.flatnonzero((scene.log.op == ops.CUT_CARD) & (scene.log.cents == shoe))
    if not len(cut):
        return True
    moved = more
    for each in (*scene.taken.values(), segment):
        if each.lo <= cut[0]:
            old = scene.log.part(each.lo, each.hi)
            moved -= int(((old.op == ops.DRAW) & (old.cents == shoe)).sum())
            moved += sum(row.op == ops.DRAW and row.cents == shoe for row in (*each.gap, *each.rows))
    size = r.decks * r.cards_per_deck
    behind = size - int(scene.log.aux[cut[0]]) - moved
    return bool(size * r.cut_least_num <= behind * r.cut_least_den and behind * r.cut_most_den <= size * r.cut_most_num)


def extra_card(
    scene: Scene, segment: Segment, where: int, wanted: Callable[[int], bool] = lambda card: True
) -> Row | None:
    """One more card out of the round's shoe, where the cut card does not get too deep by it."""
    shoe = scene.shoe_of(segment)
    card = scene.spare_card(shoe, wanted) if keeps_cut(scene, segment, more=1) else None
    return None if card is None else scene.draw(shoe, card, where)


def swap_card(scene: Scene, segment: Segment, row: Row, wanted: Callable[[int], bool]) -> bool:
    """Let another card have come in a draw's place; whether there is one."""
    card = scene.spare_card(scene.shoe_of(segment), wanted)
    if card is not None:
        row.card = card
    return card is not None


def decision(hand: DealtHand, action: int, mask: int = 0) -> Row:
    return Row(ops.DECISION, seat=hand.seat, bettor=1, hand=hand.number, kind=action, flags=mask)


def wager(segment: Segment, seat: int, bettor: int, hand: int, kind: int) -> Row:
    """A further stake as large as the bettor's main wager."""
    main = stake_of(segment, seat, bettor)
    return Row(ops.WAGER, seat=seat, bettor=bettor, hand=hand, kind=kind, cents=main.cents, aux=main.aux)


def hand_done(segment: Segment, hand: DealtHand) -> Row | None:
    """The moment at which a hand is done with."""
    return segment.moment(J.AT_HAND, hand.seat, hand.number)


def rows_after(segment: Segment, hand: DealtHand, row: Row) -> list[Row]:
    """Decisions, stakes and cards of a hand that come after a row."""
    later = segment.rows[segment.index(row) + 1 :]
    own = {"seat": hand.seat, "hand": hand.number}
    return [
        each
        for each in later
        if (each.op == ops.DRAW and each.zone == zone(hand))
        or (
            (each.op == ops.DECISION or (each.op == ops.WAGER and each.kind == ops.DOUBLE))
            and all(getattr(each, name) == value for name, value in own.items())
        )
    ]


def turns(segment: Segment) -> dict[int, list[Row]]:
    """Every box's rows from the first turn to the dealer's; a cut card goes with the card that comes after it."""
    start, end = segment.moment(J.AT_TURNS), segment.moment(J.AT_SECOND)
    if start is None or end is None:
        return {}
    blocks: dict[int, list[Row]] = {}
    loose: list[Row] = []
    for row in segment.rows[segment.index(start) + 1 : segment.index(end)]:
        seat = row.zone // J.ZONE_HANDS if row.op == ops.DRAW else row.seat
        if seat:
            blocks.setdefault(seat, []).extend([*loose, row])
            loose = []
        else:
            loose.append(row)
    return blocks


def restage(segment: Segment, old: Sequence[Row], new: Sequence[Row]) -> None:
    """Put rows in the place of others; a cut card that came out among those still does."""
    anchor = segment.rows[segment.index(old[0]) - 1]
    cut = [row for row in old if row.op == ops.CUT_CARD and row not in new]
    segment.remove(*old)
    segment.after(anchor, *cut, *new)


def play_dealer(scene: Scene, segment: Segment, dead: Collection[int] = ()) -> bool:
    """Let the dealer draw what the changed hands ask for; False where the shoe gives no card for it."""
    second = segment.moment(J.AT_SECOND)
    if second is None:
        return False
    felt = DealtHands(scene, segment, dead)
    every = segment.dealer()
    drawn = every[: 2 if scene.rules.hole_card else 1]
    waiting = every[len(drawn) :]
    felt.dealer = [row.card for row in drawn]
    while felt.second_is_due() if len(drawn) == 1 else felt.must_draw() and felt.anything_open():
        row = waiting.pop(0) if waiting else extra_card(scene, segment, J.ZONE_DEALER)
        if row is None:
            return False
        if row not in every:
            _lay(segment, row, second, drawn)
        drawn.append(row)
        felt.dealer.append(row.card)
    segment.remove(*waiting)
    return keeps_cut(scene, segment)


def _lay(segment: Segment, row: Row, second: Row, drawn: Sequence[Row]) -> None:
    """A new card of the dealer's: the second before its moment, others after those drawn so far."""
    if len(drawn) == 1:
        segment.before(second, row)
    else:
        segment.after(max(second, drawn[-1], key=segment.index), row)
