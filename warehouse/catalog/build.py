"""Makes the catalog beside the old one and renames it into place."""

import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Final, cast

import duckdb
import polars as pl

from warehouse.catalog import contents, sql
from warehouse.catalog.contents import Connection, Files
from warehouse.disk import sync
from warehouse.evidence.entries import Catalog
from warehouse.evidence.log import EvidenceLog
from warehouse.lake import snapshots

NAME: Final = "audit21.duckdb"
WORKPLACE: Final = f".{NAME}.making"
_CHANGES: Final = f"{NAME}.wal"
# Clients from DuckDB 1.0 on open this format; without it, only those from 2.0 on.
STORAGE: Final = "v1.0.0"
MEMORY: Final = "512MB"
MOST_THREADS: Final = 4


class CatalogError(RuntimeError):
    """The catalog could not be written; the one before it stays."""


def build(
    lake: Path,
    files: Files,
    snapshot: int,
    changed: Collection[date] | None,
    record: Callable[[Path], object] = lambda fresh: None,
) -> Path:
    """Publishes the catalog of a snapshot and returns its path.

    ``files`` has the Parquet files of every dataset at that snapshot. With ``changed``, the rows of all other days come
    from the catalog before, where it was made from the same files; without, all are made anew. ``record`` gets the
    new catalog before it takes the old one's place.
    """
    target = lake.resolve() / NAME
    published = snapshots.rows(target.parent).filter(pl.col("snapshot") <= snapshot)
    try:
        with _workplace(target) as place, _connection(place) as con:
            before = {} if changed is None else _attach_before(con, target, place)
            unchanged = {day: made for day, made in before.items() if day not in (changed or ())}
            fresh = place / NAME
            con.execute(f"ATTACH {sql.literal(fresh)} AS audit21 (STORAGE_VERSION '{STORAGE}')")
            con.execute("BEGIN")
            contents.write(con, files, snapshot, published, unchanged)
            con.execute("COMMIT")
            con.execute("CHECKPOINT audit21")
            con.execute("DETACH audit21")
            record(fresh)
            _publish(fresh, target)
    except (duckdb.Error, OSError) as error:
        raise CatalogError(f"{target}: could not be made anew, the one before stays: {error}") from error
    return target


@contextmanager
def _workplace(target: Path) -> Iterator[Path]:
    """An empty folder of our own, gone afterwards; what a killed build left in it is gone before."""
    place = target.with_name(WORKPLACE)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _connection(place: Path) -> Iterator[Connection]:
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "threads": min(MOST_THREADS, os.cpu_count() or 1),
        "temp_directory": str(place / "spill"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    with duckdb.connect(":memory:", config=config) as con:
        yield con


def _attach_before(con: Connection, target: Path, place: Path) -> dict[date, str]:
    """Return the sources of the catalog before, by day; nothing where it is not as it was published."""
    # A copy, because a client may have the catalog open for writing, which locks it.
    copy = place / "before.duckdb"
    try:
        shutil.copyfile(target, copy)
        if _seal(target).read_bytes() != _sha256(copy).encode():
            return {}
    except FileNotFoundError:
        return {}
    con.execute(f"ATTACH {sql.literal(copy)} AS before (READ_ONLY)")
    return dict(con.execute("SELECT gaming_day, inputs FROM before.made.days").fetchall())


def is_unfinished(lake: Path, log: EvidenceLog) -> bool:
    """Tell whether a killed process recorded a catalog and did not put it in the place of the one before."""
    found = log.last("catalog")
    before = log.last("catalog", found[0]) if found else None
    if found is None or not (lake / WORKPLACE).exists():
        return False
    target = lake / NAME
    return _sha256(target) == cast(Catalog, before[1])["sha256"] if before and target.exists() else not target.exists()


def is_recorded(lake: Path, log: EvidenceLog) -> bool:
    """Tell whether a lake's catalog is the newest one that the evidence log names, and readers see what is in it."""
    found = log.last("catalog")
    if changes_beside(lake):
        return False
    try:
        return found is not None and cast(Catalog, found[1])["sha256"] == _sha256(lake / NAME)
    except FileNotFoundError:
        return False


def changes_beside(lake: Path) -> bool:
    """Tell whether there is a log of changes that DuckDB would apply to the catalog in whoever opens it."""
    return os.path.lexists(lake / _CHANGES)


def _seal(target: Path) -> Path:
    """The file with the hash of the catalog as it was published."""
    return target.with_name(f".{NAME}.sha256")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _publish(fresh: Path, target: Path) -> None:
    """All on disk, then the seal, then the catalog: a seal that comes alone only costs a whole build."""
    seal = fresh.with_suffix(".sha256")
    seal.write_text(_sha256(fresh), encoding="ascii")
    for path in (fresh, seal):
        sync(path)
    seal.replace(_seal(target))
    # A client killed with the old catalog open for writing leaves a log, which must not be applied to the new one.
    target.with_name(_CHANGES).unlink(missing_ok=True)
    fresh.replace(target)
    sync(target.parent)
