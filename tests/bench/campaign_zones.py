"""Landing zones of the campaign: made by either generator in a temporary folder, and audited table by table."""

import contextlib
import hashlib
import io
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple, cast
from unittest.mock import patch

import polars as pl
import typer

from pipelines.cli import app
from pipelines.custody.store import Record
from pipelines.day import table
from pipelines.day.job import Job
from pipelines.day.table import audit_table
from pipelines.stories import replayed, step
from replay.carry import NOTHING
from replay.library import PACKAGE
from tests.adversary.__main__ import parse
from tests.adversary.__main__ import run as write_adversary_zone

TABLES: Final = 5  # all rulebooks
_NO_HASH: Final = "0" * 64


class ZoneOrder(NamedTuple):
    """A landing zone to make: by which generator, with which options."""

    generator: str  # simulator or adversary
    rounds: int  # at each table
    seed: int
    options: tuple[str, ...] = ()

    def arguments(self, out: str) -> list[str]:
        """Return the arguments of the generator's command line."""
        return [out, f"--tables={TABLES}", f"--rounds={self.rounds}", f"--seed={self.seed}", *self.options]

    @property
    def kind(self) -> str:
        """Return the generator and its options, without the seed."""
        return " ".join([f"{self.generator}:", *(option.removeprefix("--") for option in self.options)])

    def command(self) -> str:
        """Return the command that makes the same zone."""
        name = "audit21 simulate" if self.generator == "simulator" else "python -m tests.adversary"
        return " ".join([name, *self.arguments("OUT")])


def write_zone(order: ZoneOrder, out: Path) -> None:
    """Write a landing zone and the truth about it."""
    arguments = order.arguments(str(out))
    if order.generator == "adversary":
        write_adversary_zone(parse(arguments))
        return
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        typer.main.get_command(app).main(["simulate", *arguments, "--truth-cards"], standalone_mode=False)


def jobs(zone: Path, raw: Path) -> Iterator[Job]:
    """List the tables' days of a zone, with its files linked into a folder by hash, as if they were in custody."""
    raw.mkdir(parents=True)
    floor = raw / _link(zone / "floor.toml", raw)
    for folder in sorted(zone.glob("????-??-??/*")):
        records = [
            Record(path.relative_to(zone).as_posix(), _link(path, raw), path.stat().st_size, log_index=0)
            for path in sorted(folder.iterdir())
        ]
        day = date.fromisoformat(folder.parent.name)
        yield Job(day, folder.name, records, [_NO_HASH] * len(records), floor, PACKAGE, NOTHING, "campaign")


def _link(path: Path, raw: Path) -> str:
    name = hashlib.sha256(path.read_bytes()).hexdigest()
    (raw / name).symlink_to(path.resolve())
    return name


class AuditedTable(NamedTuple):
    """The rows of a table's day by dataset, and the seconds that their parts took."""

    rows: dict[str, pl.DataFrame]
    seconds: dict[str, float]  # align, stories, all


def audit(job: Job) -> AuditedTable:
    """Audit a table's day, and time alignment and stories beside all of it."""
    watch = _Stopwatch()
    with watch.running():
        before = time.perf_counter()
        found = audit_table(job).rows
        seconds = time.perf_counter() - before
    rows = {name: _frame(each) for name, each in found.items()}
    return AuditedTable(rows, {**watch.seconds, "all": seconds})


def _frame(rows: Any) -> pl.DataFrame:
    frame = rows if isinstance(rows, pl.DataFrame) else cast(pl.DataFrame, pl.from_arrow(rows))
    return frame.with_columns(pl.col(pl.Categorical).cast(pl.String))


class _Stopwatch:
    """Times the parts of ``audit_table``; from the first story to the last verdict, all is the stories' time."""

    def __init__(self) -> None:
        self.seconds = {"align": 0.0, "stories": 0.0}
        self.told = 0.0  # when the stories began

    def running(self) -> contextlib.ExitStack:
        """Time the parts while the stack is entered."""
        stack = contextlib.ExitStack()
        for name, (module, part) in _PARTS.items():
            stack.enter_context(patch.object(module, name, self._timed(name, part, getattr(module, name))))
        return stack

    def _timed(self, name: str, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            before = time.perf_counter()
            result = function(*given, **named)
            if name == _FIRST:
                self.told = before
            else:
                self.seconds[part] += time.perf_counter() - (self.told if name == _LAST else before)
            return result

        return call


_FIRST, _LAST = "tell", "as_far_as_certain"
_PARTS: Final[dict[str, tuple[ModuleType, str]]] = {
    "align_without_backdated": (replayed, "align"),
    "align_without": (replayed, "align"),
    "shared": (replayed, "align"),
    _FIRST: (step, "stories"),
    _LAST: (step, "stories"),
    "story_rows": (table, "stories"),
}
