"""Lines of no file among a table's own: what was inferred, such as cards that only the camera saw."""

from typing import NamedTuple

import numpy as np

from replay.columns import I64, Columns, Lines


class Added(NamedTuple):
    """Lines of no file; ``file`` is -1, texts are numbers in the table's own words."""

    columns: Columns
    ms: I64  # on the common clock
    before: I64  # by line: the place in the order, from 0, that it comes before


class Ordered(NamedTuple):
    """A table's lines, which of them count in which order, and when each happened."""

    lines: Lines
    order: I64  # rows of ``lines``
    corrected: I64  # by row: ms on the common clock

    def insert(self, added: Added) -> "Ordered":
        """The same with lines added to the end of the rows and at their places in the order."""
        both = zip(self.lines.columns, added.columns, strict=True)
        columns = Columns(*(np.concatenate([own, new], axis=-1) for own, new in both))
        rows = len(self.lines) + np.arange(len(added.ms))
        return Ordered(
            Lines(columns, self.lines.words),
            np.insert(self.order, added.before, rows),
            np.concatenate([self.corrected, added.ms]),
        )
