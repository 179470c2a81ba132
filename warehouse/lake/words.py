"""Columns of words from several tables, each with a dictionary of its own, as one column with one dictionary."""

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from replay.compiled import entry

I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]


def tidy_words(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """The same words in one chunk; the dictionary has just those in use, in alphabetical order."""
    rows = len(column)
    if column.null_count == rows:
        return pa.DictionaryArray.from_arrays(pa.nulls(rows, pa.int32()), pa.array([], pa.string()))
    chunks = column.chunks
    every = pa.concat_arrays([chunk.dictionary for chunk in chunks]).dictionary_encode(null_encoding="encode")
    by_text = pc.sort_indices(every.dictionary)
    words = every.dictionary.take(by_text)
    rank = np.empty(len(words), np.int32)
    rank[by_text.to_numpy()] = np.arange(len(words), dtype=np.int32)
    place: I32 = rank[every.indices.to_numpy()]  # of the chunks' words, one chunk after the other
    numbers, valid, used = np.zeros(rows, np.int32), np.zeros((rows + 7) // 8, np.uint8), np.zeros(len(words), np.int32)
    first = 0
    for chunk in chunks:
        if len(chunk.dictionary):
            given, there, start = _parts(chunk.indices)
            _renumber(given, there, start, place, first, numbers, valid, used)
        first += len(chunk)
        place = place[len(chunk.dictionary) :]
    if not used.all():
        words = words.filter(pa.array(used.astype(np.bool_)))
        numbers = (np.cumsum(used, dtype=np.int32) - 1)[numbers]
    bits = pa.py_buffer(valid) if column.null_count else None
    indices = pa.Array.from_buffers(pa.int32(), rows, [bits, pa.py_buffer(numbers)], null_count=column.null_count)
    return pa.DictionaryArray.from_arrays(indices, words, safe=False)


def _parts(indices: pa.Array) -> tuple[I32, U8, int]:
    """Numbers, the bits that say which are there (none: all are), and where both begin."""
    bits, data = indices.buffers()
    end = indices.offset + len(indices)
    numbers = np.frombuffer(data, np.int32, end)
    return numbers, np.frombuffer(b"" if bits is None else bits, np.uint8), indices.offset


@entry
def _renumber(numbers: I32, bits: U8, start: int, place: I32, first: int, out: I32, valid: U8, used: I32) -> None:
    """Bring a chunk's numbers of words into ``out`` from ``first`` on, and mark which words occur."""
    for row in range(start, len(numbers)):
        if len(bits) == 0 or bits[row >> 3] >> (row & 7) & 1:
            number = place[numbers[row]]
            at = first + row - start
            out[at] = number
            valid[at >> 3] |= 1 << (at & 7)
            used[number] = 1
