"""Columns of several files made into one: with one table of words, and each row in its place."""

import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from replay.columns import I32, I64, NUMBERS, SEEDS, TEXTS, Columns
from replay.compiled import entry


def merged_words(tables: Sequence[list[str]], columns: Sequence[Columns]) -> tuple[list[str], list[I32]]:
    """One table of the words in use, and by file the number there of each of its words.

    After the seeds the words come in their order as texts, so that it does not matter in which files they came.
    """
    used = [_used(words, rows) for words, rows in zip(tables, columns, strict=True)]
    more = sorted({tables[file][word] for file, own in enumerate(used) for word in own.tolist()})
    words = [*SEEDS, *more]
    number_of = {word: number for number, word in enumerate(words)}
    numbers = []
    for file, own in enumerate(used):
        mapped = np.zeros(len(tables[file]), np.int32)
        mapped[: len(SEEDS)] = np.arange(len(SEEDS))
        mapped[own] = [number_of[tables[file][word]] for word in own.tolist()]
        numbers.append(mapped)
    return words, numbers


def _used(words: list[str], columns: Columns) -> I64:
    """Words beside the seeds that rows have."""
    is_used = np.zeros(len(words), np.bool_)
    _mark(columns.texts, is_used)
    is_used[: len(SEEDS)] = False
    return np.flatnonzero(is_used).astype(np.int64)


@entry
def _mark(texts: I32, is_used: npt.NDArray[np.bool_]) -> None:
    for field in range(texts.shape[0]):
        for row in range(texts.shape[1]):
            is_used[texts[field, row]] = True


def placed(columns: Sequence[Columns], numbers_of: Sequence[I32], file: I64, row: I64, stream: I64) -> Columns:
    """The rows that ``file`` and ``row`` name, in that order."""
    count = len(file)
    out = Columns(
        file=file.astype(np.int32),
        line=np.empty(count, np.int32),
        source=np.empty(count, np.uint8),
        type=np.empty(count, np.uint8),
        offset_minutes=np.empty(count, np.int16),
        numbers=np.empty((len(NUMBERS), count), np.int64),
        texts=np.empty((len(TEXTS), count), np.int32),
        stream=stream.astype(np.int32),
    )
    for place, own in enumerate(columns):
        there = np.flatnonzero(file == place)
        if len(there):
            _put(out, own, _run(there), _run(row[there]))
            _put_words(out.texts, own.texts, numbers_of[place], there, row[there])
    return out


def _run(rows: npt.NDArray[np.int64] | npt.NDArray[np.intp]) -> slice | npt.NDArray[np.intp]:
    """Rows as a slice where they follow each other, which copies faster."""
    if rows[-1] - rows[0] == len(rows) - 1 and bool((np.diff(rows) == 1).all()):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows.astype(np.intp)


@entry
def _put_words(out: I32, own: I32, numbers: I32, there: I64, rows: I64) -> None:
    """Bring a file's words to their rows, by their numbers in the one table."""
    for field in range(own.shape[0]):
        for n in range(len(rows)):
            out[field, there[n]] = numbers[own[field, rows[n]]]


def _put(out: Columns, own: Columns, there: slice | npt.NDArray[np.intp], rows: slice | npt.NDArray[np.intp]) -> None:
    out.line[there] = own.line[rows]
    out.source[there] = own.source[rows]
    out.type[there] = own.type[rows]
    out.offset_minutes[there] = own.offset_minutes[rows]
    for field in range(len(NUMBERS)):
        out.numbers[field, there] = own.numbers[field, rows]


def same_content(
    columns: Sequence[Columns],
    numbers_of: Sequence[I32],
    words: list[str],
    file: I64,
    row: I64,
    other_file: I64,
    other_row: I64,
) -> npt.NDArray[np.bool_]:
    """Flag the lines whose content equals their counterparts', however written: a value equals a list of it alone."""
    nowhere = np.zeros(len(file), np.int64)
    one = placed(columns, numbers_of, file, row, nowhere)
    other = placed(columns, numbers_of, other_file, other_row, nowhere)
    for rows in (one, other):
        _unlist(rows, words)
    same = (one.type == other.type) & (one.offset_minutes == other.offset_minutes)
    same &= (one.numbers == other.numbers).all(axis=0) & (one.texts == other.texts).all(axis=0)
    return np.asarray(same)


def _unlist(columns: Columns, words: list[str]) -> None:
    """Lists of one become their one value."""
    number_of = {word: number for number, word in enumerate(words)}
    by, cards, n = columns.text("by"), columns.text("n_list"), columns.number("n")
    for word in np.unique(by).tolist():
        values = json.loads(words[word]) if words[word].startswith("[") else []
        if len(values) == 1:
            by[by == word] = number_of.get(values[0], word)  # no line has it alone: nothing to mistake it for
    for word in np.unique(cards).tolist():
        values = json.loads(words[word]) if word else []
        if len(values) == 1:
            is_one = cards == word
            n[is_one], cards[is_one] = values[0], 0
