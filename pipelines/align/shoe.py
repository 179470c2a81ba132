"""A shoe's clock, worked out from when cards were drawn and what the terminal logged of the same rounds."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from pipelines.align import clock as C
from pipelines.align import votes
from pipelines.align.clock import Bounds, Clock, Piece
from pipelines.align.procedure import SPANS_EACH, Asked, Deals, Spans, spans
from pipelines.align.track import BIN_MS, MOST_DRIFT, Window, nearest, window
from replay.columns import I64, U8

_ROUNDS: Final = (8, 5, 12)  # of a window: others are tried where bounds contradict the fit
_NEAR: Final = 12  # rounds before and after its rough place in which a step is looked for
_PLAIN: Final = 0.02  # share of broken bounds with which nobody looks for a better fit
_PER_PIECE: Final = 0.002
_TOLERANCE_MS: Final = 1_200  # how far a draw may be from its side of a line before the clock is fitted
_FAR_MS: Final = 1_500  # a bound that the rough offset breaks by more is of a card matched to the wrong line
_LEAST_DEALS: Final = 5  # rounds between two steps
_STRETCH: Final = 50  # rounds over which a clock's drift shows and a step seldom falls
_STEP_MS: Final = 300  # how much wider the band must be for a step to be believed


class Facts(NamedTuple):
    """Facts that a shoe's clock is fitted to; times of terminal and shoe are each on their own clock."""

    deals: Deals
    asked: Asked
    draws: I64  # ms of the shoe
    fresh: U8  # by draw: whether it is the first of a shoe


class Fitted(NamedTuple):
    """A shoe's clock, and by deal the place of its first draw among the shoe's draws."""

    clock: Clock
    firsts: I64


def fit(facts: Facts, lines: I64) -> Fitted | None:
    """Work out the clock of a shoe with lines at ``lines`` (ms, rising); None where there is nothing to go by."""
    if not len(facts.draws) or not len(facts.deals.closed):
        return None
    best, least = None, np.inf
    for rounds in _ROUNDS:
        fitted = _fit(facts, lines, rounds)
        cost = _contradicted(fitted.clock)
        if cost < least:
            best, least = fitted, cost
        if cost <= _PLAIN:
            break
    return best


def _contradicted(clock: Clock) -> float:
    """Say which share of the bounds a clock breaks; every piece counts a little."""
    broken = sum(piece.broken for piece in clock.pieces)
    told = broken + sum(piece.kept for piece in clock.pieces)
    return broken / max(told, 1) + _PER_PIECE * len(clock.pieces)


def _fit(facts: Facts, lines: I64, rounds: int) -> Fitted:
    """Work out the clock by windows of some rounds."""
    track, groups = nearest(lambda reach: _windows(facts, reach, rounds)), np.arange(len(facts.deals.closed)) // rounds
    offsets = track.offsets[groups]
    begins = np.flatnonzero(np.append(True, track.steps[groups][1:] & (np.diff(groups) > 0)))
    pieces = _rough_pieces(facts, offsets, begins)
    tolerance = np.full(len(offsets), _TOLERANCE_MS)
    for last in (False, False, True):
        begins = _located(facts, pieces, begins)
        offsets = _offsets(facts, pieces, begins)
        bounds = _bounds(facts, _firsts(facts, offsets, tolerance), offsets)
        begins, pieces = _pieces(facts, bounds, offsets, begins, (int(lines[0]), int(lines[-1]) + 1), last)
        offsets = _offsets(facts, pieces, begins)
        uncertain = np.array([piece.uncertainty_ms for piece in pieces])[_numbers(begins, len(offsets))]
        tolerance = np.minimum(_TOLERANCE_MS, 2 * uncertain)
    firsts = _firsts(facts, offsets, tolerance)
    return Fitted(Clock(_cut(facts, pieces, begins, firsts), track.sure), firsts)


def _rough_pieces(facts: Facts, offsets: I64, begins: I64) -> list[Piece]:
    """Lay a line through the rough offsets of each piece's deals."""
    shown = facts.deals.closed + offsets
    drift = _drift(shown, offsets, begins)
    ends = np.append(begins[1:], len(offsets))
    found = []
    for first, last in zip(begins.tolist(), ends.tolist(), strict=True):
        level = float(np.median(offsets[first:last] - drift * (shown[first:last] - shown[first])))
        found.append(Piece(int(shown[first]), int(shown[last - 1]), level, drift, _TOLERANCE_MS, 0, 0))
    return found


