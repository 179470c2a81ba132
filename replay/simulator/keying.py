"""Keying times of a table's lines, where they differ from the times of the events."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from replay import ops
from replay.simulator import habits, landing, pace
from replay.simulator.habits import Habit
from replay.simulator.log import Log
from replay.simulator.nature import Nature
from replay.simulator.pace import Pause
from replay.tape import I64


class Keyed(NamedTuple):
    """The rows of a day in the order in which devices logged them, with the true time of each."""

    order: I64  # rows of the played log
    ms: I64
    pauses: tuple[Pause, ...] = ()

    def lines(self, log: Log) -> Log:
        """Return the log in the order of keying; irregularities still point at their cards."""
        keyed = Log._make(column[self.order] for column in log)
        keyed.ms[:] = self.ms
        place = np.argsort(self.order)
        listed = np.flatnonzero(log.op == ops.IRREGULAR_CARD)
        keyed.cents[place[listed]] = place[listed + log.cents[listed]] - place[listed]
        return keyed

    def happened_ms(self) -> I64:
        """Return when the rows of the played log happened: a row that was keyed late, just before the next one."""
        keyed = np.empty_like(self.ms)
        keyed[self.order] = self.ms
        happened: I64 = np.minimum.accumulate(keyed[::-1])[::-1]
        return happened


def keyed(
    log: Log,
    by_dealer: Sequence[Habit],
    wanted: Nature,
    seed: str,
    left_alone: set[int],
    bounds: tuple[int, int],
) -> Keyed:
    """Return the order and times of a day's lines; rounds that are ``left_alone`` keep their order.

    ``by_dealer`` are the habits by the dealer's number, ``bounds`` the first and last moment of the gaming day in
    milliseconds.
    """
    rng = np.random.default_rng(np.frombuffer(seed.encode(), np.uint8))
    ms = habits.keyed_ms(log, by_dealer, left_alone, rng)
    order = np.argsort(ms, kind="stable")
    ms, rounds = ms[order], log.round[order].astype(np.int64)
    if wanted.pace:
        ms = pace.paced(ms, rounds, landing.has_line(log)[order], wanted.pace, rng)
    pauses: tuple[Pause, ...] = ()
    if wanted.clocks in ("restart", "hostile"):
        ms, pauses = pace.paused(ms, rounds, rng)
    ms, pauses = pace.fitted(ms, pauses, *bounds)
    return Keyed(order, ms, pauses)
