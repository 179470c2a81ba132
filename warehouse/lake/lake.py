"""The lake as one writer and many readers see it."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from warehouse.dataset import Dataset
from warehouse.evidence.log import EvidenceLog
from warehouse.lake import delta, lock, publications, snapshots, tables
from warehouse.lake.errors import LakeError, reading, writing
from warehouse.lake.parts import LakePart, Staged
from warehouse.lake.publications import Publication, Tables
from warehouse.lake.snapshots import DayState, Snapshot, SnapshotMeta
from warehouse.lake.stage import StagedDay
from warehouse.lake.tables import Step
from warehouse.schemas import DATASETS, SNAPSHOTS

Append = Callable[[Mapping[str, Any]], int]


@dataclass(frozen=True)
class Diff:
    """The rows of a day that one snapshot has and another has not."""

    added: pl.DataFrame
    removed: pl.DataFrame


class Lake:
    """A folder with a Delta table per dataset. Readers go by snapshots; one process at a time writes."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).absolute()
        if set("=%") & set(str(self.path)):  # other readers take what follows for a column or a code
            raise LakeError(f"{self.path}: expected a path without = and %; choose another for the lake")

    @classmethod
    def create(cls, path: Path | str) -> "Lake":
        """The lake at a folder, which is made if it is not there."""
        lake = cls(path)
        with writing(lake.path):
            lake.path.mkdir(parents=True, exist_ok=True)
        return lake

    @classmethod
    def open(cls, path: Path | str) -> "Lake":
        """The lake at a folder where something has been published."""
        lake = cls(path)
        if not delta.exists(lake.path, SNAPSHOTS):
            raise LakeError(
                f"{lake.path} is no lake: expected {SNAPSHOTS.name}/{delta.LOG} in it; audit21 run makes one"
            )
        return lake

    def lock(self) -> AbstractContextManager[None]:
        """Hold the lake for writing by this process; ``LakeBusy`` where another one does."""
        return lock.lock(self.path)

    def stage(self, day: date) -> StagedDay:
        """Return the place to write a day's rows before they are committed."""
        return StagedDay(self.path, day)

    def commit(
        self, staged: Staged, meta: SnapshotMeta, log: EvidenceLog | None = None, append: Append | None = None
    ) -> int:
        """Replace the day's rows in every dataset and publish that as a snapshot; its number.

        It is published when its entry is in the evidence log; the tables follow. Killed before that, the lake is as
        it was; killed after it, ``complete`` or the next commit brings the tables to the same end.
        """
        with self.lock():
            log = log or publications.log_of(self.path)
            self.complete(log)
            published = publications.newest(log)
            if number := self._published_already(staged, meta, published):
                return number
            for step in self.steps(staged, meta, published, append or log.append):
                step()
            return published.number

    def steps(self, staged: Staged, meta: SnapshotMeta, published: Tables, append: Append) -> Iterator[Step]:
        """List the changes of a commit, each atomic: the first one publishes, the last one shows it."""
        self._check_parts(staged)
        publication = published.plan(staged, meta)
        yield partial(_do, append, publication)
        yield from tables.steps(self.path, published, publication)

    def complete(self, log: EvidenceLog) -> None:
        """Bring the tables to what the log says was published; ``LakeError`` where they contradict it."""
        with self.lock():
            tables.complete(self.path, log)

    def _published_already(self, staged: Staged, meta: SnapshotMeta, published: Tables) -> int | None:
        state = published.days.get(staged.day)
        if state is None or not state.comes_from(meta):
            return None
        held = published.held(staged.day)
        return state.snapshot if all(held[name] == list(staged.parts[name]) for name in DATASETS) else None

    def _check_parts(self, staged: Staged) -> None:
        for name, parts in staged.parts.items():
            for part in parts:
                file = self.path / name / part.path
                if not file.exists() or file.stat().st_size != part.bytes:
                    raise LakeError(f"{file} is not there with {part.bytes} bytes, as staged: stage the day again")
            tables.check_parts(self.path, name, parts)

    def snapshot(self, number: int | None = None, as_of: datetime | None = None) -> Snapshot:
        """The newest snapshot, or that of a number, or the newest that was published by a time."""
        return snapshots.find(self.path, number, as_of)

    def day_state(self, day: date) -> DayState | None:
        """The newest publication of a day, if there is one."""
        return self.snapshot().days.get(day)

    def files(self, dataset: str, snapshot: Snapshot, days: Collection[date] | None = None) -> list[str]:
        """The Parquet files of a dataset at a snapshot, in the order of their rows."""
        return [str(self.path / dataset / part.path) for part in self._parts(dataset, snapshot, days)]

    def snapshot_files(self) -> list[str]:
        """The Parquet files of the list of snapshots."""
        if not delta.exists(self.path, SNAPSHOTS):
            return []
        return [str(self.path / SNAPSHOTS.name / part.path) for part in delta.parts(self.path, SNAPSHOTS)]

    def _parts(self, dataset: str, snapshot: Snapshot, days: Collection[date] | None = None) -> list[LakePart]:
        if dataset not in snapshot.versions:
            return []
        parts = delta.parts(self.path, DATASETS[dataset], snapshot.versions[dataset])
        return [part for part in parts if days is None or part.day in days]

    def scan(
        self,
        dataset: str,
        snapshot: Snapshot | None = None,
        days: Collection[date] | None = None,
        tables: Collection[str] | None = None,
    ) -> pl.LazyFrame:
        """A dataset's rows, in order, at a snapshot (the newest one unless told) whatever is committed meanwhile."""
        parts = self._parts(dataset, snapshot or self.snapshot(), days)
        if tables is not None:
            parts = [part for part in parts if any(part.first <= table <= part.last for table in tables)]
        frame = self._frame(DATASETS[dataset], parts)
        return frame if tables is None else frame.filter(pl.col("table").is_in(list(tables)))

    def _frame(self, dataset: Dataset, parts: list[LakePart]) -> pl.LazyFrame:
        if not parts:
            return dataset.empty().lazy()
        files = [self.path / dataset.name / part.path for part in parts]
        frame = pl.scan_parquet(files, glob=False, hive_partitioning=True, hive_schema={"gaming_day": pl.Date})
        times = [name for name, kind in dataset.types.items() if isinstance(kind, pl.Datetime)]
        frame = frame.select(dataset.types.keys()).with_columns(pl.col(times).cast(pl.Datetime("ms", "UTC")))
        with reading(self.path / dataset.name):
            found = dict(frame.collect_schema())
        if found != dataset.types:
            raise LakeError(f"{self.path / dataset.name}: expected columns {dataset.types}, found {found}")
        return frame

    def read(
        self,
        dataset: str,
        snapshot: Snapshot | None = None,
        days: Collection[date] | None = None,
        tables: Collection[str] | None = None,
    ) -> pl.DataFrame:
        """As ``scan``, in memory and checked against the schema."""
        frame = self.scan(dataset, snapshot, days, tables)
        with reading(self.path / dataset):
            found = frame.collect()
        return DATASETS[dataset].check(found)

    def diff(self, dataset: str, before: Snapshot, after: Snapshot, day: date) -> Diff:
        """The rows of a day that came and went between two snapshots, whatever their order."""
        old, new = (self._parts(dataset, snapshot, [day]) for snapshot in (before, after))
        gone, come = (
            self._frame(DATASETS[dataset], [part for part in some if part not in others]).collect()
            for some, others in ((old, new), (new, old))
        )
        return Diff(added=_less(come, gone), removed=_less(gone, come))

    def sweep(self, log: EvidenceLog | None = None) -> list[Path]:
        """Remove what killed runs left and the evidence log does not name; say what that was."""
        with self.lock():
            named = publications.named(log or publications.log_of(self.path))
            left = [
                file for dataset in DATASETS.values() for file in delta.sweep(self.path, dataset, named[dataset.name])
            ]
            return [*left, *delta.sweep(self.path, SNAPSHOTS, None)]


def _do(append: Append, publication: Publication) -> None:
    append(publication.entry())


def _less(rows: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """The rows without those that the others have, one for one."""
    names = rows.columns
    counted = [frame.with_columns(pl.int_range(pl.len()).over(names).alias("_again")) for frame in (rows, others)]
    return (
        counted[0]
        .join(counted[1], on=[*names, "_again"], how="anti", nulls_equal=True, maintain_order="left")
        .drop("_again")
    )
