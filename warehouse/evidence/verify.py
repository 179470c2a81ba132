"""Recomputes the whole evidence chain of a lake and reports the discrepancies, in order.

In this order: the log's lines, its signing keys and their handovers, the checkpoints in the lake, those kept elsewhere,
and then, entry by entry, the files in ``raw/`` and the published parts.
"""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain as all_of
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from warehouse.evidence import ahead, checkpoint, cosign, keys, log, pins
from warehouse.evidence.checkpoint import Checkpoint, CheckpointError
from warehouse.evidence.contents import Contents, Progress
from warehouse.evidence.cosign import NO_DEMAND, Demand
from warehouse.evidence.entries import EvidenceError, read_entry, taken_files
from warehouse.evidence.files import TextOf
from warehouse.evidence.merkle import LineHasher
from warehouse.evidence.pins import Pin
from warehouse.evidence.report import Report


class Trust(NamedTuple):
    """Trust in the log from outside the lake: a pin (by default this machine's) and the witnesses demanded."""

    pin: Path | None = None
    demand: Demand = NO_DEMAND


BY_OWN_PIN: Final = Trust()


@dataclass
class _Chain:
    """Result of a pass over the log: its size, the roots at the sizes of checkpoints, and its keys."""

    size: int = 0
    roots: dict[int, bytes] = field(default_factory=dict)
    keys: list[tuple[int, str, bytes]] = field(default_factory=list)  # index, key id, public half
    origin: str = ""
    pin: Pin | None = None
    published: dict[int, str] = field(default_factory=dict)  # gaming day of a snapshot
    held: set[str] = field(default_factory=set)  # rounds under a legal hold
    newest_at: str = ""  # the latest time that an entry names
    total_bytes: int = 0

    def keys_of(self, size: int) -> list[bytes]:
        """The keys introduced in the first ``size`` entries; the last is the one in force."""
        return [public for index, _, public in self.keys if index < size]


def verify(
    lake: Path,
    kept: Sequence[Path] = (),
    progress: Progress = lambda _done, _total: None,
    landing: Path | None = None,
    text_of: TextOf | None = None,
    trust: Trust = BY_OWN_PIN,
    report: Report | None = None,
) -> Report:
    """Check a lake against its evidence log, and the log against its checkpoints and those ``kept`` elsewhere.

    ``landing`` is where files without a copy in the lake can be found; ``text_of`` reads the lines of Parquet files;
    ``report``, if given, is added to. The newest checkpoint that this machine has signed for the lake counts as kept.
    """
    report = report or Report()
    chain = _verify_log(lake / log.FOLDER, kept, trust, report)
    if chain:
        Contents(lake, landing, text_of, report, progress, chain.total_bytes).check()
    return report


def intact(lake: Path) -> None:
    """``EvidenceError`` where the log, its keys or its checkpoints are damaged; the files it names are not read."""
    report = Report()
    _verify_log(lake / log.FOLDER, (), BY_OWN_PIN, report)
    if report.first:
        raise EvidenceError(f"{lake}: the evidence log is damaged, nothing is done. {report.first}. Run audit21 verify")


def _verify_log(folder: Path, kept: Sequence[Path], trust: Trust, report: Report) -> _Chain | None:
    own = _checkpoints(folder, report)  # before the log: it only grows, so it is never behind them
    head = pins.head_path(folder.parent)
    elsewhere = _kept([*kept, *([head] if head.is_file() else [])], report)
    if not (own or elsewhere) and _is_new(folder):
        report.unfinished.append(f"{log.FOLDER}/{log.NAME}: no entry yet; the next run begins the log")
        return None
    if not (folder / log.NAME).is_file():
        report.differ(f"{log.FOLDER}/{log.NAME}", "the evidence log", "no such file")
        return None
    chain = _read_chain(folder, {c.size for _, c in [*own, *elsewhere]}, report)
    _check_name(folder, own, chain, report)
    _check_pin(chain, trust.pin, report)
    _check_own(own, chain, report)
    _check_unsigned(folder, max((c.size for _, c in own), default=0), chain, report)
    cosign.check(own, trust.demand, report)
    _check_kept(elsewhere, chain, report)
    _check_folder(folder, chain, report)
    return chain


