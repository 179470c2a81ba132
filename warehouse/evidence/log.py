"""The evidence log: one line of canonical JSON per entry, only ever appended to.

Its Merkle tree is the tree over the file's lines. A last line without newline was left by a kill: it is no entry, and
the next append removes it first.
"""

import json
import os
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

from warehouse.disk import sync
from warehouse.evidence import merkle
from warehouse.evidence.entries import Custody, Entry, EvidenceError, FileRecord, Removed, canonical, problem

FOLDER: Final = "evidence"
NAME: Final = "log.ndjson"


class Held(NamedTuple):
    """A file in custody: its record, the entry that brought it, and the root of the log with that entry (hex)."""

    record: FileRecord
    log_index: int
    chain: str


class EvidenceLog:
    """The log in ``folder`` (``<lake>/evidence``). One process appends at a time; any number may read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME
        self._hasher = merkle.LineHasher()
        self._leaves = bytearray()
        self._ends = [0]  # where each entry ends in the file
        self._about: list[tuple[str, str]] = []  # kind and gaming day of each entry
        self._roots: dict[int, bytes] = {}
        if self.path.exists():
            with self.path.open("rb") as file:
                for line in file:
                    if line.endswith(b"\n"):
                        self._take(line)

    @property
    def size(self) -> int:
        """The number of entries."""
        return len(self._ends) - 1

    def append(self, entry: Mapping[str, Any]) -> int:
        """Add an entry and give its index; when this returns, it is on the disk."""
        if wrong := problem(entry):
            raise EvidenceError(f"{self.path}: this is no entry for the log: {wrong}")
        from warehouse.evidence import ahead  # which itself reads logs

        line = canonical(entry) + b"\n"
        self.folder.mkdir(parents=True, exist_ok=True)
        ahead.sign(self, line, self._root_with(line))
        fresh = not self.path.exists()
        with self.path.open("x+b" if fresh else "r+b") as file:
            self._cut_unfinished(file)
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        if fresh:
            sync(self.folder)
        self._take(line)
        return self.size - 1

    def entries(self, kind: str | None = None, gaming_day: str | None = None) -> Iterator[tuple[int, Entry]]:
        """The entries with their indexes, or those of one kind or day; the others are not read."""
        for index, (its_kind, its_day) in enumerate(self._about):
            if kind in (None, its_kind) and gaming_day in (None, its_day):
                yield index, self._entry(index)

    def entry(self, index: int) -> Entry:
        """The entry at an index, from 0."""
        return self._entry(index)

    def held(self, gaming_day: str) -> dict[str, Held]:
        """The files in custody for a day, by path; of a path that came with other bytes again, the newest."""
        held = {}
        for index, entry in self.entries("custody", gaming_day):
            chain = self.root(index + 1).hex()
            for record in cast(Custody, entry)["files"]:
                held[record["path"]] = Held(record, index, chain)
        return held

    def closed(self) -> dict[str, str]:
        """Gaming days that can no longer be judged again, with when and under which policy their evidence went."""
        found = {}
        for _, entry in self.entries("removed"):
            removed = cast(Removed, entry)
            if any(file["what"] in ("raw", "watched") for file in removed["files"]):
                when = f"removed by retention on {removed['at'][:10]} under policy {removed['policy']}"
                found[removed["gaming_day"]] = when
        return found

    def root(self, size: int | None = None) -> bytes:
        """The root of the tree over the first ``size`` entries, or over all."""
        size = self.size if size is None else size
        if size not in self._roots:
            whole = size == self.size
            self._roots[size] = self._hasher.tree().root if whole else merkle.root(self._first(size))
        return self._roots[size]

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """The path that proves the entry at ``index`` in the log of ``size`` entries."""
        return merkle.inclusion_path(self._first(self.size if size is None else size), index)

    def consistency(self, old: int, new: int | None = None) -> list[bytes]:
        """The path that proves that the log of ``old`` entries is the beginning of the log of ``new`` ones."""
        return merkle.consistency_path(self._first(self.size if new is None else new), old)

    def leaf_hashes(self, size: int) -> bytes:
        """The hashes of the first ``size`` entries, one after the other."""
        return self._first(size).tobytes()

    def _root_with(self, line: bytes) -> bytes:
        hasher = deepcopy(self._hasher)
        hasher.feed(line)
        return hasher.tree().root

    def _take(self, line: bytes) -> None:
        self._hasher.feed(line)
        self._leaves += merkle.leaf_hash(line[:-1])
        self._ends.append(self._ends[-1] + len(line))
        self._about.append((_text_after(b'"kind":"', line), _text_after(b'"gaming_day":"', line)))

    def _first(self, size: int) -> merkle.U8:
        if not 0 <= size <= self.size:
            raise ValueError(f"{self.path} has {self.size} entries: found a size of {size}, expected 0 to {self.size}")
        count = size * merkle.HASH_BYTES
        return merkle.hashes(bytes(self._leaves[:count]))

    def _cut_unfinished(self, file: BinaryIO) -> None:
        end = self._ends[-1]
        length = file.seek(0, os.SEEK_END)
        file.seek(min(end, length))
        if length < end or b"\n" in file.read():
            raise EvidenceError(f"{self.path} was changed meanwhile: found {length} bytes, expected {end}; run again")
        file.truncate(end)
        file.seek(end)

    def _entry(self, index: int) -> Entry:
        with self.path.open("rb") as file:
            file.seek(self._ends[index])
            line = file.read(self._ends[index + 1] - self._ends[index])
        try:
            entry = json.loads(line)
            wrong = problem(entry)
        except ValueError as error:
            wrong = str(error)
        if wrong:
            raise EvidenceError(f"{self.path}, line {index + 1}: {wrong}; run audit21 verify")
        return cast(Entry, entry)


def _text_after(mark: bytes, line: bytes) -> str:
    """The text after a mark, without parsing the line: inside a text of JSON a quote is never a bare one."""
    start = line.rfind(mark) + len(mark)
    return line[start : line.find(b'"', start)].decode("ascii", "replace") if start >= len(mark) else ""
