"""Payments at the wrong moment or in the wrong order; the amounts are right."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from replay import cards, ops, rules
from replay import situations as S
from replay.engine import layout as L
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import payments
from replay.simulator.plant.base import SETTLED, Scene, Segment, Truth, plants
from replay.simulator.plant.payments import DuePayment
from replay.simulator.plant.settlement import settled_round

CODE = "settlement.out-of-order"


class Move(NamedTuple):
    """A settle line that goes behind another row, and the line that this makes wrong."""

    row: Row
    after: Row
    wrong: Row


Moves = Callable[[Scene, Segment, list[DuePayment]], Iterator[Move]]


def misorder(scene: Scene, number: int, slot: int, moves: Moves) -> list[Truth] | None:
    """Move one settle line to where it should not be."""
    found = settled_round(scene, number) if scene.is_checked(slot) else None
    if found is None:
        return None
    segment, lines = found
    choices = list(moves(scene, segment, lines))
    if not choices:
        return None
    row, after, wrong = scene.rng.choice(choices)
    payments.move(segment, row, after)
    return payments.found_at(scene, segment, slot, wrong)


def decisions_after(segment: Segment, row: Row, hand: tuple[int, int] | None = None) -> list[Row]:
    """Decisions after a row, those on a given hand left out."""
    later = segment.rows[segment.index(row) :]
    return [each for each in later if each.op == ops.DECISION and (each.seat, each.hand) != hand]


def first_decision(segment: Segment) -> Row | None:
    return segment.first(ops.DECISION)


def sole_rows(
    segment: Segment, lines: list[DuePayment], wanted: Callable[[DuePayment], bool]
) -> Iterator[tuple[DuePayment, Row]]:
    """Wanted wagers that are the only one settled on their hand, with their settle lines."""
    for line in lines:
        row = payments.logged(segment, line) if wanted(line) and line.net() else None
        if row is not None and sum(payments.is_on_hand(line, other) for other in lines) == 1:
            yield line, row


# Match wagers.


@plants(CODE, phase=SETTLED, weight=0.7)
def settle_match_late(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A match wager is overlooked until the reader has been used or play has begun."""

    def moves(scene: Scene, segment: Segment, lines: list[DuePayment]) -> Iterator[Move]:
        rows = segment.find(ops.SETTLE, kind=ops.MATCH)
        if rows:
            for after in (segment.first(ops.HOLE_CHECK), first_decision(segment)):
                if after is not None:
                    yield Move(rows[-1], after, rows[-1])
            end = segment.moment(J.AT_END)
            if end is not None and first_decision(segment) is not None:
                yield Move(rows[-1], end, rows[-1])

    return misorder(scene, number, S.SETTLEMENT__OUT_OF_ORDER__MATCH, moves)


