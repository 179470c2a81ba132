"""Money: paid too much or too little, forgotten, or paid for nothing."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from replay import cards, ops, rules
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import bets, payments
from replay.simulator.plant.base import SETTLED, Scene, Segment, Truth, plants
from replay.simulator.plant.payments import DuePayment

OVER, UNDER = S.SETTLEMENT__OVERPAID, S.SETTLEMENT__UNDERPAID

_EVEN, _THREE_TO_TWO, _TWO, _THREE = Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)
# What a dealer pays who takes a hand for another: by the row of the odds table that is right.
_MISTAKEN: Final = {
    rules.BLACKJACK: (Fraction(6, 5), _EVEN, _TWO),
    rules.FIVE_CARDS: (_EVEN, _TWO),
    rules.SIX_CARDS: (_EVEN, _THREE_TO_TWO, _THREE),
    rules.SEVEN_CARDS: (_EVEN, _TWO),
    rules.SIX_SEVEN_EIGHT: (_EVEN, _TWO),
    rules.SIX_SEVEN_EIGHT + 1: (_THREE_TO_TWO, _THREE),
    rules.SIX_SEVEN_EIGHT + 2: (_THREE_TO_TWO, _TWO),
    rules.SEVENS: (_EVEN, _TWO),
    rules.SEVENS + 1: (_THREE_TO_TWO, _THREE),
    rules.SEVENS + 2: (_THREE_TO_TWO, _TWO),
    rules.INSURANCE: (_EVEN, _THREE_TO_TWO, _THREE),
    rules.PAIR: (Fraction(8), Fraction(10), Fraction(12)),
}
_MATCHES: Final = range(rules.MATCH_TWO_SUITED, rules.MATCH_UNSUITED + 1)
# 21s that are paid even money and look as if they were worth more.
_PLAIN_21S: Final = (
    S.OUTCOME__21_WINS,
    S.OUTCOME__21_BEATS_21,
    S.OUTCOME__SPLIT_21,
    S.OUTCOME__NO_BONUS_DOUBLED,
    S.OUTCOME__NO_BONUS_SPLIT,
)
_PLAIN_WINS: Final = (S.OUTCOME__HIGHER, S.OUTCOME__DEALER_BUST)


def settled_round(scene: Scene, number: int) -> tuple[Segment, list[DuePayment]] | None:
    """A round that stands, with what was due in it."""
    segment = scene.segment(number)
    if segment is None or segment.is_void():
        return None
    return segment, payments.due(scene, number)


# Odds.


def wrong_amounts(scene: Scene, line: DuePayment) -> Iterator[int]:
    """List what a mistaken dealer may pay on a win."""
    r = scene.rules
    if line.reason == S.OUTCOME__CAPPED:
        yield payments.paid_at(r, line.stake, line.odds)  # the posted limit is forgotten
    elif line.odds in _MATCHES:
        for other in _MATCHES:
            yield payments.paid_at(r, line.stake, other)
    else:
        odds = _MISTAKEN.get(line.odds, ())
        if line.odds in (rules.REGULAR, rules.DOUBLED) and line.reason in _PLAIN_21S:
            odds = (_THREE_TO_TWO,)
        for each in odds:
            yield payments.rounded_up(line.stake * each.numerator, each.denominator)


def misjudge_odds(scene: Scene, number: int, slot: int) -> list[Truth] | None:
    """A win is paid at the odds of another hand."""
    found = settled_round(scene, number)
    if found is None:
        return None
    segment, lines = found
    sign = 1 if slot == OVER else -1
    choices = [
        (line, row, wrong - line.paid)
        for line in lines
        if line.paid > 0 and line.kind <= ops.MATCH and (row := payments.logged(segment, line)) is not None
        for wrong in set(wrong_amounts(scene, line))
        if (wrong - line.paid) * sign > 0
    ]
    if not choices:
        return None
    friend = payments.favourite(scene, segment) if slot == OVER else -1
    line, row, variance = payments.prefer(
        scene, sorted(choices, key=_by_place), lambda choice: choice[0].patron == friend
    )
    row.cents += variance
    return payments.told(scene, segment, slot, line, variance)


def _by_place(choice: tuple[DuePayment, Row, int]) -> tuple[DuePayment, int]:
    return choice[0], choice[2]


@plants("settlement.overpaid", phase=SETTLED, weight=3)
def pay_better_odds(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A five-card 21 is paid like one of six, a posted limit is forgotten, an unsuited match is paid as suited."""
    return misjudge_odds(scene, number, OVER)


