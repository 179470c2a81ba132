"""What the evidence log says of published days: which files hold their verdicts, and who stands by them."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from warehouse.evidence import checkpoint, keys
from warehouse.evidence.files import file_sha256
from warehouse.evidence.log import EvidenceLog
from warehouse.lake import DayState, Lake, LakeError, Snapshot
from warehouse.schemas import DATASETS

Clock = Callable[[], datetime]
_ONE_REQUEST: Final = threading.Lock()


class DayChanged(LakeError):
    """A day is published in another state than the one that somebody stands by."""


def one_request() -> AbstractContextManager[bool]:
    """Hold off other threads that write the log: the lake's lock holds off other processes only."""
    return _ONE_REQUEST


def mend(lake: Lake, log: EvidenceLog, now: Clock) -> Path:
    """Write into the log what was published and is not there yet, and sign it; also after a kill in between.

    Whoever calls this holds the lake's lock, as for ``sign_off``. Gives the path of the checkpoint.
    """
    ring = keys.keyring(lake.path)
    keys.announce(log, ring)
    logged = max((entry["snapshot"] for _, entry in log.entries("published")), default=0)  # type: ignore[typeddict-item]
    newest = lake.snapshot()
    for number in range(logged + 1, newest.number + 1):
        snapshot = lake.snapshot(number)
        state = next(state for state in snapshot.days.values() if state.snapshot == number)
        log.append(_published(lake, snapshot, state))
    last = max(newest.days, default=now().date())
    return checkpoint.issue(log, ring, last, now())


def sign_off(
    lake: Lake, log: EvidenceLog, now: Clock, day: date, by: str, note: str, snapshot: int | None = None
) -> int:
    """Record that audit stands by a day as it is published; the snapshot in which it is.

    ``snapshot`` is the one that was looked at: ``DayChanged`` where the day was published anew since.
    """
    mend(lake, log, now)
    state = lake.day_state(day)
    if state is None:
        raise LakeError(f"{lake.path}: {day} is not published; there is nothing to sign off")
    if snapshot not in (None, state.snapshot):
        raise DayChanged(f"{day} was published anew as snapshot {state.snapshot}; snapshot {snapshot} was signed")
    log.append({"kind": "signoff", "gaming_day": day.isoformat(), "snapshot": state.snapshot, "by": by, "note": note})
    mend(lake, log, now)
    return state.snapshot


def is_signed(log: EvidenceLog, day: date) -> bool:
    """Whether audit has signed a day off, in whatever state."""
    return any(True for _ in log.entries("signoff", day.isoformat()))


def _published(lake: Lake, snapshot: Snapshot, state: DayState) -> dict[str, Any]:
    parts = {}
    for name in DATASETS:
        files = [Path(file) for file in lake.files(name, snapshot, [state.gaming_day])]
        parts[name] = [_part(lake.path, file) for file in files]
    return {
        "kind": "published",
        "gaming_day": state.gaming_day.isoformat(),
        "snapshot": state.snapshot,
        "inputs": state.inputs,
        "reason": state.reason,
        "restates": state.restates,
        "parts": {name: files for name, files in parts.items() if files},
    }


def _part(lake: Path, file: Path) -> dict[str, Any]:
    sha256, size = file_sha256(file)
    return {"path": file.relative_to(lake).as_posix(), "sha256": sha256, "bytes": size}
