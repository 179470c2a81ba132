"""The history of runs, in `$DAGSTER_HOME` or a folder of the lake."""

import os
import re
import shutil
import socket
from pathlib import Path
from typing import Any, Final

import dagster as dg

from warehouse import folders
from warehouse.lake import Lake

HOME: Final = "DAGSTER_HOME"
HOST_TAG: Final = "audit21/host"
PROCESS_TAG: Final = "audit21/process"
_SETTINGS: Final = "dagster.yaml"
# One day at a time: the runs of a backfill would only wait for each other.
_DEFAULTS: Final = """\
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  runs:
    max_concurrent_runs: 1
"""
_OTHER_STORAGE: Final = re.compile(r"^(run_|event_log_|schedule_)?storage:", re.MULTILINE)
_UNFINISHED: Final = [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED]


def open_instance(lake: Path) -> dg.DagsterInstance:
    """The instance for runs in this process; `dg dev` with the same home shows what they did."""
    home = Path(os.environ[HOME]) if os.environ.get(HOME) else lake / folders.DAGSTER
    if not (home / _SETTINGS).exists():
        _create(home, Lake.create(lake))
    instance = dg.DagsterInstance.local_temp(str(home), overrides=_quick(home))
    _end_abandoned(instance)
    return instance


def process_tags() -> dict[str, str]:
    """Tags that name the process of a run: if it is killed, the next one says so in the history."""
    return {HOST_TAG: socket.gethostname(), PROCESS_TAG: str(os.getpid())}


def _create(home: Path, lake: Lake) -> None:
    """Make the databases beside, then rename: one that a kill left half made would never open again."""
    if home.exists() and any(home.iterdir()):  # somebody else's, without settings
        (home / _SETTINGS).write_text(_DEFAULTS, encoding="utf-8")
        return
    unfinished = home.with_name(f"{home.name}.new")
    with lake.lock():
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        (unfinished / _SETTINGS).write_text(_DEFAULTS, encoding="utf-8")
        dg.DagsterInstance.local_temp(str(unfinished), overrides=_quick(unfinished)).dispose()
        unfinished.replace(home)


def _quick(home: Path) -> dict[str, Any]:
    """Settings for this process alone: what steps write stays on the terminal, and SQLite, where used, is kept open."""
    quick: dict[str, Any] = {
        "compute_logs": {
            "module": "dagster._core.storage.noop_compute_log_manager",
            "class": "NoOpComputeLogManager",
        }
    }
    if _OTHER_STORAGE.search((home / _SETTINGS).read_text(encoding="utf-8")):
        return quick
    for kind, module, name, folder in (
        ("run_storage", "pipelines.defs.storage", "Runs", "history"),
        ("event_log_storage", "pipelines.defs.storage", "EventLog", "history/runs"),
        ("schedule_storage", "dagster._core.storage.schedules", "SqliteScheduleStorage", "schedules"),
    ):
        quick[kind] = {"module": module, "class": name, "config": {"base_dir": str(home / folder)}}
    return quick


def _end_abandoned(instance: dg.DagsterInstance) -> None:
    """Runs of processes of this machine that are no more have failed."""
    here = dg.RunsFilter(statuses=_UNFINISHED, tags={HOST_TAG: socket.gethostname()})
    for run in instance.get_runs(here):
        process = int(run.tags.get(PROCESS_TAG, "0"))
        if process == os.getpid() or not _lives(process):
            instance.report_run_failed(run, f"process {process} was ended before the run was complete")


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True
