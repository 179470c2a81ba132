"""Parts of a day, each aligned by itself: what comes after a part changes nothing in it.

A part ends at a change of shoes that both logs name: the terminal's ``cut`` of the new shoe between two rounds, and
the shoe's first line about it. No clock is needed to know which lines come before that moment.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from pipelines.align.procedure import Mask, of_type
from pipelines.align.streams import Stream
from replay.columns import I64, SHOE, TERMINAL, Columns

ROUNDS: Final = 100  # of a part at least: clocks are worked out from them


class _Moment(NamedTuple):
    """A change of shoes: how many lines of the terminal and of the shoe come before it, and how many rounds."""

    terminal: int
    shoe: int
    rounds: int


def parts(columns: Columns, found: Sequence[Stream]) -> list[I64]:
    """Divide a table's lines into the rows of parts; into one where more devices than a terminal and a shoe log."""
    if [stream.source for stream in found] != [TERMINAL, SHOE]:
        return [np.arange(len(columns.type))]
    terminal, shoe = found
    number = np.zeros(len(columns.type), np.int64)
    before = np.zeros(len(terminal.rows), np.int64)  # by line of the terminal: the part in which its round began
    for count, moment in enumerate(_certain(columns, terminal, shoe), 1):
        before[moment.terminal :] = count
        number[shoe.rows[moment.shoe :]] = count
    words = columns.text("round")[terminal.rows].astype(np.int64)
    begun = np.full(int(words.max(initial=0)) + 1, len(words))
    np.minimum.at(begun, words, np.arange(len(words)))
    number[terminal.rows] = np.where(words > 0, before[begun[words]], before)
    return [np.flatnonzero(number == part) for part in range(int(number.max(initial=0)) + 1)]


def _certain(columns: Columns, terminal: Stream, shoe: Stream) -> Iterator[_Moment]:
    """Choose changes of shoes with enough rounds between them, and behind the last."""
    total = int(of_type(columns, terminal.rows, "bets_closed").sum())
    last = _Moment(0, 0, 0)
    for moment in _changes(columns, terminal, shoe):
        if moment.rounds < last.rounds + ROUNDS or moment.shoe <= last.shoe:
            continue
        if total < moment.rounds + ROUNDS:
            break
        yield moment
        last = moment


def _changes(columns: Columns, terminal: Stream, shoe: Stream) -> Iterator[_Moment]:
    """List the changes of shoes that both logs name, with no line missing beside them."""
    closes, ends = (of_type(columns, terminal.rows, name) for name in ("bets_closed", "round_end"))
    places, rounds = np.arange(len(closes)), np.cumsum(closes)
    closed, ended = (np.maximum.accumulate(np.where(marks, places, -1)) for marks in (closes, ends))
    names = columns.text("shoe")[shoe.rows]
    draws = np.flatnonzero(of_type(columns, shoe.rows, "draw"))
    torn = [_torn(columns, stream) for stream in (terminal, shoe)]
    for cut in np.flatnonzero(of_type(columns, terminal.rows, "cut")).tolist():
        own = np.flatnonzero(names == columns.text("shoe")[terminal.rows[cut]])
        if not len(own) or closed[cut] > ended[cut]:
            continue
        at = int(own[0])
        following = int(np.searchsorted(draws, at))
        if not 0 < following < len(draws):
            continue
        first, rows = draws[following], shoe.rows[draws[following]]
        fresh = names[first] == names[at] and columns.number("n")[rows] == 1
        behind = int(np.searchsorted(rounds, rounds[cut], side="right"))
        gaps = torn[0][ended[cut] + 1 : behind + 1].any() or torn[1][draws[following - 1] + 1 : first + 1].any()
        if fresh and not gaps:
            yield _Moment(cut, at, int(rounds[cut]))


def _torn(columns: Columns, stream: Stream) -> Mask:
    """Mark lines before which another is missing."""
    found: Mask = np.append(False, np.diff(columns.number("seq")[stream.rows]) > 1)
    return found
