"""Dealers' habits: whether a card is drawn before its decision is keyed in, and when settlements are keyed in."""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

import numpy as np

from replay import ops
from replay.simulator import log as J
from replay.simulator.log import Log
from replay.tape import I64

# When settlements are keyed in: as they are made, several in a row, or the final ones after the round.
AS_MADE, IN_A_ROW, AFTER_ROUND = range(3)

_DRAWS_FIRST: Final = (0.0, 0.3, 0.9)  # shares of decisions that are keyed in after their card
_LATE_ROUNDS: Final = 0.6  # share of rounds that a dealer who keys late keys late
_LAG_MS: Final = (60, 600)  # from a card to its decision
_ROW_GAP_MS: Final = (80, 200)  # between settlements in a row
_LATE_GAP_MS: Final = (150, 500)  # between settlements after the round
_DRAWING: Final = (ops.HIT, ops.DOUBLE_DOWN, ops.SPLIT_PAIR)
_WITH_PROTOCOL: Final = (ops.BONUS_SPIN, ops.BSX16)  # wagers that are settled within their system's own steps


class Habit(NamedTuple):
    """Habits of a dealer."""

    draws_first: float
    keying: int


def habit_of(dealer: str, seed: int, late: bool) -> Habit:
    """Return a dealer's habit, the same at every table and on every day; ``late`` allows keying after the round."""
    rng = Random(f"{seed}/habits/{dealer}")
    draws_first, keying = rng.choice(_DRAWS_FIRST), rng.choice((AS_MADE, IN_A_ROW))
    return Habit(draws_first, AFTER_ROUND if late and rng.random() < 0.5 else keying)


def by_dealer(dealers: Sequence[str], seed: int, late: bool) -> list[Habit]:
    """Return the habits of dealers by their number; the first is nobody's."""
    return [Habit(0.0, AS_MADE), *(habit_of(name, seed, late) for name in dealers[1:])]


def keyed_ms(log: Log, by_number: Sequence[Habit], left_alone: set[int], rng: np.random.Generator) -> I64:
    """Return when each row was keyed in; rows of rounds that are ``left_alone`` and rows between rounds do not move."""
    dealer = dealers_of(log)
    moves = (log.round > 0) & ~np.isin(log.round, list(left_alone))
    ms = log.ms.copy()
    shares = np.array([habit.draws_first for habit in by_number])[dealer]
    _key_after_card(log, ms, moves & (rng.random(len(ms)) < shares), rng)
    keying = np.array([habit.keying for habit in by_number])[dealer]
    late = rng.random(int(log.round.max(initial=0)) + 1)[log.round] < _LATE_ROUNDS
    _key_in_a_row(log, ms, moves & (keying == IN_A_ROW), rng)
    _key_after_round(log, ms, moves & (keying == AFTER_ROUND) & late, rng)
    return ms


def dealers_of(log: Log) -> I64:
    """Return the number of the dealer at every row, 0 before the table opens."""
    changes = (log.op == ops.OPEN) | (log.op == ops.DEALER_CHANGE)
    last = np.maximum.accumulate(np.where(changes, np.arange(len(log.op)), -1))
    dealers: I64 = np.where(last >= 0, log.aux[np.maximum(last, 0)], 0)
    return dealers


def drawing_decisions(log: Log) -> I64:
    """Return the rows of decisions whose card is the very next row."""
    zone = log.seat.astype(np.int64) * J.ZONE_HANDS + log.hand
    decides = (log.op[:-1] == ops.DECISION) & np.isin(log.kind[:-1], _DRAWING)
    draws = (log.op[1:] == ops.DRAW) & (log.zone[1:] == zone[:-1])
    return np.flatnonzero(decides & draws)


def _key_after_card(log: Log, ms: I64, chosen: np.ndarray, rng: np.random.Generator) -> None:
    """Key decisions in shortly after the card that was drawn on them, before anything else happens."""
    rows = drawing_decisions(log)
    rows = rows[chosen[rows] & (rows + 2 < len(ms))]
    lag = rng.integers(*_LAG_MS, len(rows))
    drawn = log.ms[rows + 1]
    ms[rows] = drawn + np.minimum(lag, (_next_event_ms(log)[rows + 2] - drawn) // 2)


def _next_event_ms(log: Log) -> I64:
    """Return the time of the first event at or after each row; a moment is none."""
    shown = np.where(log.op == J.MOMENT, np.iinfo(np.int64).max, log.ms)
    following: I64 = np.minimum.accumulate(shown[::-1])[::-1]
    return following


def _runs(chosen: np.ndarray) -> tuple[I64, I64]:
    """Return the first and one-past-last rows of consecutive chosen rows."""
    edges = np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]]))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)


def _key_in_a_row(log: Log, ms: I64, chosen: np.ndarray, rng: np.random.Generator) -> None:
    """Key settlements that follow each other in as one burst, just before the next event."""
    firsts, ends = _runs(chosen & (log.op == ops.SETTLE))
    following = _next_event_ms(log)
    for first, end, gap in zip(firsts, ends, rng.integers(*_ROW_GAP_MS, len(firsts)), strict=True):
        until, count = following[end], end - first
        gap = min(gap, (until - log.ms[first - 1]) // (count + 1))
        ms[first:end] = until - gap * np.arange(count, 0, -1)


def _key_after_round(log: Log, ms: I64, chosen: np.ndarray, rng: np.random.Generator) -> None:
    """Key the final settlements in after the end of the round, before anything of the next."""
    ended = np.flatnonzero(log.op == ops.ROUND_END)
    final = np.maximum.accumulate(np.where((log.op == J.MOMENT) & (log.kind == J.AT_END), log.round, 0)) == log.round
    late = np.flatnonzero(chosen & final & (log.op == ops.SETTLE) & ~np.isin(log.kind, _WITH_PROTOCOL))
    end_of = np.searchsorted(ended, late)
    for which, gap in zip(np.unique(end_of), rng.integers(*_LATE_GAP_MS, len(np.unique(end_of))), strict=True):
        rows, end = late[end_of == which], ended[which]
        gap = min(gap, (log.ms[end + 1] - log.ms[end]) // (len(rows) + 1))
        ms[rows] = log.ms[end] + gap * np.arange(1, len(rows) + 1)
