"""Checks a dispute bundle with nothing but the bundle and a public key.

Which checks apply is decided by the signed manifest alone. In this order: its signature, every file, the checkpoint
that the packet rests on, log entries and raw lines under it, the packet's facts, and that the packet was issued.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from warehouse.evidence import checkpoint, cosign, manifest, merkle, pins, proofs
from warehouse.evidence.bundle_facts import check_facts, read_facts
from warehouse.evidence.bundle_files import (
    BESIDE,
    CHECKPOINT,
    ENTRIES,
    FLOOR,
    ISSUED_CHECKPOINT,
    ISSUED_CONSISTENCY,
    ISSUED_ENTRY,
    ISSUED_PROOF,
    KEY,
    LINES,
    MANIFEST,
    PROOFS,
    RULEBOOK,
    Bundle,
    BundleError,
)
from warehouse.evidence.bundle_open import opened
from warehouse.evidence.checkpoint import Checkpoint
from warehouse.evidence.cosign import NO_DEMAND, Demand
from warehouse.evidence.entries import EvidenceError, read_entry
from warehouse.evidence.keys import key_id
from warehouse.evidence.manifest import Manifest
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
    public = _public(key.read_bytes() if key else bundle.files[KEY], str(key or KEY))
    try:
        said = manifest.parse(bundle.files[MANIFEST])
    except EvidenceError as error:
        report.differ(MANIFEST, "the manifest of a dispute bundle", str(error))
        return report
    if not said.is_signed_by(public):
        report.differ(MANIFEST, f"a signature by the key {key_id(public)}", "none that it made")
        return report
    if pin is not None:
        _check_pin(said, public, pin, report)
    elif key is None:
        report.notes.append(
            f"signed by the key {key_id(public)} that came with the bundle: compare it with the property's own, or "
            "give that one with --key or --pin"
        )
    _check_files(bundle, said)
    if report.differences:
        return report
    signed = _check_checkpoint(bundle, said, public)
    _check_proofs(bundle, said)
    later = _check_issued(bundle, said, public)
    found = [(place, each) for place, each in ((CHECKPOINT, signed), (ISSUED_CHECKPOINT, later)) if each]
    _check_kept([each for _, each in found], kept, report)
    cosign.check(sorted(found, key=lambda each: cosign.quorum(each[1], demand.witnesses)), demand, report)
    _note_left_out(said, report)
    return report


def _check_pin(said: Manifest, public: bytes, pin: Path, report: Report) -> None:
    """The log is the pinned one, and the key that signed the manifest is one of its pinned keys."""
    pinned = pins.read(pin)
    if (pinned.log, public in pinned.keys) != (said.origin, True):
        report.differ(
            MANIFEST, f"the log {pinned.log} and a key pinned in {pin}", f"{said.origin}, signed by {key_id(public)}"
        )


def _check_files(bundle: Bundle, said: Manifest) -> None:
    """Every file has the size and hash that the manifest lists, and none is missing or more."""
    listed = {file.name: file for file in said.files}
    for name, found in sorted(bundle.digests.items()):
        bundle.report.files += 1
        bundle.report.bytes += found.bytes
        file = listed.get(name)
        if name in BESIDE and not file:
            continue
        if file is None:
            bundle.report.differ(name, "only files that the manifest lists", "another file")
        elif (file.bytes, file.sha256) != found or name in BESIDE:
            expected = f"{file.bytes} bytes with SHA-256 {file.sha256}, as the manifest lists"
            bundle.report.differ(name, expected, f"{found.bytes} bytes with SHA-256 {found.sha256}")
    for name in sorted(set(listed) - set(bundle.digests)):
        bundle.report.differ(name, "the file that the manifest lists", "no such file in the bundle")


def _check_checkpoint(bundle: Bundle, said: Manifest, public: bytes) -> Checkpoint | None:
    """The checkpoint that the packet rests on is the one that the manifest names."""
    signed = _signed(bundle, CHECKPOINT, said, public)
    if signed and (signed.size, signed.root.hex()) != (said.size, said.root):
        expected = f"the checkpoint of {said.size} entries with root {said.root}, as the manifest names it"
        bundle.report.differ(CHECKPOINT, expected, f"{signed.size} entries with root {signed.root.hex()}")
    return signed


def _signed(bundle: Bundle, place: str, said: Manifest, public: bytes) -> Checkpoint | None:
    """A checkpoint of the bundle, and whether the key signed it."""
    bundle.report.checkpoints += 1
    try:
        found = checkpoint.parse(bundle.files[place])
    except EvidenceError as error:
        bundle.report.differ(place, "a checkpoint", str(error))
        return None
    signers, strange = checkpoint.check(found, [public])
    if found.origin != said.origin or len(signers) != 1:
        expected = f"one signature by the key {key_id(public)} of {said.origin}"
        bundle.report.differ(place, expected, f"{len(signers)} that it made")
    own = checkpoint.key_hash(said.origin, public)
    may_hand_over = place == CHECKPOINT  # an earlier key signs the first checkpoint of its successor
    if any(each.key_hash == own or not may_hand_over for each in strange):
        bundle.report.differ(place, f"signatures of {said.origin} by that key", "one that it did not make")
    return found


def _check_proofs(bundle: Bundle, said: Manifest) -> None:
    """Check entries and raw lines against the signed root, and the packet's facts against them."""
    try:
        found = proofs.by_file(proofs.read(bundle.files[PROOFS].decode("ascii")))
    except (EvidenceError, UnicodeDecodeError) as error:
        bundle.report.differ(PROOFS, "proofs", str(error))
        return
    sources = {lines.name for lines in said.lines}
    for name in sorted(set(found) - sources - {ENTRIES}):
        bundle.report.differ(PROOFS, "proofs of log entries and raw lines", f"one of {name!r:.80}")
    entries = _check_entries(bundle, said, found.get(ENTRIES, {}))
    _check_lines(bundle, said, found)
    _check_custody(bundle, said, entries)
    if packet := read_facts(bundle):
        check_facts(bundle, said, found, packet)


