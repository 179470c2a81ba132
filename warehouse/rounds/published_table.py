"""One table's gaming day as a snapshot published it, read once for all its rounds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from threading import RLock
from typing import Any, TypeVar, cast

import polars as pl

from warehouse.lake import Lake, Snapshot
from warehouse.lake.errors import reading

_T = TypeVar("_T")


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """The rows of a table's day, and what is worked out from all of them. Nothing of it ever changes."""

    lake: Lake
    snapshot: Snapshot  # that of the publication: later ones of other days change nothing here
    table: str
    day: date
    _made: dict[str, Any] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock)

    def rows(self, dataset: str, table: str | None = None) -> pl.DataFrame:
        """All rows of a dataset, or those of another table of the day; ``LakeError`` where a part cannot be read."""
        wanted = self.table if table is None else table
        return self.once(f"rows of {dataset}, {wanted}", lambda: self._read(dataset, wanted))

    def once(self, name: str, make: Callable[[], _T]) -> _T:
        """Something that follows from the day, made when it is first asked for."""
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return cast(_T, self._made[name])

    def _read(self, dataset: str, table: str) -> pl.DataFrame:
        frame = self.lake.scan(dataset, self.snapshot, [self.day], [table])
        with reading(self.lake.path / dataset):
            return frame.collect()


OpenDay = Callable[[Lake, int, str, date], PublishedTable]


def open_day(lake: Lake, publication: int, table: str, day: date) -> PublishedTable:
    """A table's day as the snapshot of that number published it."""
    return PublishedTable(lake, lake.snapshot(publication), table, day)
