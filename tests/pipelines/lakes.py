"""Landing zones run into lakes, and what such lakes say."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from pipelines.day.audit_run import AuditRun
from warehouse.lake import Lake
from warehouse.schemas import DATASETS

_TICKS = count()


def now() -> datetime:
    """A clock that goes on by a second whenever it is asked."""
    return datetime(2026, 2, 1, tzinfo=UTC) + timedelta(seconds=next(_TICKS))


def audited(zone: Path, lake: Path, **options: Any) -> Lake:
    """The lake after everything that is to be done for a zone was done, without Dagster around it."""
    works = AuditRun(zone, lake, now=now, **options)
    for day in works.days():
        if works.reason(day) is not None:
            works.take(day)
            found = works.audit(day)
            assert not found.failed and not found.unbalanced, (found.failed, found.unbalanced)
            works.publish(day)
    return works.lake


def planted(zone: Path) -> Counter[tuple[Any, ...]]:
    """Return the planted findings, which an audit has to find."""
    return Counter(pl.read_parquet(zone / "truth.parquet").rows())


def found(lake: Lake, zone: Path) -> Counter[tuple[Any, ...]]:
    """Return the lake's findings, in the columns of the truth."""
    truth = pl.read_parquet(zone / "truth.parquet")
    findings = lake.read("findings").select(truth.columns).cast(truth.schema)
    if (zone / "disorder.parquet").exists():  # what was split off a file is the file's
        record = pl.read_parquet(zone / "disorder.parquet").filter(what="overlapping")
        findings = findings.with_columns(pl.col("path").replace(record["path"], record["origin"]))
    return Counter(findings.rows())


def missed(lake: Lake, zone: Path) -> Counter[tuple[Any, ...]]:
    """Count planted findings that were not found; an ambiguous round need only list a story that leaves them."""
    named = pl.read_parquet(zone / "truth.parquet").columns
    told = lake.read("stories").select("round_id", "leaves")
    listed = {(name, finding.partition(":")[0]) for name, leaves in told.rows() for finding in leaves}
    left = planted(zone) - found(lake, zone)
    at, code = named.index("round_id"), named.index("code")
    return Counter({row: times for row, times in left.items() if (row[at], row[code]) not in listed})


def invented(lake: Lake, zone: Path) -> Counter[tuple[Any, ...]]:
    """Count findings that were not planted; a round may be ambiguous only where something was planted in it."""
    named = pl.read_parquet(zone / "truth.parquet").columns
    at, code = named.index("round_id"), named.index("code")
    rounds = {row[at] for row in planted(zone)}
    more = found(lake, zone) - planted(zone)
    open_ = {row for row in more if row[code] == "evidence.ambiguous" and row[at] in rounds}
    return Counter({row: times for row, times in more.items() if row not in open_})


def verdicts(lake: Lake) -> dict[str, pl.DataFrame]:
    """Every row that does not say in which file and when its evidence came."""
    origin = ("path", "line", "file_sha256", "event_path", "event_line", "log_index", "chain")
    names = [name for name in DATASETS if name not in ("files", "quarantine", "restatements")]
    return {name: (rows := lake.read(name)).drop(each for each in origin if each in rows.columns) for name in names}
