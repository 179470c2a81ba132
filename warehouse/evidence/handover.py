"""Guard of an evidence log: it is continued only with its own key, or with one that its owner vouched for.

Anyone who can write to the lake can append lines and sign them with another key. So before anything is added to a
log, these have to hold: its first key is the pinned one; every later key was vouched for by the one before it, in the
first checkpoint that covers its entry, or was accepted by a person and is pinned; the log continues the newest
checkpoint that this machine has signed; and the key in force has signed it up to its last entry.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from warehouse.evidence import ahead, checkpoint, keys, pins
from warehouse.evidence.checkpoint import Checkpoint, CheckpointError
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.keys import Keyring
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.pins import Pin

SIGNED: Final = "signed by the key before it"
PINNED: Final = "not signed by the key before it, accepted and pinned"
OPEN: Final = "not signed by the key before it"


class KeyRefused(EvidenceError):
    """A log that must not be continued until a person has examined it; names the remedy."""


class Handover(NamedTuple):
    """A key that took over from another, and how that is vouched for."""

    line: int  # of its entry in the log, from 1
    old: str
    new: str
    public: bytes
    state: str


def require(log: EvidenceLog, ring: Keyring) -> None:
    """Refuse to continue a log that its owner did not leave like this; pin its keys where that is safe.

    ``KeyRefused`` names the problem and the remedy.
    """
    if log.size == 0:
        _retire_head(log)
        return
    for wrong in _malformed(log):
        raise KeyRefused(wrong)
    pin = _pinned(log, ring)
    for wrong in (*_strangers(log, ring, pin), *unconfirmed(log)):
        raise KeyRefused(wrong)
    _pin_vouched(pin, handovers(log, pin))


def pin_of(log: EvidenceLog) -> Pin | None:
    """The pin of a log, if there is one; ``KeyRefused`` where it names another log or another first key."""
    name, known = checkpoint.origin(log), keys.introduced(log)
    path = pins.path_of(name)
    if not path.exists():
        return None
    pin = pins.read(path)
    if pin.log != name or pin.keys[0] != known[0][2]:
        raise KeyRefused(
            f"{log.path}: found the log {name} with the first key {known[0][1]}, expected {pin.log} with "
            f"{keys.key_id(pin.keys[0])}, as pinned in {path}. The log was replaced: restore {log.folder}"
        )
    return pin


def handovers(log: EvidenceLog, pin: Pin | None) -> list[Handover]:
    """Every key that took over, in order."""
    pinned, found = pin.keys if pin else (), []
    for at, ((_, old, vouching), (index, new, public)) in enumerate(pairwise(keys.introduced(log)), 1):
        first = next((note for note in _notes(log, index + 1)), None)
        is_signed = first is not None and _holds(log, first, vouching)
        state = SIGNED if is_signed else PINNED if pinned[at : at + 1] == (public,) else OPEN
        found.append(Handover(index + 1, old, new, public, state))
    return found


def accept(log: EvidenceLog, ring: Keyring, key_id: str, by: str, at: str) -> None:
    """Pin the next key that the key before it did not vouch for, on a person's word.

    A key that was pinned before and is held here takes back from it.
    """
    for wrong in _malformed(log):
        raise KeyRefused(wrong)
    pin = _pinned(log, ring)
    found, newest = handovers(log, pin), keys.introduced(log)[-1][1]
    waiting = [(each.new, each.public) for each in found if each.state == OPEN]
    if not waiting and newest != ring.current.key_id:
        waiting = [(ring.current.key_id, ring.current.public)]
    if not waiting or waiting[0][0] != key_id:
        expected = f"{waiting[0][0]}, the next one that the key before it did not sign" if waiting else "none"
        raise KeyRefused(f"{log.path}: found the key {key_id} to be accepted, expected {expected}")
    accepted = pins.add(_pin_vouched(pin, found), waiting[0][1], f"accepted by {by} on {at}")
    current = ring.current
    if key_id == newest != current.key_id and current.public in pin.keys:
        pins.add(accepted, current.public, f"took back from {key_id}, by {by} on {at}")


def pin_first(log: EvidenceLog) -> Pin:
    """Pin a log's first key and those that it vouches for, on the word of a person who has compared the fingerprint."""
    for wrong in _malformed(log):
        raise KeyRefused(wrong)
    if pin := pin_of(log):
        return pin
    name, (_, _, first), *_ = checkpoint.origin(log), *keys.introduced(log)
    pin = pins.write(pins.path_of(name), name, first, log.folder.parent)
    return _pin_vouched(pin, handovers(log, pin))


def unconfirmed(log: EvidenceLog) -> Iterator[str]:
    """Yield the points that a person has to confirm before the log can be continued as it stands."""
    yield from _rolled_back(log)
    yield from _unsigned(log)


# Reasons not to continue a log.


def _malformed(log: EvidenceLog) -> Iterator[str]:
    known = keys.introduced(log)
    if not known or known[0][0] != 0:
        yield f"{log.path}: its first entry introduces no signing key; run audit21 verify and restore {log.folder}"
    for index, key_id, public in known:
        if keys.key_id(public) != key_id:
            found = keys.key_id(public)
            yield f"{log.path}, line {index + 1}: found the key {found} under the name {key_id}; restore {log.folder}"


