"""A simulated floor played and written as landing files, next to Polars writing the same rows as NDJSON."""

import os
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Final

import polars as pl
from rich.table import Table

from replay.simulator import house
from replay.simulator.simulate import FIRST_DAY, Simulation, Wanted

_TABLES: Final = 20
_ROUNDS: Final = 1_000  # a table and day


def measure(rounds: int, seed: int, rate: float = 0.0) -> Table:
    """Days of a floor with all rulebooks: simulated and written by us, then the same rows written by Polars."""
    days = max(1, rounds // (_TABLES * _ROUNDS))
    floor = house.toml(house.default_floor("all", _TABLES, FIRST_DAY, days, seed))
    simulation = Simulation(floor, Wanted(_ROUNDS, seed, days), rate)
    playing = writing = theirs = 0.0
    lines = 0
    with tempfile.TemporaryDirectory() as folder:
        for day in simulation.days():
            start = time.perf_counter()
            played = simulation.play(day)
            playing += time.perf_counter() - start
            start = time.perf_counter()
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                files = list(pool.map(lambda each: each.material.write(Path(folder)), played))
            writing += time.perf_counter() - start
            for path in chain.from_iterable(files):
                frame = pl.read_ndjson(path, infer_schema_length=None)
                lines += len(frame)
                start = time.perf_counter()
                frame.write_ndjson(Path(folder) / "same.ndjson")
                theirs += time.perf_counter() - start
            shutil.rmtree(Path(folder) / day.isoformat())
    table = Table(title=f"a floor of {_TABLES} tables: {days * _TABLES * _ROUNDS:,} rounds, {lines:,} lines")
    table.add_column("what")
    table.add_column("result", justify="right")
    table.add_row("simulating", f"{playing:.1f} s")
    table.add_row("writing the landing files", f"{writing:.1f} s")
    table.add_row("Polars, the same rows as NDJSON", f"{theirs:.1f} s")
    table.add_row("ratio, simulation included (at most 3)", f"{(playing + writing) / theirs:.2f}")
    table.add_row("ratio, writing alone", f"{writing / theirs:.2f}")
    return table
