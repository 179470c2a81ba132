"""``audit21 simulate``: from the command's options to a landing zone, with a progress bar and a summary."""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table

from replay import floor
from replay.floor import FloorError
from replay.library import Library, beside, library
from replay.rulebook_file import RulebookError
from replay.simulator import disorder, house, zone
from replay.simulator.filming import MOST_BOXES, Filming
from replay.simulator.landing import ENDINGS, Form
from replay.simulator.nature import CLOCKS, PACES, Nature, NatureError, parse_choice, parse_misdeals, parse_outage
from replay.simulator.plant import pick
from replay.simulator.simulate import SimulatedDay, Simulation, SimulationOptions
from replay.wording import money

BadRequest = (FloorError, RulebookError, NatureError, disorder.DisorderError, pick.PlantError, zone.ZoneError)


@dataclass(frozen=True)
class DayOptions:
    """The days to simulate, and the rounds on each."""

    first: date
    days: int
    rounds: int


@dataclass(frozen=True)
class FormOptions:
    """The files to write, and their form."""

    parts: int
    compress: str
    disorder: tuple[str, ...]
    camera: bool
    filming: Filming | None


@dataclass(frozen=True)
class NatureOptions:
    """Options by which the floor differs from the usual one."""

    clocks: str | None = None
    pace: str | None = None
    habits: bool = False
    late_keying: bool = False
    misdeals: str | None = None
    outages: tuple[str, ...] = ()
    truth_cards: bool = False

    def nature(self) -> Nature:
        """Return the options read; raises NatureError where one makes no sense."""
        return Nature(
            parse_choice("--clocks", self.clocks, CLOCKS),
            parse_choice("--pace", self.pace, PACES),
            self.habits,
            self.late_keying,
            parse_misdeals(self.misdeals),
            tuple(parse_outage(text) for text in self.outages),
            self.truth_cards,
        )


@dataclass(frozen=True)
class SimulateRequest:
    """The command's options."""

    out: Path
    rulebook: str
    tables: int
    floor: Path | None
    seed: int
    when: DayOptions
    rate: float
    plant: tuple[str, ...]
    form: FormOptions
    force: bool
    nature: NatureOptions = NatureOptions()
    folders: tuple[Path, ...] = ()  # with further rulebooks

    def wanted(self) -> SimulationOptions:
        """Return the options of the simulation."""
        compression = "" if self.form.compress == "none" else self.form.compress
        if compression not in ENDINGS:
            raise zone.ZoneError(f"--compress: found {self.form.compress!r}, expected none, gz, zst or parquet")
        if not 1970 <= self.when.first.year <= 2999:
            raise zone.ZoneError(f"--from: found {self.when.first}, expected a day between 1970 and 2999")
        return SimulationOptions(
            self.when.rounds,
            self.seed,
            self.when.days,
            self.when.first,
            Form(self.form.parts, compression),
            self.form.camera,
            self.form.filming,
            self.nature.nature(),
        )

    def orders(self) -> Counter[pick.Order]:
        """Return the findings to plant by name."""
        found: Counter[pick.Order] = Counter()
        for text in self.plant:
            order, count = pick.parse(text)
            found[order] += count
        return found

    def mess(self) -> Counter[str]:
        """Return the damage to do to the files."""
        found: Counter[str] = Counter()
        for text in self.form.disorder:
            kind, _, count = text.partition(":")
            if kind not in disorder.ACTS or not count.isdigit():
                kinds = ", ".join(disorder.ACTS)
                raise zone.ZoneError(
                    f"--disorder: found {text!r}, expected a kind and a number such as late:2, of {kinds}"
                )
            found[kind] += int(count)
        if self.form.compress != "none" and not set(found) <= {"late", "repeated"}:
            raise zone.ZoneError(
                "--disorder in lines needs plain files: leave out --compress, or use late and repeated"
            )
        return found


def run(request: SimulateRequest) -> zone.Summary:
    """Write the landing zone; raises one of ``BadRequest`` where the options cannot be met."""
    wanted, orders, mess = request.wanted(), request.orders(), request.mess()
    floor_toml = _floor_toml(request)
    simulation = Simulation(floor_toml, wanted, request.rate, orders, _books(request))
    if not simulation.rounds():
        raise FloorError(
            f"{request.floor}: no table is in force on {request.when.first}; choose another day with --from"
        )
    _check_filming(simulation)
    zone.claim(request.out, {**_fingerprint(request), "floor_toml": floor_toml}, request.force)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("rounds", total=simulation.rounds())
        return zone.write(
            request.out,
            simulation,
            mess,
            lambda rounds: bar.advance(task, rounds),
            lambda day, each: _film(request.out, day, each, bar),
        )


def _fingerprint(request: SimulateRequest) -> dict[str, Any]:
    """List the options beside the floor that change the files; the usual ones add nothing."""
    aside = {"out", "force", "floor", "folders"} | ({"nature"} if request.nature == NatureOptions() else set())
    return {name: value for name, value in asdict(request).items() if name not in aside}


def _film(out: Path, day: date, each: SimulatedDay, bar: Progress) -> int:
    from pipelines.commands import filming

    def watcher(name: str, frames: int) -> Callable[[int], object]:
        task = bar.add_task(f"frames of the {name}", total=frames)
        return lambda done: bar.advance(task, done)

    return filming.write(out, day, each, watcher)


def _check_filming(simulation: Simulation) -> None:
    """Every day must have a table that fits into a picture, if one is to be filmed."""
    for day in simulation.days() if simulation.wanted.filming is not None else ():
        if all(table.boxes > MOST_BOXES for table in simulation.tables(day)):
            raise zone.ZoneError(f"--footage: no table on {day} has {MOST_BOXES} boxes or fewer, as a camera needs")


def _books(request: SimulateRequest) -> Library:
    return library(request.folders) if request.floor is None else beside(request.floor, request.folders)


def _floor_toml(request: SimulateRequest) -> str:
    if request.floor is None:
        codes, when = {order.code for order in request.orders()}, request.when
        books = _books(request)
        data = house.default_floor(request.rulebook, request.tables, when.first, when.days, request.seed, codes, books)
        return house.toml(data)
    floor.read(request.floor, _books(request))
    return request.floor.read_text(encoding="utf-8")


def show(request: SimulateRequest, summary: zone.Summary) -> None:
    """Print what was written."""
    out = Console(soft_wrap=True, highlight=False)
    out.print(f"{summary.rounds:,} rounds in {summary.files:,} files under {request.out}")
    if summary.disorder is not None:
        out.print(f"{len(summary.disorder):,} files were damaged, listed in {request.out / disorder.RECORD}")
    truth = summary.truth
    if truth.is_empty():
        out.print("nothing irregular was planted: an audit of the events has to find nothing")
        return
    out.print(f"{len(truth):,} findings to be made, listed in {request.out / zone.TRUTH}:")
    table = Table("code", "handling", Column("times", justify="right"), Column("variance", justify="right"), box=None)
    costs = truth.group_by("code", "handling", "currency").agg(pl.len(), pl.col("variance_cents").abs().sum())
    for (code, handling), group in costs.sort(pl.all()).group_by("code", "handling", maintain_order=True):
        amounts = [f"{money(cents)} {currency}" for _, _, currency, _, cents in group.rows() if cents]
        table.add_row(str(code), str(handling or ""), f"{group['len'].sum():,}", ", ".join(amounts))
    out.print(table)
