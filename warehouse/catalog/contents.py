"""The contents of a catalog: the marts, a view per dataset, and their descriptions."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from warehouse.catalog import marts, sql
from warehouse.schemas import DATASETS, SNAPSHOTS

BATCH_BYTES: Final = 16 << 20  # Parquet that is worked on at a time

Files = Mapping[str, Sequence[Path]]
Connection = duckdb.DuckDBPyConnection
_Days = dict[date, dict[str, list[Path]]]


def write(con: Connection, files: Files, snapshot: int, published: pl.DataFrame, before: Mapping[date, str]) -> None:
    """Everything, into the empty database ``audit21``. ``published`` has the snapshots up to the one that is shown.

    ``before`` tells from what the database ``before`` was made, by day: rows of days made from the same are copied.
    """
    days = _by_day(files)
    made = {day: _fingerprint(parts) for day, parts in days.items()}
    _fill_marts(con, days, {day for day, inputs in made.items() if before.get(day) == inputs})
    _make_views(con, files)
    _make_snapshots(con, snapshot, published, days)
    con.execute("CREATE SCHEMA audit21.made")
    con.execute("CREATE TABLE audit21.made.days (gaming_day DATE, inputs VARCHAR)")
    if made:
        con.executemany("INSERT INTO audit21.made.days VALUES (?, ?)", sorted(made.items()))
    _make_columns(con)


# Marts.


def _fill_marts(con: Connection, days: _Days, kept: Collection[date]) -> None:
    """Every mart with its rows in order, out of the datasets or, for the days kept, out of the catalog before."""
    work(con, {})
    for mart in marts.marts():
        con.execute(f"CREATE TABLE audit21.{mart.name} AS FROM temp.{mart.name}")
        _comment(con, "TABLE", mart.name, mart.description)
    for is_kept, run in groupby(sorted(days), lambda day: day in kept):
        if is_kept:
            _copy(con, list(run))
        else:
            for batch in _batches(list(run), days):
                work(con, _together(batch, days))
                for mart in marts.marts():
                    con.execute(f"INSERT INTO audit21.{mart.name} FROM temp.{mart.name} ORDER BY {_order(mart)}")


def work(con: Connection, files: Files) -> None:
    """Steps and marts of these files, as temporary tables."""
    for dataset in DATASETS.values():
        query = sql.select(dataset, files.get(dataset.name, ()))
        con.execute(f"CREATE OR REPLACE TEMP VIEW {dataset.name} AS {query}")
    for step, query in marts.steps().items():
        con.execute(f"CREATE OR REPLACE TEMP TABLE {step} AS {query}")
    for mart in marts.marts():
        con.execute(f"CREATE OR REPLACE TEMP TABLE {mart.name} AS {mart.query}")


def _copy(con: Connection, days: Sequence[date]) -> None:
    for mart in marts.marts():
        rows = f"FROM before.{mart.name} WHERE gaming_day IN (SELECT unnest($days)) ORDER BY {_order(mart)}"
        con.execute(f"INSERT INTO audit21.{mart.name} {rows}", {"days": days})


def _order(mart: marts.Mart) -> str:
    return ", ".join(f"{sql.name(column)} NULLS LAST" for column in mart.key)


# Which files belong to which day.


def _by_day(files: Files) -> _Days:
    days: _Days = {}
    for dataset in DATASETS:
        for path in files.get(dataset, ()):
            day = date.fromisoformat(path.parent.name.removeprefix("gaming_day="))
            days.setdefault(day, {}).setdefault(dataset, []).append(path)
    return days


def _together(batch: Sequence[date], days: _Days) -> dict[str, list[Path]]:
    return {dataset: [path for day in batch for path in days[day].get(dataset, ())] for dataset in DATASETS}


def _batches(days: Sequence[date], parts: _Days) -> Iterator[list[date]]:
    """Days in order, together as long as their files are small."""
    batch: list[date] = []
    size = 0
    for day in days:
        bytes_of_day = sum(path.stat().st_size for paths in parts[day].values() for path in paths)
        if batch and size + bytes_of_day > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(day)
        size += bytes_of_day
    yield batch


def _fingerprint(parts: Mapping[str, Sequence[Path]]) -> str:
    """Return the parts of a day's rows: a part's name has the hash of its content."""
    names = sorted(f"{dataset}/{path.name}" for dataset, paths in parts.items() for path in paths)
    return hashlib.sha256("\n".join((marts.recipe(), *names)).encode()).hexdigest()


# Views, and what describes them.


def _make_views(con: Connection, files: Files) -> None:
    for dataset in DATASETS.values():
        con.execute(f"CREATE VIEW audit21.{dataset.name} AS {sql.select(dataset, files.get(dataset.name, ()))}")
        _comment(con, "VIEW", dataset.name, dataset.description)
        for column, meaning in dataset.descriptions.items():
            _comment(con, "COLUMN", f"{dataset.name}.{sql.name(column)}", meaning)


def _make_snapshots(con: Connection, snapshot: int, published: pl.DataFrame, days: Collection[date]) -> None:
    con.register("published", published.to_arrow())
    con.execute("CREATE TABLE audit21.snapshots AS FROM published")
    _comment(con, "TABLE", "snapshots", SNAPSHOTS.description)
    con.execute(
        "CREATE TABLE audit21.snapshot AS SELECT $snapshot::BIGINT AS snapshot, any_value(published) AS published, "
        "$gaming_days::BIGINT AS gaming_days, $first_day::DATE AS first_day, $last_day::DATE AS last_day "
        "FROM audit21.snapshots WHERE snapshot = $snapshot",
        {
            "snapshot": snapshot,
            "gaming_days": len(days),
            "first_day": min(days, default=None),
            "last_day": max(days, default=None),
        },
    )
    _comment(con, "TABLE", "snapshot", "One row: the snapshot that this catalog shows.")


def _make_columns(con: Connection) -> None:
    """Comments on the columns of tables, and the table of all columns."""
    con.execute(
        "CREATE TABLE audit21.columns "
        '(dataset VARCHAR, position INTEGER, "column" VARCHAR, type VARCHAR, description VARCHAR)'
    )
    _comment(con, "TABLE", "columns", "One row per column of every view and table in the catalog.")
    for table in (*marts.NAMES, "snapshot", "columns"):
        for column, *_ in con.execute(f"DESCRIBE audit21.{table}").fetchall():
            _comment(con, "COLUMN", f"{table}.{sql.name(column)}", marts.meaning(table, column))
    for column, meaning in SNAPSHOTS.descriptions.items():
        _comment(con, "COLUMN", f"snapshots.{sql.name(column)}", meaning)
    con.execute(
        "INSERT INTO audit21.columns SELECT table_name, column_index, column_name, data_type, comment "
        "FROM duckdb_columns() WHERE database_name = 'audit21' AND schema_name = 'main' "
        "ORDER BY table_name, column_index"
    )


def _comment(con: Connection, sort: str, place: str, text: str) -> None:
    con.execute(f"COMMENT ON {sort} audit21.{place} IS {sql.literal(text)}")
