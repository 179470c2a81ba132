"""Which readings of a clock suit how many spans: compiled.

A clock that is ``x`` ms ahead moves every draw back by ``x``. A span votes for all ``x`` that leave it with as many
draws as it wants; what most spans vote for is how far the clock is ahead.
"""

from typing import Final

import numpy as np

from replay.columns import I64
from replay.compiled import entry

DRIFT_BITS: Final = 30


@entry
def tally(begins: I64, ends: I64, least: I64, most: I64, draws: I64, cuts: I64, bin_ms: int, votes: I64) -> None:
    """Votes of spans, and of cuts with their own readings, for every reading from -reach to reach, in bins."""
    top = votes.shape[0] - 1
    reach = top * bin_ms // 2
    for n in range(cuts.shape[0]):
        votes[min(top, max(0, (cuts[n, 1] + reach) // bin_ms))] += 1
        votes[min(top, max(0, (cuts[n, 2] + reach) // bin_ms))] -= 1
    for n in range(begins.shape[0]):
        a, b = begins[n], ends[n]
        first, last = np.searchsorted(draws, a - reach, side="right"), np.searchsorted(draws, a + reach, side="left")
        for out in range(first, last + 1):  # so many draws come before the span
            low = draws[out - 1] - a if out > first else -reach
            high = draws[out] - a if out < last else reach
            if least[n] > 0:  # late enough for the last draw that it has to hold, and too early for the first too many
                low = max(low, draws[out + least[n] - 1] - b) if out + least[n] <= draws.shape[0] else high
            if out + most[n] < draws.shape[0]:
                high = min(high, draws[out + most[n]] - b)
            if low < high:
                votes[(low + reach) // bin_ms] += 1
                votes[(high + reach) // bin_ms] -= 1
    for at in range(1, votes.shape[0]):
        votes[at] += votes[at - 1]


@entry
def around(votes: I64, place: int, least: int) -> tuple[int, int]:
    """The run of readings around one, with at least so many votes each: from, up to and not including."""
    first, after = place, place
    while first > 0 and votes[first - 1] >= least:
        first -= 1
    while after < votes.shape[0] and votes[after] >= least:
        after += 1
    return first, after


@entry
def intervals(begins: I64, ends: I64, least: I64, most: I64, draws: I64, ahead: I64, reach: int, out: I64) -> int:
    """The readings within ``reach`` of ``ahead`` (one for each span) that suit it: rows of span, from, until.

    Returns how many there are; ``out`` holds no more than it has room for.
    """
    found = 0
    for n in range(begins.shape[0]):
        a, b = begins[n] + ahead[n], ends[n] + ahead[n]
        x = -reach
        left = np.searchsorted(draws, a + x, side="right")
        into = np.searchsorted(draws, b + x, side="left")
        while x < reach:
            leaves = draws[left] - a if left < draws.shape[0] else reach
            enters = draws[into] - b if into < draws.shape[0] else reach
            until = min(leaves, enters, reach)
            if least[n] <= into - left <= most[n] and until > x:
                joins = found > 0 and out[found - 1, 0] == n and out[found - 1, 2] == x
                if joins:
                    out[found - 1, 2] = until
                elif found < out.shape[0]:
                    out[found, 0], out[found, 1], out[found, 2] = n, x, until
                    found += 1
            left += 1 if leaves == until else 0
            into += 1 if enters == until else 0
            x = until
    return found


@entry
def sweep(
    held: I64, at_s: I64, near: I64, near_at_s: I64, drifts: I64, reach: int, close: int, price: int, out: I64
) -> None:
    """For every drift the reading that spans suit and from which lines of both logs stay far.

    Drifts are in ms a second, times 2 ** DRIFT_BITS. ``held`` are readings that suit a span, from and until, and
    ``at_s`` their moments; ``near`` the readings at which a line of one log passes a line of the other, of which
    ``close`` may be near. The margin is how far the others are away; every span that is left unsuited has to win
    ``price`` ms of it. Rows of ``out``: votes, reading, margin.
    """
    size = 2 * reach + 2
    votes = np.zeros(size, np.int64)
    passed = np.zeros(size + 1, np.int64)
    for row in range(drifts.shape[0]):
        drift = drifts[row]
        votes[:] = 0
        passed[:] = 0
        for n in range(held.shape[0]):
            shift = reach - (at_s[n] * drift >> DRIFT_BITS)
            votes[min(size - 1, max(0, held[n, 0] + shift))] += 1
            votes[min(size - 1, max(0, held[n, 1] + shift))] -= 1
        for n in range(near.shape[0]):
            place = near[n] + reach - (near_at_s[n] * drift >> DRIFT_BITS)
            if 0 <= place < size:
                passed[place + 1] += 1
        best = 0
        for place in range(1, size):
            votes[place] += votes[place - 1]
            passed[place] += passed[place - 1]
            if place < size - 1:
                best = max(best, votes[place])
        passed[size] += passed[size - 1]
        worth = -1
        for place in range(1, size - 1):
            cost = (best - votes[place]) * price
            # Widen as far as few enough lines are within the margin on both sides.
            margin = max(0, worth + cost)
            while margin < reach:
                lo, hi = max(0, place - margin), min(size, place + margin + 1)
                if passed[hi] - passed[lo] > close:
                    break
                margin += 1
            if margin - cost > worth:
                worth = margin - cost
                out[row, 0], out[row, 1], out[row, 2] = votes[place], place - reach, margin


@entry
def matches(seen: I64, seen_card: I64, drawn: I64, drawn_card: I64, reach: int, bin_ms: int, tally: I64) -> None:
    """Counts how long after a draw the same card was seen, in bins from -reach to reach; draws are sorted by card."""
    for n in range(len(seen)):
        first = np.searchsorted(drawn_card, seen_card[n], side="left")
        last = np.searchsorted(drawn_card, seen_card[n], side="right")
        at = first + np.searchsorted(drawn[first:last], seen[n] - reach, side="right")
        while at < last and seen[n] - drawn[at] > -reach:
            tally[(seen[n] - drawn[at] + reach) // bin_ms] += 1
            at += 1


@entry
def nearest(seen: I64, seen_card: I64, drawn: I64, drawn_card: I64, late: I64) -> None:
    """How long after the nearest draw of the same card each was seen; without such a draw the greatest number."""
    for n in range(len(seen)):
        first = np.searchsorted(drawn_card, seen_card[n], side="left")
        last = np.searchsorted(drawn_card, seen_card[n], side="right")
        at = first + np.searchsorted(drawn[first:last], seen[n])
        late[n] = 1 << 60
        for place in range(max(first, at - 1), min(last, at + 1)):
            if abs(seen[n] - drawn[place]) < abs(late[n]):
                late[n] = seen[n] - drawn[place]
