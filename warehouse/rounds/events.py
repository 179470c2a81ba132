"""Stored lines as events, for the narrative, the pictures and the notation."""

from collections.abc import Sequence
from typing import Any, Final, overload

import polars as pl

from replay.columns import I64
from replay.tape import Event

_NOT_FIELDS: Final = frozenset(
    {
        *("gaming_day", "table", "place", "seq", "ts", "utc_offset_minutes", "corrected", "round_id"),
        *("path", "line", "file_sha256"),
    }
)


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
    event = {name: value for name, value in row.items() if value is not None and name not in _NOT_FIELDS}
    for name, column in (("n", "n_list"), ("card", "missed_card")):
        if column in event:
            event[name] = event.pop(column)
    if "by" in event and event["type"] != "inspection" and len(event["by"]) == 1:
        event["by"] = event["by"][0]
    return event | {"ts": row["corrected"].isoformat(timespec="milliseconds")}
