"""A shoe's clock, worked out from when cards were drawn and what the terminal logged of the same rounds."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from pipelines.align import clock as C
from pipelines.align import votes, walk
from pipelines.align.clock import F64, Bounds, Clock, Piece
from pipelines.align.procedure import SPANS_EACH, Asked, Deals, Mask, Spans, spans
from pipelines.align.track import BIN_MS, NEAR_MS, Window, nearest, window
from replay.columns import I64, U8

_ROUNDS: Final = 8  # of a window
_FAR_ROUNDS: Final = 64  # of a window in which offsets far away are looked for
_TOLERANCE_MS: Final = 1_200  # how far a draw may be from its side of a line before the clock is fitted
_FAR_MS: Final = 1_500  # a bound that the rough offset breaks by more is of a card matched to the wrong line
_BLUR_MS: Final = 150  # bounds of one clock contradict each other by twice that: stamps come late
_BIN_MS: Final = 50.0
_MOVE: Final = 10  # hundredths of a deal: a bin up or down between two deals, as a clock drifts
_STEP: Final = 300  # hundredths of a deal: deals that have to tell of a step
_TIMES: Final = 2  # cards are matched to lines and the clock fitted to them
_STRETCH: Final = 50  # rounds over which a clock's drift shows and a step seldom falls


class Facts(NamedTuple):
    """Facts that a shoe's clock is fitted to; times of terminal and shoe are each on their own clock."""

    deals: Deals
    asked: Asked
    draws: I64  # ms of the shoe
    fresh: U8  # by draw: whether it is the first of a shoe


class Fitted(NamedTuple):
    """A shoe's clock; by deal the place of its first draw among the shoe's, and whether it contradicts the clock."""

    clock: Clock
    firsts: I64
    odd: Mask


class _Bands(NamedTuple):
    """Bounds of a clock, and by deal the least and greatest offset that its own bounds leave."""

    bounds: Bounds
    low: F64
    high: F64


def fit(facts: Facts, lines: I64, known: I64 | None = None) -> Fitted | None:
    """Work out the clock of a shoe with lines at ``lines`` (ms, rising); None where there is nothing to go by.

    ``known`` has the first draw of each deal where the cards tell it; otherwise the clock is looked for roughly first.
    """
    if not len(facts.draws) or not len(facts.deals.closed):
        return None
    ends = int(lines[0]), int(lines[-1]) + 1
    if known is not None:
        bands = _bands(facts, known, None)
        clock = Clock(_pieces(facts, known, bands, ends), sure=True)
        return Fitted(clock, known, _odd(facts, bands, clock))
    track = nearest(lambda reach: _windows(facts, reach))
    offsets = np.repeat(track.offsets, track.sizes)
    tolerance = np.full(len(offsets), _TOLERANCE_MS)
    for _ in range(_TIMES):
        firsts = _firsts(facts, offsets, tolerance)
        bands = _bands(facts, firsts, offsets)
        clock = Clock(_pieces(facts, firsts, bands, ends), track.sure)
        offsets = clock.ahead(facts.deals.closed + clock.ahead(facts.deals.closed + offsets))
        tolerance = np.minimum(_TOLERANCE_MS, 2 * clock.uncertainty(facts.deals.closed + offsets))
    return Fitted(clock, _firsts(facts, offsets, tolerance), _odd(facts, bands, clock))


def _odd(facts: Facts, bands: _Bands, clock: Clock) -> Mask:
    """Mark deals whose cards contradict the clock by more than stamps come late."""
    shown = facts.deals.closed + clock.ahead(facts.deals.closed)
    ahead = clock.ahead(shown)
    found: Mask = (bands.low > ahead + 2 * _BLUR_MS) | (bands.high < ahead - 2 * _BLUR_MS)
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


def _pieces(facts: Facts, firsts: I64, bands: _Bands, ends: tuple[int, int]) -> tuple[Piece, ...]:
    """Fit pieces to the bounds of all deals, the longest first: the others run as evenly."""
    at = facts.draws[np.minimum(firsts, len(facts.draws) - 1)]
    drift = 0.0
    for _ in range(2):
        gained = drift * (at - at[0])
        begins = walk.pieces(bands.low - gained - _BLUR_MS, bands.high - gained + _BLUR_MS, _BIN_MS, _MOVE, _STEP)
        drift = C.even_drift([bands.bounds.between(*at[[a, b]]) for a, b in _stretches(begins, len(at))])
    edges = [ends[0], *at[begins[1:]].tolist(), ends[1]]
    longest = int(np.argmax(np.diff(edges)))
    found: dict[int, Piece] = {}
    for n in (longest, *(n for n in range(len(begins)) if n != longest)):
        since, until = -np.inf if n == 0 else edges[n], np.inf if n + 1 == len(begins) else edges[n + 1]
        found[n] = C.fit(bands.bounds.between(since, until), edges[n], edges[n + 1], drift)
        drift = found[longest].drift
    return _cut(facts, [found[n] for n in range(len(begins))], begins, firsts)


def _stretches(begins: I64, count: int) -> Iterator[tuple[int, int]]:
    """Divide the deals of every piece into stretches: first and last deal of each."""
    for first, last in zip(begins.tolist(), [*begins[1:].tolist(), count], strict=True):
        parts = max(1, (last - first) // _STRETCH)
        ends = [first + (last - first) * n // parts for n in range(parts + 1)]
        yield from ((lo, hi - 1) for lo, hi in pairwise(ends))


def _bands(facts: Facts, firsts: I64, rough: I64 | None) -> _Bands:
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
        above = tuple(column[above[2] - rough[above[0]] > -_FAR_MS] for column in above)
        below = tuple(column[below[2] - rough[below[0]] < _FAR_MS] for column in below)
    low, high = np.full(len(firsts), -np.inf), np.full(len(firsts), np.inf)
    np.maximum.at(low, below[0], below[2])
    np.minimum.at(high, above[0], above[2])
    return _Bands(Bounds(above[1], above[2], below[1], below[2]), low, high)


def _limits(draws: I64, *parts: tuple[I64, I64, I64]) -> tuple[I64, ...]:
    """Deals, moments and offsets at which draws would pass lines; parts are deals, places of draws, times of lines."""
    deal, place, line = (np.concatenate(each) for each in zip(*parts, strict=True))
    return deal, draws[place], draws[place] - line


def _cut(facts: Facts, pieces: list[Piece], begins: I64, firsts: I64) -> tuple[Piece, ...]:
    """Let each piece begin at the draw from which on it suits the round in play better than the piece before."""
    found = [pieces[0]]
    for n in range(1, len(pieces)):
        deal = begins[n] - 1
        rows = np.arange(firsts[deal], min(firsts[begins[n]], len(facts.draws)))
        shown = facts.draws[rows]
        closed, ended = facts.deals.closed[deal], facts.deals.ended[deal]
        off = []
        for piece in (pieces[n - 1], pieces[n]):
            ms = shown - piece.at(shown)
            off.append(np.maximum(closed - ms, 0) + np.maximum(ms - ended, 0))
        cost = np.append(0, np.cumsum(off[0])) + np.append(np.cumsum(off[1][::-1])[::-1], 0)
        cut = len(cost) - 1 - int(np.argmin(cost[::-1]))
        since = int(shown[cut - 1]) + 1 if cut else int(shown[0]) if len(shown) else pieces[n].since_ms
        moved = float(pieces[n].at(np.array([since]))[0])
        found.append(replace(pieces[n], since_ms=since, offset_ms=moved))
    return C.joined(found)
