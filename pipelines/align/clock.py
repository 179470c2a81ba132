"""A device's clock: pieces of straight lines, each the middle of the band that keeps the bounds on it.

A bound is a moment and an offset that the clock cannot be above (a card was drawn after the line that it follows) or
below (a card was drawn before the line that it precedes).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pipelines.align import bands
from pipelines.align.track import MOST_DRIFT
from replay.columns import I64

F64 = npt.NDArray[np.float64]

_STRAY: Final = 50  # one bound in so many may come from a round that went wrong
_NEXT: Final = 0.25  # share of the bounds that are by lines next to each other: their gap is the usual one
_ODD: Final = 0.01  # share of the bounds that a piece may break by more than its uncertainty
_FEW: Final = 30  # bounds that say half as much as many do
_EDGE: Final = 10  # one bound in so many shows how blurred the edge of a band is
_AS_WIDE: Final = 0.95  # part of the widest band that a clock without drift has to leave
_GAIN: Final = 0.05  # ms of band that each ms of drift over a piece has to win: clocks run evenly
_TURN: Final = 60e-6  # how far a piece's drift is looked for from the one expected
_LONG_MS: Final = 3_600_000  # pieces that show their own drift
_UNBOUNDED_MS: Final = 2_000  # half the width of a band that is open on one side


class Bounds(NamedTuple):
    """Limits of a clock's offset: moments on the clock, and offsets in ms."""

    upper_at: I64
    upper: I64
    lower_at: I64
    lower: I64

    def between(self, first_ms: float, last_ms: float) -> "Bounds":
        """Select the bounds from one moment to another, the last excluded."""
        above = (self.upper_at >= first_ms) & (self.upper_at < last_ms)
        below = (self.lower_at >= first_ms) & (self.lower_at < last_ms)
        return Bounds(self.upper_at[above], self.upper[above], self.lower_at[below], self.lower[below])


@dataclass(frozen=True)
class Piece:
    """A straight piece of a clock; ``since_ms`` and ``until_ms`` are its own time, steps back undone."""

    since_ms: int
    until_ms: int
    offset_ms: float  # how far the clock is ahead at ``since_ms``
    drift: float
    uncertainty_ms: int
    kept: int
    broken: int
    blur_ms: int = 0  # how far single lines may be off beside that: stamps come late

    def at(self, ms: I64 | F64) -> F64:
        """Say how far the clock is ahead at moments that it shows."""
        passed: F64 = ms - np.float64(self.since_ms)
        return self.offset_ms + self.drift * passed


@dataclass(frozen=True)
class Clock:
    """A device's clock through the day, against the clock that all devices of the table go by."""

    pieces: tuple[Piece, ...]
    sure: bool

    def number(self, ms: I64) -> I64:
        """Find the piece of each moment."""
        ends = np.array([piece.until_ms for piece in self.pieces[:-1]], np.int64)
        found: I64 = np.searchsorted(ends, ms, side="right")
        return found

    def ahead(self, ms: I64) -> I64:
        """Say how far the clock is ahead at moments that it shows, in ms."""
        number = self.number(ms)
        offset, drift, since = (
            np.array([getattr(piece, name) for piece in self.pieces]) for name in ("offset_ms", "drift", "since_ms")
        )
        found: I64 = np.rint(offset[number] + drift[number] * (ms - since[number])).astype(np.int64)
        return found

    def uncertainty(self, ms: I64) -> I64:
        """Say how far the offset may be off at moments, in ms."""
        found: I64 = np.array([piece.uncertainty_ms for piece in self.pieces], np.int64)[self.number(ms)]
        return found

    def slack(self, ms: I64) -> I64:
        """Say within which time the order of two devices' lines is open at moments, in ms."""
        slack = [max(piece.blur_ms, piece.uncertainty_ms) for piece in self.pieces]
        found: I64 = np.array(slack, np.int64)[self.number(ms)]
        return found

    def relative(self, ms: I64, ahead: I64) -> "Clock":
        """Make the same pieces of another clock, of which is known how far it is ahead at its own moments ``ms``."""
        ends = np.searchsorted(ms, [piece.until_ms for piece in self.pieces])
        found: list[Piece] = []
        for piece, last in zip(self.pieces, ends.tolist(), strict=True):
            first = int(np.searchsorted(ms, piece.since_ms)) if found else 0
            if last > first:
                passed = max(int(ms[last - 1] - ms[first]), 1)
                drift = float(ahead[last - 1] - ahead[first]) / passed
                found.append(replace(piece, since_ms=int(ms[first]), offset_ms=float(ahead[first]), drift=drift))
        return Clock(joined(found), self.sure)


