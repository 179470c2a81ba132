"""Snapshots: a row per publication, with the version of every dataset that belongs to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final

import polars as pl

from warehouse.dataset import SchemaError
from warehouse.lake import delta
from warehouse.lake.errors import LakeError
from warehouse.lake.parts import store
from warehouse.schemas import SNAPSHOTS

# So many files of one row, then one file of all: the list is read as a whole.
MOST_FILES: Final = 32


@dataclass(frozen=True)
class SnapshotMeta:
    """The facts of a publication beside its rows."""

    published: datetime
    run_id: str
    reason: str
    inputs: str
    carry_in: str
    carry_out: str
    engine_version: str
    restates: bool = False


@dataclass(frozen=True)
class DayState:
    """The newest publication of a gaming day, as a snapshot knows it."""

    snapshot: int
    published: datetime
    run_id: str
    gaming_day: date
    reason: str
    restates: bool
    inputs: str
    carry_in: str
    carry_out: str
    engine_version: str

    def comes_from(self, meta: SnapshotMeta) -> bool:
        """Tell whether the day was audited from just this."""
        found = (self.inputs, self.carry_in, self.carry_out, self.engine_version)
        return found == (meta.inputs, meta.carry_in, meta.carry_out, meta.engine_version)


@dataclass(frozen=True)
class Snapshot:
    """The versions that belong together, and the state of every day in them. Number 0 is the empty lake's."""

    number: int
    published: datetime | None
    versions: Mapping[str, int]
    days: Mapping[date, DayState]


EMPTY: Final = Snapshot(0, None, {}, {})


def rows(root: Path) -> pl.DataFrame:
    """All publications, in order."""
    if not delta.exists(root, SNAPSHOTS):
        return SNAPSHOTS.empty()
    parts = delta.parts(root, SNAPSHOTS)
    if not parts:
        return SNAPSHOTS.empty()
    files = [root / SNAPSHOTS.name / part.path for part in parts]
    try:
        frame = pl.read_parquet(files, glob=False, hive_partitioning=False)
        frame = frame.with_columns(pl.col("published").cast(SNAPSHOTS.types["published"]))
        return SNAPSHOTS.check(frame).sort(SNAPSHOTS.sort)
    except (OSError, pl.exceptions.PolarsError, SchemaError) as error:
        told = " ".join(str(error).split())
        raise LakeError(f"{root / SNAPSHOTS.name} could not be read: {told}. Run audit21 verify") from error


def find(root: Path, number: int | None = None, as_of: datetime | None = None) -> Snapshot:
    """The newest snapshot, or that of a number, or the newest that was published by a time."""
    listed = found = rows(root)
    if as_of is not None:
        # By the order of publication: where the clock was set back, what came before it was known before it.
        known = found.filter(pl.col("published").cum_max() <= as_of)
        number = 0 if known.is_empty() else known["snapshot"][-1]
    if number is not None:
        found = found.filter(pl.col("snapshot") <= number)
        if found.is_empty() or found["snapshot"][-1] != number:
            raise LakeError(f"{root} has no snapshot {as_of or number}: expected {_range(listed)}")
    if found.is_empty():
        return EMPTY
    newest = found.row(-1, named=True)
    states = [DayState(**row) for row in found.drop("versions").iter_rows(named=True)]
    days = {state.gaming_day: state for state in states}
    return Snapshot(newest["snapshot"], newest["published"], newest["versions"], dict(sorted(days.items())))


def _range(found: pl.DataFrame) -> str:
    if found.is_empty():
        return "none, nothing was published yet"
    first, last = found.row(0, named=True), found.row(-1, named=True)
    ends = (f"{row['snapshot']} ({row['published']:%Y-%m-%d %H:%M:%S}Z)" for row in (first, last))
    return " to ".join(ends)


def publish(root: Path, number: int, row: pl.DataFrame, time_ms: int) -> None:
    """Add the row that makes a publication the newest snapshot."""
    held = {part.path: part for part in delta.parts(root, SNAPSHOTS)}
    if is_gathered := len(held) >= MOST_FILES:
        row = pl.concat([rows(root), row])
    part = store(root, SNAPSHOTS, "", number, SNAPSHOTS.check_table(row.to_arrow()))
    after = {part.path: part} if is_gathered else {**held, part.path: part}
    delta.write_commit(root, SNAPSHOTS, number, delta.commit(held, after, time_ms, data_change=not is_gathered))
