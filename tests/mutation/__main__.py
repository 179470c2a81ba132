"""``python -m tests.mutation [RULEBOOK...]``: break every clause in every way, and list what nobody noticed."""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Sequence

from replay.rulebook import IDS
from tests.mutation.bench import baseline, killer
from tests.mutation.mutants import Mutant, mutants

PROCESSES = 2
CHUNK = 16


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 where every mutant was killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("rulebook", nargs="*", help=f"of {', '.join(IDS)}; all where none is given")
    parser.add_argument("--clause", help="only mutants of this clause, each with its killer")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.rulebook) - set(IDS)
    if unknown:
        parser.error(f"no rulebook {', '.join(sorted(unknown))}, expected some of {', '.join(IDS)}")
    survivors = 0
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        for book in chosen.rulebook or IDS:
            wanted = [mutant for mutant in mutants(book) if chosen.clause in (None, mutant.clause)]
            started = time.monotonic()
            killers = pool.map(killer, wanted, chunksize=CHUNK)
            survivors += _tell(book, list(zip(wanted, killers, strict=True)), chosen.clause is not None)
            print(f"  {time.monotonic() - started:.0f} s", flush=True)
    return 1 if survivors else 0


def _tell(book: str, results: Sequence[tuple[Mutant, str | None]], killers_too: bool) -> int:
    passing, failing = baseline(book)
    alive = [mutant for mutant, noticed in results if noticed is None]
    print(f"{book}: {len(results)} mutants, {len(results) - len(alive)} killed, {len(alive)} survive")
    print(f"  {len(passing)} rounds" + (f", and {len(failing)} that fail as it is and prove nothing" if failing else ""))
    for mutant, noticed in results:
        if noticed is None:
            print(f"  survives  {mutant}")
        elif killers_too:
            print(f"  killed    {mutant}  by {noticed}")
    return len(alive)


if __name__ == "__main__":
    sys.exit(main())
