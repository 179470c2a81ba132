"""A landing file into columns: its good lines, and the others with the reason."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from pipelines.custody import files
from pipelines.custody.files import Data, UnreadRest, capped, text_of
from pipelines.ingest.careful import BOM, Rejected, read_line
from pipelines.ingest.merge import merged_words
from pipelines.ingest.scan import Rows, Scanned, after_lines, scan
from replay.columns import ABSENT, SOURCES, TEXT_OF, TYPE_OF, U8, Columns, put

MOST_BAD: Final = 1 << 18  # bad lines of a file, and
MOST_BAD_BYTES: Final = 1 << 26  # bytes of them, after which its rest is not read
_MOST_LINE: Final = 1 << 22  # bytes of a line that is read at all
# A file is read in blocks, which bounds the memory of lines that turn out bad.
_BLOCK_LINES: Final = 1 << 17
_BLOCK_BYTES: Final = 1 << 26


class Quarantined(NamedTuple):
    """A line that is not good."""

    line: int  # from 1
    reason: str
    raw: bytes


@dataclass(frozen=True)
class FileLines:
    """Contents of a landing file. Lines = rows of the columns + quarantined lines."""

    columns: Columns
    words: list[str]
    quarantined: list[Quarantined]
    lines: int


def read_file(data: Data, name: str, source: str, table: str, known: Collection[str]) -> FileLines:
    """Read a landing file of a table's source; ``known`` are the tables of floor.toml.

    A file that is broken from some place on, or that goes beyond what a file may hold, gives the lines before it, and
    one quarantined line for the rest.
    """
    text, rest = text_of(data, name)
    blocks: list[tuple[Columns, list[str]]] = []
    bad: list[Quarantined] = []
    at = lines = bad_bytes = 0
    while at < len(text) or not blocks:
        if reason := _too_much(lines, len(bad), bad_bytes):
            raw, said = capped(text, at)
            rest = UnreadRest(f"{reason}; {len(text) - at} bytes from line {lines + 1} on are not read{said}", raw)
            text = text[:at]
            break
        end = after_lines(text, at, _BLOCK_LINES, _BLOCK_BYTES)
        columns, words, own = _read_block(text[at:end], source, table, known, lines)
        blocks.append((columns, words))
        bad += own
        bad_bytes += sum(len(each.raw) for each in own)
        at, lines = end, lines + len(columns.line) + len(own)
    if rest is not None:
        lines += 1
        bad.append(Quarantined(lines, rest.reason, rest.raw))
    columns, words = blocks[0] if len(blocks) == 1 else _joined(blocks)
    found = FileLines(columns, words, bad, lines)
    assert found.lines == len(found.columns.line) + len(bad), f"{name}: a line was lost, or came out twice"
    return found


def _too_much(lines: int, bad: int, bad_bytes: int) -> str:
    """Why a file is read no further, empty where it is."""
    if lines >= files.MOST_LINES:
        return files.beyond(in_bytes=False)
    if bad >= MOST_BAD or bad_bytes >= MOST_BAD_BYTES:
        return f"{bad} lines before are no good, expected a log of this table"
    return ""


def _read_block(
    text: U8, source: str, table: str, known: Collection[str], before: int
) -> tuple[Columns, list[str], list[Quarantined]]:
    """Read whole lines of a file, of which so many come before them."""
    scanned = scan(text, source, table)
    bad = _read_others(text, scanned, source, table, known, before)
    return _columns(scanned.rows, source, before), scanned.words, bad


def _joined(blocks: Sequence[tuple[Columns, list[str]]]) -> tuple[Columns, list[str]]:
    """Blocks of a file as one, with one table of words."""
    words, numbers = merged_words([own for _, own in blocks], [columns for columns, _ in blocks])
    mapped = [
        columns._replace(texts=number[columns.texts], stream=number[columns.stream])
        for (columns, _), number in zip(blocks, numbers, strict=True)
    ]
    return Columns(*(np.concatenate(parts, axis=-1) for parts in zip(*mapped, strict=True))), words


def _read_others(
    text: U8, scanned: Scanned, source: str, table: str, known: Collection[str], before: int
) -> list[Quarantined]:
    """Read with care the lines that are not read yet; adds to the words."""
    starts, rows, words = scanned
    if table not in known:
        rows.is_read[:] = False
    left = np.flatnonzero(~rows.is_read).tolist()
    if not left:
        return []
    number_of = {word: number for number, word in enumerate(words)}
    assert len(number_of) == len(words), "a word has two numbers"
    bad = []
    for row in left:
        line, length = before + row + 1, int(starts[row + 1] - starts[row]) - 1
        if length > _MOST_LINE:
            raw, said = capped(text[starts[row] : starts[row + 1] - 1], 0)
            bad.append(Quarantined(line, f"{length} bytes long, expected at most {_MOST_LINE}{said}", raw))
            continue
        raw = text[starts[row] : starts[row + 1] - 1].tobytes()
        found = read_line(raw.removeprefix(BOM) if line == 1 else raw, source, table, known)
        if isinstance(found, Rejected):
            bad.append(Quarantined(line, found.reason, raw))
        else:
            rows.numbers[:, row], rows.texts[:, row] = ABSENT, 0
            put(rows, row, found, number_of)
            rows.type[row], rows.offset_minutes[row] = TYPE_OF[str(found["type"])], found["offset_minutes"]
            rows.is_read[row] = True
    words += list(number_of)[len(words) :]
    return bad


def _columns(rows: Rows, source: str, before: int) -> Columns:
    lines = len(rows.is_read)
    columns = Columns(
        file=np.zeros(lines, np.int32),
        line=np.arange(before + 1, before + lines + 1, dtype=np.int32),
        source=np.full(lines, SOURCES.index(source), np.uint8),
        type=rows.type,
        offset_minutes=rows.offset_minutes,
        numbers=rows.numbers,
        texts=rows.texts,
        stream=rows.texts[TEXT_OF["device"]].copy(),
    )
    return columns if rows.is_read.all() else columns.take(rows.is_read)
