"""How far a shoe's clock is ahead of a terminal's, and how much it gains: worked out from what both logged.

Coarse: stretches of some rounds each vote for a reading of the clock, and a line is laid through what they say. Fine:
of all lines near that one, the one that suits most spans and keeps lines of the two logs furthest from passing each
other.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pipelines.align import votes
from pipelines.align.spans import Spans
from replay.columns import I64

F64 = npt.NDArray[np.float64]

NEAR_MS: Final = 60_000  # where a clock is looked for first
FAR_MS: Final = 900_000  # and where it is not found there
_BIN_MS: Final = 10
_APART_MS: Final = 3_000  # readings that far from the best one are other ones
_ROUNDS_PER_STRETCH: Final = (16, 64)  # at least where there are as many, and at most
_MOST_STRETCHES: Final = 16
_ENOUGH: Final = 0.5  # share of selective spans that a clock has to suit
_ALIKE: Final = 10  # one selective span in so many makes no difference
_TOLERABLE: Final = 4  # and so many not enough of a difference to call a clock wrong
_MOST_DRIFT: Final = 500e-6
_SLACK_MS: Final = (20, 250)  # from a stretch's reading to the line through all of them; less where play is hurried
_FINE_MS: Final = (20, 2)  # steps at the day's ends
_REACH_MS: Final = (200, 2_500)  # how far from the line a better one is looked for
_TURN_MS: Final = 500  # how far the ends of the line are turned
_MOST_TURN: Final = 100e-6
_PER_TURN: Final = 1.0  # margin that a turn has to win for every ms by which it moves the ends: clocks run evenly
_PER_SPAN_MS: Final = 150  # and for every span that it leaves unsuited
_CLOSE: Final = 30  # one line in so many stands closer to another than lines usually do


_NO_CUTS: Final = np.zeros((0, 3), np.int64)


@dataclass(frozen=True)
class Line:
    """A clock is ``ahead_ms`` ahead at ``origin_ms`` of its own time, and gains ``drift`` from there on."""

    origin_ms: int
    ahead_ms: float
    drift: float

    def at(self, ms: I64) -> I64:
        """How far it is ahead at moments that it shows."""
        ahead: I64 = np.rint(self.ahead_ms + self.drift * (ms - self.origin_ms)).astype(np.int64)
        return ahead

    def turned(self, mid_ms: int, by_ms: float, drift: float) -> "Line":
        """The line moved, and turned around a moment."""
        moved = self.ahead_ms + by_ms - drift * (mid_ms - self.origin_ms)
        return Line(self.origin_ms, moved, self.drift + drift)


class Stretch(NamedTuple):
    """What the spans of some rounds say of a clock."""

    first_round: int
    last_round: int
    at_ms: int
    low_ms: int  # readings that suit about as many spans as any
    high_ms: int
    least_ms: int  # readings that suit not many fewer
    most_ms: int
    votes: int
    elsewhere: int  # votes of the best other reading
    spans: int
    selective: int

    def is_firm(self) -> bool:
        """Whether it can be one reading only."""
        suited = self.votes - (self.spans - self.selective)
        lead = self.votes - self.elsewhere
        return self.selective > 0 and suited >= _ENOUGH * self.selective and lead >= max(1.0, 0.2 * self.selective)

    def off_ms(self, line: Line) -> int:
        """How far a line passes by."""
        ahead = int(line.at(np.array([self.at_ms + self.low_ms]))[0])
        return max(self.least_ms - ahead, ahead - self.most_ms, 0)


class Fit(NamedTuple):
    """A clock's line, how far it could be moved without a change in order, and what it rests on."""

    line: Line
    margin_ms: int
    slack_ms: int  # a part of the day may be off by that much
    stretches: list[Stretch]
    support: int  # spans that it suits
    sure: bool


