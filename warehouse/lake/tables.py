"""Brings the Delta tables and the list of snapshots to what the evidence log says was published."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

from warehouse.evidence.files import file_sha256
from warehouse.evidence.log import EvidenceLog
from warehouse.lake import delta, publications, snapshots
from warehouse.lake.errors import LakeError
from warehouse.lake.parts import LakePart
from warehouse.lake.publications import Publication, Tables
from warehouse.schemas import DATASETS, SNAPSHOTS

Step = Callable[[], None]


def complete(root: Path, log: EvidenceLog) -> None:
    """Write what the newest publication lacks after a kill; ``LakeError`` where the tables are not what the log says.

    Only what the next publication builds upon is read: the newest version of every table, and the list of snapshots.
    """
    before, newest = publications.last(log)
    if newest is None:
        if found := next((d for d in (*DATASETS.values(), SNAPSHOTS) if delta.newest(root, d) >= 0), None):
            raise _other(root, found.name, "no table, as nothing was published yet", "one")
        return
    for step in steps(root, before, newest):
        step()
    check(root, before)


def steps(root: Path, before: Tables, newest: Publication) -> Iterator[Step]:
    """List the changes that follow from a publication, each atomic; the last one shows it to readers.

    What is there already is left as it is. ``before`` goes on to the publication.
    """
    versions = dict(before.versions)
    commits = before.take(newest)
    for name in (*DATASETS, SNAPSHOTS.name):
        if name in newest.created:
            yield partial(_create, root, name, newest.created[name])
    for name, (version, content) in commits.items():
        yield partial(_follow, root, name, max(versions[name], 0), version, content)
    yield partial(_list, root, newest)


def _create(root: Path, name: str, expected: str) -> None:
    dataset = DATASETS.get(name, SNAPSHOTS)
    if delta.newest(root, dataset) < 0:
        if delta.created(dataset) != expected:
            raise _other(
                root, name, "a table as this audit21 makes it", "one of another audit21, which must complete it"
            )
        delta.write_commit(root, dataset, 0, delta.first_commit(dataset))


def _follow(root: Path, name: str, before: int, version: int, content: bytes) -> None:
    dataset = DATASETS[name]
    if delta.newest(root, dataset) == before:
        delta.write_commit(root, dataset, version, content)


def _list(root: Path, newest: Publication) -> None:
    if delta.newest(root, SNAPSHOTS) == newest.number - 1:
        snapshots.publish(root, newest.number, newest.row(), newest.time_ms)


def check(root: Path, tables: Tables) -> None:
    """``LakeError`` where the newest version of a table, or the newest snapshot, is not what the log says."""
    for name, held in tables.parts.items():
        expected = tables.versions[name]
        if (found := delta.newest(root, DATASETS[name])) != expected:
            raise _other(root, name, f"version {expected}", f"version {found}")
        shown = {part.path: part for part in delta.parts(root, DATASETS[name])}
        if shown != held:
            strange = next(iter(sorted(path for path in {*shown, *held} if shown.get(path) != held.get(path))))
            raise _other(root, name, f"{held.get(strange, 'no part')}", f"{shown.get(strange, 'no part')}")
    listed = snapshots.find(root)
    if (listed.number, listed.versions) != (tables.number, tables.versions):
        raise _other(root, SNAPSHOTS.name, f"snapshot {tables.number}", f"snapshot {listed.number}, other versions")
    if listed.days != tables.days:
        days = {*listed.days, *tables.days}
        day = min(day for day in days if listed.days.get(day) != tables.days.get(day))
        there, known = (each.get(day) for each in (listed.days, tables.days))
        raise _other(
            root, f"{SNAPSHOTS.name}, {day}", *(str(asdict(each) if each else None) for each in (known, there))
        )


def _other(root: Path, name: str, expected: str, found: str) -> LakeError:
    return LakeError(
        f"{root}, {name}: found {found}, expected {expected}, as the evidence log says. Nothing was changed. "
        "Run audit21 verify; audit21 repair restores tables and snapshots from the log"
    )


def check_parts(root: Path, dataset: str, parts: Iterable[LakePart]) -> None:
    """``LakeError`` where a part is not as its name, and so the log, says."""
    for part in parts:
        path = root / dataset / part.path
        try:
            found = file_sha256(path)
        except OSError as error:
            raise LakeError(f"{path}: a published part cannot be read: {error.strerror}; restore it") from error
        if found != (part.sha256, part.bytes):
            raise LakeError(f"{path}: found bytes with the hash {found[0]}, expected {part.sha256}; restore the file")
