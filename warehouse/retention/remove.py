"""Removes what a plan names: compared with the evidence log, written into it and signed, then gone."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from warehouse import signing
from warehouse.disk import sync
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.files import file_sha256
from warehouse.evidence.log import FOLDER, EvidenceLog, stamp
from warehouse.lake import Lake, LakeError
from warehouse.retention.holds import HoldError
from warehouse.retention.plan import LAKE, Item, RetentionPlan, plan
from warehouse.retention.policy import PolicyError
from warehouse.rounds import RoundError

Failed: Final = (LakeError, EvidenceError, RoundError, HoldError, PolicyError, OSError)


def remove(wanted: RetentionPlan, landing: Path, lake: Path, by: str, at: datetime) -> list[Item]:
    """Carry out a plan, as far as it still stands: a hold that was placed meanwhile counts.

    A landing file that was changed since it came is no copy of what is in custody, and stays. Killed in between, what
    is left is removed by the next call; that it may be gone is in the log already.
    """
    log = EvidenceLog(lake / FOLDER)
    with Lake.open(lake).lock():
        known = list(_as_recorded(wanted, landing, lake))
        with log.locked():  # no hold comes between the plan and its record
            still = set(plan(landing, lake, wanted.policy, wanted.today, log).remove)
            items = [item for item in known if item in still]
            _record(items, wanted, lake, log, by, at)
        for item in items:
            path = _path(item, landing, lake)
            path.unlink(missing_ok=True)
            sync(path.parent)
    return items


def _path(item: Item, landing: Path, lake: Path) -> Path:
    return (lake if item.place == LAKE else landing) / item.path


def _as_recorded(wanted: RetentionPlan, landing: Path, lake: Path) -> Iterator[Item]:
    """Items with the bytes that the log has; ``EvidenceError`` where a file of the lake has others."""
    for item in wanted.remove:
        path = _path(item, landing, lake)
        if not path.is_file():
            continue
        if file_sha256(path)[0] == item.sha256:
            yield item
        elif item.place == LAKE:
            raise EvidenceError(f"{path}: not as the evidence log records it, nothing is removed; run audit21 verify")


def _record(items: list[Item], wanted: RetentionPlan, lake: Path, log: EvidenceLog, by: str, at: datetime) -> None:
    """One signed entry for each gaming day."""
    for day in sorted({item.gaming_day for item in items}):
        files: list[Any] = [
            {"what": item.kind, "place": item.place, "path": item.path, "sha256": item.sha256, "bytes": item.bytes}
            for item in sorted(items)
            if item.gaming_day == day
        ]
        about = {"gaming_day": day, "by": by, "policy": wanted.policy.name, "files": files}
        signing.append(lake, log, {"kind": "removed", "at": stamp(at), **about})
