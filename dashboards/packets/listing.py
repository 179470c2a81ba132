"""The manifest of a packet: its files, the origin of its lines, and the omissions with their reasons."""

import hashlib
from typing import Any, cast

from dashboards.packets.excerpts import Excerpts
from warehouse import folders
from warehouse.evidence.bundle_files import FILM, GONE, IN_BUNDLE
from warehouse.evidence.entries import EvidenceError, Removed
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.manifest import (
    NAME,
    File,
    Film,
    Lines,
    Manifest,
    NotKept,
    Unproved,
    WithheldLine,
    WithheldPatron,
)

Data = dict[str, Any]
_OTHER: str = "other-patron"


def manifest(log: EvidenceLog, data: Data, files: dict[str, bytes], shown: Excerpts) -> Manifest:
    """List a packet of these facts and files; nothing is signed yet."""
    for name in files:
        if not NAME.fullmatch(name):
            raise EvidenceError(f"{name!r}: no name for a file of a bundle; expected letters, digits and . _ % - only")
    published, signed, redaction = data["published"], data["evidence"], data["redaction"] or {}
    return Manifest(
        origin=signed["origin"],
        round_id=data["round_id"],
        gaming_day=data["round"]["gaming_day"],
        snapshot=published["snapshot"],
        published=published["at"],
        as_of=published["as_of"],
        size=signed["size"],
        root=signed["root"],
        redacted=data["redaction"] is not None,
        files=tuple(File(name, len(files[name]), hashlib.sha256(files[name]).hexdigest()) for name in sorted(files)),
        lines=tuple(_lines(row, shown) for row in _sources(data, IN_BUNDLE)),
        films=tuple(Film(row["sha256"], row["bytes"], row["path"]) for row in _sources(data, FILM)),
        not_kept=tuple(NotKept(row["sha256"], _why_gone(log, data, row), row["path"]) for row in _sources(data, GONE)),
        unproved=tuple(Unproved(shown.names[e["path"]], e["at"], e["line"], "guess") for e in shown.unproved),
        withheld_lines=tuple(WithheldLine(e["salted_sha256"], e["line"], _OTHER, e["path"]) for e in shown.removed),
        withheld_patrons=tuple(
            WithheldPatron(e["label"], e["salted_sha256"], _OTHER) for e in redaction.get("patrons", ())
        ),
    )


def _sources(data: Data, state: str) -> list[Data]:
    return [row for row in data["sources"] if row["state"] == state]


def _lines(row: Data, shown: Excerpts) -> Lines:
    name = shown.names[row["path"]]
    return Lines(name, shown.texts[name].count(b"\n"), row["lines"], row["line_root"], row["sha256"], row["path"])


def _why_gone(log: EvidenceLog, data: Data, row: Data) -> str:
    """Why the lines of a landing file are not in the bundle."""
    removed = (cast(Removed, entry) for _, entry in log.entries("removed", data["round"]["gaming_day"]))
    if any(file["sha256"] == row["sha256"] for entry in removed for file in entry["files"]):
        return "retention"
    kept = folders.raw(log.folder.parent, row["sha256"])
    return "no-lines" if kept.is_file() else "missing"
