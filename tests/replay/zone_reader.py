"""A landing zone read back and audited the plain way: line by line, its clocks put right by clocks.parquet."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from replay import floor
from replay.audit import audit
from replay.finding import Finding

Event = dict[str, Any]


def events(zone: Path, day: date, table: str) -> list[Event]:
    """A table's lines of a day, in the order of true time."""
    plan = floor.read(zone / "floor.toml")
    starts = time.fromisoformat(plan.property["gaming_day_starts"])
    begin = datetime.combine(day, starts, ZoneInfo(plan.property["timezone"])).timestamp() * 1000
    clocks = pl.read_parquet(zone / "clocks.parquet").filter(gaming_day=day, table=table)
    found: list[tuple[float, Event]] = []
    for source in ("terminal", "shoe"):
        ((offset, drift),) = clocks.filter(source=source).select("offset_ms", "drift_ppm").rows()
        lines = (zone / day.isoformat() / table / f"{source}.ndjson").read_text().splitlines()
        # Of lines with the same number the first stands.
        for event in {event["seq"]: event for event in map(json.loads, reversed(lines))}.values():
            shown = datetime.fromisoformat(event["ts"]).timestamp() * 1000
            found.append(((shown - offset + begin * drift / 1e6) / (1 + drift / 1e6), event))
    return [event for _, event in sorted(found, key=lambda pair: pair[0])]


def table_days(zone: Path) -> Iterator[tuple[date, str]]:
    """The days and tables that have files."""
    for folder in sorted(zone.glob("2*/*")):
        yield date.fromisoformat(folder.parent.name), folder.name


def audited(zone: Path) -> Counter[tuple[Any, ...]]:
    """Return the findings of an audit of every table's day, as rows of truth.parquet."""
    plan = floor.read(zone / "floor.toml")
    found: Counter[tuple[Any, ...]] = Counter()
    for day, table in table_days(zone):
        result = audit(plan, table, day, events(zone, day, table))
        found.update(_row(day, result.table, finding) for finding in result.findings)
    return found


def truth(zone: Path) -> Counter[tuple[Any, ...]]:
    """Return the planted findings that an audit of events can see, so without those in files, clocks and cameras."""
    planted = pl.read_parquet(zone / "truth.parquet")
    return Counter(planted.filter(~pl.col("code").str.starts_with("evidence.")).rows())


def _row(day: date, table: floor.Table, finding: Finding) -> tuple[Any, ...]:
    return (
        day,
        table.id,
        None if finding.round is None else f"{table.id}/{day.isoformat()}/{finding.round}",
        finding.shoe,
        None,
        finding.code,
        finding.severity,
        finding.seat,
        finding.bettor,
        finding.kind,
        finding.hand,
        finding.variance_cents,
        table.currency,
        str(finding.clause) if finding.clause else None,
        finding.handling,
    )
