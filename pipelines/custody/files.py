"""Landing files as lines of text, whichever way they come: plain, compressed, or Parquet."""

from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from pipelines.custody.parquet import NotParquet, rows_as_lines
from replay.columns import SOURCES, U8
from warehouse.evidence.files import MOST_UNPACKED

Data = bytes | bytearray | memoryview | U8  # or whatever else has the bytes in one piece, such as a memory map

MOST_BYTES: Final = MOST_UNPACKED  # of text that a packed file may hold
MOST_LINES: Final = 1 << 21  # of one file; a table's day has a tenth of that
MOST_RAW: Final = 1 << 16  # bytes kept of what cannot be read

_STEP: Final = 1 << 16
_CODECS: Final = {".gz": "gzip", ".zst": "zstd"}
_EARLY, _CORRUPT = "ends early", "is corrupt"
_PLAIN: Final = ".ndjson"
_PARQUET: Final = ".parquet"


class UnreadRest(NamedTuple):
    """The part of a file that could not be made into lines, and why."""

    reason: str
    raw: bytes


class FileText(NamedTuple):
    """A file's lines as bytes, each with its newline but perhaps the last."""

    text: U8
    rest: UnreadRest | None = None


def source_of(name: str) -> str | None:
    """The source whose lines a file of that name holds; None for every other file."""
    source = next((source for source in SOURCES if name.startswith(source)), None)
    return source if PurePath(name).suffix in (_PLAIN, _PARQUET, *_CODECS) else None


def text_of(data: Data, name: str) -> FileText:
    """The lines of a landing file; its name's ending tells how they are packed."""
    ending = PurePath(name).suffix
    if ending in _CODECS:
        return _unpacked(data, _CODECS[ending])
    if ending == _PARQUET:
        return _from_parquet(data)
    return FileText(_as_array(data))


def line_count(text: U8) -> int:
    """Count the lines; text after the last newline is one too."""
    if not len(text):
        return 0
    return int(np.count_nonzero(text == ord("\n"))) + bool(text[-1] != ord("\n"))


def _as_array(data: Any) -> U8:
    """The bytes as an array that nobody writes to, which compiled code takes for another type than one to write to."""
    array = np.frombuffer(data, np.uint8) if len(data) else np.empty(0, np.uint8)
    array.flags.writeable = False
    return array


def capped(data: Any, start: int) -> tuple[bytes, str]:
    """Bytes from a place on, not too many, and what to say where there were more."""
    left = len(data) - start
    said = f"; the first {MOST_RAW} of {left} bytes are kept here" if left > MOST_RAW else ""
    return bytes(data[start : start + MOST_RAW]), said


def _from_parquet(data: Data) -> FileText:
    try:
        return FileText(_as_array(rows_as_lines(pa.py_buffer(data), MOST_BYTES, MOST_LINES)))
    except NotParquet as error:
        lines = _as_array(error.lines)
        raw, said = capped(data, 0)
        where = f" after line {line_count(lines)}" if len(lines) else ""
        return FileText(lines, UnreadRest(f"not readable as Parquet{where}: {error}{said}", raw))


def _unpacked(data: Data, codec: str) -> FileText:
    found, place, problem = _pieces(data, codec, lambda _: _STEP)
    if problem in (_EARLY, _CORRUPT):
        # What a step has read before it failed is lost with it: go to its beginning, and on byte by byte.
        good = len(found)
        found, _, problem = _pieces(data, codec, lambda size: min(good - size, _STEP) if size < good else 1)
    text = _as_array(found)
    if not problem:
        return FileText(text)
    raw, said = capped(data, place)
    return FileText(text, UnreadRest(f"compressed data {problem} after line {line_count(text)}{said}", raw))


def _pieces(data: Data, codec: str, step: Callable[[int], int]) -> tuple[bytearray, int, str]:
    """Unpack as far as it goes: the text, the place in the file up to which it went well, and what is wrong there."""
    packed = pa.BufferReader(pa.py_buffer(data))
    stream = pa.CompressedInputStream(packed, codec)
    text = bytearray()
    place = lines = 0
    try:
        while piece := stream.read(step(len(text))):
            text += piece
            lines += piece.count(b"\n")
            if len(text) > MOST_BYTES or lines > MOST_LINES:
                return text, packed.tell(), beyond(len(text) > MOST_BYTES)
            place = packed.tell()
    except (OSError, pa.ArrowException) as error:
        return text, place, _EARLY if "Truncated" in str(error) else _CORRUPT
    return text, place, ""


def beyond(in_bytes: bool) -> str:
    """Word the reason for a file that exceeds a limit."""
    limit = f"{MOST_BYTES} bytes" if in_bytes else f"{MOST_LINES} lines"
    return f"goes beyond the limit of {limit}; send it in parts"
