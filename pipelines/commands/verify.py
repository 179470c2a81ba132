"""``audit21 verify``: evidence, chain and publications of a lake, and on request a fresh replay of all of it."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from pipelines.custody.floors import parsed
from pipelines.custody.store import CustodyStore, text
from pipelines.day.plan import DayPlan
from pipelines.day.staging import stage_day
from pipelines.day.workers import TableWorkers
from pipelines.progress import SILENT
from pipelines.publish.publication import Publisher
from pipelines.version import engine_version, hashed
from pipelines.watch.watching import films_of, fingerprint
from replay.carry import NOTHING
from replay.visible import visible
from warehouse import carry as carries
from warehouse import derived, folders
from warehouse.evidence import bundle, cosign, pins, witnesses
from warehouse.evidence import verify as evidence
from warehouse.evidence.bundle_files import BundleError, is_bundle
from warehouse.evidence.cosign import NO_DEMAND, Demand
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.report import Report
from warehouse.evidence.verify import Trust
from warehouse.evidence.vkeys import VerifierKeyError
from warehouse.evidence.witnesses import WitnessError
from warehouse.lake import Lake, LakeError, Snapshot, Staged, compare, links, lock, publications
from warehouse.schemas import DATASETS

# Made when a day is published, not when it is replayed.
_NOT_REPLAYED: Final = frozenset({"restatements"})


class _BadRequest(ValueError):
    """Something that cannot be verified; says what and why."""


BadRequest = (_BadRequest, BundleError, VerifierKeyError)
Failed = (LakeError, EvidenceError)


class VerifyRequest(NamedTuple):
    """The command's options."""

    lake: Path
    kept: tuple[Path, ...] = ()
    landing: Path | None = None
    replay: bool = False
    quiet: bool = False
    key: Path | None = None  # of a bundle
    pin: Path | None = None
    witnesses: tuple[Path, ...] = ()
    quorum: int | None = None  # of them; all of them without a number


def verify(request: VerifyRequest) -> Report:
    """Everything that can be checked of a lake or a dispute bundle; the first difference is the report's first."""
    if is_bundle(request.lake):
        return _verify_bundle(request)
    if not (request.lake / folders.EVIDENCE).is_dir():
        raise _BadRequest(
            f"{request.lake}: no lake; expected a folder that audit21 run has written, or a dispute bundle"
        )
    _check_given(request, "a checkpoint, a pin or a witness's key that was kept elsewhere")
    trust = Trust(request.pin, _demand(request))
    report = Report(in_progress=lock.is_held(request.lake))
    size = _log_bytes(request.lake)
    _verify_lake(request, trust, report)
    began = not report.in_progress and (_log_bytes(request.lake) != size or lock.is_held(request.lake))
    if report.differences and began:  # a run began meanwhile
        report = Report(in_progress=True)
        _verify_lake(request, trust, report)
    _tell_unfinished(report)
    return report


def _log_bytes(lake: Path) -> int:
    path = lake / folders.EVIDENCE / "log.ndjson"
    return path.stat().st_size if path.exists() else 0


def _verify_lake(request: VerifyRequest, trust: Trust, report: Report) -> None:
    with _progress(request.quiet) as progress:
        evidence.verify(request.lake, request.kept, progress, request.landing, text, trust, report)
    try:
        lake = Lake(request.lake)
        links.check(lake.path, report)
        compare.check(lake.path, report)
        derived.check(lake.path, publications.log_of(lake.path), report)
        snapshot = lake.snapshot()
        _check_watched(lake, snapshot, report)
        if request.replay:
            _replay(lake, snapshot, report)
    except Failed as error:
        report.differ(str(request.lake), "a lake that can be read", str(error))
    except Exception as error:  # a log, an index or a part that somebody has changed can fail in any way
        report.differ(str(request.lake), "a lake that can be read", f"{type(error).__name__}: {error}")


def _tell_unfinished(report: Report) -> None:
    """Say that a run goes on or was killed, with what is missing because of that; none of it is a difference."""
    if report.in_progress:
        report.notes.append("A run is in progress: the last published state was checked")
    report.notes += [f"unfinished: {each}" for each in report.unfinished]


def _verify_bundle(request: VerifyRequest) -> Report:
    _check_given(request, "a checkpoint, a pin or a public key from elsewhere")
    return bundle.verify(request.lake, request.key, request.kept, _demand(request), request.pin)


def _check_given(request: VerifyRequest, expected: str) -> None:
    for path in (*request.kept, *request.witnesses, *filter(None, [request.key, request.pin])):
        if not path.is_file():
            raise _BadRequest(f"{path}: no such file; expected {expected}")
    if request.pin:
        pins.read(request.pin)


def _demand(request: VerifyRequest) -> Demand:
    """The witnesses that were asked for."""
    if request.quorum is not None and not request.witnesses:
        raise _BadRequest("--quorum: expected the witnesses' keys with --witness")
    if request.witnesses:
        return cosign.demand(request.witnesses, request.quorum)
    try:
        return Demand(tuple(each.key for each in witnesses.configured()))  # checked where they are, not demanded
    except WitnessError:
        return NO_DEMAND


