"""Device clocks as they are reported: a row for each piece, and a finding where one is too far off or steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from pipelines.align.clock import Clock, Piece
from pipelines.align.streams import Stream
from replay.columns import SOURCES, Columns

SKEW_MS: Final = 30_000  # clocks may differ by that much
RESIDUAL_MS: Final = 2_000  # and their offset may be unsure by that much
STEP_MS: Final = 1_000  # a jump that much beyond the uncertainty is a step
_ENOUGH_LINES: Final = 100  # lines from which a clock ought to be worked out
UNSURE: Final = "its lines fit those of the table's other devices at no offset within 15 minutes"


@dataclass(frozen=True)
class Row:
    """A piece of a device's clock: ``since_seq`` to ``until_seq`` are its lines, times are on its own clock."""

    since_seq: int
    until_seq: int
    since_ms: int
    until_ms: int
    offset_ms: int  # at the first line
    drift_ppm: float
    uncertainty_ms: int
    kept: int
    broken: int


@dataclass(frozen=True)
class DeviceClock:
    """A device's clock against the one that all devices of the table go by, on one gaming day."""

    source: str
    device: str | None
    lines: int
    sure: bool
    rows: tuple[Row, ...]
    steps: tuple[int, ...]  # ms by which the clock stepped

    @classmethod
    def of(cls, columns: Columns, words: Sequence[str], stream: Stream, clock: Clock) -> "DeviceClock":
        """Describe the clock of a stream."""
        shown, seq = columns.number("ts")[stream.rows], columns.number("seq")[stream.rows]
        undone = shown - stream.ms  # what steps back took off
        cuts = np.flatnonzero(np.diff(clock.number(stream.ms))) + 1
        edges = np.unique(np.concatenate([[0], cuts, stream.breaks, [len(shown)]]))
        rows = []
        for first, last in pairwise(edges.tolist()):
            piece = clock.pieces[int(clock.number(stream.ms[first : first + 1])[0])]
            rows.append(_row(piece, stream, shown, seq, int(undone[first]), first, last))
        return cls(
            source=SOURCES[stream.source],
            device=words[stream.device] or None,
            lines=len(shown),
            sure=clock.sure,
            rows=tuple(rows),
            steps=tuple(_steps(rows)),
        )


def _row(piece: Piece, stream: Stream, shown: np.ndarray, seq: np.ndarray, undone: int, first: int, last: int) -> Row:
    ahead = float(piece.at(stream.ms[first : first + 1])[0]) + undone
    return Row(
        since_seq=int(seq[first]),
        until_seq=int(seq[last - 1]),
        since_ms=int(shown[first]),
        until_ms=int(shown[last - 1]),
        offset_ms=round(ahead),
        drift_ppm=round(piece.drift * 1e6, 3),
        uncertainty_ms=piece.uncertainty_ms,
        kept=piece.kept,
        broken=piece.broken,
    )


def _steps(rows: Sequence[Row]) -> list[int]:
    """Find the steps between pieces, in ms, that are more than the offsets are unsure by."""
    found = []
    for before, after in pairwise(rows):
        ended = before.offset_ms + before.drift_ppm * 1e-6 * (before.until_ms - before.since_ms)
        step = round(after.offset_ms - ended)
        if abs(step) > STEP_MS + max(before.uncertainty_ms, after.uncertainty_ms):
            found.append(step)
    return found


@dataclass(frozen=True)
class SkewNote:
    """A clock too far off, as a finding."""

    code: str
    source: str
    device: str | None
    message: str


def skew_notes(clocks: Sequence[DeviceClock]) -> list[SkewNote]:
    """List the clocks that are further off than clocks may be, or that stepped."""
    return [
        SkewNote("evidence.clock-skew", clock.source, clock.device, message)
        for clock in clocks
        if (message := _skew(clock)) is not None
    ]


def _skew(clock: DeviceClock) -> str | None:
    name = f"The {clock.source}'s clock" + (f" ({clock.device})" if clock.device else "")
    if not clock.sure:
        return f"{name} could not be worked out: {UNSURE}." if clock.lines >= _ENOUGH_LINES else None
    largest = max((row.offset_ms for row in clock.rows), key=abs)
    if abs(largest) > SKEW_MS:
        side = "ahead of" if largest > 0 else "behind"
        return f"{name} is {abs(largest) / 1000:.1f} s {side} the terminal's; expected at most 30 s."
    if clock.steps:
        times = "once" if len(clock.steps) == 1 else f"{len(clock.steps)} times"
        sizes = ", ".join(f"{step / 1000:+.1f} s" for step in clock.steps)
        return f"{name} stepped {times} during the day ({sizes}); expected to run evenly."
    unsure = max(row.uncertainty_ms for row in clock.rows)
    if unsure > RESIDUAL_MS and clock.lines >= _ENOUGH_LINES:
        return f"{name} is known to {unsure / 1000:.1f} s only in a part of the day; expected 2 s."
    return None
