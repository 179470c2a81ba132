"""``audit21 run``: days of a landing zone into the lake, with progress on the terminal and a summary."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, redirect_stderr
from dataclasses import dataclass, field
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

from rich import progress as bars
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text
from sqlalchemy.exc import DBAPIError

from pipelines.commands.summary import RunSummary, summarise
from pipelines.custody.landing import LandingError
from pipelines.day.audit_run import AuditRun
from pipelines.defs.runs import open_instance, run_catalog, run_day
from pipelines.progress import SILENT, Progress
from pipelines.watch.watching import STAGE
from replay.floor import FloorError
from replay.rulebook_file import RulebookError
from replay.visible import visible, visible_lines
from replay.wording import money
from warehouse.evidence import handover, pins
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.handover import KeyRefused
from warehouse.lake import LakeError

BadRequest = (LandingError, FloorError, RulebookError, KeyRefused)
Failed = (LakeError, EvidenceError)
_TOP = 12  # findings shown
_UNITS = {"custody": "bytes", STAGE: "frames"}  # by stage; else lines


@dataclass(frozen=True)
class RunRequest:
    """The command's options."""

    landing: Path
    lake: Path
    day: date | None = None
    tables: tuple[str, ...] = ()
    copy_footage: bool = False
    quiet: bool = False
    pin: Path | None = None  # where the log's keys are pinned, if not beside the signing key
    folders: tuple[Path, ...] = ()  # with further rulebooks


@dataclass
class RunResult:
    """The work of a run, and the state of the lake after it."""

    done: dict[date, str] = field(default_factory=dict)  # days, and why
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    summary: RunSummary | None = None


def run(request: RunRequest) -> RunResult:
    """Do what is to be done; a day that fails does not stop the others."""
    pins.use(request.pin)
    with _watching(request.quiet) as watcher, _writing(request.lake):
        works = AuditRun(
            request.landing,
            request.lake,
            watcher,
            copy_footage=request.copy_footage,
            tables=request.tables or None,
            folders=request.folders,
        )
        works.coming = days = _days(works, request)
        result, is_new = RunResult(), works.custody.log.size == 0
        result.notes += works.publisher.check_keys()
        works.check()
        with closing(works), open_instance(works.lake.path) as instance:
            for day in days:
                reason = works.reason(day) or ("asked for" if request.tables else None)
                if reason is None:
                    continue
                outcome = run_day(instance, works, day, reason)
                result.problems += [f"{day}: {outcome.error}"] if outcome.error else []
                for check in outcome.failed_checks:
                    if not check.blocking:
                        (result.notes if check.warning else result.problems).append(f"{day}: {check.description}")
                if outcome.success:
                    result.done[day] = reason
            works.workers.close()  # they end while the catalog is made
            outcome = run_catalog(instance, works)
            result.problems += [outcome.error] if outcome.error else []
    result.notes += _pin_note(works) if is_new else []
    result.notes += [f"{problem}: could not be read; the next run tries again" for problem in works.unreadable]
    result.notes += works.stumbles
    result.notes += [f"{path}: has no place in a landing zone, left alone" for path in works.zone.ignored]
    result.notes += [f"{path}: a link out of the landing zone, left alone" for path in works.zone.outside]
    result.notes += [
        f"{day}: new files are left alone: retention has removed evidence of that day, so its verdicts stand for good"
        for day in works.came_too_late(days)
    ]
    result.summary = summarise(works.lake, days, request.tables or None)
    return result


def _pin_note(works: AuditRun) -> list[str]:
    """Name the key that signs a lake, for the safe; its first run says so once."""
    if works.custody.log.size == 0 or (pin := handover.pin_of(works.custody.log)) is None:
        return []
    return [
        f"the log {pin.log} is signed by the key {pins.fingerprint(pin.keys[0])}: print {pin.path} and keep it in the "
        "safe, with whoever checks the log"
    ]


@contextmanager
def _writing(lake: Path) -> Iterator[None]:
    """Turns what the disk complains of outside the steps of a day into one error; Dagster would tell it many times."""
    said = StringIO()
    try:
        with redirect_stderr(said):
            yield
    except (DBAPIError, OSError) as error:
        said = StringIO()
        reason = error.orig if isinstance(error, DBAPIError) else error
        raise LakeError(f"{lake}: could not be written: {reason}. Make room or allow it, and run again") from error
    finally:
        sys.stderr.write(visible_lines(said.getvalue()))


def _days(works: AuditRun, request: RunRequest) -> list[date]:
    """The days to look at; raises where the request leaves nothing to do."""
    days = works.days()
    floor = works.floor
    unknown = sorted(set(request.tables) - {table.id for table in floor.tables})
    if unknown:
        known = ", ".join(sorted({table.id for table in floor.tables}))
        raise LandingError(f"{works.landing / 'floor.toml'}: no table {', '.join(unknown)}; there are {known}")
    if request.day is not None:
        if request.day not in days:
            raise LandingError(f"{works.landing / request.day.isoformat()}: no such gaming day; {_span(days)}")
        return [request.day]
    if not days:
        raise LandingError(f"{works.landing}: no gaming day; expected folders such as 2026-01-05/<table>")
    return days


def _span(days: list[date]) -> str:
    return f"there are {days[0]} to {days[-1]}" if days else "there are none"


# Progress.


class _Rate(ProgressColumn):
    """The rate of work per second."""

    def render(self, task: Task) -> Text:
        unit = task.fields["unit"]
        if not task.speed:
            return Text("")
        speed = f"{task.speed / 1e6:.1f} MB/s" if unit == "bytes" else f"{task.speed:,.0f} {unit}/s"
        return Text(speed, style="progress.data.speed")


