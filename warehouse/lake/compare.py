"""Compares every commit of the Delta tables and every snapshot with what the evidence log says was published."""

import hashlib
import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl
import pyarrow.parquet as pq

from warehouse.evidence.files import file_sha256
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.report import Report
from warehouse.lake import delta, publications, snapshots
from warehouse.lake.parts import TEMPORARY, LakePart
from warehouse.lake.publications import Publication, Tables
from warehouse.schemas import DATASETS, SNAPSHOTS

_LAST_CHECKPOINT: Final = "_last_checkpoint"
# Names as readers look for them: no other name may stand for a version.
_COMMIT: Final = re.compile(r"[0-9]{20}\.json")
_CHECKPOINT: Final = re.compile(r"[0-9]{20}\.checkpoint\.parquet")
# Entries that may come while a publication is still to be shown; any other was written after that was done.
_MEANWHILE: Final = frozenset({"hold", "release", "packet", "redaction", "key"})
_ALL: Final = {**DATASETS, SNAPSHOTS.name: SNAPSHOTS}


class Commit(NamedTuple):
    """A commit that follows from the log: bytes are None for the one that makes a table, of which the hash is known."""

    dataset: str
    version: int
    content: bytes | None
    sha256: str
    snapshot: int


def commits(log: EvidenceLog) -> Iterator[Commit]:
    """Every commit of every dataset, in the order in which they were published."""
    tables = Tables()
    for publication in publications.history(log):
        for name, sha256 in publication.created.items():
            yield Commit(name, 0, None, sha256, publication.number)
        for name, (version, content) in tables.take(publication).items():
            yield Commit(name, version, content, hashlib.sha256(content).hexdigest(), publication.number)


def check(root: Path, report: Report) -> None:
    """Report what differs; what the newest publication still lacks is unfinished, not changed."""
    found = {name: _found(root / name / delta.LOG) for name in _ALL}  # before the log: it is never behind the tables
    listed = _found_rows(root)
    log = publications.log_of(root)
    last = log.last("published")
    is_open = report.in_progress or (last is not None and set(log.kinds(last[0] + 1)) <= _MEANWHILE)
    newest = last[1]["snapshot"] if last else 0  # type: ignore[typeddict-item]
    expected: dict[str, set[int]] = {name: set() for name in _ALL}
    for commit in commits(log):
        expected[commit.dataset].add(commit.version)
        place = f"{commit.dataset}/{delta.LOG}/{commit.version:020d}.json"
        sha256 = found[commit.dataset].get(commit.version)
        if sha256 is None and is_open and commit.snapshot == newest:
            report.unfinished.append(f"{place}: the next run writes it, as snapshot {newest} is in the log")
        elif sha256 != commit.sha256:
            report.differ(place, "the commit that follows from the evidence log", "other bytes" if sha256 else "none")
    history = list(publications.history(log))
    expected[SNAPSHOTS.name] |= {publication.number for publication in history}
    for name, versions in found.items():
        for version in sorted(versions.keys() - expected[name]):
            report.differ(f"{name}/{delta.LOG}/{version:020d}.json", "no such version in the evidence log", "a commit")
        _check_others(root / name, report)
    known = contents(root, log)
    known[SNAPSHOTS.name] = {version: _read(root, version) for version in found[SNAPSHOTS.name]}
    for name in _ALL:
        check_checkpoints(root / name, known[name], report)
    _note_unnamed(root, history, report)
    _check_list(root, history, found[SNAPSHOTS.name], is_open, report)
    _check_rows(history, listed, is_open, report)


def _found(folder: Path) -> dict[int, str]:
    """Hashes of the commits that are there, by version."""
    paths = (path for path in folder.glob("*.json") if _COMMIT.fullmatch(path.name))
    return {int(path.stem): file_sha256(path)[0] for path in paths}


def _note_unnamed(root: Path, history: list[Publication], report: Report) -> None:
    """Parts that were staged and not published: readers are not shown them, and the next run removes them."""
    named = {f"{name}/{part.path}" for each in history for name, parts in each.parts.items() for part in parts}
    there = {path.relative_to(root).as_posix() for name in DATASETS for path in root.glob(f"{name}/gaming_day=*/*")}
    if left := sorted(there - named):
        count = f"{len(left)} part{'s' * (len(left) > 1)}"
        report.unfinished.append(f"{count} not published, the first is {left[0]}; the next run removes what is left")


def _read(root: Path, version: int) -> bytes:
    return delta.commit_path(root, SNAPSHOTS, version).read_bytes()


def _found_rows(root: Path) -> pl.DataFrame | str:
    try:
        return snapshots.rows(root)
    except Exception as error:  # a list that somebody has changed can fail in any way
        return f"{type(error).__name__}: {' '.join(str(error).split()):.200}"


def _check_rows(history: list[Publication], listed: pl.DataFrame | str, is_open: bool, report: Report) -> None:
    """Every row of the list of snapshots, as readers are shown it."""
    if isinstance(listed, str):
        report.differ(SNAPSHOTS.name, "a list that can be read", listed)
        return
    rows = listed.to_dicts()
    for publication in history:
        row = publication.row().to_dicts()[0]
        if publication.number > len(rows) and publication is history[-1] and is_open:
            report.unfinished.append(f"{SNAPSHOTS.name}, {publication.number}: the next run shows it to readers")
        elif publication.number > len(rows):
            report.differ(f"{SNAPSHOTS.name}, {publication.number}", "the row of the snapshot", "none")
        elif (found := rows[publication.number - 1]) != row:
            names = [name for name in row if found.get(name) != row[name]]
            report.differ(
                f"{SNAPSHOTS.name}, {publication.number}, {names[0]}", str(row[names[0]]), str(found[names[0]])
            )
    for row in rows[len(history) :]:
        report.differ(f"{SNAPSHOTS.name}, {row['snapshot']}", "an entry in the evidence log", "none")


