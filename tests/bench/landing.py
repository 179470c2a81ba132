"""Landing files of many table-days, next to what Polars needs to write the same rows as NDJSON."""

import shutil
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Final
from zoneinfo import ZoneInfo

import numpy as np
from rich.table import Table

from replay.simulator import landing
from replay.simulator.clocks import Clock, Clocks
from replay.simulator.log import Log, Names, empty
from replay.tape import Tape, encode
from tests import generator

DAY: Final = date(2026, 11, 16)
NOON_MS: Final = 1_794_801_600_000  # of that day, in Singapore
_GAP_MS: Final = 1500


def played(book: str, rounds: int, seed: int) -> tuple[Log, Names]:
    """Settled rounds of one table as a log; where the cards lay is not known."""
    rng = Random(seed)
    setup = generator.plain_setup(book)
    events = generator.settle_all(setup, list(generator.rounds(setup, rng, rounds, stacked=False)), rng)
    encoded = encode(event for round_ in events for event in round_)
    log = empty(len(encoded.tape.op))
    for name in Tape._fields:
        getattr(log, name)[:] = getattr(encoded.tape, name)
    log.round[:] = np.repeat(np.arange(1, rounds + 1), np.diff(encoded.offsets))
    log.ms[:] = NOON_MS + _GAP_MS * np.arange(len(log.ms))
    names = Names("P21-04", encoded.patrons, encoded.shoes, encoded.sets, encoded.dealers, [(0, "B. Lee")])
    return log, names


def clocks() -> Clocks:
    return Clocks(ZoneInfo("Asia/Singapore"), NOON_MS, Clock(1200, 30.0), Clock(-3000, -20.0))


def measure(book: str, rounds: int, seed: int, each: int = 1000) -> Table:
    """Table-days of some rounds each, written by us and by Polars in turn."""
    log, names = played(book, each, seed)
    frames = {
        source: landing.frame(landing.source_lines(log, names, clocks(), source), source) for source in landing.SOURCES
    }
    days = max(1, rounds // each)
    lines = sum(len(frame) for frame in frames.values()) * days
    ours = theirs = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for n in range(days):
            start = time.perf_counter()
            landing.write(Path(folder) / "ours", DAY + timedelta(n), log, names, clocks())
            ours += time.perf_counter() - start
            start = time.perf_counter()
            for source, frame in frames.items():
                frame.write_ndjson(Path(folder) / f"{source}.ndjson")
            theirs += time.perf_counter() - start
            shutil.rmtree(Path(folder) / "ours")
    table = Table(title=f"{book}: landing files of {days * each:,} rounds, {lines:,} lines")
    table.add_column("what")
    table.add_column("result", justify="right")
    table.add_row("landing files", f"{ours:.2f} s")
    table.add_row("Polars, the same rows as NDJSON", f"{theirs:.2f} s")
    table.add_row("ratio (at most 3)", f"{ours / theirs:.2f}")
    table.add_row("lines per second", f"{lines / ours:,.0f}")
    return table
