"""Redaction: salted hashes in place of withheld data, with the salts in the lake, and no proofs that reveal any."""

import hashlib
import hmac
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

from warehouse import signing
from warehouse.disk import sync
from warehouse.evidence.entries import EvidenceError, RedactionKey
from warehouse.evidence.log import EvidenceLog, stamp
from warehouse.lake.publications import log_of

NAME: Final = "redaction.key"
# A hash over fewer unknown lines than these could be guessed: the lines differ in little but a patron's number.
LEAST_UNKNOWN: Final = 8


def lake_key(lake: Path) -> bytes:
    """The secret that all salts of a lake come from; made, and recorded by its hash, where none is recorded yet."""
    log = log_of(lake)
    if log.last("redaction") is None:
        with log.locked():
            if log.last("redaction") is None:  # another process may have been quicker
                _make(lake, log)
    found = log.last("redaction")
    key = _read(lake)
    if found is None or fingerprint(key) != cast(RedactionKey, found[1])["fingerprint"]:
        raise EvidenceError(f"{lake / NAME}: not the key that the evidence log records; restore it from a backup")
    return key


def fingerprint(key: bytes) -> str:
    """Return the evidence log's entry about the key."""
    return hashlib.sha256(key).hexdigest()


def _read(lake: Path) -> bytes:
    try:
        return bytes.fromhex((lake / NAME).read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        raise EvidenceError(f"{lake / NAME}: not a redaction key: {error}; restore it from a backup") from error


def _make(lake: Path, log: EvidenceLog) -> None:
    """Make the key, first on the disk and then in the log: one that nobody recorded was never used."""
    key = secrets.token_bytes(32)
    unfinished = lake / f".{NAME}.{os.getpid()}"
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(f"{key.hex()}\n")
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(lake / NAME)
    sync(lake)
    about = {"kind": "redaction", "fingerprint": fingerprint(key)}
    signing.append(lake, log, {**about, "at": stamp(datetime.now(UTC))})


def salt(key: bytes, round_id: str, item: str) -> bytes:
    """The salt of one thing that was left out of one round's packets; telling it gives no other one away."""
    return hmac.digest(key, f"{round_id}\n{item}".encode(), "sha256")


def salted(key: bytes, round_id: str, item: str, value: bytes) -> str:
    """Return a value's replacement in a packet: HMAC-SHA-256 with its salt as the key."""
    return hmac.new(salt(key, round_id, item), value, hashlib.sha256).hexdigest()


def gives_away(index: int, size: int, secret: list[int], unknown: list[int]) -> bool:
    """Tell whether the path of a line would let others guess a secret line.

    ``secret`` and ``unknown`` have, up to each line, how many lines are secret and how many are not disclosed. A hash
    on the path that covers a secret line and only a few unknown ones can be tried out against every patron's number.
    """
    width, here = 1, index
    while width < size:
        sibling = here ^ 1
        first, last = min(sibling * width, size), min((sibling + 1) * width, size)
        if secret[last] - secret[first] and unknown[last] - unknown[first] < LEAST_UNKNOWN:
            return True
        width, here = width * 2, here >> 1
    return False
