"""``python -m tests.torture kills fuzz full campaign tampering``: kill runs, damage landing zones, fill disks.

``campaign`` does all at once; ``tampering`` counts the ways to tamper with a lake and a bundle, and who finds them.

A problem of the campaign names its case: ``--seed S --only-case N`` repeats it.
"""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tests.torture import campaign, full, fuzz, kills, tampering
from tests.torture.tally import Tally
from tests.torture.tampering import TamperingTally

TIMES = {"kills": 200, "fuzz": 300, "full": 12, "campaign": 1000, "tampering": 1}
_WORK: dict[
    str, Callable[[Path, int, int, Progress], kills.Tally | fuzz.Tally | full.Tally | Tally | TamperingTally]
] = {
    "kills": kills.torture,
    "fuzz": fuzz.torture,
    "full": full.torture,
    "campaign": campaign.torture,
    "tampering": tampering.torture,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 where nothing went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("what", nargs="*", help=f"of {', '.join(TIMES)}; all where none is given")
    parser.add_argument("--times", type=int, help=f"how often, instead of {TIMES}")
    parser.add_argument("--seed", type=int, default=1, help="where to begin; a failure names its own")
    parser.add_argument("--only-case", type=int, metavar="N", help="repeat one case of the campaign with this seed")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.what) - set(TIMES):
        parser.error(f"nothing is called {', '.join(sorted(unknown))}, expected some of {', '.join(TIMES)}")
    if chosen.only_case is not None:
        _WORK["campaign"] = partial(campaign.torture, only=chosen.only_case)
        chosen.what = ["campaign"]
    results = [_do(what, chosen.times or TIMES[what], chosen.seed) for what in chosen.what or TIMES]
    return 0 if all(results) else 1


def _do(what: str, times: int, seed: int) -> bool:
    out = Console(stderr=True)
    folder = Path(tempfile.mkdtemp(prefix=f"audit21-{what}-"))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    began = time.monotonic()
    with Progress(*columns, TimeRemainingColumn(), console=out) as progress:
        tally = _WORK[what](folder, times, seed, progress)
    for problem in tally.problems[:20]:
        print(f"  {problem}")
    print(f"{what}: {tally} ({time.monotonic() - began:.0f} s)", flush=True)
    if tally.problems:
        print(f"  what there was is kept in {folder}")
    else:
        shutil.rmtree(folder)
    return not tally.problems


if __name__ == "__main__":
    sys.exit(main())
