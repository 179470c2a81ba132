"""A witness of evidence logs: keeps the newest checkpoint it has seen of each, and cosigns only what continues it.

For each log its folder ``logs/<SHA-256 of the log's name>`` has ``keys`` (the log's verifier keys, as in a pin),
``checkpoint`` (the newest that was cosigned), ``history/<size>.txt`` (all of them) and ``forks/``: pairs of checkpoints
that the log's key signed and that contradict each other. What is cosigned is on the disk before the cosignature is
given away.
"""

import fcntl
import hashlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from warehouse.evidence import checkpoint, cosign, merkle, vkeys
from warehouse.evidence.checkpoint import Checkpoint, CheckpointError, Signature
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.files import write_whole
from warehouse.evidence.keys import Signer
from warehouse.evidence.vkeys import VerifierKey

BAD_REQUEST: Final = 400
FORBIDDEN: Final = 403
UNKNOWN: Final = 404
CONFLICT: Final = 409
INCONSISTENT: Final = 422
MOST_PROOF: Final = 63  # hashes
MOST_NOTE: Final = 1 << 16  # bytes
_LOGS: Final = "logs"


class Refused(EvidenceError):
    """A checkpoint that is not cosigned: the HTTP status of C2SP tlog-witness, and why."""

    def __init__(self, status: int, message: str, size: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.size = size  # of the newest checkpoint that was cosigned


class Witness:
    """One witness: a key, its name, and the checkpoints it has seen. Several processes may share its folder."""

    def __init__(self, state: Path, signer: Signer, name: str, now: Callable[[], datetime]) -> None:
        self.state = state
        self.signer = signer
        self.key = VerifierKey(name, vkeys.WITNESS, signer.public)
        self.now = now
        self._one = threading.Lock()

    def add(self, old: int, proof: Sequence[bytes], note: bytes) -> Signature:
        """Cosign a checkpoint that continues that of ``old`` entries, the newest that was cosigned; or ``Refused``."""
        found = self._signed(note)
        with self._locked(found.origin):
            fork = self._keep_fork(found)
            try:
                _check(found, self.latest(found.origin), old, proof)
            except Refused as error:
                raise Refused(error.status, fork or str(error), error.size) from None
            line = cosign.cosign(self.signer, self.key.name, found, int(self.now().timestamp()))
            own = [each for each in found.signatures if each.name == found.origin]
            cosigned = replace(found, signatures=(line, *own)).note
            write_whole(self._folder(found.origin) / "history" / f"{found.size:010}.txt", cosigned)
            write_whole(self._folder(found.origin) / "checkpoint", cosigned)
            return line

    def add_with_hashes(self, note: bytes, hashes: bytes) -> Signature:
        """The same for a log that shows the hashes of all its entries, from which the proof follows."""
        found = self._signed(note)
        leaves = merkle.hashes(hashes[: min(found.size, len(hashes) // merkle.HASH_BYTES) * merkle.HASH_BYTES])
        if len(leaves) != found.size or merkle.root(leaves) != found.root:
            told = f"its hashes do not give the signed root of {found.size} entries"
            raise Refused(INCONSISTENT, f"{found.origin}: {told}")
        latest = self.latest(found.origin)
        if latest is None or latest.size == 0:
            return self.add(0, [], note)
        if latest.size <= found.size and merkle.root(leaves[: latest.size]) == latest.root:
            return self.add(latest.size, merkle.consistency_path(leaves, latest.size), note)
        if merkle.root(leaves[: latest.size]) != latest.root and latest.size <= found.size:
            where = self._write_fork(latest, found, hashes)
            told = f"its first {latest.size} entries are others than those cosigned"
            raise Refused(INCONSISTENT, f"FORK of {found.origin}: {told}; the evidence is in {where}")
        return self.add(found.size, [], note)  # which tells a rollback from a fork

    def latest(self, origin: str) -> Checkpoint | None:
        """The newest checkpoint of a log that was cosigned."""
        path = self._folder(origin) / "checkpoint"
        return checkpoint.parse(path.read_bytes()) if path.exists() else None

    def latest_note(self, origin_hash: str) -> bytes | None:
        """The same as it is served, by the hash of the log's name."""
        path = self.state / _LOGS / origin_hash / "checkpoint"
        return path.read_bytes() if re.fullmatch("[0-9a-f]{64}", origin_hash) and path.exists() else None

    # The logs that it knows.

    def trust(self, keys: Sequence[VerifierKey]) -> None:
        """Cosign the log of these keys from now on; keys that took over are added to those known."""
        for key in keys:
            path = self._folder(key.name) / "keys"
            known = vkeys.read(path, vkeys.LOG) if path.exists() else []
            write_whole(path, "".join(f"{each.text}\n" for each in dict.fromkeys([*known, key])).encode())

    def logs(self) -> dict[str, list[VerifierKey]]:
        """The keys of each log, by the log's name."""
        found = [vkeys.read(path, vkeys.LOG) for path in sorted((self.state / _LOGS).glob("*/keys"))]
        return {keys[0].name: keys for keys in found}

    def forks(self, origin: str) -> list[Path]:
        """The folders with checkpoints of a log that contradict each other."""
        return sorted((self._folder(origin) / "forks").glob("*"))

    def _folder(self, origin: str) -> Path:
        return self.state / _LOGS / origin_hash(origin)

    @contextmanager
    def _locked(self, origin: str) -> Iterator[None]:
        """Nothing comes between the check against the newest checkpoint and its replacement."""
        with self._one, (self._folder(origin) / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    # Checks.

    def _signed(self, note: bytes) -> Checkpoint:
        """A checkpoint that a known key of its log has signed."""
        try:
            found = checkpoint.parse(note[: MOST_NOTE + 1])
        except CheckpointError as error:
            raise Refused(BAD_REQUEST, str(error)) from None
        path = self._folder(found.origin) / "keys"
        if not path.exists():
            raise Refused(UNKNOWN, f"{found.origin}: not a log that this witness knows; audit21 witness trust adds it")
        keys = vkeys.read(path, vkeys.LOG)
        hashes = {key.key_hash for key in keys}
        signers, strange = checkpoint.check(found, [key.public for key in keys])
        if not signers or any(line.key_hash in hashes for line in strange):
            told = f"{found.origin}: no signature by a key that is known of it"
            raise Refused(FORBIDDEN, f"{told}; audit21 witness trust adds one that took over")
        return found

    def _keep_fork(self, found: Checkpoint) -> str | None:
        """Keep a checkpoint of a size that was cosigned with another root: the log's key signed both. Says so."""
        path = self._folder(found.origin) / "history" / f"{found.size:010}.txt"
        if not path.exists() or (kept := checkpoint.parse(path.read_bytes())).root == found.root:
            return None
        where = self._write_fork(kept, found)
        return f"FORK of {found.origin}: its key signed two roots of {found.size} entries; the evidence is in {where}"

    def _write_fork(self, kept: Checkpoint, found: Checkpoint, hashes: bytes = b"") -> Path:
        where = self._folder(found.origin) / "forks" / f"{found.size:010}-{found.root.hex()[:16]}"
        write_whole(where / "cosigned.txt", kept.note)
        write_whole(where / "contradicting.txt", found.note)
        if hashes:
            write_whole(where / "contradicting.hashes", hashes)
        return where


def origin_hash(origin: str) -> str:
    """Return the hash of a log's origin, the name of its folder and address."""
    return hashlib.sha256(origin.encode()).hexdigest()


def _check(found: Checkpoint, latest: Checkpoint | None, old: int, proof: Sequence[bytes]) -> None:
    """The order and the answers of C2SP tlog-witness."""
    known = latest.size if latest else 0
    told = f"{found.origin}: found a checkpoint of {found.size} entries"
    if old > found.size:
        raise Refused(BAD_REQUEST, f"{told} that continues one of {old}, expected no more than it has itself")
    if old != known:
        rolled = ", fewer than cosigned before: entries were removed" if found.size < known else ""
        raise Refused(CONFLICT, f"{told} that continues one of {old}, expected {known}{rolled}", known)
    if found.size == 0 and found.root != merkle.EMPTY_ROOT:
        raise Refused(INCONSISTENT, f"{told} with the root of others")
    if old == 0 or latest is None:
        if proof:
            raise Refused(INCONSISTENT, f"{told} with a proof, expected none for the first checkpoint")
    elif not merkle.check_consistency(old, latest.root, found.size, found.root, proof):
        raise Refused(INCONSISTENT, f"{told}, and no proof that it continues the {old} that were cosigned")
