"""From a staged day to a published one: the lake's commit, the evidence log, a signed checkpoint, the catalog."""

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb
import polars as pl

from pipelines.publish.tally import Audited, PublishedDay
from warehouse import catalog, folders, signing
from warehouse.evidence import pins
from warehouse.evidence.files import file_sha256
from warehouse.evidence.log import EvidenceLog, stamp
from warehouse.lake import DayState, Lake, LakeError, Snapshot, SnapshotMeta, Staged, publications, tables
from warehouse.schemas import DATASETS, SNAPSHOTS

# What a restated day is told by.
_VERDICTS: Final = ("settlements", "findings")


class Cataloged(NamedTuple):
    """The catalog as it was published."""

    path: Path
    snapshot: int
    days: int  # days whose marts were made anew


class Publisher:
    """Publishes days of a lake; whoever calls it holds the lake's lock."""

    def __init__(self, lake: Lake, log: EvidenceLog, now: Callable[[], datetime]) -> None:
        self.lake = lake
        self.log = log
        self.now = now

    # Between the audit of a day and its publication.

    def keep(self, staged: Staged, meta: SnapshotMeta, audited: Audited) -> None:
        """Keep what was staged until it is published."""
        folder = self.lake.path / folders.STAGED
        folder.mkdir(exist_ok=True)
        staged.save(folder / f"{staged.day}.parts.json")
        about = {"meta": asdict(meta) | {"published": meta.published.isoformat()}, "audited": audited.as_data()}
        unfinished = folder / f".{staged.day}.json"
        unfinished.write_text(json.dumps(about), encoding="utf-8")
        unfinished.rename(folder / f"{staged.day}.json")

    def kept(self, day: date) -> tuple[Staged, SnapshotMeta, Audited]:
        """Return what waits to be published for a day."""
        folder = self.lake.path / folders.STAGED
        try:
            about: dict[str, Any] = json.loads((folder / f"{day}.json").read_text(encoding="utf-8"))
            staged = Staged.load(folder / f"{day}.parts.json")
        except (OSError, ValueError) as error:
            raise LakeError(f"{folder}: nothing is staged for {day}: audit it first ({error})") from None
        meta = about["meta"]
        published = datetime.fromisoformat(meta.pop("published"))
        return staged, SnapshotMeta(published=published, **meta), Audited.from_data(about["audited"])

    def _forget(self, day: date) -> None:
        for name in (f"{day}.json", f"{day}.parts.json"):
            (self.lake.path / folders.STAGED / name).unlink(missing_ok=True)

    # Publication.

    def publish(self, day: date) -> PublishedDay:
        """Write into the evidence log, signed, what was staged for a day, and bring the tables to that."""
        staged, meta, _ = self.kept(day)
        self.mend()
        self.check_basis(day)
        before = self.lake.snapshot()
        restates = self._restates(staged, before)
        staged = replace(
            staged, parts={**staged.parts, "restatements": self._restatements(staged, meta, before, restates)}
        )
        meta = replace(meta, published=self.now(), restates=restates)
        number = self.lake.commit(staged, meta, self.log, self.record)
        self._forget(day)
        return PublishedDay(day, number, meta.reason, restates, self.mend())

    def check_keys(self) -> list[str]:
        """Refuse to write to a log that its owner did not leave like this: ``KeyRefused``. Gives what is to be said."""
        head = pins.head_path(self.lake.path)
        gone = self.log.size == 0 and head.exists()
        signing.require(self.lake, self.log)
        told = f"the evidence log that was signed at {self.lake.path} before is gone; a new one begins"
        return [f"{told}. Its last checkpoint is kept in {head.parent}"] if gone else []

    def mend(self) -> Path:
        """Sign the log, and complete what it says was published; refuses where something contradicts it."""
        return signing.mend(self.lake, self.log, self.now)

    def record(self, entry: Mapping[str, Any]) -> int:
        """Write an entry into the log, signed."""
        return signing.append(self.lake.path, self.log, entry)

    def _check_parts(self, days: Iterable[date]) -> None:
        """``LakeError`` where a part of these days is not as it was published."""
        published = publications.newest(self.log)
        for day in days:
            for name, parts in published.held(day).items():
                tables.check_parts(self.lake.path, name, parts)

    def check_basis(self, day: date) -> None:
        """``LakeError`` where a part that the audit of a day builds upon is not as it was published."""
        self._check_parts([day])
        published = publications.newest(self.log)
        if earlier := [each for each in published.days if each < day]:
            tables.check_parts(self.lake.path, "carry", published.held(max(earlier))["carry"])

    def tidy(self) -> None:
        """Complete what killed runs began, and remove what they left."""
        self.mend()
        self._forget_published()
        with self.log.locked():  # others may be writing an entry
            for left in self.log.folder.rglob(".*"):
                left.unlink()
        known = signing.recorded(self.log, "stills")
        for still in (self.lake.path / folders.STILLS).glob("*"):
            if f"{folders.STILLS}/{still.name}" not in known:  # drawn by a run that was killed before it recorded them
                still.unlink()
        shutil.rmtree(self.lake.path / catalog.WORKPLACE, ignore_errors=True)
        if not any((self.lake.path / folders.STAGED).glob("*.json")):
            self.lake.sweep(self.log)

    def _forget_published(self) -> None:
        """Remove what was staged; it stays when a run is killed between the commit and its end."""
        published = self.lake.snapshot().days
        for path in (self.lake.path / folders.STAGED).glob("*.parts.json"):
            day = date.fromisoformat(path.name.partition(".")[0])
            if not path.with_name(f"{day}.json").exists() or self._is_published(published.get(day), day):
                self._forget(day)

    def _is_published(self, state: DayState | None, day: date) -> bool:
        """Tell whether what is staged for a day is published; what cannot be read is as good as that."""
        try:
            return state is not None and state.run_id == self.kept(day)[1].run_id
        except LakeError:
            return True

    # Days that audit has signed off.

    def sign_off(self, day: date, by: str, note: str) -> int:
        """Record that audit stands by a day as it is published."""
        return signing.sign_off(self.lake, self.log, self.now, day, by, note)

    def _restates(self, staged: Staged, before: Snapshot) -> bool:
        """Tell whether a signed-off day would change."""
        if staged.day not in before.days or not signing.is_signed(self.log, staged.day):
            return False
        return any(self._differs(name, staged, before) for name in _VERDICTS)

    def _differs(self, name: str, staged: Staged, before: Snapshot) -> bool:
        """Tell whether a dataset's rows of a day differ from those published."""
        old = self.lake.scan(name, before, [staged.day]).drop("gaming_day").collect()
        files = [self.lake.path / name / part.path for part in staged.parts[name]]
        new = pl.read_parquet(files, hive_partitioning=False) if files else old.clear()
        return not old.equals(new.select(old.columns).cast(old.schema))

    def _restatements(self, staged: Staged, meta: SnapshotMeta, before: Snapshot, restates: bool) -> Any:
        """The parts that tell how a day was restated, this time and before."""
        stage = self.lake.stage(staged.day)
        told = self.lake.read("restatements", before, [staged.day])
        if restates:
            told = pl.concat([told, self._changes(staged, meta, before)]).sort(DATASETS["restatements"].sort)
        stage.write("restatements", told)
        return stage.close().parts["restatements"]

    def _changes(self, staged: Staged, meta: SnapshotMeta, before: Snapshot) -> pl.DataFrame:
        """By table, code and currency: what the findings were and are."""
        old = _counted(self.lake.scan("findings", before, [staged.day]), "before")
        files = [self.lake.path / "findings" / part.path for part in staged.parts["findings"]]
        rows = pl.scan_parquet(files, hive_partitioning=False) if files else DATASETS["findings"].empty().lazy()
        new = _counted(rows, "after")
        keys_ = ["table", "code", "currency"]
        both = old.join(new, on=keys_, how="full", coalesce=True).with_columns(pl.selectors.integer().fill_null(0))
        changed = both.filter(
            (pl.col("findings_before") != pl.col("findings_after"))
            | (pl.col("variance_before") != pl.col("variance_after"))
        )
        return changed.select(
            pl.lit(staged.day).alias("gaming_day"),
            "table",
            pl.lit(before.number + 1, pl.Int64).alias("snapshot"),
            pl.lit(before.days[staged.day].snapshot, pl.Int64).alias("before"),
            "code",
            "currency",
            *(pl.col(f"{what}_{when}") for what in ("findings", "variance") for when in ("before", "after")),
            pl.lit(meta.reason).alias("reason"),
        ).select(DATASETS["restatements"].types.keys())

    # The catalog.

    def catalog(self) -> Cataloged:
        """The catalog of the newest snapshot, made from that of an earlier one where there is one.

        While nothing is published, there is none.
        """
        snapshot = self.lake.snapshot()
        if not snapshot.number:
            return Cataloged(self.lake.path / catalog.NAME, 0, 0)
        shown = _shown(self.lake.path) if catalog.is_recorded(self.lake.path, self.log) else None
        if shown == snapshot.number:
            return Cataloged(self.lake.path / catalog.NAME, shown, 0)
        changed = {day for day, state in snapshot.days.items() if shown is None or state.snapshot > shown}
        self._check_parts(changed)
        files = {name: [Path(file) for file in self.lake.files(name, snapshot)] for name in DATASETS}
        files[SNAPSHOTS.name] = [Path(file) for file in self.lake.snapshot_files()]

        def record(fresh: Path) -> None:
            sha256, size = file_sha256(fresh)
            about = {"snapshot": snapshot.number, "sha256": sha256, "bytes": size}
            self.record({"kind": "catalog", "at": stamp(self.now()), **about})

        path = catalog.build(self.lake.path, files, snapshot.number, None if shown is None else changed, record)
        return Cataloged(path, snapshot.number, len(changed))


def _counted(findings: pl.LazyFrame, when: str) -> pl.DataFrame:
    return (
        findings.group_by("table", "code", "currency")
        .agg(
            pl.len().cast(pl.Int64).alias(f"findings_{when}"),
            pl.col("variance_cents").sum().alias(f"variance_{when}"),
        )
        .collect()
    )


def _shown(lake: Path) -> int | None:
    """The snapshot that a lake's catalog shows; None where there is none, or its views point to where the lake was."""
    path = lake / catalog.NAME
    if not path.exists():
        return None
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            number = connection.execute("SELECT snapshot FROM snapshot").fetchone()
            view = connection.execute("SELECT sql FROM duckdb_views() WHERE view_name = 'rounds'").fetchone()
    except duckdb.Error:
        return None
    return int(number[0]) if number and view and f"'{lake}/" in view[0] else None