def _is_new(folder: Path) -> bool:
    """Return whether the lake's first run has not written an entry yet, and no file that only follows from one."""
    path, lake = folder / log.NAME, folder.parent
    made = all_of(lake.glob("*/_delta_log"), lake.glob("*/gaming_day=*"), lake.glob("stills"))
    return folder.is_dir() and not any(made) and not (path.is_file() and b"\n" in path.read_bytes())


def _read_chain(folder: Path, sizes: set[int], report: Report) -> _Chain:
    chain, tree = _Chain(), LineHasher()
    chain.roots[0] = tree.tree().root
    with (folder / log.NAME).open("rb") as file:
        for number, line in enumerate(file, 1):
            place = f"{log.FOLDER}/{log.NAME} line {number}"
            if not line.endswith(b"\n"):  # where it was signed, a checkpoint tells of an entry that is missing
                report.unfinished.append(f"{place}: left by a killed process or being written; not an entry")
                break
            tree.feed(line)
            chain.size = number
            if number in sizes:
                chain.roots[number] = tree.tree().root
            entry, wrong = read_entry(line)
            if wrong is None:
                wrong = _continue(chain, number - 1, entry) or _clock(chain, entry, place, report)
            if wrong:
                report.differ(place, "a well-formed entry that follows from those before", wrong)
    chain.roots[chain.size] = tree.tree().root
    report.entries = chain.size
    if not chain.keys:
        report.differ(f"{log.FOLDER}/{log.NAME}", "an entry that introduces a signing key", "none")
    return chain


def _continue(chain: _Chain, index: int, entry: Mapping[str, Any]) -> str | None:
    """Add an entry to the chain; return the error if it does not follow from the entries before, else None."""
    match entry["kind"]:
        case "key":
            public, before = base64.b64decode(entry["public"]), chain.keys[-1][1] if chain.keys else None
            chain.keys.append((index, entry["key_id"], public))
            if entry["key_id"] != keys.key_id(public):
                return f"key id {entry['key_id']} for the key {keys.key_id(public)}"
            return None if entry["previous"] == before else f"previous key {entry['previous']}, but {before} was in use"
        case "accepted":
            if entry["key_id"] not in [key_id for _, key_id, _ in chain.keys]:
                return f"acceptance of the key {entry['key_id']}, which the log does not introduce before"
        case "custody":
            chain.total_bytes += sum(record["bytes"] for record in taken_files(entry))
        case "published":
            newest = next(reversed(chain.published), -1)
            chain.published[entry["snapshot"]] = entry["gaming_day"]
            chain.total_bytes += sum(part["bytes"] for parts in entry["parts"].values() for part in parts)
            if newest >= 0 and entry["snapshot"] != newest + 1:
                return f"snapshot {entry['snapshot']} after snapshot {newest}"
        case "signoff":
            if chain.published.get(entry["snapshot"]) != entry["gaming_day"]:
                return f"sign-off of snapshot {entry['snapshot']}, which was not published for {entry['gaming_day']}"
        case "packet":
            if chain.published.get(entry["snapshot"]) != entry["gaming_day"]:
                return f"packet of snapshot {entry['snapshot']}, which was not published for {entry['gaming_day']}"
        case "catalog":
            if entry["snapshot"] not in chain.published:
                return f"the catalog of snapshot {entry['snapshot']}, which was not published"
        case "hold" | "release":
            is_held = entry["round_id"] in chain.held
            if (entry["kind"] == "hold") == is_held:
                return f"a {entry['kind']} of {entry['round_id']}, which is {'held' if is_held else 'not held'}"
            chain.held ^= {entry["round_id"]}
        case "watched" | "stills":
            chain.total_bytes += sum(file["bytes"] for file in entry["files"])
    return None


def _clock(chain: _Chain, entry: Mapping[str, Any], place: str, report: Report) -> str | None:
    """Return the error in an entry's time, or None: time goes back only if the entry says the clock was set back."""
    if "at" not in entry:
        return None
    behind_ms = 0
    if entry["at"] < chain.newest_at:
        behind_ms = round((log.moment(chain.newest_at) - log.moment(entry["at"])).total_seconds() * 1000)
    told_ms = entry.get("set_back_ms", 0)
    if told_ms != behind_ms:
        return f"the time {entry['at']} after {chain.newest_at}, and a clock set back by {told_ms} ms"
    if behind_ms:
        report.notes.append(f"{place}: the clock was set back by {behind_ms / 1000:,.1f} s, to {entry['at']}")
    chain.newest_at = max(chain.newest_at, entry["at"])
    return None


