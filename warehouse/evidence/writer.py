"""Appends to the evidence log: each entry is signed before it is written, and gets its own checkpoint afterwards.

Killed in between, the entry is covered by the note on it (``ahead``), and the next writer issues the checkpoint.
"""

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from warehouse.evidence import checkpoint, keys
from warehouse.evidence.keys import Keyring
from warehouse.evidence.log import EvidenceLog, moment


def append(log: EvidenceLog, ring: Keyring, entry: Mapping[str, Any]) -> int:
    """Append a signed entry that names its time; gives its index."""
    time = moment(entry["at"])
    with log.locked():
        sign(log, ring, time)
        index = log.append({**entry, **log.stamp(time)})
        _issue(log, ring, time)
    return index


def sign(log: EvidenceLog, ring: Keyring, time: datetime) -> Path:
    """Sign the log as it stands; ``EvidenceError`` if it differs from the log signed before or may not be ours."""
    with log.locked():
        checkpoint.newest(log)
        keys.announce(log, ring)
        return _issue(log, ring, time)


def _issue(log: EvidenceLog, ring: Keyring, time: datetime) -> Path:
    return checkpoint.issue(log, ring, date.fromisoformat(log.last_day() or f"{time:%Y-%m-%d}"), time)
