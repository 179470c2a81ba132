"""Stored lines as events, for the narrative, the pictures and the notation."""

from collections.abc import Sequence
from typing import Any, Final, overload

import polars as pl

from replay.columns import I64
from replay.contract.stored import FIELD_OF
from replay.tape import Event

# Columns of the fields, but for those of every line: the time that counts is the one on the common clock.
_FIELDS: Final = {column: name for column, name in FIELD_OF.items() if column not in ("table", "seq", "ts")}


class Events(Sequence[Event]):
    """The events of a day in order, made on access: the fields that a line has and its time on the common clock."""

    def __init__(self, rows: pl.DataFrame, order: I64) -> None:
        self.rows = rows
        self.order = order
        self._made: dict[int, Event] = {}

    def __len__(self) -> int:
        return len(self.order)

    @overload
    def __getitem__(self, index: int) -> Event: ...

    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(len(self)))]
        if index not in self._made:
            self._made[index] = _event(self.rows.row(int(self.order[index]), named=True))
        return self._made[index]


def _event(row: dict[str, Any]) -> Event:
    event = {"source": row["source"], "type": row["type"]}
    event |= {_FIELDS[column]: value for column, value in row.items() if value is not None and column in _FIELDS}
    if "by" in event and event["type"] != "inspection" and len(event["by"]) == 1:
        event["by"] = event["by"][0]
    return event | {"ts": row["corrected"].isoformat(timespec="milliseconds")}
