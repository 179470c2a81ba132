"""Ways in which landing files go wrong, each drawn from a seed."""

import gzip
import io
import json
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import polars as pl
import pyarrow as pa

Lines = list[bytes]

ODD_VALUES: Final[tuple[Any, ...]] = (
    *(None, True, "", " ", "\x00", "\ud83c\udca1", "é" * 300, "x" * 70_000, "../../etc", "'; --", "NaN", "7S", "TS"),
    *(0, -1, 1, 2, 127, 128, 255, 256, 32768, 2**31, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -(2**63), 10**30, 0.5, 1e308),
    *([], [[]], ["a", 1], [1, 2, 3], list(range(500)), {}, {"a": {"b": 1}}),
    *("0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999+00:00", "2026-01-05T10:00:00+23:59", "2026-02-30T00:00:00Z"),
    *("2026-01-06T10:00:00.000-05:00", "2019-01-05T10:00:00.000Z", "1970-01-01T00:00:00.000Z", "now"),
)
ODD_NAMES: Final = (
    "terminal 1",
    "terminal'\"",
    "terminal:2",
    "terminal-ü",
    "shoe;x",
    "camera-\n",
    "shoe#%3d=",
    "x" * 90,
)
ODD_FOLDERS: Final = ("P21 é\n", "'", "-rf", "..x", "a=b", "%2e", "x" * 200, "\U0001f0a1", "NULL", "~", "con.ndjson")


# The bytes of a file.


def cut(data: bytes, chance: Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def cut_front(data: bytes, chance: Random) -> bytes:
    return data[chance.randrange(len(data) + 1) :]


def flip_bits(data: bytes, chance: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 3, 30)) if data else 0):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def overwrite(data: bytes, chance: Random) -> bytes:
    start, size = chance.randrange(len(data) + 1), chance.randrange(1, 2000)
    filler = chance.choice((bytes(size), b"\xff" * size, chance.randbytes(size), b"\n" * size, b'"' * size))
    return data[:start] + filler + data[start + size :]


def repeat_block(data: bytes, chance: Random) -> bytes:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:end] + data[end:]


def drop_block(data: bytes, chance: Random) -> bytes:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[end:]


def empty(data: bytes, chance: Random) -> bytes:
    return chance.choice((b"", b"\n", b"\n\n\n", b" ", b"\x00", b"\r\n", b"\xef\xbb\xbf", data[:1]))


BYTES: Final = (cut, cut_front, flip_bits, overwrite, repeat_block, drop_block, empty)


# The lines of a file, whatever they are packed in.


def repeat_lines(lines: Lines, chance: Random) -> Lines:
    start, end = sorted(chance.randrange(len(lines) + 1) for _ in range(2))
    place = chance.choice((end, len(lines), 0))
    return lines[:place] + lines[start:end] + lines[place:]


def reorder(lines: Lines, chance: Random) -> Lines:
    return chance.choice((lines[::-1], sorted(lines), chance.sample(lines, len(lines))))


def drop_lines(lines: Lines, chance: Random) -> Lines:
    share = chance.random()
    return [line for line in lines if chance.random() < share]


def line_ends(lines: Lines, chance: Random) -> Lines:
    end = chance.choice((b"\r", b" ", b"\t\r", b"\x00", b"\x0b"))
    return [line + end for line in lines]


def byte_order_mark(lines: Lines, chance: Random) -> Lines:
    return [b"\xef\xbb\xbf" + line if number == 0 or chance.random() < 0.05 else line for number, line in _each(lines)]


def other_encoding(lines: Lines, chance: Random) -> Lines:
    name = chance.choice(("utf-16", "utf-16-be", "utf-32", "latin-1", "utf-7"))
    from_line = chance.randrange(len(lines) + 1)
    text = "\n".join(line.decode("utf-8", "replace") for line in lines[from_line:]) + "\nü\n"
    return [*lines[:from_line], *text.encode(name, "replace").split(b"\n")]


def strange_lines(lines: Lines, chance: Random) -> Lines:
    strange = chance.choice(
        (
            b"x" * 3_000_000,
            b'{"table":' + b"[" * 200_000,
            b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
            b'{"seq":' + b"9" * 20_000 + b"}",
            b'{"seq":1e999,"ts":-1e-999}',
            bytes(5_000),
            b"null",
            b'"\\ud800"',
            chance.randbytes(300).replace(b"\n", b""),
        )
    )
    place = chance.randrange(len(lines) + 1)
    return [*lines[:place], strange, *lines[place:]]


def odd_values(lines: Lines, chance: Random) -> Lines:
    """Fields with values that a device would never send, in lines that are good JSON."""
    share = chance.choice((0.01, 0.1, 0.9))
    only = chance.choice((None, "seq", "ts", "cents", "round", "shoe", "n", "seat"))
    value = chance.choice(ODD_VALUES)
    return [_odd(line, only, value, chance) if chance.random() < share else line for line in lines]


