"""The raw lines behind a round, byte for byte, and the proofs that lead from them to a signed checkpoint."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, Final

from dashboards.packets.gather import Dossier, Row
from dashboards.packets.withhold import Withheld
from warehouse.evidence import checkpoint, merkle
from warehouse.evidence.bundle_files import ENTRIES, FILM, GONE, IN_BUNDLE, hashed_name, lines_name
from warehouse.evidence.checkpoint import Checkpoint
from warehouse.evidence.entries import EvidenceError, canonical
from warehouse.evidence.files import TextOf, text_lines
from warehouse.evidence.keys import introduced, public_pem
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.proofs import Proof
from warehouse.redaction import gives_away

MARGIN: Final = 12
_PATRON: Final = b'"patron"'


@dataclass
class Excerpts:
    """Lines by file of the bundle, their proofs, and the lines left out."""

    texts: dict[str, bytes] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # of these files, by landing path
    proofs: list[Proof] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    removed: list[dict[str, Any]] = field(default_factory=list)  # lines left out, with their salted hashes
    unproved: list[dict[str, Any]] = field(default_factory=list)  # lines whose proof would tell of a line left out


def excerpts(dossier: Dossier, withheld: Withheld | None, text_of: TextOf | None) -> Excerpts:
    """The lines that the round rests on. A redacted packet has no margin: it is other rounds'."""
    found = Excerpts()
    by_path = {row["path"]: row for row in dossier.files}
    for path, numbers in sorted(dossier.lines.items()):
        record = by_path[path]
        place = dossier.place.raw(record["sha256"])
        is_kept = record["line_root"] is not None and place.is_file()
        lines = text_lines(place, path, text_of) if is_kept else None
        _describe(found, record, numbers, GONE if lines is None else IN_BUNDLE)
        if lines is not None:
            wanted = _wanted(numbers, len(lines), 0 if withheld else MARGIN)
            _take(found, record, lines, wanted, withheld)
    for path in sorted({row["path"] for row in dossier.sightings if row["frame"] is not None}):
        frames = {row["frame"] for row in dossier.sightings if row["path"] == path}
        _describe(found, by_path[path], frames, FILM)
    return found


def _describe(found: Excerpts, record: Row, numbers: set[int], state: str) -> None:
    """A file that the round rests on; the numbers are lines, or frames of a film."""
    kept = ("path", "source", "sha256", "bytes", "lines", "line_root", "log_index")
    row = {name: record[name] for name in kept}
    found.sources.append({**row, "first": min(numbers), "last": max(numbers), "state": state})


def _wanted(numbers: set[int], count: int, margin: int) -> list[int]:
    near = {n for number in numbers for n in range(number - margin, number + margin + 1)}
    return sorted(n for n in near if 1 <= n <= count)


def _take(found: Excerpts, record: Row, lines: list[bytes], wanted: list[int], withheld: Withheld | None) -> None:
    """Take lines of one file, but for those that hold the identity of somebody who is left out."""
    path, name = record["path"], lines_name(record["path"])
    name = hashed_name(path) if name in found.texts else name
    found.names[path] = name
    secret = [withheld is not None and _is_secret(line, withheld) for line in lines]
    shown = [n for n in wanted if not secret[n - 1]]
    for n in wanted:
        if secret[n - 1] and withheld:
            found.removed.append({"path": path, "line": n, "salted_sha256": withheld.of_line(path, n, lines[n - 1])})
    found.texts[name] = b"".join(lines[n - 1] + b"\n" for n in shown)
    leaves = merkle.line_hashes(b"".join(line + b"\n" for line in lines))
    if merkle.root(leaves).hex() != record["line_root"]:
        raise EvidenceError(f"{path}: its lines in the lake are not those that were taken in; run audit21 verify")
    disclosed = set(shown)
    secrets = list(accumulate(secret, initial=0))
    unknown = list(accumulate((n not in disclosed for n in range(1, len(lines) + 1)), initial=0))
    paths = merkle.inclusion_paths(leaves, [n - 1 for n in shown])
    for at, (n, steps) in enumerate(zip(shown, paths, strict=True), 1):
        if withheld and gives_away(n - 1, len(lines), secrets, unknown):
            found.unproved.append({"path": path, "line": n, "at": at})
        else:
            found.proofs.append(Proof(name, at, n, len(lines), record["line_root"], tuple(steps)))


