"""Outages as findings: a device that was silent while the other went on, and of which no number is missing."""

from datetime import UTC, datetime

from pipelines.judge.day import JudgedDay
from pipelines.judge.findings import Note
from replay.columns import SOURCES, TERMINAL
from replay.outages import Outage, outages


def notes(day: JudgedDay) -> list[Note]:
    """Report each outage once; numbers that are missing are findings of their own."""
    return [_note(day, each) for each in outages(*day.ordered) if not _is_numbered(day, each)]


def _is_numbered(day: JudgedDay, outage: Outage) -> bool:
    """Whether numbers of lines are missing in an outage."""
    columns = day.lines.columns
    seq, own = columns.number("seq"), columns.source == outage.source
    own &= columns.stream == columns.stream[outage.before]
    within = own & (seq >= seq[outage.before]) & (seq <= seq[outage.after])
    return bool(within.sum() <= seq[outage.after] - seq[outage.before])


def _note(day: JudgedDay, outage: Outage) -> Note:
    source, device = SOURCES[outage.source], day.lines.words[day.lines.columns.stream[outage.before]]
    since, until = (
        datetime.fromtimestamp(int(day.corrected[row]) / 1000, UTC).strftime("%H:%M:%S")
        for row in (outage.before, outage.after)
    )
    done = "cards were drawn" if outage.source == TERMINAL else "rounds were played"
    if outage.meanwhile == 1:
        done = "round was played"
    name = f"{source} {device}" if device else source
    message = f"nothing came from the {name} from {since} to {until} UTC, while {outage.meanwhile} {done}"
    return Note("evidence.source-missing", message, source=name, at_ms=int(day.corrected[outage.before]))
