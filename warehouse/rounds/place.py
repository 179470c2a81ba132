"""The place of a round: its table, its gaming day, and the snapshot that published the day."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from replay import floor
from replay.library import PACKAGE, Library
from warehouse.folders import raw
from warehouse.lake import Lake, LakeError, Snapshot
from warehouse.lake.snapshots import DayState


class RoundError(ValueError):
    """A round that cannot be told; says which and why."""


@dataclass(frozen=True)
class Place:
    """A round of a lake, and the newest publication of its day by a time."""

    lake: Lake
    snapshot: Snapshot  # that of the publication: later ones of other days change nothing here
    table: str
    day: date
    name: str

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

    def rows(
        self, dataset: str, keep: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda frame: frame, table: str | None = None
    ) -> pl.DataFrame:
        """Rows of the day and table; ``LakeError`` where a part cannot be read."""
        try:
            frame = self.lake.scan(dataset, self.snapshot, [self.day], [self.table if table is None else table])
            return keep(frame).collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            place = self.lake.path / dataset
            raise LakeError(f"{place}: a part of {self.day} is damaged; run audit21 verify ({error})") from None

    def of_round(self, dataset: str) -> pl.DataFrame:
        """Rows of the round."""
        return self.rows(dataset, lambda frame: frame.filter(pl.col("round_id") == self.round_id))

    @cached_property
    def round(self) -> dict[str, Any]:
        """The round's own row."""
        return self.of_round("rounds").row(0, named=True)

    def require(self) -> None:
        """Refuse a round that is not there."""
        if self.of_round("rounds").is_empty():
            names = self.rows("rounds", lambda frame: frame.select("round"))["round"]
            there = f"there are {names[0]} to {names[-1]}" if len(names) else "there are none"
            raise RoundError(f"{self.lake.path}: {self.table} has no round {self.name} on {self.day}; {there}")

    def raw(self, sha256: str) -> Path:
        """Return the path of bytes in custody."""
        return raw(self.lake.path, sha256)

    @cached_property
    def floor(self) -> floor.Floor:
        """The floor.toml by which the round was judged, with the rulebooks that it was judged by."""
        return floor.read(self.raw(self.round["floor_sha256"]), self.books)

    @property
    def books(self) -> Library:
        """The rulebooks that were in custody when the day was published."""
        kept = self.rows("files", lambda frame: frame.filter(pl.col("source") == "rulebook"), "")
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
    table, day, name = parts(round_id)
    lake = Lake.open(path)
    known = snapshot or lake.snapshot(as_of=as_of)
    if day not in known.days:
        days = [each.isoformat() for each in known.days]
        raise RoundError(f"{lake.path}: {day} is not in the lake; there are {days[0]} to {days[-1]}")
    snapshot = lake.snapshot(known.days[day].snapshot)
    place = Place(lake, snapshot, table, day, name)
    place.require()
    return place
