"""A day's tables in groups, their rows written in order: memory holds a few tables, however many there are.

A group's rows make parts of their own, so that groups can be audited in any process. Which tables make a group depends
on the day's files alone: the same day has the same parts, whoever works on it.
"""

import math
import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import polars as pl
import pyarrow as pa

from pipelines.custody.landing import FLOOR
from pipelines.custody.store import CustodyStore
from pipelines.day.job import Job
from pipelines.day.plan import DayPlan
from pipelines.day.table import TableRows, audit_table
from pipelines.day.workers import TableWorkers
from pipelines.progress import Progress
from pipelines.publish.tally import Audited, Frame
from pipelines.version import engine_version
from replay.carry import NOTHING, Carry
from warehouse import carry as carries
from warehouse.lake import Lake, LakePart, Snapshot, Staged, StagedDay
from warehouse.schemas import DATASETS, SchemaError

_GROUP_LINES: Final = 300_000  # at most so many lines of the tables whose rows are checked and written together
_EVEN: Final = 4  # a large day has a multiple of so many groups, alike in size: as many cores end at the same time
_PARTS_EACH: Final = 1000  # a group's parts are numbered from this many times its own number
_AHEAD: Final = 4  # tables under way per thread
# Datasets with many rows: each group has its own parts of them. Of the others a day has one part.
_LARGE: Final = frozenset({"events", "sightings", "rounds", "hands", "cards", "settlements"})
# Written by other hands than the tables': the day's end and the publication.
_OF_THE_DAY: Final = ("carry", "restatements")


@dataclass
class Group:
    """Tables whose rows are written together."""

    number: int
    jobs: list[Job] = field(default_factory=list)
    lines: int = 0


@dataclass
class GroupRows:
    """The result of a group: its parts, its counts, and the rows that the whole day writes together."""

    audited: Audited
    parts: dict[str, tuple[LakePart, ...]]
    small: dict[str, list[Frame]]
    carry: Carry
    unheard: list[str]  # tables


def stage_day(
    plan: DayPlan, lake: Lake, custody: CustodyStore, snapshot: Snapshot, watcher: Progress, workers: TableWorkers
) -> tuple[Audited, Staged, pl.DataFrame]:
    """Audit a day's tables and stage their rows; also the state after the day."""
    groups = _groups([_job(plan, custody, table_id) for table_id in plan.table_ids()])
    lines = sum(group.lines for group in groups)
    watcher.begins(plan.day, "audit", lines)
    audited, stage = Audited(plan.day), lake.stage(plan.day)
    parts: dict[str, list[LakePart]] = {name: [] for name in DATASETS}
    small: dict[str, list[Frame]] = {"files": [_floor_rows(plan, custody)]}
    after = plan.before if plan.others is None else plan.others
    for found in _staged(lake.path, groups, watcher, workers.use_for(lines), plan.tables is None):
        audited.join(found.audited)
        after = after.after(found.carry)
        for table_id in found.unheard:
            after = after.without_meters(plan.own_meters(table_id))
        for name, some in found.parts.items():
            parts[name] += some
        for name, frames in found.small.items():
            small.setdefault(name, []).extend(frames)
    if plan.tables is not None:
        _add_published(small, lake, snapshot, plan)
    carried = carries.to_frame(after, plan.day)
    write(stage, {**small, "carry": [carried]})
    rest = stage.close().parts
    return audited, Staged(plan.day, {name: (*parts[name], *rest[name]) for name in DATASETS}), carried


def _groups(jobs: Sequence[Job]) -> list[Group]:
    """Tables in order, in groups of about as many lines each."""
    lines = [sum(record.lines or 0 for record in job.records) for job in jobs]
    total = sum(lines)
    count = 1 if total <= _GROUP_LINES else _EVEN * math.ceil(total / (_EVEN * _GROUP_LINES))
    groups: dict[int, Group] = {}
    before = 0
    for job, own in zip(jobs, lines, strict=True):
        place = count * (2 * before + own) // max(1, 2 * total)  # of the table's middle line
        group = groups.setdefault(place, Group(len(groups) + 1))
        group.jobs.append(job)
        group.lines += own
        before += own
    return list(groups.values())


def _staged(
    root: Path, groups: Sequence[Group], watcher: Progress, workers: TableWorkers | None, is_whole: bool
) -> Iterator[GroupRows]:
    """The groups' rows in order, by other processes or by threads of this one."""
    large = _LARGE if is_whole else frozenset[str]()
    if workers is None:
        for group in groups:
            yield stage_group(root, large, group, os.cpu_count() or 1, watcher)
        return
    for group, found in zip(groups, workers.map(partial(stage_group, root, large), groups), strict=True):
        watcher.goes_on(group.lines, group.jobs[-1].table_id)
        yield found


