"""A simulated floor played and written as landing files, next to Polars writing the same rows as NDJSON.

The files are then read: by ingest's reader, checked and into columns, next to msgspec, whose typed objects are neither,
and next to msgspec with these objects brought into columns, still unchecked.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl
from rich.table import Table

from pipelines.ingest.read import read_file
from replay.simulator import house
from replay.simulator import landing as landing_files
from replay.simulator.simulate import FIRST_DAY, Simulation, SimulationOptions

_TABLES: Final = 20
_ROUNDS: Final = 1_000  # a table and day
_OURS: Final = "reading, checked and into columns (CPU)"
_TYPED: Final = "msgspec, the same lines as typed objects (CPU)"
_COLUMNS: Final = "msgspec, the same into columns, unchecked (CPU)"
_PLAIN: Final = "msgspec, the same lines as dictionaries (CPU)"


def measure(rounds: int, seed: int, rate: float = 0.0) -> Table:
    """Days of a floor with all rulebooks: simulated and written by us, then the same rows written by Polars."""
    days = max(1, rounds // (_TABLES * _ROUNDS))
    floor = house.toml(house.default_floor("all", _TABLES, FIRST_DAY, days, seed))
    simulation = Simulation(floor, SimulationOptions(_ROUNDS, seed, days), rate)
    playing = writing = theirs = 0.0
    reading: dict[str, float] = {}
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
                for reader, seconds in _reading(path).items():
                    reading[reader] = reading.get(reader, 0.0) + seconds
            shutil.rmtree(Path(folder) / day.isoformat())
    table = Table(title=f"a floor of {_TABLES} tables: {days * _TABLES * _ROUNDS:,} rounds, {lines:,} lines")
    table.add_column("what")
    table.add_column("result", justify="right")
    table.add_row("simulating", f"{playing:.1f} s")
    table.add_row("writing the landing files", f"{writing:.1f} s")
    table.add_row("Polars, the same rows as NDJSON", f"{theirs:.1f} s")
    table.add_row("ratio, simulation included (at most 3)", f"{(playing + writing) / theirs:.2f}")
    table.add_row("ratio, writing alone", f"{writing / theirs:.2f}")
    for reader, seconds in reading.items():
        table.add_row(reader, f"{seconds:.2f} s")
    for other in (_TYPED, _COLUMNS):
        table.add_row(f"ratio, reading to {other.partition(' (')[0]}", f"{reading[_OURS] / reading[other]:.2f}")
    return table


def _reading(path: Path) -> dict[str, float]:
    """Seconds of CPU that each reader needs for a landing file."""
    data, source, table = path.read_bytes(), path.stem, path.parent.name
    line = _line_type(source)
    typed = msgspec.json.Decoder(line)
    plain = msgspec.json.Decoder()
    readers: dict[str, Callable[[], object]] = {
        _OURS: lambda: read_file(data, path.name, source, table, {table}),
        _TYPED: lambda: typed.decode_lines(data),
        _COLUMNS: lambda: _columns(typed.decode_lines(data), line.__struct_fields__),
        _PLAIN: lambda: plain.decode_lines(data),
    }
    found = {}
    for name, read in readers.items():
        start = time.process_time()
        read()
        found[name] = time.process_time() - start
    return found


def _columns(lines: list[msgspec.Struct], names: tuple[str, ...]) -> dict[str, npt.NDArray[Any]]:
    """The fields of lines as columns: numbers, and the numbers of texts in a table of words."""
    words: dict[Any, int] = {}
    found = {}
    for name in names:
        values = [getattr(line, name) for line in lines]
        if any(isinstance(value, str | list) for value in values):
            values = [words.setdefault(str(value), len(words)) for value in values]
        found[name] = np.array([-1 if value is None else value for value in values])
    return found


def _line_type(source: str) -> type[msgspec.Struct]:
    """A type with every field that a line of the source may have."""
    fields = [(name, _kind(kind) | None, None) for name, kind in landing_files.schema(source).items()]
    return msgspec.defstruct(source, fields)


def _kind(kind: pl.DataType) -> Any:
    if isinstance(kind, pl.List):  # one value or a list of them
        return str | int | list[Any]
    if kind == pl.Boolean:
        return bool
    return str if kind == pl.String else float if kind.is_float() else int
