"""What a dispute bundle consists of, and how it is opened."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.report import Report

SUMS: Final = "SHA256SUMS"
ENTRIES: Final = "evidence/entries.ndjson"
CHECKPOINT: Final = "evidence/checkpoint.txt"
PROOFS: Final = "evidence/proofs.txt"
KEY: Final = "evidence/key.pem"
SCHEMA: Final = "packet.schema.json"
LINES: Final = "lines/"
IN_BUNDLE: Final = "in the bundle"
GONE: Final = "not kept in the lake"
FILM: Final = "a film, by its hash"
_NEEDED: Final = (
    *(SUMS, ENTRIES, CHECKPOINT, PROOFS, KEY),
    *("packet.json", SCHEMA, "packet.pdf", "floor.toml"),
)
_MOST_BYTES: Final = 1 << 30


class BundleError(EvidenceError):
    """Not a bundle, or one that cannot be read; says why."""


@dataclass
class Bundle:
    """A bundle's files, and what is found wrong with them."""

    files: Mapping[str, bytes]
    report: Report

    def lines(self, name: str) -> list[bytes]:
        """The lines of one of them."""
        return self.files[name].splitlines(keepends=False)


def is_bundle(path: Path) -> bool:
    """Whether a path is a bundle rather than a lake: a file, or the folder that one was unpacked into."""
    return path.is_file() or (path / SUMS).is_file()


def schema() -> bytes:
    """The schema of ``packet.json``, as it is published."""
    return (resources.files("warehouse.evidence") / SCHEMA).read_bytes()


def opened(path: Path) -> Bundle:
    """A bundle, zipped or unpacked; BundleError for anything else."""
    files = _read(path)
    if missing := [name for name in _NEEDED if name not in files]:
        raise BundleError(f"{path}: no dispute bundle, it lacks {', '.join(missing)}")
    return Bundle(files, Report(is_bundle=True))


def _read(path: Path) -> dict[str, bytes]:
    if path.is_dir():
        return {each.relative_to(path).as_posix(): each.read_bytes() for each in path.rglob("*") if each.is_file()}
    try:
        with zipfile.ZipFile(path) as bundle:
            if sum(info.file_size for info in bundle.infolist()) > _MOST_BYTES:
                raise BundleError(f"{path}: more than {_MOST_BYTES >> 20} MB unpacked; this is no dispute bundle")
            return {info.filename: bundle.read(info) for info in bundle.infolist() if not info.is_dir()}
    except FileNotFoundError:
        raise BundleError(f"{path}: no such file") from None
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise BundleError(f"{path}: no bundle that can be read: {error}") from None


def lines_name(path: str) -> str:
    """The name in a bundle of the lines of a landing file."""
    return f"{LINES}{path}" if path.endswith(".ndjson") else f"{LINES}{path}.ndjson"
