"""Compares the files in ``raw/`` and the published parts with their records in the log."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warehouse.evidence import log
from warehouse.evidence.entries import read_entry, taken_files
from warehouse.evidence.files import TextOf, file_sha256, fingerprint
from warehouse.evidence.report import Difference, Report
from warehouse.folders import RAW, STILLS, WATCHED, raw

Progress = Callable[[int, int], None]  # bytes done, bytes in all


@dataclass
class _Job:
    """A file to hash: its expected path, its name in a report, and its record in the log."""

    path: Path
    place: str
    record: Mapping[str, Any]
    is_part: bool


class Contents:
    """Hashes raw files and parts, one entry of the log after the other, on all cores."""

    def __init__(
        self, lake: Path, landing: Path | None, text_of: TextOf | None, report: Report, progress: Progress, total: int
    ) -> None:
        self.in_progress = report.in_progress
        self.lake = lake
        self.landing = landing
        self.text_of = text_of
        self.report = report
        self.progress = progress
        self.total = total
        self.done = 0
        self._checked: set[bytes] = set()
        self._known: set[bytes] = set()
        self._absent: list[str] = []
        self._removed: dict[str, str] = {}  # by hash: when and under which policy retention removed the file
        self._made: dict[str, Mapping[str, Any]] = {}  # files made from films, by path; the newest record holds

    def check(self) -> None:
        """Check the files that the log names, then the files in raw/ that it does not name."""
        place = self.lake / log.FOLDER / log.NAME
        with place.open("rb") as file:
            self._note_removed(file)
        with place.open("rb") as file, ThreadPoolExecutor(os.cpu_count()) as threads:
            for line in file:
                entry, wrong = read_entry(line)
                if wrong is None:
                    self._all(threads, list(self._jobs(entry)))
            made = [_Job(self.lake / path, path, record, is_part=False) for path, record in self._made.items()]
            self._all(threads, made)
        self._check_strange()
        if self._absent:
            absent = f"{len(self._absent)} files are kept outside the lake and were not at hand"
            self.report.notes.append(f"{absent}, the first is {self._absent[0]}")

    def _all(self, threads: ThreadPoolExecutor, jobs: list[_Job]) -> None:
        for job, differences in zip(jobs, threads.map(self._compare, jobs), strict=True):
            self._count(job, differences)

    def _check_strange(self) -> None:
        """Files that the log does not name: unfinished ones are told apart, as are those of a run that goes on."""
        named = _named_now(self.lake)
        for path in sorted((self.lake / RAW).glob("*")):
            if path.name.startswith("."):
                self.report.notes.append(f"raw/{path.name}: an unfinished copy, which the next run removes")
            elif path.name.encode() not in self._known and path.name not in named:
                self._strange(f"raw/{path.name}", path)
        for path in sorted(path for kind in (WATCHED, STILLS) for path in (self.lake / kind).glob("[!.]*")):
            place = f"{path.parent.name}/{path.name}"
            if place not in self._made and place not in named:
                self._strange(place, path)

    def _strange(self, place: str, path: Path) -> None:
        """Report a file without a log entry. A copy named by its hash was left by a kill and counts as unfinished."""
        is_copy = path.parent.name == RAW and path.is_file() and file_sha256(path)[0] == path.name
        if self.in_progress or not path.exists() or is_copy:
            self.report.unfinished.append(f"{place}: not in the log yet")
        else:
            self.report.differ(place, "only files that the log names", "a file that it does not")

    def _note_removed(self, lines: Iterable[bytes]) -> None:
        """Note the files that the log records as removed by retention; their absence is no discrepancy."""
        for line in lines:
            entry, wrong = read_entry(line) if b'"kind":"removed"' in line else ({}, "another kind")
            if wrong is None:
                when = f"removed by retention on {entry['at'][:10]} under policy {entry['policy']}"
                self._removed |= {file["sha256"]: when for file in entry["files"]}
                count = len(entry["files"])
                self.report.notes.append(f"{entry['gaming_day']}: {count} file{'s' * (count > 1)} {when}")

    def _jobs(self, entry: Mapping[str, Any]) -> Iterator[_Job]:
        """Yield the files of an entry that no earlier entry named with the same record."""
        if entry["kind"] == "published":
            for part in (part for parts in entry["parts"].values() for part in parts):
                if self._is_new(part, part["path"]):
                    yield _Job(self.lake / part["path"], part["path"], part, is_part=True)
        if entry["kind"] in ("watched", "stills"):
            for record in entry["files"]:
                self.total -= self._made.get(record["path"], {"bytes": 0})["bytes"]
                self._made[record["path"]] = record
        if entry["kind"] == "custody":
            for record in taken_files(entry):
                if not record.get("kept", True):
                    yield from self._outside(record)
                    continue
                self._known.add(record["sha256"].encode())
                if self._is_new(record, Path(record["path"]).suffix):
                    path = raw(self.lake, record["sha256"])
                    yield _Job(path, f"raw/{record['sha256']} ({record['path']})", record, is_part=False)

    def _outside(self, record: Mapping[str, Any]) -> Iterator[_Job]:
        path = self.landing / record["path"] if self.landing else None
        if path and path.is_file():
            yield _Job(path, record["path"], record, is_part=False)
        else:
            self._absent += [] if record["sha256"] in self._removed else [record["path"]]
            self.total -= record["bytes"]

    def _is_new(self, record: Mapping[str, Any], form: str) -> bool:
        fields = [form, record["sha256"], record["bytes"], record.get("lines"), record.get("line_root")]
        key = hashlib.sha256(repr(fields).encode()).digest()
        if key in self._checked:
            self.total -= record["bytes"]
            return False
        self._checked.add(key)
        return True

    def _count(self, job: _Job, differences: list[Difference]) -> None:
        self.report.differences += differences
        self.report.parts += job.is_part
        self.report.files += not job.is_part
        self.report.bytes += job.record["bytes"]
        self.done += job.record["bytes"]
        self.progress(self.done, self.total)

    def _compare(self, job: _Job) -> list[Difference]:
        record = job.record
        try:
            if record.get("line_root") is None:
                found: dict[str, Any] = dict(zip(("sha256", "bytes"), file_sha256(job.path), strict=True))
            else:
                found = fingerprint(job.path, record["path"], self.text_of)._asdict()
        except FileNotFoundError:
            return [] if record["sha256"] in self._removed else [Difference(job.place, "the file", "no such file")]
        except OSError as error:
            return [Difference(job.place, "a file that can be read", str(error))]
        if found.get("line_root", "") is None and found["sha256"] == record["sha256"] and self.text_of is None:
            self.report.notes.append(f"{job.place}: its bytes are as they were; its lines were not counted again")
            found = {"sha256": found["sha256"], "bytes": found["bytes"]}
        wrong = [name for name in found if found[name] != record[name]]
        return [Difference(f"{job.place}, {name}", str(record[name]), str(found[name])) for name in wrong]


def _named_now(lake: Path) -> set[str]:
    """Hashes and paths of files that the log names by now: it may have grown since it was read."""
    found: set[str] = set()
    for line in (lake / log.FOLDER / log.NAME).read_bytes().splitlines(keepends=True):
        entry, wrong = read_entry(line) if line.endswith(b"\n") else ({}, "unfinished")
        if wrong is None and entry["kind"] == "custody":
            found |= {record["sha256"] for record in taken_files(entry)}
        if wrong is None and entry["kind"] in ("watched", "stills"):
            found |= {record["path"] for record in entry["files"]}
    return found
