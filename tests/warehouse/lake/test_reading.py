"""Readers see one snapshot, whatever is committed meanwhile, with any tool."""

from datetime import timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest

from tests.warehouse.lake.days import MONDAY, NOON, TUESDAY, cards, carry, meta, stage
from warehouse.lake import Lake, LakeError
from warehouse.schemas import DATASETS


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Three publications: Monday, Tuesday, and Monday anew."""
    lake = Lake.create(tmp_path / "lake")
    first = stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", 1), ("B", "m", 2), ("B", "n", 2))))
    lake.commit(first, meta("a", hours=1))
    second = stage(
        lake,
        TUESDAY,
        ("carry", carry(TUESDAY, ("A", "m", 3))),
        ("cards", pl.concat([cards(TUESDAY, "A", "7S", "AD"), cards(TUESDAY, "C", "KS")])),
    )
    lake.commit(second, meta("b", hours=2))
    third = stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", 1), ("B", "m", 5), ("C", "m", 6))))
    lake.commit(third, meta("c", hours=3))
    return lake


def test_an_empty_lake_reads_as_empty(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    assert lake.snapshot().number == 0
    assert lake.day_state(MONDAY) is None
    assert lake.files("events", lake.snapshot()) == []
    assert lake.read("events").schema == DATASETS["events"].types
    with pytest.raises(LakeError, match="no snapshot 1: expected none, nothing was published yet"):
        lake.snapshot(1)


def test_the_path_of_a_lake_may_be_odd(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path / "of ä [1]" / "lake")
    lake.commit(stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", 1)))), meta())
    assert lake.read("carry")["a"].to_list() == [1]


@pytest.mark.parametrize("name", ["table=A", "my%20lake"])
def test_a_path_that_other_readers_take_for_another_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LakeError, match=f"{name}: expected a path without = and %"):
        Lake.create(tmp_path / name)


def test_a_snapshot_is_found_by_number_and_by_time(lake: Lake) -> None:
    assert lake.snapshot().number == lake.snapshot(3).number == 3
    assert lake.read("carry", lake.snapshot(1))["a"].to_list() == [1, 2, 2]
    assert lake.read("carry", lake.snapshot(2))["a"].to_list() == [1, 2, 2, 3]
    assert lake.snapshot(as_of=NOON + timedelta(hours=2)).number == 2
    assert lake.snapshot(as_of=NOON + timedelta(hours=2, minutes=59)).number == 2
    assert lake.snapshot(2).days[MONDAY].snapshot == 1
    assert {day: state.snapshot for day, state in lake.snapshot().days.items()} == {MONDAY: 3, TUESDAY: 2}


@pytest.mark.parametrize("number", [0, 4, -1])
def test_a_snapshot_that_is_not_there_is_told(lake: Lake, number: int) -> None:
    with pytest.raises(LakeError, match=rf"no snapshot {number}: expected 1 \(2026-01-07 13:00:00Z\) to 3"):
        lake.snapshot(number)


def test_nothing_was_published_before_the_first_snapshot(lake: Lake) -> None:
    with pytest.raises(LakeError, match="has no snapshot 2026-01-07 12:00:00"):
        lake.snapshot(as_of=NOON)


def test_a_reader_keeps_its_snapshot_while_the_writer_commits(lake: Lake) -> None:
    pinned = lake.snapshot()
    scan = lake.scan("carry", pinned)
    before = lake.read("carry", pinned)
    lake.commit(stage(lake, MONDAY), meta("d", hours=4))
    lake.sweep()
    assert scan.collect().equals(before)
    assert lake.read("carry", pinned).equals(before)
    assert len(lake.read("carry")) == 1


def test_a_scan_takes_days_and_tables(lake: Lake) -> None:
    assert lake.scan("carry", days=[TUESDAY]).collect()["a"].to_list() == [3]
    assert lake.scan("carry", tables=["B", "C"]).collect()["a"].to_list() == [5, 6]
    assert lake.scan("carry", tables=["Z"]).collect().is_empty()
    assert lake.scan("cards", days=[MONDAY]).collect().schema == DATASETS["cards"].types


def test_other_tools_read_the_same_rows(lake: Lake) -> None:
    rows = lake.read("cards")
    delta = pl.read_delta(str(lake.path / "cards")).cast({pl.Datetime: pl.Datetime("ms", "UTC")})
    assert delta.select(rows.columns).sort(DATASETS["cards"].sort).equals(rows)
    files = lake.files("cards", lake.snapshot())
    with duckdb.connect() as connection:
        query = "SELECT * FROM read_parquet($files, hive_partitioning = true)"
        found = pl.DataFrame(connection.sql(query, params={"files": files}).to_arrow_table())
    assert found["gaming_day"].to_list() == rows["gaming_day"].to_list()
    assert found["ts"].dt.epoch("ms").equals(rows["ts"].dt.epoch("ms"))
    assert found.select("table", "shoe", "n", "card", "zone").equals(rows.select("table", "shoe", "n", "card", "zone"))


def test_a_file_that_does_not_keep_to_the_schema_is_not_read(lake: Lake) -> None:
    file = lake.files("carry", lake.snapshot(), [TUESDAY])[0]
    pl.read_parquet(file, hive_partitioning=False).with_columns(kind=pl.lit("moon")).write_parquet(file)
    with pytest.raises(ValueError, match=r"carry\.kind: found 'moon'"):
        lake.read("carry")
    pl.read_parquet(file, hive_partitioning=False).with_columns(a=pl.lit("x")).write_parquet(file)
    with pytest.raises(LakeError, match="expected columns"):
        lake.scan("carry", days=[TUESDAY])


def test_the_difference_of_two_snapshots_is_told_row_for_row(lake: Lake) -> None:
    diff = lake.diff("carry", lake.snapshot(1), lake.snapshot(3), MONDAY)
    assert diff.removed.select("table", "key", "a").rows() == [("B", "m", 2), ("B", "n", 2)]
    assert diff.added.select("table", "key", "a").rows() == [("B", "m", 5), ("C", "m", 6)]
    same = lake.diff("carry", lake.snapshot(2), lake.snapshot(3), TUESDAY)
    assert same.added.is_empty() and same.removed.is_empty()


def test_rows_that_repeat_are_told_as_often_as_they_came(lake: Lake) -> None:
    before = lake.snapshot()
    again = pl.concat([cards(TUESDAY, "A", "7S", "AD"), cards(TUESDAY, "A", "7S"), cards(TUESDAY, "C", "KS")])
    lake.commit(stage(lake, TUESDAY, ("cards", again)), meta("d", hours=4))
    diff = lake.diff("cards", before, lake.snapshot(), TUESDAY)
    assert diff.added["card"].to_list() == ["7S"]
    assert diff.removed.is_empty()
