"""Checks a dispute bundle with nothing but the bundle and a public key: hashes, signature, proofs, and what it says."""

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from warehouse.evidence import checkpoint, proofs
from warehouse.evidence.checkpoint import Checkpoint
from warehouse.evidence.entries import EvidenceError, read_entry
from warehouse.evidence.keys import key_id
from warehouse.evidence.proofs import Proof
from warehouse.evidence.report import Report

SUMS: Final = "SHA256SUMS"
ENTRIES: Final = "evidence/entries.ndjson"
CHECKPOINT: Final = "evidence/checkpoint.txt"
PROOFS: Final = "evidence/proofs.txt"
KEY: Final = "evidence/key.pem"
LINES: Final = "lines/"
_NEEDED: Final = (
    *(SUMS, ENTRIES, CHECKPOINT, PROOFS, KEY),
    *("packet.json", "packet.schema.json", "packet.pdf", "floor.toml"),
)
_MOST_BYTES: Final = 1 << 30
# What a raw line says and the packet repeats.
_REPEATED: Final = ("type", "card", "n", "shoe")


class BundleError(EvidenceError):
    """Not a bundle, or one that cannot be read; says why."""


@dataclass
class _Bundle:
    """A bundle's files, and what is found wrong with them."""

    files: Mapping[str, bytes]
    report: Report

    def lines(self, name: str) -> list[bytes]:
        return self.files[name].splitlines(keepends=False)


def is_bundle(path: Path) -> bool:
    """Whether a path is a bundle rather than a lake: a file, or the folder that one was unpacked into."""
    return path.is_file() or (path / SUMS).is_file()


def verify(path: Path, key: Path | None = None, kept: tuple[Path, ...] = ()) -> Report:
    """Check a bundle, zipped or unpacked; without a key, by the one in it."""
    bundle = _Bundle(_read(path), Report())
    report = bundle.report
    if missing := [name for name in _NEEDED if name not in bundle.files]:
        raise BundleError(f"{path}: no dispute bundle, it lacks {', '.join(missing)}")
    _check_sums(bundle)
    try:
        signed = _check_signature(bundle, key)
        _check_kept(signed, kept, report)
        found = proofs.by_file(proofs.read(bundle.files[PROOFS].decode()))
    except (EvidenceError, UnicodeDecodeError) as error:
        report.differ(str(path), "a checkpoint and proofs that can be read", str(error))
        return report
    entries = _check_entries(bundle, signed, found.get(ENTRIES, {}))
    packet = _packet(bundle)
    _check_lines(bundle, found, entries, packet)
    if packet:
        _check_packet(bundle, entries, found, packet)
    return report


def _read(path: Path) -> dict[str, bytes]:
    if path.is_dir():
        return {each.relative_to(path).as_posix(): each.read_bytes() for each in path.rglob("*") if each.is_file()}
    try:
        with zipfile.ZipFile(path) as bundle:
            if sum(info.file_size for info in bundle.infolist()) > _MOST_BYTES:
                raise BundleError(f"{path}: more than {_MOST_BYTES >> 20} MB unpacked; this is no dispute bundle")
            return {info.filename: bundle.read(info) for info in bundle.infolist() if not info.is_dir()}
    except FileNotFoundError:
        raise BundleError(f"{path}: no such file") from None
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise BundleError(f"{path}: no bundle that can be read: {error}") from None


def _check_sums(bundle: _Bundle) -> None:
    """Every file has the hash that is listed, and none is missing or more."""
    listed: dict[str, str] = {}
    for line in bundle.files[SUMS].decode("utf-8", "replace").splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    for name, content in sorted(bundle.files.items()):
        if name == SUMS:
            continue
        bundle.report.files += 1
        bundle.report.bytes += len(content)
        found = hashlib.sha256(content).hexdigest()
        if listed.get(name) != found:
            bundle.report.differ(name, f"SHA-256 {listed.get(name, 'none: not in the list')}", found)
    for name in sorted(set(listed) - set(bundle.files)):
        bundle.report.differ(name, "the file", "no such file in the bundle")


