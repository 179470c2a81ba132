"""The floor of a campaign: its landing files, which of them come late, and what an undisturbed audit gives."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

import polars as pl

from tests.pipelines import zones
from tests.torture.forked import Command, Forked
from tests.torture.lakes import OF_THE_RUN
from warehouse.lake import Lake
from warehouse.schemas import DATASETS

_LATE: Final = 4
# Which entry brought a file depends on when it came.
_OF_THE_ORDER: Final = (*OF_THE_RUN, "log_index")
# It tells of changes to days that were signed off, which depend on when a file came.
_NOT_COMPARED: Final = frozenset({"restatements"})


@dataclass(frozen=True)
class World:
    """Common start of all cases of a campaign."""

    folder: Path
    seed: int
    landing: Path
    files: tuple[str, ...]  # landing files, by their paths
    late: frozenset[str]
    days: tuple[str, ...]
    rounds: tuple[str, ...]
    rows: dict[str, pl.DataFrame]  # of the undisturbed lake
    operations: dict[str, int]  # changes of files in each command


def made(folder: Path, seed: int, forked: Forked, rounds: int = 5, days: int = 3) -> World:
    """A floor of two tables, audited in peace."""
    landing = zones.made(
        folder / "world", tables=2, rounds=rounds, days=days, seed=seed, irregularities=0.2, parts=2, camera=True
    )
    files = tuple(sorted(str(path.relative_to(landing)) for path in landing.glob("*/*/*") if path.is_file()))
    lake, key = folder / "undisturbed", folder / "undisturbed-key" / "key.pem"
    operations = {}

    def do(name: str, *arguments: str) -> None:
        ended = forked.run(Command((*arguments,), folder, key))
        assert ended.exit_code == 0, ended
        operations[name] = forked.operations

    do("run", "run", str(landing), "--lake", str(lake), "--quiet")
    found = {name: Lake.open(lake).read(name) for name in DATASETS}
    all_rounds = tuple(sorted(found["rounds"]["round_id"]))
    table, day = all_rounds[0].split("/")[:2]
    do("run table", "run", str(landing), "--lake", str(lake), "--table", table, "--quiet")
    do("dispute", "dispute", all_rounds[0], "--lake", str(lake), "--out", str(folder / "undisturbed-out"))
    do("hold", "hold", all_rounds[-1], "--lake", str(lake), "--by", "J. Doe", "--why", "case 1")
    do("signoff", "signoff", day, "--lake", str(lake), "--by", "A. Auditor")
    do("repair", "repair", str(lake))
    operations["retain"] = 10 * len(files)
    late = frozenset(Random(seed).sample(files, _LATE))
    names = tuple(sorted({path[:10] for path in files}))
    return World(folder, seed, landing, files, late, names, all_rounds, found, operations)


def row_problems(lake: Path, expected: dict[str, pl.DataFrame]) -> Iterator[str]:
    """Yield the datasets of the newest snapshot whose rows differ from the undisturbed lake's."""
    shown = Lake.open(lake)
    for name in DATASETS:
        if name in _NOT_COMPARED:
            continue
        found, wanted = (rows.drop(_OF_THE_ORDER, strict=False) for rows in (shown.read(name), expected[name]))
        if not found.equals(wanted):
            extra = found.join(wanted, on=found.columns, how="anti", nulls_equal=True) if len(found) else found
            yield f"{name}: {len(found)} rows, expected {len(wanted)}; not expected: {extra.head(2).to_dicts()}"
