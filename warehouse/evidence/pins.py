"""Trust in a log kept outside its lake: its pinned keys, and the newest checkpoint that this machine has signed.

A pin is a text file with the log's verifier keys, one to a line, in the order in which the log introduces them: each
took over with the signature of the one before it, or was accepted by a person. Both files lie beside the signing key,
out of reach of anyone who can only write to the lake.
"""

import hashlib
import os
from pathlib import Path
from typing import Final, NamedTuple

from warehouse.evidence import vkeys
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.files import write_whole
from warehouse.evidence.keys import private_path
from warehouse.evidence.vkeys import VerifierKey

_PIN: Final = "AUDIT21_PIN"
_STATE: Final = "AUDIT21_STATE"
_HEADING: Final = "# audit21 pin: the keys of one evidence log. Keep a printed copy in the safe.\n"


class Pin(NamedTuple):
    """The pinned keys of a log, in the order of its ``key`` entries; a key that came back stands there twice."""

    path: Path
    log: str
    keys: tuple[bytes, ...]


def use(path: Path | None) -> None:
    """Take another file for the pin, here and in the processes that this one starts."""
    if path is not None:
        os.environ[_PIN] = str(path.absolute())


def path_of(log: str) -> Path:
    """The pin of a log: $AUDIT21_PIN, or a file named after the log beside the signing key."""
    given = os.environ.get(_PIN)
    return Path(given).expanduser() if given else state() / "pins" / f"{log.rpartition('/')[2]}.pin"


def read(path: Path) -> Pin:
    """Read a pin; ``VerifierKeyError`` for anything else."""
    found = vkeys.read(path, vkeys.LOG)
    if len({key.name for key in found}) > 1:
        raise vkeys.VerifierKeyError(f"{path}: found keys of several logs, expected those of one")
    return Pin(path, found[0].name, tuple(key.public for key in found))


def write(path: Path, log: str, first: bytes, lake: Path) -> Pin:
    """Pin a log's first key."""
    if path.resolve().is_relative_to(lake.resolve()):
        raise EvidenceError(f"{path}: the pin lies inside the lake {lake}, which it has to protect; name another file")
    _write(path, (_HEADING + _lines(log, first, "the first key")).encode())
    return read(path)


def add(pin: Pin, public: bytes, about: str) -> Pin:
    """Add the next key to a pin."""
    _write(pin.path, pin.path.read_bytes().rstrip(b"\n") + b"\n" + _lines(pin.log, public, about).encode())
    return read(pin.path)


def fingerprint(public: bytes) -> str:
    """A key's SHA-256 in groups of four digits, to be read out and compared; it begins with the key's id."""
    digits = hashlib.sha256(public).hexdigest()
    return " ".join(digits[at : at + 4] for at in range(0, 64, 4))


def head_path(lake: Path) -> Path:
    """The newest checkpoint of the lake at a path, as this machine has signed it."""
    place = lake.resolve()
    return state() / "heads" / f"{place.name}-{hashlib.sha256(str(place).encode()).hexdigest()[:12]}.txt"


def keep_head(lake: Path, note: bytes) -> None:
    """Keep a lake's newest checkpoint."""
    path = head_path(lake)
    if not path.exists() or path.read_bytes() != note:
        _write(path, note)


def retire_head(lake: Path, log: str) -> Path:
    """Set the checkpoint of a log aside that is no longer at that path; gives where it is now."""
    path = head_path(lake)
    return path.rename(path.with_suffix(f".{log.rpartition('/')[2]}.txt"))


def _lines(log: str, public: bytes, about: str) -> str:
    told = " ".join(about.split())
    return f"# {fingerprint(public)}: {told}\n{VerifierKey(log, vkeys.LOG, public).text}\n"


def state() -> Path:
    """Return the folder of the state kept outside the lakes: $AUDIT21_STATE, or that of the signing key."""
    given = os.environ.get(_STATE)
    return Path(given).expanduser() if given else private_path().parent


def _write(path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise EvidenceError(
            f"{path}: could not be written: {error.strerror}; allow it, or set {_STATE} to a folder outside the lake"
        ) from error
