"""``python -m tests.mutation [RULEBOOK...]``: break every clause in every way, and list what nobody noticed."""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Sequence

from tests.books import IDS
from tests.mutation.bench import KILLED, Fate, baseline, fate
from tests.mutation.misspelt import keys, unnoticed
from tests.mutation.mutants import Mutant, mutants, read

PROCESSES = 2
CHUNK = 8


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 where every mutant was killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("rulebook", nargs="*", help=f"of {', '.join(IDS)}; all where none is given")
    parser.add_argument("--clause", help="only mutants of this clause, each with its killer")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.rulebook) - set(IDS)
    if unknown:
        parser.error(f"no rulebook {', '.join(sorted(unknown))}, expected some of {', '.join(IDS)}")
    killed = total = 0
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        for book in chosen.rulebook or IDS:
            started = time.monotonic()
            wanted = [mutant for mutant in mutants(book) if chosen.clause in (None, mutant.clause)]
            fates = pool.map(fate, wanted, chunksize=CHUNK)
            total += len(wanted)
            killed += _tell(book, list(zip(wanted, fates, strict=True)), chosen.clause is not None)
            if chosen.clause is None:
                survivors = unnoticed(read(book))
                known = sum(1 for _ in keys(read(book)))
                total, killed = total + known, killed + known - len(survivors)
                print(f"  {known} keys misspelt, {known - len(survivors)} noticed")
                for path in survivors:
                    print(f"  survives, misspelt: {'.'.join(path)}")
            print(f"  {time.monotonic() - started:.0f} s", flush=True)
    print(f"{total} mutants, {killed} killed, {total - killed} survive")
    return 0 if killed == total else 1


def _tell(book: str, results: Sequence[tuple[Mutant, Fate]], killers_too: bool) -> int:
    """Print what became of a rulebook's mutants; how many were killed."""
    usual = baseline(book)
    killed = sum(end.state == KILLED for _, end in results)
    print(f"{book}: {len(results)} mutants, {killed} killed, {len(results) - killed} survive")
    told = f", and {len(usual.failing)} that fail without a mutation and prove nothing" if usual.failing else ""
    print(f"  {len(usual.passing)} rounds{told}")
    for mutant, end in results:
        if end.state != KILLED:
            print(f"  survives, {end.state}: {mutant}")
        elif killers_too:
            print(f"  killed: {mutant}, by {end.killer}")
    return killed


if __name__ == "__main__":
    sys.exit(main())
