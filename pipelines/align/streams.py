"""The lines of one device: what it logged, in its own order, by its own clock."""

from typing import NamedTuple

import numpy as np

from pipelines.align import walk
from replay.columns import I64, Columns


class Stream(NamedTuple):
    """One device's rows in the order of ``seq``, with times that never go back."""

    source: int
    device: int  # word
    rows: I64
    ms: I64


def streams(columns: Columns) -> list[Stream]:
    """The streams of a table's day: of each source the one with most lines first."""
    seq, ts = columns.number("seq"), columns.number("ts")
    order = np.lexsort((columns.line, seq, columns.stream, columns.source))
    keys = columns.source[order].astype(np.int64) << 32 | columns.stream[order]
    found = [
        Stream(int(columns.source[rows[0]]), int(columns.stream[rows[0]]), rows, rising(ts[rows]))
        for rows in np.split(order, np.flatnonzero(np.diff(keys)) + 1)
        if len(rows)
    ]
    return sorted(found, key=lambda stream: (stream.source, -len(stream.rows), stream.device))


def rising(ms: I64) -> I64:
    """Times that never go back: those that do not fit between the others get the time of the line before them.

    As few as possible are changed, so that one wild time does not move all that follow.
    """
    if len(ms) < 2 or (np.diff(ms) >= 0).all():
        return ms.copy()
    fits = walk.longest_rise(ms)
    at = np.maximum.accumulate(np.where(fits, np.arange(len(ms)), -1))
    first = int(np.argmax(fits))
    steady: I64 = ms[np.where(at < 0, first, at)]
    return steady
