"""A shoe's clock, worked out from when cards were drawn and what the terminal logged of the same rounds."""

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from pipelines.align import clock as C
from pipelines.align import votes, walk
from pipelines.align.clock import Bounds, Clock, Piece
from pipelines.align.procedure import SPANS_EACH, Asked, Deals, Mask, Spans, spans
from pipelines.align.track import BIN_MS, NEAR_MS, Window, nearest, window
from replay.columns import I64, U8

_ROUNDS: Final = 8  # of a window
_FAR_ROUNDS: Final = 64  # of a window in which offsets far away are looked for
_TOLERANCE_MS: Final = 1_200  # how far a draw may be from its side of a line before the clock is fitted
_FAR_MS: Final = 1_500  # a bound that the rough offset breaks by more is of a card matched to the wrong line
_BLUR_MS: Final = 150  # bounds of one clock contradict each other by twice that: stamps come late
_BIN_MS: Final = 50.0
_STEP: Final = 3  # deals that have to tell of a step
_TIMES: Final = 2  # cards are matched to lines and the clock fitted to them
_DRIFTS: Final = 3  # times that steps are looked for: first without a drift, then with that which the pieces show


class Facts(NamedTuple):
    """Facts that a shoe's clock is fitted to; times of terminal and shoe are each on their own clock."""

    deals: Deals
    asked: Asked
    draws: I64  # ms of the shoe
    fresh: U8  # by draw: whether it is the first of a shoe
    breaks: I64  # ms of the shoe at which it was seen to be set back


class Fitted(NamedTuple):
    """A shoe's clock, and by deal the place of its first draw among the shoe's."""

    clock: Clock
    firsts: I64


def fit(facts: Facts, lines: I64, known: I64 | None = None) -> Fitted | None:
    """Work out the clock of a shoe with lines at ``lines`` (ms, rising); None where there is nothing to go by.

    ``known`` has the first draw of each deal where the cards tell it; otherwise the clock is looked for roughly first.
    """
    if not len(facts.draws) or not len(facts.deals.closed):
        return None
    ends = int(lines[0]), int(lines[-1]) + 1
    if known is not None:
        return Fitted(Clock(_pieces(facts, known, _bounds(facts, known, None), ends), sure=True), known)
    track = nearest(lambda reach: _windows(facts, reach))
    offsets = np.repeat(track.offsets, track.sizes)
    tolerance = np.full(len(offsets), _TOLERANCE_MS)
    for _ in range(_TIMES):
        firsts = _firsts(facts, offsets, tolerance)
        clock = Clock(_pieces(facts, firsts, _bounds(facts, firsts, offsets), ends), track.sure)
        offsets = clock.ahead(facts.deals.closed + clock.ahead(facts.deals.closed + offsets))
        tolerance = np.minimum(_TOLERANCE_MS, 2 * clock.uncertainty(facts.deals.closed + offsets))
    return Fitted(clock, _firsts(facts, offsets, tolerance))


def contradicted(facts: Facts, firsts: I64, clock: Clock) -> Mask:
    """Mark deals whose cards contradict the clock by more than stamps come late."""
    bounds = _bounds(facts, firsts, None)
    ahead = clock.ahead(facts.deals.closed + clock.ahead(facts.deals.closed))
    found: Mask = (bounds.low > ahead + 2 * _BLUR_MS) | (bounds.high < ahead - 2 * _BLUR_MS)
    return found


