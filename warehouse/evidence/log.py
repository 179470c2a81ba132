"""The evidence log: one line of canonical JSON per entry, only ever appended to.

Its Merkle tree is the tree over the file's lines. A last line without newline was left by a kill: it is no entry, and
the next append removes it first. Several processes may append: each holds the file for as long as that takes, and
reads first what the others wrote.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

from warehouse import folders
from warehouse.disk import sync
from warehouse.evidence import merkle
from warehouse.evidence.entries import Custody, Entry, EvidenceError, FileRecord, Removed, canonical, problem

FOLDER: Final = folders.EVIDENCE
NAME: Final = "log.ndjson"
CHECKPOINTS: Final = "checkpoints"


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
        self._newest_at = ""  # the latest time that an entry names
        self._held: BinaryIO | None = None
        if self.path.exists():
            with self.path.open("rb") as file:
                self._read_on(file)

    @property
    def size(self) -> int:
        """The number of entries."""
        return len(self._ends) - 1

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the log, so that no other process appends; entries appended by others before are read first."""
        if self._held:
            yield
            return
        fresh = not self.path.exists()
        self.folder.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644), "r+b") as file:
            if fresh:
                sync(self.folder)
            fcntl.flock(file, fcntl.LOCK_EX)
            self._catch_up(file)
            self._held = file
            try:
                yield
            finally:
                self._held = None

    def append(self, entry: Mapping[str, Any]) -> int:
        """Add an entry, signed before it is written, and give its index; when this returns, it is on the disk."""
        from warehouse.evidence import ahead  # which itself reads logs

        line = self.line(entry)
        with self.locked():
            assert self._held
            ahead.sign(self, line, self.root_with(line))
            self._held.seek(self._ends[-1])
            self._held.write(line)
            self._held.flush()
            os.fsync(self._held.fileno())
            self._take(line)
        return self.size - 1

    def line(self, entry: Mapping[str, Any]) -> bytes:
        """Return an entry's line in the log, with its newline; ``EvidenceError`` for an index without an entry."""
        if wrong := problem(entry):
            raise EvidenceError(f"{self.path}: this is no entry for the log: {wrong}")
        return canonical(entry) + b"\n"

    def root_with(self, line: bytes) -> bytes:
        """The root that the log will have with one more line."""
        hasher = deepcopy(self._hasher)
        hasher.feed(line)
        return hasher.tree().root

    def stamp(self, time: datetime) -> dict[str, Any]:
        """The time of an entry to be appended; where the clock was set back, by how much it is behind the log."""
        at = stamp(time)
        if at >= self._newest_at:
            return {"at": at}
        return {"at": at, "set_back_ms": round((moment(self._newest_at) - moment(at)).total_seconds() * 1000)}

    def entries(self, kind: str | None = None, gaming_day: str | None = None) -> Iterator[tuple[int, Entry]]:
        """The entries with their indexes, or those of one kind or day; the others are not read."""
        for index, (its_kind, its_day) in enumerate(self._about):
            if kind in (None, its_kind) and gaming_day in (None, its_day):
                yield index, self._entry(index)

    def newest(self, kind: str, before: int | None = None) -> dict[str, tuple[int, Entry]]:
        """The newest entry of a kind for each gaming day, or the newest before an index; no other is read."""
        found = {day: index for index, (its_kind, day) in enumerate(self._about[:before]) if its_kind == kind}
        return {day: (index, self._entry(index)) for day, index in sorted(found.items())}

    def last(self, kind: str, before: int | None = None) -> tuple[int, Entry] | None:
        """The newest entry of a kind, or the newest before an index."""
        for index in range(self.size if before is None else before)[::-1]:
            if self._about[index][0] == kind:
                return index, self._entry(index)
        return None

    def kinds(self, start: int = 0) -> list[str]:
        """The kinds of the entries from an index on."""
        return [kind for kind, _ in self._about[start:]]

    def last_day(self) -> str:
        """The latest gaming day that an entry is about; empty where there is none."""
        return max((day for _, day in self._about), default="")

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
        return b"".join(self._first(size))

    def _take(self, line: bytes) -> None:
        self._hasher.feed(line)
        self._leaves += merkle.leaf_hash(line[:-1])
        self._ends.append(self._ends[-1] + len(line))
        self._about.append((_text_after(b'"kind":"', line), _text_after(b'"gaming_day":"', line)))
        self._newest_at = max(self._newest_at, _text_after(b'"at":"', line))

    def _read_on(self, file: BinaryIO) -> None:
        """Take the whole lines from here on."""
        for line in file:
            if line.endswith(b"\n"):
                self._take(line)

    def _first(self, size: int) -> list[bytes]:
        if not 0 <= size <= self.size:
            raise ValueError(f"{self.path} has {self.size} entries: found a size of {size}, expected 0 to {self.size}")
        count = size * merkle.HASH_BYTES
        return merkle.hashes(bytes(self._leaves[:count]))

    def _catch_up(self, file: BinaryIO) -> None:
        """Read the entries that others appended, and truncate a partial line left by a killed process."""
        end, length = self._ends[-1], file.seek(0, os.SEEK_END)
        if length < end:
            raise EvidenceError(f"{self.path} was changed meanwhile: found {length} bytes, expected {end}; run again")
        file.seek(end)
        self._read_on(file)
        named = (path.stem for path in (self.folder / CHECKPOINTS).glob("[0-9]*.txt"))
        signed = max((int(name) for name in named if name.isdecimal()), default=0)
        if signed > self.size:  # a last line whose newline was changed is evidence, not left by a kill
            raise EvidenceError(
                f"{self.path} has {self.size} whole entries, but a checkpoint of {signed} was signed: "
                "entries were changed or removed. Run audit21 verify and restore the evidence folder"
            )
        file.truncate(self._ends[-1])

    def _entry(self, index: int) -> Entry:
        with self.path.open("rb") as file:
            file.seek(self._ends[index])
            line = file.read(self._ends[index + 1] - self._ends[index])
        try:
            entry = json.loads(line)
            wrong = problem(entry)
        except (ValueError, RecursionError) as error:
            wrong = str(error)
        if wrong:
            raise EvidenceError(f"{self.path}, line {index + 1}: {wrong}; run audit21 verify")
        return cast(Entry, entry)


def _text_after(mark: bytes, line: bytes) -> str:
    """The text after a mark, without parsing the line: inside a text of JSON a quote is never a bare one."""
    start = line.rfind(mark) + len(mark)
    return line[start : line.find(b'"', start)].decode("ascii", "replace") if start >= len(mark) else ""


def stamp(time: datetime) -> str:
    """A time as entries have it: UTC, in milliseconds."""
    return f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"


def moment(at: str) -> datetime:
    """The time that an entry names."""
    return datetime.strptime(at, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
