"""A table's events as they happened, from the rows that a snapshot has of them."""

from bisect import bisect_right
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import polars as pl

I64 = npt.NDArray[np.int64]

# In the order in which lines of the same moment count.
_SOURCES: Final = ("terminal", "shoe")
_NOT_FIELDS: Final = ("gaming_day", "table", "seq", "ts", "utc_offset_minutes", "corrected", "round_id")
ORIGIN: Final = ("path", "line", "file_sha256")


def in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of ``events`` as they happened: each device's in its own order, merged by the common clock."""
    if rows.is_empty():
        return rows
    rows = rows.with_columns(
        _rank=pl.col("source").replace_strict(_SOURCES, range(len(_SOURCES)), return_dtype=pl.Int8)
    )
    streams = [
        part.with_columns(_ms=pl.Series(steady(part["corrected"].to_physical().to_numpy())))
        for part in rows.partition_by("_rank", "device", maintain_order=True)
    ]
    streams.sort(key=lambda part: (part["_rank"][0], -len(part)))
    return pl.concat(streams).sort("_ms", "_rank", maintain_order=True)


def steady(ms: I64) -> I64:
    """Times that never go back: those that do not fit a longest rise get the time before them."""
    if len(ms) < 2 or bool((np.diff(ms) >= 0).all()):
        return ms
    fits = np.zeros(len(ms), np.bool_)
    tails: list[int] = []  # the least time that ends a rise of each length, and its row
    ends: list[int] = []
    before = np.full(len(ms), -1)
    for row, value in enumerate(ms.tolist()):
        at = bisect_right(tails, value)
        before[row] = ends[at - 1] if at else -1
        tails[at : at + 1], ends[at : at + 1] = [value], [row]
    row = ends[-1]
    while row >= 0:
        fits[row] = True
        row = int(before[row])
    last = np.maximum.accumulate(np.where(fits, np.arange(len(ms)), -1))
    kept: I64 = ms[np.where(last < 0, int(np.argmax(fits)), last)]
    return kept


def events(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Ordered rows as events: the fields that each line has, with its time on the common clock."""
    found: list[dict[str, Any]] = [{}] * len(rows)
    numbered = rows.with_row_index("_index")
    for part in numbered.partition_by("type"):
        told = [column.name for column in part if column.null_count() < len(part) and _is_field(column.name)]
        indices, times = part["_index"].to_list(), part["corrected"].to_list()
        for index, time, line in zip(indices, times, part.select(told).iter_rows(), strict=True):
            event = {name: value for name, value in zip(told, line, strict=True) if value is not None}
            for name, column in (("n", "n_list"), ("card", "missed_card")):
                if column in event:
                    event[name] = event.pop(column)
            if "by" in event and event["type"] not in ("inspection",) and len(event["by"]) == 1:
                event["by"] = event["by"][0]
            event["ts"] = time.isoformat(timespec="milliseconds")
            found[index] = event
    return found


def _is_field(name: str) -> bool:
    return name not in _NOT_FIELDS and name not in ORIGIN and not name.startswith("_")
