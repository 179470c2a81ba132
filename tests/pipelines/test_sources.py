"""A table of which only some sources come is audited as far as they go."""

from itertools import combinations
from pathlib import Path

import pytest

from pipelines.custody.landing import LINE_SOURCES
from tests.pipelines.lakes import audited
from tests.pipelines.zones import made

SOME = [kept for size in (1, 2) for kept in combinations(LINE_SOURCES, size)]


@pytest.fixture(scope="module")
def zone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("sources") / "zone", tables=len(SOME) + 1, rounds=3, camera=True)


def test_a_table_with_some_sources_only_is_audited_and_says_what_is_missing(
    zone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "key.pem"))
    *tables, whole = sorted(path for path in zone.glob("2026-*/*") if path.is_dir())
    for table, kept in zip(tables, SOME, strict=True):
        for source in set(LINE_SOURCES) - set(kept):
            (table / f"{source}.ndjson").unlink()
    lake = audited(zone, tmp_path / "lake")
    missing = lake.read("findings").filter(code="evidence.source-missing").select("table", "message").rows()
    expected = [
        (table.name, f"No lines received from the {source} all day")
        for table, kept in zip(tables, SOME, strict=True)
        for source in ("terminal", "shoe")
        if source not in kept
    ]
    assert sorted(missing) == sorted(expected)
    heard = {*lake.read("events")["table"], *lake.read("sightings")["table"]}
    assert heard == {path.name for path in (*tables, whole)}