def _check_entries(bundle: Bundle, said: Manifest, found: dict[int, Proof]) -> list[Mapping[str, Any]]:
    """The log entries that are proved to stand under the signed root."""
    proved: list[Mapping[str, Any]] = []
    lines = bundle.lines(ENTRIES)
    for at in sorted(set(found) - set(range(1, len(lines) + 1))):
        bundle.report.differ(PROOFS, f"proofs of the {len(lines)} log entries", f"one of entry {at}")
    for at, line in enumerate(lines, 1):
        place, proof = f"{ENTRIES} line {at}", found.get(at)
        bundle.report.entries += 1
        is_under = proof is not None and (proof.lines, proof.root) == (said.size, said.root)
        if proof is None or not is_under or not proof.holds(line):
            bundle.report.differ(place, "a proof that leads to the signed root", "none that does")
            continue
        entry, wrong = read_entry(line + b"\n")
        if wrong:
            bundle.report.differ(place, "a well-formed entry", wrong)
        else:
            proved.append(entry)
    return proved


def _check_lines(bundle: Bundle, said: Manifest, found: dict[str, dict[int, Proof]]) -> None:
    """Every raw line leads to the root of its landing file, unless the manifest says that it has no proof."""
    excused = {(each.name, each.at) for each in said.unproved}
    sources = {lines.name: lines for lines in said.lines}
    for name in sorted({name for name in bundle.digests if name.startswith(LINES)} ^ set(sources)):
        bundle.report.differ(name, "a landing file that the manifest names, for every file of lines", "none")
    for name, source in sorted(sources.items()):
        lines = bundle.lines(name) if name in bundle.files else []
        wanted = set(range(1, len(lines) + 1))
        proved, unproved = set(found.get(name, {})), {at for each, at in excused if each == name}
        if len(lines) != source.shown:
            bundle.report.differ(name, f"{source.shown} lines, as the manifest says", f"{len(lines)}")
        for at in sorted((wanted - proved - unproved) | (proved & unproved) | ((proved | unproved) - wanted)):
            bundle.report.differ(
                f"{name} line {at}", "a proof, or a reason in the manifest why there is none", "neither"
            )
        for at in sorted(wanted & proved):
            proof = found[name][at]
            bundle.report.lines += 1
            if (proof.lines, proof.root) != (source.lines, source.root) or not proof.holds(lines[at - 1]):
                bundle.report.differ(f"{name} line {at}", "a proof that leads to its file's root", "none that does")
    for name in sorted({each.name for each in said.unproved} - set(sources)):
        bundle.report.differ(MANIFEST, "unproved lines of files of lines", f"some of {name}")


