"""A lake opened for reading, for scripts and notebooks: ``warehouse.open``."""

from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from pathlib import Path

import polars as pl

from replay import narrative
from replay.narrative.printed import OddEvidence
from replay.narrative.told import Narration
from warehouse import rounds
from warehouse.lake import Lake, LakeError, Snapshot
from warehouse.schemas import DATASETS


class OpenedLake:
    """One snapshot of a lake: what is published meanwhile changes nothing here.

    Every dataset is a method that returns a lazy frame: ``lake.findings(day="2026-01-05", table="P21-04")``.
    """

    def __init__(self, lake: Lake, snapshot: Snapshot) -> None:
        self.lake = lake
        self.snapshot = snapshot

    @property
    def days(self) -> list[date]:
        """Gaming days that are published, in order."""
        return list(self.snapshot.days)

    def scan(self, dataset: str, day: date | str | None = None, table: str | None = None) -> pl.LazyFrame:
        """Return the rows of a dataset, of one gaming day and of one table where they are given."""
        days = None if day is None else [self._published(day)]
        return self.lake.scan(dataset, self.snapshot, days, None if table is None else [table])

    def round(self, round_id: str) -> "LakeRound":
        """Return a round by its id, such as ``P21-04/2026-01-05/17``; raises ``RoundError`` where there is none."""
        return LakeRound(rounds.find(self.lake.path, round_id, snapshot=self.snapshot))

    def __getattr__(self, name: str) -> Callable[..., pl.LazyFrame]:
        if name in DATASETS:
            return partial(self.scan, name)
        raise AttributeError(f"no dataset {name}; there are {', '.join(DATASETS)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *DATASETS]

    def __repr__(self) -> str:
        days = f"{self.days[0]} to {self.days[-1]}" if self.days else "nothing published yet"
        return f"<lake {self.lake.path}, snapshot {self.snapshot.number}, {days}>"

    def _published(self, day: date | str) -> date:
        wanted = day if isinstance(day, date) else date.fromisoformat(day)
        if wanted not in self.snapshot.days:
            raise LakeError(
                f"{self.lake.path}: {wanted} is not in the lake; there are {self.days[0]} to {self.days[-1]}"
            )
        return wanted


class LakeRound:
    """One round of a lake."""

    def __init__(self, place: rounds.Place) -> None:
        self.place = place

    def rows(self, dataset: str) -> pl.DataFrame:
        """Return the round's rows of a dataset."""
        return self.place.of_round(dataset)

    def explain(self) -> Narration:
        """Judge the round again from its stored lines, and tell it: text in a terminal, HTML in a notebook."""
        judged = rounds.retell(self.place).audit
        odd = [OddEvidence(*row) for row in _about_evidence(self.rows("findings")).rows()]
        account = narrative.account(judged, self.place.name)
        return Narration(judged, [account], rounds.considered(self.place), odd)

    def __repr__(self) -> str:
        return f"<round {self.place.round_id}>"

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


def open_lake(path: Path | str, as_of: datetime | None = None) -> OpenedLake:
    """Open a lake at its newest snapshot, or as it was published at a time."""
    lake = Lake.open(path)
    return OpenedLake(lake, lake.snapshot(as_of=as_of))


def _about_evidence(findings: pl.DataFrame) -> pl.DataFrame:
    """Select findings about the round's evidence; that it has several explanations is told with them."""
    is_told = pl.col("code").str.starts_with("evidence.") & (pl.col("code") != "evidence.ambiguous")
    return findings.filter(is_told).select("code", "severity", "message")
