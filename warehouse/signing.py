"""Signed entries of a lake's evidence log: publications, sign-offs, keys, and other records."""

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, Literal, cast

from warehouse.evidence import checkpoint, handover, keys, pins, writer
from warehouse.evidence.entries import Made
from warehouse.evidence.files import file_sha256
from warehouse.evidence.handover import KeyRefused
from warehouse.evidence.keys import Keyring
from warehouse.evidence.log import EvidenceLog, stamp
from warehouse.lake import Lake, LakeError

Clock = Callable[[], datetime]
CASES: Final = "cases.db"  # the database of cases, where it lies in the lake
_ONE_REQUEST: Final = threading.Lock()


class DayChanged(LakeError):
    """A day is published in another state than the one that somebody stands by."""


def one_request() -> AbstractContextManager[bool]:
    """Hold off other threads that write the log: the lake's lock holds off other processes only."""
    return _ONE_REQUEST


def append(lake: Path, log: EvidenceLog, entry: Mapping[str, Any]) -> int:
    """Write a signed entry, which names its time, into the log, with the head of the accounts' activity log.

    ``KeyRefused`` where the log has a signing key and none is at hand: none is made then.
    """
    if log.size and not (path := keys.private_path()).exists():
        raise KeyRefused(
            f"{path}: no signing key, expected the one that signs {lake}, as nothing is recorded unsigned; set "
            "AUDIT21_KEY to its path"
        )
    head = activity_head(lake)
    return writer.append(log, keys.keyring(lake), {**entry, **({"activity": head} if head else {})})


class Recorder:
    """Records files that are made from films, so that nothing is shown or built upon that nobody signed."""

    def __init__(self, lake: Path, log: EvidenceLog, now: Clock) -> None:
        self.lake = lake
        self.log = log
        self.now = now
        self._one_at_a_time = threading.Lock()

    def record(self, kind: Literal["watched", "stills"], day: date, paths: Sequence[str]) -> None:
        """Record files of a gaming day by their paths below the lake."""
        files = [
            dict(zip(("path", "sha256", "bytes"), (path, *file_sha256(self.lake / path)), strict=True))
            for path in paths
        ]
        about = {"kind": kind, "gaming_day": day.isoformat(), "files": files}
        with self._one_at_a_time:
            append(self.lake, self.log, {**about, "at": stamp(self.now())})

    def is_recorded(self, kind: Literal["watched", "stills"], path: str) -> bool:
        """Tell whether a file is there as it was recorded last."""
        with self._one_at_a_time:
            known = recorded(self.log, kind).get(path)
        try:
            return known is not None and known == file_sha256(self.lake / path)[0]
        except OSError:
            return False


def recorded(log: EvidenceLog, kind: Literal["watched", "stills"]) -> dict[str, str]:
    """The hashes of the files of a kind that are recorded, by path; the newest of each path."""
    entries = (cast(Made, entry) for _, entry in log.entries(kind))
    return {file["path"]: file["sha256"] for entry in entries for file in entry["files"]}


def mend(lake: Lake, log: EvidenceLog, now: Clock) -> Path:
    """Sign what the log has and complete what it says was published; also after a kill in between.

    Whoever calls this holds the lake's lock, as for ``sign_off``. Gives the path of the checkpoint.
    """
    ring = keys.keyring(lake.path)
    require(lake, log, ring)
    path = writer.sign(log, ring, now())
    lake.complete(log)
    return path


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
    append(lake.path, log, {"kind": "accepted", "key_id": key_id, "at": stamp(now()), "by": by, "reason": reason})


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
    about = {"gaming_day": day.isoformat(), "snapshot": state.snapshot, "by": by, "note": note}
    append(lake.path, log, {"kind": "signoff", "at": stamp(now()), **about})
    return state.snapshot


def is_signed(log: EvidenceLog, day: date) -> bool:
    """Tell whether audit has signed a day off, in whatever state."""
    return any(True for _ in log.entries("signoff", day.isoformat()))


def activity_head(lake: Path) -> dict[str, Any] | None:
    """Number and hash of the newest row of the activity log of the lake's cases; None where it is not at hand."""
    path = lake / CASES
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT number, hash FROM activity ORDER BY number DESC LIMIT 1").fetchone()
    except sqlite3.Error:
        return None
    return {"number": row[0], "hash": row[1]} if row else None
