"""A dealer who makes no mistakes: what the engine expects is settled, at the prescribed moments, in the right order."""

import numpy as np

from replay import cards, ops, rules
from replay import situations as S
from replay.compiled import compiled, entry
from replay.engine import layout as L
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator.judge import SimulatedVerdicts
from replay.simulator.log import Log
from replay.tape import I64

NOT_FOUND = -1


def settled(log: Log, judged: SimulatedVerdicts, rules_record: Rules) -> Log:
    """The log with a settle line for everything that is to be paid or taken."""
    due = judged.settlements
    due = due[(due[:, L.S_PAID] != 0) | (due[:, L.S_TAKEN] != 0)]
    starts, ends = J.bounds(log)
    first = np.searchsorted(due[:, L.S_ROUND], np.arange(len(starts) + 1))
    hands = np.searchsorted(judged.hands[:, L.O_ROUND], np.arange(len(starts) + 1))
    at = np.zeros(len(due), np.int64)
    place_all(log, starts, ends, due, first, judged.hands, hands, rules_record, at)
    return _inserted(log, due, at, rules_record)


def _inserted(log: Log, due: I64, at: I64, r: Rules) -> Log:
    """Settle lines behind the rows ``at``, in the rulebook's order, spread over the time until the next row."""
    which = log.kind[at]
    order = np.where(which == J.AT_DEALT, r.match_order, np.where(which == J.AT_END, r.settle_order, rules.ORDER_FREE))
    key = np.where(order == rules.ORDER_COLLECT_FIRST, due[:, L.S_PAID] > 0, 0)
    key = np.where(order == rules.ORDER_RIGHT_TO_LEFT, -due[:, L.S_SEAT], key)
    by = np.lexsort((np.arange(len(due)), key, at))
    due, at = due[by], at[by]
    new = J.empty(len(due))
    new.op[:] = ops.SETTLE
    for column, source in (
        (new.seat, L.S_SEAT),
        (new.bettor, L.S_BETTOR),
        (new.hand, L.S_HAND),
        (new.kind, L.S_KIND),
        (new.cents, L.S_PAID),
        (new.aux, L.S_TAKEN),
    ):
        column[:] = due[:, source]
    new.round[:] = log.round[at]
    first = np.searchsorted(at, at)
    count = np.searchsorted(at, at, side="right") - first
    rank = np.arange(len(at)) - first + 1
    shown = np.where(log.op == J.MOMENT, np.iinfo(np.int64).max, log.ms)
    following = np.minimum.accumulate(shown[::-1])[::-1]  # the time of the next event
    new.ms[:] = log.ms[at] + (following[at] - log.ms[at]) * rank // (count + 1)
    return J.inserted(log, at, new)


@entry
def place_all(
    log: Log, starts: I64, ends: I64, due: I64, first: I64, hands: I64, first_hand: I64, r: Rules, at: I64
) -> None:
    """The moment's row at which each settlement is due."""
    for number in range(starts.shape[0]):
        lo, hi = starts[number], ends[number]
        up = up_card(log, lo, hi)
        super_seats = 0
        for n in range(first[number], first[number + 1]):
            if due[n, L.S_KIND] == ops.SUPER_BONUS:
                super_seats |= 1 << due[n, L.S_SEAT]
        for n in range(first[number], first[number + 1]):
            h = find_hand(hands, first_hand[number], first_hand[number + 1], due[n, L.S_SEAT], due[n, L.S_HAND])
            alone = h == NOT_FOUND or count_hands(hands, first_hand[number], first_hand[number + 1], h) == 1
            which = moment_of(due[n], hands, h, alone, super_seats, up, r)
            at[n] = find_moment(log, lo, hi, which, due[n, L.S_SEAT], due[n, L.S_HAND])


@compiled
def up_card(log: Log, lo: int, hi: int) -> int:
    for row in range(lo, hi):
        if log.op[row] == ops.DRAW and log.zone[row] == J.ZONE_DEALER:
            return int(log.card[row])
    return 0


@compiled
def find_hand(hands: I64, lo: int, hi: int, seat: int, hand: int) -> int:
    for n in range(lo, hi):
        if hands[n, L.O_SEAT] == seat and hands[n, L.O_HAND] == hand:
            return n
    return NOT_FOUND


@compiled
def count_hands(hands: I64, lo: int, hi: int, h: int) -> int:
    count = 0
    for n in range(lo, hi):
        count += 1 if hands[n, L.O_SEAT] == hands[h, L.O_SEAT] else 0
    return count


@compiled
def moment_of(line: I64, hands: I64, h: int, alone: bool, super_seats: int, up: int, r: Rules) -> int:
    """Return the moment at which a settlement is due."""
    kind, reason = line[L.S_KIND], line[L.S_REASON]
    if kind == ops.MATCH or kind == ops.PAIR:
        return J.AT_DEALT
    if kind == ops.INSURANCE:
        return J.AT_SECOND if r.insurance_after_second or not r.reader else J.AT_CHECKED
    if kind == ops.BSX16:
        return J.AT_XTREME
    if kind > ops.DOUBLE or h == NOT_FOUND:
        return J.AT_END
    if S.OUTCOME__SURRENDER_HALF <= reason <= S.OUTCOME__SURRENDER_WHOLE:
        return J.AT_END if r.surrender_waits >> cards.RANK[up] & 1 else J.AT_HAND
    if hands[h, L.O_TOTAL] > 21 or reason == S.OUTCOME__RESCUE_TAKEN:
        return J.AT_HAND
    blackjack = hands[h, L.O_TOTAL] == 21 and hands[h, L.O_CARDS] == 2 and alone
    if r.wins_at_once:
        if hands[h, L.O_TOTAL] != 21 or (r.super_waits and super_seats >> line[L.S_SEAT] & 1):
            return J.AT_END
        return J.AT_DEALT if blackjack else J.AT_HAND
    at_once = r.clause[S.SETTLEMENT__OUT_OF_ORDER__BLACKJACK_AT_ONCE] >= 0 and not r.reader_up >> cards.RANK[up] & 1
    return J.AT_HAND if blackjack and at_once else J.AT_END


@compiled
def find_moment(log: Log, lo: int, hi: int, which: int, seat: int, hand: int) -> int:
    """Row of a moment; the final settlement where the round did not come to it, the row before the end without one."""
    final = hi - 2
    for row in range(lo, hi):
        if log.op[row] != J.MOMENT:
            continue
        if log.kind[row] == J.AT_END:
            final = row
        if log.kind[row] == which and (which != J.AT_HAND or (log.seat[row] == seat and log.hand[row] == hand)):
            return row
    return int(final)
