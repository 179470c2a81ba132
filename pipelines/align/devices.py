"""Device clocks as they are reported: a row for each piece, and a finding where one is too far off or steps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from pipelines.align.clock import Clock, Piece
from pipelines.align.streams import Stream
from replay.columns import SOURCES, Columns
from replay.finding import Finding

_CODE: Final = "evidence.clock-skew"
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

    def moved(self, by_ms: int) -> "DeviceClock":
        """Set the clock against one that shows another time."""
        rows = tuple(replace(row, offset_ms=row.offset_ms + by_ms) for row in self.rows)
        return replace(self, rows=rows) if by_ms else self

    def followed(self, after: "DeviceClock") -> "DeviceClock":
        """Add the pieces of a later part of the day."""
        rows = (*self.rows, *after.rows)
        sure = self.sure or after.sure
        return replace(self, lines=self.lines + after.lines, sure=sure, rows=rows, steps=tuple(_steps(rows)))


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


def skew_findings(clocks: Sequence[DeviceClock]) -> list[tuple[DeviceClock, Finding]]:
    """List the clocks that are further off than clocks may be, or that stepped, each with the finding that says so."""
    return [(clock, finding) for clock in clocks if (finding := _skew(clock)) is not None]


def _skew(clock: DeviceClock) -> Finding | None:
    if not clock.sure:
        return _finding(clock, "/unknown", why=UNSURE) if clock.lines >= _ENOUGH_LINES else None
    largest = max((row.offset_ms for row in clock.rows), key=abs)
    if abs(largest) > SKEW_MS:
        return _finding(clock, ms=largest)
    if clock.steps:
        return _finding(clock, "/stepped", count=len(clock.steps), steps=clock.steps)
    unsure = max(row.uncertainty_ms for row in clock.rows)
    if unsure > RESIDUAL_MS and clock.lines >= _ENOUGH_LINES:
        return _finding(clock, "/uncertain", ms=unsure)
    return None


def _finding(clock: DeviceClock, form: str = "", **said: object) -> Finding:
    about = {"source": clock.source, "device": clock.device, **said}
    return Finding(code=_CODE, device=f"{clock.source} {clock.device or ''}".rstrip(), form=_CODE + form, said=about)
