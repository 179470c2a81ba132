"""Contents of files as rows of plain dictionaries, from the compiled reader and from the careful reader alone."""

from collections.abc import Collection
from typing import Any

from pipelines.ingest.careful import BOM, Rejected, read_line
from pipelines.ingest.read import FileLines, read_file
from replay.columns import ABSENT, NUMBERS, TEXTS, TYPES, Columns

Row = dict[str, Any]


def rows(columns: Columns, words: list[str]) -> list[Row]:
    """Each row with the fields that it has."""
    found: list[Row] = []
    for at in range(len(columns.line)):
        row: Row = {"line": int(columns.line[at]), "type": TYPES[columns.type[at]]}
        row["offset_minutes"] = int(columns.offset_minutes[at])
        numbers = zip(NUMBERS, columns.numbers[:, at].tolist(), strict=True)
        row |= {name: number for name, number in numbers if number != ABSENT}
        row |= {name: words[word] for name, word in zip(TEXTS, columns.texts[:, at].tolist(), strict=True) if word}
        found.append(row)
    return found


def read(text: bytes, source: str = "terminal", table: str = "T1", known: Collection[str] = ("T1", "T2")) -> FileLines:
    """A plain file, as the pipeline reads it."""
    return read_file(text, f"{source}.ndjson", source, table, known)


def read_carefully(
    text: bytes, source: str = "terminal", table: str = "T1", known: Collection[str] = ("T1", "T2")
) -> tuple[list[Row], list[tuple[int, str, bytes]]]:
    """The good rows of a file and the bad lines, every line by the careful reader."""
    good: list[Row] = []
    bad = []
    *lines, last = text.split(b"\n")
    for number, raw in enumerate([*lines, last] if last else lines, 1):
        found = read_line(raw.removeprefix(BOM) if number == 1 else raw, source, table, known)
        if isinstance(found, Rejected):
            bad.append((number, found.reason, raw))
        else:
            good.append({"line": number} | {name: value for name, value in found.items() if value != ""})
    return good, bad


def assert_same(text: bytes, source: str = "terminal") -> FileLines:
    """The file as read, which must be what the careful reader alone makes of it."""
    found = read(text, source)
    good, bad = read_carefully(text, source)
    assert rows(found.columns, found.words) == good
    assert [tuple(line) for line in found.quarantined] == bad
    return found