def _check_custody(bundle: Bundle, said: Manifest, entries: list[Mapping[str, Any]]) -> None:
    """The log has the landing files, the floor.toml and the publication that the manifest names."""
    custody = [entry for entry in entries if entry["kind"] == "custody"]
    held = {(file["path"], file["sha256"]): file for entry in custody for file in entry["files"]}
    sources: list[Any] = [*said.lines, *said.films, *said.not_kept]
    for source in sources:
        file = held.get((source.path, source.sha256))
        if file is None:
            bundle.report.differ(f"{source.path!r}", "a log entry that took it into custody with this hash", "none")
    for lines in said.lines:
        file = held.get((lines.path, lines.sha256), {})
        if file and (file["lines"], file["line_root"]) != (lines.lines, lines.root):
            bundle.report.differ(lines.name, f"{file['lines']} lines with root {file['line_root']}", "others")
    books = {book["sha256"] for entry in custody for book in entry.get("rulebooks", ())}
    for name, digest in bundle.digests.items():
        if books and name.startswith(RULEBOOK) and digest.sha256 not in books:
            bundle.report.differ(name, "a rulebook in custody", digest.sha256)
    if bundle.digests[FLOOR].sha256 not in {entry["floor"]["sha256"] for entry in custody}:
        bundle.report.differ(FLOOR, "a floor.toml in custody", bundle.digests[FLOOR].sha256)
    published = {(entry["gaming_day"], entry["snapshot"]) for entry in entries if entry["kind"] == "published"}
    if (said.gaming_day, said.snapshot) not in published:
        expected = f"a log entry that publishes snapshot {said.snapshot} of {said.gaming_day}"
        bundle.report.differ(MANIFEST, expected, "none")


def _check_issued(bundle: Bundle, said: Manifest, public: bytes) -> Checkpoint | None:
    """The log has the manifest, and continues the log that the packet rests on."""
    report = bundle.report
    later = _signed(bundle, ISSUED_CHECKPOINT, said, public)
    if later is None:
        return None
    try:
        (proof,) = proofs.read(bundle.files[ISSUED_PROOF].decode("ascii"))
        old, size, path = proofs.read_consistency(bundle.files[ISSUED_CONSISTENCY])
    except (EvidenceError, ValueError) as error:
        report.differ(ISSUED_PROOF, "the proofs of the log entry by which the packet was issued", f"{error}")
        return later
    line, report.entries = bundle.files[ISSUED_ENTRY], report.entries + 1
    expected = (ISSUED_ENTRY, 1, later.size, later.root.hex())
    if (proof.name, proof.at, proof.lines, proof.root) != expected or not proof.holds(line[:-1]):
        report.differ(ISSUED_ENTRY, f"a proof that leads to the root in {ISSUED_CHECKPOINT}", "none that does")
    entry, wrong = read_entry(line)
    named = ("kind", "manifest", "round_id", "gaming_day", "snapshot")
    issued = ("packet", said.sha256, said.round_id, said.gaming_day, said.snapshot)
    if wrong or tuple(entry.get(name) for name in named) != issued:
        report.differ(ISSUED_ENTRY, f"the entry of the log by which {MANIFEST} was issued", wrong or "another entry")
    is_continued = merkle.check_consistency(said.size, bytes.fromhex(said.root), later.size, later.root, path)
    if (old, size) != (said.size, later.size) or not is_continued:
        expected_proof = f"a proof that the log of {later.size} entries continues the one of {said.size}"
        report.differ(ISSUED_CONSISTENCY, expected_proof, "none that does")
    return later


def _public(pem: bytes, place: str) -> bytes:
    try:
        key = serialization.load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise BundleError(f"{place}: no public key in PEM: {error!s:.200}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise BundleError(f"{place}: found a {type(key).__name__}, expected an Ed25519 public key")
    return key.public_bytes_raw()


def _check_kept(signed: list[Checkpoint], kept: tuple[Path, ...], report: Report) -> None:
    """A checkpoint kept elsewhere: of the same size it has to be the same."""
    for path in kept:
        try:
            other = checkpoint.parse(checkpoint.tidied(path.read_bytes()))
        except EvidenceError as error:
            report.differ(str(path), "a checkpoint", str(error))
            continue
        report.checkpoints += 1
        same = [each for each in signed if each.size == other.size]
        if any(each.origin != other.origin for each in signed):
            report.differ(str(path), f"a checkpoint of {signed[0].origin}", other.origin)
        elif any(each.root != other.root for each in same):
            report.differ(str(path), f"root {same[0].root.hex()}", other.root.hex())
        elif not same:
            sizes = " and ".join(str(each.size) for each in signed)
            told = f"of {other.size} entries, the bundle's of {sizes}"
            report.notes.append(f"{path}: {told}; that one continues the other is shown by audit21 verify LAKE")


def _note_left_out(said: Manifest, report: Report) -> None:
    """Note the bundle's omissions, as the manifest lists them."""
    for reason in sorted({each.reason for each in said.not_kept}):
        paths = ", ".join(repr(each.path) for each in said.not_kept if each.reason == reason)
        report.notes.append(f"lines not in the bundle: {paths}: {manifest.REASONS[reason]}")
    if said.redacted:
        left_out = f"{len(said.withheld_patrons)} patrons and {len(said.withheld_lines)} lines withheld"
        report.notes.append(f"redacted: {left_out}; proofs for {len(said.unproved)} lines withheld to protect them")
