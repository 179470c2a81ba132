"""Faults at random moments of simulated days, drawn from a seed; each case can be repeated alone."""

import os
import tempfile
from itertools import count
from pathlib import Path

from rich.progress import Progress

from tests.torture import world
from tests.torture.case import ACTS, Case
from tests.torture.forked import Forked
from tests.torture.full import disk
from tests.torture.tally import Tally
from tests.torture.worker import Hung


def torture(folder: Path, times: int, seed: int, progress: Progress, only: int | None = None) -> Tally:
    """Case after case until there were so many faults; or one case alone."""
    task = progress.add_task("undisturbed", total=times)
    key, tally = os.environ.get("AUDIT21_KEY"), Tally(has_small_disk=_has_small_disk(folder))
    try:
        with Forked(folder) as forked:
            floor = world.made(folder, seed, forked)
            progress.update(task, description="faults")
            told_of = 0
            for number in count() if only is None else (only,):
                if tally.faults >= times or len(tally.problems) >= 20:
                    break
                Case(floor, number, forked, tally, ACTS).play()
                progress.update(task, completed=min(tally.faults, times))
                if not progress.console.is_terminal:  # a log shows no bar
                    told = f"case {number}: {tally.faults} faults, {len(tally.problems)} problems"
                    progress.console.print(told, soft_wrap=True)
                    for problem in tally.problems[told_of:]:
                        progress.console.print(f"  {problem:.1500}", soft_wrap=True, markup=False)
                    told_of = len(tally.problems)
    except Hung as error:
        tally.problems.append(str(error))
    finally:
        os.environ.pop("AUDIT21_KEY", None)
        if key is not None:
            os.environ["AUDIT21_KEY"] = key
    return tally


def _has_small_disk(folder: Path) -> bool:
    try:
        with disk(Path(tempfile.mkdtemp(dir=folder)) / "disk", 1 << 20):
            return True
    except PermissionError:
        return False