@plants(CODE, phase=SETTLED, weight=0.7)
def settle_matches_from_left(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Match wagers are settled in an order of the dealer's own."""

    def moves(scene: Scene, segment: Segment, lines: list[DuePayment]) -> Iterator[Move]:
        return swaps(segment, segment.find(ops.SETTLE, kind=ops.MATCH), int(scene.rules.match_order))

    return misorder(scene, number, S.SETTLEMENT__OUT_OF_ORDER__MATCH_SEATS, moves)


def swaps(segment: Segment, rows: list[Row], order: int) -> Iterator[Move]:
    """Lines that one can move so that just one line stands where an order does not want it."""
    if order == rules.ORDER_RIGHT_TO_LEFT:
        for first, second in pairwise(rows):
            if first.seat > second.seat:
                yield Move(first, second, first)
    elif order == rules.ORDER_COLLECT_FIRST:
        paid = [row for row in rows if row.cents]
        for row in rows:
            if not row.cents and paid and segment.index(row) < segment.index(paid[0]):
                yield Move(paid[0], segment.rows[segment.index(row) - 1], row)


# Hands that are paid at once, and such as wait.


def blackjacks(segment: Segment, lines: list[DuePayment]) -> Iterator[tuple[DuePayment, Row]]:
    return sole_rows(segment, lines, lambda line: line.reason in payments.BLACKJACKS)


@plants(CODE, phase=SETTLED, weight=1)
def pay_blackjack_late(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A blackjack that is to be paid at once is paid at the end."""

    def moves(scene: Scene, segment: Segment, lines: list[DuePayment]) -> Iterator[Move]:
        r, end = scene.rules, segment.moment(J.AT_END)
        if end is None or (not r.wins_at_once and r.reader_up >> cards.RANK[segment.up()] & 1):
            return
        for line, row in blackjacks(segment, lines):
            if r.wins_at_once:
                passed = is_passed_over(segment, line, segment.hand(line.seat)[-1])
            else:
                later = [each for each in segment.find(ops.DECISION) if each.seat > line.seat]
                passed = bool(later) or len(segment.dealer()) > 2
            if passed:
                yield Move(row, end, row)

    return misorder(scene, number, S.SETTLEMENT__OUT_OF_ORDER__BLACKJACK_AT_ONCE, moves)


def is_passed_over(segment: Segment, line: DuePayment, last: Row) -> bool:
    """Tell whether another hand is played or the dealer's second card dealt after a hand's last card."""
    others = decisions_after(segment, last, (line.seat, line.hand))
    dealer = segment.dealer()
    second = len(dealer) > 1 and segment.index(dealer[1]) > segment.index(last)
    return second or any(row.kind != ops.SURRENDER for row in others)


@plants(CODE, phase=SETTLED, weight=1)
def pay_blackjack_early(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A blackjack that has to wait for the dealer's hand is paid before others have played."""

    def moves(scene: Scene, segment: Segment, lines: list[DuePayment]) -> Iterator[Move]:
        r, dealer = scene.rules, segment.dealer()
        at_once = scene.is_checked(S.SETTLEMENT__OUT_OF_ORDER__BLACKJACK_AT_ONCE)
        if r.wins_at_once or (at_once and not r.reader_up >> cards.RANK[segment.up()] & 1):
            return
        if len(dealer) == 2 and cards.total([row.card for row in dealer])[0] == 21:
            return
        for line, row in blackjacks(segment, lines):
            for after in (segment.moment(J.AT_HAND, line.seat, 1), segment.moment(J.AT_TURNS)):
                if after is not None and decisions_after(segment, after):
                    yield Move(row, after, row)

    return misorder(scene, number, S.SETTLEMENT__OUT_OF_ORDER__BLACKJACK_WAITS, moves)


@plants(CODE, phase=SETTLED, weight=1)
def pay_21_late(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A 21 that is to be paid at once is paid at the end."""

    def moves(scene: Scene, segment: Segment, lines: list[DuePayment]) -> Iterator[Move]:
        end = segment.moment(J.AT_END)
        if end is None or any(line.kind == ops.SUPER_BONUS for line in lines):
            return
        made = totals(scene, segment.number)
        for line, row in sole_rows(segment, lines, lambda line: line.kind <= ops.SPLIT and line.paid > 0):
            done = segment.moment(J.AT_HAND, line.seat, line.hand)
            is_21 = made.get((line.seat, line.hand)) == 21 and line.reason not in payments.BLACKJACKS
            if is_21 and done is not None and is_passed_over(segment, line, done):
                yield Move(row, end, row)

    return misorder(scene, number, S.SETTLEMENT__OUT_OF_ORDER__21_AT_ONCE, moves)


def totals(scene: Scene, number: int) -> dict[tuple[int, int], int]:
    """Totals of a round's hands by box and number."""
    assert scene.judged is not None
    hands = scene.judged.hands
    lo, hi = np.searchsorted(hands[:, L.O_ROUND], [number - 1, number])
    return {(int(each[L.O_SEAT]), int(each[L.O_HAND])): int(each[L.O_TOTAL]) for each in hands[lo:hi]}


# Insurance and surrender.


@plants(CODE, phase=SETTLED, weight=0.7)
def take_insurance_at_wrong_time(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A lost insurance is taken before it is known to be lost, or left lying while play goes on."""

    def moves(scene: Scene, segment: Segment, lines: list[DuePayment]) -> Iterator[Move]:
        r, end, turns = scene.rules, segment.moment(J.AT_END), segment.moment(J.AT_TURNS)
        for line in lines:
            row = payments.logged(segment, line) if line.kind == ops.INSURANCE and line.taken else None
            if row is None:
                continue
            if r.insurance_after_second and not r.hole_card and turns is not None:
                yield Move(row, turns, row)
            late = len(segment.dealer()) > 2 or (not r.insurance_after_second and first_decision(segment) is not None)
            if late and end is not None:
                yield Move(row, end, row)

    return misorder(scene, number, S.SETTLEMENT__OUT_OF_ORDER__INSURANCE, moves)


@plants(CODE, phase=SETTLED, weight=0.7)
def take_surrender_at_wrong_time(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The half of a surrender is taken at the end instead of at once, or at once where it waits for the dealer."""

    def moves(scene: Scene, segment: Segment, lines: list[DuePayment]) -> Iterator[Move]:
        r, end = scene.rules, segment.moment(J.AT_END)
        for line, row in sole_rows(segment, lines, lambda line: line.reason in payments.SURRENDERS):
            given_up = segment.first(ops.DECISION, seat=line.seat, kind=ops.SURRENDER)
            if given_up is None or end is None:
                continue
            if line.reason == S.OUTCOME__SURRENDER_HALF_LATER and r.surrender_first:
                yield Move(row, given_up, row)
            elif line.reason == S.OUTCOME__SURRENDER_HALF and decisions_after(segment, given_up, (line.seat, 1)):
                yield Move(row, end, row)

    return misorder(scene, number, S.SETTLEMENT__OUT_OF_ORDER__SURRENDER, moves)


# The final settlement.


def in_order(scene: Scene, segment: Segment, lines: list[DuePayment]) -> list[Row]:
    """The lines of the final settlement that have an order."""
    at_once = scene.is_checked(S.SETTLEMENT__OUT_OF_ORDER__BLACKJACK_AT_ONCE)
    waits = bool(scene.rules.reader_up >> cards.RANK[segment.up()] & 1)
    left_out = {
        (line.seat, line.bettor, line.kind, line.hand)
        for line in lines
        if line.reason in payments.NOT_FINAL or (line.reason in payments.BLACKJACKS and at_once and not waits)
    }
    return [
        row
        for row in payments.final_rows(segment)
        if row.kind <= ops.DOUBLE and (row.seat, row.bettor, row.kind, row.hand) not in left_out
    ]


@plants(CODE, phase=SETTLED, weight=1.5)
def pay_before_collecting(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A winner is paid before all losers are collected."""

    def moves(scene: Scene, segment: Segment, lines: list[DuePayment]) -> Iterator[Move]:
        if scene.rules.settle_order == rules.ORDER_COLLECT_FIRST:
            yield from swaps(segment, in_order(scene, segment, lines), rules.ORDER_COLLECT_FIRST)

    return misorder(scene, number, S.SETTLEMENT__OUT_OF_ORDER__COLLECT_FIRST, moves)


@plants(CODE, phase=SETTLED, weight=1.5)
def settle_out_of_turn(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A box is settled before the one to its right."""

    def moves(scene: Scene, segment: Segment, lines: list[DuePayment]) -> Iterator[Move]:
        if scene.rules.settle_order == rules.ORDER_RIGHT_TO_LEFT:
            yield from swaps(segment, in_order(scene, segment, lines), rules.ORDER_RIGHT_TO_LEFT)

    return misorder(scene, number, S.SETTLEMENT__OUT_OF_ORDER__RIGHT_TO_LEFT, moves)
