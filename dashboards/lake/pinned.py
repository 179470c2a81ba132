"""One snapshot of the lake, open for queries: datasets by day or as a whole, and marts."""

import os
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

from dashboards.kept import Kept, frozen
from warehouse import catalog
from warehouse.catalog import contents, marts, sql
from warehouse.lake import DayState, Lake, LakeError, Snapshot, publications
from warehouse.schemas import DATASETS

MEMORY: Final = "1GB"
MOST_THREADS: Final = 4
_MOST_ROWS: Final = 20_000  # of answers that are kept for the next who asks the same
_ALL: Final = "every_day"
_MARTS: Final = "marts"


class Scope:
    """Queries over one part of a snapshot. Parameters are named: ``rows("... WHERE code = $code", code=...)``."""

    def __init__(self, con: duckdb.DuckDBPyConnection, schema: str) -> None:
        self._con = con
        self._schema = schema
        self._idle: list[duckdb.DuckDBPyConnection] = []
        self._answers = Kept[list[dict[str, Any]]](_MOST_ROWS, lambda rows: 1 + len(rows))

    def rows(self, query: str, **params: object) -> list[dict[str, Any]]:
        """All rows that a query gives. The snapshot never changes, so neither does the answer."""
        asked = query, *((name, frozen(value)) for name, value in params.items())
        return [row.copy() for row in self._answers.get(asked, lambda: self._asked(query, params))]

    def _asked(self, query: str, params: dict[str, object]) -> list[dict[str, Any]]:
        with self.cursor() as cursor:
            cursor.execute(query, params or None)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def row(self, query: str, **params: object) -> dict[str, Any] | None:
        """The first row that a query gives."""
        found = self.rows(query, **params)
        return found[0] if found else None

    def table(self, query: str, **params: object) -> pa.Table:
        """All rows as an Arrow table, for files."""
        with self.cursor() as cursor:
            return cursor.sql(query, params=params or None).to_arrow_table()

    def forget(self) -> None:
        """Ask the lake again from here on, as for somebody who is the first to ask."""
        self._answers.clear()

    def close(self) -> None:
        """Let go of the connections that nobody uses."""
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection of this thread's own for as long as it needs one."""
        try:
            cursor = self._idle.pop()
        except IndexError:
            cursor = self._con.cursor()
            cursor.execute(f"USE {self._schema}")
        try:
            yield cursor
        except BaseException:
            cursor.close()
            raise
        self._idle.append(cursor)


class Pinned:
    """A snapshot. Its files never change, so an open page stays correct whatever is published meanwhile."""

    def __init__(self, lake: Lake, snapshot: Snapshot) -> None:
        self.lake = lake
        self.snapshot = snapshot
        self._lock = threading.Lock()
        self._scopes: dict[str, Scope] = {}
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": MEMORY,
            "threads": min(MOST_THREADS, os.cpu_count() or 1),
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        self._con = duckdb.connect(":memory:", config=config)
        for setting in ("TimeZone = 'UTC'", "parquet_metadata_cache = true"):
            self._con.execute(f"SET GLOBAL {setting}")

    @property
    def number(self) -> int:
        """The snapshot's number."""
        return self.snapshot.number

    @property
    def published(self) -> datetime | None:
        """When it was published."""
        return self.snapshot.published

    @cached_property
    def days(self) -> list[date]:
        """Its gaming days, in order."""
        return list(self.snapshot.days)

    def day(self, day: date) -> Scope:
        """The datasets of one gaming day: queries read the files of that day only."""
        return self._scope(f"day_{day:%Y%m%d}", [day])

    def every_day(self) -> Scope:
        """The datasets as a whole; a condition on ``gaming_day`` keeps a query small."""
        return self._scope(_ALL, None)

    def marts(self) -> Scope:
        """The marts of all days. Where the catalog is of another snapshot, the days that differ are made anew."""
        with self._lock:
            if _MARTS not in self._scopes:
                self._make_marts()
                self._scopes[_MARTS] = Scope(self._con, _MARTS)
            return self._scopes[_MARTS]

    def close(self) -> None:
        """End it, with all its connections."""
        with self._lock:
            for scope in self._scopes.values():
                scope.close()
            self._con.close()

    def _scope(self, schema: str, days: Collection[date] | None) -> Scope:
        with self._lock:
            if schema not in self._scopes:
                with self._con.cursor() as con:
                    con.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
                    for name, paths in self._files(days).items():
                        con.execute(f"CREATE OR REPLACE VIEW {schema}.{name} AS {sql.select(DATASETS[name], paths)}")
                self._scopes[schema] = Scope(self._con, schema)
            return self._scopes[schema]

    def _files(self, days: Collection[date] | None) -> dict[str, list[Path]]:
        wanted = None if days is None else {day.isoformat() for day in days}
        return {
            name: [path for path in paths if wanted is None or _day_of(path) in wanted]
            for name, paths in self._all_files.items()
        }

    @cached_property
    def _all_files(self) -> Mapping[str, list[Path]]:
        return {name: [Path(path) for path in self.lake.files(name, self.snapshot)] for name in DATASETS}

    def _make_marts(self) -> None:
        with self._con.cursor() as con:
            shown = self._attach_catalog(con)
            kept = [day for day, state in self.snapshot.days.items() if shown.get(day) == state]
            contents.work(con, self._files([day for day in self.days if day not in kept]))
            con.execute(f"CREATE SCHEMA IF NOT EXISTS {_MARTS}")
            listed = ", ".join(f"DATE '{day}'" for day in kept)
            for mart in marts.marts():
                made = f"{_MARTS}.made_{mart.name}"
                con.execute(f"CREATE OR REPLACE TABLE {made} AS FROM temp.{mart.name}")
                query = f"SELECT * FROM {made}"
                if kept:
                    query += f" UNION ALL SELECT * FROM catalog.{mart.name} WHERE gaming_day IN ({listed})"
                con.execute(f"CREATE OR REPLACE VIEW {_MARTS}.{mart.name} AS {query}")

    def _attach_catalog(self, con: duckdb.DuckDBPyConnection) -> Mapping[date, DayState]:
        """Open the catalog as it is published now; the days that it shows, none where it cannot be used."""
        if not catalog.is_recorded(self.lake.path, publications.log_of(self.lake.path)):
            return {}  # none yet, or not as the evidence log names it: the marts are made from the files
        try:
            con.execute(f"ATTACH IF NOT EXISTS {sql.literal(self.lake.path / catalog.NAME)} AS catalog (READ_ONLY)")
            number = con.execute("SELECT snapshot FROM catalog.snapshot").fetchall()[0][0]
            return self.lake.snapshot(number).days
        except (duckdb.Error, LakeError):
            return {}


def _day_of(path: Path) -> str:
    return path.parent.name.removeprefix("gaming_day=")
