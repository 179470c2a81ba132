"""Plans of removal: nothing that a hold protects, nothing that another day or table still needs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple, cast

from warehouse import signing
from warehouse.evidence.entries import Custody, EvidenceError, FileRecord
from warehouse.evidence.files import file_sha256
from warehouse.evidence.log import FOLDER, EvidenceLog
from warehouse.evidence.verify import intact
from warehouse.folders import STILLS, WATCHED
from warehouse.retention import holds
from warehouse.retention.policy import Policy

KINDS: Final = ("footage", "stills", "watched", "raw")
LANDING: Final = "landing"
LAKE: Final = "lake"


class Item(NamedTuple):
    """A file that may be removed."""

    kind: str
    gaming_day: str
    table: str
    place: str  # landing or lake
    path: str  # below that place
    sha256: str
    bytes: int


@dataclass(frozen=True)
class RetentionPlan:
    """The items to remove, those that a hold keeps, and the time of the plan."""

    policy: Policy
    today: date
    remove: tuple[Item, ...]
    held: tuple[Item, ...]

    @property
    def bytes(self) -> int:
        return sum(item.bytes for item in self.remove)


def plan(landing: Path, lake: Path, policy: Policy, today: date, log: EvidenceLog | None = None) -> RetentionPlan:
    """Work out what a policy would remove; ``EvidenceError`` where the log that says what is held was damaged."""
    log = log or EvidenceLog(lake / FOLDER)
    intact(lake)
    standing = holds.in_force(lake, log).values()
    protected = {hold.scope for hold in standing}
    due: list[Item] = []
    held: list[Item] = []
    kept_hashes: set[str] = set()
    for item in _items(landing, lake, log):
        is_due = _is_due(item, policy, today)
        if is_due and (item.gaming_day, item.table) not in protected:
            due.append(item)
            continue
        kept_hashes.add(item.sha256)
        held += [item] if is_due else []
    # The same bytes may have come on another day or at another table: the lake keeps them once.
    remove = [item for item in due if item.place == LANDING or item.sha256 not in kept_hashes]
    return RetentionPlan(policy, today, tuple(remove), tuple(held))


def _is_due(item: Item, policy: Policy, today: date) -> bool:
    days = policy.days(item.kind)
    return days is not None and date.fromisoformat(item.gaming_day) + timedelta(days=days) < today


def _items(landing: Path, lake: Path, log: EvidenceLog) -> Iterator[Item]:
    """Every file of the evidence that is there, in the order in which it came."""
    films: dict[str, tuple[str, str]] = {}  # gaming day and table by hash
    for _, entry in log.entries("custody"):
        custody = cast(Custody, entry)
        for record in custody["files"]:
            day, table = record["path"].split("/")[:2]
            kind = "footage" if _is_film(record) else "raw"
            if kind == "footage":
                films[record["sha256"]] = day, table
            yield from _of_record(landing, lake, kind, day, table, record)
    yield from _watched(lake, films)
    yield from _stills(lake, signing.recorded(log, "stills"))


def _is_film(record: FileRecord) -> bool:
    name = PurePosixPath(record["path"]).name
    return name.startswith("footage") and not name.endswith(".json")


def _of_record(landing: Path, lake: Path, kind: str, day: str, table: str, record: FileRecord) -> Iterator[Item]:
    for place, root, path in ((LAKE, lake, f"raw/{record['sha256']}"), (LANDING, landing, record["path"])):
        file = root / path
        if file.is_file() and file.stat().st_size == record["bytes"]:
            yield Item(kind, day, table, place, path, record["sha256"], record["bytes"])


def _watched(lake: Path, films: dict[str, tuple[str, str]]) -> Iterator[Item]:
    for path in sorted((lake / WATCHED).glob("[!.]*.json")):
        if found := films.get(path.name.partition("-")[0]):
            yield Item("watched", *found, LAKE, f"{WATCHED}/{path.name}", *file_sha256(path))


def _stills(lake: Path, recorded: dict[str, str]) -> Iterator[Item]:
    for about in sorted((lake / STILLS).glob("[!.]*.json")):
        if recorded.get(f"{STILLS}/{about.name}") != file_sha256(about)[0]:
            raise EvidenceError(f"{about}: not as the evidence log records it; run audit21 verify and restore the file")
        told: dict[str, Any] = json.loads(about.read_text(encoding="utf-8"))
        day, table = told["path"].split("/")[:2]
        for path in (about.with_suffix(".png"), about):
            if path.is_file():
                yield Item("stills", day, table, LAKE, f"{STILLS}/{path.name}", *file_sha256(path))
