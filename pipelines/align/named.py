"""Shoes and cards that the terminal names.

A line about a card comes after the card; a shoe is cut when it has been loaded and before its first card is drawn.
"""

import json
from collections.abc import Iterator, Sequence

import numpy as np

from pipelines.align.spans import of_type
from pipelines.align.streams import Stream
from replay.columns import ABSENT, I64, Columns


def before_their_lines(
    columns: Columns, words: Sequence[str], terminal: Stream, rows: I64, draws: I64, margin: int
) -> None:
    """Moves draws before the line that names them, where time cannot tell; changes ``draws``, the times of ``rows``."""
    ordinal, shoe = columns.number("n")[rows], columns.text("shoe")[rows]
    for ms, named_shoe, n in _named(columns, words, terminal):
        lo, hi = np.searchsorted(draws, [ms, ms + margin + 1])
        is_named = (ordinal[lo:hi] == n) & ((shoe[lo:hi] == named_shoe) | (named_shoe == 0))
        found = lo + np.flatnonzero(is_named)
        if len(found):
            draws[: found[0] + 1] = np.minimum(draws[: found[0] + 1], ms - 1)


def cuts(columns: Columns, terminal: Stream, shoe: Stream) -> I64:
    """The moments at which shoes were cut, and the least and most that the shoe's clock can be ahead by them."""
    name = columns.text("shoe")[shoe.rows]
    loads = of_type(columns, shoe.rows, "shoe_loaded")
    firsts = of_type(columns, shoe.rows, "draw") & (columns.number("n")[shoe.rows] == 1)
    loaded = dict(zip(name[loads].tolist(), shoe.ms[loads].tolist(), strict=True))
    drawn = dict(zip(name[firsts].tolist(), shoe.ms[firsts].tolist(), strict=True))
    cut = of_type(columns, terminal.rows, "cut")
    found = [
        (ms, loaded[word] - ms, drawn[word] - ms)
        for word, ms in zip(columns.text("shoe")[terminal.rows[cut]].tolist(), terminal.ms[cut].tolist(), strict=True)
        if word in loaded and loaded[word] < drawn.get(word, 0)
    ]
    return np.array(found, np.int64).reshape(-1, 3)


def _named(columns: Columns, words: Sequence[str], terminal: Stream) -> Iterator[tuple[int, int, int]]:
    """Time of a line, word of the shoe or 0, and ordinal of each card that it names."""
    for place in np.flatnonzero(of_type(columns, terminal.rows, "irregularity")).tolist():
        row = int(terminal.rows[place])
        one, several = int(columns.number("n")[row]), int(columns.text("n_list")[row])
        listed = json.loads(words[several]) if several else [one] if one != ABSENT else []
        for n in listed:
            yield int(terminal.ms[place]), int(columns.text("shoe")[row]), n
