"""Small lakes for tests: rows with what a test does not care about filled in, as Parquet parts with hashed names."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from warehouse import catalog
from warehouse.schemas import DATASETS

Row = dict[str, Any]
Parts = dict[str, list[Path]]

DAY = date(2026, 1, 5)
NEXT = date(2026, 1, 6)
HASH = "0" * 64
_ROUND: Row = (
    {"dealer": "Ann", "shift": "day", "complete": True, "void": False, "void_logged": False, "dealer_cards": []}
    | {"boxes": 1, "evidence": "terminal+shoe", "verdict": "correct", "currency": "USD", "wagers": 0, "findings": 0}
    | dict.fromkeys(("handle_cents", "paid_cents", "taken_cents", "over_cents", "under_cents"), 0)
    | {"rulebook": "md-pontoon21", "rulebook_version": "1", "floor_sha256": HASH, "engine_version": "1"}
)
_WAGER: Row = {"seat": 1, "bettor": 1, "kind": "main", "hand": 1, "currency": "USD"} | dict.fromkeys(
    (
        *("stake_cents", "expected_paid_cents", "expected_taken_cents"),
        *("actual_paid_cents", "actual_taken_cents", "variance_cents"),
    ),
    0,
)


def at(minutes: float, day: date = DAY) -> datetime:
    """So many minutes after noon of the gaming day."""
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC) + timedelta(minutes=minutes)


def a_round(table: str, round_: str, start: float, end: float | None, day: date = DAY, **values: Any) -> Row:
    """A round between two minutes."""
    row = {**_ROUND, "gaming_day": day, "table": table, "round": round_, "round_id": f"{table}/{day}/{round_}"}
    return row | {"started": at(start, day), "ended": None if end is None else at(end, day)} | values


def wager(round_id: str, verdict: str = "correct") -> Row:
    """A wager of a round."""
    table, day, _ = round_id.split("/")
    return {**_WAGER, "gaming_day": date.fromisoformat(day), "table": table, "round_id": round_id, "verdict": verdict}


def finding(table: str, code: str, severity: str, day: date = DAY, **values: Any) -> Row:
    """A finding."""
    row = {"gaming_day": day, "table": table, "code": code, "severity": severity, "currency": "USD", "message": code}
    row |= {"sentence": code, "arguments": "{}"}
    row |= {"variance_cents": 0, "certainty": 1.0, "evidence": "terminal"} | values
    return row | {"finding_id": hashlib.sha256(repr(sorted(row.items())).encode()).hexdigest()}


def file(table: str, source: str, day: date = DAY, **values: Any) -> Row:
    """A landing file."""
    row = {"gaming_day": day, "table": table, "path": f"{day}/{table}/{source}.ndjson", "source": source}
    return row | {"sha256": HASH, "bytes": 10, "log_index": 0, "chain": HASH} | values


def store(lake: Path, rows: Mapping[str, Sequence[Row]]) -> Parts:
    """The rows as parts of a lake: the files that a snapshot of it would name."""
    files: Parts = {}
    for name, of_dataset in rows.items():
        frame = pl.DataFrame(of_dataset, schema=DATASETS[name].types, strict=False)
        for (day,), part in frame.group_by("gaming_day", maintain_order=True):
            content = DATASETS[name].check(part).drop("gaming_day")
            files.setdefault(name, []).append(_write(lake / name / f"gaming_day={day}", content))
    return {name: sorted(paths) for name, paths in files.items()}


def _write(folder: Path, content: pl.DataFrame) -> Path:
    digest = hashlib.sha256(content.write_json().encode()).hexdigest()
    path = folder / f"part-{digest}.parquet"
    folder.mkdir(parents=True, exist_ok=True)
    content.write_parquet(path)
    return path


def ask(path: Path, query: str) -> list[tuple[Any, ...]]:
    """The answer of a catalog to a query."""
    with duckdb.connect(str(path), read_only=True) as con:
        return con.sql(query).fetchall()


def marts_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables of a catalog, in their order."""
    with duckdb.connect(str(path), read_only=True) as con:
        tables = [name for (name,) in con.sql("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()]
        return {name: con.sql(f"FROM {'made.' if name == 'days' else ''}{name}").fetchall() for name in tables}


def build(lake: Path, rows: Mapping[str, Sequence[Row]]) -> Path:
    """The catalog of these rows."""
    return catalog.build(lake, store(lake, rows), 1, None)