def still(ms: I64, sure: bool = True, uncertainty_ms: int = 0) -> Clock:
    """Make a clock that is taken as it is, over a device's lines."""
    first, last = (int(ms[0]), int(ms[-1]) + 1) if len(ms) else (0, 1)
    return Clock((Piece(first, last, 0.0, 0.0, uncertainty_ms, 0, 0),), sure)


def fit(bounds: Bounds, since_ms: int, until_ms: int, drift: float) -> Piece:
    """Fit a piece to bounds, near a drift; a short piece that shows no drift has none."""
    if until_ms - since_ms >= _LONG_MS and len(bounds.upper) and len(bounds.lower):
        parts = np.array([[0, len(bounds.upper), 0, len(bounds.lower)]])
        price = _GAIN * (until_ms - since_ms)
        drift = bands.widest(*bounds, parts, _STRAY, drift - _TURN, drift + _TURN, drift, price)
    elif _width(bounds, since_ms, 0.0) >= _AS_WIDE * abs(_width(bounds, since_ms, drift)):
        drift = 0.0
    return _piece(bounds, since_ms, until_ms, drift)


def _width(bounds: Bounds, since_ms: int, slope: float) -> float:
    bottom, top = edges(bounds, since_ms, slope)
    return top - bottom


def even_drift(stretches: Sequence[Bounds]) -> float:
    """Find the drift for which the bands of stretches of the day are widest together, whatever the steps between."""
    told = [part for part in stretches if len(part.upper) > _EDGE and len(part.lower) > _EDGE]
    if not told:
        return 0.0
    above, below = (np.cumsum([0, *(len(getattr(part, name)) for part in told)]) for name in ("upper", "lower"))
    parts = np.stack([above[:-1], above[1:], below[:-1], below[1:]], axis=1)
    together = Bounds(*(np.concatenate(columns) for columns in zip(*told, strict=True)))
    price = _GAIN * sum(float(part.upper_at.max() - part.upper_at.min()) for part in told)
    return bands.widest(*together, parts, _STRAY, -MOST_DRIFT, MOST_DRIFT, 0.0, price)


def edges(bounds: Bounds, since_ms: int, slope: float, stray: int = _STRAY) -> tuple[float, float]:
    """Find the band for a drift: the highest lower bound and the lowest upper bound, but for stray ones."""
    return bands.band(*bounds, since_ms, slope, stray)


def _piece(bounds: Bounds, since_ms: int, until_ms: int, drift: float) -> Piece:
    bottom, top = edges(bounds, since_ms, drift)
    blurred_bottom, blurred_top = edges(bounds, since_ms, drift, _EDGE)
    if not np.isfinite(bottom + top):
        known = top if np.isfinite(top) else bottom if np.isfinite(bottom) else 0.0
        bottom, top = (known - 2 * _UNBOUNDED_MS, known) if np.isfinite(top) else (known, known + 2 * _UNBOUNDED_MS)
        blurred_bottom, blurred_top = bottom, top
    offset = (top + bottom) / 2
    blur = max(blurred_top - top, bottom - blurred_bottom)
    half = max(abs(top - bottom) / 2, blur)
    told = len(bounds.upper) + len(bounds.lower)
    if told > _EDGE:
        usual = float(np.quantile(_gaps(bounds, since_ms, offset, drift), _NEXT))
        half = min(half, max(usual / 2, 1.0)) * (1 + _FEW / told)
    if max(abs(offset), abs(offset + drift * (until_ms - since_ms))) <= half * 2 / 3:
        offset = drift = 0.0  # it shows no offset
    gaps = _gaps(bounds, since_ms, offset, drift)
    broken = int((gaps < 0).sum())
    kept = len(gaps) - broken
    half = max(half, -float(np.quantile(gaps, _ODD)) if told else 0.0)
    return Piece(since_ms, until_ms, offset, drift, int(np.ceil(half)), kept, broken, int(np.ceil(min(blur, half))))


def _gaps(bounds: Bounds, since_ms: int, offset: float, drift: float) -> F64:
    """Measure how far a line keeps from every bound, in ms; below zero where it breaks one."""
    above = bounds.upper - offset - drift * (bounds.upper_at - since_ms)
    below = offset + drift * (bounds.lower_at - since_ms) - bounds.lower
    found: F64 = np.concatenate([above, below])
    return found


def joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Let pieces follow one another without a gap."""
    ends = [piece.since_ms for piece in pieces[1:]] + [pieces[-1].until_ms]
    return tuple(replace(piece, until_ms=end) for piece, end in zip(pieces, ends, strict=True))
