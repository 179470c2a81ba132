"""The work of auditing one table's gaming day: what it is audited from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pipelines.custody.floors import parsed
from pipelines.custody.store import Record
from replay.carry import Carry
from replay.floor import Floor, Table
from replay.library import Library


@dataclass(frozen=True)
class Job:
    """A table's day to be audited."""

    day: date
    table_id: str
    records: Sequence[Record]  # in the order of paths
    chains: Sequence[str]  # by record: the evidence log's root with the entry that brought it
    floor_path: Path  # of floor.toml, beside all other bytes in custody
    books: Library
    before: Carry
    engine_version: str

    @property
    def floor(self) -> Floor:
        """The floor.toml in force."""
        return parsed(self.floor_path, self.books)

    @property
    def lake(self) -> Path:
        """The lake that has the bytes in custody."""
        return self.floor_path.parent.parent

    def table(self) -> Table | None:
        """The table as floor.toml has it in force, if it does."""
        entries = [entry for entry in self.floor.tables if entry.id == self.table_id and entry.since <= self.day]
        return max(entries, key=lambda entry: entry.since, default=None)
