"""Loads stored rows of ``events`` into the columns that the encoder reads."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

from replay.columns import NUMBERS, SEED_OF, SOURCES, TEXTS, TYPE_OF, Columns, Lines, listed

_TEXTS: Final = frozenset(TEXTS) - {"table"}  # which is the same in all rows


def lines_of(rows: pl.DataFrame) -> Lines:
    """Return rows of ``events`` as lines, row by row."""
    words = dict(SEED_OF)
    columns = Columns.blank(len(rows))
    _put(columns.source, rows["source"], SOURCES.index)
    _put(columns.type, rows["type"], TYPE_OF.__getitem__)
    for column in rows:
        if column.name in NUMBERS:
            _put(columns.number(column.name), column)
        elif column.name in _TEXTS:
            _put(columns.text(column.name), column, lambda text: words.setdefault(text, len(words)))
    own = ~np.isin(columns.type, [TYPE_OF["fault"], TYPE_OF["repaired"]])  # whose ``device`` is the one that failed
    columns.stream[own] = columns.text("device")[own]
    return Lines(columns, list(words))


def _put(out: npt.NDArray[Any], column: pl.Series, number: Callable[[str], int] | None = None) -> None:
    """Copy a column's values, or the numbers of its texts, and leave absent ones alone."""
    known = column.is_not_null().to_numpy() if column.null_count() else slice(None)
    values = column.drop_nulls()
    if len(values):
        out[known] = _whole(values) if number is None else _numbered(values, number)


def _whole(values: pl.Series) -> npt.NDArray[Any]:
    """Return whole numbers: 0 and 1 for truths, milliseconds since 1970 for times."""
    return values.to_physical().to_numpy()


def _numbered(values: pl.Series, number: Callable[[str], int]) -> npt.NDArray[Any]:
    """Return the number of each text; the text of a list is its JSON."""
    if isinstance(values.dtype, pl.List):
        values = pl.Series([listed(each) for each in values.to_list()])
    coded = values.to_arrow(compat_level=pl.CompatLevel.oldest()).dictionary_encode()
    numbers = np.array([number(text) for text in coded.dictionary.to_pylist()])
    return np.asarray(numbers[coded.indices.to_numpy()])
