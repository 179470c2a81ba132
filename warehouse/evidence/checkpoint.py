"""Checkpoints: a few signed lines of text that fix the whole log up to an entry (C2SP tlog-checkpoint, signed-note)."""

import base64
import binascii
import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from warehouse.evidence import pins
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.files import write_whole
from warehouse.evidence.keys import Keyring, Signer, introduced
from warehouse.evidence.log import CHECKPOINTS, EvidenceLog

FOLDER: Final = CHECKPOINTS
NAME: Final = "name.txt"
NEXT: Final = "next.txt"  # the note that covers the entry written last, until a checkpoint does
_ED25519: Final = b"\x01"


class CheckpointError(EvidenceError):
    """A checkpoint that cannot be read, or that must not be issued."""


class Signature(NamedTuple):
    """One signature line: the signer's name, the first bytes of the hash of its key, the signature."""

    name: str
    key_hash: bytes
    signature: bytes

    @property
    def line(self) -> str:
        """The line as a note has it, with its newline."""
        return f"— {self.name} {base64.b64encode(self.key_hash + self.signature).decode()}\n"


@dataclass(frozen=True)
class Checkpoint:
    """A signed statement that the log of ``size`` entries has this root."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...]
    signatures: tuple[Signature, ...] = ()

    @property
    def body(self) -> bytes:
        """The text that is signed, with its last newline."""
        lines = (self.origin, str(self.size), base64.b64encode(self.root).decode(), *self.extensions)
        return "".join(f"{line}\n" for line in lines).encode()

    @property
    def note(self) -> bytes:
        """The whole checkpoint: the text, an empty line, the signatures."""
        return self.body + b"\n" + "".join(signature.line for signature in self.signatures).encode()

    @property
    def previous(self) -> int | None:
        """The size of the checkpoint before, as this one names it."""
        found = [line.removeprefix("previous ") for line in self.extensions if line.startswith("previous ")]
        return int(found[0]) if found and found[0].isdecimal() else None


def origin(log: EvidenceLog) -> str:
    """The log's own name, which is also its signers': made from its first key and a mark, and the same for good."""
    first = next(log.entries("key"), None)
    if first is None:
        raise CheckpointError(f"{log.path} introduces no signing key: announce one before signing")
    return name_of(log.folder, str(first[1]["key_id"]))  # type: ignore[typeddict-item]


def name_of(folder: Path, key_id: str) -> str:
    """The name of the log that began with a key: ``name.txt`` tells it from others that the same key began."""
    path, plain = folder / NAME, f"audit21/{key_id}"
    name = path.read_text("ascii", "replace").removesuffix("\n") if path.exists() else plain
    if not re.fullmatch(f"{plain}(-[0-9a-f]{{16}})?", name):
        raise CheckpointError(f"{path}: found {name!r:.80}, expected {plain} and the log's mark; restore it")
    return name


def name_anew(folder: Path, key_id: str) -> None:
    """Name a log that is about to begin; never by a name that a log had before."""
    write_whole(folder / NAME, f"audit21/{key_id}-{secrets.token_hex(8)}\n".encode())


def path_of(folder: Path, size: int) -> Path:
    """Return the path of the checkpoint of a size, below ``<lake>/evidence``."""
    return folder / FOLDER / f"{size:010}.txt"


def covering(folder: Path, index: int) -> Checkpoint:
    """The first checkpoint that covers an entry: it stays the same whatever comes later."""
    return next(all_covering(folder, index))


def all_covering(folder: Path, index: int) -> Iterator[Checkpoint]:
    """The checkpoints that cover an entry, in order of size; ``CheckpointError`` where there is none."""
    paths = [path for path in sorted((folder / FOLDER).glob("[0-9]*.txt")) if path.stem.isdecimal()]
    covering = [path for path in paths if int(path.stem) > index]
    if not covering:
        raise CheckpointError(f"{folder}: no checkpoint covers entry {index + 1}; run audit21 run, then again")
    yield from (parse(path.read_bytes()) for path in covering)


def issue(log: EvidenceLog, keys: Keyring, day: date, time: datetime) -> Path:
    """Sign the log as it stands, unless that is done already, and give the checkpoint's path."""
    path, name, before = path_of(log.folder, log.size), origin(log), newest(log)
    known = introduced(log)
    if known[-1][1] != keys.current.key_id:
        raise CheckpointError(f"{log.path} does not introduce the key {keys.current.key_id}: announce it first")
    if before and before.size == log.size:
        _done(log, path)
        return path
    stamp = time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    extensions = [f"day {day.isoformat()}", f"time {stamp}", *([f"previous {before.size}"] if before else [])]
    unsigned = Checkpoint(name, log.size, log.root(), tuple(extensions))
    handover = len(known) > 1 and (before is None or before.size <= known[-1][0])
    signers = [keys.current]
    if handover and keys.previous and keys.previous.key_id == known[-2][1]:
        signers.insert(0, keys.previous)
    write_whole(path, signed(unsigned, signers).note)
    _done(log, path)
    return path


