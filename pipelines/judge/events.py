"""Accepted lines as rows of ``events`` and ``sightings``."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pipelines.judge import arrow as A
from pipelines.judge.day import JudgedDay
from replay.columns import ABSENT, I32, I64, NUMBER_OF, SHOE, SOURCES, TERMINAL, TYPES, Columns
from replay.contract import forms
from replay.contract.forms import ValueForm
from replay.contract.stored import stored_columns
from replay.meanings import people
from warehouse.schemas import DATASETS

Of = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]


def events(day: JudgedDay, round_of: I64, paths: Sequence[str], hashes: Sequence[str]) -> pa.Table:
    """Lines of terminal and shoe; ``round_of`` has for each line the round it lies in, -1 for none."""
    c, words = day.lines.columns, day.lines.words
    rows = np.concatenate([np.flatnonzero((c.source == each) & (c.file >= 0)) for each in (SHOE, TERMINAL)])  # by name
    runs = _runs(rows)

    def of(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.concatenate([column[run] for run in runs])

    columns = {
        "place": A.numbers(of(day.place)),
        "source": A.names(of(c.source), SOURCES, none=-1),
        "utc_offset_minutes": pa.array(of(c.offset_minutes)),
        "corrected": A.moments(of(day.corrected)),
        "type": A.names(of(c.type), TYPES, none=-1),
        "round_id": A.names(of(round_of), day.round_ids, none=-1),
        **field_columns(c, words, of, "terminal", "shoe"),
        **_origin(of(c.file), of(c.line), paths, hashes),
    }
    found = A.table(day.day, day.table_id, len(rows), **columns)
    return found.select(DATASETS["events"].arrow.names)


def field_columns(c: Columns, words: list[str], of: Of, *sources: str) -> dict[str, Any]:
    """Return the columns of the fields that lines of some sources have."""
    return {
        name: _values(column.form, of(c.number(name) if name in NUMBER_OF else c.text(name)), words)
        for name, column in stored_columns(*sources).items()
    }


def _values(form: ValueForm, values: npt.NDArray[Any], words: list[str]) -> Any:
    """Return a field's column as Arrow has it."""
    if form.kind in forms.NUMERIC:
        return A.field_numbers(form, values)
    if form.kind in forms.LISTS:
        return A.lists(values, words, A.read_list, pa.string() if form.words else pa.int64())
    return A.lists(values, words, people, pa.string()) if form.kind == forms.PEOPLE else A.names(values, words)


def _runs(rows: I64) -> list[slice]:
    """Rows as slices, which copy faster: a source's lines follow each other."""
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    return [slice(int(run[0]), int(run[-1]) + 1) for run in np.split(rows, breaks) if len(run)] or [slice(0)]


def _origin(files: I32, line: I32, paths: Sequence[str], hashes: Sequence[str]) -> dict[str, Any]:
    return {
        "path": A.names(files, paths, none=-1),
        "line": pa.array(line),
        "file_sha256": A.names(files, hashes, none=-1),
    }


def sightings(day: JudgedDay, round_of: I64, paths: Sequence[str], hashes: Sequence[str]) -> pa.Table:
    """Lines of the camera, in the order of time."""
    rows = day.sightings
    rows = rows[np.lexsort((day.lines.columns.number("seq")[rows], day.corrected[rows]))]
    c, words = day.lines.columns.take(rows), day.lines.words
    until = c.number("until")
    shift = day.corrected[rows] - c.number("ts")  # a sighting is short: its end is off by as much as its beginning
    absent = until == ABSENT
    found = A.table(
        day.day,
        day.table_id,
        len(rows),
        corrected=A.moments(day.corrected[rows]),
        **field_columns(c, words, np.asarray, "camera")
        | {"until": A.moments(np.where(absent, 0, until + shift), absent)},
        frame=A.numbers(c.number("frame")),
        round_id=A.names(round_of[rows], day.round_ids, none=-1),
        **_origin(c.file, c.line, paths, hashes),
    )
    return found.select(DATASETS["sightings"].arrow.names)
