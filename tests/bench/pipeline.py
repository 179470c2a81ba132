"""From NDJSON to the lake by ``audit21 run``, next to Polars parsing the same files and writing them as Parquet."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl
from rich.table import Table

from replay.simulator import house, landing, zone
from replay.simulator.simulate import FIRST_DAY, Simulation, SimulationOptions

_TABLES: Final = 100
_ROUNDS: Final = 1_000  # a table and day


class Run(NamedTuple):
    """One landing zone, audited and parsed."""

    rounds: int
    bytes: int
    ours_s: float
    theirs_s: float
    peak_bytes: int
    lake_bytes: int


def measure(sizes: Sequence[int], seed: int) -> Table:
    """Floors of as many rounds as wanted, in days of a hundred tables."""
    runs = [_run(max(1, size // (_TABLES * _ROUNDS)), seed) for size in sizes]
    table = Table(title=f"audit21 run: days of {_TABLES} tables and {_TABLES * _ROUNDS:,} rounds, all rulebooks")
    table.add_column("what")
    for run in runs:
        table.add_column(f"{run.rounds:,} rounds", justify="right")
    table.add_row("landing files", *(f"{run.bytes / 1e9:.2f} GB" for run in runs))
    table.add_row("the lake, raw files included", *(f"{run.lake_bytes / 1e9:.2f} GB" for run in runs))
    table.add_row("from NDJSON to the lake", *(f"{run.ours_s:.1f} s" for run in runs))
    table.add_row("Polars: parse, write as zstd Parquet", *(f"{run.theirs_s:.1f} s" for run in runs))
    table.add_row("ratio (at most 3)", *(f"{run.ours_s / run.theirs_s:.2f}" for run in runs))
    table.add_row("rounds a second", *(f"{run.rounds / run.ours_s:,.0f}" for run in runs))
    table.add_row("peak of memory, all processes", *(f"{run.peak_bytes / 1e9:.2f} GB" for run in runs))
    if len(runs) > 1:
        first, last = runs[0], runs[-1]
        grown = (last.ours_s / first.ours_s) / (last.rounds / first.rounds)
        table.add_row("peak against the first (at most 1.5)", "", f"{last.peak_bytes / first.peak_bytes:.2f}")
        table.add_row("time per round against the first", "", f"{grown:.2f}")
    return table


def _run(days: int, seed: int) -> Run:
    with tempfile.TemporaryDirectory(prefix="audit21-bench-") as name:
        folder = Path(name)
        floor = house.toml(house.default_floor("all", _TABLES, FIRST_DAY, days, seed))
        zone.write(folder / "zone", _made(folder, floor, days, seed), {})
        os.sync()  # or the disk would still be busy with the landing zone
        theirs = _parse(folder)
        before = time.perf_counter()
        command = [str(Path(sys.executable).with_name("audit21")), "run", str(folder / "zone"), "--quiet"]
        environment = {**os.environ, "AUDIT21_KEY": str(folder / "key.pem")}
        process = subprocess.Popen([*command, "--lake", str(folder / "lake")], env=environment)
        peak = 0
        while process.poll() is None:
            peak = max(peak, _resident(process.pid))
            time.sleep(0.1)
        ours = time.perf_counter() - before
        if process.returncode:
            raise RuntimeError(f"audit21 run ended with {process.returncode}")
        sizes = (_bytes(folder / "zone"), _bytes(folder / "lake"))
        return Run(days * _TABLES * _ROUNDS, sizes[0], ours, theirs, peak, sizes[1])


def _resident(pid: int) -> int:
    """Bytes that a process and those that it started hold; what they share counts for each."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        tasks = Path(f"/proc/{pid}/task").iterdir()
        children = [child for task in tasks for child in (task / "children").read_text().split()]
    except (OSError, IndexError):  # gone meanwhile
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(_resident(int(child)) for child in children)


def _made(folder: Path, floor: str, days: int, seed: int) -> Simulation:
    (folder / "zone").mkdir()
    return Simulation(floor, SimulationOptions(_ROUNDS, seed, days))


def _parse(folder: Path) -> float:
    """Seconds in which Polars makes columns of ``events`` of the same files, with all its threads.

    Those that have to be worked out (corrected time, round of a draw, hashes) are left out.
    """
    seconds = 0.0
    for day in sorted((folder / "zone").glob("2*")):
        for source in landing.SOURCES:
            files = sorted(day.glob(f"*/{source}.ndjson"))
            schema = {name: _lenient(kind) for name, kind in landing.schema(source).items()}
            start = time.perf_counter()
            lines = pl.scan_ndjson(files, schema=schema, include_file_paths="path").with_columns(
                pl.col("ts").str.to_datetime("%Y-%m-%dT%H:%M:%S%.3f%:z", time_unit="ms", time_zone="UTC"),
                line=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("path"),
                source=pl.lit(source),
            )
            lines.collect().write_parquet(folder / "same.parquet", compression="zstd")
            seconds += time.perf_counter() - start
    return seconds


def _lenient(kind: pl.DataType) -> pl.DataType:
    """Return the type for Polars to read: text for a field that is one value or a list."""
    return pl.String() if isinstance(kind, pl.List) else kind


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