@plants("settlement.underpaid", phase=SETTLED, weight=3)
def pay_worse_odds(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A blackjack is paid 6:5, a bonus hand even money, a suited match as unsuited."""
    return misjudge_odds(scene, number, UNDER)


# Chips.


def miscount(scene: Scene, number: int, slot: int) -> list[Truth] | None:
    """A win is paid some chips too many or too few."""
    found = settled_round(scene, number)
    if found is None:
        return None
    segment, lines = found
    chips = scene.rng.choice((1, 1, 1, 2, 2, 5)) * max(1, int(scene.rules.chip))
    choices = [
        (line, row)
        for line in lines
        if line.kind <= ops.MATCH and line.paid > chips and (row := payments.logged(segment, line)) is not None
    ]
    if not choices:
        return None
    friend = payments.favourite(scene, segment) if slot == OVER else -1
    line, row = payments.prefer(scene, choices, lambda choice: choice[0].patron == friend)
    variance = chips if slot == OVER else -chips
    row.cents += variance
    return payments.told(scene, segment, slot, line, variance)


@plants("settlement.overpaid", phase=SETTLED, weight=2)
def pay_chips_too_many(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The stack paid out is a chip or two higher than it should be."""
    return miscount(scene, number, OVER)


@plants("settlement.underpaid", phase=SETTLED, weight=2)
def pay_chips_too_few(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The stack paid out is a chip or two lower than it should be."""
    return miscount(scene, number, UNDER)


# Totals.


def misread(scene: Scene, number: int, slot: int, reasons: tuple[int, ...], paid: bool) -> list[Truth] | None:
    """A hand's total is read as a better or a worse one, and the wager on it paid or taken."""
    found = settled_round(scene, number)
    if found is None:
        return None
    segment, lines = found
    choices = [line for line in lines if line.reason in reasons and line.stake and payments.is_single(line, lines)]
    if not choices:
        return None
    friend = payments.favourite(scene, segment) if slot == OVER else -1
    line = payments.prefer(scene, choices, lambda choice: choice.patron == friend)
    if line.paid or line.taken:
        row = payments.logged(segment, line)
        if row is None:
            return None
        segment.remove(row)
    new = payments.settle_row(line, line.stake if paid else 0, 0 if paid else line.stake)
    if not payments.put_final(scene, segment, new):
        return None
    return payments.told(scene, segment, slot, line, new.cents - new.aux - line.net())


@plants("settlement.overpaid", phase=SETTLED, weight=2)
def pay_push(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A tie is paid."""
    return misread(scene, number, OVER, (S.OUTCOME__PUSH,), paid=True)


@plants("settlement.overpaid", phase=SETTLED, weight=1)
def pay_loser(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A lower total is paid."""
    return misread(scene, number, OVER, (S.OUTCOME__LOWER,), paid=True)


@plants("settlement.underpaid", phase=SETTLED, weight=2)
def take_push(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A tie is taken, or a wager that goes back against the dealer's blackjack."""
    back = (S.OUTCOME__DOUBLE_BACK, S.OUTCOME__SPLIT_BACK, S.OUTCOME__RESCUE_BACK)
    found = settled_round(scene, number)
    if found is None:
        return None
    segment, lines = found
    returned = [line for line in lines if line.reason in back and line.stake]
    if not returned:
        return misread(scene, number, UNDER, (S.OUTCOME__PUSH,), paid=False)
    line = scene.rng.choice(returned)
    if not payments.put_final(scene, segment, payments.settle_row(line, 0, line.stake)):
        return None
    return payments.told(scene, segment, UNDER, line, -line.stake)


@plants("settlement.underpaid", phase=SETTLED, weight=1)
def take_winner(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A winning total is taken."""
    return misread(scene, number, UNDER, _PLAIN_WINS, paid=False)


# Surrender.


@plants("settlement.underpaid", phase=SETTLED, weight=0.7)
def take_whole_surrender(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A surrender costs the whole wager although half of it goes back."""
    halves = (S.OUTCOME__SURRENDER_HALF, S.OUTCOME__SURRENDER_HALF_LATER)
    return missettle_surrender(scene, number, UNDER, halves)


@plants("settlement.overpaid", phase=SETTLED, weight=0.5)
def take_half_surrender(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A surrender costs half against a blackjack that takes it all."""
    return missettle_surrender(scene, number, OVER, (S.OUTCOME__SURRENDER_WHOLE,))


def missettle_surrender(scene: Scene, number: int, slot: int, reasons: tuple[int, ...]) -> list[Truth] | None:
    found = settled_round(scene, number)
    if found is None:
        return None
    segment, lines = found
    choices = [
        (line, row)
        for line in lines
        if line.reason in reasons and line.taken and (row := payments.logged(segment, line)) is not None
    ]
    if not choices:
        return None
    line, row = scene.rng.choice(choices)
    row.aux = line.stake if slot == UNDER else line.stake // 2
    return payments.told(scene, segment, slot, line, line.taken - row.aux)


# Forgotten.


@plants("settlement.missing", phase=SETTLED, weight=6)
def forget(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A wager is neither paid nor taken: a side wager, the double's half, or a whole box."""
    found = settled_round(scene, number)
    if found is None:
        return None
    segment, lines = found
    choices = [
        (line, row)
        for line in lines
        if (line.kind < ops.BONUS_SPIN or not line.paid) and (row := payments.logged(segment, line)) is not None
    ]
    if not choices:
        return None
    kind = scene.rng.choice(sorted({line.kind for line, _ in choices}))
    line, row = scene.rng.choice([choice for choice in choices if choice[0].kind == kind])
    segment.remove(row)
    return payments.told(scene, segment, S.SETTLEMENT__MISSING, line, -line.net())


# For nothing.


@plants("settlement.unexpected", phase=SETTLED, weight=2)
def pay_for_nothing(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A wager is paid that nobody made: a double, insurance, a match or a pair."""
    found = settled_round(scene, number)
    if found is None:
        return None
    segment, lines = found
    mains = [line for line in lines if line.kind == ops.MAIN]
    choices = [row for main in mains for row in imagined(scene, segment, main, lines)]
    if not choices:
        return None
    friend = payments.favourite(scene, segment)
    patrons = {(line.seat, line.bettor): line.patron for line in mains}
    row = payments.prefer(scene, choices, lambda choice: patrons[choice.seat, choice.bettor] == friend)
    before = segment.find(ops.SETTLE, kind=ops.MATCH)
    dealt = segment.moment(J.AT_DEALT)
    if row.kind in (ops.MATCH, ops.PAIR) and dealt is not None:
        segment.after(before[-1] if before else dealt, row)
    elif not payments.put_final(scene, segment, row):
        return None
    return payments.found_at(scene, segment, S.SETTLEMENT__UNEXPECTED, row, row.cents)


def imagined(scene: Scene, segment: Segment, main: DuePayment, lines: list[DuePayment]) -> Iterator[Row]:
    """Payments to a bettor for wagers that a dealer may believe in."""
    r, dealer, up = scene.rules, segment.dealer(), segment.up()
    seat, bettor = main.seat, main.bettor
    made = {line.kind for line in lines if (line.seat, line.bettor) == (seat, bettor)}
    if main.paid and main.reason in _PLAIN_WINS and not made & {ops.DOUBLE, ops.SPLIT}:
        yield Row(ops.SETTLE, seat, bettor, main.hand, ops.DOUBLE, cents=main.stake)
    blackjack = len(dealer) == 2 and cards.total([row.card for row in dealer])[0] == 21
    if blackjack and cards.RANK[up] == cards.ACE and ops.INSURANCE not in made:
        yield Row(ops.SETTLE, seat, bettor, 1, ops.INSURANCE, cents=2 * (main.stake // 2))
    first_two = bets.initial_cards(segment, seat)
    side = bets.in_chips(scene, main.stake // 4) or int(r.chip)
    matched = any(cards.RANK[card] == cards.RANK[up] for card in first_two)
    if r.match_offered and ops.MATCH not in made and matched:
        yield Row(ops.SETTLE, seat, bettor, 1, ops.MATCH, cents=payments.paid_at(r, side, rules.MATCH_UNSUITED))
    if r.pair_offered and ops.PAIR not in made and bets.is_pair(first_two):
        yield Row(ops.SETTLE, seat, bettor, 1, ops.PAIR, cents=payments.paid_at(r, side, rules.PAIR))
