"""Two lakes side by side: what one says that the other does not."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from pipelines.commands import verify
from warehouse.lake import Lake
from warehouse.lake.snapshots import rows as snapshot_rows
from warehouse.schemas import DATASETS

# When, and by which run, something was published, and what depends on it: different every time. The chain of a file is
# the root of the evidence log, which names times.
OF_THE_RUN: Final = ("published", "run_id", "chain")
OF_THE_LOG: Final = ("at", "set_back_ms", "run_id")
# The history of runs, and checkpoints, which a killed run signs one more of.
NOT_COMPARED: Final = (".dagster", "evidence/checkpoints")
# What every run leaves beside the datasets, by the beginning of its path.
KNOWN: Final = (".dagster/", ".lock", ".seen.json", ".audit21.duckdb.sha256", "audit21.duckdb", "raw/", "evidence/")


def differences(lake: Path, other: Path) -> Iterator[str]:
    """Yield the differences between a lake and one that it should equal; also its own problems."""
    yield from verify_problems(lake)
    for name, text in (("evidence log", _log), ("files", _tree)):
        if (found := text(lake)) != (wanted := text(other)):
            yield f"{name}: {_first(found, wanted)}"
    yield from _frames("snapshots", _publications(lake), _publications(other))
    for name in DATASETS:
        yield from _frames(name, *(Lake(path).read(name).drop(OF_THE_RUN, strict=False) for path in (lake, other)))
    found_tables, wanted_tables = (_catalog(path) for path in (lake, other))
    if found_tables.keys() != wanted_tables.keys():
        yield f"catalog: {_first(found_tables, wanted_tables)}"
    for name in found_tables.keys() & wanted_tables.keys():
        yield from _frames(f"catalog, {name}", found_tables[name], wanted_tables[name])


def verify_problems(lake: Path) -> list[str]:
    """Return the discrepancies that ``audit21 verify`` finds, and the temporary files."""
    report = verify.verify(verify.VerifyRequest(lake, quiet=True))
    left = [path for path in _tree(lake) if _is_left(path)]
    return [*map(str, report.differences), *(f"left behind: {path}" for path in left)]


def _is_left(path: str) -> bool:
    name = path.rpartition("/")[2]
    known = path.startswith(KNOWN) and not name.endswith((".new", ".tmp"))
    dataset = path.partition("/")[0] in (*DATASETS, "snapshots")
    return (name.startswith(".") and not path.startswith(KNOWN[1:4])) or not (known or dataset)


def _log(lake: Path) -> list[str]:
    """The entries without their times, and without those of catalogs, whose bytes are not the same twice."""
    entries = [json.loads(line) for line in (lake / "evidence" / "log.ndjson").read_text().splitlines()]
    kept = [entry for entry in entries if entry["kind"] != "catalog"]
    for entry in kept:
        entry.get("parts", {}).pop("files", None)
    return [json.dumps({name: entry[name] for name in entry if name not in OF_THE_LOG}) for entry in kept]


def _tree(lake: Path) -> list[str]:
    """Every file by its path; the names of those that hold times are not the same twice."""
    found = []
    for folder, folders, names in os.walk(lake):
        here = Path(folder).relative_to(lake)
        folders[:] = [each for each in folders if str(here / each) not in NOT_COMPARED]
        found += [_known_name(here / name) for name in names]
    return sorted(found)


def _known_name(path: Path) -> str:
    is_listed = path.parts[0] in ("snapshots", "files") and path.suffix == ".parquet"
    return f"{path.parent}/{path.name[:10]}.parquet" if is_listed and not path.name.startswith(".") else str(path)


def _publications(lake: Path) -> pl.DataFrame:
    return snapshot_rows(lake).drop(OF_THE_RUN, strict=False)


def _catalog(lake: Path) -> dict[str, pl.DataFrame]:
    with duckdb.connect(str(lake / "audit21.duckdb"), read_only=True) as catalog:
        listed = catalog.execute("SELECT schema_name || '.' || table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        found = {name: frame(catalog, f"FROM {name}") for (name,) in listed if name != "made.days"}
        views = catalog.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        found |= {name: frame(catalog, f"SELECT count(*) AS rows FROM {name}") for (name,) in views}
    return {name: rows.drop(OF_THE_RUN, strict=False) for name, rows in found.items()}


def frame(catalog: duckdb.DuckDBPyConnection, query: str) -> pl.DataFrame:
    """Return the result of a query."""
    return pl.DataFrame(catalog.sql(query).to_arrow_table())


def _frames(name: str, found: pl.DataFrame, wanted: pl.DataFrame) -> Iterator[str]:
    if not found.equals(wanted):
        rows, others = (list(map(str, each.iter_rows(named=True))) for each in (found, wanted))
        yield f"{name}: {len(rows)} rows, expected {len(others)}; {_first(rows, others)}"


def _first(found: Iterable[str], wanted: Iterable[str]) -> str:
    """Return the first item that is only found, and the first that is only wanted, with their counts."""
    here, there = list(found), list(wanted)
    extra, missing = ([each for each in some if each not in others] for some, others in ((here, there), (there, here)))
    told = [f"{len(some)} {what}: {some[0]:.600}" for what, some in (("more", extra), ("missing", missing)) if some]
    return "; ".join(told) or "the same in another order"
