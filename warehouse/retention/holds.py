"""Legal holds: rounds whose evidence nobody may remove. Each hold and each release is an entry of the evidence log."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, cast

from warehouse import signing
from warehouse.evidence import entries
from warehouse.evidence.log import EvidenceLog, stamp
from warehouse.lake.publications import log_of
from warehouse.rounds.place import parts


class HoldError(ValueError):
    """A hold that cannot be placed or released; says why."""


@dataclass(frozen=True)
class RecordedHold:
    """One hold or release."""

    at: str
    action: Literal["hold", "release"]
    round_id: str
    by: str
    why: str

    @property
    def scope(self) -> tuple[str, str]:
        """Gaming day and table whose files are protected: a round's evidence lies in them all."""
        table, day, _ = parts(self.round_id)
        return day.isoformat(), table


def history(lake: Path) -> list[RecordedHold]:
    """Every hold and release, in order."""
    return list(_told(log_of(lake)))


def _told(log: EvidenceLog) -> Iterator[RecordedHold]:
    for _, found in sorted([*log.entries("hold"), *log.entries("release")], key=lambda item: item[0]):
        entry = cast(entries.Hold, found)
        yield RecordedHold(entry["at"], entry["kind"], entry["round_id"], entry["by"], entry["why"])


def in_force(lake: Path, log: EvidenceLog | None = None) -> dict[str, RecordedHold]:
    """The holds that stand, by round."""
    standing: dict[str, RecordedHold] = {}
    for hold in _told(log or log_of(lake)):
        standing.pop(hold.round_id, None)
        if hold.action == "hold":
            standing[hold.round_id] = hold
    return standing


def place(lake: Path, round_id: str, by: str, why: str, at: datetime) -> bool:
    """Hold a round's evidence; whether it was not held already."""
    return _append(lake, "hold", round_id, by, why, at)


def release(lake: Path, round_id: str, by: str, why: str, at: datetime) -> None:
    """End a hold."""
    if not _append(lake, "release", round_id, by, why, at):
        standing = ", ".join(in_force(lake)) or "none"
        raise HoldError(f"{lake}: {round_id} is not held; held are {standing}")


def _append(lake: Path, action: Literal["hold", "release"], round_id: str, by: str, why: str, at: datetime) -> bool:
    """Write an entry, unless it would change nothing; signed and on the disk when this returns."""
    _, day, _ = parts(round_id)
    if not by.strip() or not why.strip():
        raise HoldError(f"{round_id}: a {action} needs who and why")
    log = log_of(lake)
    with log.locked():
        is_held = round_id in in_force(lake, log)
        if is_held == (action == "hold"):
            return False
        about = {"round_id": round_id, "gaming_day": day.isoformat(), "by": by, "why": why}
        signing.append(lake, log, {"kind": action, "at": stamp(at), **about})
    return True
