"""What is written into the evidence log of published days, sign-offs and keys, and signed."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from warehouse.evidence import checkpoint, handover, keys, pins
from warehouse.evidence.entries import Accepted
from warehouse.evidence.files import file_sha256
from warehouse.evidence.handover import KeyRefused
from warehouse.evidence.keys import Keyring
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
    require(lake, log, ring)
    keys.announce(log, ring)
    logged = max((entry["snapshot"] for _, entry in log.entries("published")), default=0)  # type: ignore[typeddict-item]
    newest = lake.snapshot()
    for number in range(logged + 1, newest.number + 1):
        snapshot = lake.snapshot(number)
        state = next(state for state in snapshot.days.values() if state.snapshot == number)
        log.append(_published(lake, snapshot, state))
    last = max(newest.days, default=now().date())
    return checkpoint.issue(log, ring, last, now())


def require(lake: Lake, log: EvidenceLog, ring: Keyring | None = None) -> None:
    """Refuse to write to a lake whose log was removed, replaced, or continued by a stranger: ``KeyRefused``."""
    if log.size == 0 and (published := lake.snapshot().number):
        raise KeyRefused(
            f"{log.path}: no log, but {published} published snapshots: it was removed. Restore {log.folder}"
        )
    handover.require(log, ring or keys.keyring(lake.path))


def accept_key(lake: Lake, log: EvidenceLog, now: Clock, key_id: str, by: str, reason: str) -> None:
    """Record that a person has confirmed a key that the key before it did not sign, and go on with it."""
    at = now()
    handover.accept(log, keys.keyring(lake.path), key_id, by, f"{at:%Y-%m-%d}")
    mend(lake, log, now)
    _record(lake, log, now, key_id, by, reason)


def pin_log(lake: Lake, log: EvidenceLog, now: Clock, by: str = "", reason: str = "") -> Path:
    """Pin a log's keys as they stand, on the word of a person; gives the pin's path.

    Where entries were removed or signed by nobody, ``by`` and ``reason`` confirm the log and are recorded.
    """
    ring, questions = keys.keyring(lake.path), list(handover.unconfirmed(log))
    if questions and not (by and reason):
        raise KeyRefused(questions[0])
    pin = handover.pin_first(log)
    if questions:
        pins.head_path(lake.path).unlink(missing_ok=True)
        checkpoint.issue(log, ring, max(lake.snapshot().days, default=now().date()), now())
        mend(lake, log, now)
        _record(lake, log, now, ring.current.key_id, by, reason)
    return pin.path


def rotate_key(lake: Lake, log: EvidenceLog, now: Clock) -> str:
    """Make a new signing key and let the present one sign the handover; gives the new key's id."""
    require(lake, log)
    path, previous = keys.private_path(), keys.previous_path()
    if previous.exists():
        raise KeyRefused(f"{previous}: a key from an earlier handover; remove it once every lake was run, then rotate")
    path.rename(previous)
    mend(lake, log, now)
    return keys.keyring(lake.path).current.key_id


def _record(lake: Lake, log: EvidenceLog, now: Clock, key_id: str, by: str, reason: str) -> None:
    at = now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    log.append(Accepted(kind="accepted", key_id=key_id, at=at, by=by, reason=reason))
    mend(lake, log, now)


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