def _is_secret(line: bytes, withheld: Withheld) -> bool:
    if _PATRON not in line:
        return False
    try:
        patron = json.loads(line).get("patron")
    except ValueError:
        return True  # a damaged line may hold anything
    return patron is not None and patron != withheld.keep


# The chain from the lines up.


@dataclass(frozen=True)
class Chain:
    """Entries of the evidence log, their proofs, and the checkpoint that covers them."""

    entries: bytes
    proofs: list[Proof]
    checkpoint: Checkpoint  # signed by the key in force
    keys: dict[str, bytes]  # public keys by id
    signed_off: list[dict[str, Any]]


def chain(log: EvidenceLog, dossier: Dossier, sources: list[dict[str, Any]]) -> Chain:
    """Return the evidence log's entries on the round's files, its floor.toml and its publication, with proofs."""
    place = dossier.place
    published = _published(log, place.day.isoformat(), place.state.snapshot)
    known = introduced(log)
    first = checkpoint.covering(log.folder, published)
    signed = _own_signatures(checkpoint.covering(log.folder, max(published, known[-1][0])))
    if log.root(signed.size) != signed.root:
        raise EvidenceError(f"{log.path} does not continue its checkpoint of {signed.size}; run audit21 verify")
    wanted = {published, *(row["log_index"] for row in sources), _floor(log, dossier)}
    wanted |= {index for index, _, _ in known if index < signed.size}
    approvals = [(n, e) for n, e in _entries(log, "signoff", place.day.isoformat()) if n < first.size]
    approvals = [(n, e) for n, e in approvals if e["snapshot"] == place.state.snapshot]
    indices = sorted(wanted | {n for n, _ in approvals})
    texts = [canonical(log.entry(index)) for index in indices]
    root = signed.root.hex()
    proofs = [
        Proof(ENTRIES, at, index + 1, signed.size, root, tuple(log.inclusion(index, signed.size)))
        for at, index in enumerate(indices, 1)
    ]
    keys: dict[str, bytes] = {}
    for index, key_id, public in known:
        if index < signed.size:
            keys.pop(key_id, None)  # a key that came back is the last one
            keys[key_id] = public_pem(public)
    said = [{"by": entry["by"], "note": entry["note"]} for _, entry in approvals]
    return Chain(b"".join(text + b"\n" for text in texts), proofs, signed, keys, said)


def _entries(log: EvidenceLog, kind: str, day: str) -> list[tuple[int, Mapping[str, Any]]]:
    return [(index, entry) for index, entry in log.entries(kind, day)]


def _published(log: EvidenceLog, day: str, snapshot: int) -> int:
    for index, entry in _entries(log, "published", day):
        if entry["snapshot"] == snapshot:
            return index
    raise EvidenceError(f"{log.path}: no entry for snapshot {snapshot} of {day}; run audit21 run, then again")


def _floor(log: EvidenceLog, dossier: Dossier) -> int:
    """The entry that brought the floor.toml in force, with the rulebook that the round was judged by."""
    book = dossier.retold.audit.table.book.sha256
    for index, entry in _entries(log, "custody", dossier.place.day.isoformat()):
        books = {each["sha256"] for each in entry.get("rulebooks", ())}
        if entry["floor"]["sha256"] == dossier.round["floor_sha256"] and (not books or book in books):
            return index
    raise EvidenceError(f"{log.path}: no entry has the floor.toml {dossier.round['floor_sha256']}; run audit21 verify")


def _own_signatures(signed: Checkpoint) -> Checkpoint:
    """A checkpoint without those signatures that witnesses may add later: the packet stays the same."""
    return replace(signed, signatures=tuple(each for each in signed.signatures if each.name == signed.origin))
