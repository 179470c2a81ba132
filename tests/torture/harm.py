"""Damage to single files of a lake: where it hits, in which way, and why some of it may go unnamed."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, cast

from warehouse.evidence.entries import Custody
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.report import Report
from warehouse.lake import publications

# Kinds of files by the pattern of their paths; the first that fits counts. ``repair`` restores the derived ones.
KINDS: Final = (
    ("staged day", r"\.staged/.*"),
    ("note of the lake", r"\.(lock|seen\.json|audit21\.duckdb\.sha256)"),
    ("temporary file", r"(.*/)?\..*"),
    ("raw file", r"raw/.*"),
    ("list of snapshots", r"snapshots/.*"),
    ("commit", r"[^/]*/_delta_log/.*"),
    ("published part", r"[^/]*/gaming_day=.*"),
    ("evidence log", r"evidence/log\.ndjson"),
    ("checkpoint", r"evidence/checkpoints/.*"),
    ("key or name", r"evidence/(keys/.*|name\.txt)"),
    ("note on the last entry", r"evidence/next\.txt"),
    ("catalog", r"audit21\.duckdb"),
)
DERIVED: Final = ("list of snapshots", "commit", "catalog")
_NOT_TOUCHED: Final = ("cases.db", "damaged/")  # the server has the first open; the second is what repair set aside
_HASH: Final = re.compile(r"[0-9a-f]{64}")


class Target(NamedTuple):
    """A file of the lake."""

    kind: str
    path: str


def targets(lake: Path) -> dict[str, list[Target]]:
    """The files of a lake by kind, in an order that does not depend on hashes of times."""
    found: dict[str, list[Target]] = {}
    for folder, _, names in os.walk(lake):
        for name in names:
            path = str((Path(folder) / name).relative_to(lake))
            kind = next((kind for kind, pattern in KINDS if re.fullmatch(pattern, path)), "other")
            if not path.startswith(_NOT_TOUCHED):
                found.setdefault(kind, []).append(Target(kind, path))
    return {kind: sorted(some, key=_order) for kind, some in sorted(found.items())}


def _order(target: Target) -> tuple[str, str]:
    path = target.path
    return (_HASH.sub("", path) if path.startswith(("snapshots/", "files/")) else path, path)


def draw(lake: Path, chance: Random) -> Target | None:
    """A file to be damaged: first the kind, so that rare ones are hit as often as others."""
    found = targets(lake)
    return chance.choice(found[chance.choice(list(found))]) if found else None


# In which way.


def flip(data: bytes, chance: Random) -> bytes:
    at, bit = int(chance.random() * len(data)), chance.randrange(8)
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def tear(data: bytes, chance: Random) -> bytes:
    """A write of which only the beginning arrived."""
    return data[: int(chance.random() * len(data))]


def blank(data: bytes, chance: Random) -> bytes:
    """A write whose end is zeros, as file systems leave it after a power failure."""
    at = int(chance.random() * len(data))
    return data[:at] + bytes(len(data) - at)


WAYS: Final[dict[str, Callable[[bytes, Random], bytes] | None]] = {
    "bit flip": flip,
    "torn write": tear,
    "zeroed write": blank,
    "lost file": None,
}
WEIGHTS: Final = (6, 2, 1, 1)


def apply(path: Path, way: str, chance: Random) -> tuple[bytes, bytes | None]:
    """Damage a file without a trace in its times; what it was, and what it is now (None where it is gone)."""
    before, status, change = path.read_bytes(), path.stat(), WAYS[way]
    if change is None:
        path.unlink()
        return before, None
    after = change(before, chance) if before else b"\0"
    write(path, after)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    return before, after


def write(path: Path, data: bytes) -> None:
    """Bytes into a file, also one that is read-only, with its mode."""
    mode = path.stat().st_mode if path.exists() else 0o444
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


# Reports of the damage.


def is_named(target: Target, report: Report) -> bool:
    """Return whether a discrepancy names the file, its table, or its evidence folder."""
    name, room = target.path.rpartition("/")[2], target.path.partition("/")[0]
    words = {name, f"{room}/"} if target.kind != "list of snapshots" else {name, "snapshot"}
    return any(word in str(difference) for difference in report.differences for word in words)


def is_unfinished(target: Target, report: Report) -> bool:
    """Return whether the file belongs to work that ``verify`` reports as unfinished."""
    name, room = target.path.rpartition("/")[2], target.path.partition("/")[0]
    return any(word in text for text in report.unfinished for word in (name, f"{room}/", f"{room}:", f"{room} "))


def reason(lake: Path, target: Target) -> str | None:
    """Why damage to a file does no harm; None where it must be named. Asked before the damage is done."""
    known = {
        "temporary file": "left by a killed command; nobody reads it",
        "staged day": "not published: the day is audited again",
        "note of the lake": "saves work only: lock, seal of the catalog, times of landing files",
    }
    if target.kind in known:
        return known[target.kind]
    log = EvidenceLog(lake / "evidence")
    if target.kind == "raw file" and target.path.removeprefix("raw/") not in _in_custody(log):
        return "a copy without an entry: no verdict rests on it"
    if target.kind == "published part":
        name, _, rest = target.path.partition("/")
        if rest not in publications.named(log)[name]:
            return "never published: left by a killed run"
    if target.kind == "note on the last entry" and (lake / f"evidence/checkpoints/{log.size:010}.txt").exists():
        return "the newest checkpoint covers the log"
    if target.path.endswith("_last_checkpoint"):
        return "a hint for speed: readers go by the commits"
    return None


def _in_custody(log: EvidenceLog) -> set[str]:
    entries = [cast(Custody, entry) for _, entry in log.entries("custody")]
    return {file["sha256"] for entry in entries for file in (*entry["files"], entry["floor"])}


def evidence(lake: Path) -> dict[str, bytes]:
    """Every raw file and published part that the log names and the lake has."""
    log = EvidenceLog(lake / "evidence")
    paths = [f"raw/{sha256}" for sha256 in _in_custody(log)]
    paths += [f"{name}/{path}" for name, found in publications.named(log).items() for path in found]
    return {path: data for path in paths if (data := read(lake / path)) is not None}
