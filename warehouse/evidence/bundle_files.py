"""Files of a dispute bundle."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final, NamedTuple

from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.manifest import NAME
from warehouse.evidence.report import Report

MANIFEST: Final = "manifest.txt"
ISSUED_ENTRY: Final = "issued/entry.ndjson"
ISSUED_PROOF: Final = "issued/proof.txt"
ISSUED_CONSISTENCY: Final = "issued/consistency.txt"
ISSUED_CHECKPOINT: Final = "issued/checkpoint.txt"
ENTRIES: Final = "evidence/entries.ndjson"
CHECKPOINT: Final = "evidence/checkpoint.txt"
PROOFS: Final = "evidence/proofs.txt"
KEY: Final = "evidence/key.pem"
PACKET: Final = "packet.json"
SCHEMA: Final = "packet.schema.json"
FLOOR: Final = "floor.toml"
RULEBOOK: Final = "rulebook/"  # the rulebook in force
LINES: Final = "lines/"
IN_BUNDLE: Final = "in the bundle"
GONE: Final = "not kept in the lake"
FILM: Final = "a film, by its hash"
# Made after the manifest, so that it cannot list them; their content is checked against it.
BESIDE: Final = frozenset({MANIFEST, ISSUED_ENTRY, ISSUED_PROOF, ISSUED_CONSISTENCY, ISSUED_CHECKPOINT})
NEEDED: Final = (
    *(ENTRIES, CHECKPOINT, PROOFS, KEY),
    *(PACKET, SCHEMA, "packet.pdf", "verify.sh", FLOOR),
)
_LONGEST_PART: Final = 200


class BundleError(EvidenceError):
    """Not a bundle, or one that cannot be read; says why."""


class Digest(NamedTuple):
    """The size and the hash of a file."""

    bytes: int
    sha256: str


@dataclass
class Bundle:
    """A bundle's files: their hashes, the content of those that are read, and the report on them."""

    digests: Mapping[str, Digest]
    files: Mapping[str, bytes]
    report: Report

    def lines(self, name: str) -> list[bytes]:
        """Return the lines of one of the files; text after the last newline is one more line."""
        lines = self.files[name].split(b"\n")
        return lines[:-1] if lines[-1] == b"" else lines


def is_bundle(path: Path) -> bool:
    """Return whether a path is a bundle rather than a lake: a file, or the folder of an unpacked one."""
    return path.is_file() or any((path / name).is_file() for name in (MANIFEST, PACKET))


def is_read(name: str) -> bool:
    """Return whether the content of a file is read, and not only hashed."""
    return name in BESIDE or name in (PACKET, SCHEMA, FLOOR) or name.startswith(("evidence/", LINES))


def schema() -> bytes:
    """The schema of ``packet.json``, as it is published."""
    return (resources.files("warehouse.evidence") / SCHEMA).read_bytes()


def lines_name(path: str) -> str:
    """The name in a bundle of the lines of a landing file: percent-encoded, or its hash where that is no fit name."""
    raw = path.encode("utf-8", "surrogateescape")
    safe = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/"
    encoded = "".join(chr(byte) if byte in safe else f"%{byte:02X}" for byte in raw)
    name = f"{LINES}{encoded}" if path.endswith(".ndjson") else f"{LINES}{encoded}.ndjson"
    is_fit = NAME.fullmatch(name) and all(len(part) <= _LONGEST_PART for part in name.split("/"))
    return name if is_fit else hashed_name(path)


def hashed_name(path: str) -> str:
    """The name of the lines of a landing file whose own name cannot be used."""
    return f"{LINES}{hashlib.sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()}.ndjson"
