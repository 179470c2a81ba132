"""A device's clock: pieces of straight lines, each the middle of the band of offsets that its rounds leave.

A round bounds the offset from above (a card was drawn after the line that it follows) and from below (a card was drawn
before the line that it precedes).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pipelines.align.track import MOST_DRIFT
from replay.columns import I64

F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_DRIFTS: Final = np.arange(-MOST_DRIFT, MOST_DRIFT * 1.01, 4e-6)  # drifts that are tried
_PLAIN_MS: Final = 2e4  # ms of band that a drift has to win, by drift: clocks run evenly
_ALONE: Final = 2 / 3  # part of its uncertainty within which an offset is none
_UNBOUNDED_MS: Final = 2_000  # half the width of a band that is open on one side


class Bounds(NamedTuple):
    """Limits of a clock's offset: by round a moment on the clock, and the least and greatest offset in ms."""

    at: I64
    low: F64
    high: F64

    def take(self, rows: Mask | I64) -> "Bounds":
        """Select rounds."""
        return Bounds(self.at[rows], self.low[rows], self.high[rows])


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


def even_drift(pieces: Sequence[Bounds]) -> float:
    """Find the drift that leaves the widest bands to all pieces together."""
    width = -_PLAIN_MS * np.abs(_DRIFTS)
    for piece in pieces:
        passed = (piece.at - piece.at[:1])[:, None] * _DRIFTS
        told = (piece.high[:, None] - passed).min(axis=0) - (piece.low[:, None] - passed).max(axis=0)
        width += np.where(np.isfinite(told), told, 0.0)
    return float(_DRIFTS[int(np.argmax(width))]) + 0.0  # not minus zero


def fit(bounds: Bounds, kept: Mask, since_ms: int, until_ms: int, drift: float) -> Piece:
    """Lay a piece with a drift along the middle of the band that its rounds leave, but for those not kept.

    It is unsure by half of the distance that lines usually keep from their bounds, and by more the fewer there are.
    """
    drifted = drift * (bounds.at - since_ms)
    low, high = bounds.low - drifted, bounds.high - drifted
    bottom, top = low[kept].max(initial=-np.inf), high[kept].min(initial=np.inf)
    if not (np.isfinite(bottom) and np.isfinite(top)):
        known = top if np.isfinite(top) else bottom if np.isfinite(bottom) else 0.0
        bottom, top = (known - 2 * _UNBOUNDED_MS, known) if np.isfinite(top) else (known, known + 2 * _UNBOUNDED_MS)
    offset = float(bottom + top) / 2
    gaps = _gaps(low[kept], high[kept], offset)
    unsure = float(np.median(np.abs(gaps))) * (0.5 + 2 / len(gaps) ** 2) if len(gaps) > 1 else _UNBOUNDED_MS
    if max(abs(offset), abs(offset + drift * (until_ms - since_ms))) <= unsure * _ALONE:
        offset = drift = 0.0  # it shows no offset
        low, high = bounds.low, bounds.high
    gaps = _gaps(low, high, offset)
    broken = int((gaps < 0).sum())
    return Piece(since_ms, until_ms, offset, drift, int(np.ceil(unsure)), len(gaps) - broken, broken)


def _gaps(low: F64, high: F64, offset: float) -> F64:
    """Measure how far an offset keeps from every bound, in ms; below zero where it breaks one."""
    found: F64 = np.concatenate([high - offset, offset - low])
    return found[np.isfinite(found)]


def joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Let pieces follow one another without a gap."""
    ends = [piece.since_ms for piece in pieces[1:]] + [pieces[-1].until_ms]
    return tuple(replace(piece, until_ms=end) for piece, end in zip(pieces, ends, strict=True))
