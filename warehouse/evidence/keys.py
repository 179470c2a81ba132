"""The Ed25519 key that signs checkpoints: made on first use, kept outside the lake, readable only by its owner."""

import base64
import hashlib
import os
from pathlib import Path
from typing import Final, NamedTuple, cast

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from warehouse.disk import sync
from warehouse.evidence.entries import EvidenceError, Key
from warehouse.evidence.files import write_whole
from warehouse.evidence.log import EvidenceLog

FOLDER: Final = "keys"


class Signer:
    """A private key, its public half (32 bytes) and the name they go by."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw()
        self.key_id = key_id(self.public)

    def sign(self, message: bytes) -> bytes:
        """The signature, 64 bytes."""
        return self._private.sign(message)


class Keyring(NamedTuple):
    """The key that signs, and the one before it, if it was left in place for the handover."""

    current: Signer
    previous: Signer | None


def key_id(public: bytes) -> str:
    """A key's name: the beginning of its hash."""
    return hashlib.sha256(public).hexdigest()[:16]


def private_path() -> Path:
    """Path of the private key: $AUDIT21_KEY, or audit21/signing-key.pem among the user's settings."""
    if given := os.environ.get("AUDIT21_KEY"):
        return Path(given).expanduser()
    settings = os.environ.get("XDG_CONFIG_HOME")
    return (Path(settings) if settings else Path.home() / ".config") / "audit21" / "signing-key.pem"


def previous_path() -> Path:
    """Path of the key before the present one, as long as it is needed to sign the handover."""
    path = private_path()
    return path.with_name(f"{path.stem}.previous{path.suffix}")


def keyring(lake: Path) -> Keyring:
    """The keys to sign this lake's checkpoints with; the first time, a new one."""
    path = private_path()
    if path.resolve().is_relative_to(lake.resolve()):
        raise EvidenceError(
            f"{path}: the signing key lies inside the lake {lake}, where whoever changes the evidence could sign it; "
            "move it elsewhere and set AUDIT21_KEY"
        )
    previous = previous_path()
    return Keyring(own_key(path), _load(previous) if previous.exists() else None)


def own_key(path: Path) -> Signer:
    """The key in a file; the first time, a new one."""
    if not path.exists():
        _make(path)
    return _load(path)


def announce(log: EvidenceLog, keys: Keyring) -> None:
    """Put the current key's public half into the lake, and an entry in the log if it was not the key in use.

    ``KeyRefused`` where the log has a key, an entry or a beginning that its owner did not make.
    """
    from warehouse.evidence import checkpoint, handover  # which themselves read keys

    handover.require(log, keys)
    current = keys.current
    published = log.folder / FOLDER / f"{current.key_id}.pem"
    if not published.exists():
        write_whole(published, public_pem(current.public))
    known = introduced(log)
    newest = known[-1][1] if known else None
    if newest != current.key_id:
        public = base64.b64encode(current.public).decode()
        entry = Key(kind="key", key_id=current.key_id, public=public, previous=newest)
        if newest is None:
            checkpoint.name_anew(log.folder, current.key_id)
        log.append(entry)
        handover.require(log, keys)  # which pins it


def introduced(log: EvidenceLog) -> list[tuple[int, str, bytes]]:
    """The keys that the log introduces: index of the entry, key id, public half."""
    found = ((index, cast(Key, entry)) for index, entry in log.entries("key"))
    return [(index, entry["key_id"], base64.b64decode(entry["public"])) for index, entry in found]


def public_pem(public: bytes) -> bytes:
    """A public key as openssl reads it."""
    key = Ed25519PublicKey.from_public_bytes(public)
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    pem = Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(unfinished, path)  # unlike a rename, never in place of a key that another process made meanwhile
    except FileExistsError:
        pass
    finally:
        unfinished.unlink()
    sync(path.parent)


def _load(path: Path) -> Signer:
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        raise EvidenceError(f"{path}: others can use this signing key (mode {mode:o}, expected 600); chmod 600 {path}")
    try:
        private = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError) as error:
        raise EvidenceError(f"{path}: expected an Ed25519 private key in PEM without password: {error}") from error
    if not isinstance(private, Ed25519PrivateKey):
        raise EvidenceError(f"{path}: found a {type(private).__name__}, expected an Ed25519 private key")
    return Signer(private)
