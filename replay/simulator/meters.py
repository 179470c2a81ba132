"""Readings of the progressive meters, from all tables' wagers and jackpots of a day in order of time."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from replay import meters, ops
from replay.floor import Floor, Meter, Table
from replay.meters import MILLIONTHS
from replay.simulator import log as J
from replay.simulator.log import Log
from replay.tape import I64, Tape

_SETTINGS: Final = ((False, "meter"), (True, "secondary_meter"))
# What happens to a meter: wagers feed it, a terminal shows it, it is paid out.
_FED, _SHOWN, _PAID = range(3)


def bits(table: Table) -> int:
    """The meters that a table has: bit 0 for Bonus Spin's, 1 and 2 for Xtreme's primary and secondary one."""
    found = {(system, secondary) for system, secondary, _ in _meters_of(table)}
    return ((0, False) in found) | ((1, False) in found) << 1 | ((1, True) in found) << 2


def _meters_of(table: Table) -> Iterator[tuple[int, bool, str]]:
    """System, whether it is the secondary one, and id of a table's meters."""
    for system, name in enumerate(ops.SYSTEMS):
        for secondary, key in _SETTINGS:
            if key in table.progressive.get(name, {}):
                yield system, secondary, str(table.progressive[name][key])


class Meters:
    """The meters of a floor, from day to day, in millionths of a cent."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self.exact = {meter.id: meter.reset_cents * MILLIONTHS for meter in floor.meters.values()}
        self._before = dict(self.exact)
        feeders: dict[str, set[str]] = {}
        for table in floor.tables:
            for _, _, meter in _meters_of(table):
                feeders.setdefault(meter, set()).add(table.id)
        self.shared = frozenset(meter for meter, tables in feeders.items() if len(tables) > 1)

    def fill(self, days: Sequence[tuple[Table, Log]]) -> None:
        """Give every METER row of the day's tables its figure, and every jackpot its prize.

        A METER row with so many cents in ``aux`` is where something goes wrong: a table's own meter is off by them
        from there on; of a shared meter this one figure is wrong, by a digit.
        """
        self._before = dict(self.exact)
        self._fill(days)

    def refill(self, days: Sequence[tuple[Table, Log]]) -> None:
        """Fill the last day once more, after rounds were voided or cancelled; what jackpots were paid follows."""
        self.exact = dict(self._before)
        self._fill(days)

    def _fill(self, days: Sequence[tuple[Table, Log]]) -> None:
        logs = [log for _, log in days]
        events: dict[str, list[_Events]] = {}
        for n, (table, log) in enumerate(days):
            for system, secondary, name in _meters_of(table):
                if name in self.exact:
                    rate = self.floor.meters[name].rate_ppm
                    events.setdefault(name, []).extend(_events(n, log, system, secondary, rate))
        for name, parts in events.items():
            self._run(self.floor.meters[name], _in_order(parts), logs)

    def _run(self, meter: Meter, events: "_Events", logs: Sequence[Log]) -> None:
        """Follow a meter through its day, from jackpot to jackpot."""
        astray = np.where(events.what == _FED, 0, events.change)
        grown = np.cumsum(events.change - astray if meter.id in self.shared else events.change)
        figures = np.zeros(len(grown), np.int64)
        level, paid = self.exact[meter.id], np.flatnonzero(events.what == _PAID)
        for lo, hi in pairwise([0, *(paid + 1).tolist(), len(grown)]):
            if lo < hi:
                exact = level + grown[lo:hi] - (grown[lo - 1] if lo else 0)
                figures[lo:hi] = exact // MILLIONTHS
                level = meter.reset_cents * MILLIONTHS if events.what[hi - 1] == _PAID else int(exact[-1])
        if meter.id in self.shared:
            wrong = np.minimum(figures // 10, meter.reset_cents - np.abs(astray) // MILLIONTHS)
            figures = np.where(astray != 0, wrong, figures)
        for n in paid.tolist():
            _pay(logs[events.log[n]], int(events.row[n]), int(figures[n]))
        for n, log in enumerate(logs):
            own = (events.what != _FED) & (events.log == n)
            log.cents[events.row[own]] = figures[own]
        self.exact[meter.id] = level


class _Events(NamedTuple):
    """Events of one meter on a day, in columns."""

    ms: I64
    log: I64
    place: I64  # among the rows of the log, two to a row: what a row feeds comes after what it shows
    row: I64
    change: I64  # millionths of a cent
    what: I64


def _in_order(parts: Sequence[_Events]) -> _Events:
    together = _Events(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    by = np.lexsort((together.place, together.log, together.ms))
    return _Events(*(column[by] for column in together))


def _events(number: int, log: Log, system: int, secondary: bool, rate_ppm: int) -> Iterator[_Events]:
    """One table's part in a meter's day."""
    rows = np.flatnonzero((log.op == ops.METER) & ((log.flags & ops.SECONDARY_METER != 0) == secondary))
    steps = rows - 1 - (log.op[rows - 1] == ops.METER)
    rows, steps = (each[log.card[steps] == system] for each in (rows, steps))
    symbol = ops.JACKPOT_SECONDARY if secondary else ops.JACKPOT
    pays = (log.kind[steps] == ops.PRIZE) & (log.hand[steps] == symbol)
    what = np.where(pays, _PAID, _SHOWN)
    yield _Events(log.ms[rows], np.full(len(rows), number), 2 * rows, rows, log.aux[rows] * MILLIONTHS, what)
    at, stakes = _fed(log, system)
    yield _Events(log.ms[at], np.full(len(at), number), 2 * at + 1, at, stakes * rate_ppm, np.full(len(at), _FED))


def _fed(log: Log, system: int) -> tuple[I64, I64]:
    """The rows behind which a table's rounds feed a system's meters, and the stakes that do.

    That is when the system locks the wagers, or when betting closes where it was not told to.
    """
    wagers = np.flatnonzero((log.op == ops.WAGER) & (log.kind == ops.BONUS_SPIN + system))
    own = (log.op == ops.PROGRESSIVE) & (log.card == system)
    locks = np.flatnonzero(own & (log.kind == ops.START_ROUND))
    closes = np.flatnonzero(log.op == ops.BETS_CLOSED)
    starts, ends = J.bounds(log)
    staked, at = np.zeros(len(starts) + 1, np.int64), np.full(len(starts) + 1, -1)
    np.add.at(staked, log.round[wagers], log.cents[wagers])
    at[log.round[closes]] = closes
    closed = at.copy()
    at[log.round[locks]] = locks + (log.op[np.minimum(locks + 1, len(log.op) - 1)] == ops.METER)
    closed[log.round[locks[::-1]]] = np.minimum(closed[log.round[locks[::-1]]], locks[::-1])
    voids = (log.op == ops.IRREGULARITY) & (log.cents & ops.VOID != 0)
    odd = np.flatnonzero(voids | (own & (log.kind == ops.CANCEL_ROUND)))
    late = wagers[wagers > closed[log.round[wagers]]]
    tape = Tape(log.op, log.seat, log.bettor, log.hand, log.kind, log.card, log.flags, log.cents, log.aux)
    for n in np.unique(log.round[np.append(odd, late)]).tolist():
        staked[n] = meters.stakes(tape, int(starts[n - 1]), int(ends[n - 1]))[system]
    feeding = np.flatnonzero((staked > 0) & (at >= 0))
    return at[feeding], staked[feeding]


def _pay(log: Log, row: int, figure: int) -> None:
    """A jackpot is what its METER row shows; where that was another figure before, what was paid follows."""
    prize, more = row - 1, figure - int(log.cents[row])
    log.cents[prize] = max(int(log.cents[prize]), 0) + more
    settled = (log.op == ops.SETTLE) & (log.round == log.round[prize]) & (log.seat == log.seat[prize])
    settled &= (log.bettor == log.bettor[prize]) & (log.kind == ops.BONUS_SPIN + log.card[prize])
    lines = np.flatnonzero(settled)
    if len(lines):
        log.cents[lines[-1]] += more
