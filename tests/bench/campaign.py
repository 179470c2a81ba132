"""A campaign against the audit: rounds of two generators under hostile clocks, compared with the truth.

Zones come from our simulator and from the adversary, which shares no code with the audit. Each zone has five tables,
one for each rulebook; its seed is the campaign's seed plus its number. Every example names the command that makes it.
"""

import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, cycle, islice
from multiprocessing import get_context
from typing import Any, Final, NamedTuple

import polars as pl
from rich.console import Console, RenderableType

from tests.bench import campaign_tables as tables
from tests.bench.campaign_compare import EXAMPLES, Compared, compare_zone
from tests.bench.campaign_planted import compare_planted
from tests.bench.campaign_zones import TABLES, ZoneOrder

PARTS: Final = ("clean", "misdeals", "camera", "calibration", "planted", "usual")
_PROCESSES: Final = 2
_WIDTH: Final = 200  # characters of the tables in a file
_ROUNDS: Final = 300  # at each table of a zone
_SETTINGS: Final = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


class Scenario(NamedTuple):
    """Options of one kind of zone."""

    generator: str
    options: tuple[str, ...]


def _scenarios(generator: str, *options: str) -> list[Scenario]:
    """List kinds of zones, each from options that stand in one text."""
    return [Scenario(generator, tuple(text.split())) for text in options]


_CLEAN: Final = [
    each
    for pair in zip(
        _scenarios(
            "simulator",
            "--clocks=hostile --pace=mixed",
            "--clocks=hostile --pace=dense --late-keying",
            "--clocks=hostile --pace=sparse",
            "--clocks=hostile --pace=mixed --late-keying --outage=shoe:60:1",
            "--clocks=hostile",
            "--clocks=hostile --pace=mixed --outage=terminal:30:1",
        ),
        _scenarios(
            "adversary",
            "--clocks=hostile",
            "--clocks=hostile --late-keying",
            "--clocks=jitter --late-keying",
            "--clocks=hostile --outage=shoe:60:1",
            "--clocks=step",
            "--clocks=hostile --late-keying --outage=terminal:30:1 --outage=shoe:20:1 --outage-off",
        ),
        strict=True,
    )
    for each in pair
]
_MISDEALS: Final = _scenarios("simulator", "--clocks=mild --misdeals=unlogged:0.1") + _scenarios(
    "adversary", "--clocks=mild --misdeals=0.1"
)
_CALIBRATION: Final = _scenarios(
    "simulator",
    "--clocks=hostile --pace=mixed --irregularities=0.02 --misdeals=unlogged:0.01",
    "--clocks=hostile --irregularities=0.02 --misdeals=unlogged:0.01",
) + _scenarios("adversary", "--clocks=hostile --irregular=0.02 --misdeals=0.01")


class Part(NamedTuple):
    """A part of the campaign: kinds of zones in turn, and its share of the campaign's rounds."""

    scenarios: Sequence[Scenario]
    share: float


_PARTS: Final = {
    "clean": Part(_CLEAN, 1.0),
    "misdeals": Part(_MISDEALS, 0.3),
    "camera": Part([each._replace(options=(*each.options, "--camera")) for each in _MISDEALS], 0.3),
    "calibration": Part(_CALIBRATION, 0.15),
    "planted": Part(_scenarios("simulator", "--irregularities=0.05"), 0.1),
    "usual": Part(_scenarios("simulator", ""), 0.05),
}


def orders(part: str, rounds: int, seed: int) -> list[ZoneOrder]:
    """List the zones of a part for so many clean rounds in the whole campaign, all kinds at least once."""
    scenarios, share = _PARTS[part]
    count = max(len(scenarios), round(rounds * share / (_ROUNDS * TABLES)))
    kinds = islice(cycle(scenarios), count)
    return [ZoneOrder(each.generator, _ROUNDS, seed + n, each.options) for n, each in enumerate(kinds)]


def run(rounds: int, seed: int, only: Sequence[str], examples: int) -> Iterator[RenderableType]:
    """Run the parts, and yield what each shows when it is done."""
    done: dict[str, Compared] = {}
    with _pool() as pool:
        for part in only:
            wanted = orders(part, rounds, seed)
            seeds = f"seeds {seed} to {seed + len(wanted) - 1}"
            yield f"{part}: {len(wanted):,} zones of {TABLES} tables and {_ROUNDS} rounds each, {seeds}"
            if part == "planted":
                rows = pl.concat(pool.map(compare_planted, wanted))
                yield tables.planted(rows, "planted irregularities (simulator, usual clocks)")
                yield "\n".join(tables.planted_examples(rows, examples))
                continue
            done[part] = Compared.together(list(pool.map(_compared, wanted)))
            yield from _shown(part, done[part])
            yield "\n".join(tables.examples(done[part], examples))
    if done:
        yield tables.cost(done)


def _pool() -> ProcessPoolExecutor:
    """Start processes of one thread each."""
    os.environ.update(_SETTINGS)
    return ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn"))


def _compared(order: ZoneOrder) -> Compared:
    """Compare a zone; one that cannot be audited is an example of that."""
    try:
        return compare_zone(order)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        detail = f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"
        row = {"failure": "zone not audited", "command": order.command(), "table": "", "where": "", "detail": detail}
        none = pl.DataFrame()
        return Compared(none, none, none, none, pl.DataFrame([{**row, "stories": []}], schema=EXAMPLES), none)


def _shown(part: str, compared: Compared) -> Iterator[RenderableType]:
    """Yield the tables of a part."""
    show: dict[str, Callable[[], Any]] = {
        "clean": lambda: chain(
            tables.clean(compared, "clean rounds under hostile, stepping and late clocks"),
            [tables.clocks(compared, "clocks of shoes, against the terminal's")],
        ),
        "misdeals": lambda: [tables.misdeals(compared, "unlogged misdeals without a camera")],
        "camera": lambda: [tables.misdeals(compared, "unlogged misdeals with a camera")],
        "calibration": lambda: tables.calibration(compared, "2 % irregular and 1 % misdealt rounds, hostile clocks"),
        "usual": lambda: tables.clean(compared, "clean rounds of the usual floor"),
    }
    yield from show[part]()


def show(console: Console, rounds: int, seed: int, only: Sequence[str], examples: int) -> None:
    """Run the campaign and print it."""
    console = Console(width=_WIDTH) if not console.is_terminal else console
    for each in run(rounds, seed, only, examples):
        console.print(each, highlight=False, markup=False, soft_wrap=isinstance(each, str))
