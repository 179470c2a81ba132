"""Entries of the evidence log: a few kinds, each one canonical line of JSON."""

import json
import re
from collections.abc import Callable, Mapping, Set
from datetime import date
from itertools import pairwise
from typing import Any, Final, Literal, NotRequired, TypedDict


class EvidenceError(Exception):
    """The evidence chain cannot be read or continued; the message says where and why."""


class FileRecord(TypedDict):
    """A landing file as received: its path below the landing zone and the hash of its bytes."""

    path: str
    sha256: str
    bytes: int
    lines: int | None
    line_root: str | None
    kept: NotRequired[bool]  # false: referenced by path and hash, without a copy in raw/


class BookRecord(FileRecord):
    """A rulebook's file, by its id and version."""

    id: str
    version: str


class Activity(TypedDict):
    """The newest row of the accounts' activity log: its number and its hash, which covers all rows before it."""

    number: int
    hash: str


class Custody(TypedDict):
    """Files newly taken in for a gaming day, the floor.toml in force, and the rulebooks that it names."""

    kind: Literal["custody"]
    at: NotRequired[str]
    set_back_ms: NotRequired[int]
    activity: NotRequired[Activity]
    gaming_day: str
    floor: FileRecord
    rulebooks: NotRequired[list[BookRecord]]
    files: list[FileRecord]


class Part(TypedDict):
    """A file of a dataset, by its path below the lake."""

    path: str
    sha256: str
    bytes: int


class PublishedPart(Part):
    """A part of a dataset, with the Delta table's statistics of it: number of rows, first and last table."""

    rows: int
    first: str
    last: str


class Stamped(TypedDict):
    """When an entry was made, by the clock of the machine; where that was set back, by how much."""

    at: str
    set_back_ms: NotRequired[int]
    activity: NotRequired[Activity]


class Published(Stamped):
    """A gaming day's verdicts as they were published: the whole row of the snapshot, and every file that holds them."""

    kind: Literal["published"]
    gaming_day: str
    snapshot: int
    run_id: str
    reason: str
    restates: bool
    inputs: str
    carry_in: str
    carry_out: str
    engine_version: str
    versions: dict[str, int]
    parts: dict[str, list[PublishedPart]]
    created: NotRequired[dict[str, str]]  # hash of the first commit of Delta tables that this publication makes


class SignOff(Stamped):
    """Audit's signature under a published day."""

    kind: Literal["signoff"]
    gaming_day: str
    snapshot: int
    by: str
    note: str


class PacketIssued(Stamped):
    """A dispute packet that was issued: of which round as published in which snapshot, when, and who asked for it."""

    kind: Literal["packet"]
    gaming_day: str
    round_id: str
    snapshot: int
    manifest: str  # SHA-256 of the bundle's manifest.txt
    by: str


class RemovedFile(TypedDict):
    """A file that was removed: its path below the landing zone or the lake, and the hash of its bytes."""

    what: Literal["footage", "stills", "watched", "raw"]
    place: Literal["landing", "lake"]
    path: str
    sha256: str
    bytes: int


class Removed(Stamped):
    """Files of a gaming day that were removed under a retention policy, when and by whom."""

    kind: Literal["removed"]
    gaming_day: str
    by: str
    policy: str
    files: list[RemovedFile]


class Key(TypedDict):
    """A signing key that is used from here on."""

    kind: Literal["key"]
    key_id: str
    public: str
    previous: str | None


class Accepted(Stamped):
    """A person's confirmation of a key that the key before it did not vouch for."""

    kind: Literal["accepted"]
    key_id: str
    by: str
    reason: str


class Hold(Stamped):
    """A legal hold on a round's evidence, placed or lifted."""

    kind: Literal["hold", "release"]
    gaming_day: str
    round_id: str
    by: str
    why: str


class Made(Stamped):
    """Files made from the footage of a gaming day: recognised cards, or still frames; the newest counts."""

    kind: Literal["watched", "stills"]
    gaming_day: str
    files: list[Part]


