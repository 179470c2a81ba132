"""The plan of auditing a gaming day."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from pipelines.custody.store import Record
from pipelines.version import hashed
from replay.carry import Carry
from replay.floor import Floor


@dataclass(frozen=True)
class DayPlan:
    """A day's files, the floor in force and the state that the day begins with."""

    day: date
    floor: Floor
    floor_sha256: str
    records: tuple[Record, ...]
    before: Carry
    tables: frozenset[str] | None = None  # only these
    others: Carry | None = None  # the state after the day as published, where not all tables are audited

    def table_ids(self) -> list[str]:
        """Tables to audit: those with files, and those that floor.toml has in force and nobody heard of."""
        found = {record.table for record in self.records}
        if found:
            found |= {table.id for table in self.floor.tables if table.since <= self.day}
        return sorted(found if self.tables is None else found & self.tables)

    def own_meters(self, table_id: str) -> set[str]:
        """Meters that a table feeds."""
        return {
            str(settings[key])
            for table in self.floor.tables
            if table.id == table_id
            for settings in table.progressive.values()
            for key in ("meter", "secondary_meter")
            if key in settings
        }


def fingerprint_in_force(data: dict[str, Any], floor: Floor, day: date) -> str:
    """A short hash of what of a floor.toml counts on a day, and of the rulebooks of those tables."""
    tables = (floor.table(table, day) for table in {each.id for each in floor.tables if each.since <= day})
    return hashed([in_force(data, day), sorted({table.book.sha256 for table in tables})])


def in_force(data: dict[str, Any], day: date) -> dict[str, Any]:
    """Return the part of a floor.toml in force on a day: of each table the newest entry not after it."""
    newest: dict[Any, Any] = {}
    for entry in data.get("table", ()):
        since = entry.get("from", date.min)
        known = newest.get(entry.get("id"))
        if since <= day and (known is None or since >= known.get("from", date.min)):
            newest[entry.get("id")] = entry
    return {**data, "table": [newest[key] for key in sorted(newest, key=str)]}