def fit(spans: Spans, draws: I64, lines: I64, terminal: I64, cuts: I64 = _NO_CUTS) -> Fit | None:
    """The clock of a shoe by its draws and all its lines, against spans and lines of a terminal; times rise in each.

    ``cuts`` are the moments at which shoes were cut, with the least and most that the clock can be ahead by them.
    """
    certain = spans.take(spans.telling())
    if not len(draws) or not certain.selective().any():
        return None
    spacing = int(np.median(np.diff(draws))) if len(draws) > 1 else _SLACK_MS[1]
    slack = int(np.clip(spacing // 3, *_SLACK_MS))
    found = _stretches(certain, draws, cuts, NEAR_MS)
    if not agree(found):
        found = _stretches(certain, draws, cuts, FAR_MS)
    firm = [stretch for stretch in found if stretch.is_firm()] or found
    line = through(firm, int(draws[0]), slack)
    line, margin, support = _refined(line, spans, draws, lines, terminal, cuts, int(np.clip(3 * spacing, *_REACH_MS)))
    agreeing = sum(stretch.off_ms(line) <= slack for stretch in firm if stretch.is_firm())
    return Fit(line, margin, slack, found, support, agreeing > 0 and 2 * agreeing >= len(firm))


def agree(found: list[Stretch]) -> bool:
    """Whether most stretches know what they say."""
    return 2 * sum(stretch.is_firm() for stretch in found) > len(found)


def _stretches(spans: Spans, draws: I64, cuts: I64, reach: int) -> list[Stretch]:
    """The day in stretches of some rounds, at most so many; of long days only a part of each."""
    first, last = int(spans.round.min()), int(spans.round.max())
    count = int(np.clip((last + 1 - first) // _ROUNDS_PER_STRETCH[0], 1, _MOST_STRETCHES))
    firsts = [first + (last + 1 - first) * n // count for n in range(count + 1)]
    found = []
    cut_at = spans.round[np.minimum(np.searchsorted(spans.begins, cuts[:, 0]), len(spans.round) - 1)]
    for first, after in pairwise(firsts):
        until = min(after, first + _ROUNDS_PER_STRETCH[1])
        lo, hi = np.searchsorted(spans.round, [first, until])
        part = spans.take(slice(lo, hi))
        if part.selective().any():
            found.append(_stretch(part, draws, cuts[(cut_at >= first) & (cut_at < until)], reach, after - 1))
    return found


def _stretch(spans: Spans, draws: I64, cuts: I64, reach: int, last_round: int) -> Stretch:
    tally = np.zeros(2 * reach // _BIN_MS + 1, np.int64)
    votes.tally(spans.begins, spans.ends, spans.least, spans.most, draws, cuts, _BIN_MS, tally)
    best, zero = int(tally.max()), reach // _BIN_MS
    selective = int(spans.selective().sum()) + len(cuts)
    at = np.flatnonzero(tally == best)
    nearest = int(at[np.argmin(np.abs(at - zero))])
    low, high = votes.around(tally, nearest, best - selective // _ALIKE)
    least, most = votes.around(tally, nearest, best - max(2, selective // _TOLERABLE))
    apart = _APART_MS // _BIN_MS
    others = np.concatenate([tally[: max(0, low - apart)], tally[high + apart :]])
    return Stretch(
        first_round=int(spans.round[0]),
        last_round=last_round,
        at_ms=int(spans.begins[0] + spans.ends[-1]) // 2,
        low_ms=(low - zero) * _BIN_MS,
        high_ms=(high - zero) * _BIN_MS,
        least_ms=(least - zero) * _BIN_MS,
        most_ms=(most - zero) * _BIN_MS,
        votes=best,
        elsewhere=int(others.max()) if len(others) else 0,
        spans=len(spans.begins) + len(cuts),
        selective=selective,
    )


def through(found: list[Stretch], origin_ms: int, slack_ms: int) -> Line:
    """The line that passes most stretches; of those the one with least drift."""
    ahead = np.array([(stretch.low_ms + stretch.high_ms) / 2 for stretch in found])
    at = np.array([stretch.at_ms for stretch in found]) + ahead - origin_ms
    half = np.array([(stretch.high_ms - stretch.low_ms) / 2 for stretch in found])
    weight = np.array([stretch.votes - stretch.elsewhere for stretch in found])
    i, j = np.triu_indices(len(found), 1)
    drift = np.concatenate([np.zeros(len(found)), (ahead[j] - ahead[i]) / np.maximum(at[j] - at[i], 1)])
    start = np.concatenate([ahead, ahead[i] - drift[len(found) :] * at[i]])
    off = np.abs(start[:, None] + drift[:, None] * at - ahead) - half
    score = np.where(np.abs(drift) <= _MOST_DRIFT, (weight * (off <= slack_ms)).sum(axis=1), -1)
    miss = np.where(off <= slack_ms, np.maximum(off, 0), 0).sum(axis=1)
    best = int(np.lexsort((np.abs(drift), miss, -score))[0])
    return Line(origin_ms, float(start[best]), float(drift[best]))


def _refined(
    line: Line, spans: Spans, draws: I64, lines: I64, terminal: I64, cuts: I64, reach: int
) -> tuple[Line, int, int]:
    """The best line near one, with its margin and the spans that it suits."""
    held, held_ms = _held(line, spans, draws, cuts, reach)
    near, near_ms = _near(line, lines, terminal, reach)
    mid = int(lines[0] + lines[-1]) // 2
    half = max(1.0, float(lines[-1] - lines[0]) / 2)
    held_s, near_s = (held_ms - mid) // 1000, (near_ms - mid) // 1000
    close = len(near) // _CLOSE
    turn = min(_MOST_TURN, _TURN_MS / half)
    result = np.zeros(3, np.int64)
    drift = 0.0
    for step_ms in _FINE_MS:
        step = step_ms / half
        drifts = drift + step * np.arange(-int(turn // step), int(turn // step) + 1)
        out = np.zeros((len(drifts), 3), np.int64)
        scaled = np.rint(drifts * 1000 * (1 << votes.DRIFT_BITS)).astype(np.int64)
        votes.sweep(held, held_s, near, near_s, scaled, reach, close, _PER_SPAN_MS, out)
        worth = out[:, 2] + _PER_SPAN_MS * out[:, 0] - _PER_TURN * half * np.abs(line.drift + drifts)
        best = int(np.lexsort((np.abs(drifts), -worth))[0])
        drift, turn, result = float(drifts[best]), step, out[best]
    return line.turned(mid, float(result[1]), drift), int(result[2]), int(result[0])


def _held(line: Line, spans: Spans, draws: I64, cuts: I64, reach: int) -> tuple[I64, I64]:
    """The readings around a line that suit each span and cut, from and until, and when."""
    ahead = line.at(spans.begins + int(line.ahead_ms))
    room = np.zeros((4 * len(spans.begins) + 1024, 3), np.int64)
    count = votes.intervals(spans.begins, spans.ends, spans.least, spans.most, draws, ahead, reach, room)
    held = room[:count]
    cut_ms = cuts[:, 0] + line.at(cuts[:, 0] + int(line.ahead_ms))
    cut_held = np.clip(cuts[:, 1:] - (cut_ms - cuts[:, 0])[:, None], -reach, reach)
    moments = np.concatenate([(spans.begins + ahead)[held[:, 0]], cut_ms])
    return np.concatenate([held[:, 1:], cut_held]), moments


def _near(line: Line, lines: I64, terminal: I64, reach: int) -> tuple[I64, I64]:
    """The readings, less the line's, at which lines would pass the terminal's line before or after them."""
    moved = lines - line.at(lines)
    after = np.searchsorted(terminal, moved)
    found, when = [], []
    for place in (after - 1, after):
        there = (place >= 0) & (place < len(terminal))
        by = moved[there] - terminal[place[there]]
        close = np.abs(by) <= reach
        found.append(by[close])
        when.append(lines[there][close])
    return np.concatenate(found), np.concatenate(when)