def _pinned(log: EvidenceLog, ring: Keyring) -> Pin:
    """The log's pin; made where there is none and the log began with a key that is held here."""
    if pin := pin_of(log):
        return pin
    name, (_, key_id, public), *_ = checkpoint.origin(log), *keys.introduced(log)
    if public not in [each.public for each in (ring.current, ring.previous) if each]:
        raise KeyRefused(
            f"{pins.path_of(name)}: no pin of the log {name}, which began with the key {key_id} that is not held here. "
            f"Compare audit21 keys show with the printed pin, then run audit21 keys pin {log.folder.parent}"
        )
    return pins.write(pins.path_of(name), name, public, log.folder.parent)


def _pin_vouched(pin: Pin, found: list[Handover]) -> Pin:
    """Add the keys that took over with the signature of the one before, up to the first that did not."""
    for each in found[len(pin.keys) - 1 :]:
        if each.state == OPEN:
            break
        pin = pins.add(pin, each.public, f"took over from {each.old}, which signed it")
    return pin


def _strangers(log: EvidenceLog, ring: Keyring, pin: Pin) -> Iterator[str]:
    """Yield the keys that no earlier key vouches for: keys in the log, and the one that would sign now."""
    lake, known = log.folder.parent, keys.introduced(log)
    for each in handovers(log, pin):
        if each.state == OPEN:
            yield (
                f"{log.path}, line {each.line}: key {each.new} took over from {each.old}, which did not sign the "
                f"handover. Restore {log.folder}; only if the key's owner confirms it in person: "
                f"audit21 keys accept {lake} {each.new} --by NAME --reason TEXT"
            )
    newest, current = known[-1][1], ring.current
    held = ring.previous.key_id if ring.previous else None
    if newest not in (current.key_id, held) and pin.keys[len(known) :] != (current.public,):
        yield (
            f"{keys.private_path()}: found the key {current.key_id}, expected {newest}, which signs {lake}, or that "
            f"one beside it as {keys.previous_path().name} to sign the handover. If it is lost: "
            f"audit21 keys accept {lake} {current.key_id} --by NAME --reason TEXT"
        )


def _rolled_back(log: EvidenceLog) -> Iterator[str]:
    """Yield the reason if the log does not continue the newest checkpoint that this machine signed for its lake."""
    head = _head(log)
    if head is None:
        return
    told = f"{log.path} does not continue the checkpoint of {head.size} entries of {head.origin} signed here"
    if head.origin != checkpoint.origin(log):
        yield f"{told}: it is the log {checkpoint.origin(log)}; {_restore(log)}"
    elif head.size > log.size:
        yield f"{told}: the newest {head.size - log.size} were removed; {_restore(log)}"
    elif log.root(head.size) != head.root:
        yield f"{told}: some of them were changed; {_restore(log)}"


def _unsigned(log: EvidenceLog) -> Iterator[str]:
    """Entries that the key in force has not signed, neither in a checkpoint nor when they were written."""
    known = keys.introduced(log)
    if any(_holds(log, note, known[-1][2]) for note in _notes(log, log.size)):
        return
    covered = 0
    for note in _notes(log, 1):
        in_force = [public for index, _, public in known if index < note.size][-1]
        covered = note.size if _holds(log, note, in_force) else covered
    yield (
        f"{log.path}: no key of the log signed entries {covered + 1} to {log.size}: somebody else wrote them, or "
        f"their checkpoint was removed; {_restore(log)}"
    )


def _holds(log: EvidenceLog, note: Checkpoint, public: bytes) -> bool:
    """Return whether the key signed the note, and the note's size and root match the log."""
    if not ahead.is_of(note, checkpoint.origin(log)) or not checkpoint.check(note, [public])[0]:
        return False
    return note.size <= log.size and log.root(note.size) == note.root


def _restore(log: EvidenceLog) -> str:
    return (
        f"restore {log.folder}; only if a person confirms it as it stands: "
        f"audit21 keys pin {log.folder.parent} --by NAME --reason TEXT"
    )


def _notes(log: EvidenceLog, least: int) -> Iterator[Checkpoint]:
    """The lake's checkpoints of at least so many entries, in order of size, then the note on the entry written last."""
    sizes = (int(path.stem) for path in (log.folder / checkpoint.FOLDER).glob("[0-9]*.txt") if path.stem.isdecimal())
    for size in sorted(size for size in sizes if size >= least):
        path = checkpoint.path_of(log.folder, size)
        try:
            found = checkpoint.parse(path.read_bytes())
        except (CheckpointError, OSError) as error:
            raise CheckpointError(f"{path}: {error}; run audit21 verify and restore it") from None
        if found.size != size:
            raise CheckpointError(f"{path}: found a checkpoint of {found.size} entries; run audit21 verify, restore it")
        yield found
    last = ahead.read(log.folder, checkpoint.origin(log))
    if last and last.size >= least:
        yield last


def _head(log: EvidenceLog) -> Checkpoint | None:
    path = pins.head_path(log.folder.parent)
    try:
        return checkpoint.parse(path.read_bytes())
    except FileNotFoundError:
        return None
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error}; remove it if it is damaged") from None


def _retire_head(log: EvidenceLog) -> None:
    """A new log begins: the checkpoint of one that was here before is set aside."""
    if head := _head(log):
        pins.retire_head(log.folder.parent, head.origin)
