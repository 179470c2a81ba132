"""Location of the history of runs, and that it survives kills."""

import os
import socket
import sqlite3
import subprocess
from pathlib import Path

import dagster as dg
import pytest

from pipelines.defs.instance import HOME, HOST_TAG, PROCESS_TAG, open_instance
from pipelines.defs.storage import EventLog, Runs
from warehouse.folders import DAGSTER


@dg.asset
def something() -> None:
    """A stand-in for a step."""


def test_the_lake_keeps_it(lake: Path) -> None:
    with open_instance(lake) as instance:
        assert isinstance(instance.run_storage, Runs) and isinstance(instance.event_log_storage, EventLog)
        assert not instance.telemetry_enabled
        run = dg.materialize([something], instance=instance).run_id
    with dg.DagsterInstance.from_config(str(lake / DAGSTER)) as plain:  # as the web page opens it
        found = plain.get_run_by_id(run)
        assert found is not None and found.is_success
        assert plain.fetch_materializations(dg.AssetKey("something"), limit=1).records[0].run_id == run
        assert plain.get_concurrency_config().run_queue_config is not None


def test_the_environment_may_name_another_home(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv(HOME, str(home))
    with open_instance(lake):
        pass
    assert (home / "dagster.yaml").is_file()
    assert not (lake / DAGSTER).exists()


def test_other_storage_is_left_alone(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    settings = f"storage:\n  sqlite:\n    base_dir: {tmp_path / 'elsewhere'}\n"
    (home / "dagster.yaml").write_text(settings, encoding="utf-8")
    monkeypatch.setenv(HOME, str(home))
    with open_instance(lake) as instance:
        assert not isinstance(instance.event_log_storage, EventLog)
    assert (home / "dagster.yaml").read_text(encoding="utf-8") == settings


def test_a_half_made_home_is_made_anew(lake: Path) -> None:
    unfinished = lake / f"{DAGSTER}.new" / "history" / "runs"
    unfinished.mkdir(parents=True)
    sqlite3.connect(unfinished / "index.db").close()
    with open_instance(lake) as instance:
        assert dg.materialize([something], instance=instance).success
    assert not (lake / f"{DAGSTER}.new").exists()


def test_runs_of_processes_that_are_no_more_have_failed(lake: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    alive = os.getppid()
    with open_instance(lake) as instance:
        runs = {
            process: instance.create_run_for_job(
                dg.Definitions([something]).resolve_implicit_global_asset_job_def(),
                status=dg.DagsterRunStatus.STARTED,
                tags={HOST_TAG: socket.gethostname(), PROCESS_TAG: str(process)},
            ).run_id
            for process in (gone.pid, alive)
        }
    with open_instance(lake) as instance:
        status = {process: instance.get_run_by_id(run).status for process, run in runs.items()}  # type: ignore[union-attr]
    assert status == {gone.pid: dg.DagsterRunStatus.FAILURE, alive: dg.DagsterRunStatus.STARTED}
