"""``audit21 repair``: restores Delta tables, the list of snapshots and the catalog from the evidence log.

Evidence itself is never made anew: where the log, raw files or published parts are damaged, nothing is done.
"""

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from pipelines.custody.store import text
from pipelines.publish.publication import Publisher
from warehouse import catalog, folders
from warehouse.evidence import verify as evidence
from warehouse.evidence import writer
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.keys import keyring
from warehouse.evidence.log import EvidenceLog, stamp
from warehouse.evidence.report import Difference, Report
from warehouse.lake import Lake, LakeError, compare, delta, publications, snapshots
from warehouse.lake.compare import Commit
from warehouse.schemas import DATASETS, SNAPSHOTS

# What was found in the place of what is restored is kept here, for whoever looks into how it came about.
ASIDE: Final = "damaged"
Failed = (LakeError, EvidenceError)


class RepairRequest(NamedTuple):
    """The command's options."""

    lake: Path
    by: str = "audit21 repair"
    dry_run: bool = False


@dataclass
class RepairResult:
    """Files restored or to be restored, and the damage that prevents a repair."""

    restored: list[str] = field(default_factory=list)  # paths below the lake
    damaged: list[Difference] = field(default_factory=list)  # evidence, which nothing can restore
    aside: str | None = None  # folder with what was found instead


class BadRequest(ValueError):
    """Something that cannot be repaired; says what and why."""


def repair(request: RepairRequest, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> RepairResult:
    """Restore whatever follows from the log and differs from it; with ``dry_run`` only say what that is."""
    if not (request.lake / folders.EVIDENCE / "log.ndjson").is_file():
        raise BadRequest(f"{request.lake}: no evidence log; expected the lake that audit21 run has written")
    lake = Lake(request.lake)
    with lake.lock():
        report = evidence.verify(lake.path, text_of=text)
        if report.differences:
            return RepairResult(damaged=report.differences)
        log = publications.log_of(lake.path)
        if not request.dry_run:
            writer.sign(log, keyring(lake.path), now())
        return _Repair(lake, log, request, now).run()


class _Repair:
    def __init__(self, lake: Lake, log: EvidenceLog, request: RepairRequest, now: Callable[[], datetime]) -> None:
        self.lake = lake
        self.log = log
        self.request = request
        self.now = now
        self.result = RepairResult()
        self._aside = f"{ASIDE}/{now():%Y%m%dT%H%M%S%fZ}"

    def run(self) -> RepairResult:
        commits = list(compare.commits(self.log))
        self._remove_strange(commits)
        for commit in commits:
            if commit.dataset != SNAPSHOTS.name:
                self._restore(commit)
        self._rebuild_checkpoints()
        self._rebuild_list()
        if not self.request.dry_run:
            self.lake.complete(self.log)
        self._rebuild_catalog()
        if self.result.restored and not self.request.dry_run:
            Publisher(self.lake, self.log, self.now).record(
                {
                    "kind": "repaired",
                    "at": stamp(self.now()),
                    "by": self.request.by,
                    "files": sorted(self.result.restored),
                }
            )
        return self.result

    def _restore(self, commit: Commit) -> None:
        dataset = DATASETS[commit.dataset]
        path = delta.commit_path(self.lake.path, dataset, commit.version)
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == commit.sha256:
            return
        content = delta.first_commit(dataset) if commit.content is None else commit.content
        if hashlib.sha256(content).hexdigest() != commit.sha256:
            raise LakeError(f"{path}: this table was made by another version of audit21: repair it with that version")
        self._set_aside(path)
        if not self.request.dry_run:
            delta.write_commit(self.lake.path, dataset, commit.version, content)

    def _remove_strange(self, commits: list[Commit]) -> None:
        """Set aside what has no business among the commits."""
        known = {(commit.dataset, f"{commit.version:020d}.json") for commit in commits}
        for name in DATASETS:
            for path in sorted((self.lake.path / name / delta.LOG).glob("*")):
                if (name, path.name) not in known and not compare.is_of_checkpoint(path):
                    self._set_aside(path)

    def _rebuild_checkpoints(self) -> None:
        """Checkpoints are made of the commits; where one says something else, all of its table are made anew."""
        known = compare.contents(self.lake.path, self.log)
        for name in DATASETS:
            table, report = self.lake.path / name, Report()
            compare.check_checkpoints(table, known[name], report)
            if not report.differences:
                continue
            for path in sorted(path for path in (table / delta.LOG).glob("*") if compare.is_of_checkpoint(path)):
                self._set_aside(path)
            newest = delta.newest(self.lake.path, DATASETS[name])
            last = newest - newest % delta.CHECKPOINT_INTERVAL
            if last > 0 and not self.request.dry_run:
                delta.checkpoint(table, last)

    def _rebuild_list(self) -> None:
        """The list of snapshots: where any of it differs, all of it is written anew."""
        report = Report()
        compare.check(self.lake.path, report)
        place = SNAPSHOTS.name
        if not any(each.place.startswith(place) for each in report.differences):
            return
        self._set_aside(self.lake.path / place)
        if self.request.dry_run:
            return
        delta.write_commit(self.lake.path, SNAPSHOTS, 0, delta.first_commit(SNAPSHOTS))
        for publication in publications.history(self.log):
            snapshots.publish(self.lake.path, publication.number, publication.row(), publication.time_ms)

    def _rebuild_catalog(self) -> None:
        path = self.lake.path / catalog.NAME
        if self.log.last("catalog") is None and not path.exists():
            return
        if catalog.is_recorded(self.lake.path, self.log):
            return
        self._set_aside(path)
        if not self.request.dry_run:
            Publisher(self.lake, self.log, self.now).catalog()

    def _set_aside(self, path: Path) -> None:
        place = path.relative_to(self.lake.path)
        self.result.restored.append(place.as_posix())
        if path.exists() and not self.request.dry_run:
            target = self.lake.path / self._aside / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(path, target)
            self.result.aside = self._aside


def lines(request: RepairRequest, result: RepairResult) -> list[str]:
    """Describe the actions taken, one sentence each."""
    told = [str(difference) for difference in result.damaged]
    verb = "would be restored" if request.dry_run else "restored"
    told += [f"{verb}: {path}" for path in result.restored]
    if result.aside:
        told.append(f"What was found instead is kept in {request.lake / result.aside}")
    return told or ["Nothing to repair: tables, snapshots and catalog match the evidence log"]
