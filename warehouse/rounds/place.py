"""The place of a round: its table, its gaming day, and the snapshot that published the day."""

import hashlib
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from replay import floor
from replay.library import PACKAGE, Library
from warehouse.folders import raw
from warehouse.lake import Lake, Snapshot
from warehouse.lake.snapshots import DayState
from warehouse.rounds.published_table import OpenDay, PublishedTable, open_day


class RoundError(ValueError):
    """A round that cannot be told; says which and why."""


@dataclass(frozen=True)
class Place:
    """A round of a lake, in one publication of its day."""

    published_table: PublishedTable
    name: str

    @property
    def lake(self) -> Lake:
        """The lake that it is in."""
        return self.published_table.lake

    @property
    def snapshot(self) -> Snapshot:
        """The publication of the day."""
        return self.published_table.snapshot

    @property
    def table(self) -> str:
        """The table's id."""
        return self.published_table.table

    @property
    def day(self) -> date:
        """The gaming day."""
        return self.published_table.day

    @property
    def round_id(self) -> str:
        return f"{self.table}/{self.day.isoformat()}/{self.name}"

    @property
    def still_id(self) -> str:
        """The name under which a still of the whole round is kept, beside those of findings."""
        return hashlib.sha256(f"round {self.round_id}".encode()).hexdigest()[:32]

    @property
    def state(self) -> DayState:
        """The publication of the day."""
        return self.snapshot.days[self.day]

    def rows(self, dataset: str, table: str | None = None) -> pl.DataFrame:
        """Rows of the day and table, or of another table of the day; ``LakeError`` where a part cannot be read."""
        return self.published_table.rows(dataset, table)

    def of_round(self, dataset: str) -> pl.DataFrame:
        """Rows of the round."""
        return self.rows(dataset).filter(pl.col("round_id") == self.round_id)

    @cached_property
    def round(self) -> dict[str, Any]:
        """The round's own row."""
        return self.of_round("rounds").row(0, named=True)

    def require(self) -> None:
        """Refuse a round that is not there."""
        if self.of_round("rounds").is_empty():
            names = self.rows("rounds")["round"]
            there = f"there are {names[0]} to {names[-1]}" if len(names) else "there are none"
            raise RoundError(f"{self.lake.path}: {self.table} has no round {self.name} on {self.day}; {there}")

    def raw(self, sha256: str) -> Path:
        """Return the path of bytes in custody."""
        return raw(self.lake.path, sha256)

    @cached_property
    def floor(self) -> floor.Floor:
        """The floor.toml by which the round was judged, with the rulebooks that it was judged by."""
        sha256: str = self.round["floor_sha256"]
        return self.published_table.once(f"floor {sha256}", lambda: floor.read(self.raw(sha256), self.books))

    @property
    def books(self) -> Library:
        """The rulebooks that were in custody when the day was published."""
        kept = self.rows("files", "").filter(pl.col("source") == "rulebook")
        return Library(tuple(map(self.raw, kept["sha256"]))) if len(kept) else PACKAGE


def parts(round_id: str) -> tuple[str, date, str]:
    """Table, gaming day and name of a round."""
    table_id, _, rest = round_id.partition("/")
    day, _, name = rest.partition("/")
    try:
        if table_id and name:
            return table_id, date.fromisoformat(day), name
    except ValueError:
        pass
    raise RoundError(f"{round_id}: no round; expected <table>/<gaming_day>/<round>, such as P21-04/2026-01-05/17")


def find(path: Path, round_id: str, as_of: datetime | None = None, snapshot: Snapshot | None = None) -> Place:
    """A round by its id, as it is published, or as it was at a time or in a snapshot."""
    lake = Lake.open(path)
    return find_in(lake, snapshot or lake.snapshot(as_of=as_of), round_id)


def find_in(lake: Lake, known: Snapshot, round_id: str, opened: OpenDay = open_day) -> Place:
    """A round by its id, as a snapshot has it; ``opened`` may give a day that was opened before."""
    table, day, name = parts(round_id)
    if day not in known.days:
        days = [each.isoformat() for each in known.days]
        raise RoundError(f"{lake.path}: {day} is not in the lake; there are {days[0]} to {days[-1]}")
    place = Place(opened(lake, known.days[day].snapshot, table, day), name)
    place.require()
    return place
