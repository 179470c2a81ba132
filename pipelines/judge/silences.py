"""Outages as findings: a device that was silent while the other went on, and of which no number is missing."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from pipelines.judge.day import JudgedDay
from replay.columns import SOURCES, TERMINAL
from replay.finding import Finding
from replay.outages import Outage, outages

_CODE: Final = "evidence.source-missing"


def findings(day: JudgedDay) -> Iterator[Finding]:
    """Report each outage once; numbers that are missing are findings of their own."""
    for each in outages(*day.ordered):
        if not _is_numbered(day, each):
            yield _finding(day, each)


def _is_numbered(day: JudgedDay, outage: Outage) -> bool:
    """Tell whether numbers of lines are missing in an outage."""
    columns = day.lines.columns
    seq, own = columns.number("seq"), columns.source == outage.source
    own &= columns.stream == columns.stream[outage.before]
    within = own & (seq >= seq[outage.before]) & (seq <= seq[outage.after])
    return bool(within.sum() <= seq[outage.after] - seq[outage.before])


def _finding(day: JudgedDay, outage: Outage) -> Finding:
    source, device = SOURCES[outage.source], day.lines.words[day.lines.columns.stream[outage.before]]
    since, until = (
        datetime.fromtimestamp(int(day.corrected[row]) / 1000, UTC).strftime("%H:%M:%S")
        for row in (outage.before, outage.after)
    )
    return Finding(
        code=_CODE,
        form=f"{_CODE}/outage-cards" if outage.source == TERMINAL else f"{_CODE}/outage",
        device=f"{source} {device}".rstrip(),
        at_ms=int(day.corrected[outage.before]),
        said={"source": source, "device": device, "since": since, "until": until, "played": outage.meanwhile},
    )
