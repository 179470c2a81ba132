"""A lake of many rounds for several benchmarks: one that is given, or a floor that is simulated and audited."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

COMMAND: Final = (sys.executable, "-c", "from pipelines.cli import main; main()")
_TABLES: Final = 100
_ROUNDS: Final = 1_000  # a table and day
_IRREGULARITIES: Final = 0.01  # of the rounds: a thousand findings a day


@contextmanager
def lake(rounds: int, seed: int, given: Path | None) -> Iterator[Path]:
    """The lake that was given, or one of as many rounds in days of a hundred tables, thrown away afterwards."""
    if given is not None:
        yield given
        return
    days = max(1, rounds // (_TABLES * _ROUNDS))
    with tempfile.TemporaryDirectory(prefix="audit21-bench-") as name:
        folder = Path(name)
        played = {"tables": _TABLES, "rounds": _ROUNDS, "days": days, "irregularities": _IRREGULARITIES, "seed": seed}
        options = [f"--{name}={value}" for name, value in played.items()]
        environment = {**os.environ, "AUDIT21_KEY": str(folder / "key.pem")}
        for command in (["simulate", "zone", *options], ["run", "zone", "--lake", "lake", "--quiet"]):
            subprocess.run([*COMMAND, *command], check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
        yield folder / "lake"