def _check_unsigned(folder: Path, signed: int, chain: _Chain, report: Report) -> None:
    """Tell entries that a kill left after the newest checkpoint from entries added by somebody without the key."""
    if signed >= chain.size:
        return
    place = f"{log.FOLDER}/{log.NAME} line {signed + 1}"
    count = f"{chain.size - signed} {'entry' if chain.size - signed == 1 else 'entries'}"
    if any(_is_signed(note, chain) for note in _newer_notes(folder, chain)):
        report.unfinished.append(f"{place}: {count} without a checkpoint yet; the next run completes it")
    else:
        report.differ(place, f"a checkpoint that covers the last {count}", "none: nobody signed them")


def _newer_notes(folder: Path, chain: _Chain) -> Iterator[Checkpoint]:
    """The note on the entry that was written last, then the checkpoint that a run may have written meanwhile."""
    if note := ahead.read(folder, chain.origin):
        yield note
    with suppress(OSError, CheckpointError):
        yield checkpoint.parse(checkpoint.path_of(folder, chain.size).read_bytes())


def _is_signed(note: Checkpoint, chain: _Chain) -> bool:
    """Return whether the note is on the log as read and signed by the key in force."""
    is_of_log = ahead.is_of(note, chain.origin) and (note.size, note.root) == (chain.size, chain.roots[chain.size])
    return is_of_log and bool(checkpoint.check(note, chain.keys_of(chain.size)[-1:])[0])


def _checkpoints(folder: Path, report: Report) -> list[tuple[str, Checkpoint]]:
    """The lake's own checkpoints, in order of size."""
    found = []
    for path in sorted((folder / checkpoint.FOLDER).glob("[!.]*")):
        place = f"{log.FOLDER}/{checkpoint.FOLDER}/{path.name}"
        try:
            parsed = checkpoint.parse(path.read_bytes())
        except (CheckpointError, OSError) as error:
            report.differ(place, "a checkpoint", str(error))
            continue
        if path.name != checkpoint.path_of(folder, parsed.size).name:
            report.differ(place, f"the checkpoint of the size in its name, not of {parsed.size}", "another")
        found.append((place, parsed))
    return sorted(found, key=lambda item: item[1].size)


def _kept(paths: Iterable[Path], report: Report) -> list[tuple[str, Checkpoint]]:
    found = []
    for path in paths:
        try:
            found.append((str(path), checkpoint.parse(checkpoint.tidied(path.read_bytes()))))
        except (CheckpointError, OSError) as error:
            report.differ(str(path), "a checkpoint", str(error))
    return found


def _check_name(folder: Path, own: Sequence[tuple[str, Checkpoint]], chain: _Chain, report: Report) -> None:
    """The log has the name that its checkpoints carry, which its first key is part of."""
    if not chain.keys:
        return
    first, signed = chain.keys[0][1], {found.origin for _, found in own}
    try:
        chain.origin = name = checkpoint.name_of(folder, first)
    except CheckpointError as error:
        name = str(error)
    if len(signed) == 1 and name not in signed and first in (only := signed.pop()):
        found = name if (folder / checkpoint.NAME).is_file() else "no such file"
        report.differ(f"{log.FOLDER}/{checkpoint.NAME}", f"{only}, as in the checkpoints", found)
        chain.origin = only


def _check_pin(chain: _Chain, given: Path | None, report: Report) -> None:
    """The log is the pinned one, with the pinned first key."""
    if not chain.origin:
        return
    path = given or pins.path_of(chain.origin)
    if not path.is_file():
        told = f"the log begins with the key {pins.fingerprint(chain.keys[0][2])}, which is not pinned here"
        report.notes.append(f"{told}: compare it with the property's printed pin, or give that with --pin")
        return
    try:
        pin = pins.read(path)
    except EvidenceError as error:
        report.differ(str(path), "a pin", str(error))
        return
    chain.pin = pin
    place = f"{log.FOLDER}/{log.NAME}"
    if pin.log != chain.origin:
        report.differ(place, f"the log {pin.log}, as pinned in {path}", chain.origin)
    if pin.keys[0] != chain.keys[0][2]:
        report.differ(f"{place} line 1", f"the pinned first key {keys.key_id(pin.keys[0])}", chain.keys[0][1])


