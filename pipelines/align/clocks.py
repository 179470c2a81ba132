"""What is said of a device's clock, and when it is worth a finding."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from pipelines.align.fit import Fit, Line
from pipelines.align.streams import Stream
from replay.columns import CAMERA, SHOE, SOURCES

SKEW_MS: Final = 30_000  # clocks may differ by that much
RESIDUAL_MS: Final = 2_000  # and by that much once they are corrected
_ENOUGH_LINES: Final = 100  # lines from which a clock ought to be worked out


@dataclass(frozen=True)
class ClockFit:
    """A device's clock against the one that all go by, on one gaming day."""

    source: str
    device: str | None
    lines: int
    offset_ms: int  # how far it is ahead at its first line
    drift_ppm: float
    residual_ms: int  # how far a part of the day still disagrees after correction
    support: int  # pairs of lines that it rests on; 0 for the clock that all go by
    sure: bool
    largest_ms: int  # the offset that is furthest from zero, anywhere in the day
    note: str | None  # why it is not sure


@dataclass(frozen=True)
class SkewNote:
    """A clock too far off, as a finding."""

    code: str
    source: str
    device: str | None
    message: str


def reference(stream: Stream, words: Sequence[str]) -> ClockFit:
    """The clock that all others are set against."""
    source, device = SOURCES[stream.source], words[stream.device] or None
    return ClockFit(source, device, len(stream.rows), 0, 0.0, 0, 0, True, 0, None)


def described(stream: Stream, words: Sequence[str], line: Line, fit: Fit | None, why_not: str) -> ClockFit:
    """The clock of a stream as it was worked out; ``why_not`` says what was missing where it was not sure."""
    ends = line.at(stream.ms[[0, -1]])
    sure = fit is not None and fit.sure
    return ClockFit(
        source=SOURCES[stream.source],
        device=words[stream.device] or None,
        lines=len(stream.rows),
        offset_ms=int(ends[0]),
        drift_ppm=round(line.drift * 1e6, 3),
        residual_ms=residual_ms(fit),
        support=0 if fit is None else fit.support,
        sure=sure,
        largest_ms=int(ends[np.argmax(np.abs(ends))]),
        note=None if sure else why_not,
    )


def residual_ms(fit: Fit | None) -> int:
    """How far the line passes by what any part of the day says for itself."""
    if fit is None:
        return 0
    return max((stretch.off_ms(fit.line) for stretch in fit.stretches if stretch.is_firm()), default=0)


def skew_notes(clocks: Sequence[ClockFit]) -> list[SkewNote]:
    """The clocks that are further off than clocks may be."""
    # A camera is set by the shoe: where the shoe's clock jumps, the camera's seems to.
    uneven_shoe = any(clock.source == SOURCES[SHOE] and clock.residual_ms > RESIDUAL_MS for clock in clocks)
    return [
        SkewNote("evidence.clock-skew", clock.source, clock.device, message)
        for clock in clocks
        if (message := _skew(clock, uneven_shoe and clock.source == SOURCES[CAMERA])) is not None
    ]


def _skew(clock: ClockFit, seems_uneven: bool) -> str | None:
    name = f"The {clock.source}'s clock" + (f" ({clock.device})" if clock.device else "")
    if not clock.sure:
        if clock.lines < _ENOUGH_LINES:
            return None
        return f"{name} could not be worked out: {clock.note}."
    if abs(clock.largest_ms) > SKEW_MS:
        side = "ahead of" if clock.largest_ms > 0 else "behind"
        return f"{name} is {abs(clock.largest_ms) / 1000:.1f} s {side} the table's; expected at most 30 s."
    if clock.residual_ms > RESIDUAL_MS and not seems_uneven:
        return (
            f"{name} does not run evenly: {clock.residual_ms / 1000:.1f} s remain in a part of the day "
            "after correction; expected at most 2 s."
        )
    return None
