"""A reader who looks at a lake all the time, and must never see half a day."""

import threading
from collections.abc import Collection
from datetime import date
from pathlib import Path
from typing import Final, TypeAlias

import duckdb
import polars as pl

from tests.torture.lakes import frame
from warehouse.lake import Lake, Snapshot
from warehouse.schemas import DATASETS

PAUSE_S: Final = 0.03
# The part files of a gaming day, by dataset: their names are hashes of their content.
DayParts: TypeAlias = frozenset[tuple[str, tuple[str, ...]]]
Known: TypeAlias = dict[date, set[DayParts]]


def published(lakes: Collection[Path]) -> Known:
    """Every state in which the days of some lakes were ever published."""
    known: Known = {}
    for path in lakes:
        lake = Lake.open(path)
        for number in range(1, lake.snapshot().number + 1):
            for day, parts in _shown(lake, lake.snapshot(number)).items():
                known.setdefault(day, set()).add(parts)
    return known


def _shown(lake: Lake, snapshot: Snapshot) -> dict[date, DayParts]:
    """Parts by day and dataset, but for ``files``: it has roots of the evidence log, which names times."""
    files = {name: [Path(file) for file in lake.files(name, snapshot)] for name in DATASETS if name != "files"}
    days = {date.fromisoformat(file.parent.name[-10:]) for some in files.values() for file in some}
    return {
        day: frozenset(
            (name, tuple(file.name for file in some if file.parent.name.endswith(day.isoformat())))
            for name, some in files.items()
        )
        for day in days
    }


class Reader:
    """Looks at the newest snapshot and at the catalog from a thread of its own."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.looks = 0
        self.problems: list[str] = []
        self._lake: Path | None = None
        self._looking = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()

    def turn_to(self, lake: Path | None) -> None:
        """Look at this lake from now on, and no more at the one before."""
        with self._looking:
            self._lake = lake

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _look_on(self) -> None:
        while not self._stopped.wait(PAUSE_S):
            with self._looking:
                if self._lake is not None:
                    self.look(self._lake)

    def look(self, path: Path) -> None:
        """One look; whatever is wrong is noted."""
        try:
            if (path / "snapshots/_delta_log/00000000000000000000.json").exists():
                self.problems += [f"{path}: {problem}" for problem in self._lake_problems(Lake.open(path))]
                self.looks += 1
            if (path / "audit21.duckdb").exists():
                self.problems += [f"{path}/audit21.duckdb: {problem}" for problem in self._catalog_problems(path)]
                self.looks += 1
        except Exception as error:
            self.problems.append(f"{path}: a reader found {type(error).__name__}: {error}")

    def _lake_problems(self, lake: Lake) -> list[str]:
        snapshot = lake.snapshot()
        shown = _shown(lake, snapshot)
        problems = [f"{day} is shown but not published" for day in shown.keys() - snapshot.days.keys()]
        problems += [
            f"snapshot {snapshot.number} shows {day} as it was never published"
            for day in snapshot.days
            if shown.get(day, frozenset()) not in self.known[day]
        ]
        rounds, settlements = (lake.read(name, snapshot) for name in ("rounds", "settlements"))
        return problems + _at_odds(rounds, settlements)

    def _catalog_problems(self, path: Path) -> list[str]:
        with duckdb.connect(str(path / "audit21.duckdb"), read_only=True) as catalog:
            rounds = frame(catalog, "SELECT gaming_day, round_id, wagers FROM rounds")
            settlements = frame(catalog, "SELECT gaming_day, round_id FROM settlements")
            days = {day for (day,) in catalog.execute("SELECT DISTINCT gaming_day FROM snapshots").fetchall()}
            marts = {day for (day,) in catalog.execute("SELECT gaming_day FROM day_summary").fetchall()}
        odd = days.symmetric_difference(rounds["gaming_day"].to_list()) | days.symmetric_difference(marts)
        return [f"{day} is not in all of rounds, snapshots and marts" for day in odd] + _at_odds(rounds, settlements)


def _at_odds(rounds: pl.DataFrame, settlements: pl.DataFrame) -> list[str]:
    """Days whose settlements are not those of their rounds."""
    strange = settlements.join(rounds, on=["gaming_day", "round_id"], how="anti")
    wagers = dict(rounds.group_by("gaming_day").agg(pl.col("wagers").sum()).iter_rows())
    settled = dict(settlements.group_by("gaming_day").len().iter_rows())
    odd = [day for day in wagers.keys() | settled.keys() if wagers.get(day, 0) != settled.get(day, 0)]
    problems = [f"{day} has {settled.get(day, 0)} settlements, its rounds {wagers.get(day, 0)}" for day in odd]
    return problems + [f"{len(strange)} settlements of rounds that are not there"] * bool(len(strange))
