"""A dataset's Delta table: which part files each version holds."""

import json
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties
from deltalake.exceptions import DeltaError
from deltalake.transaction import AddAction, RemoveAction

from warehouse.dataset import Dataset
from warehouse.disk import sync
from warehouse.lake.errors import LakeError, writing
from warehouse.lake.parts import TEMPORARY, Part

LOG: Final = "_delta_log"
# What an earlier audit said stays readable for good: no log and no file ever expires.
_CONFIGURATION: Final[dict[str, str | None]] = {
    "delta.checkpointInterval": "50",
    "delta.enableExpiredLogCleanup": "false",
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.deletedFileRetentionDuration": "interval 36500 days",
}
_COLUMNS: Final = ("path", "size_bytes", "num_records", "min.table", "max.table")
_LEFT_BY_KILLED_COMMIT: Final = re.compile(r"#\d+$")


def create(root: Path, dataset: Dataset) -> None:
    """Make the dataset's table, if it is not there. One that is not in partitions only ever grows."""
    if exists(root, dataset):
        return
    growing = {} if dataset.partitioned else {"delta.appendOnly": "true"}
    with writing(root / dataset.name):
        DeltaTable.create(
            root / dataset.name,
            dataset.arrow,
            mode="ignore",
            partition_by="gaming_day" if dataset.partitioned else None,
            name=dataset.name,
            description=dataset.description,
            configuration=_CONFIGURATION | growing,
        )
        _sync_commit(root / dataset.name, 0)


def exists(root: Path, dataset: Dataset) -> bool:
    """Whether the dataset's table has been made."""
    return (root / dataset.name / LOG / f"{0:020d}.json").exists()


def _open(path: Path, version: int | None = None) -> DeltaTable:
    try:
        return DeltaTable(path, version=version)
    except DeltaError as error:
        raise LakeError(f"{path} could not be read at version {version or 'newest'}: {error}") from error


def parts(root: Path, dataset: Dataset, version: int | None = None) -> list[Part]:
    """The part files of a version, the newest unless told, in the order of their rows."""
    return _parts(_open(root / dataset.name, version), dataset)


def _parts(table: DeltaTable, dataset: Dataset) -> list[Part]:
    files = pa.table(table.get_add_actions(flatten=True))
    files = files.select([name for name in _COLUMNS if name in files.column_names])
    return sorted((_part(file, dataset) for file in files.to_pylist()), key=lambda part: part.path)


def _part(file: dict[str, Any], dataset: Dataset) -> Part:
    first, last = (file["min.table"], file["max.table"]) if dataset.partitioned else ("", "")
    return Part(file["path"], file["size_bytes"], file["num_records"], first, last)


def replace(root: Path, dataset: Dataset, day: date, staged: Iterable[Part], base: int | None, now: datetime) -> int:
    """Make a version with these parts for a day and the base version's for all others, unless the newest is that.

    Returns its number.
    """
    table = _open(root / dataset.name)
    found = _parts(table, dataset)
    published = found if base == table.version() else [] if base is None else parts(root, dataset, base)
    before = {part.path: part for part in found}
    after = {part.path: part for part in (*(part for part in published if part.day != day), *staged)}
    now_ms = int(now.timestamp() * 1000)
    adds = [_add(part, now_ms) for path, part in after.items() if path not in before]
    removes = [_remove(part, now_ms) for path, part in before.items() if path not in after]
    if not adds and not removes:
        return table.version()
    return _commit(root / dataset.name, table, [*adds, *removes])


def append(root: Path, dataset: Dataset, part: Part, instead_of: Iterable[Part], now: datetime) -> None:
    """Add a part to a growing table, in one commit with the removal of parts whose rows it repeats."""
    now_ms = int(now.timestamp() * 1000)
    removes = [_remove(old, now_ms, data_change=False) for old in instead_of]
    _commit(root / dataset.name, _open(root / dataset.name), [_add(part, now_ms), *removes])


def _commit(path: Path, table: DeltaTable, actions: list[AddAction | RemoveAction]) -> int:
    version = table.version() + 1
    with writing(path):
        table.create_write_transaction(
            actions,
            "append",
            table.schema(),
            table.metadata().partition_columns,
            commit_properties=CommitProperties(max_commit_retries=0),
            post_commithook_properties=PostCommitHookProperties(cleanup_expired_logs=False),
        )
        _sync_commit(path, version)
    return version


def _sync_commit(path: Path, version: int) -> None:
    sync(path / LOG / f"{version:020d}.json")
    sync(path / LOG)


def _values(part: Part) -> dict[str, str | None]:
    return {"gaming_day": part.day.isoformat()} if part.day else {}


def _add(part: Part, now_ms: int) -> AddAction:
    return AddAction(part.path, part.bytes, _values(part), now_ms, True, part.stats)


def _remove(part: Part, now_ms: int, data_change: bool = True) -> RemoveAction:
    return RemoveAction(part.path, data_change, now_ms, part.bytes, _values(part))


def sweep(root: Path, dataset: Dataset) -> list[Path]:
    """Remove what killed runs left: temporary files, and part files that no version ever held."""
    path = root / dataset.name
    if not path.is_dir():
        return []
    kept = _ever_held(path)
    left = [file for file in _files(path) if file.name.endswith(TEMPORARY) or (str(file.relative_to(path)) not in kept)]
    left += [file for file in path.glob(f"{LOG}/*") if _LEFT_BY_KILLED_COMMIT.search(file.name)]
    with writing(path):
        for file in left:
            file.unlink()
    return left


def _files(path: Path) -> Iterator[Path]:
    """Part files and temporary ones."""
    for entry in path.iterdir():
        if entry.name.startswith("gaming_day="):
            yield from entry.iterdir()
        elif entry.is_file():
            yield entry


def _ever_held(path: Path) -> set[str]:
    """The paths of all parts that any version held or holds."""
    logs = sorted((path / LOG).glob("*.json"))
    if [int(log.stem) for log in logs] != list(range(len(logs))):
        raise LakeError(f"{path / LOG} lacks versions: expected 0 to {len(logs) - 1}, found up to {logs[-1].stem}")
    held = set()
    for log in logs:
        for line in log.read_bytes().splitlines():
            if b'"add"' in line and "add" in (action := json.loads(line)):
                held.add(action["add"]["path"])
    return held