def _windows(facts: Facts, reach: int, rounds: int) -> list[Window]:
    """Let windows of some rounds each vote for offsets."""
    every, ends = spans(facts.deals), facts.deals.ended
    windows = []
    for first in range(0, len(ends), rounds):
        last = min(first + rounds, len(ends))
        part = Spans(*(column[SPANS_EACH * first : SPANS_EACH * last] for column in every))
        tally = np.zeros(2 * reach // BIN_MS + 1, np.int64)
        votes.tally(*part, facts.draws, BIN_MS, tally)
        middle = int(facts.deals.closed[first] + ends[last - 1]) // 2
        windows.append(window(middle, tally, int((part.least <= part.most).sum())))
    return windows


def _numbers(begins: I64, count: int) -> I64:
    """Say which piece each deal is in."""
    found: I64 = np.searchsorted(begins, np.arange(count), side="right") - 1
    return found


def _offsets(facts: Facts, pieces: list[Piece], begins: I64) -> I64:
    """Say how far the clock is ahead when each deal's bets were closed."""
    number = _numbers(begins, len(facts.deals.closed))
    found = np.empty(len(number), np.int64)
    for n, piece in enumerate(pieces):
        own = number == n
        shown = facts.deals.closed[own] + piece.offset_ms
        found[own] = np.rint(piece.at(facts.deals.closed[own] + piece.at(shown)))
    return found


def _firsts(facts: Facts, offsets: I64, tolerance: I64) -> I64:
    deals = facts.deals
    found = np.zeros(len(deals.closed), np.int64)
    votes.first_draws(*deals[:2], deals.quiet, deals.cards, facts.draws, facts.fresh, offsets, tolerance, found)
    return found


def _pieces(
    facts: Facts, bounds: Bounds, offsets: I64, begins: I64, ends: tuple[int, int], last: bool
) -> tuple[I64, list[Piece]]:
    """Fit every piece, the longest first: the others run as evenly. Also say at which deals they begin."""
    shown = facts.deals.closed + offsets
    usual = _usual_gap(facts, shown)
    drift = C.even_drift([bounds.between(*shown[[first, last]]) for first, last in _stretches(begins, len(shown))])
    begins = _divided(bounds, shown, begins, drift)
    edges = [ends[0], *(int(shown[begin]) for begin in begins[1:]), ends[1]]
    longest = int(np.argmax(np.diff(edges)))
    found: dict[int, Piece] = {}
    for n in (longest, *(n for n in range(len(begins)) if n != longest)):
        part = bounds.between(-np.inf if n == 0 else edges[n], np.inf if n + 1 == len(begins) else edges[n + 1])
        found[n] = C.fit(part, edges[n], edges[n + 1], drift, usual, last)
        drift = found[longest].drift
    return begins, [found[n] for n in range(len(begins))]


def _drift(shown: I64, offsets: I64, begins: I64) -> float:
    """Say how much the clock gains within pieces, by least squares."""
    number = _numbers(begins, len(shown))
    count = np.bincount(number)
    at, ahead = (values - (np.bincount(number, values) / count)[number] for values in (shown - shown[0], offsets))
    spread = float(at @ at)
    return float(np.clip(at @ ahead / spread, -MOST_DRIFT, MOST_DRIFT)) if spread > 0 else 0.0


def _stretches(begins: I64, count: int) -> Iterator[tuple[int, int]]:
    """Divide the deals of every piece into stretches: first and last deal of each."""
    for first, last in zip(begins.tolist(), [*begins[1:].tolist(), count], strict=True):
        parts = max(1, (last - first) // _STRETCH)
        ends = [first + (last - first) * n // parts for n in range(parts + 1)]
        yield from ((lo, hi - 1) for lo, hi in pairwise(ends))


def _usual_gap(facts: Facts, shown: I64) -> int:
    """Say how far apart a line of the terminal and the draw next to it usually are."""
    place = np.clip(np.searchsorted(facts.draws, shown), 0, len(facts.draws) - 1)
    gaps = facts.draws[place] - shown
    gaps = gaps[gaps > 0]
    return int(np.median(gaps)) if len(gaps) else 2 * _TOLERANCE_MS


def _divided(bounds: Bounds, shown: I64, begins: I64, drift: float) -> I64:
    """Divide pieces whose bounds contradict each other where that mends it: the clock stepped by little."""
    found = begins.tolist()
    at = 0
    while at < len(found):
        first, last = found[at], found[at + 1] if at + 1 < len(found) else len(shown)
        places = np.arange(first + _LEAST_DEALS, last - _LEAST_DEALS, _LEAST_DEALS)
        edges_ = shown[[first, last - 1]]
        part = bounds.between(edges_[0], edges_[1])
        whole = _width(part, drift)
        if len(places) and whole < 0:
            widths = [
                min(_width(part.between(-np.inf, cut), drift), _width(part.between(cut, np.inf), drift))
                for cut in shown[places].tolist()
            ]
            best = int(np.argmax(widths))
            if widths[best] - whole > _STEP_MS:
                found.insert(at + 1, int(places[best]))
                continue
        at += 1
    return np.array(found, np.int64)


def _width(bounds: Bounds, drift: float) -> float:
    """Measure the band of a drift, in ms; below zero where bounds contradict each other."""
    below, above = C.edges(bounds, 0, drift)
    return above - below


def _bounds(facts: Facts, firsts: I64, rough: I64) -> Bounds:
    """List what the cards of every round say of the clock, but for bounds far from the rough offsets of the deals."""
    deals, draws, size = facts.deals, facts.draws, len(facts.draws)
    every = np.arange(len(firsts))
    last, answers = firsts + deals.cards - 1, firsts[facts.asked.deal] + deals.cards[facts.asked.deal] + facts.asked.nth
    begun, dealt = firsts < size, (last < size) & deals.exact
    asked, followed = answers < size, (answers < size) & (facts.asked.before >= 0)
    upper, upper_at = _limits(
        draws,
        rough,
        (every[begun], firsts[begun], deals.closed[begun]),
        (facts.asked.deal[asked], answers[asked], facts.asked.after[asked]),
        side=1,
    )
    lower, lower_at = _limits(
        draws,
        rough,
        (every[dealt], last[dealt], deals.dealt[dealt]),
        (facts.asked.deal[followed], answers[followed], facts.asked.before[followed]),
        side=-1,
    )
    return Bounds(upper_at, upper, lower_at, lower)


def _limits(draws: I64, rough: I64, *parts: tuple[I64, I64, I64], side: int) -> tuple[I64, I64]:
    """Offsets at which draws would pass lines, and when; parts are deals, places of draws, and times of lines."""
    deal, place, line = (np.concatenate(each) for each in zip(*parts, strict=True))
    shown = draws[place]
    offset = shown - line
    near = side * (offset - rough[deal]) > -_FAR_MS
    return offset[near], shown[near]


def _misfits(facts: Facts, piece: Piece, rows: slice) -> I64:
    """Count, by deal, the cards too many or too few that a piece of the clock would give it."""
    deals = facts.deals.take(rows)
    ahead = np.rint(piece.at(deals.closed + piece.at(deals.closed))).astype(np.int64)
    begins, dealt, ends = (
        np.searchsorted(facts.draws, when + ahead) for when in (deals.closed, deals.dealt, deals.ended)
    )
    missing = np.where(deals.exact, np.abs(dealt - begins - deals.cards), np.maximum(deals.cards - (ends - begins), 0))
    misfit: I64 = np.minimum(missing, 4)
    return misfit


def _located(facts: Facts, pieces: list[Piece], begins: I64) -> I64:
    """Find the deal at which each piece begins: fewest cards are too many or too few on both sides."""
    found = begins.copy()
    for n in range(1, len(begins)):
        lo = max(found[n - 1] + 1, begins[n] - _NEAR)
        hi = min(begins[n + 1] if n + 1 < len(begins) else len(facts.deals.closed), begins[n] + _NEAR)
        rows = slice(lo, hi)
        before, after = _misfits(facts, pieces[n - 1], rows), _misfits(facts, pieces[n], rows)
        cost = np.append(0, np.cumsum(before)) + np.append(np.cumsum(after[::-1])[::-1], 0)
        found[n] = min(lo + int(np.argmin(cost)), len(facts.deals.closed) - 1)
    return np.unique(found) if len(np.unique(found)) == len(found) else begins


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
