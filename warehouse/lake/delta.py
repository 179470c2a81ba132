"""A dataset's Delta table: which part files each version holds.

Its commits follow from the publications in the evidence log, byte for byte: whoever has the log can write them anew.
"""

import hashlib
import json
import os
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from deltalake import DeltaTable, Schema
from deltalake.exceptions import DeltaError

from warehouse.dataset import Dataset
from warehouse.disk import sync
from warehouse.lake.errors import LakeError, writing
from warehouse.lake.parts import TEMPORARY, LakePart

LOG: Final = "_delta_log"
CHECKPOINT_INTERVAL: Final = 50
# What an earlier audit said stays readable for good: no log and no file ever expires.
_CONFIGURATION: Final[dict[str, str]] = {
    "delta.checkpointInterval": str(CHECKPOINT_INTERVAL),
    "delta.enableExpiredLogCleanup": "false",
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.deletedFileRetentionDuration": "interval 36500 days",
}
_COLUMNS: Final = ("path", "size_bytes", "num_records", "min.table", "max.table")
_LEFT_BY_KILLED_COMMIT: Final = re.compile(rf"#\d+$|{re.escape(TEMPORARY)}$")

Parts = Mapping[str, LakePart]  # by path


# What a commit says.


def first_commit(dataset: Dataset) -> bytes:
    """The commit that makes the dataset's table. One that is not in partitions only ever grows."""
    growing = {} if dataset.partitioned else {"delta.appendOnly": "true"}
    about = {
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"audit21/{dataset.name}")),
        "name": dataset.name,
        "description": dataset.description,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": Schema.from_arrow(dataset.arrow).to_json(),
        "partitionColumns": ["gaming_day"] if dataset.partitioned else [],
        "configuration": _CONFIGURATION | growing,
    }
    return _lines([{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": about}])


def commit(before: Parts, after: Parts, time_ms: int, data_change: bool = True) -> bytes:
    """The commit that turns some parts into others at a time; empty where they are the same."""
    adds = [_add(after[path], time_ms) for path in sorted(after.keys() - before.keys())]
    removes = [_remove(before[path], time_ms, data_change) for path in sorted(before.keys() - after.keys())]
    return _lines([*adds, *removes])


def _add(part: LakePart, time_ms: int) -> dict[str, Any]:
    about = {"path": part.path, "partitionValues": _values(part), "size": part.bytes, "modificationTime": time_ms}
    return {"add": about | {"dataChange": True, "stats": part.stats}}


def _remove(part: LakePart, time_ms: int, data_change: bool) -> dict[str, Any]:
    about = {"path": part.path, "deletionTimestamp": time_ms, "dataChange": data_change}
    return {"remove": about | {"extendedFileMetadata": True, "partitionValues": _values(part), "size": part.bytes}}


def _values(part: LakePart) -> dict[str, str]:
    return {"gaming_day": part.day.isoformat()} if part.day else {}


def _lines(actions: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(action, separators=(",", ":")).encode() + b"\n" for action in actions)


# Files.


def commit_path(root: Path, dataset: Dataset, version: int) -> Path:
    """Return the path of a version's commit."""
    return root / dataset.name / LOG / f"{version:020d}.json"


def write_commit(root: Path, dataset: Dataset, version: int, content: bytes) -> None:
    """Bring a version into being, whole and for good; now and then with a checkpoint for those who open the table."""
    path = commit_path(root, dataset, version)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}{TEMPORARY}")
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(path)
        sync(path.parent)
        if version and version % CHECKPOINT_INTERVAL == 0:
            checkpoint(root / dataset.name, version)


def checkpoint(table: Path, version: int) -> None:
    """Write a table's checkpoint of a version."""
    DeltaTable(table, version=version).create_checkpoint()


def checkpoint_path(table: Path, version: int) -> Path:
    """Return the path of a table's checkpoint of a version."""
    return table / LOG / f"{version:020d}.checkpoint.parquet"


def exists(root: Path, dataset: Dataset) -> bool:
    """Tell whether the dataset's table has been made."""
    return commit_path(root, dataset, 0).exists()


def newest(root: Path, dataset: Dataset) -> int:
    """The newest version; -1 where there is no table."""
    names = (path.stem for path in (root / dataset.name / LOG).glob("*.json"))
    return max((int(name) for name in names if name.isdecimal()), default=-1)


def created(dataset: Dataset) -> str:
    """The hash of the commit that makes a table."""
    return hashlib.sha256(first_commit(dataset)).hexdigest()


# What readers are shown.


def parts(root: Path, dataset: Dataset, version: int | None = None) -> list[LakePart]:
    """The part files of a version, the newest unless told, in the order of their rows."""
    path = root / dataset.name
    try:
        table = DeltaTable(path, version=version)
        files = pa.table(table.get_add_actions(flatten=True))
    except (DeltaError, OSError, ValueError) as error:
        told = "newest" if version is None else version
        raise LakeError(f"{path} could not be read at version {told}: {error}. Run audit21 verify") from error
    files = files.select([name for name in _COLUMNS if name in files.column_names])
    return sorted((_part(file, dataset) for file in files.to_pylist()), key=lambda part: part.path)


def _part(file: dict[str, Any], dataset: Dataset) -> LakePart:
    first, last = (file.get("min.table"), file.get("max.table")) if dataset.partitioned else ("", "")
    return LakePart(file["path"], file["size_bytes"], file["num_records"], first or "", last or "")


# What killed runs left.


def sweep(root: Path, dataset: Dataset, named: set[str] | None) -> list[Path]:
    """Remove what killed runs left: temporary files, and part files that are not among those named by the log."""
    path = root / dataset.name
    if not path.is_dir():
        return []
    left = [file for file in _files(path) if file.name.endswith(TEMPORARY) or _is_unnamed(file, path, named)]
    left += [file for file in path.glob(f"{LOG}/*") if _LEFT_BY_KILLED_COMMIT.search(file.name)]
    with writing(path):
        for file in left:
            file.unlink()
    return left


def _is_unnamed(file: Path, path: Path, named: set[str] | None) -> bool:
    return named is not None and str(file.relative_to(path)) not in named


def _files(path: Path) -> Iterator[Path]:
    """Part files and temporary ones."""
    for entry in path.iterdir():
        if entry.name.startswith("gaming_day="):
            yield from (file for file in entry.iterdir() if file.is_file())
        elif entry.is_file():
            yield entry
