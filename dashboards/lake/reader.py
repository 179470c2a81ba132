"""Reader of the lake: the newest snapshot, and those still open. Nothing here waits for a running pipeline."""

import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Final

from dashboards.lake.pinned import Pinned
from warehouse.lake import Lake, Snapshot
from warehouse.lake.delta import LOG
from warehouse.schemas import SNAPSHOTS

MOST_OPEN: Final = 6
# A folder that changed so short a time ago may change again without a later time showing on it.
_SETTLED_NS: Final = 2_000_000_000


class LakeReader:
    """The lake of a server. Snapshots stay open for the next request; new ones are noticed when they are there."""

    def __init__(self, path: Path) -> None:
        self.lake = Lake.open(path)
        self._lock = threading.Lock()
        self._seen_ns = 0
        self._newest: Snapshot | None = None
        self._open: OrderedDict[int, Pinned] = OrderedDict()

    def newest(self) -> Snapshot:
        """The newest snapshot."""
        with self._lock:
            return self._find_newest()

    def pin(self, number: int | None = None) -> Pinned:
        """A snapshot to read from, the newest unless told; ``LakeError`` where there is none of that number."""
        with self._lock:
            newest = self._find_newest()
            key = newest.number if number is None else number
            if key not in self._open:
                self._open[key] = Pinned(self.lake, newest if key == newest.number else self.lake.snapshot(key))
            self._open.move_to_end(key)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)  # who still reads from it goes on
            return self._open[key]

    def close(self) -> None:
        """Let go of all snapshots."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].close()

    def _find_newest(self) -> Snapshot:
        changed_ns = (self.lake.path / SNAPSHOTS.name / LOG).stat().st_mtime_ns
        if self._newest is None or changed_ns != self._seen_ns:
            self._newest = self.lake.snapshot()
            settled = time.time_ns() - changed_ns > _SETTLED_NS
            self._seen_ns = changed_ns if settled else 0
        return self._newest
