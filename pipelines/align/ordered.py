"""Inferred lines: events that no file logged, such as cards that only the camera saw."""

from typing import NamedTuple

import numpy as np

from replay.columns import I64, Columns, Lines


class InferredLines(NamedTuple):
    """Columns of inferred lines. ``file`` is -1; texts are numbers in the table's list of words."""

    columns: Columns
    ms: I64  # time of each on the common clock
    before: I64  # index in the order before which each belongs


class OrderedLines(NamedTuple):
    """A table's lines with the order of events."""

    lines: Lines
    order: I64  # rows of ``lines`` in the order of events; rows that do not count are left out
    corrected: I64  # by row: ms on the common clock

    def insert(self, inferred: InferredLines) -> "OrderedLines":
        """Append inferred lines to the rows and insert them into the order."""
        both = zip(self.lines.columns, inferred.columns, strict=True)
        columns = Columns(*(np.concatenate([own, new], axis=-1) for own, new in both))
        rows = len(self.lines) + np.arange(len(inferred.ms))
        return OrderedLines(
            Lines(columns, self.lines.words),
            np.insert(self.order, inferred.before, rows),
            np.concatenate([self.corrected, inferred.ms]),
        )
