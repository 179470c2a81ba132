"""Legal holds: rounds whose evidence nobody may remove, in a list that only grows.

``<lake>/holds.ndjson`` has one line for each hold and each release, with who and why. Every line names the hash of the
one before it, so that a line cannot be taken out unnoticed. A last line without newline was left by a kill and is no
line.
"""

import fcntl
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from warehouse.rounds.place import parts

NAME: Final = "holds.ndjson"
_FIRST: Final = "0" * 64


class HoldError(ValueError):
    """A hold that cannot be placed or released, or a list that was changed; says where and why."""


@dataclass(frozen=True)
class Hold:
    """One line of the list."""

    at: str
    action: Literal["hold", "release"]
    round_id: str
    by: str
    why: str
    previous: str

    @property
    def scope(self) -> tuple[str, str]:
        """Gaming day and table whose files are protected: a round's evidence lies in them all."""
        table, day, _ = parts(self.round_id)
        return day.isoformat(), table


def history(lake: Path) -> list[Hold]:
    """Every hold and release, in order."""
    path = lake / NAME
    if not path.exists():
        return []
    found, previous = [], _FIRST
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        try:
            hold = Hold(**json.loads(line))
        except (ValueError, TypeError) as error:
            raise HoldError(f"{path}, line {number}: no hold: {error}") from None
        if hold.previous != previous:
            raise HoldError(f"{path}, line {number}: lines before it were changed or removed; restore the file")
        found.append(hold)
        previous = hashlib.sha256(line).hexdigest()
    return found


def in_force(lake: Path) -> dict[str, Hold]:
    """The holds that stand, by round."""
    standing: dict[str, Hold] = {}
    for hold in history(lake):
        standing.pop(hold.round_id, None)
        if hold.action == "hold":
            standing[hold.round_id] = hold
    return standing


def place(lake: Path, round_id: str, by: str, why: str, at: datetime) -> bool:
    """Hold a round's evidence; whether it was not held already."""
    parts(round_id)
    return _append(lake, "hold", round_id, by, why, at)


def release(lake: Path, round_id: str, by: str, why: str, at: datetime) -> None:
    """End a hold."""
    if not _append(lake, "release", round_id, by, why, at):
        standing = ", ".join(in_force(lake)) or "none"
        raise HoldError(f"{lake / NAME}: {round_id} is not held; held are {standing}")


def _append(lake: Path, action: Literal["hold", "release"], round_id: str, by: str, why: str, at: datetime) -> bool:
    """Add a line, unless it would change nothing; on the disk when this returns."""
    if not by.strip() or not why.strip():
        raise HoldError(f"{round_id}: a {action} needs who and why")
    descriptor = os.open(lake / NAME, os.O_RDWR | os.O_CREAT, 0o644)
    with os.fdopen(descriptor, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        is_held = round_id in in_force(lake)
        if is_held == (action == "hold"):
            return False
        whole = file.read()
        whole = whole[: whole.rfind(b"\n") + 1]
        previous = hashlib.sha256(whole[:-1].rpartition(b"\n")[2]).hexdigest() if whole else _FIRST
        stamp = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        hold = Hold(stamp, action, round_id, by, why, previous)
        file.truncate(len(whole))
        file.seek(len(whole))
        file.write(json.dumps(asdict(hold), sort_keys=True).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return True
