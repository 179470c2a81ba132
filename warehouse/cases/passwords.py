"""Passwords: what is good enough, and how they are kept."""

import threading
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from warehouse.cases.errors import Refused

SHORTEST: Final = 12
LONGEST: Final = 200
_HASHER: Final = PasswordHasher()
# Each takes 64 MB: many at a time must not take all memory.
_AT_A_TIME: Final = threading.BoundedSemaphore(4)


def check(password: str, name: str) -> None:
    """``Refused`` where a password is too weak for the account of that name."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise Refused(f"The password has {len(password)} characters; choose one of {SHORTEST} to {LONGEST}.")
    if len(set(password)) < 5 or name.lower() in password.lower():
        raise Refused("The password is too easy to guess; use more different characters and not the account's name.")


def kept(password: str) -> str:
    """Return the hash of a password, which is stored in its place."""
    with _AT_A_TIME:
        return _HASHER.hash(password)


def matches(kept_as: str | None, password: str) -> bool:
    """Check a password. Without a stored one it takes as long, so that nobody learns which accounts exist."""
    expected = kept_as or _nobodys()
    try:
        with _AT_A_TIME:
            _HASHER.verify(expected, password[: LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return False
    return kept_as is not None


@cache
def _nobodys() -> str:
    return _HASHER.hash("no account has this password")
