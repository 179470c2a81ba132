"""A day's rows on their way into the lake: gathered, checked, put in order and written as few part files."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.dataset import Dataset, SchemaError
from warehouse.lake.errors import LakeError
from warehouse.lake.parts import LakePart, Staged, day_folder, in_order, store, tidy
from warehouse.schemas import DATASETS

# A part ends after so many rows, wherever the writes end: the same rows make the same parts.
PART_ROWS: Final = 1 << 19
# Or earlier, where rows are large.
PART_BYTES: Final = 256 << 20


@dataclass
class _Gathered:
    """Rows of a dataset that are not in a part yet, and the parts made so far."""

    dataset: Dataset
    tables: list[pa.Table] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0
    cuts: int = 0
    last: tuple[Any, ...] = ()
    parts: dict[int, LakePart] = field(default_factory=dict)
    guard: threading.Lock = field(default_factory=threading.Lock)


class StagedDay:
    """Takes a day's rows. Nothing of it is visible before ``Lake.commit``."""

    def __init__(self, root: Path, day: date, first_part: int = 0) -> None:
        self.root = root
        self.day = day
        self.first_part = first_part  # several stages can make parts of one day, one after the other in their order
        self._gathered = {name: _Gathered(dataset) for name, dataset in DATASETS.items()}

    def write(self, dataset: str, table: pa.Table | pl.DataFrame) -> None:
        """Take rows of a dataset, in any order within a call; later calls bring later tables. Thread-safe."""
        arrow = table.to_arrow() if isinstance(table, pl.DataFrame) else table
        gathered = self._gathered[dataset]
        arrow = gathered.dataset.check_table(arrow)
        self._check_day(dataset, arrow.column("gaming_day"))
        arrow = arrow.drop_columns("gaming_day")
        with gathered.guard:
            gathered.tables.append(arrow)
            gathered.rows += len(arrow)
            gathered.bytes += _weight(arrow)
            full = gathered.rows >= PART_ROWS or gathered.bytes >= PART_BYTES
            cuts = _cut(gathered, everything=gathered.bytes >= PART_BYTES) if full else []
        self._store(gathered, cuts)

    def close(self) -> Staged:
        """Write what is left, and say which parts the day has."""
        with ThreadPoolExecutor(pa.cpu_count()) as pool:
            list(pool.map(self._finish, self._gathered.values()))
        parts = {name: tuple(part for _, part in sorted(g.parts.items())) for name, g in self._gathered.items()}
        return Staged(self.day, parts)

    def _check_day(self, dataset: str, days: pa.ChunkedArray) -> None:
        if len(days) and not pc.all(pc.equal(days, pa.scalar(self.day, pa.date32()))).as_py():
            found = sorted(str(day) for day in days.unique().to_pylist())
            raise SchemaError(f"{dataset}.gaming_day: expected {self.day} only, found {', '.join(found)}")

    def _finish(self, gathered: _Gathered) -> None:
        with gathered.guard:
            cuts = _cut(gathered, everything=True) if gathered.rows else []
        self._store(gathered, cuts)

    def _store(self, gathered: _Gathered, cuts: list[tuple[int, pa.Table]]) -> None:
        for ordinal, rows in cuts:
            place = self.first_part + ordinal
            gathered.parts[ordinal] = store(self.root, gathered.dataset, day_folder(self.day), place, rows)


def _cut(gathered: _Gathered, everything: bool) -> list[tuple[int, pa.Table]]:
    """The rows gathered as parts, numbered; without ``everything``, what fills no part stays."""
    keys = gathered.dataset.sort
    whole = in_order(tidy(pa.concat_tables(gathered.tables)), keys)
    _check_later(gathered, _key(whole, keys, 0))
    end = len(whole) if everything else len(whole) - len(whole) % PART_ROWS
    slices = [whole.slice(start, min(PART_ROWS, end - start)) for start in range(0, end, PART_ROWS)]
    cuts = [part if len(part) == len(whole) else tidy(part) for part in slices]
    rest = whole.slice(end)
    gathered.last = _key(whole, keys, end - 1)
    gathered.tables, gathered.rows, gathered.bytes = [rest], len(rest), _weight(rest)
    first = gathered.cuts
    gathered.cuts += len(cuts)
    return list(enumerate(cuts, first))


def _key(table: pa.Table, keys: tuple[str, ...], row: int) -> tuple[Any, ...]:
    """A row's place in the order: absent values first."""
    values = [table.column(key)[row].as_py() for key in keys]
    return tuple((value is not None, value) for value in values)


def _check_later(gathered: _Gathered, key: tuple[Any, ...]) -> None:
    if gathered.last and key < gathered.last:
        found, before = ([value for _, value in place] for place in (key, gathered.last))
        raise LakeError(
            f"{gathered.dataset.name}: rows of {found} came after those up to {before} were written: "
            f"write the tables of a day in ascending order"
        )


def _weight(table: pa.Table) -> int:
    """Bytes of memory, but for dictionaries, which many columns share."""
    return sum(4 * len(c) if pa.types.is_dictionary(c.type) else c.nbytes for c in table.columns)
