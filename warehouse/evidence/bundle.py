"""Checks a dispute bundle with nothing but the bundle and a public key: hashes, signature, proofs, and what it says."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from warehouse.evidence import checkpoint, cosign, pins, proofs
from warehouse.evidence.bundle_facts import check_facts, read_facts
from warehouse.evidence.bundle_files import (
    CHECKPOINT,
    ENTRIES,
    KEY,
    LINES,
    PROOFS,
    SUMS,
    Bundle,
    BundleError,
    lines_name,
    opened,
)
from warehouse.evidence.checkpoint import Checkpoint
from warehouse.evidence.cosign import NO_DEMAND, Demand
from warehouse.evidence.entries import EvidenceError, read_entry
from warehouse.evidence.keys import key_id
from warehouse.evidence.proofs import Proof
from warehouse.evidence.report import Report


def verify(
    path: Path,
    key: Path | None = None,
    kept: tuple[Path, ...] = (),
    demand: Demand = NO_DEMAND,
    pin: Path | None = None,
) -> Report:
    """Check a bundle, zipped or unpacked; without a key or a pin, by the key in it."""
    bundle = opened(path)
    report = bundle.report
    _check_sums(bundle)
    try:
        signed = _check_signature(bundle, key, pin)
        cosign.check([(CHECKPOINT, signed)], demand, report)
        _check_kept(signed, kept, report)
        found = proofs.by_file(proofs.read(bundle.files[PROOFS].decode()))
    except (EvidenceError, UnicodeDecodeError) as error:
        report.differ(str(path), "a checkpoint and proofs that can be read", str(error))
        return report
    entries = _check_entries(bundle, signed, found.get(ENTRIES, {}))
    packet = read_facts(bundle)
    _check_lines(bundle, found, entries, packet)
    if packet:
        check_facts(bundle, entries, found, packet)
    return report


def _check_sums(bundle: Bundle) -> None:
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


def _check_signature(bundle: Bundle, key: Path | None, pin: Path | None) -> Checkpoint:
    """The checkpoint, and whether the key signed it, which is one of the pinned ones."""
    report, place = bundle.report, CHECKPOINT
    public = _public(key.read_bytes() if key else bundle.files[KEY], str(key or KEY))
    signed = checkpoint.parse(bundle.files[place])
    report.checkpoints += 1
    if pin is not None:
        pinned = pins.read(pin)
        if (pinned.log, public in pinned.keys) != (signed.origin, True):
            report.differ(
                place, f"the log {pinned.log} and a key pinned in {pin}", f"{signed.origin}, {key_id(public)}"
            )
    if not checkpoint.check(signed, [public])[0]:
        report.differ(place, f"a signature by the key {key_id(public)}", "none that it made")
    elif key is None and pin is None:
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


def _check_entries(bundle: Bundle, signed: Checkpoint, found: dict[int, Proof]) -> list[Mapping[str, Any]]:
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
    bundle: Bundle, found: dict[str, dict[int, Proof]], entries: list[Mapping[str, Any]], packet: dict[str, Any]
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


def _custody(entries: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for entry in entries:
        if entry["kind"] == "custody":
            yield from entry["files"]
