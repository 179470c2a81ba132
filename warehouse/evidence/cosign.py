"""Cosignatures of witnesses (C2SP tlog-cosignature, Ed25519): further signature lines of checkpoints, with a time."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from warehouse.evidence import checkpoint, vkeys
from warehouse.evidence.checkpoint import Checkpoint, Signature
from warehouse.evidence.files import write_whole
from warehouse.evidence.keys import Signer
from warehouse.evidence.report import Report
from warehouse.evidence.vkeys import WITNESS, VerifierKey


class Demand(NamedTuple):
    """Witnesses whose cosignatures count, and how many of them a checkpoint needs."""

    witnesses: tuple[VerifierKey, ...] = ()
    quorum: int = 0


NO_DEMAND: Final = Demand()
_HEADER: Final = "cosignature/v1"
_TIME_BYTES: Final = 8


def cosign(signer: Signer, name: str, found: Checkpoint, time: int) -> Signature:
    """A witness's signature line: at ``time`` (seconds since 1970) this was the newest checkpoint that it had seen."""
    stamp = time.to_bytes(_TIME_BYTES, "big")
    return Signature(
        name, VerifierKey(name, WITNESS, signer.public).key_hash, stamp + signer.sign(_message(found, time))
    )


def cosigned(found: Checkpoint, witnesses: Iterable[VerifierKey]) -> tuple[dict[VerifierKey, int], list[Signature]]:
    """The witnesses that cosigned a checkpoint, each with the time, and lines in their names that they did not sign."""
    known = {(witness.name, witness.key_hash): witness for witness in witnesses}
    times: dict[VerifierKey, int] = {}
    forged = []
    for line in found.signatures:
        witness = known.get((line.name, line.key_hash))
        if witness is None:
            continue
        time = int.from_bytes(line.signature[:_TIME_BYTES], "big")
        if checkpoint.verifies(witness.public, line.signature[_TIME_BYTES:], _message(found, time)):
            times[witness] = time
        else:
            forged.append(line)
    return times, forged


def others(found: Checkpoint) -> list[Signature]:
    """The signature lines that are not the log's own: those of witnesses."""
    return [line for line in found.signatures if line.name != found.origin]


def attach(path: Path, lines: Iterable[Signature]) -> None:
    """Add cosignatures to a checkpoint's file, above the log's own signatures: these stay its last lines."""
    found = checkpoint.parse(path.read_bytes())
    new = [line for line in lines if line not in found.signatures]
    if new:
        own = [line for line in found.signatures if line.name == found.origin]
        write_whole(path, replace(found, signatures=(*others(found), *new, *own)).note)


def demand(paths: Sequence[Path], quorum: int | None) -> Demand:
    """The demand for ``quorum`` of the witnesses whose keys are in files; for all of them without a number."""
    witnesses = tuple(dict.fromkeys(key for path in paths for key in vkeys.read(path, WITNESS)))
    most = len({witness.public for witness in witnesses})
    if quorum is not None and not 1 <= quorum <= most:
        raise vkeys.VerifierKeyError(
            f"--quorum: found {quorum}, expected 1 to {most}, the number of witnesses (--witness)"
        )
    return Demand(witnesses, most if quorum is None else quorum)


def check(checkpoints: Sequence[tuple[str, Checkpoint]], asked: Demand, report: Report) -> None:
    """Check the cosignatures of checkpoints, in order of size; the last one has to meet the demand."""
    strangers: dict[str, int] = {}
    enough = 0
    for place, found in checkpoints:
        times, forged = cosigned(found, asked.witnesses)
        for line in forged:
            report.differ(place, f"a cosignature that {line.name} made", "one that it did not make")
        for line in others(found):
            if (line.name, line.key_hash) not in [(witness.name, witness.key_hash) for witness in asked.witnesses]:
                strangers[line.name] = strangers.get(line.name, 0) + 1
        if len({witness.public for witness in times}) >= asked.quorum:
            enough = found.size
    if strangers:
        told = ", ".join(f"{name!r} {count}" for name, count in sorted(strangers.items()))
        report.notes.append(f"cosignatures not checked, their witness's key was not given (--witness): {told}")
    if asked.quorum and checkpoints:
        place, newest = checkpoints[-1]
        have, most = quorum(newest, asked.witnesses), len({each.public for each in asked.witnesses})
        if have < asked.quorum:
            names = ", ".join(witness.name for witness in asked.witnesses)
            missing = f"{have}; enough of them cosigned the first {enough} of {newest.size} entries"
            report.differ(place, f"cosignatures by {asked.quorum} of {most} witnesses ({names})", missing)
        else:
            report.notes.append(f"{place}: cosigned by {have} of {most} witnesses")


def quorum(found: Checkpoint, witnesses: Iterable[VerifierKey]) -> int:
    """Count the witnesses that cosigned a checkpoint; a key counts once, even under several names."""
    return len({witness.public for witness in cosigned(found, witnesses)[0]})


def _message(found: Checkpoint, time: int) -> bytes:
    return f"{_HEADER}\ntime {time}\n".encode() + found.body
