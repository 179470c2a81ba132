"""Build and publication of a catalog: views, increments, readers, kills."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from tests.warehouse.catalog import rows
from tests.warehouse.catalog.rows import DAY, NEXT, Parts, a_round, ask, file, finding, marts_of, wager
from warehouse import catalog
from warehouse.catalog import contents, marts
from warehouse.lake import Lake, SnapshotMeta
from warehouse.schemas import DATASETS, SNAPSHOTS

ROOT = Path(__file__).parents[3]


def day_of(lake: Path, day: date, rounds: int = 2, cents: int = 100) -> Parts:
    """The parts of a gaming day with so many rounds."""
    played = [a_round("P1", str(n), n, n + 0.5, day, handle_cents=cents) for n in range(rounds)]
    played += [a_round("M1", "1", 0, 1, day, handle_cents=7, currency="SGD", dealer=None)]
    return rows.store(
        lake,
        {
            "rounds": played,
            "settlements": [wager(row["round_id"]) for row in played],
            "findings": [finding("P1", "wager.late", "low", day)],
            "files": [file("P1", "terminal", day, lines=3, accepted=3, repeated=0, quarantined=0)],
        },
    )


def together(*parts: Parts) -> Parts:
    return {name: [path for one in parts for path in one.get(name, ())] for name in DATASETS}


def test_views_show_the_rows_of_the_datasets_in_the_documented_order(tmp_path: Path) -> None:
    files = together(day_of(tmp_path, DAY), day_of(tmp_path, NEXT, 3))
    path = catalog.build(tmp_path, files, 1, None)
    with duckdb.connect(str(path), read_only=True) as con:
        shown = con.sql("FROM rounds ORDER BY gaming_day, round_id").pl()
    assert shown.columns == list(DATASETS["rounds"].types)
    assert shown["gaming_day"].to_list() == [DAY] * 3 + [NEXT] * 4
    stored = pl.concat([pl.read_parquet(part) for part in files["rounds"]], how="vertical").sort("round_id")
    assert shown.drop("gaming_day").sort("round_id").equals(stored.cast(shown.drop("gaming_day").schema))


def test_empty_datasets_are_views_with_the_right_columns_and_types(tmp_path: Path) -> None:
    empty = catalog.build(tmp_path / "empty", {}, 0, None)
    one = [rows.finding("P1", "wager.late", "low")]
    full = catalog.build(tmp_path / "full", rows.store(tmp_path / "full", {"findings": one}), 1, None)
    described = "SELECT column_name, column_type FROM (DESCRIBE findings)"
    assert ask(empty, described) == ask(full, described)
    assert [name for name, _ in ask(empty, described)] == list(DATASETS["findings"].types)
    with duckdb.connect(str(empty), read_only=True) as con:
        for name in (*DATASETS, "snapshots", *marts.NAMES):
            assert con.sql(f"SELECT count(*) FROM {name}").fetchall() == [(0,)], name
        assert con.sql("FROM snapshot").fetchall() == [(0, None, 0, None, None)]


def commit(lake: Lake, day: date, rounds: int, published: float) -> int:
    """Publishes a gaming day with so many rounds."""
    with lake.lock():
        stage = lake.stage(day)
        played = [a_round("P1", str(n), n, n + 0.5, day) for n in range(rounds)]
        stage.write("rounds", pl.DataFrame(played, schema=DATASETS["rounds"].types))
        texts: dict[str, Any] = dict.fromkeys(
            ("run_id", "reason", "inputs", "carry_in", "carry_out", "engine_version"), str(rounds)
        )
        return lake.commit(stage.close(), SnapshotMeta(published=rows.at(published), **texts))


def test_it_shows_a_snapshot_of_a_lake(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    for day, rounds, published in ((DAY, 2, 1), (NEXT, 3, 2), (DAY, 5, 3)):
        commit(lake, day, rounds, published)
    counts = "SELECT gaming_day, count(*), (SELECT rounds FROM day_summary AS d WHERE d.gaming_day = r.gaming_day)"
    for number, shown in ((2, [(DAY, 2, 2), (NEXT, 3, 3)]), (3, [(DAY, 5, 5), (NEXT, 3, 3)])):
        snapshot = lake.snapshot(number)
        files = {name: [Path(path) for path in lake.files(name, snapshot)] for name in DATASETS}
        path = catalog.build(tmp_path, files, number, [DAY])
        assert ask(path, f"{counts} FROM rounds AS r GROUP BY ALL ORDER BY ALL") == shown
        published = int(rows.at(number).timestamp() * 1000)
        stated = "SELECT snapshot, epoch_ms(published), gaming_days, first_day, last_day FROM snapshot"
        assert ask(path, stated) == [(number, published, 2, DAY, NEXT)]
        assert ask(path, "SELECT list(snapshot) FROM snapshots") == [(list(range(1, number + 1)),)]


def test_every_view_table_and_column_is_documented(tmp_path: Path) -> None:
    path = catalog.build(tmp_path, day_of(tmp_path, DAY), 1, None)
    views = ask(path, "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal")
    tables = ask(path, "SELECT table_name, comment FROM duckdb_tables() WHERE schema_name = 'main'")
    assert {name for name, _ in views} == set(DATASETS)
    assert {name for name, _ in tables} == {*marts.NAMES, "snapshot", "snapshots", "columns"}
    assert all(comment for _, comment in views + tables)
    shown = ask(path, "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE schema_name = 'main'")
    listed = ask(path, 'SELECT dataset, "column", description FROM columns')
    assert sorted(row for row in shown if row[0] in {name for name, _ in views + tables}) == sorted(listed)
    assert all(description for *_, description in listed)
    assert ("rounds", "dealer", DATASETS["rounds"].descriptions["dealer"]) in listed
    assert ("snapshots", "published", SNAPSHOTS.descriptions["published"]) in listed


def test_no_meaning_is_left_over() -> None:
    meanings = marts.meanings()
    with duckdb.connect() as con:
        contents.work(con, {})
        columns = {mart: {row[0] for row in con.sql(f"DESCRIBE {mart}").fetchall()} for mart in marts.NAMES}
    assert {name for name, said in meanings.items() if isinstance(said, str)} == set().union(*columns.values())
    own = {name: set(said) for name, said in meanings.items() if isinstance(said, dict)}
    assert all(names <= columns[mart] for mart, names in own.items() if mart in columns)
    assert own.keys() <= {*columns, "columns", "snapshot"}


def test_an_increment_equals_a_whole_build(tmp_path: Path) -> None:
    lake, whole = tmp_path / "lake", tmp_path / "whole"
    days = {DAY + timedelta(n): day_of(lake, DAY + timedelta(n), n + 1) for n in range(5)}
    catalog.build(lake, together(*days.values()), 1, None)
    days[DAY + timedelta(2)] = day_of(lake, DAY + timedelta(2), 4, cents=999)
    del days[DAY + timedelta(3)]
    days[DAY + timedelta(9)] = day_of(lake, DAY + timedelta(9), 1)
    files = together(*(days[day] for day in sorted(days)))
    part = catalog.build(lake, files, 2, [DAY + timedelta(2), DAY + timedelta(9)])
    assert marts_of(part) == marts_of(catalog.build(whole, files, 2, None))
    assert ask(part, "SELECT sum(rounds) FROM day_summary WHERE gaming_day = DATE '2026-01-08'") == [(None,)]


def test_a_day_that_changed_unannounced_is_made_anew(tmp_path: Path) -> None:
    catalog.build(tmp_path, together(day_of(tmp_path, DAY), day_of(tmp_path, NEXT)), 1, None)
    files = together(day_of(tmp_path, DAY, 6), day_of(tmp_path, NEXT))
    path = catalog.build(tmp_path, files, 3, [NEXT])
    assert ask(path, "SELECT rounds FROM day_summary WHERE currency = 'USD'") == [(6,), (2,)]


def test_unchanged_days_are_copied_but_never_from_a_catalog_that_someone_changed(tmp_path: Path) -> None:
    files = day_of(tmp_path, DAY)
    path = catalog.build(tmp_path, files, 1, None)
    right = marts_of(path)["day_summary"]
    for part in files["rounds"]:  # only a copy of the rows can still have them
        part.write_bytes(day_of(tmp_path / "other", DAY, 5)["rounds"][0].read_bytes())
    assert marts_of(catalog.build(tmp_path, files, 2, []))["day_summary"] == right
    with duckdb.connect(str(path)) as con:
        con.execute("UPDATE day_summary SET rounds = 77")
        con.execute("CHECKPOINT")
    assert ask(catalog.build(tmp_path, files, 3, []), "SELECT rounds FROM day_summary") == [(1,), (5,)]


@pytest.mark.parametrize("damaged", [b"", b"\xe3" * 64])
def test_a_damaged_seal_costs_a_whole_build_only(tmp_path: Path, damaged: bytes) -> None:
    files = day_of(tmp_path, DAY)
    right = marts_of(catalog.build(tmp_path, files, 1, None))["day_summary"]
    (tmp_path / f".{catalog.NAME}.sha256").write_bytes(damaged)
    assert marts_of(catalog.build(tmp_path, files, 2, []))["day_summary"] == right


def test_what_a_killed_client_wrote_is_not_applied_to_the_new_catalog(tmp_path: Path) -> None:
    files = day_of(tmp_path, DAY)
    path = catalog.build(tmp_path, files, 1, None)
    script = "import duckdb, os, sys; con = duckdb.connect(sys.argv[1]); con.execute(sys.argv[2]); os._exit(0)"
    subprocess.run([sys.executable, "-c", script, path, "UPDATE day_summary SET rounds = 77"], check=True)
    assert path.with_name("audit21.duckdb.wal").exists()
    assert ask(catalog.build(tmp_path, files, 2, []), "SELECT rounds FROM day_summary") == [(1,), (2,)]


def test_small_batches_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = together(*(day_of(tmp_path, DAY + timedelta(n), n + 1) for n in range(4)))
    at_once = marts_of(catalog.build(tmp_path, files, 1, None))
    monkeypatch.setattr(contents, "BATCH_BYTES", 1)
    assert marts_of(catalog.build(tmp_path, files, 1, None)) == at_once


def test_a_reader_goes_on_undisturbed(tmp_path: Path) -> None:
    path = catalog.build(tmp_path, day_of(tmp_path, DAY), 1, None)
    query = (
        "SELECT (SELECT snapshot FROM snapshot), (SELECT sum(rounds) FROM day_summary), (SELECT count(*) FROM rounds)"
    )
    with duckdb.connect(str(path), read_only=True) as reader:
        before = reader.sql(query).fetchall()
        catalog.build(tmp_path, together(day_of(tmp_path, DAY), day_of(tmp_path, NEXT)), 2, [NEXT])
        assert reader.sql(query).fetchall() == before == [(1, 3, 3)]
    assert ask(path, query) == [(2, 6, 6)]


def test_a_client_that_has_it_open_for_writing_does_not_hinder(tmp_path: Path) -> None:
    path = catalog.build(tmp_path, day_of(tmp_path, DAY), 1, None)
    script = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as client:
        assert client.stdout and client.stdout.readline()
        catalog.build(tmp_path, together(day_of(tmp_path, DAY), day_of(tmp_path, NEXT)), 2, [NEXT])
        assert ask(path, "SELECT snapshot FROM snapshot") == [(2,)]
        client.communicate()


def test_it_opens_from_any_folder_and_after_a_move_is_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lake = Path("it's a lake")
    files = {name: [path.resolve() for path in paths] for name, paths in day_of(lake, DAY).items()}
    path = catalog.build(lake, files, 1, None)
    monkeypatch.chdir("/")
    assert ask(path, "SELECT count(*) FROM rounds") == [(3,)]
    moved = tmp_path / "moved"
    shutil.move(tmp_path / lake, moved)
    files = {name: [moved / path.relative_to(tmp_path / lake) for path in paths] for name, paths in files.items()}
    assert ask(catalog.build(moved, files, 1, []), "SELECT count(*) FROM rounds") == [(3,)]


def test_clients_from_duckdb_1_0_on_can_open_it(tmp_path: Path) -> None:
    path = catalog.build(tmp_path, day_of(tmp_path, DAY), 1, None)
    with path.open("rb") as opened:
        opened.seek(12)  # after a checksum and the magic bytes stands the number of the format
        assert int.from_bytes(opened.read(8), "little") == 64


def test_what_cannot_be_built_leaves_the_old_one(tmp_path: Path) -> None:
    path = catalog.build(tmp_path, day_of(tmp_path, DAY), 1, None)
    files = together(day_of(tmp_path, DAY), day_of(tmp_path, NEXT))
    files["rounds"][-1].write_bytes(b"PAR1 no more")
    with pytest.raises(catalog.CatalogError, match=r"audit21\.duckdb: could not be made anew, the one before stays"):
        catalog.build(tmp_path, files, 2, None)
    assert ask(path, "SELECT snapshot FROM snapshot") == [(1,)]
    assert {entry.name for entry in tmp_path.iterdir() if entry.is_file()} == {path.name, f".{path.name}.sha256"}
    assert not list(tmp_path.glob(".*making"))


BUILD = """
import sys
from itertools import count
from pathlib import Path
from warehouse import catalog
from warehouse.schemas import DATASETS
lake = Path(sys.argv[1])
files = {name: sorted(lake.glob(f"{name}/*/*.parquet")) for name in DATASETS}
print(flush=True)
for snapshot in count(2):
    catalog.build(lake, files, snapshot, [])
"""


def test_killed_at_any_moment_a_whole_catalog_is_there(tmp_path: Path) -> None:
    files = together(day_of(tmp_path, DAY), day_of(tmp_path, NEXT))
    path = catalog.build(tmp_path, files, 1, None)
    expected = {name: found for name, found in marts_of(path).items() if name != "snapshot"}
    chance = random.Random(5)
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", BUILD, tmp_path], cwd=ROOT, stdout=subprocess.PIPE) as builder:
            assert builder.stdout and builder.stdout.readline()
            time.sleep(chance.uniform(0, 1.2))
            os.kill(builder.pid, signal.SIGKILL)
        assert {name: found for name, found in marts_of(path).items() if name != "snapshot"} == expected
    catalog.build(tmp_path, files, 9, [])
    assert not list(tmp_path.glob(".*making"))
