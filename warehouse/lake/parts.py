"""Part files: some of a day's rows of a dataset as Parquet, named by their content."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.dataset import Dataset
from warehouse.disk import sync
from warehouse.lake.errors import writing
from warehouse.lake.words import tidy_words

ROW_GROUP: Final = 1 << 18
COMPRESSION_LEVEL: Final = 1  # 3 saves 3 % of the bytes and costs a seventh of the time
_COUNTED: Final = frozenset({"seq", "line", "n", "place"})  # columns that mostly count up, as moments mostly go on
_LEAST: Final = -(1 << 63)  # what stands for no value where rows are put in order
TEMPORARY: Final = ".tmp"


@dataclass(frozen=True)
class LakePart:
    """A part file, by its path in the dataset's folder, with the first and last table in it."""

    path: str
    bytes: int
    rows: int
    first: str
    last: str

    @property
    def sha256(self) -> str:
        """Hash of the file, from its name."""
        return Path(self.path).stem.rpartition("-")[2]

    @property
    def day(self) -> date | None:
        """Gaming day of its rows, from its folder."""
        folder = Path(self.path).parent.name
        return date.fromisoformat(folder.partition("=")[2]) if folder else None

    @property
    def stats(self) -> str:
        """Statistics as a Delta log holds them."""
        stats: dict[str, Any] = {"numRecords": self.rows}
        if self.day:
            stats |= {"minValues": {"table": self.first}, "maxValues": {"table": self.last}, "nullCount": {"table": 0}}
        return json.dumps(stats)


@dataclass(frozen=True)
class Staged:
    """The parts of a day, by dataset, that wait to be committed."""

    day: date
    parts: Mapping[str, tuple[LakePart, ...]]

    def rows(self, dataset: str) -> int:
        """Count the rows of a dataset on the day."""
        return sum(part.rows for part in self.parts[dataset])

    def save(self, path: Path) -> None:
        """Write it as JSON, in the place of what was there."""
        parts = {dataset: [asdict(part) for part in parts] for dataset, parts in self.parts.items()}
        unfinished = path.with_name(f".{path.name}{TEMPORARY}")
        with writing(path):
            unfinished.write_text(json.dumps({"day": self.day.isoformat(), "parts": parts}))
            unfinished.rename(path)

    @classmethod
    def load(cls, path: Path) -> "Staged":
        """Read what ``save`` wrote."""
        found = json.loads(path.read_text())
        parts = {dataset: tuple(LakePart(**part) for part in parts) for dataset, parts in found["parts"].items()}
        return cls(date.fromisoformat(found["day"]), parts)


def day_folder(day: date) -> str:
    """The folder of a day's parts in a dataset's folder."""
    return f"gaming_day={day.isoformat()}"


def tidy(table: pa.Table) -> pa.Table:
    """The same rows in one chunk, every dictionary with just the words in use, in alphabetical order.

    So the bytes of a part depend on nothing but its rows, and a dictionary's numbers sort as its words do.
    """
    columns = [
        tidy_words(column) if pa.types.is_dictionary(column.type) else column.combine_chunks()
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def in_order(table: pa.Table, keys: tuple[str, ...]) -> pa.Table:
    """Tidy rows by the keys, absent values first; equal rows stay as they are."""
    columns = [_sortable(table.column(key)) for key in keys]
    falls, level = np.zeros(max(len(table) - 1, 0), np.bool_), np.ones(max(len(table) - 1, 0), np.bool_)
    for column in columns:
        before, after = column[:-1], column[1:]
        falls |= level & (after < before)
        level &= after == before
    return table.take(pa.array(np.lexsort(columns[::-1]))) if falls.any() else table


def _sortable(column: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Numbers that sort as a column does."""
    if pa.types.is_string(column.type):
        column = tidy_words(column.dictionary_encode())
    if pa.types.is_dictionary(column.type):
        column = column.combine_chunks().indices if isinstance(column, pa.ChunkedArray) else column.indices
    numbers: np.ndarray[tuple[int], np.dtype[np.int64]] = column.cast(pa.int64()).fill_null(_LEAST).to_numpy()
    return numbers


def encode(table: pa.Table, keys: tuple[str, ...]) -> pa.Buffer:
    """The bytes of a Parquet file of these rows."""
    # Least and greatest values help only where rows lie in order; of all columns they would cost a quarter of the time.
    ordered = [name for name in (*keys, "round_id") if name in table.column_names]
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        row_group_size=ROW_GROUP,
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        use_dictionary=[field.name for field in table.schema if _wordy(field.type)],
        # Differences are small: there is less to compress, in half the time.
        column_encoding={field.name: "DELTA_BINARY_PACKED" for field in table.schema if _rising(field)},
        write_statistics=ordered,
        coerce_timestamps="us",  # the only unit that a Delta table knows
        store_schema=False,  # or dictionaries would come back as dictionaries
    )
    return sink.getvalue()


def _wordy(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind) or pa.types.is_string(kind))


def _rising(field: pa.Field) -> bool:
    return bool(pa.types.is_timestamp(field.type) or field.name in _COUNTED)


def store(root: Path, dataset: Dataset, folder: str, ordinal: int, table: pa.Table) -> LakePart:
    """Write the rows to a part file that nobody sees before it is whole, and describe it."""
    data = encode(table, dataset.sort)
    name = f"part-{ordinal:05d}-{hashlib.sha256(data).hexdigest()}.parquet"
    target = root / dataset.name / folder / name
    with writing(target):
        put(target, data)
    first, last = (table.column("table")[row].as_py() if dataset.partitioned else "" for row in (0, -1))
    return LakePart(str(Path(folder) / name), len(data), len(table), first, last)


def put(target: Path, data: pa.Buffer) -> None:
    """Bring a file into being whole and for good, unless the same is there already."""
    if target.exists() and target.stat().st_size == len(data) and data.equals(pa.py_buffer(target.read_bytes())):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}{TEMPORARY}")
    try:
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    sync(target.parent)
