"""What stands in a packet for what is left out: salted hashes, with the salts in the lake, and no telling proofs."""

import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Final

from warehouse.disk import sync

NAME: Final = "redaction.key"
# A hash over fewer unknown lines than these could be guessed: the lines differ in little but a patron's number.
LEAST_UNKNOWN: Final = 8


def lake_key(lake: Path) -> bytes:
    """The secret that all salts of a lake come from; made the first time something is left out."""
    path = lake / NAME
    if not path.exists():
        unfinished = path.with_name(f".{NAME}.{os.getpid()}")
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{secrets.token_hex(32)}\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(unfinished, path)  # unlike a rename, never in place of one that another process made meanwhile
        except FileExistsError:
            pass
        finally:
            unfinished.unlink()
        sync(lake)
    return bytes.fromhex(path.read_text(encoding="ascii").strip())


def salt(key: bytes, round_id: str, item: str) -> bytes:
    """The salt of one thing that was left out of one round's packets; telling it gives no other one away."""
    return hmac.digest(key, f"{round_id}\n{item}".encode(), "sha256")


def salted(key: bytes, round_id: str, item: str, value: bytes) -> str:
    """What stands in a packet for a value: HMAC-SHA-256 with its salt as the key."""
    return hmac.new(salt(key, round_id, item), value, hashlib.sha256).hexdigest()


def gives_away(index: int, size: int, secret: list[int], unknown: list[int]) -> bool:
    """Whether the path of a line would let others guess a secret line.

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
