"""Pinned snapshots: what is read, from which files, and that nothing waits."""

import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest

from dashboards.lake.reader import MOST_OPEN, LakeReader
from dashboards.live import hidden_shoes
from dashboards.settings import Settings
from tests.dashboards.floor import FIRST, IN_PLAY, LATE, SECOND, Floor
from tests.pipelines.tampering import forge_catalog
from warehouse import catalog
from warehouse.lake import Lake, LakeError
from warehouse.lake.publications import log_of
from warehouse.schemas import DATASETS


def test_every_dataset_of_a_day_and_of_all_days(floor: Floor) -> None:
    lake, pinned = Lake.open(floor.lake), LakeReader(floor.lake).pin()
    for name in DATASETS:
        for day in (FIRST, SECOND):
            rows = pinned.day(day).row(f"SELECT count(*) AS count FROM {name}")
            assert rows == {"count": lake.read(name, days=[day]).height}, name
        assert pinned.every_day().row(f"SELECT count(*) AS count FROM {name}") == {"count": lake.read(name).height}


def test_an_older_snapshot_stays_as_it_was(floor: Floor) -> None:
    reader = LakeReader(floor.lake)
    query = 'SELECT DISTINCT "table" FROM rounds'
    tables = [{row["table"] for row in reader.pin(number).day(SECOND).rows(query)} for number in (2, 3)]
    assert tables[1] - tables[0] == {LATE}
    assert reader.pin(1).days == [FIRST]
    with pytest.raises(LakeError, match="no snapshot 99"):
        reader.pin(99)


@pytest.mark.parametrize("has_catalog", [True, False])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_marts_are_those_of_the_snapshot(floor: Floor, tmp_path: Path, number: int, has_catalog: bool) -> None:
    """Check marts from the catalog, from files, and with some days from each."""
    folder = shutil.copytree(floor.lake, tmp_path / "lake")
    if not has_catalog:
        (folder / catalog.NAME).unlink()
    pinned = LakeReader(folder).pin(number)
    found = pinned.marts().rows('SELECT gaming_day, "table", rounds, findings FROM table_day ORDER BY ALL')
    expected = Lake.open(folder).read("rounds", pinned.snapshot).group_by("gaming_day", "table").len()
    counted = {(row["gaming_day"], row["table"]): row["rounds"] for row in found if row["rounds"]}
    assert counted == {(day, table): rounds for day, table, rounds in expected.rows()}


def test_a_catalog_of_rubbish_is_not_used(floor: Floor, tmp_path: Path) -> None:
    folder = shutil.copytree(floor.lake, tmp_path / "lake")
    (folder / catalog.NAME).write_bytes(b"no catalog")
    assert LakeReader(folder).pin().marts().row("SELECT sum(rounds) > 0 AS some FROM day_summary") == {"some": True}


def test_a_catalog_forged_with_its_seal_is_not_used(floor: Floor, tmp_path: Path) -> None:
    folder = shutil.copytree(floor.lake, tmp_path / "lake")
    assert catalog.is_recorded(folder, log_of(folder))
    forge_catalog(folder)
    assert LakeReader(folder).pin().marts().row("SELECT sum(rounds) > 0 AS some FROM day_summary") == {"some": True}


def test_who_reads_goes_on_while_others_are_opened(floor: Floor) -> None:
    reader = LakeReader(floor.lake)
    first = reader.pin(1)
    for _ in range(MOST_OPEN):
        reader._open.clear()
        reader.pin(2)
    assert first.day(FIRST).row("SELECT count(*) > 0 AS some FROM rounds") == {"some": True}
    with pytest.raises(duckdb.Error):
        first.day(FIRST).rows("SELECT nothing FROM rounds")
    assert first.day(FIRST).row("SELECT 1 AS one") == {"one": 1}


def test_live_shoes_are_hidden_unless_allowed(floor: Floor) -> None:
    pinned = LakeReader(floor.lake).pin()
    shoes = Lake.open(floor.lake).read("shoes", days=[SECOND])
    in_play = set(shoes.filter(pl.col("ended").is_null(), table=IN_PLAY)["shoe"])
    assert len(in_play) == 1
    shown, hidden = (Settings(floor.lake, "", show_live_shoes=allowed) for allowed in (True, False))
    assert hidden_shoes(pinned, SECOND, hidden) == in_play
    assert hidden_shoes(pinned, SECOND, shown) == frozenset()
    assert hidden_shoes(pinned, FIRST, hidden) == frozenset(), "the day is over"
