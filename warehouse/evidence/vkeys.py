"""Verifier keys as text (C2SP signed-note): ``<name>+<key hash>+<base64 of kind and public key>``, one to a line."""

import base64
import binascii
import hashlib
from pathlib import Path
from typing import Final, NamedTuple

from warehouse.evidence.entries import EvidenceError

LOG: Final = 0x01  # signs the text of a note
WITNESS: Final = 0x04  # cosigns checkpoints, with a time (C2SP tlog-cosignature)
_KINDS: Final = {LOG: "a log's key", WITNESS: "a witness's key"}


class VerifierKeyError(EvidenceError):
    """A text that is no verifier key; says why."""


class VerifierKey(NamedTuple):
    """The public half of an Ed25519 key, with its owner's name and the kind of its signatures."""

    name: str
    kind: int
    public: bytes

    @property
    def key_hash(self) -> bytes:
        """The four bytes that signature lines name the key by."""
        return hashlib.sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:4]

    @property
    def text(self) -> str:
        """The key as one line, without newline."""
        return f"{self.name}+{self.key_hash.hex()}+{base64.b64encode(bytes([self.kind]) + self.public).decode()}"


def is_name(name: str) -> bool:
    """Return whether a name is valid in a signature line: no blanks, no control characters, no plus."""
    return bool(name) and name.isprintable() and "+" not in name and not any(sign.isspace() for sign in name)


def parse(text: str, kind: int) -> VerifierKey:
    """Read a verifier key of a kind; the hash in it has to be its own."""
    try:
        name, key_hash, blob = text.strip().split("+", 2)
        found = base64.b64decode(blob, validate=True)
    except (ValueError, binascii.Error):
        raise VerifierKeyError(f"found {text.strip()!r:.80}, expected a key such as name+1f2e3d4c+BASE64") from None
    key = VerifierKey(name, found[0] if found else 0, found[1:])
    if key.kind != kind or len(key.public) != 32:
        raise VerifierKeyError(
            f"{name}: found kind {key.kind:#04x} with {len(key.public)} bytes, expected {_KINDS[kind]}, "
            f"{kind:#04x} with 32 bytes"
        )
    if not is_name(name) or key.key_hash.hex() != key_hash:
        raise VerifierKeyError(
            f"{name}: found the key hash {key_hash}, expected {key.key_hash.hex()}: a character is wrong"
        )
    return key


def read(path: Path, kind: int) -> list[VerifierKey]:
    """The keys of a file, one to a line; lines that begin with # are remarks."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise VerifierKeyError(f"{path}: cannot be read: {error}") from None
    try:
        keys = [parse(line, kind) for line in lines if line.strip() and not line.startswith("#")]
    except VerifierKeyError as error:
        raise VerifierKeyError(f"{path}: {error}") from None
    if not keys:
        raise VerifierKeyError(f"{path}: found no key, expected {_KINDS[kind]} such as name+1f2e3d4c+BASE64")
    return keys
