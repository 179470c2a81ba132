"""The definitions load with and without their environment, and say what they are."""

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from pipelines.defs import assets, resources
from pipelines.defs.definitions import definitions


@pytest.fixture
def loaded(places: resources.Places) -> dg.Definitions:
    return definitions()


def test_they_load(loaded: dg.Definitions) -> None:
    dg.Definitions.validate_loadable(loaded)


def test_without_an_environment_they_load_and_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(resources.LANDING, raising=False)
    monkeypatch.setenv(resources.LAKE, "/a/lake")
    dg.Definitions.validate_loadable(definitions())
    assert "AUDIT21_LANDING not set" in str(assets.landing_zone().description)


def test_the_landing_zone_says_where_it_is(places: resources.Places) -> None:
    assert str(places.landing) in str(assets.landing_zone().description)


def test_assets_are_the_steps_in_their_order(loaded: dg.Definitions) -> None:
    graph = loaded.resolve_asset_graph()
    steps = ["landing_zone", "landing_files", "watched_footage", "audited_day", "snapshot", "catalog"]
    assert [key.to_user_string() for key in graph.toposorted_asset_keys] == steps
    assert all(graph.get(dg.AssetKey(name)).partitions_def == assets.DAYS for name in steps[1:-1])
    assert all(graph.get(dg.AssetKey(name)).description for name in steps)


@pytest.mark.parametrize(("job", "has_catalog"), [("nightly", True), ("gaming_day", False)])
def test_jobs_have_the_blocking_checks_but_not_freshness(loaded: dg.Definitions, job: str, has_catalog: bool) -> None:
    layer = loaded.resolve_job_def(job).asset_layer
    assert (dg.AssetKey("catalog") in layer.selected_asset_keys) == has_catalog
    checks = {key.name for key in layer.asset_graph.asset_check_keys}
    assert checks == {"conservation", "every_table", "coverage", "schema"}


def test_the_night_goes_by_the_property(loaded: dg.Definitions, places: resources.Places) -> None:
    (places.landing / "floor.toml").write_text(
        '[property]\ntimezone = "Asia/Singapore"\ngaming_day_starts = "05:30"\n', encoding="utf-8"
    )
    nightly = definitions().resolve_schedule_def("nightly_schedule")
    assert (nightly.cron_schedule, nightly.execution_timezone) == ("30 7 * * *", "Asia/Singapore")


def test_the_command_line_starts_without_dagster() -> None:
    code = "import sys, pipelines.cli; sys.exit('dagster' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])
