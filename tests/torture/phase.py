"""Progress of a killed run, judged by the files it left."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import duckdb

from warehouse.evidence.entries import taken_files
from warehouse.lake import Lake, Snapshot

PHASES: Final = ("at rest", "custody", "audit", "commit", "log", "checkpoint", "tidying", "between days", "catalog")


def phase(lake: Path) -> str:
    """Return the phase in which a run was killed; ``at rest`` if it had not begun or was done."""
    if any(lake.glob(".audit21.duckdb.making")):
        return "catalog"
    lines = _log(lake)
    snapshot = Lake(lake).snapshot()
    kinds = [json.loads(line)["kind"] for line in lines if line.endswith(b"\n")]
    if len(kinds) < len(lines):
        return "log"
    newest: dict[str, str] = json.loads(lines[-1]) if lines else {"kind": "none"}
    if newest["kind"] == "published" and not (lake / f"evidence/checkpoints/{len(kinds):010}.txt").exists():
        return "checkpoint"
    if kinds.count("published") > snapshot.number:  # the tables follow the log
        return "commit"
    if any(lake.glob("raw/.*")) or len(list(lake.glob("raw/*"))) > _held(lines):
        return "custody"
    staged = {path.name.strip(".")[:10] for path in lake.glob(".staged/*")}
    if newest["kind"] == "custody" or staged - {newest.get("gaming_day")}:
        return "audit"
    if staged:
        return "tidying"
    return _at_rest(lake, snapshot)


def _log(lake: Path) -> list[bytes]:
    log = lake / "evidence" / "log.ndjson"
    return log.read_bytes().splitlines(keepends=True) if log.exists() else []


def _held(lines: list[bytes]) -> int:
    """Count the files in the log's custody entries, equal ones once."""
    entries = [json.loads(line) for line in lines if b'"kind":"custody"' in line]
    return len({file["sha256"] for entry in entries for file in taken_files(entry)})


def _at_rest(lake: Path, snapshot: Snapshot) -> str:
    catalog = lake / "audit21.duckdb"
    if not snapshot.number:
        return "at rest"
    if not catalog.exists():
        return "between days"
    with duckdb.connect(str(catalog), read_only=True) as shown:
        row = shown.execute("SELECT snapshot FROM snapshot").fetchone()
    return "at rest" if row == (snapshot.number,) else "between days"


# Moments to kill at: something on the disk that grows while a run goes on.


def _lines(lake: Path) -> int:
    return len(_log(lake))


def _matching(pattern: str) -> Callable[[Path], int]:
    def found(lake: Path) -> int:
        try:
            return sum(1 for _ in lake.glob(pattern))
        except FileNotFoundError:  # a folder that went away while it was looked at
            return 0

    return found


GROWING: Final[dict[str, tuple[Callable[[Path], int], int]]] = {  # how to measure, and how far it grows in a run
    "raw": (_matching("raw/*"), 30),
    "log": (_lines, 5),
    "parts": (_matching("*/gaming_day=*/*"), 20),
    "staged": (_matching(".staged/*.json"), 2),
    "versions": (_matching("*/_delta_log/*.json"), 30),
    "snapshots": (_matching("snapshots/_delta_log/*.json"), 3),
    "checkpoints": (_matching("evidence/checkpoints/*"), 4),
    "catalog": (_matching(".audit21.duckdb.making/*"), 2),
}