def _windows(facts: Facts, reach: int) -> list[Window]:
    """Let windows of some rounds each vote for offsets."""
    every, ends = spans(facts.deals), facts.deals.ended
    size = _ROUNDS if reach == NEAR_MS else _FAR_ROUNDS
    windows = []
    for first in range(0, len(ends), size):
        last = min(first + size, len(ends))
        part = Spans(*(column[SPANS_EACH * first : SPANS_EACH * last] for column in every))
        tally = np.zeros(2 * reach // BIN_MS + 1, np.int64)
        votes.tally(*part, facts.draws, BIN_MS, tally)
        middle = int(facts.deals.closed[first] + ends[last - 1]) // 2
        windows.append(window(middle, tally, int((part.least <= part.most).sum()), last - first))
    return windows


def _firsts(facts: Facts, offsets: I64, tolerance: I64) -> I64:
    deals = facts.deals
    found = np.zeros(len(deals.closed), np.int64)
    votes.first_draws(*deals[:2], deals.quiet, deals.cards, facts.draws, facts.fresh, offsets, tolerance, found)
    return found


def _pieces(facts: Facts, firsts: I64, bounds: Bounds, ends: tuple[int, int]) -> tuple[Piece, ...]:
    """Fit pieces to the bounds of all deals."""
    at, drift = bounds.at, 0.0
    for _ in range(_DRIFTS):
        gained = drift * (at - at[0])
        low, high = bounds.low - gained - _BLUR_MS, bounds.high - gained + _BLUR_MS
        level = walk.levels(low, high, _BIN_MS, _STEP)
        kept = (low <= level) & (level <= high)
        begins = np.append(0, np.flatnonzero(np.diff(level)) + 1)
        parts = np.split(np.arange(len(at)), begins[1:])
        drift = C.even_drift([bounds.take(part[kept[part]]) for part in parts if kept[part].any()])
    edges = [ends[0], *at[begins[1:]].tolist(), ends[1]]
    pieces = [C.fit(bounds.take(part), kept[part], edges[n], edges[n + 1], drift) for n, part in enumerate(parts)]
    return _cut(facts, pieces, begins, firsts)


def _bounds(facts: Facts, firsts: I64, rough: I64 | None) -> Bounds:
    """List what the cards of every round say of the clock, but for bounds far from rough offsets of the deals."""
    deals, draws, size = facts.deals, facts.draws, len(facts.draws)
    every = np.arange(len(firsts))
    last, answers = firsts + deals.cards - 1, firsts[facts.asked.deal] + deals.cards[facts.asked.deal] + facts.asked.nth
    begun, dealt = firsts < size, (last < size) & deals.exact
    asked, followed = answers < size, (answers < size) & (facts.asked.before >= 0)
    above = _limits(
        draws,
        (every[begun], firsts[begun], deals.closed[begun]),
        (facts.asked.deal[asked], answers[asked], facts.asked.after[asked]),
    )
    below = _limits(
        draws,
        (every[dealt], last[dealt], deals.dealt[dealt]),
        (facts.asked.deal[followed], answers[followed], facts.asked.before[followed]),
    )
    if rough is not None:
        above = tuple(column[above[1] - rough[above[0]] > -_FAR_MS] for column in above)
        below = tuple(column[below[1] - rough[below[0]] < _FAR_MS] for column in below)
    low, high = np.full(len(firsts), -np.inf), np.full(len(firsts), np.inf)
    np.maximum.at(low, below[0], below[1])
    np.minimum.at(high, above[0], above[1])
    return Bounds(draws[np.minimum(firsts, size - 1)], low, high)


def _limits(draws: I64, *parts: tuple[I64, I64, I64]) -> tuple[I64, ...]:
    """Deals, and offsets at which draws would pass lines; parts are deals, places of draws, times of lines."""
    deal, place, line = (np.concatenate(each) for each in zip(*parts, strict=True))
    return deal, draws[place] - line


def _cut(facts: Facts, pieces: list[Piece], begins: I64, firsts: I64) -> tuple[Piece, ...]:
    """Let each piece begin where the shoe's clock was seen to be set back, if it was beside the piece's first deal.

    Otherwise it begins at the draw from which on it suits the round in play better than the piece before.
    """
    found = [pieces[0]]
    last = np.append(firsts, len(facts.draws))
    for n in range(1, len(pieces)):
        deal = begins[n] - 1
        beside = facts.draws[last[deal] : last[begins[n] + 1]]
        seen = facts.breaks[(facts.breaks > beside[:1]) & (facts.breaks <= beside[-1:])]
        shown = facts.draws[last[deal] : last[begins[n]]]
        since = int(seen[0]) if len(seen) else _turn(facts, pieces[n - 1 : n + 1], deal, shown)
        moved = float(pieces[n].at(np.array([since]))[0])
        found.append(replace(pieces[n], since_ms=since, offset_ms=moved))
    return C.joined(found)


def _turn(facts: Facts, pieces: list[Piece], deal: int, shown: I64) -> int:
    """Find the moment of the draw from which on the second of two pieces suits the round in play better."""
    if not len(shown):
        return pieces[1].since_ms
    closed, ended = facts.deals.closed[deal], facts.deals.ended[deal]
    off = []
    for piece in pieces:
        ms = shown - piece.at(shown)
        off.append(np.maximum(closed - ms, 0) + np.maximum(ms - ended, 0))
    cost = np.append(0, np.cumsum(off[0])) + np.append(np.cumsum(off[1][::-1])[::-1], 0)
    cut = len(cost) - 1 - int(np.argmin(cost[::-1]))
    return int(shown[cut - 1]) + 1 if cut else int(shown[0])
