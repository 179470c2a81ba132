"""The landing files of a table's day, in the forms in which they may come."""

import gzip
import io
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from replay import ops
from replay.contract import forms
from replay.contract.events import EVENTS, HEAD, Field
from replay.simulator import lines
from replay.simulator.clocks import TableClocks, offsets
from replay.simulator.log import Log, Names
from replay.tape import U8

TERMINAL: Final = "terminal"
SHOE: Final = "shoe"
SOURCES: Final = (TERMINAL, SHOE)
ENDINGS: Final = {"": ".ndjson", "gz": ".ndjson.gz", "zst": ".ndjson.zst", "parquet": ".parquet"}

_LINES_OF: Final = {
    source: np.isin(np.arange(256), [event.op for event in EVENTS if event.source == source]) for source in SOURCES
}


class Form(NamedTuple):
    """Form of a source's files: the number of parts, and the compression (see ``ENDINGS``)."""

    parts: int = 1
    compression: str = ""


PLAIN: Final = Form()


def write(out: Path, day: date, log: Log, names: Names, clocks: TableClocks, form: Form = PLAIN) -> list[Path]:
    """Write the terminal's and the shoe's files of a table's day, and say which they are."""
    folder = out / day.isoformat() / names.table
    folder.mkdir(parents=True, exist_ok=True)
    return [path for source in SOURCES for path in save(folder, source, source_lines(log, names, clocks, source), form)]


def has_line(log: Log, *sources: str) -> npt.NDArray[np.bool_]:
    """Return for every row whether one of the sources (by default any) logs a line for it."""
    own = np.zeros(len(log.op), np.bool_)
    for source in sources or SOURCES:
        own |= _LINES_OF[source][log.op]
        if source == TERMINAL:
            # A progressive event has its first meter on its own line; a second one makes a line more.
            own[1:] |= (log.op[1:] == ops.METER) & (log.op[:-1] == ops.METER)
    return own


def source_lines(log: Log, names: Names, clocks: TableClocks, source: str) -> U8:
    """Return the lines that one source logs on a table's day, as bytes."""
    rows = np.flatnonzero(has_line(log, source))
    if not len(rows):
        return np.empty(0, np.uint8)
    clock = clocks.terminal if source == TERMINAL else clocks.shoe
    shown = clock.stamps(log.ms[rows], clocks.day_starts_ms)
    return lines.lines(log, rows, shown, offsets(clocks.timezone, int(shown[0]), int(shown[-1])), names)


def save(folder: Path, source: str, data: U8, form: Form) -> list[Path]:
    """Put a source's lines into files of that form."""
    return save_parts(folder, source, split(data, form.parts), form)


def save_parts(folder: Path, source: str, parts: Sequence[U8], form: Form) -> list[Path]:
    """Put each part of a source's lines into a file of its own."""
    paths = []
    for number, part in enumerate(parts):
        path = folder / file_name(source, number, form)
        unfinished = path.with_name(f".{path.name}")  # whoever watches the folder sees whole files only
        unfinished.write_bytes(_ENCODE[form.compression](part, source))
        paths.append(unfinished.rename(path))
    return paths


def file_name(source: str, part: int, form: Form) -> str:
    """The name of a part's file; parts count from 0."""
    return f"{source}{f'-{part + 1}' if form.parts > 1 else ''}{ENDINGS[form.compression]}"


def split(data: U8, parts: int) -> list[U8]:
    """Whole lines, about as many in each part."""
    if parts == 1:
        return [data]
    ends = np.flatnonzero(data == ord("\n")) + 1
    firsts = first_lines(len(ends), parts)
    return np.split(data, [int(ends[first - 1]) if first else 0 for first in firsts[1:]])


def first_lines(lines: int, parts: int) -> list[int]:
    """Return the number of the first line of each part, from 0."""
    return [lines * n // parts for n in range(parts)]


def _gzip(data: U8, _: str) -> bytes:
    return gzip.compress(data.tobytes(), compresslevel=6, mtime=0)


def _zstd(data: U8, _: str) -> bytes:
    # Polars is what we have that writes zstd: the lines as the only column of a CSV file without quotes.
    text = pl.DataFrame({"line": data.tobytes().decode().split("\n")[:-1]}, schema={"line": pl.String})
    file = io.BytesIO()
    text.write_csv(file, include_header=False, quote_style="never", compression="zstd", compression_level=3)
    return file.getvalue()


def _parquet(data: U8, source: str) -> bytes:
    file = io.BytesIO()
    frame(data, source).write_parquet(file, compression_level=3)
    return file.getvalue()


_ENCODE: Final = {"": lambda data, _: data.data, "gz": _gzip, "zst": _zstd, "parquet": _parquet}

# At the terminal a column of what may be one or several holds lists throughout.
_LISTS: Final = forms.LISTS | {forms.PEOPLE, forms.ORDINALS}
_TYPES: Final = {forms.WHOLE: pl.Int64, forms.ORDINALS: pl.Int64, forms.MEMBERS: pl.Int64} | {
    forms.TRUTH: pl.Boolean,
    forms.SHARE: pl.Float64,
}


def schema(source: str) -> dict[str, Any]:
    """The columns of a source's lines."""
    found = {"table": pl.String, "seq": pl.Int64, "ts": pl.String, "type": pl.String}
    own = [field for event in EVENTS if event.source == source for field in event.fields if field.is_logged]
    rounds = [field for field in own if field.name == "round"]
    return found | {field.name: _column(field, source) for field in (*rounds, *own) if field not in HEAD}


def _column(field: Field, source: str) -> Any:
    kind: Any = _TYPES.get(field.form.kind, pl.String)
    return pl.List(kind) if source == TERMINAL and field.form.kind in _LISTS else kind


def frame(data: U8, source: str) -> pl.DataFrame:
    """A source's lines as columns, null where a line lacks a field."""
    events = [json.loads(line) for line in data.tobytes().splitlines()]
    columns = schema(source)
    for name in (name for name, kind in columns.items() if isinstance(kind, pl.List)):
        for event in events:
            if name in event and not isinstance(event[name], list):
                event[name] = [event[name]]
    return pl.DataFrame(events, schema=columns)
