"""Issues dispute packets: the manifest is signed and its hash entered into the evidence log before a bundle leaves."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from warehouse import signing
from warehouse.evidence import checkpoint, cosign, handover, keys, witnesses
from warehouse.evidence.bundle_files import ISSUED_CHECKPOINT, ISSUED_CONSISTENCY, ISSUED_ENTRY, ISSUED_PROOF, MANIFEST
from warehouse.evidence.checkpoint import Checkpoint
from warehouse.evidence.entries import EvidenceError, PacketIssued, canonical
from warehouse.evidence.keys import Keyring
from warehouse.evidence.log import FOLDER, EvidenceLog, stamp
from warehouse.evidence.manifest import Manifest
from warehouse.evidence.proofs import Proof, write, write_consistency
from warehouse.lake import Lake
from warehouse.lake.errors import LakeBusy

_WAIT_S: Final = 10.0


def keyring(lake: Path, log: EvidenceLog) -> Keyring:
    """The keys to sign a packet with; EvidenceError where the key in force is not at hand. None is ever made here."""
    path, known = keys.private_path(), keys.introduced(log)
    if not known:
        raise EvidenceError(
            f"{log.path}: no signing key is on record, so no packet can be issued; run audit21 run first"
        )
    if not path.exists():
        raise EvidenceError(
            f"{path}: no signing key, so packets cannot be issued here. They are signed with the key of audit21 run, "
            f"{known[-1][1]}: set AUDIT21_KEY to its path, or issue the packet with audit21 dispute where that key is"
        )
    ring = keys.keyring(lake)
    if ring.current.key_id != known[-1][1]:
        if any(each.state == handover.OPEN for each in handover.handovers(log, handover.pin_of(log))):
            handover.require(log, ring)  # names the key that nobody vouches for
        raise EvidenceError(
            f"{path}: found the key {ring.current.key_id}, expected {known[-1][1]}, which signs this lake; set "
            "AUDIT21_KEY to that one, or finish the handover with audit21 run"
        )
    return ring


def issue(lake: Path, manifest: Manifest, by: str, now: datetime) -> dict[str, bytes]:
    """Sign a manifest and enter it into the log under the lake's lock; gives it and the files that lie beside it.

    A packet that was issued before is not entered again, so that the same packet has the same bytes.
    """
    with _locked(lake):
        log = EvidenceLog(lake / FOLDER)
        ring = keyring(lake, log)
        if log.root(manifest.size).hex() != manifest.root:
            raise EvidenceError(f"{log.path} does not continue the checkpoint of {manifest.size}; run audit21 verify")
        opened = Lake.open(lake)
        signing.mend(opened, log, lambda: now)
        signed = manifest.signed(ring.current)
        index = _entered(log, signed)
        if index is None:
            index = signing.append(lake, log, _entry(signed, by, now))
        witnesses.collect(log)  # one that does not answer cosigns a later checkpoint
    later = _most_cosigned(log, index)
    path = tuple(log.inclusion(index, later.size))
    proof = Proof(ISSUED_ENTRY, 1, index + 1, later.size, later.root.hex(), path)
    return {
        MANIFEST: signed.note,
        ISSUED_ENTRY: canonical(log.entry(index)) + b"\n",
        ISSUED_PROOF: write([proof]).encode(),
        ISSUED_CONSISTENCY: write_consistency(manifest.size, later.size, log.consistency(manifest.size, later.size)),
        ISSUED_CHECKPOINT: later.note,
    }


def _entered(log: EvidenceLog, manifest: Manifest) -> int | None:
    """The entry of a manifest that was issued before."""
    entries: Iterator[tuple[int, Any]] = log.entries("packet", manifest.gaming_day)
    return next((index for index, entry in entries if entry["manifest"] == manifest.sha256), None)


def _most_cosigned(log: EvidenceLog, index: int) -> Checkpoint:
    """Of the checkpoints that cover an entry the one that most witnesses cosigned, and the first of these."""
    covering = checkpoint.all_covering(log.folder, index)
    return max(covering, key=lambda found: len({line.name for line in cosign.others(found)}))


def _entry(manifest: Manifest, by: str, now: datetime) -> PacketIssued:
    return PacketIssued(
        kind="packet",
        gaming_day=manifest.gaming_day,
        round_id=manifest.round_id,
        snapshot=manifest.snapshot,
        manifest=manifest.sha256,
        at=stamp(now),
        by=by,
    )


@contextmanager
def _locked(lake: Path) -> Iterator[None]:
    """Hold the lake as a run does; where another process has it, wait a little before giving up."""
    until = time.monotonic() + _WAIT_S
    with ExitStack() as held:
        held.enter_context(signing.one_request())
        while True:
            try:
                held.enter_context(Lake.open(lake).lock())
                break
            except LakeBusy:
                if time.monotonic() >= until:
                    raise
                time.sleep(0.2)
        yield
