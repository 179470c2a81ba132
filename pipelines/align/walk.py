"""Walks along the lines of a day, one after another: compiled."""

from typing import Final

import numpy as np
import numpy.typing as npt

from replay.columns import I32, I64, U8
from replay.compiled import entry

# What a line does to the round in play.
PASSES: Final = 0
BEGINS: Final = 1
ENDS: Final = 2


@entry
def longest_rise(ms: I64) -> npt.NDArray[np.bool_]:
    """Marks a longest selection of times that never go back."""
    rows = len(ms)
    tail = np.empty(rows, np.int64)  # row that ends the rise of each length, with the least time
    before = np.empty(rows, np.int64)
    length = 0
    for row in range(rows):
        lo, hi = 0, length
        while lo < hi:
            mid = (lo + hi) // 2
            if ms[tail[mid]] <= ms[row]:
                lo = mid + 1
            else:
                hi = mid
        before[row] = tail[lo - 1] if lo else -1
        tail[lo] = row
        length = max(length, lo + 1)
    marked = np.zeros(rows, np.bool_)
    row = tail[length - 1] if rows else -1
    while row >= 0:
        marked[row] = True
        row = before[row]
    return marked


@entry
def number(words: I32, place: I64, numbers: I64) -> int:
    """Numbers words from 0 as they first come, in ``place`` by word and ``numbers`` by line; -1 is no word.

    Returns how many there are; ``place`` has -1 for all words.
    """
    count = 0
    for n in range(len(words)):
        word = words[n]
        if word != 0 and place[word] < 0:
            place[word] = count
            count += 1
        numbers[n] = place[word]
    return count


@entry
def in_play(does: U8, number: I64) -> I64:
    """The round in play after each line, -1 for none."""
    after = np.empty(len(does), np.int64)
    current = -1
    for n in range(len(does)):
        if does[n] == BEGINS:
            current = number[n]
        elif does[n] == ENDS and number[n] == current:
            current = -1
        after[n] = current
    return after


@entry
def mend(begins: I64, ends: I64, least: I64, most: I64, draws: I64, margin: int) -> None:
    """Moves draws over a line of the terminal where time cannot tell and spans can; changes ``draws``.

    A hit's card comes after its decision: a span without its card takes one that lies within the margin before or after
    it, where the span that it lies in has one too many. A span with too many gives one that lies within the margin of
    its ends to where no span knows better.
    """
    last_span = len(begins) - 1
    for n in range(len(begins)):
        a, b = begins[n], ends[n]
        first, last = np.searchsorted(draws, a), np.searchsorted(draws, b)
        joins_before = n > 0 and ends[n - 1] == a
        joins_after = n < last_span and begins[n + 1] == b
        if last - first < least[n]:
            spare_before = joins_before and first - np.searchsorted(draws, begins[n - 1]) > most[n - 1]
            spare_after = joins_after and np.searchsorted(draws, ends[n + 1]) - last > most[n + 1]
            if spare_before and a - draws[first - 1] <= margin:
                draws[first - 1] = a
            elif spare_after and draws[last] - b < margin:
                draws[last] = b - 1
        elif last - first > most[n]:
            if not joins_after and b - draws[last - 1] <= margin:
                draws[last - 1] = b
            elif not joins_before and draws[first] - a < margin:
                draws[first] = a - 1


@entry
def put_before(lines: I64, following: I64, ms: I64, margin: int) -> None:
    """Moves times within the margin after a line, if the one that follows it is later, before it; changes ``ms``."""
    for n in range(len(lines)):
        for place in range(np.searchsorted(ms, lines[n]), np.searchsorted(ms, min(lines[n] + margin, following[n]))):
            ms[place] = lines[n] - 1


@entry
def put_after(lines: I64, before: I64, ms: I64, margin: int) -> None:
    """Moves times within the margin before a line, if the one before it is earlier, after it; changes ``ms``."""
    for n in range(len(lines)):
        for place in range(np.searchsorted(ms, max(lines[n] - margin, before[n])), np.searchsorted(ms, lines[n])):
            ms[place] = lines[n]


@entry
def put_out(begins: I64, ends: I64, ms: I64, margin: int) -> None:
    """Moves times that lie within the margin inside a span out of it, over its nearer end; changes ``ms``."""
    for n in range(len(begins)):
        a, b = begins[n], ends[n]
        for place in range(np.searchsorted(ms, a), np.searchsorted(ms, b)):
            if ms[place] - a <= min(margin, b - ms[place]):
                ms[place] = a - 1
            elif b - ms[place] <= margin:
                ms[place] = b
