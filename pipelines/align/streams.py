"""The lines of one device: in its own order, with times that never go back."""

from typing import NamedTuple

import numpy as np

from pipelines.align import walk
from replay.columns import I64, Columns


class Stream(NamedTuple):
    """One device's rows in the order of ``seq``.

    ``ms`` is the device's own time with every step back undone, so that it never decreases; ``breaks`` are the places
    at which the device's clock was set back.
    """

    source: int
    device: int  # word
    rows: I64
    ms: I64
    breaks: I64


def streams(columns: Columns) -> list[Stream]:
    """List the streams of a table's day, of each source the one with most lines first."""
    seq, ts = columns.number("seq"), columns.number("ts")
    order = np.lexsort((columns.line, seq, columns.stream, columns.source))
    keys = columns.source[order].astype(np.int64) << 32 | columns.stream[order]
    found = [
        Stream(int(columns.source[rows[0]]), int(columns.stream[rows[0]]), rows, *unwrapped(ts[rows]))
        for rows in np.split(order, np.flatnonzero(np.diff(keys)) + 1)
        if len(rows)
    ]
    return sorted(found, key=lambda stream: (stream.source, -len(stream.rows), stream.device))


def unwrapped(ms: I64) -> tuple[I64, I64]:
    """Undo steps back and flatten stray times; return the rising times and the places of the steps.

    A step back is one that two lines on each side agree on. After it, time goes on by the usual gap between lines.
    A stray time gets the time of the line before it; as few lines as possible are changed.
    """
    if len(ms) < 2 or (np.diff(ms) >= 0).all():
        return ms.copy(), np.zeros(0, np.int64)
    back = np.flatnonzero(np.diff(ms) < 0) + 1
    back = back[(back >= 2) & (back < len(ms) - 1)]
    steps = back[
        (ms[back - 2] <= ms[back - 1])
        & (ms[back - 2] > ms[back])
        & (ms[back + 1] >= ms[back])
        & (ms[back + 1] < ms[back - 1])
    ]
    rising = ms.copy()
    usual = int(np.median(np.abs(np.diff(ms))))
    for step in steps.tolist():
        rising[step:] += rising[step - 1] - rising[step] + usual
    if (np.diff(rising) >= 0).all():
        return rising, steps
    fits = walk.longest_rise(rising)
    at = np.maximum.accumulate(np.where(fits, np.arange(len(ms)), -1))
    return rising[np.where(at < 0, int(np.argmax(fits)), at)], steps
