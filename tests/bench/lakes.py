"""A lake of many rounds for several benchmarks: one that is given, or a floor that is simulated and audited."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

from replay.simulator import house
from replay.simulator.simulate import FIRST_DAY

COMMAND: Final = (sys.executable, "-c", "from pipelines.cli import main; main()")
_TABLES: Final = 100
_ROUNDS: Final = 1_000  # a table and day
_IRREGULARITIES: Final = 0.01  # of the rounds: a thousand findings a day
_BLOCK: Final = 10  # days in a landing zone, which is gone before the next: the disk need not hold it all twice


@contextmanager
def lake(rounds: int, seed: int, given: Path | None) -> Iterator[Path]:
    """The lake that was given, or one of as many rounds in days of a hundred tables, thrown away afterwards."""
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="audit21-bench-") as name:
        make(Path(name), max(1, rounds // (_TABLES * _ROUNDS)), seed)
        yield Path(name) / "lake"


def make(folder: Path, days: int, seed: int) -> None:
    """A lake of so many days in ``folder/lake``."""
    floor = house.toml(house.default_floor("all", _TABLES, FIRST_DAY, days, seed))
    (folder / "floor.toml").write_text(floor, encoding="utf-8")
    environment = {**os.environ, "AUDIT21_KEY": str(folder / "key.pem")}
    played = {"floor": "floor.toml", "rounds": _ROUNDS, "irregularities": _IRREGULARITIES, "seed": seed}
    for first in range(0, days, _BLOCK):
        block = {"from": FIRST_DAY + timedelta(days=first), "days": min(_BLOCK, days - first)}
        options = [f"--{name}={value}" for name, value in {**played, **block}.items()]
        for command in (["simulate", "zone", *options], ["run", "zone", "--lake", "lake", "--quiet"]):
            subprocess.run([*COMMAND, *command], check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
        shutil.rmtree(folder / "zone")