def _check_own(own: Sequence[tuple[str, Checkpoint]], chain: _Chain, report: Report) -> None:
    matched, before = 0, None
    for place, found in own:
        report.checkpoints += 1
        matched = _check_root(place, found, chain, matched, report)
        signers, strange = checkpoint.check(found, chain.keys_of(found.size))
        for signature in strange:
            report.differ(place, "signatures by keys that the log introduces", f"one by {signature.name} that is not")
        if chain.keys_of(found.size)[-1:] != signers[-1:]:
            report.differ(place, "a signature by the key in force", f"{len(signers)} by keys of the log")
        if found.previous != before:
            report.differ(place, f"the checkpoint before it to be {found.previous}", str(before))
        _check_handover(place, found, before or 0, chain, signers, report)
        before = found.size


def _check_root(place: str, found: Checkpoint, chain: _Chain, matched: int, report: Report) -> int:
    """Check a checkpoint against the log; return the size up to which it proves the log unchanged."""
    if found.origin != chain.origin:
        report.differ(place, f"a checkpoint of {chain.origin}", found.origin)
    if found.size > chain.size:
        report.differ(place, f"a log of at least {found.size} entries", f"{chain.size}: the newest were removed")
    elif chain.roots[found.size] != found.root:
        where = f"entries {matched + 1} to {found.size}" if found.size > matched else f"the first {found.size} entries"
        changed = f"{chain.roots[found.size].hex()}: {where} of the log were changed, removed or moved"
        report.differ(place, f"root {found.root.hex()}", changed)
    else:
        return max(matched, found.size)
    return matched


def _check_handover(
    place: str, found: Checkpoint, before: int, chain: _Chain, signers: Sequence[bytes], report: Report
) -> None:
    """A new key is vouched for by the one before, in the first checkpoint that covers its entry, or is pinned."""
    pinned = chain.pin.keys if chain.pin else ()
    for at, ((_, old, vouching), (index, new, public)) in enumerate(pairwise(chain.keys), 1):
        if not before <= index < found.size or vouching in signers:
            continue
        told = f"key {new} took over from {old}, which did not sign the handover"
        if pinned[at : at + 1] == (public,):
            report.notes.append(f"{place}: {told}; it is pinned in {chain.pin.path if chain.pin else ''}")
        else:
            report.differ(place, f"the handover signed by {old}, or {new} in a pin (--pin)", told)


def _check_kept(elsewhere: Iterable[tuple[str, Checkpoint]], chain: _Chain, report: Report) -> None:
    for place, found in elsewhere:
        report.checkpoints += 1
        _check_root(place, found, chain, 0, report)
        if not checkpoint.check(found, (public for _, _, public in chain.keys))[0]:
            report.differ(place, "a signature by a key that the log introduces", "none")


def _check_folder(folder: Path, chain: _Chain, report: Report) -> None:
    """The public keys are those of the log, and nothing else lies beside them."""
    expected = {f"{key_id}.pem": keys.public_pem(public) for _, key_id, public in chain.keys}
    for name, pem in expected.items():
        path = folder / keys.FOLDER / name
        if not path.is_file() or path.read_bytes() != pem:
            found = "other bytes" if path.is_file() else "no such file"
            report.differ(f"{log.FOLDER}/{keys.FOLDER}/{name}", "the public key that the log introduces", found)
    for path in sorted((folder / keys.FOLDER).glob("[!.]*")):
        if path.name not in expected:
            report.differ(f"{log.FOLDER}/{keys.FOLDER}/{path.name}", "only keys of the log", "another file")
    for path in sorted(folder.glob("[!.]*")):
        if path.name not in (log.NAME, keys.FOLDER, checkpoint.FOLDER, checkpoint.NAME, checkpoint.NEXT):
            report.differ(f"{log.FOLDER}/{path.name}", "only the log, keys and checkpoints", "another file")
