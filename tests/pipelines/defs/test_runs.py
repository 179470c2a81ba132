"""Days run in process, on a Dagster instance and a lake of their own."""

import fcntl
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from pipelines.day.audit_run import AuditRun
from pipelines.defs import checks
from pipelines.defs.house import GamingDayClock
from pipelines.defs.runs import Outcome, run_catalog, run_day
from pipelines.publish.tally import Audited, PublishedDay
from tests.pipelines.defs.conftest import FIRST, SECOND
from warehouse.lake import LakeBusy
from warehouse.schemas import DATASETS


class Losing(AuditRun):
    """A run that counts one line more than it accounts for."""

    def audit(self, day: date, reason: str | None = None) -> Audited:
        audited = super().audit(day, reason)
        return replace(audited, lines=audited.lines + 1)


class Busy(AuditRun):
    """A run whose first publication finds the lake held, as by a process on another machine."""

    attempts = 0

    def publish(self, day: date) -> PublishedDay:
        self.attempts += 1
        if self.attempts == 1:
            raise LakeBusy("held")
        return super().publish(day)


def metadata_of(outcome: Outcome, asset: str) -> dict[str, object]:
    found = [each for each in outcome.result.get_asset_materialization_events() if each.asset_key == dg.AssetKey(asset)]
    return {name: value.value for name, value in found[0].materialization.metadata.items()}


def test_a_day_and_the_catalog(instance: dg.DagsterInstance, works: AuditRun, lake: Path) -> None:
    outcome = run_day(instance, works, FIRST, "first")
    assert (outcome.success, outcome.error, outcome.failed_checks) == (True, None, [])
    audited = metadata_of(outcome, "audited_day")
    assert audited["rounds"] == 8 and audited["lines"] == audited["accepted"]
    assert [name for name in audited if name.startswith("money, ")]
    assert "| `" in str(audited["top findings"])
    for name in set(DATASETS) - {"restatements"}:
        assert f"| `{name}` | {len(works.lake.read(name)):,} |" in str(audited["datasets"])
    published = metadata_of(outcome, "snapshot")
    assert published["snapshot"] == 1
    assert Path(str(published["checkpoint"])).is_file()
    run = instance.get_run_by_id(outcome.result.run_id)
    assert run is not None and run.tags["audit21/reason"] == "first" and run.tags["audit21/gaming_day"] == str(FIRST)
    state = works.lake.day_state(FIRST)
    assert state is not None and state.run_id == run.run_id

    assert run_catalog(instance, works).success
    assert (lake / "audit21.duckdb").is_file()


def test_a_lost_line_blocks_the_snapshot(instance: dg.DagsterInstance, zone: Path, lake: Path) -> None:
    works = Losing(zone, lake)
    outcome = run_day(instance, works, FIRST, "first")
    assert not outcome.success
    assert outcome.error == "conservation: 1 lines unaccounted for"
    assert [(check.name, check.blocking) for check in outcome.failed_checks] == [("conservation", True)]
    assert works.lake.snapshot().number == 0
    assert instance.fetch_materializations(dg.AssetKey("snapshot"), limit=1).records == []


def test_rows_that_do_not_keep_to_their_schema_are_named(instance: dg.DagsterInstance, works: AuditRun) -> None:
    assert run_day(instance, works, FIRST, "first").success
    assert checks.SCHEMA.blocking and checks.schema(works, FIRST).passed
    [part] = works.lake.files("rounds", works.lake.snapshot(), [FIRST])
    pl.read_parquet(part, hive_partitioning=False).with_columns(verdict=pl.lit("fine")).write_parquet(part)
    found = checks.schema(works, FIRST)
    assert not found.passed
    assert "rounds.verdict: found 'fine'" in str(found.description)


def test_a_fault_is_told_in_one_line(instance: dg.DagsterInstance, works: AuditRun, zone: Path) -> None:
    (zone / "floor.toml").unlink()
    outcome = run_day(instance, works, FIRST, "first")
    assert not outcome.success
    assert outcome.error is not None and "\n" not in outcome.error and "floor.toml" in outcome.error


def test_a_busy_lake_is_tried_again(instance: dg.DagsterInstance, zone: Path, lake: Path) -> None:
    works = Busy(zone, lake)
    assert run_day(instance, works, FIRST, "first").success
    assert works.attempts == 2


def test_another_process_holds_the_lake(instance: dg.DagsterInstance, works: AuditRun, lake: Path) -> None:
    with (lake / ".lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(LakeBusy):
            run_day(instance, works, FIRST, "first")


def verdicts(works: AuditRun) -> dict[str, pl.DataFrame]:
    """All rows but those that tell in which order files came into custody."""
    return {name: works.lake.read(name) for name in DATASETS if name != "files"}


def test_days_in_any_order_end_alike(instance: dg.DagsterInstance, works: AuditRun, zone: Path, tmp_path: Path) -> None:
    for day in (FIRST, SECOND):
        assert run_day(instance, works, day, "first").success
    other = AuditRun(zone, tmp_path / "other")
    for day in (SECOND, FIRST):
        assert run_day(instance, other, day, "first").success
    assert (works.lake.snapshot().number, other.lake.snapshot().number) == (2, 3)  # the second day followed the first
    assert [other.reason(day) for day in other.days()] == [None, None]
    for name, rows in verdicts(other).items():
        assert rows.equals(verdicts(works)[name]), name


def test_freshness(instance: dg.DagsterInstance, works: AuditRun, zone: Path) -> None:
    def found(day: int) -> dg.AssetCheckResult:
        return checks.freshness(
            AuditRun(works.landing, works.lake.path), GamingDayClock(), datetime(2026, 1, day, 8, tzinfo=UTC)
        )

    assert run_day(instance, works, FIRST, "first").success
    assert found(6).passed
    assert not found(7).passed and "2026-01-06: first" in str(found(7).description)
    assert not found(8).passed and "no files" in str(found(8).description)
    (zone / "2026-01-05" / "late").mkdir()
    (zone / "2026-01-05" / "late" / "shoe.ndjson").write_text("", encoding="utf-8")
    assert not found(6).passed and "new files" in str(found(6).description)
