"""Appends to the evidence log: what is written is signed first, so that an entry without signature was never ours.

The checkpoint of the log with the new entry is written as ``.pending``, then the entry, then the checkpoint gets its
name. Killed in between, the next writer either finds the entry and completes the checkpoint, or drops it.
"""

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from warehouse.disk import sync
from warehouse.evidence import checkpoint, keys
from warehouse.evidence.checkpoint import CheckpointError
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.files import write_whole
from warehouse.evidence.keys import Keyring
from warehouse.evidence.log import EvidenceLog, moment

# What a killed run can leave without a checkpoint. Everything else is signed before it is written.
UNSIGNED: Final = frozenset({"key"})
_PENDING: Final = ".pending"


def append(log: EvidenceLog, ring: Keyring, entry: Mapping[str, Any]) -> int:
    """Append a signed entry that names its time; gives its index."""
    time = moment(entry["at"])
    with log.locked():
        complete(log)
        check(log)
        keys.announce(log, ring)
        stamped = {**entry, **log.stamp(time)}
        day = date.fromisoformat(stamped.get("gaming_day") or log.last_day() or f"{time:%Y-%m-%d}")
        note = checkpoint.sign(log, ring, log.size + 1, log.root_with(log.line(stamped)), day, time)
        write_whole(_pending(log), note)
        index = log.append(stamped)
        _name_pending(log)
    return index


def sign(log: EvidenceLog, ring: Keyring, time: datetime) -> Path:
    """Sign what the log has; ``EvidenceError`` where that is not what was signed before, or could not be ours."""
    with log.locked():
        complete(log)
        check(log)
        keys.announce(log, ring)
        return checkpoint.issue(log, ring, date.fromisoformat(log.last_day() or f"{time:%Y-%m-%d}"), time)


def complete(log: EvidenceLog) -> None:
    """Give a checkpoint its name where a kill kept its writer from that."""
    path = _pending(log)
    if not path.exists():
        return
    if _covers(path, log):
        _name_pending(log)
    else:  # signed for an entry that was never written
        path.unlink()


def check(log: EvidenceLog) -> None:
    """``EvidenceError`` where the log does not continue its newest checkpoint, signed by a key of its own."""
    newest = checkpoint.newest(log)
    if newest and not checkpoint.check(newest, (public for _, _, public in keys.introduced(log)))[0]:
        raise CheckpointError(
            f"{log.folder}: no key of the log signed the checkpoint of {newest.size} entries; nothing is done. "
            "Run audit21 verify and restore the evidence folder"
        )
    first = newest.size if newest else 0
    strange = [(n, kind) for n, kind in enumerate(log.kinds(first), first + 1) if kind not in UNSIGNED]
    if strange:
        number, kind = strange[0]
        raise EvidenceError(
            f'{log.path}, line {number}: found an entry "{kind}" that nobody signed, expected none after the '
            f"checkpoint of {first} entries; nothing is done. Run audit21 verify"
        )


def is_pending(log: EvidenceLog) -> bool:
    """Whether a writer signed all that the log has, and was killed before the checkpoint got its name."""
    path = _pending(log)
    return path.exists() and _covers(path, log)


def _pending(log: EvidenceLog) -> Path:
    return log.folder / checkpoint.FOLDER / _PENDING


def _covers(path: Path, log: EvidenceLog) -> bool:
    try:
        found = checkpoint.parse(path.read_bytes())
    except CheckpointError:
        return False
    signers, _ = checkpoint.check(found, (public for _, _, public in keys.introduced(log)))
    return bool(signers) and found.size == log.size and found.root == log.root()


def _name_pending(log: EvidenceLog) -> None:
    pending = _pending(log)
    pending.rename(checkpoint.path_of(log.folder, log.size))
    sync(pending.parent)
