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
from replay.simulator import lines
from replay.simulator.clocks import TableClocks, offsets
from replay.simulator.fields import FIELDS
from replay.simulator.log import SHOE_OPS, Log, Names
from replay.tape import U8

TERMINAL: Final = "terminal"
SHOE: Final = "shoe"
SOURCES: Final = (TERMINAL, SHOE)
ENDINGS: Final = {"": ".ndjson", "gz": ".ndjson.gz", "zst": ".ndjson.zst", "parquet": ".parquet"}

_LINES_OF: Final = {
    SHOE: np.array([op in SHOE_OPS for op in range(256)]),
    TERMINAL: np.array([op in FIELDS and op not in SHOE_OPS for op in range(256)]),
}


class Form(NamedTuple):
    """How a source's lines are put into files: in how many parts, and compressed how (see ``ENDINGS``)."""

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
    """What one source logs of a table's day, as bytes."""
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

_TEXTS: Final = frozenset(
    {"table", "ts", "type", "round", "dealer", "decks_id", "by", "shoe", "kind", "what", "state", "action", "patron"}
    | {"code", "ruling", "system", "symbol", "meter", "card", "face", "shuffle", "from", "result", "device"}
    | {"camera", "zone", "until"}
)
_TRUTHS: Final = frozenset({"exposed", "sideways"})
_WHOLE: Final = {TERMINAL: frozenset({"card"})}  # the initial card that was missed
# Columns that hold lists: what may be one or several at a source is a list throughout.
_LISTS: Final = {TERMINAL: frozenset({"by", "bettors", "ruling", "n", "refused_by"})}
_CAMERA_FIELDS: Final = ("camera", "zone", "order", "face", "card", "confidence", "sideways", "until")


def schema(source: str) -> dict[str, Any]:
    """The columns of a source's lines."""
    if source in SOURCES:
        types = [type_ for op, type_ in FIELDS.items() if _LINES_OF[source][op]]
        own = [field.name for _, fields in types for field in fields]
        head = ["table", "seq", "ts", "type", *(["round"] if source == TERMINAL else [])]
    else:
        head, own = ["table", "seq", "ts", "type"], list(_CAMERA_FIELDS)
    return {name: _column(name, source) for name in dict.fromkeys([*head, *own])}


def _column(name: str, source: str) -> Any:
    kind: Any = pl.Int64
    if name in _TEXTS - _WHOLE.get(source, frozenset()):
        kind = pl.String
    elif name in _TRUTHS:
        kind = pl.Boolean
    elif name == "confidence":
        kind = pl.Float64
    return pl.List(kind) if name in _LISTS.get(source, ()) else kind


def frame(data: U8, source: str) -> pl.DataFrame:
    """A source's lines as columns, null where a line lacks a field."""
    events = [json.loads(line) for line in data.tobytes().splitlines()]
    for name in _LISTS.get(source, ()):
        for event in events:
            if name in event and not isinstance(event[name], list):
                event[name] = [event[name]]
    return pl.DataFrame(events, schema=schema(source))
