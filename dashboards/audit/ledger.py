"""Publications and sign-offs of gaming days in the evidence log. The log only grows, so only new entries are read."""

import json
import threading
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

from warehouse.evidence import checkpoint
from warehouse.evidence.checkpoint import Checkpoint
from warehouse.evidence.log import FOLDER, NAME

_KINDS: Final = (b'"kind":"published"', b'"kind":"signoff"')


@dataclass(frozen=True)
class Entry:
    """An entry about a day: published, or signed off by somebody."""

    index: int
    kind: str
    day: date
    snapshot: int
    by: str
    note: str


class Ledger:
    """The entries of a lake's log about its days."""

    def __init__(self, lake: Path) -> None:
        self._folder = lake / FOLDER
        self._lock = threading.Lock()
        self._read = 0  # bytes
        self._size = 0  # entries
        self._entries: list[Entry] = []

    def entries(self, day: date, kind: str) -> list[Entry]:
        """The entries of a kind about a day, the oldest first."""
        self._read_on()
        return [entry for entry in self._entries if (entry.day, entry.kind) == (day, kind)]

    def covering(self, entry: Entry) -> Checkpoint | None:
        """The first checkpoint that an entry is in: it stays the same, whatever comes after."""
        sizes = (int(path.stem) for path in (self._folder / checkpoint.FOLDER).glob("[0-9]*.txt"))
        size = min((size for size in sizes if size > entry.index), default=None)
        return None if size is None else checkpoint.parse(checkpoint.path_of(self._folder, size).read_bytes())

    def _read_on(self) -> None:
        path = self._folder / NAME
        with self._lock:
            size = path.stat().st_size if path.exists() else 0
            if size == self._read:
                return
            if size < self._read:  # the lake was restored to an earlier state
                self._read, self._size, self._entries = 0, 0, []
            with path.open("rb") as log:
                log.seek(self._read)
                for line in log:
                    if not line.endswith(b"\n"):  # somebody is writing it
                        break
                    if any(kind in line for kind in _KINDS):
                        self._entries.append(_entry(self._size, line))
                    self._read += len(line)
                    self._size += 1


@cache
def ledger(lake: Path) -> Ledger:
    """The ledger of a lake, one for all requests."""
    return Ledger(lake)


def _entry(index: int, line: bytes) -> Entry:
    found = json.loads(line)
    day = date.fromisoformat(found["gaming_day"])
    return Entry(index, found["kind"], day, found["snapshot"], found.get("by", ""), found.get("note", ""))