def sign_off(path: Path, day: date, by: str, note: str) -> int:
    """Record that audit stands by a day; the snapshot in which it is published."""
    lake = Lake.open(path)
    with lake.lock():
        publisher = Publisher(lake, EvidenceLog(lake.path / folders.EVIDENCE), lambda: datetime.now(UTC))
        return publisher.sign_off(day, by, note)


def _check_watched(lake: Lake, snapshot: Snapshot, report: Report) -> None:
    """Check that the sightings of films are those that the verdicts rest on."""
    custody = CustodyStore(lake.path)
    closed = custody.log.closed()
    for day, state in snapshot.days.items():
        files, *others = state.inputs.split("-")
        if day.isoformat() in closed:
            continue
        if files == hashed([(each.path, each.sha256) for each in custody.records(day)]):
            shown = fingerprint(lake.path, films_of(custody, day))
            if "".join(others[1:]) != shown:
                found = "something else; run audit21 run to watch and audit again"
                report.differ(f"{folders.WATCHED}, {day}", "what the verdicts rest on", found)


# A fresh replay.


def _replay(lake: Lake, snapshot: Snapshot, report: Report) -> None:
    """Audit every day again from what is in custody, and compare every row."""
    custody, before, workers = CustodyStore(lake.path), NOTHING, TableWorkers()
    closed = custody.log.closed()
    for day, state in snapshot.days.items():
        floor_sha256 = custody.floor(day)
        if floor_sha256 is None:
            report.differ(f"{day}", "files in custody", "none")
            continue
        if when := closed.get(day.isoformat()):
            report.notes.append(f"{day} cannot be replayed: files of it were {when}")
            before = carries.from_frame(lake.read("carry", snapshot, [day]))
            continue
        if not state.inputs.startswith(hashed([(each.path, each.sha256) for each in custody.records(day)])):
            report.notes.append(f"{day}: files are in custody that its verdicts do not rest on yet; run audit21 run")
            continue
        if state.engine_version != engine_version():
            report.notes.append(f"{day} was published by {state.engine_version}, replayed by {engine_version()}")
        plan = DayPlan(
            day, parsed(custody.raw(floor_sha256), custody.books(day)), floor_sha256, custody.records(day), before
        )
        with tempfile.TemporaryDirectory(prefix="audit21-replay-") as folder:
            fresh = Lake.create(folder)
            audited, staged, carried = stage_day(plan, fresh, custody, snapshot, SILENT, workers)
            for table, error in audited.failed.items():
                report.differ(f"{table}, {day}", "a replay", error)
            _compare(lake, snapshot, fresh, staged, report)
        before = carries.from_frame(carried)
    workers.close()


def _compare(lake: Lake, snapshot: Snapshot, fresh: Lake, staged: Staged, report: Report) -> None:
    for name, dataset in DATASETS.items():
        if name in _NOT_REPLAYED:
            continue
        old = [Path(file).name for file in lake.files(name, snapshot, [staged.day])]
        if old == [Path(part.path).name for part in staged.parts[name]]:
            continue
        drop = ["engine_version"] if "engine_version" in dataset.types else []
        shown = lake.scan(name, snapshot, [staged.day]).drop(drop).collect()
        files = [fresh.path / name / part.path for part in staged.parts[name]]
        again = pl.read_parquet(files, glob=False, hive_partitioning=True) if files else dataset.empty()
        again = again.select(shown.columns).cast(shown.schema)
        if not shown.equals(again):
            report.differ(f"{name}, {staged.day}", *_first_difference(shown, again))


def _first_difference(shown: pl.DataFrame, again: pl.DataFrame) -> tuple[str, str]:
    """Show the first row that differs, as replayed and as published."""
    for row in range(max(len(shown), len(again))):
        one, other = (frame.row(row, named=True) if row < len(frame) else {} for frame in (again, shown))
        if one != other:
            names = [name for name in shown.columns if one.get(name) != other.get(name)]
            texts = [
                ", ".join(f"{name} {each.get(name)!r}" for name in names) if each else "no row" for each in (one, other)
            ]
            return f"at row {row + 1} {texts[0]}", texts[1]
    return "the same rows", "others"


# What people see.


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    columns = (TextColumn("verifying"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("verifying", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def as_data(report: Report) -> dict[str, Any]:
    """For JSON."""
    return asdict(report)


def show(report: Report, out: Console) -> None:
    """Print what was checked and what differs."""
    checked = f"{report.entries:,} log entries, {report.checkpoints:,} checkpoints"
    if report.is_bundle:
        out.print(f"checked {checked}, {report.lines:,} raw lines, {report.files:,} files of the bundle")
    else:
        megabytes = f"{report.bytes / 1e6:,.1f} MB"
        out.print(f"checked {checked}, {report.files:,} raw files, {report.parts:,} published parts, {megabytes}")
    for note in report.notes:
        out.print(visible(f"note: {note}"), style="dim")
    if not report.differences:
        out.print("All records match their recorded hashes", style="green")
        return
    out.print(f"{len(report.differences)} differences; the first:", style="bold red")
    for difference in report.differences[:20]:
        out.print(visible(f"  {difference}"))
    if len(report.differences) > 20:
        out.print(f"  and {len(report.differences) - 20} more; --json lists all")
