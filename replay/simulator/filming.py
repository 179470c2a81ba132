"""Choice of what to film on a floor: a stretch of rounds at a few tables, and the chips that lie there."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from replay import ops
from replay.simulator import log as J
from replay.simulator.log import Log, Row

MOST_BOXES: Final = 8  # of a table that fits into a picture
_TAKEN_UP_MS: Final = 1_500  # after a round, when players take what is theirs

_WAGERS: Final = {
    "seat": pl.Int64,
    "bettor": pl.Int64,
    "kind": pl.String,
    "hand": pl.Int64,
    "cents": pl.Int64,
    "laid_ms": pl.Int64,
    "until_ms": pl.Int64,
    "is_paid": pl.Boolean,  # by the dealer, on a wager
    "is_taken": pl.Boolean,  # by the dealer
}
# What a bonus is paid on.
_PAID_ON: Final = {ops.SUPER_BONUS: ops.MAIN, ops.SUPER_SHARE: ops.MAIN}


class Filming(NamedTuple):
    """Number of tables filmed on a day, and of rounds filmed at each."""

    tables: int = 1
    rounds: int = 12


class Stretch(NamedTuple):
    """Rounds in a row."""

    first: int
    last: int
    planted: int  # rounds among them in which something is planted
    lasts_ms: int


def chosen(days: Sequence[tuple[int, Log, Collection[int]]], wanted: Filming) -> dict[int, Stretch]:
    """By its number, each day to be filmed and the stretch of it: where most is planted, then what takes least time.

    A day is a table's number of boxes, its log, and the rounds in which something is planted.
    """
    found = {
        number: stretch(log, used, wanted.rounds)
        for number, (boxes, log, used) in enumerate(days)
        if boxes <= MOST_BOXES and log.round.any()
    }
    best = sorted(found, key=lambda number: (-found[number].planted, number))[: wanted.tables]
    return {number: found[number] for number in sorted(best)}


def stretch(log: Log, used: Collection[int], rounds: int) -> Stretch:
    """So many rounds in a row of a table's day."""
    starts, ends = J.bounds(log)
    count = len(starts)
    rounds = min(rounds, count)
    planted = np.isin(np.arange(1, count + 1), list(used)).astype(np.int64)
    total = np.concatenate([[0], np.cumsum(planted)])
    windows = [
        Stretch(
            at + 1,
            at + rounds,
            int(total[at + rounds] - total[at]),
            int(log.ms[ends[at + rounds - 1] - 1] - log.ms[starts[at]]),
        )
        for at in range(count - rounds + 1)
    ]
    return min(windows, key=lambda window: (-window.planted, window.lasts_ms))


def within(placed: pl.DataFrame, log: Log, filmed: Stretch) -> pl.DataFrame:
    """Select the filmed placements of a day: those of the filmed rounds, and cards burned between them."""
    starts, ends = J.bounds(log)
    from_ms, until_ms = log.ms[starts[filmed.first - 1]], log.ms[ends[filmed.last - 1] - 1]
    in_round = pl.col("round").is_between(filmed.first, filmed.last)
    between = (pl.col("round") == 0) & pl.col("laid_ms").is_between(int(from_ms), int(until_ms))
    return placed.filter(in_round | between)


def wagers(log: Log, filmed: Stretch) -> pl.DataFrame:
    """The chips on the table: every wager while it lies, and what is paid on it."""
    starts, ends = J.bounds(log)
    found = []
    for number in range(filmed.first, filmed.last + 1):
        found += _round(log.rows(int(starts[number - 1]), int(ends[number - 1])))
    return pl.DataFrame(found, schema=_WAGERS, orient="row").sort("laid_ms", "seat", "bettor", "kind", "hand")


def _round(rows: Sequence[Row]) -> list[tuple[int, int, str, int, int, int, int, bool, bool]]:
    """The wagers of a round: a player's until they are taken or the round is over, paid ones from then on."""
    over = rows[-1].ms + _TAKEN_UP_MS
    gone = {_key(row): row for row in rows if row.op == ops.WITHDRAW or (row.op == ops.SETTLE and row.aux > 0)}
    found = []
    for row in rows:
        if row.op not in (ops.WAGER, ops.SETTLE) or row.cents <= 0:
            continue
        until, is_taken, end = over, False, gone.get(_key(row))
        if row.op == ops.WAGER and end is not None and end.ms > row.ms:
            until, is_taken = end.ms, end.op == ops.SETTLE
        place = (row.seat, row.bettor, ops.KINDS[_PAID_ON.get(row.kind, row.kind)], max(1, row.hand))
        found.append((*place, row.cents, row.ms, until, row.op == ops.SETTLE, is_taken))
    return found


def _key(row: Row) -> tuple[int, int, int, int]:
    return row.seat, row.bettor, row.kind, max(1, row.hand)