class _Bar:
    """Shows stage and table of the day under way."""

    def __init__(self, progress: bars.Progress) -> None:
        self.progress = progress
        self.task: TaskID | None = None

    def begins(self, day: date, stage: str, total: int) -> None:
        if self.task is not None:
            self.progress.remove_task(self.task)
        unit = _UNITS.get(stage, "lines")
        self.task = self.progress.add_task(f"{day} {stage}", total=total or None, unit=unit, about="")

    def goes_on(self, amount: int, about: str = "") -> None:
        if self.task is not None:
            self.progress.update(self.task, advance=amount, about=visible(about.partition("/")[2] or about))


@contextmanager
def _watching(quiet: bool) -> Iterator[Progress]:
    if quiet or not sys.stderr.isatty():
        yield SILENT
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.percentage:>3.0f} %"),
        _Rate(table_column=Column(no_wrap=True)),
        TimeRemainingColumn(),
        TextColumn("{task.fields[about]}", style="dim", table_column=Column(no_wrap=True, overflow="ellipsis")),
    )
    with bars.Progress(*columns, console=Console(file=sys.stderr), transient=True) as progress:
        yield _Bar(progress)


# The summary.


def as_data(result: RunResult) -> dict[str, Any]:
    """For JSON."""
    summary = {} if result.summary is None else result.summary.as_data()
    done = {day.isoformat(): reason for day, reason in result.done.items()}
    return {"done": done, "problems": result.problems, "notes": result.notes, **summary}


def show(result: RunResult, lake: Path, out: Console) -> None:
    """Print a run's summary for a supervisor."""
    shown = result.summary
    assert shown is not None
    for day, reason in result.done.items():
        out.print(f"{day} audited ({reason})", style="dim")
    if not result.done and not result.problems:
        out.print("No new files; results unchanged", style="dim")
    if not shown.days:
        return
    out.print()
    out.print(
        f"{_days_text(shown)}, {shown.tables} tables, {shown.rounds:,} rounds, snapshot {shown.snapshot}", style="bold"
    )
    _show_facts(shown, out)
    _show_money(shown, out)
    _show_findings(shown, out)
    _show_first(shown, out)
    for note in result.notes:
        out.print(visible(f"note: {note}"), style="dim")
    out.print(f"\nA round card by card: audit21 explain ROUND_ID --lake {lake}", style="dim")
    out.print(f"All of it in SQL, for any DuckDB client: {lake / 'audit21.duckdb'}", style="dim")


def _days_text(shown: RunSummary) -> str:
    first, last = shown.days[0], shown.days[-1]
    return f"{first}" if first == last else f"{first} to {last} ({len(shown.days)} days)"


def _show_facts(shown: RunSummary, out: Console) -> None:
    share = f"{100 * shown.verified / shown.rounds:.2f} %" if shown.rounds else "none"
    lines = shown.lines
    facts = Table.grid(padding=(0, 2))
    facts.add_row(
        "verified",
        f"{shown.verified:,} rounds ({share}), {shown.undetermined:,} undetermined, {shown.in_doubt:,} in doubt",
    )
    facts.add_row("evidence", ", ".join(f"{name} {count:,}" for name, count in shown.evidence.items()) or "none")
    added = f"{lines['accepted']:,} accepted + {lines['repeated']:,} repeated + {lines['quarantined']:,} quarantined"
    facts.add_row("lines", f"{lines['lines']:,} = {added}, in {lines['files']:,} files")
    out.print(Padding(facts, (0, 0, 1, 2)))


def _show_money(shown: RunSummary, out: Console) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    table.add_column("")
    for title in ("handle", "win", "hold", "overpaid", "underpaid"):
        table.add_column(title, justify="right")
    for row in shown.money:
        hold = "" if row["hold"] is None else f"{100 * row['hold']:.2f} %"
        amounts = [money(row[name]) for name in ("handle_cents", "win_cents")]
        table.add_row(row["currency"], *amounts, hold, money(row["over_cents"]), money(-row["under_cents"]))
    out.print(Padding(table, (0, 0, 1, 2)))


def _show_findings(shown: RunSummary, out: Console) -> None:
    counts = ", ".join(f"{count:,} {name}" for name, count in shown.severities.items())
    out.print(f"findings: {counts}", style="bold")
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for title in ("severity", "code", "count", "overpaid", "underpaid", ""):
        table.add_column(title, justify="right" if title in ("count", "overpaid", "underpaid") else "left")
    for row in shown.findings[:_TOP]:
        over, under = (money(abs(row[name])) if row[name] else "" for name in ("over_cents", "under_cents"))
        table.add_row(row["severity"], row["code"], f"{row['count']:,}", over, under, row["currency"])
    if shown.findings:
        out.print(Padding(table, (0, 0, 0, 2)))
    if len(shown.findings) > _TOP:
        out.print(f"  and {len(shown.findings) - _TOP} kinds more; SELECT * FROM findings_by_code", style="dim")


def _show_first(shown: RunSummary, out: Console) -> None:
    if not shown.look_first:
        return
    out.print("\nReview first", style="bold")
    table = Table(box=None, pad_edge=False, padding=(0, 2), show_header=False)
    table.add_column("round")
    table.add_column("money", justify="right")
    table.add_column("codes")
    for row in shown.look_first:
        table.add_row(visible(row["round_id"]), f"{row['currency']} {money(row['cents'])}", ", ".join(row["codes"]))
    out.print(Padding(table, (0, 0, 0, 2)))
