"""A small landing zone of two gaming days, its files settled, and a lake for each test."""

import os
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import dagster as dg
import pytest

from pipelines.day.audit_run import AuditRun
from pipelines.defs import resources
from pipelines.defs.instance import HOME
from pipelines.defs.runs import open_instance
from tests.pipelines.zones import made

FIRST, SECOND = date(2026, 1, 5), date(2026, 1, 6)


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("simulated") / "zone", tables=2, rounds=4, days=2, irregularities=0.5)


@pytest.fixture
def zone(simulated: Path, tmp_path: Path) -> Path:
    """A landing zone that a test may change; nothing in it changed of late."""
    copy = shutil.copytree(simulated, tmp_path / "zone")
    for path in copy.rglob("*"):
        age(path, 3600)
    return copy


def age(path: Path, seconds: float) -> None:
    """Make a file look as if it had changed so long ago."""
    then = path.stat().st_ctime - seconds
    os.utime(path, (then, then))


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(HOME, raising=False)
    return tmp_path / "lake"


@pytest.fixture
def places(zone: Path, lake: Path, monkeypatch: pytest.MonkeyPatch) -> resources.Places:
    """The folders, as the environment names them."""
    monkeypatch.setenv(resources.LANDING, str(zone))
    monkeypatch.setenv(resources.LAKE, str(lake))
    return resources.Places(zone, lake)


@pytest.fixture
def works(zone: Path, lake: Path) -> AuditRun:
    return AuditRun(zone, lake)


@pytest.fixture
def instance(lake: Path) -> Iterator[dg.DagsterInstance]:
    with open_instance(lake) as instance:
        yield instance
