"""Walks along the lines of a day, one after another: compiled."""

from typing import Final

import numpy as np
import numpy.typing as npt

from replay.columns import I32, I64, U8
from replay.compiled import entry

F64 = npt.NDArray[np.float64]

BURNED: Final = 3  # cards at most between two rounds

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
def levels(low: F64, high: F64, bin_ms: float, jump: int) -> F64:
    """Find the offset of a clock at each deal so that few deals contradict it and it seldom steps.

    ``low`` and ``high`` are the offsets that each deal leaves. A step costs as much as ``jump`` deals that contradict
    their offset (Viterbi's algorithm over bins of offsets).
    """
    count = len(low)
    least, most = np.inf, -np.inf
    for n in range(count):
        for limit in (low[n], high[n]):
            if np.isfinite(limit):
                least, most = min(least, limit), max(most, limit)
    if not least < most:
        return np.full(count, least if np.isfinite(least) else 0.0)
    size = int((most - least) / bin_ms) + 2
    first, last = np.zeros(count, np.int64), np.full(count, size - 1)
    for n in range(count):
        if low[n] != -np.inf:
            first[n] = int(np.ceil((low[n] - least) / bin_ms))
        if high[n] != np.inf:
            last[n] = int((high[n] - least) / bin_ms)
        if first[n] > last[n]:  # a deal that nothing suits is silent
            first[n], last[n] = 0, size - 1
    place, contradicted = _most_suited(first, last, size)
    if contradicted < jump:
        return np.full(count, least + place * bin_ms)
    cost, stepped = np.zeros(size, np.int64), np.zeros((count, size), np.bool_)
    origin = np.zeros(count, np.int64)
    for n in range(count):
        origin[n] = int(np.argmin(cost))
        most_cost = cost[origin[n]] + jump
        for place in range(size):
            if cost[place] > most_cost:
                cost[place], stepped[n, place] = most_cost, True
            if place < first[n] or place > last[n]:
                cost[place] += 1
    found = np.empty(count, np.float64)
    place = int(np.argmin(cost))
    for n in range(count - 1, -1, -1):
        found[n] = least + place * bin_ms
        if stepped[n, place]:
            place = origin[n]
    return found


@entry
def _most_suited(first: I64, last: I64, size: int) -> tuple[int, int]:
    """Find the bin that suits most deals, and count the deals that contradict it."""
    change = np.zeros(size + 1, np.int64)
    for n in range(len(first)):
        change[first[n]] += 1
        change[last[n] + 1] -= 1
    suited = np.cumsum(change[:-1])
    place = int(np.argmax(suited))
    return place, len(first) - suited[place]


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


@entry
def keep_burns(closed: I64, ended: I64, changes: I64, draws: I64) -> I64:
    """Move draws between two rounds behind the change of dealer between the same rounds, unless rounds are missing."""
    kept = draws.copy()
    for change in changes:
        following = np.searchsorted(closed, change)
        before = ended[following - 1] if following else -(1 << 62)
        after = closed[following] if following < len(closed) else 1 << 62
        first, last = np.searchsorted(draws, before), np.searchsorted(draws, after)
        if last - first <= BURNED:
            kept[first:last] = np.maximum(kept[first:last], change)
    return kept
