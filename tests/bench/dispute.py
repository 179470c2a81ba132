"""From a round's id to its bundle by ``audit21 dispute``, in a process of its own, over a lake of many rounds."""

import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

from rich.table import Table

from tests.bench.lakes import COMMAND
from warehouse.lake import Lake

_MOST_S: Final = 3.0


def measure(path: Path, runs: int = 3) -> Table:
    """The time of packets of rounds early and late in a day."""
    with tempfile.TemporaryDirectory(prefix="audit21-packets-") as out:
        lake = Lake.open(path)
        listed = lake.scan("rounds").select("round_id", "table", "gaming_day").collect()
        busiest = listed.group_by("table", "gaming_day").len().sort("len", "table", descending=[True, False])
        of_table = listed.join(busiest.head(1), on=["table", "gaming_day"])["round_id"]
        places = {"its first": of_table[0], "in its middle": of_table[len(of_table) // 2], "its last": of_table[-1]}
        table = Table(title=f"audit21 dispute: a lake of {len(listed):,} rounds on {len(lake.snapshot().days)} days")
        table.add_column("round of the busiest table and day")
        table.add_column(f"cold start to bundle (at most {_MOST_S:.0f} s)", justify="right")
        table.add_column("processor time", justify="right")
        for name, round_id in places.items():
            clock, processor = min(_seconds(path, round_id, out) for _ in range(runs))
            table.add_row(f"{name}, {round_id}", f"{clock:.2f} s", f"{processor:.2f} s")
    return table


def _seconds(lake: Path, round_id: str, out: str) -> tuple[float, float]:
    """By the clock, and of the processors: on a busy machine the first says little."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [*COMMAND, "dispute", round_id, "--lake", str(lake), "--out", out, "--no-hold"]
    subprocess.run(command, check=True, capture_output=True)
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
