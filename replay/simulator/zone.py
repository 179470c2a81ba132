"""A simulated landing zone on disk: floor.toml, the days' files, and beside them what an audit has to find."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import polars as pl

from replay import library
from replay.severity import severity
from replay.simulator import disorder
from replay.simulator import truth as T
from replay.simulator.plant import Truth
from replay.simulator.simulate import SimulatedDay, Simulation

MARKER: Final = ".simulation.json"
TRUTH: Final = "truth.parquet"
CLOCKS: Final = "clocks.parquet"

_TRUTH: Final[dict[str, Any]] = {
    "gaming_day": pl.Date,
    "table": pl.String,
    "round_id": pl.String,
    "shoe": pl.String,
    "path": pl.String,
    "code": pl.String,
    "severity": pl.String,
    "seat": pl.Int64,
    "bettor": pl.Int64,
    "kind": pl.String,
    "hand": pl.Int64,
    "variance_cents": pl.Int64,
    "currency": pl.String,
    "clause": pl.String,
    "handling": pl.String,
}
_CLOCKS: Final[dict[str, Any]] = {
    "gaming_day": pl.Date,
    "table": pl.String,
    "source": pl.String,
    "offset_ms": pl.Int64,
    "drift_ppm": pl.Float64,
}


class ZoneError(ValueError):
    """A folder that cannot take a simulation; says why and what to do."""


class Summary(NamedTuple):
    """Summary of the files that were written."""

    rounds: int
    files: int
    truth: pl.DataFrame
    disorder: pl.DataFrame | None
    unplanted: Mapping[str, int]  # what was asked for and found no round, with how often


def claim(out: Path, fingerprint: Any, force: bool) -> None:
    """Make a folder ready: an empty or new one, or one that the same command began; by force another simulation's.

    The files depend on nothing but the command, so that a run that was stopped is completed by the same command.
    """
    marker = out / MARKER
    wanted = json.dumps(fingerprint, default=str, indent=1)
    try:
        _claim(out, marker, wanted, force)
    except OSError as error:
        raise ZoneError(f"{out} cannot be written to: {error.strerror}") from None


def _claim(out: Path, marker: Path, wanted: str, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise ZoneError(f"{out} is a file, expected a folder to write to")
    if out.exists() and any(out.iterdir()):
        if not marker.exists():
            raise ZoneError(f"{out} is not empty and no simulation; name another folder")
        if marker.read_text(encoding="utf-8") != wanted and not force:
            raise ZoneError(f"{out} holds another simulation; name another folder, or replace it with --force")
        for path in sorted(out.iterdir(), key=lambda path: path == marker):  # the marker last
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    out.mkdir(parents=True, exist_ok=True)
    marker.write_text(wanted, encoding="utf-8")


def _write_rulebooks(out: Path, simulation: Simulation) -> None:
    """Put rulebooks that are not the package's beside floor.toml, where an audit finds them."""
    for book in {table.book.sha256: table.book for table in simulation.floor.tables}.values():
        if Path(book.file).parent != library.OF_THE_PACKAGE:
            (out / library.FOLDER).mkdir(exist_ok=True)
            (out / library.FOLDER / library.file_name(book)).write_bytes(book.source)


def write(
    out: Path,
    simulation: Simulation,
    mess: Mapping[str, int],
    progress: Callable[[int], object] = lambda rounds: None,
    film: Callable[[date, SimulatedDay], int] = lambda day, each: 0,
) -> Summary:
    """Play the floor day by day and write its landing zone; ``progress`` is told of rounds as they are written.

    ``film`` gets each table's day that is to be filmed, and says how many files it made of it.
    """
    wanted = simulation.wanted
    (out / "floor.toml").write_text(simulation.floor_toml, encoding="utf-8")
    _write_rulebooks(out, simulation)
    truth, clocks, rounds, files = [], [], 0, 0
    happened: dict[str, list[pl.DataFrame]] = {T.CARDS: [], T.CLOCKS: [], T.ROUNDS: []}
    for day in simulation.days():
        played = simulation.play(day)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            files += sum(pool.map(lambda each: len(each.material.write(out)), played))
        for each in played:
            truth.append(truth_frame(day, each))
            clocks.append(clocks_frame(day, each))
            if wanted.nature.tells_cards():
                for name, frame in _happened(day, each, simulation.house.bounds(day)[1]).items():
                    happened[name].append(frame)
            if each.filmed is not None and not each.material.is_silent:
                files += film(day, each)
            rounds += wanted.rounds
            progress(wanted.rounds)
    found = pl.concat(truth)
    found.write_parquet(out / TRUTH)
    pl.concat(clocks).write_parquet(out / CLOCKS)
    for name, frames in happened.items():
        if frames:
            pl.concat(frames).write_parquet(out / name)
    made = disorder.apply(out, mess, Random(f"{wanted.seed}/disorder")) if mess else None
    return Summary(rounds, files, found, made, simulation.unplanted())


def truth_frame(day: date, each: SimulatedDay) -> pl.DataFrame:
    """Return the findings that an audit of a table's day must report, a row each."""
    rows = [_truth_row(day, each, found) for found in each.truth]
    return pl.DataFrame(rows, schema=_TRUTH, orient="row").sort(pl.all())


def _truth_row(day: date, each: SimulatedDay, found: Truth) -> tuple[Any, ...]:
    return (
        day,
        each.table.id,
        None if found.round is None else f"{each.table.id}/{day.isoformat()}/{found.round}",
        None if found.shoe is None else each.names.shoes[found.shoe],
        found.path,
        found.code,
        severity(found.code, found.variance_cents, each.table.severity_limits),
        found.seat,
        found.bettor,
        found.kind,
        found.hand,
        found.variance_cents,
        each.table.currency,
        f"{each.table.book.id} {found.clause}" if found.clause else None,
        found.handling,
    )


def _happened(day: date, each: SimulatedDay, day_ends_ms: int) -> dict[str, pl.DataFrame]:
    """The truth about a table's day beside what an audit has to find, by the name of its file."""
    return {
        T.CARDS: T.cards_frame(day, each.log, each.names),
        T.CLOCKS: T.clocks_frame(day, each.table.id, each.material.clocks, day_ends_ms),
        T.ROUNDS: T.rounds_frame(day, each.table.id, each.odd),
    }


def clocks_frame(day: date, each: SimulatedDay) -> pl.DataFrame:
    """Return the offset and drift of each of a table's clocks, a row each."""
    clocks = each.material.clocks
    rows = [(day, each.table.id, source, *getattr(clocks, source)[:2]) for source in T.SOURCES]
    return pl.DataFrame(rows, schema=_CLOCKS, orient="row")
