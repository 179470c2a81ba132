"""Dealers' habits change when lines are keyed in, and nothing of what happened."""

from collections import Counter

import numpy as np
import pytest

from replay import ops
from replay.simulator import habits, judge
from replay.simulator import log as J
from replay.simulator.log import Log
from replay.simulator.nature import USUAL, Nature
from replay.simulator.simulate import SimulatedDay
from replay.tape import I64
from tests.replay.nature_days import played
from tests.some import some

HABITS = Nature(habits=True)
LATE = Nature(late_keying=True)


def early_draws(each: SimulatedDay) -> list[tuple[int, int]]:
    """Lines of draws that stand before the decision that they were drawn on, and of these decisions."""
    if each.keyed is None:
        return []
    decisions = habits.drawing_decisions(each.log)
    line = np.argsort(each.keyed.order)
    early = decisions[line[decisions + 1] < line[decisions]]
    return [(int(line[row + 1]), int(line[row])) for row in early]


def late_settlements(log: Log) -> list[int]:
    ended = np.zeros(int(log.round.max()) + 1, np.int64)
    ends = np.flatnonzero(log.op == ops.ROUND_END)
    ended[log.round[ends]] = ends
    return [row for row in np.flatnonzero(log.op == ops.SETTLE).tolist() if row > ended[log.round[row]]]


def events(each: SimulatedDay) -> Counter[tuple[int, ...]]:
    """Return the log without times."""
    log = each.material.log
    columns = (log.op, log.seat, log.bettor, log.hand, log.kind, log.card, log.cents, log.aux, log.round)
    timeless = ~np.isin(log.op, (ops.INSPECTION, ops.SHOE_LOADED, ops.IRREGULAR_CARD))
    return Counter(zip(*(column[timeless].tolist() for column in columns), strict=True))


def zones_of(log: Log) -> I64:
    """The zones of the hands that rows are about."""
    return log.seat.astype(np.int64) * J.ZONE_HANDS + log.hand


def test_some_cards_are_drawn_before_their_decision_is_keyed() -> None:
    for each in played(HABITS):
        log, zones = each.material.log, zones_of(each.material.log)
        for draw, decision in early_draws(each):
            assert log.op[draw] == ops.DRAW and log.op[decision] == ops.DECISION
            assert log.zone[draw] == zones[decision]
            assert 0 < log.ms[decision] - log.ms[draw] <= 600
            # Whatever was decided about the hand before was keyed in before.
            earlier = (each.log.ms <= log.ms[draw]) & (zones_of(each.log) == zones[decision])
            earlier &= (each.log.round == log.round[draw]) & (each.log.op == ops.DECISION)
            keyed = (log.round == log.round[draw]) & (log.op == ops.DECISION) & (zones == zones[decision])
            assert np.count_nonzero(keyed[:draw]) == np.count_nonzero(earlier) - 1
    lags = [each.material.log.ms[b] - each.material.log.ms[a] for each in played(HABITS) for a, b in early_draws(each)]
    assert len(lags) > 100 and np.median(lags) > 150


def test_habits_differ_between_dealers() -> None:
    early: dict[str, list[bool]] = {}
    for each in played(HABITS, tables=10, rounds=150):
        log, dealers = each.log, habits.dealers_of(each.log)
        keyed = {card(each.material.log, draw) for draw, _ in early_draws(each)}
        for row in habits.drawing_decisions(log).tolist():
            early.setdefault(each.names.dealers[int(dealers[row])], []).append(card(log, row + 1) in keyed)
    shares = [np.mean(each) for each in early.values() if len(each) > 60]
    assert min(shares) == 0 and max(shares) > 0.8
    assert any(0.1 < share < 0.5 for share in shares)


def card(log: Log, row: int) -> tuple[int, int]:
    """Shoe and ordinal of a draw."""
    return int(log.cents[row]), int(log.aux[row])


def test_a_dealer_has_the_same_habit_everywhere() -> None:
    assert habits.habit_of("A. Ruiz", 5, False) == habits.habit_of("A. Ruiz", 5, False)
    assert habits.by_dealer(["", "A. Ruiz", "C. Ng"], 5, True)[1:] == [
        habits.habit_of("A. Ruiz", 5, True),
        habits.habit_of("C. Ng", 5, True),
    ]


def test_some_dealers_key_settlements_in_a_row() -> None:
    """A burst ends right before the next event; settlements keyed as they are made leave time there."""
    bursts = {True: 0, False: 0}
    for each in played(HABITS):
        log = each.material.log
        settles = np.append(log.op == ops.SETTLE, False)
        for row in np.flatnonzero(settles[:-2] & settles[1:-1] & ~settles[2:]).tolist():
            before, after = np.diff(log.ms[row : row + 3])
            bursts[bool(before == after and before <= 200)] += 1
    assert min(bursts.values()) > 50


def test_late_settlements_stand_between_the_round_and_the_next() -> None:
    assert not any(late_settlements(each.material.log) for each in played(HABITS))
    found = 0
    for each in played(LATE):
        log = each.material.log
        for row in late_settlements(log):
            assert log.kind[row] not in (ops.BONUS_SPIN, ops.BSX16)
            between = log.op[np.flatnonzero((log.op == ops.ROUND_END) & (log.round == log.round[row]))[0] + 1 : row]
            assert (between == ops.SETTLE).all()
            found += 1
    assert found > 100


@pytest.mark.parametrize("nature", [HABITS, LATE, Nature("hostile", "mixed", late_keying=True)])
def test_nothing_else_changes(nature: Nature) -> None:
    for usual, other in some(zip(played(), played(nature), strict=True)):
        assert events(usual) == events(other)


@pytest.mark.parametrize("nature", [USUAL, LATE, Nature("hostile", "mixed")])
def test_what_happened_has_nothing_to_find(nature: Nature) -> None:
    for each in some(played(nature)):
        judged = judge.judge(each.log, each.names, each.rules)
        assert not len(judged.findings) and not len(judged.around)


def test_planted_irregularities_keep_their_truth() -> None:
    for usual, other in some(zip(played(rate=0.1), played(LATE, rate=0.1), strict=True)):
        assert sorted(usual.truth, key=str) == sorted(other.truth, key=str)
        assert len(judge.judge(other.log, other.names, other.rules).findings) == len(
            judge.judge(usual.log, usual.names, usual.rules).findings
        )
