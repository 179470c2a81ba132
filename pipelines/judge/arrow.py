"""Numpy columns as Arrow columns of the datasets: names as dictionaries, absent values as nulls."""

import json
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pipelines.judge.pack import pick, present
from replay.columns import ABSENT, I64, U8, Mask
from replay.contract import forms
from replay.contract.forms import ValueForm

Ints = npt.NDArray[np.integer[Any]]
MOMENT: Final = pa.timestamp("ms", "UTC")


def names(numbers: Ints, texts: Sequence[str], none: int = 0) -> pa.DictionaryArray:
    """Numbers of texts as these texts; ``none`` is no text. Only texts that occur come into the dictionary."""
    rows = len(numbers)
    place, picked, valid = np.empty(len(texts), np.int32), np.zeros(rows, np.int32), _bits(rows)
    absent = pick(np.ascontiguousarray(numbers, np.int32), none, place, picked, valid)
    indices = _array(pa.int32(), picked, valid, absent)
    found = [texts[n] for n in np.flatnonzero(place >= 0).tolist()] if absent < rows else []
    return pa.DictionaryArray.from_arrays(indices, pa.array(found, pa.string()), safe=False)


def _bits(rows: int) -> U8:
    return np.zeros((rows + 7) // 8, np.uint8)


def _array(kind: pa.DataType, values: Any, valid: U8, absent: int) -> pa.Array:
    bits = pa.py_buffer(valid) if absent else None
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(values)], null_count=absent)


def one(text: str | None, rows: int) -> pa.DictionaryArray:
    """The same text in every row."""
    if text is None:
        return names(np.zeros(rows, np.int32), [""])
    words = pa.array([text] if rows else [], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), words)


def numbers(values: Ints, kind: pa.DataType | None = None, absent: Mask | None = None) -> pa.Array:
    """Numbers, null where they are absent."""
    if absent is not None:
        return pa.array(values, mask=absent).cast(kind or pa.int64(), safe=False)
    wide = np.ascontiguousarray(values, np.int64)
    valid = _bits(len(wide))
    missing = present(wide, ABSENT, valid)
    if missing == len(wide):
        return pa.nulls(len(wide), kind or pa.int64())
    found = _array(pa.int64(), wide, valid, missing)
    return found if kind is None else found.cast(kind, safe=False)


def small(values: Ints, absent: Mask | None = None) -> pa.Array:
    """Numbers of at most four digits; 0 is none unless ``absent`` says so."""
    return numbers(values, pa.int16(), values == 0 if absent is None else absent)


def truths(values: Ints) -> pa.Array:
    """0, 1 or absent."""
    return pa.array(values == 1, mask=values == ABSENT)


def moments(ms: Ints, absent: Mask | None = None) -> pa.Array:
    """Milliseconds since 1970 as points in time."""
    return numbers(ms, None, absent).cast(MOMENT, safe=False)


def field_numbers(form: ValueForm, values: Ints) -> pa.Array:
    """Numbers of a field, by its form."""
    if form.kind == forms.TRUTH:
        return truths(values)
    if form.kind == forms.TIME:
        return moments(values)
    if form.kind == forms.SHARE:
        return pa.array(np.where(values == ABSENT, 0, values) / forms.MILLION, mask=values == ABSENT)
    return numbers(values, pa.int16() if form.is_small else None)


def lists(words: Ints, texts: Sequence[str], read: Callable[[str], list[Any]], kind: pa.DataType) -> pa.Array:
    """Words of lists as lists; most rows have none."""
    rows = np.flatnonzero(words)
    if not len(rows):
        return pa.nulls(len(words), pa.list_(kind))
    known = {word: read(texts[word]) for word in np.unique(words[rows]).tolist()}
    found = [known[word] for word in words[rows].tolist()]
    sizes = np.zeros(len(words) + 1, np.int32)
    sizes[rows + 1] = [len(each) for each in found]
    values = pa.array([value for each in found for value in each], kind)
    return pa.ListArray.from_arrays(pa.array(np.cumsum(sizes, dtype=np.int32)), values, mask=pa.array(words == 0))


def read_list(text: str) -> list[Any]:
    """A list from its JSON."""
    found: list[Any] = json.loads(text)
    return found


def grouped(values: pa.Array, keys: I64, wanted: I64) -> pa.Array:
    """For each wanted key the values of that key, which are sorted by it, as a list."""
    first, last = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
    sizes = last - first
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    taken = np.repeat(first - offsets[:-1], sizes) + np.arange(offsets[-1])
    return pa.ListArray.from_arrays(pa.array(offsets), values.take(pa.array(taken)))


def table(day: date, table_id: str, rows: int, **columns: Any) -> pa.Table:
    """Columns of a dataset, with the day and the table before them."""
    days = pa.repeat(pa.scalar(day, pa.date32()), rows)
    return pa.table({"gaming_day": days, "table": one(table_id, rows), **columns})
