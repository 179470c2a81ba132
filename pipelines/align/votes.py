"""How many facts each offset of a clock agrees with: compiled."""

import numpy as np

from replay.columns import I64, U8
from replay.compiled import entry


@entry
def tally(begins: I64, ends: I64, least: I64, most: I64, draws: I64, bin_ms: int, votes: I64) -> None:
    """Count, for offsets from -reach to reach in bins, the spans that hold as many draws as they should.

    A clock that is ``x`` ms ahead moves every draw back by ``x``.
    """
    reach = (votes.shape[0] - 1) * bin_ms // 2
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
def matches(seen: I64, seen_card: I64, drawn: I64, drawn_card: I64, reach: int, bin_ms: int, votes: I64) -> None:
    """Count how long after a draw the same card was seen, in bins from -reach to reach; draws are sorted by card."""
    for n in range(len(seen)):
        first = np.searchsorted(drawn_card, seen_card[n], side="left")
        last = np.searchsorted(drawn_card, seen_card[n], side="right")
        at = first + np.searchsorted(drawn[first:last], seen[n] - reach, side="right")
        while at < last and seen[n] - drawn[at] > -reach:
            votes[(seen[n] - drawn[at] + reach) // bin_ms] += 1
            at += 1


@entry
def peaks(votes: I64, near: int, apart: int, lows: I64, highs: I64, heights: I64) -> None:
    """Find the highest runs of equal bins, at least ``apart`` bins from each other: first and last bin, and height.

    Of equal ones, the nearest to bin ``near`` comes first. Changes ``votes``.
    """
    size = votes.shape[0]
    for k in range(heights.shape[0]):
        best = -1
        for at in range(size):
            if best < 0 or votes[at] > votes[best] or (votes[at] == votes[best] and abs(at - near) < abs(best - near)):
                best = at
        height = votes[best]
        first = last = best
        while first > 0 and votes[first - 1] == height:
            first -= 1
        while last + 1 < size and votes[last + 1] == height:
            last += 1
        lows[k], highs[k], heights[k] = first, last, max(height, 0)
        for at in range(max(0, first - apart), min(size, last + apart + 1)):
            votes[at] = -1


@entry
def nearest(seen: I64, seen_card: I64, drawn: I64, drawn_card: I64, late: I64) -> None:
    """Say how long after the nearest draw of the same card each was seen; 1 << 60 where there is no such draw."""
    for n in range(len(seen)):
        first = np.searchsorted(drawn_card, seen_card[n], side="left")
        last = np.searchsorted(drawn_card, seen_card[n], side="right")
        at = first + np.searchsorted(drawn[first:last], seen[n])
        late[n] = 1 << 60
        for place in range(max(first, at - 1), min(last, at + 1)):
            if abs(seen[n] - drawn[place]) < abs(late[n]):
                late[n] = seen[n] - drawn[place]


@entry
def first_draws(
    closed: I64, dealt: I64, quiet: I64, cards: I64, draws: I64, fresh: U8, offset: I64, tolerance: I64, firsts: I64
) -> None:
    """Find each round's first draw: the first after its bets were closed, or a near one that suits the round better.

    Within ``tolerance`` of that moment, the draw is chosen with which as many cards as needed come before the first
    decision, and none (but for a burn) between ``quiet``, the end of the round before, and the closing of bets.
    """
    size = draws.shape[0]
    for k in range(closed.shape[0]):
        at, until = closed[k] + offset[k], dealt[k] + offset[k]
        place = np.searchsorted(draws, at)
        best, least = place, 1 << 60
        for b in range(max(0, place - 4), min(size, place + 4) + 1):
            late = draws[b - 1] - at if b > place else 0
            early = at - draws[b] if b < place else 0
            if max(late, early) > tolerance[k]:
                continue
            last = b + cards[k] - 1
            over = max(0, draws[last] - until) if last < size else 0
            stray = max(0, draws[b - 1] - quiet[k] - offset[k]) if b > 0 and not fresh[b - 1] else 0
            cost = late + early + over + stray
            if cost < least or (cost == least and abs(b - place) < abs(best - place)):
                best, least = b, cost
        firsts[k] = best