def _check_signature(bundle: _Bundle, key: Path | None) -> Checkpoint:
    """The checkpoint, and whether the key signed it."""
    report, place = bundle.report, CHECKPOINT
    public = _public(key.read_bytes() if key else bundle.files[KEY], str(key or KEY))
    signed = checkpoint.parse(bundle.files[place])
    report.checkpoints += 1
    if not checkpoint.check(signed, [public])[0]:
        report.differ(place, f"a signature by the key {key_id(public)}", "none that it made")
    elif key is None:
        report.notes.append(
            f"signed by the key {key_id(public)} that came with the bundle: compare it with the property's own, or "
            "give that one with --key"
        )
    return signed


def _public(pem: bytes, place: str) -> bytes:
    try:
        key = serialization.load_pem_public_key(pem)
    except ValueError as error:
        raise BundleError(f"{place}: no public key in PEM: {error}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise BundleError(f"{place}: found a {type(key).__name__}, expected an Ed25519 public key")
    return key.public_bytes_raw()


def _check_kept(signed: Checkpoint, kept: tuple[Path, ...], report: Report) -> None:
    """A checkpoint kept elsewhere: of the same size it has to be the same."""
    for path in kept:
        other = checkpoint.parse(checkpoint.tidied(path.read_bytes()))
        report.checkpoints += 1
        if other.origin != signed.origin:
            report.differ(str(path), f"a checkpoint of {signed.origin}", other.origin)
        elif other.size == signed.size and other.root != signed.root:
            report.differ(str(path), f"root {signed.root.hex()}", other.root.hex())
        elif other.size != signed.size:
            told = f"of {other.size} entries, the bundle's of {signed.size}"
            report.notes.append(f"{path}: {told}; that one continues the other is shown by audit21 verify LAKE")


def _check_entries(bundle: _Bundle, signed: Checkpoint, found: dict[int, Proof]) -> list[Mapping[str, Any]]:
    """The log entries that are proved to stand under the signed root."""
    proved: list[Mapping[str, Any]] = []
    for at, line in enumerate(bundle.lines(ENTRIES), 1):
        place, proof = f"{ENTRIES} line {at}", found.get(at)
        bundle.report.entries += 1
        is_under = proof is not None and (proof.lines, proof.root) == (signed.size, signed.root.hex())
        if proof is None or not is_under or not proof.holds(line):
            bundle.report.differ(place, "a proof that leads to the signed root", "none that does")
            continue
        entry, wrong = read_entry(line + b"\n")
        if wrong:
            bundle.report.differ(place, "a well-formed entry", wrong)
        else:
            proved.append(entry)
    return proved


def _check_lines(
    bundle: _Bundle, found: dict[str, dict[int, Proof]], entries: list[Mapping[str, Any]], packet: dict[str, Any]
) -> None:
    """Every raw line leads to the root of its file as it was taken into custody."""
    roots = {(file["path"], file["line_root"], file["lines"]) for file in _custody(entries)}
    redaction = packet.get("redaction") or {}
    excused = {(each["path"], each["at"]) for each in redaction.get("unproved", ())}
    sources = {lines_name(row["path"]): row["path"] for row in packet.get("sources", ())}
    for name in sorted(name for name in bundle.files if name.startswith(LINES)):
        path = sources.get(name, "")
        for at, line in enumerate(bundle.files[name].split(b"\n")[:-1], 1):
            proof, place = found.get(name, {}).get(at), f"{name} line {at}"
            if proof is None and (path, at) in excused:
                continue
            bundle.report.lines += 1
            if proof is None or not proof.holds(line):
                bundle.report.differ(place, "a proof that leads to its file's root", "none that does")
            elif (path, proof.root, proof.lines) not in roots:
                bundle.report.differ(place, "the root of a file in custody", f"{proof.root} of {path or 'no file'}")
    if excused:
        bundle.report.notes.append(f"redacted: {len(excused)} lines have no proof, which would tell of lines left out")


def lines_name(path: str) -> str:
    """The name in a bundle of the lines of a landing file."""
    return f"{LINES}{path}" if path.endswith(".ndjson") else f"{LINES}{path}.ndjson"


def _custody(entries: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for entry in entries:
        if entry["kind"] == "custody":
            yield from entry["files"]


def _packet(bundle: _Bundle) -> dict[str, Any]:
    """The packet's facts, if they are in the form that their schema describes."""
    from jsonschema import Draft202012Validator  # slow to import, and needed here only

    try:
        packet: dict[str, Any] = json.loads(bundle.files["packet.json"])
        schema = json.loads(bundle.files["packet.schema.json"])
    except ValueError as error:
        bundle.report.differ("packet.json", "JSON", str(error))
        return {}
    for wrong in Draft202012Validator(schema).iter_errors(packet):
        place = "/".join(map(str, wrong.absolute_path))
        bundle.report.differ(f"packet.json {place}", "what packet.schema.json describes", wrong.message[:120])
        return {}
    return packet


def _check_packet(
    bundle: _Bundle, entries: list[Mapping[str, Any]], found: dict[str, dict[int, Proof]], packet: dict[str, Any]
) -> None:
    """What the packet says against what the lines and the log say."""
    report = bundle.report
    floor = hashlib.sha256(bundle.files["floor.toml"]).hexdigest()
    floors = {entry["floor"]["sha256"] for entry in entries if entry["kind"] == "custody"}
    if floor not in floors or floor != packet["rulebook"]["floor_sha256"]:
        report.differ("floor.toml", "the one in custody that the round was judged by", floor)
    snapshots = {entry["snapshot"] for entry in entries if entry["kind"] == "published"}
    if packet["published"]["snapshot"] not in snapshots:
        report.differ("packet.json published", "a snapshot that the log has", str(packet["published"]["snapshot"]))
    raw = _raw(bundle, found, packet)
    left_out = {(each["path"], each["line"]) for each in (packet["redaction"] or {}).get("lines", ())}
    paid: dict[tuple[Any, ...], list[int]] = {}
    for step in packet["steps"]:
        if (told := step["line"]) and (told["path"], told["line"]) not in left_out:
            line = raw.get((told["path"], told["line"]))
            _check_step(report, step, line)
            if line and line.get("type") == "settle":
                key = (line["seat"], line.get("bettor") or 1, line["kind"], line.get("hand") or 1)
                amounts = paid.setdefault(key, [0, 0])
                amounts[0] += line.get("paid_cents") or 0
                amounts[1] += line.get("taken_cents") or 0
    _check_amounts(report, packet, paid)


def _raw(
    bundle: _Bundle, found: dict[str, dict[int, Proof]], packet: dict[str, Any]
) -> dict[tuple[str, int], dict[str, Any]]:
    """The raw lines by file and line."""
    unproved = {(each["path"], each["at"]): each["line"] for each in (packet["redaction"] or {}).get("unproved", ())}
    lines = {}
    for row in packet["sources"]:
        name = lines_name(row["path"])
        for at, line in enumerate(bundle.files.get(name, b"").split(b"\n")[:-1], 1):
            proof = found.get(name, {}).get(at)
            number = proof.line if proof else unproved.get((row["path"], at))
            try:
                told = json.loads(line)
            except ValueError:
                continue
            if number is not None and isinstance(told, dict):
                lines[row["path"], number] = told
    return lines


def _check_step(report: Report, step: dict[str, Any], line: dict[str, Any] | None) -> None:
    place = f"packet.json step {step['step']}"
    if line is None:
        report.differ(place, f"line {step['line']['line']} of {step['line']['path']} in the bundle", "no such line")
        return
    told = {"type": step["type"], "card": step["card"], "n": step["n"], "shoe": step["shoe"]}
    names = _REPEATED if step["type"] == "draw" else ("type",)
    wrong = [name for name in names if line.get(name) != told[name]]
    if line.get("seq") != step["line"]["seq"] or wrong:
        shown = {name: line.get(name) for name in ("seq", *names)}
        report.differ(place, f"what its line says, {shown}", str({name: told[name] for name in names}))


def _check_amounts(report: Report, packet: dict[str, Any], paid: dict[tuple[Any, ...], list[int]]) -> None:
    """The payments that the packet names are those of the lines."""
    for row in packet["settlements"]:
        key = (row["seat"], row["bettor"], row["kind"], row["hand"])
        logged = paid.pop(key, [0, 0])
        named = [row["actual_paid_cents"], row["actual_taken_cents"]]
        if logged != named:
            place = f"packet.json settlement of {row['place']} {row['kind']}"
            report.differ(place, f"{logged[0]} paid and {logged[1]} taken, as logged", f"{named[0]} and {named[1]}")
    for key, amounts in paid.items():
        if any(amounts):
            report.differ("packet.json settlements", f"the payment {key} of {amounts}", "none")
