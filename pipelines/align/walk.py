"""Walks along the lines of a day, one after another: compiled."""

from typing import Final

import numpy as np
import numpy.typing as npt

from replay.columns import I32, I64, U8
from replay.compiled import entry

F64 = npt.NDArray[np.float64]

# What a line does to the round in play.
PASSES: Final = 0
BEGINS: Final = 1
ENDS: Final = 2


@entry
def longest_rise(ms: I64) -> npt.NDArray[np.bool_]:
    """Mark a longest selection of times that never go back."""
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
    """Number words from 0 as they first come, in ``place`` by word and ``numbers`` by line; -1 is no word.

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
    """Name the round in play after each line, -1 for none."""
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
def steps(at: I64, low: F64, high: F64, drift: float, tolerance: float, confirm: int) -> I64:
    """Find the deals at which a clock stepped, the first included: no offset suits those before and from there on.

    ``low`` and ``high`` are the offsets that each deal leaves; ``confirm`` further deals have to tell the same.
    """
    found = np.zeros(len(at), np.int64)
    count, since = 1, 0
    lo, hi = -np.inf, np.inf
    for k in range(len(at)):
        if low[k] > high[k] + tolerance:
            continue  # it stepped in mid-round: the next one tells
        wider = drift * (at[k] - at[since])
        a, b = max(lo - wider, low[k]), min(hi + wider, high[k])
        if a <= b + tolerance:
            lo, hi, since = min(a, b), max(a, b), k
            continue
        against = 0
        for n in range(k + 1, min(k + 4, len(at))):
            wider = drift * (at[n] - at[since])
            against += max(lo - wider, low[n]) > min(hi + wider, high[n]) + tolerance
        if against >= min(confirm, len(at) - 1 - k):
            found[count] = k
            count += 1
            lo, hi, since = low[k], high[k], k
    return found[:count].copy()


@entry
def keep_sides(closed: I64, ended: I64, quiet: I64, firsts: I64, reach: I64, draws: I64) -> None:
    """Move draws within the clock's uncertainty to their side of the closing of bets and of a round's end.

    ``firsts`` has the place of each round's first draw, ``reach`` the uncertainty there; changes ``draws``.
    """
    size = len(draws)
    for k in range(len(closed)):
        first = firsts[k]
        for place in range(first - 1, -1, -1):
            if draws[place] < closed[k]:
                break
            draws[place] = closed[k] - 1
        for place in range(first, size):
            if draws[place] >= closed[k]:
                break
            draws[place] = closed[k]
        following = firsts[k + 1] if k + 1 < len(closed) else size
        if k + 1 < len(closed) and quiet[k + 1] == closed[k + 1]:
            continue  # a new dealer burns a card between the rounds
        for place in range(first, following):
            if ended[k] <= draws[place] < ended[k] + reach[k]:
                draws[place] = ended[k] - 1


@entry
def keep_rounds(closed: I64, ended: I64, deal: I64, draws: I64) -> I64:
    """Move draws into the rounds that they belong to, and those of no round between the rounds beside them."""
    kept = draws.copy()
    before = -(1 << 62)
    for n in range(len(draws)):
        if deal[n] >= 0:
            before = ended[deal[n]]
        else:
            kept[n] = max(kept[n], before)
    after = 1 << 62
    for n in range(len(draws) - 1, -1, -1):
        if deal[n] >= 0:
            after = closed[deal[n]]
            kept[n] = max(min(kept[n], ended[deal[n]] - 1), closed[deal[n]])
        else:
            kept[n] = min(kept[n], after - 1)
    return kept
