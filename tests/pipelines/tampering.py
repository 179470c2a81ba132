"""Ways to tamper with a lake by hand, as somebody would who can write its files and has no key."""

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow.parquet as pq

Tamper = Callable[[Path], None]


def commit(lake: Path, dataset: str, version: int) -> Path:
    return lake / dataset / "_delta_log" / f"{version:020d}.json"


def newest(lake: Path, dataset: str) -> int:
    return max(int(path.stem) for path in (lake / dataset / "_delta_log").glob("[0-9]*.json"))


def part(lake: Path, dataset: str = "rounds") -> Path:
    return min((lake / dataset).glob("gaming_day=*/part-*.parquet"))


def checkpoints(lake: Path) -> list[Path]:
    return sorted((lake / "evidence" / "checkpoints").glob("*.txt"))


def log(lake: Path) -> Path:
    return lake / "evidence" / "log.ndjson"


def lines(lake: Path) -> list[bytes]:
    return log(lake).read_bytes().splitlines(keepends=True)


def line_of(lake: Path, kind: str) -> int:
    return next(n for n, line in enumerate(lines(lake)) if b'"kind":"%s"' % kind.encode() in line)


# How a file is changed.


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    rewrite(path, bytes(content))


def rewrite(path: Path, content: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(content)


def truncate(path: Path) -> None:
    rewrite(path, path.read_bytes()[:-7])


def empty(path: Path) -> None:
    rewrite(path, b"")


def delete(path: Path) -> None:
    path.unlink()


def delete_all(*paths: Path) -> None:
    for path in paths:
        path.unlink()


def swap(path: Path, other: Path) -> None:
    one, two = path.read_bytes(), other.read_bytes()
    rewrite(path, two)
    rewrite(other, one)


def replace(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert old in content, f"{path} has no {old!r}"
    rewrite(path, content.replace(old, new, 1))


# Commits and the files that they name.


def change_action(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the first part that a commit adds."""
    actions = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(next(action["add"] for action in actions if "add" in action))
    rewrite(path, b"".join(json.dumps(action, separators=(",", ":")).encode() + b"\n" for action in actions))


def hide_rows(path: Path) -> None:
    """Statistics that let readers skip a part: no table of it lies between these two."""

    def change(add: dict[str, Any]) -> None:
        stats = json.loads(add["stats"])
        add["stats"] = json.dumps(stats | {"minValues": {"table": "A"}, "maxValues": {"table": "B"}})

    change_action(path, change)


def count_none(path: Path) -> None:
    change_action(path, lambda add: add.update(stats=json.dumps(json.loads(add["stats"]) | {"numRecords": 0})))


def shadow_commit(lake: Path, name: str) -> None:
    """A commit that hides rows, and the genuine one beside it under another name for the same version."""
    path = commit(lake, "settlements", 1)
    genuine = path.read_bytes()
    hide_rows(path)
    path.with_name(name).write_bytes(genuine)


def link(path: Path) -> None:
    """The same bytes, kept where somebody else may change them later."""
    outside = path.parents[len(path.parts) - 1 - path.parts.index("lake")] / "elsewhere"
    shutil.copy(path, outside)
    path.unlink()
    path.symlink_to(outside)


def drop_adds(path: Path) -> None:
    rewrite(path, b"".join(line for line in path.read_bytes().splitlines(keepends=True) if b'"add"' not in line))


def forge_part(lake: Path) -> None:
    """Another part in the place of a published one, under the name of its own hash, in the commit as well."""
    old = part(lake, "settlements")
    frame = pl.read_parquet(old, hive_partitioning=False).with_columns(variance_cents=pl.lit(0, pl.Int64))
    forged = old.with_name("forged")
    frame.write_parquet(forged)
    named = old.with_name(f"part-00000-{hashlib.sha256(forged.read_bytes()).hexdigest()}.parquet")
    forged.rename(named)

    def change(add: dict[str, Any]) -> None:
        add["path"] = add["path"].replace(old.name, named.name)
        add["size"] = named.stat().st_size

    change_action(commit(lake, "settlements", 1), change)


def add_version(lake: Path) -> None:
    """A later version of a dataset, without the parts of a day, for whoever reads the newest."""
    about = json.loads(commit(lake, "findings", 1).read_bytes().splitlines()[0])["add"]
    gone = {name: about[name] for name in ("path", "partitionValues", "size")}
    action = {"remove": gone | {"deletionTimestamp": 0, "dataChange": True, "extendedFileMetadata": True}}
    commit(lake, "findings", newest(lake, "findings") + 1).write_text(json.dumps(action) + "\n")


def change_schema(lake: Path) -> None:
    replace(commit(lake, "settlements", 0), b"variance_cents", b"variance_dents")


def change_checkpoint(lake: Path) -> None:
    path = next((lake / "rounds" / "_delta_log").glob("*.checkpoint.parquet"))
    table = pq.ParquetFile(path).read()
    pq.write_table(table.slice(0, table.num_rows - 1), path)


# The list of snapshots.


def change_snapshot(lake: Path, number: int, **values: Any) -> None:
    """Change the row of a snapshot, with the file's name and the commit made to fit."""
    path = commit(lake, "snapshots", number)
    old = (
        lake
        / "snapshots"
        / next(action["add"]["path"] for action in map(json.loads, path.read_bytes().splitlines()) if "add" in action)
    )
    frame = pl.read_parquet(old, hive_partitioning=False)
    changed = frame.with_columns(**{name: pl.lit(value).cast(frame.schema[name]) for name, value in values.items()})
    fresh = old.with_name("forged")
    changed.write_parquet(fresh)
    named = old.with_name(f"part-{number:05d}-{hashlib.sha256(fresh.read_bytes()).hexdigest()}.parquet")
    fresh.rename(named)
    change_action(path, lambda add: add.update(path=named.name, size=named.stat().st_size))


def change_versions(lake: Path) -> None:
    path = next((lake / "snapshots").glob("part-00002-*"))
    frame = pl.read_parquet(path, hive_partitioning=False)
    versions = pl.col("versions").struct.with_fields(pl.lit(0, pl.Int64).alias("findings"))
    frame.with_columns(versions).write_parquet(path)


def repeat_snapshot(lake: Path) -> None:
    """A row for a snapshot that was never published."""
    number = newest(lake, "snapshots") + 1
    commit(lake, "snapshots", number).write_bytes(commit(lake, "snapshots", number - 1).read_bytes())
    change_snapshot(lake, number, snapshot=number)


def drop_newest_snapshot(lake: Path) -> None:
    commit(lake, "snapshots", newest(lake, "snapshots")).unlink()


# The log.


def change_line(lake: Path, kind: str, old: bytes, new: bytes) -> None:
    found = lines(lake)
    at = line_of(lake, kind)
    assert old in found[at], f"{kind} has no {old!r}"
    found[at] = found[at].replace(old, new, 1)
    log(lake).write_bytes(b"".join(found))


def drop_line(lake: Path, kind: str) -> None:
    found = lines(lake)
    del found[line_of(lake, kind)]
    log(lake).write_bytes(b"".join(found))


def swap_lines(lake: Path) -> None:
    found = lines(lake)
    found[2], found[3] = found[3], found[2]
    log(lake).write_bytes(b"".join(found))


def append_line(lake: Path, entry: dict[str, Any]) -> None:
    with log(lake).open("ab") as file:
        file.write(json.dumps(entry, sort_keys=True, separators=(",", ":")).encode() + b"\n")


def append_release(lake: Path) -> None:
    entry = json.loads(lines(lake)[line_of(lake, "hold")])
    append_line(lake, entry | {"kind": "release", "by": "nobody"})


def append_custody(lake: Path) -> None:
    """Other bytes for a file in custody, put into raw/ as well."""
    entry = json.loads(lines(lake)[line_of(lake, "custody")])
    record = next(file for file in entry["files"] if "terminal" in file["path"])
    content = (lake / "raw" / record["sha256"]).read_bytes().replace(b'"paid_cents":', b'"paid_cents":1', 1)
    sha256 = hashlib.sha256(content).hexdigest()
    (lake / "raw" / sha256).write_bytes(content)
    append_line(lake, entry | {"files": [record | {"sha256": sha256, "bytes": len(content)}]})


def append_published(lake: Path) -> None:
    entry = json.loads([line for line in lines(lake) if b'"kind":"published"' in line][-1])
    append_line(lake, entry | {"snapshot": entry["snapshot"] + 1, "at": "2027-01-01T00:00:00.000Z"})


def cut_log(lake: Path) -> None:
    """The newest entries with their checkpoints, all that stands in the lake for them."""
    size = int(checkpoints(lake)[-2].stem)
    log(lake).write_bytes(b"".join(lines(lake)[:size]))
    checkpoints(lake)[-1].unlink()


def drop_checkpoints(lake: Path) -> None:
    for path in checkpoints(lake):
        path.unlink()


# What lies beside.


def forge_catalog(lake: Path) -> None:
    """The catalog and its seal together."""
    path = lake / "audit21.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE day_summary SET rounds = 0")
    (lake / ".audit21.duckdb.sha256").write_text(hashlib.sha256(path.read_bytes()).hexdigest())


def change_beside_catalog(lake: Path) -> None:
    """Changes that DuckDB applies in whoever opens the catalog, of which no byte is other."""
    path = lake / "audit21.duckdb"
    copy = lake.parent / "copy.duckdb"
    shutil.copy(path, copy)
    change = "SET wal_autocheckpoint = '1GB'; UPDATE day_summary SET rounds = 0"
    script = f"import duckdb, os; made = duckdb.connect({str(copy)!r}); made.execute({change!r}); os._exit(0)"
    subprocess.run([sys.executable, "-c", script], check=True)
    copy.with_name("copy.duckdb.wal").rename(path.with_name("audit21.duckdb.wal"))
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("SELECT sum(rounds) FROM day_summary").fetchall() == [(0,)]


def forge_activity(lake: Path, statement: str) -> None:
    with closing(sqlite3.connect(lake / "cases.db")) as connection, connection:
        for trigger in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {trigger[0]}")
        connection.execute(statement)


def plant(lake: Path, path: str) -> None:
    (lake / path).parent.mkdir(parents=True, exist_ok=True)
    (lake / path).write_bytes(b"{}")


def copy_over(source: Path, target: Path) -> None:
    shutil.copy(source, target)