def stage_group(
    root: Path, large: frozenset[str], group: Group, threads: int = 1, watcher: Progress | None = None
) -> GroupRows:
    """Audit a group's tables and write their rows of the large datasets."""
    audited = Audited(group.jobs[0].day)
    found: list[TableRows] = []
    for job, made in _in_order(group.jobs, threads):
        if watcher is not None:
            watcher.goes_on(sum(record.lines or 0 for record in job.records), job.table_id)
        if isinstance(made, TableRows):
            found.append(made)
        else:
            audited.failed[job.table_id] = f"{type(made).__name__}: {made}"
    try:
        parts = _written(root, group, large, found)
    except SchemaError:
        found = [rows for rows in found if _is_sound(rows, audited)]
        parts = _written(root, group, large, found)
    after, small = NOTHING, dict[str, list[Frame]]()
    for rows in found:
        audited.add(rows.rows)
        after = after.after(rows.carry)
        for name, frame in rows.rows.items():
            if name not in large:
                small.setdefault(name, []).append(frame)
    unheard = [*audited.failed, *(rows.table_id for rows in found if not rows.heard)]
    return GroupRows(audited, parts, small, after, unheard)


def _written(
    root: Path, group: Group, large: frozenset[str], found: Sequence[TableRows]
) -> dict[str, tuple[LakePart, ...]]:
    """A group's parts of the large datasets."""
    stage = StagedDay(root, group.jobs[0].day, group.number * _PARTS_EACH)
    frames = {name: [rows.rows[name] for rows in found if name in rows.rows] for name in sorted(large)}
    write(stage, {name: some for name, some in frames.items() if some})
    parts = stage.close().parts
    return {name: parts[name] for name in large}


def _is_sound(rows: TableRows, audited: Audited) -> bool:
    """Check a table's rows against their schemas; a table that fails is left out, not the others."""
    try:
        for name, frame in rows.rows.items():
            DATASETS[name].check_table(frame if isinstance(frame, pa.Table) else frame.to_arrow())
    except SchemaError as error:
        audited.failed[rows.table_id] = str(error)
        return False
    return True


def write(stage: StagedDay, frames: dict[str, list[Frame]]) -> None:
    """Write frames of several tables together."""
    for name, some in frames.items():
        is_arrow = isinstance(some[0], pa.Table)
        stage.write(name, pa.concat_tables(some) if is_arrow else pl.concat(some))


def _job(plan: DayPlan, custody: CustodyStore, table_id: str) -> Job:
    records = [record for record in plan.records if record.table == table_id]
    return Job(
        day=plan.day,
        table_id=table_id,
        records=records,
        chains=[custody.chain(record) for record in records],
        floor_path=custody.raw(plan.floor_sha256),
        books=custody.books(plan.day),
        before=plan.before,
        engine_version=engine_version(),
    )


def _in_order(jobs: Sequence[Job], threads: int) -> Iterator[tuple[Job, TableRows | Exception]]:
    """The tables' rows in the order of the jobs; a fault of ours at one table does not stop the others."""
    if threads == 1:
        for job in jobs:
            yield job, _tried(job)
        return
    waiting: deque[tuple[Job, Future[TableRows | Exception]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for job in jobs:
            waiting.append((job, pool.submit(_tried, job)))
            if len(waiting) > threads * _AHEAD:
                done, future = waiting.popleft()
                yield done, future.result()
        for done, future in waiting:
            yield done, future.result()


def _tried(job: Job) -> TableRows | Exception:
    try:
        return audit_table(job)
    except Exception as error:
        return error


def _floor_rows(plan: DayPlan, custody: CustodyStore) -> pl.DataFrame:
    """The rows of floor.toml and its rulebooks among the files."""
    index = custody.floor_index(plan.day)
    found = [(FLOOR, "floor", plan.floor_sha256)]
    found += [(book.record.path, "rulebook", book.record.sha256) for book in custody.kept_books(plan.day)]
    rows = [
        {
            "gaming_day": plan.day,
            "table": "",
            "path": path,
            "source": source,
            "sha256": sha256,
            "bytes": custody.raw(sha256).stat().st_size,
            "log_index": index,
            "chain": custody.root(index),
        }
        for path, source, sha256 in found
    ]
    return pl.DataFrame(rows, schema=DATASETS["files"].types, orient="row")


def _add_published(frames: dict[str, list[Frame]], lake: Lake, snapshot: Snapshot, plan: DayPlan) -> None:
    """Add the rows of the tables that were not asked for, as they are published."""
    own_tables = ["", *(plan.tables or ())]
    for name, dataset in DATASETS.items():
        if name not in _OF_THE_DAY:
            others = lake.scan(name, snapshot, [plan.day]).filter(~pl.col("table").is_in(own_tables)).collect()
            own = [dataset.check(pl.DataFrame(frame)) for frame in frames.get(name, ())]
            together = pl.concat([others, *own])
            frames[name] = [together.sort(dataset.sort, nulls_last=False, maintain_order=True)]