class Catalog(Stamped):
    """The catalog as it was made of a snapshot."""

    kind: Literal["catalog"]
    snapshot: int
    sha256: str
    bytes: int


class RedactionKey(Stamped):
    """The lake's secret for redacted packets, by the hash of its bytes."""

    kind: Literal["redaction"]
    fingerprint: str


class Repaired(Stamped):
    """Files that were restored from the log: which, and who asked for it."""

    kind: Literal["repaired"]
    by: str
    files: list[str]


Entry = (
    Custody
    | Published
    | SignOff
    | PacketIssued
    | Removed
    | Key
    | Accepted
    | Hold
    | Made
    | Catalog
    | RedactionKey
    | Repaired
)
Shape = Callable[[Any], str | None]
_OPTIONAL: Final = frozenset({"kept", "set_back_ms", "activity", "created", "rulebooks"})


def canonical(entry: Mapping[str, Any]) -> bytes:
    """The one way to write an entry: sorted keys, no spaces, without the newline."""
    return json.dumps(entry, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def problem(entry: Any) -> str | None:
    """Return the error in an entry's form, or None."""
    kind = entry.get("kind") if isinstance(entry, dict) else None
    if not isinstance(kind, str) or kind not in _SHAPES:
        return f"kind: found {kind!r:.60}, expected one of {', '.join(_SHAPES)}"
    if kind == "published" and "at" not in entry:
        return "a publication without its time and versions: this lake was made by an older audit21; audit it anew"
    wrong = _fields(_SHAPES[kind], _OPTIONAL | ({"at"} if kind == "custody" else set()))(entry)
    if wrong is None and kind == "custody":
        wrong = _custody_problem(entry)
    return wrong


def taken_files(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the files of an entry about custody: floor.toml, its rulebooks, and the files received."""
    return [entry["floor"], *entry.get("rulebooks", ()), *entry["files"]]


def read_entry(line: bytes) -> tuple[dict[str, Any], str | None]:
    """Parse a line of the log with its newline; return the entry, and its error or None."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {}, f"no JSON ({error})"
    if wrong := problem(entry):
        return {}, wrong
    return entry, None if canonical(entry) + b"\n" == line else "JSON that is not in canonical form"


def _custody_problem(entry: Custody) -> str | None:
    paths = [file["path"] for file in entry["files"]]
    for path in paths:
        if not path.startswith(entry["gaming_day"] + "/"):
            return f"files: found {path!r}, expected paths below {entry['gaming_day']}/"
    if any(before >= after for before, after in pairwise(paths)):
        return "files: found paths out of order or twice, expected each once, sorted"
    return None


def _fields(shape: Mapping[str, Shape], optional: Set[str] = _OPTIONAL) -> Shape:
    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f"found {value!r:.60}, expected an object"
        needed = {name for name in shape if name not in optional}
        if not needed <= set(value) <= set(shape):
            return f"found fields {', '.join(sorted(value))}, expected {', '.join(sorted(needed))}"
        for name, found in value.items():
            if wrong := shape[name](found):
                return f"{name}: {wrong}"
        return None

    return check


def _list_of(item: Shape) -> Shape:
    def check(value: Any) -> str | None:
        if not isinstance(value, list):
            return f"found {value!r:.60}, expected a list"
        return next((wrong for wrong in map(item, value) if wrong), None)

    return check


def _named(item: Shape) -> Shape:
    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f"found {value!r:.60}, expected values by name"
        return next((f"{name}: {wrong}" for name, found in value.items() if (wrong := item(found))), None)

    return check


def _matching(pattern: str, expected: str) -> Shape:
    compiled = re.compile(pattern)

    def check(value: Any) -> str | None:
        matches = isinstance(value, str) and compiled.fullmatch(value)
        return None if matches else f"found {value!r:.80}, expected {expected}"

    return check


def _or_null(shape: Shape) -> Shape:
    return lambda value: None if value is None else shape(value)


def _number(value: Any) -> str | None:
    return None if type(value) is int and value >= 0 else f"found {value!r:.60}, expected a whole number from 0"


def _truth(value: Any) -> str | None:
    return None if isinstance(value, bool) else f"found {value!r:.60}, expected true or false"


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) else f"found {value!r:.60}, expected text"


def _day(value: Any) -> str | None:
    try:
        if date.fromisoformat(value).isoformat() == value:
            return None
    except (TypeError, ValueError):
        pass
    return f"found {value!r:.60}, expected a day such as 2026-01-05"


_hash = _matching(r"[0-9a-f]{64}", "64 hexadecimal digits")
_path = _matching(r"[^/\0\n][^\0]*", "a relative path")
_key_id = _matching(r"[0-9a-f]{16}", "16 hexadecimal digits")
_kind: Shape = _text
_PART: Final[dict[str, Shape]] = {"path": _path, "sha256": _hash, "bytes": _number}
_FILE: Final[dict[str, Shape]] = {**_PART, "lines": _or_null(_number), "line_root": _or_null(_hash), "kept": _truth}
_PUBLISHED_PART: Final[dict[str, Shape]] = {**_PART, "rows": _number, "first": _text, "last": _text}
_STAMP: Final[dict[str, Shape]] = {
    "at": _matching(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "a time such as 2026-01-05T07:00:00.000Z"),
    "set_back_ms": _number,
    "activity": _fields({"number": _number, "hash": _hash}),
}
_REMOVED: Final[dict[str, Shape]] = {
    **_PART,
    "what": _matching("footage|stills|watched|raw", "footage, stills, watched or raw"),
    "place": _matching("landing|lake", "landing or lake"),
}
_HOLD: Final[dict[str, Shape]] = {
    **_STAMP,
    "kind": _kind,
    "gaming_day": _day,
    "round_id": _text,
    "by": _text,
    "why": _text,
}
_MADE: Final[dict[str, Shape]] = {
    **_STAMP,
    "kind": _kind,
    "gaming_day": _day,
    "files": _list_of(_fields(_PART)),
}
_SHAPES: Final[dict[str, dict[str, Shape]]] = {
    "custody": {
        **_STAMP,
        "kind": _kind,
        "gaming_day": _day,
        "floor": _fields(_FILE),
        "rulebooks": _list_of(_fields({**_FILE, "id": _text, "version": _text})),
        "files": _list_of(_fields(_FILE)),
    },
    "published": {
        **_STAMP,
        "kind": _kind,
        "gaming_day": _day,
        "snapshot": _number,
        "run_id": _text,
        "reason": _text,
        "restates": _truth,
        "inputs": _text,
        "carry_in": _text,
        "carry_out": _text,
        "engine_version": _text,
        "versions": _named(_number),
        "parts": _named(_list_of(_fields(_PUBLISHED_PART))),
        "created": _named(_hash),
    },
    "signoff": {**_STAMP, "kind": _kind, "gaming_day": _day, "snapshot": _number, "by": _text, "note": _text},
    "packet": {
        **_STAMP,
        "kind": _kind,
        "gaming_day": _day,
        "round_id": _text,
        "snapshot": _number,
        "manifest": _hash,
        "by": _text,
    },
    "removed": {
        **_STAMP,
        "kind": _kind,
        "gaming_day": _day,
        "by": _text,
        "policy": _text,
        "files": _list_of(_fields(_REMOVED)),
    },
    "hold": _HOLD,
    "release": _HOLD,
    "watched": _MADE,
    "stills": _MADE,
    "catalog": {**_STAMP, "kind": _kind, "snapshot": _number, "sha256": _hash, "bytes": _number},
    "redaction": {**_STAMP, "kind": _kind, "fingerprint": _hash},
    "repaired": {**_STAMP, "kind": _kind, "by": _text, "files": _list_of(_text)},
    "key": {
        "kind": _kind,
        "key_id": _key_id,
        "public": _matching(r"[A-Za-z0-9+/]{43}=", "32 bytes in base64"),
        "previous": _or_null(_key_id),
    },
    "accepted": {**_STAMP, "kind": _kind, "key_id": _key_id, "by": _text, "reason": _text},
}