def _check_list(root: Path, history: list[Publication], found: dict[int, str], is_open: bool, report: Report) -> None:
    """Every commit of the list of snapshots and the file that it adds, however the rows lie in files."""
    held: dict[str, LakePart] = {}
    for publication in history:
        number = publication.number
        place = f"{SNAPSHOTS.name}/{delta.LOG}/{number:020d}.json"
        if number not in found:
            if not (is_open and publication is history[-1]):
                report.differ(place, "the commit of the snapshot", "none")
            continue
        try:
            held = _follow_list(root, history[:number], held, place, report)
        except Exception as error:  # a commit or a file that somebody has changed can fail in any way
            report.differ(place, "the commit of the snapshot", f"{type(error).__name__}: {error!s:.200}")


def _follow_list(
    root: Path, history: list[Publication], held: dict[str, LakePart], place: str, report: Report
) -> dict[str, LakePart]:
    content = (root / place).read_bytes()
    actions: list[dict[str, Any]] = [json.loads(line) for line in content.splitlines()]
    (path,) = (action["add"]["path"] for action in actions if "add" in action)
    file = root / SNAPSHOTS.name / path
    sha256, size = file_sha256(file)
    rows = pl.read_parquet(file, hive_partitioning=False)
    part = LakePart(path, size, len(rows), "", "")
    is_gathered = any("remove" in action for action in actions)
    after = {path: part} if is_gathered else {**held, path: part}
    wanted = pl.concat([each.row() for each in (history if is_gathered else history[-1:])])
    if part.sha256 != sha256 or not rows.select(wanted.columns).cast(wanted.schema).equals(wanted):
        report.differ(f"{SNAPSHOTS.name}/{path}", "the rows that follow from the evidence log", "others")
    if content != delta.commit(held, after, history[-1].time_ms, data_change=not is_gathered):
        report.differ(place, "the commit that follows from the evidence log", "other bytes")
    return after


def _check_others(table: Path, report: Report) -> None:
    """Report files beside commits and checkpoints, which do not belong there."""
    folder = table / delta.LOG
    for path in sorted(folder.glob("*")) if folder.is_dir() else ():
        place = f"{table.name}/{delta.LOG}/{path.name}"
        if path.name.endswith(TEMPORARY) or "#" in path.name:
            report.unfinished.append(f"{place}: left by a killed process; the next run removes it")
        elif not is_of_checkpoint(path) and not _COMMIT.fullmatch(path.name):
            report.differ(place, "only commits and checkpoints", "another file")


def is_of_checkpoint(path: Path) -> bool:
    """Tell whether a file among the commits is a checkpoint, or names the newest one."""
    return bool(_CHECKPOINT.fullmatch(path.name)) or path.name == _LAST_CHECKPOINT


def check_checkpoints(table: Path, contents: Mapping[int, bytes], report: Report) -> None:
    """A table's checkpoints say the same as its commits, of which these are the bytes."""
    folder = table / delta.LOG
    kept = sorted(folder.glob("*.checkpoint.parquet"))
    for path in kept:
        place = f"{table.name}/{delta.LOG}/{path.name}"
        try:
            version = int(path.name.partition(".")[0])
            is_same = _rows(path) == _rows_of_fresh(table.name, version, contents)
        except Exception as error:  # a file that somebody has changed can fail in any way
            report.differ(place, "a checkpoint of the commits", f"{type(error).__name__}: {error!s:.200}")
            continue
        if not is_same:
            report.differ(place, "what the commits say", "something else")
    pointer = folder / _LAST_CHECKPOINT
    if pointer.exists() and _named_checkpoint(pointer) not in {path.name for path in kept}:
        report.differ(
            f"{table.name}/{delta.LOG}/{_LAST_CHECKPOINT}", "the name of a checkpoint that is there", "another"
        )


def contents(root: Path, log: EvidenceLog) -> dict[str, dict[int, bytes]]:
    """The bytes of every commit by dataset and version, as they follow from the log."""
    found: dict[str, dict[int, bytes]] = {name: {} for name in _ALL}
    for commit in commits(log):
        content = _first(root, commit) if commit.content is None else commit.content
        found[commit.dataset][commit.version] = content
    return found


def _first(root: Path, commit: Commit) -> bytes:
    """The commit that made a table: the one that is there, where it is that, as another audit21 may have written it."""
    path = delta.commit_path(root, _ALL[commit.dataset], 0)
    content = path.read_bytes() if path.is_file() else b""
    is_that = hashlib.sha256(content).hexdigest() == commit.sha256
    return content if is_that else delta.first_commit(_ALL[commit.dataset])


def _named_checkpoint(path: Path) -> str:
    try:
        about = json.loads(path.read_bytes())
        return delta.checkpoint_path(Path(), int(about["version"])).name if "parts" not in about else ""
    except (ValueError, KeyError, TypeError, OSError):
        return ""


def _rows_of_fresh(name: str, version: int, contents: Mapping[int, bytes]) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="audit21-delta-") as folder:
        fresh = Path(folder) / name
        (fresh / delta.LOG).mkdir(parents=True)
        for number in range(version + 1):
            (fresh / delta.LOG / f"{number:020d}.json").write_bytes(contents[number])
        delta.checkpoint(fresh, version)
        return _rows(delta.checkpoint_path(fresh, version))


def _rows(path: Path) -> list[str]:
    return sorted(map(repr, pq.ParquetFile(path).read().to_pylist()))
