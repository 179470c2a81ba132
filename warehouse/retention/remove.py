"""Removes what a plan names: first written into the evidence log and signed, then gone."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from warehouse.disk import sync
from warehouse.evidence import checkpoint, keys
from warehouse.evidence.entries import EvidenceError, Removed
from warehouse.evidence.log import FOLDER, EvidenceLog
from warehouse.lake import Lake, LakeError
from warehouse.retention.holds import HoldError
from warehouse.retention.plan import LAKE, Item, Plan, plan
from warehouse.retention.policy import PolicyError
from warehouse.rounds import RoundError

Failed: Final = (LakeError, EvidenceError, RoundError, HoldError, PolicyError, OSError)


def remove(wanted: Plan, landing: Path, lake: Path, by: str, at: datetime) -> list[Item]:
    """Carry out a plan, as far as it still stands: a hold that was placed meanwhile counts.

    Killed in between, what is left is removed by the next call; that it may be gone is in the log already.
    """
    with Lake.open(lake).lock():
        still = set(plan(landing, lake, wanted.policy, wanted.today).remove)
        items = [item for item in wanted.remove if item in still]
        if items:
            _record(items, wanted, lake, by, at)
        for item in items:
            path = (lake if item.place == LAKE else landing) / item.path
            path.unlink(missing_ok=True)
            sync(path.parent)
    return items


def _record(items: list[Item], wanted: Plan, lake: Path, by: str, at: datetime) -> None:
    """One entry for each gaming day, and a checkpoint over them all."""
    log, ring = EvidenceLog(lake / FOLDER), keys.keyring(lake)
    keys.announce(log, ring)
    stamp = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    days = sorted({item.gaming_day for item in items})
    for day in days:
        files: list[Any] = [
            {"what": item.kind, "place": item.place, "path": item.path, "sha256": item.sha256, "bytes": item.bytes}
            for item in sorted(items)
            if item.gaming_day == day
        ]
        entry = Removed(kind="removed", gaming_day=day, at=stamp, by=by, policy=wanted.policy.name, files=files)
        log.append(entry)
    checkpoint.issue(log, ring, date.fromisoformat(days[-1]), at)
