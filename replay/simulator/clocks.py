"""Clocks of a table's devices: none is right, each drifts in its own way, some step or stamp late."""

from datetime import UTC, datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

from replay.tape import I64

_HOUR_MS: Final = 3_600_000
_MINUTE_MS: Final = 60_000


class ClockStep(NamedTuple):
    """A moment of true time from which on a clock shows more (or less) than before."""

    at_ms: int
    by_ms: int


class ClockPiece(NamedTuple):
    """A stretch of true time in which a clock runs evenly; ``offset_ms`` is its offset when the stretch begins."""

    from_ms: int
    until_ms: int
    offset_ms: int
    drift_ppm: float
    jitter_ms: int


class SimulatedClock(NamedTuple):
    """A device's clock: its offset when the gaming day starts, its drift, its steps, and how late it stamps."""

    offset_ms: int = 0
    drift_ppm: float = 0.0
    steps: tuple[ClockStep, ...] = ()  # in the order of time
    jitter_ms: int = 0  # the most that a stamp is late by
    seed: int = 0  # of the jitter

    def shows(self, ms: I64, day_starts_ms: int) -> I64:
        """Return what the clock shows at those moments."""
        shown: I64 = ms + self.offset_ms + np.rint(self.drift_ppm * (ms - day_starts_ms) / 1e6).astype(np.int64)
        for step in self.steps:
            shown = shown + step.by_ms * (ms >= step.at_ms)
        return shown

    def stamps(self, ms: I64, day_starts_ms: int) -> I64:
        """Return the stamps of events one after another: each is later than the one before."""
        index = np.arange(len(ms), dtype=np.int64)
        shown = self.shows(ms, day_starts_ms)
        if self.jitter_ms:
            shown = shown + np.random.default_rng(self.seed).integers(0, self.jitter_ms, len(ms))
        stamped: I64 = np.maximum.accumulate(shown - index) + index
        return stamped

    def pieces(self, day_starts_ms: int, until_ms: int) -> list[ClockPiece]:
        """Return the stretches of a day in which the clock runs evenly."""
        starts = [day_starts_ms, *(step.at_ms for step in self.steps)]
        offsets = self.shows(np.array(starts), day_starts_ms) - np.array(starts)
        ends = [*starts[1:], until_ms]
        return [
            ClockPiece(since, end, offset, self.drift_ppm, self.jitter_ms)
            for since, end, offset in zip(starts, ends, offsets.tolist(), strict=True)
        ]


class TableClocks(NamedTuple):
    """The clocks of one table on one gaming day, and the timezone that they are set to."""

    timezone: ZoneInfo
    day_starts_ms: int
    terminal: SimulatedClock = SimulatedClock()
    shoe: SimulatedClock = SimulatedClock()
    camera: SimulatedClock = SimulatedClock()


class Offsets(NamedTuple):
    """Minutes that local time is ahead of UTC, each from a moment on."""

    since_ms: I64
    minutes: I64


def offsets(timezone: ZoneInfo, first_ms: int, last_ms: int) -> Offsets:
    """The offsets of a timezone from one moment to another; several where clocks are put forward or back."""
    since, minutes = [first_ms], [_minutes(timezone, first_ms)]
    for hour in range(first_ms // _HOUR_MS + 1, last_ms // _HOUR_MS + 1):
        now = _minutes(timezone, hour * _HOUR_MS)
        if now != minutes[-1]:
            since.append(_change(timezone, (hour - 1) * _HOUR_MS, hour * _HOUR_MS))
            minutes.append(now)
    return Offsets(np.array(since, np.int64), np.array(minutes, np.int64))


def _minutes(timezone: ZoneInfo, ms: int) -> int:
    ahead = datetime.fromtimestamp(ms // 1000, UTC).astimezone(timezone).utcoffset()
    return 0 if ahead is None else int(ahead.total_seconds()) // 60


def _change(timezone: ZoneInfo, before: int, after: int) -> int:
    """The minute in which the offset changes: some places do it at half past the hour."""
    new = _minutes(timezone, after)
    return next(ms for ms in range(before + _MINUTE_MS, after + 1, _MINUTE_MS) if _minutes(timezone, ms) == new)


def texts(ms: I64, timezone: ZoneInfo) -> pl.Series:
    """Moments as RFC 3339 text with milliseconds and offset."""
    times = pl.Series(ms).cast(pl.Datetime("ms")).dt.replace_time_zone("UTC").dt.convert_time_zone(timezone.key)
    return times.dt.to_string("%Y-%m-%dT%H:%M:%S%.3f%:z")
