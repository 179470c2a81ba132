"""A landing file into columns: its good lines, and the others with the reason."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pipelines.ingest.careful import BOM, Fields, Rejected, read_line
from pipelines.ingest.files import Data, text_of
from pipelines.ingest.scan import Rows, Scanned, scan
from replay.columns import ABSENT, NUMBER_OF, SOURCES, TEXT_OF, TYPE_OF, U8, Columns


class Quarantined(NamedTuple):
    """A line that is not good."""

    line: int  # from 1
    reason: str
    raw: bytes


@dataclass(frozen=True)
class FileLines:
    """What a landing file holds. Lines = rows of the columns + quarantined ones."""

    columns: Columns
    words: list[str]
    quarantined: list[Quarantined]
    lines: int
    text: U8  # the lines' bytes; of a file that is corrupt from some place on, those before it


def read_file(data: Data, name: str, source: str, table: str, known: Collection[str]) -> FileLines:
    """Read a landing file of a table's source; ``known`` are the tables of floor.toml.

    A compressed or Parquet file that is broken from some place on gives the lines before it, and one quarantined line
    for the rest.
    """
    text, rest = text_of(data, name)
    scanned = scan(text, source, table)
    lines, words = len(scanned.starts) - 1, scanned.words
    bad = _read_others(text, scanned, source, table, known)
    if rest is not None:
        bad.append(Quarantined(lines + 1, rest.reason, rest.raw))
    found = FileLines(_columns(scanned.rows, source), words, bad, lines + (rest is not None), text)
    assert found.lines == len(found.columns.line) + len(bad), f"{name}: a line was lost, or came out twice"
    return found


def _read_others(text: U8, scanned: Scanned, source: str, table: str, known: Collection[str]) -> list[Quarantined]:
    """Read with care the lines that are not read yet; adds to the words."""
    starts, rows, words = scanned
    if table not in known:
        rows.is_read[:] = False
    left = np.flatnonzero(~rows.is_read).tolist()
    if not left:
        return []
    number_of = {word: number for number, word in enumerate(words)}
    bad = []
    for row in left:
        raw = text[starts[row] : starts[row + 1] - 1].tobytes()
        found = read_line(raw.removeprefix(BOM) if row == 0 else raw, source, table, known)
        if isinstance(found, Rejected):
            bad.append(Quarantined(row + 1, found.reason, raw))
        else:
            _fill(rows, row, found, words, number_of)
    return bad


def _fill(rows: Rows, row: int, fields: Fields, words: list[str], number_of: dict[str, int]) -> None:
    rows.numbers[:, row] = ABSENT
    rows.texts[:, row] = 0
    for name, value in fields.items():
        if isinstance(value, str) and name in TEXT_OF:
            if value not in number_of:
                number_of[value] = len(words)
                words.append(value)
            rows.texts[TEXT_OF[name], row] = number_of[value]
        elif name in NUMBER_OF:
            rows.numbers[NUMBER_OF[name], row] = value
    rows.type[row] = TYPE_OF[str(fields["type"])]
    rows.offset_minutes[row] = fields["offset_minutes"]
    rows.is_read[row] = True


def _columns(rows: Rows, source: str) -> Columns:
    lines = len(rows.is_read)
    columns = Columns(
        file=np.zeros(lines, np.int32),
        line=np.arange(1, lines + 1, dtype=np.int32),
        source=np.full(lines, SOURCES.index(source), np.uint8),
        type=rows.type,
        offset_minutes=rows.offset_minutes,
        numbers=rows.numbers,
        texts=rows.texts,
        stream=rows.texts[TEXT_OF["device"]].copy(),
    )
    return columns if rows.is_read.all() else columns.take(rows.is_read)
