"""Recomputes the whole evidence chain of a lake and names what differs, the first thing first.

In this order: the log's lines, its signing keys, the checkpoints in the lake, those kept elsewhere, and then, entry by
entry, the files in ``raw/`` and the published parts.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from warehouse.evidence import checkpoint, keys, log, writer
from warehouse.evidence.checkpoint import Checkpoint, CheckpointError
from warehouse.evidence.contents import Contents, Progress
from warehouse.evidence.entries import EvidenceError, read_entry
from warehouse.evidence.files import TextOf
from warehouse.evidence.merkle import LineHasher
from warehouse.evidence.report import Report


@dataclass
class _Chain:
    """What a pass over the log gives: its size, the roots that checkpoints speak of, and its keys."""

    size: int = 0
    roots: dict[int, bytes] = field(default_factory=dict)
    keys: list[tuple[int, str, bytes]] = field(default_factory=list)  # index, key id, public half
    published: dict[int, str] = field(default_factory=dict)  # gaming day of a snapshot
    held: set[str] = field(default_factory=set)  # rounds under a legal hold
    newest_at: str = ""  # the latest time that an entry names
    kinds: list[str] = field(default_factory=list)
    total_bytes: int = 0

    @property
    def origin(self) -> str:
        return f"audit21/{self.keys[0][1]}" if self.keys else ""

    def keys_of(self, size: int) -> list[bytes]:
        """The keys introduced in the first ``size`` entries; the last is the one in force."""
        return [public for index, _, public in self.keys if index < size]


def verify(
    lake: Path,
    kept: Sequence[Path] = (),
    progress: Progress = lambda _done, _total: None,
    landing: Path | None = None,
    text_of: TextOf | None = None,
    report: Report | None = None,
) -> Report:
    """Check a lake against its evidence log, and the log against its checkpoints and those ``kept`` elsewhere.

    ``landing`` is where files without a copy in the lake can be found; ``text_of`` reads the lines of Parquet files;
    ``report``, if given, is added to.
    """
    report = report or Report()
    chain = _verify_log(lake / log.FOLDER, kept, report)
    if chain:
        Contents(lake, landing, text_of, report, progress, chain.total_bytes).check()
    return report


def intact(lake: Path) -> None:
    """``EvidenceError`` where the log, its keys or its checkpoints are damaged; the files it names are not read."""
    report = Report()
    _verify_log(lake / log.FOLDER, (), report)
    if report.first:
        raise EvidenceError(f"{lake}: the evidence log is damaged, nothing is done. {report.first}. Run audit21 verify")


def _verify_log(folder: Path, kept: Sequence[Path], report: Report) -> _Chain | None:
    if not (folder / log.NAME).is_file():
        report.differ(f"{log.FOLDER}/{log.NAME}", "the evidence log", "no such file")
        return None
    own = _checkpoints(folder, report)  # before the log: a writer signs before it appends, so the log is never behind
    elsewhere = _kept(kept, report)
    chain = _read_chain(folder, {c.size for _, c in [*own, *elsewhere]}, report)
    _check_own(own, chain, report)
    _check_unsigned(folder, max((c.size for _, c in own), default=0), chain, report)
    _check_kept(elsewhere, chain, report)
    _check_folder(folder, chain, report)
    return chain


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
            chain.kinds.append(entry.get("kind", ""))
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
    """Take an entry into the chain; gives what does not follow from the entries before."""
    match entry["kind"]:
        case "key":
            public, before = base64.b64decode(entry["public"]), chain.keys[-1][1] if chain.keys else None
            chain.keys.append((index, entry["key_id"], public))
            if entry["key_id"] != keys.key_id(public):
                return f"key id {entry['key_id']} for the key {keys.key_id(public)}"
            return None if entry["previous"] == before else f"previous key {entry['previous']}, but {before} was in use"
        case "custody":
            chain.total_bytes += sum(record["bytes"] for record in (entry["floor"], *entry["files"]))
        case "published":
            newest = next(reversed(chain.published), -1)
            chain.published[entry["snapshot"]] = entry["gaming_day"]
            chain.total_bytes += sum(part["bytes"] for parts in entry["parts"].values() for part in parts)
            if newest >= 0 and entry["snapshot"] != newest + 1:
                return f"snapshot {entry['snapshot']} after snapshot {newest}"
        case "signoff":
            if chain.published.get(entry["snapshot"]) != entry["gaming_day"]:
                return f"sign-off of snapshot {entry['snapshot']}, which was not published for {entry['gaming_day']}"
        case "catalog":
            if entry["snapshot"] not in chain.published:
                return f"the catalog of snapshot {entry['snapshot']}, which was not published"
        case "hold" | "release":
            if (entry["kind"] == "hold") == (entry["round_id"] in chain.held):
                return f"a {entry['kind']} of {entry['round_id']}, which is {'held' if chain.held else 'not held'}"
            chain.held ^= {entry["round_id"]}
        case "watched" | "stills":
            chain.total_bytes += sum(file["bytes"] for file in entry["files"])
    return None


def _clock(chain: _Chain, entry: Mapping[str, Any], place: str, report: Report) -> str | None:
    """What is wrong with an entry's time: it runs backwards only where the entry says that the clock was set back."""
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
    """Tell what a kill can leave after the newest checkpoint from what only somebody without the key can have added."""
    kinds = chain.kinds[signed:]
    if not kinds:
        return
    place = f"{log.FOLDER}/{log.NAME} line {signed + 1}"
    count = f"{len(kinds)} {'entry' if len(kinds) == 1 else 'entries'}"
    if writer.is_pending(log.EvidenceLog(folder)) or set(kinds) <= writer.UNSIGNED:
        report.unfinished.append(f"{place}: {count} without a checkpoint yet; the next run completes it")
    else:
        report.differ(place, f"a checkpoint that covers the last {count}", "none: nobody signed them")


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
        _note_handover(place, found, before or 0, chain, signers, report)
        before = found.size


def _check_root(place: str, found: Checkpoint, chain: _Chain, matched: int, report: Report) -> int:
    """Check what a checkpoint says of the log; gives the size up to which the log is known to be as it was."""
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


def _note_handover(
    place: str, found: Checkpoint, before: int, chain: _Chain, signers: Sequence[bytes], report: Report
) -> None:
    """A new key should be vouched for by the one before, in the first checkpoint that covers its entry."""
    for (_, old, public), (index, new, _) in pairwise(chain.keys):
        if before <= index < found.size and public not in signers:
            report.notes.append(f"{place}: key {new} took over from {old}, which did not sign the handover")


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
        if path.name not in (log.NAME, keys.FOLDER, checkpoint.FOLDER):
            report.differ(f"{log.FOLDER}/{path.name}", "only the log, keys and checkpoints", "another file")