def _odd(line: bytes, only: str | None, value: Any, chance: Random) -> bytes:
    try:
        event = json.loads(line)
    except ValueError:
        return line
    if not isinstance(event, dict) or not event or (only and only not in event):
        return line
    name = only or chance.choice(list(event))
    return json.dumps(event | {name: value if only else chance.choice(ODD_VALUES)}).encode()


def _each(lines: Lines) -> list[tuple[int, bytes]]:
    return list(enumerate(lines))


LINES: Final = (
    *(repeat_lines, reorder, drop_lines, line_ends, byte_order_mark, other_encoding, strange_lines, odd_values),
    odd_values,  # twice, for what looks good goes deepest
)


def packed_lines(path: Path) -> Lines | None:
    """The lines of a file, None where it is packed so that they cannot be told."""
    data = path.read_bytes()
    try:
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        elif path.suffix == ".zst":
            data = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()
        elif path.suffix == ".parquet":
            return None
    except (OSError, EOFError, zlib.error, pa.ArrowException):
        return None
    lines = data.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def _pack(path: Path, lines: Lines, chance: Random) -> None:
    data = b"\n".join(lines) + b"\n" * (chance.random() < 0.8)
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".zst":
        packed = io.BytesIO()
        with pa.CompressedOutputStream(packed, "zstd") as stream:
            stream.write(data)
            stream.flush()
            data = b""
        data = packed.getvalue() if not packed.closed else data
    path.write_bytes(data)


def change_columns(path: Path, chance: Random) -> None:
    """Parquet whose columns are not as they should be."""
    rows = pl.read_parquet(path)
    name = chance.choice(rows.columns)
    changed = {
        "less": lambda: rows.drop(name),
        "text": lambda: rows.with_columns(pl.col(name).cast(pl.String, strict=False)),
        "null": lambda: rows.with_columns(pl.lit(None).alias(name)),
        "more": lambda: rows.with_columns(pl.struct(pl.all()).alias("more")),
        "none": lambda: rows.clear(),
        "mixed": lambda: rows.sample(fraction=1.5, with_replacement=True, seed=chance.randrange(99)),
    }
    changed[chance.choice(list(changed))]().write_parquet(path)


# The file itself.


def other_ending(path: Path, chance: Random) -> None:
    ending = chance.choice((".ndjson", ".gz", ".zst", ".parquet", ".ndjson.gz", ".txt", ""))
    path.rename(path.with_name(path.name.partition(".")[0] + ending))


def other_name(path: Path, chance: Random) -> None:
    path.rename(path.with_name(chance.choice(ODD_NAMES) + "".join(path.suffixes)))


def name_that_is_no_text(path: Path, chance: Random) -> None:
    path.rename(os.fsdecode(os.fsencode(path.parent) + b"/terminal\xff" + path.suffix.encode()))


def other_source(path: Path, chance: Random) -> None:
    source = chance.choice(("terminal", "shoe", "camera", "footage"))
    path.rename(path.with_name(f"{source}-{chance.randrange(9)}{path.suffix}"))


def folder_instead(path: Path, chance: Random) -> None:
    path.unlink()
    (path / "terminal.ndjson").mkdir(parents=True)


def pipe_instead(path: Path, chance: Random) -> None:
    path.unlink()
    os.mkfifo(path)


def link_instead(path: Path, chance: Random) -> None:
    """A link to nowhere, to itself, or to something that opens but cannot be read."""
    path.unlink()
    path.symlink_to(chance.choice(("nowhere", path.name, "/proc/self/mem", "/")))


def gone(path: Path, chance: Random) -> None:
    path.unlink()


def copied(path: Path, chance: Random) -> None:
    path.with_name(f"{path.name.partition('.')[0]}-again{''.join(path.suffixes)}").write_bytes(path.read_bytes())


FILES: Final = (
    *(other_ending, other_name, name_that_is_no_text, other_source),
    *(folder_instead, pipe_instead, link_instead, gone, copied),
)


def damage(path: Path, chance: Random) -> str:
    """Damage a file in some way; says in which."""
    kind = chance.choice(("bytes", "bytes", "lines", "lines", "lines", "file"))
    if kind == "lines" and (lines := packed_lines(path)) is not None:
        of_lines = chance.choice(LINES)
        _pack(path, of_lines(lines, chance), chance)
        return of_lines.__name__
    if kind == "lines" and path.suffix == ".parquet" and _is_parquet(path):
        change_columns(path, chance)
        return change_columns.__name__
    if kind == "file":
        of_file: Callable[[Path, Random], None] = chance.choice(FILES)
        of_file(path, chance)
        return of_file.__name__
    of_bytes = chance.choice(BYTES)
    path.write_bytes(of_bytes(path.read_bytes(), chance))
    return of_bytes.__name__


def _is_parquet(path: Path) -> bool:
    data = path.read_bytes()
    try:
        pl.read_parquet(data)
    except Exception:
        return False
    return True
