"""Signs each entry of the log before it is written, so that no entry can be added without the key.

``next.txt`` in the evidence folder is a signed note like a checkpoint, under the log's name with ``/next``: which size
and root the log has once the entry is in it. A run that is killed between an entry and the checkpoint over it leaves a
log that this note covers. It is no checkpoint: an entry that was signed and never written may give way to another.
"""

from pathlib import Path
from typing import Final

from warehouse.evidence import checkpoint, keys
from warehouse.evidence.checkpoint import NEXT, Checkpoint, CheckpointError
from warehouse.evidence.entries import read_entry
from warehouse.evidence.files import write_whole
from warehouse.evidence.log import EvidenceLog

_SUFFIX: Final = "/next"


def sign(log: EvidenceLog, line: bytes, root: bytes) -> None:
    """Sign the log as it is going to be with a line that ends it; a log without any key cannot be signed."""
    entry, _ = read_entry(line)
    is_first = log.size == 0
    if is_first and entry.get("kind") != "key":
        return
    name = checkpoint.name_of(log.folder, entry["key_id"]) if is_first else _origin(log)
    if name is None:
        return
    ring = keys.keyring(log.folder.parent)
    hands_over = entry.get("kind") == "key" and ring.previous is not None and entry["previous"] == ring.previous.key_id
    signers = [*([ring.previous] if hands_over and ring.previous else []), ring.current]
    write_whole(log.folder / NEXT, checkpoint.signed(Checkpoint(name + _SUFFIX, log.size + 1, root, ()), signers).note)


def read(folder: Path, name: str) -> Checkpoint | None:
    """Return the note signed ahead of the last entry, or None if there is none of the log with that name."""
    try:
        found = checkpoint.parse((folder / NEXT).read_bytes())
    except (OSError, CheckpointError):
        return None
    return found if found.origin == name + _SUFFIX else None


def is_of(note: Checkpoint, name: str) -> bool:
    """Return whether a note is a checkpoint of the log with that name, or the note on its last entry."""
    return note.origin in (name, name + _SUFFIX)


def _origin(log: EvidenceLog) -> str | None:
    try:
        return checkpoint.origin(log)
    except CheckpointError:
        return None
