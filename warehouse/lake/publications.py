"""Publications, as the evidence log has them: snapshots, their rows, and the commits of every Delta table."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final, cast

import polars as pl

from warehouse.evidence.entries import EvidenceError, Published
from warehouse.evidence.log import FOLDER, EvidenceLog, moment, stamp
from warehouse.lake import delta
from warehouse.lake.parts import LakePart, Staged
from warehouse.lake.snapshots import DayState, SnapshotMeta
from warehouse.schemas import DATASETS, SNAPSHOTS

_META: Final = ("run_id", "reason", "inputs", "carry_in", "carry_out", "engine_version", "restates")


def log_of(lake: Path) -> EvidenceLog:
    """The evidence log of a lake."""
    return EvidenceLog(lake / FOLDER)


@dataclass(frozen=True)
class Publication:
    """One publication: the row of the snapshot, and the parts of its day by dataset."""

    number: int
    day: date
    meta: SnapshotMeta
    versions: Mapping[str, int]
    parts: Mapping[str, tuple[LakePart, ...]]
    created: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_entry(cls, entry: Published) -> "Publication":
        """As an entry of the log tells it."""
        about: dict[str, Any] = dict(entry)
        meta = SnapshotMeta(published=moment(entry["at"]), **{name: about[name] for name in _META})
        parts = {name: tuple(_part(name, each) for each in found) for name, found in entry["parts"].items()}
        day, created = date.fromisoformat(entry["gaming_day"]), entry.get("created", {})
        return cls(entry["snapshot"], day, meta, entry["versions"], parts, created)

    def entry(self) -> dict[str, Any]:
        """The entry of the log that tells it."""
        parts = {name: [_record(name, part) for part in found] for name, found in self.parts.items() if found}
        about = {name: getattr(self.meta, name) for name in _META}
        made = {"created": dict(self.created)} if self.created else {}
        return {
            "kind": "published",
            "gaming_day": self.day.isoformat(),
            "snapshot": self.number,
            "at": stamp(self.meta.published),
            "versions": dict(self.versions),
            "parts": parts,
            **about,
            **made,
        }

    @property
    def time_ms(self) -> int:
        """When it was published, in milliseconds since 1970."""
        return round(self.meta.published.timestamp() * 1000)

    @property
    def state(self) -> DayState:
        """Its day as the snapshot knows it."""
        return DayState(snapshot=self.number, gaming_day=self.day, **asdict(self.meta))

    def row(self) -> pl.DataFrame:
        """Its row in the list of snapshots."""
        row = {"snapshot": self.number, "gaming_day": self.day, "versions": dict(self.versions), **asdict(self.meta)}
        return pl.DataFrame([row], schema=SNAPSHOTS.types)


def _part(dataset: str, record: Mapping[str, Any]) -> LakePart:
    path = record["path"].removeprefix(f"{dataset}/")
    part = LakePart(path, record["bytes"], record["rows"], record["first"], record["last"])
    if record["path"] != f"{dataset}/{path}" or part.sha256 != record["sha256"]:
        raise EvidenceError(f"{record['path']}: expected a part of {dataset} that is named by its hash")
    return part


def _record(dataset: str, part: LakePart) -> dict[str, Any]:
    about = {"bytes": part.bytes, "rows": part.rows, "first": part.first, "last": part.last}
    return {"path": f"{dataset}/{part.path}", "sha256": part.sha256, **about}


@dataclass
class Tables:
    """The contents of the Delta tables after some publications, and the state of every day."""

    number: int = 0
    versions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(DATASETS, -1))
    parts: dict[str, dict[str, LakePart]] = field(default_factory=lambda: {name: {} for name in DATASETS})
    days: dict[date, DayState] = field(default_factory=dict)

    def after(self, day: date, parts: Mapping[str, tuple[LakePart, ...]]) -> dict[str, dict[str, LakePart]]:
        """The parts of every dataset when a day has these instead of its own."""
        return {
            name: {path: part for path, part in held.items() if part.day != day}
            | {part.path: part for part in parts.get(name, ())}
            for name, held in self.parts.items()
        }

    def plan(self, staged: Staged, meta: SnapshotMeta) -> Publication:
        """The publication that replaces a day's rows by what was staged."""
        after = self.after(staged.day, staged.parts)
        made = {name: max(version, 0) for name, version in self.versions.items()}
        versions = {name: made[name] + (after[name] != self.parts[name]) for name in DATASETS}
        created = {name: delta.created(DATASETS[name]) for name, version in self.versions.items() if version < 0}
        if not self.number:
            created[SNAPSHOTS.name] = delta.created(SNAPSHOTS)
        published = meta.published.replace(microsecond=meta.published.microsecond // 1000 * 1000)
        whole = SnapshotMeta(**{**asdict(meta), "published": published})
        return Publication(self.number + 1, staged.day, whole, versions, staged.parts, created)

    def take(self, publication: Publication) -> dict[str, tuple[int, bytes]]:
        """Go on to a publication; gives the commits that belong to it, by dataset, with their versions."""
        after = self.after(publication.day, publication.parts)
        commits = {
            name: (publication.versions[name], content)
            for name, held in self.parts.items()
            if (content := delta.commit(held, after[name], publication.time_ms))
        }
        self.number, self.parts = publication.number, after
        self.versions = dict(publication.versions)
        self.days[publication.day] = publication.state
        return commits

    def held(self, day: date) -> dict[str, list[LakePart]]:
        """The parts of a day by dataset, in the order of their rows."""
        return {name: sorted(_of(held, day), key=lambda part: part.path) for name, held in self.parts.items()}


def _of(held: Mapping[str, LakePart], day: date) -> list[LakePart]:
    return [part for part in held.values() if part.day == day]


def history(log: EvidenceLog) -> Iterator[Publication]:
    """Every publication, in the order of the log."""
    for _, entry in log.entries("published"):
        yield Publication.from_entry(cast(Published, entry))


def last(log: EvidenceLog) -> tuple[Tables, Publication | None]:
    """The tables before the newest publication, and that publication; only the newest entry of each day is read."""
    found = log.last("published")
    before = Tables()
    if found is None:
        return before, None
    index, entry = found
    newest = Publication.from_entry(cast(Published, entry))
    if previous := log.last("published", index):
        standing = log.newest("published", index)
        for _, each in sorted(standing.values(), key=lambda item: item[0]):
            before.take(Publication.from_entry(cast(Published, each)))
        before.number, before.versions = cast(Published, previous[1])["snapshot"], dict(previous[1]["versions"])  # type: ignore[typeddict-item]
    return before, newest


def newest(log: EvidenceLog) -> Tables:
    """The tables as they are published now."""
    tables, publication = last(log)
    if publication:
        tables.take(publication)
    tables.days = dict(sorted(tables.days.items()))
    return tables


def named(log: EvidenceLog) -> dict[str, set[str]]:
    """The paths of all parts that were ever published, by dataset."""
    found: dict[str, set[str]] = {name: set() for name in DATASETS}
    for publication in history(log):
        for name, parts in publication.parts.items():
            found.setdefault(name, set()).update(part.path for part in parts)
    return found