def _done(log: EvidenceLog, path: Path) -> None:
    """Keep the newest checkpoint outside the lake too; the note on the last entry has served."""
    pins.keep_head(log.folder.parent, path.read_bytes())
    (log.folder / NEXT).unlink(missing_ok=True)


def parse(note: bytes) -> Checkpoint:
    """Read a checkpoint; only the exact form in which it was written will do."""
    try:
        body, _, signatures = note.decode().partition("\n\n")
        name, size, root, *extensions = body.split("\n")
        signed = tuple(read_signature(line) for line in signatures.removesuffix("\n").split("\n"))
        found = Checkpoint(name, int(size), base64.b64decode(root, validate=True), tuple(extensions), signed)
    except (ValueError, binascii.Error) as error:
        raise CheckpointError(f"this is no checkpoint: {error}") from error
    if found.note != note or len(found.root) != 32 or found.size < 0:
        raise CheckpointError("this is no checkpoint as audit21 writes it: some of its characters were changed")
    return found


def tidied(note: bytes) -> bytes:
    """A checkpoint that went through mail or a text editor, with line ends and blanks as they were."""
    lines = [line.rstrip() for line in note.removeprefix(b"\xef\xbb\xbf").splitlines()]
    return b"\n".join(lines).strip(b"\n") + b"\n"


def check(checkpoint: Checkpoint, public_keys: Iterable[bytes]) -> tuple[list[bytes], list[Signature]]:
    """The public keys that signed it, and the signatures in the log's name that none of the keys made."""
    known = {key_hash(checkpoint.origin, public): public for public in public_keys}
    signers, strange = [], []
    for signature in (each for each in checkpoint.signatures if each.name == checkpoint.origin):
        public = known.get(signature.key_hash)
        if public and verifies(public, signature.signature, checkpoint.body):
            signers.append(public)
        else:
            strange.append(signature)
    return signers, strange


def key_hash(name: str, public: bytes) -> bytes:
    """Return the 4 bytes by which a signature line identifies its key."""
    return hashlib.sha256(name.encode() + b"\n" + _ED25519 + public).digest()[:4]


def signature_of(signer: Signer, name: str, body: bytes) -> Signature:
    """A signer's signature under the body of a note."""
    return Signature(name, key_hash(name, signer.public), signer.sign(body))


def newest(log: EvidenceLog) -> Checkpoint | None:
    """The newest checkpoint in the lake, which the log must continue."""
    paths = sorted(path for path in (log.folder / FOLDER).glob("[0-9]*.txt"))
    if not paths:
        return None
    found = parse(paths[-1].read_bytes())
    if found.size > log.size or log.root(found.size) != found.root:
        raise CheckpointError(
            f"{log.path} does not continue the checkpoint {paths[-1].name}: entries before it were changed or removed; "
            "nothing is signed. Run audit21 verify and restore the evidence folder"
        )
    if found.origin != (name := origin(log)):
        raise CheckpointError(
            f"{log.folder / NAME}: found {name}, expected {found.origin}, as in the checkpoint {paths[-1].name}; "
            "nothing is signed. Restore it"
        )
    return found


def signed(unsigned: Checkpoint, signers: Iterable[Signer]) -> Checkpoint:
    """The checkpoint with the signers' lines, in their order."""
    name, body = unsigned.origin, unsigned.body
    return replace(unsigned, signatures=tuple(signature_of(signer, name, body) for signer in signers))


def read_signature(line: str) -> Signature:
    """Read a signature line, without its newline; ``ValueError`` for anything else."""
    found = re.fullmatch(r"— (\S+) (\S+)", line)
    if not found:
        raise ValueError(f"found the signature line {line!r:.80}, expected a dash, a name and base64")
    blob = base64.b64decode(found[2], validate=True)
    return Signature(found[1], blob[:4], blob[4:])


def verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether a key made a signature under a message."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True
