"""Fingerprints of files, in pieces, and writing that is whole or not there."""

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pyarrow as pa

from warehouse.disk import sync
from warehouse.evidence.merkle import U8, LineHasher

MOST_UNPACKED: Final = 1 << 29  # bytes of lines that a packed file may hold: a few kilobytes can unpack to as many
_PIECE: Final = 1 << 20
_TEXT: Final = (".ndjson", ".jsonl", ".json", ".toml")
_COMPRESSED: Final = {".gz": "gzip", ".zst": "zstd"}

# Gives the text of a file whose lines are not its bytes (Parquet), or None where it has no lines.
TextOf = Callable[[Path, str], U8 | None]


class Fingerprint(NamedTuple):
    """Hashes and size of a file; lines and line_root are None for a file without lines."""

    sha256: str
    bytes: int
    lines: int | None
    line_root: str | None


def fingerprint(path: Path, name: str, text_of: TextOf | None = None) -> Fingerprint:
    """The fingerprint of the file at ``path``, whose lines are told from its landing ``name``.

    The lines of a compressed file are those of its content. One that cannot be decompressed to its end, or to more than
    ``MOST_UNPACKED`` bytes, has none, and neither has footage.
    """
    ending = Path(name).suffix
    digest, size = hashlib.sha256(), 0
    plain = LineHasher() if ending in _TEXT else None
    for piece in _pieces(path):
        digest.update(piece)
        size += len(piece)
        if plain:
            plain.feed(piece)
    lines = plain or _decompressed(path, ending) or _decoded(path, name, text_of)
    if lines is None:
        return Fingerprint(digest.hexdigest(), size, None, None)
    count, root = lines.tree()
    return Fingerprint(digest.hexdigest(), size, count, root.hex())


def text_lines(path: Path, name: str, text_of: TextOf | None = None) -> list[bytes] | None:
    """The lines of a file, as its tree has them; None where it has none."""
    ending = Path(name).suffix
    if ending in _TEXT:
        text: bytes | None = path.read_bytes()
    elif ending in _COMPRESSED:
        text = _content(path, ending)
    else:
        found = text_of(path, name) if text_of else None
        text = None if found is None else found.tobytes()
    if text is None:
        return None
    lines = text.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def _content(path: Path, ending: str) -> bytes | None:
    try:
        return b"".join(_unpacked(path, ending))
    except OSError:
        return None


def _unpacked(path: Path, ending: str) -> Iterator[bytes]:
    """A compressed file's content in pieces; raises OSError where it is broken or too much."""
    size = 0
    with pa.OSFile(str(path)) as file, pa.CompressedInputStream(file, _COMPRESSED[ending]) as content:
        while piece := content.read(_PIECE):
            size += len(piece)
            if size > MOST_UNPACKED:
                raise OSError(f"{path}: unpacks to more than {MOST_UNPACKED} bytes")
            yield piece


def file_sha256(path: Path) -> tuple[str, int]:
    """The SHA-256 and the size of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there with all of its content, or not at all, whatever happens meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.write(content)  # never through a link left in its place
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(path)
    finally:
        unfinished.unlink(missing_ok=True)
    sync(path.parent)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def _decompressed(path: Path, ending: str) -> LineHasher | None:
    if ending not in _COMPRESSED:
        return None
    lines = LineHasher()
    try:
        for piece in _unpacked(path, ending):
            lines.feed(piece)
    except OSError:
        return None
    return lines


def _decoded(path: Path, name: str, text_of: TextOf | None) -> LineHasher | None:
    text = text_of(path, name) if text_of else None
    if text is None:
        return None
    lines = LineHasher()
    lines.feed(text)
    return lines
