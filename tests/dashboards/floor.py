"""A small simulated floor, audited into a lake, for all tests of the web app."""

import shutil
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pipelines.day.audit_run import AuditRun
from tests.pipelines.lakes import audited, now
from tests.pipelines.zones import made

FIRST, SECOND = date(2026, 1, 5), date(2026, 1, 6)
LATE = "P21-03"  # the table whose files for the second day come late
IN_PLAY = "P21-01"  # the table whose last shoe of the second day has not ended yet


@dataclass(frozen=True)
class Floor:
    """A lake of two gaming days: snapshot 1 has the first, 2 the second without the late table, 3 all."""

    zone: Path
    lake: Path
    before: Path  # a copy of zone and lake as they were at snapshot 2


def audit(zone: Path, lake: Path) -> None:
    """Audit a landing zone as ``audit21 run`` does, without Dagster."""
    audited(zone, lake)
    AuditRun(zone, lake, now=now).catalog()


def build(folder: Path) -> Floor:
    """Simulate and audit the floor."""
    zone, lake, before = folder / "zone", folder / "lake", folder / "before"
    made(zone, tables=5, rounds=24, days=2, seed=7, irregularities=0.25, camera=True)
    _leave_in_play(zone / str(SECOND) / IN_PLAY / "shoe.ndjson")
    late = Path(shutil.move(zone / str(SECOND) / LATE, folder / "late"))
    audit(zone, lake)
    shutil.copytree(zone, before / "zone")
    shutil.copytree(lake, before / "lake")
    arrive(late, zone)
    audit(zone, lake)
    return Floor(zone, lake, before)


def _leave_in_play(log: Path) -> None:
    *lines, last = log.read_bytes().splitlines(keepends=True)
    assert b'"shoe_ended"' in last
    log.write_bytes(b"".join(lines))


def arrive(late: Path, zone: Path) -> None:
    """Late files come into the landing zone."""
    shutil.copytree(late, zone / str(SECOND) / LATE)
