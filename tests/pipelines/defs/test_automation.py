"""Ticks of the sensors and the schedule on a real landing zone."""

import json
from datetime import UTC, datetime

import dagster as dg
import pytest

from pipelines.defs import sensors
from pipelines.defs.assets import DAYS
from pipelines.defs.house import GamingDayClock
from pipelines.defs.resources import LANDING, Places
from pipelines.defs.runs import run_catalog, run_day
from pipelines.defs.schedules import nightly_schedule
from tests.pipelines.defs.conftest import FIRST, SECOND, age


def tick(instance: dg.DagsterInstance, cursor: str | None = None) -> dg.SensorResult:
    found = sensors.landing_sensor(dg.build_sensor_context(instance=instance, cursor=cursor))
    assert isinstance(found, dg.SensorResult)
    for request in found.dynamic_partitions_requests or ():
        instance.add_dynamic_partitions(request.partitions_def_name, request.partition_keys)
    return found


def days(found: dg.SensorResult) -> list[str | None]:
    return [request.partition_key for request in found.run_requests or ()]


def test_new_days_get_partitions_and_runs_once(instance: dg.DagsterInstance, places: Places) -> None:
    first = tick(instance)
    assert days(first) == ["2026-01-05", "2026-01-06"]
    assert instance.get_dynamic_partitions(str(DAYS.name)) == ["2026-01-05", "2026-01-06"]
    requests = first.run_requests or []
    assert requests[0].tags["audit21/reason"] == "first"
    assert requests[0].tags["audit21/gaming_day"] == "2026-01-05"
    assert requests[0].tags["audit21/landing"] == str(places.landing)
    assert len({request.run_key for request in requests}) == 2
    second = tick(instance, first.cursor)
    assert days(second) == [] and "nothing new in 2 gaming days" in str(second.skip_reason)
    assert [each.run_key for each in tick(instance).run_requests or ()] == [each.run_key for each in requests]


def test_a_late_file_asks_for_its_day_only(instance: dg.DagsterInstance, places: Places) -> None:
    for day in (FIRST, SECOND):
        assert run_day(instance, places.works(), day, "first").success
    before = tick(instance)
    assert days(before) == [] and before.dynamic_partitions_requests == []
    [table, *_] = sorted((places.landing / str(SECOND)).iterdir())
    late = table / "shoe-late.ndjson"
    late.write_text("what the shoe said late\n", encoding="utf-8")

    unsettled = tick(instance, before.cursor)
    assert days(unsettled) == [] and "2026-01-06" in str(unsettled.skip_reason)

    age(late, sensors.SETTLED_S + 1)
    after = tick(instance, unsettled.cursor)
    assert days(after) == ["2026-01-06"]
    assert (after.run_requests or [])[0].tags["audit21/reason"] == "new files"


def test_a_dotted_file_is_not_there_yet(instance: dg.DagsterInstance, places: Places) -> None:
    before = tick(instance)
    [table, *_] = sorted((places.landing / str(FIRST)).iterdir())
    unfinished = table / ".shoe-2.ndjson.part"
    unfinished.write_text("half a li", encoding="utf-8")
    age(unfinished, 3600)
    assert days(tick(instance, before.cursor)) == []
    unfinished.rename(table / "shoe-2.ndjson")
    assert days(tick(instance, before.cursor)) == ["2026-01-05"]


def test_many_days_come_in_portions(
    instance: dg.DagsterInstance, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sensors, "MOST_A_TICK", 1)
    first = tick(instance)
    second = tick(instance, first.cursor)
    assert (days(first), days(second)) == (["2026-01-05"], ["2026-01-06"])
    assert sorted(json.loads(second.cursor or "{}")) == ["2026-01-05", "2026-01-06"]


def test_without_a_landing_zone_it_skips(
    instance: dg.DagsterInstance, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LANDING, str(places.landing / "nowhere"))
    found = sensors.landing_sensor(dg.build_sensor_context(instance=instance))
    assert isinstance(found, dg.SkipReason) and "no such landing zone" in str(found.skip_message)
    monkeypatch.delenv(LANDING)
    found = sensors.landing_sensor(dg.build_sensor_context(instance=instance))
    assert isinstance(found, dg.SkipReason) and "AUDIT21_LANDING not set" in str(found.skip_message)


def test_the_catalog_follows_a_backfill(instance: dg.DagsterInstance, places: Places) -> None:
    def ask() -> object:
        return sensors.catalog_sensor(dg.build_sensor_context(instance=instance))

    assert isinstance(ask(), dg.SkipReason)
    assert run_day(instance, places.works(), FIRST, "first").success
    asked = ask()
    assert isinstance(asked, dg.RunRequest)
    assert asked.run_key == ask().run_key  # type: ignore[attr-defined]
    assert run_catalog(instance, places.works()).success
    assert isinstance(ask(), dg.SkipReason)


def test_every_night_what_waits_up_to_the_day_that_ended(instance: dg.DagsterInstance, places: Places) -> None:
    def night(day: int) -> list[dg.RunRequest] | dg.SkipReason:
        when = datetime(2026, 1, day, 8, tzinfo=UTC)
        found = nightly_schedule(GamingDayClock())(
            dg.build_schedule_context(instance=instance, scheduled_execution_time=when)
        )
        assert isinstance(found, list | dg.SkipReason)
        return found

    assert isinstance(night(5), dg.SkipReason)  # the 5th has just begun
    asked = night(6)
    assert isinstance(asked, list) and [each.partition_key for each in asked] == ["2026-01-05"]
    assert asked[0].tags["audit21/reason"] == "first" and asked[0].tags["audit21/gaming_day"] == "2026-01-05"
    assert instance.get_dynamic_partitions(str(DAYS.name)) == ["2026-01-05"]
    asked = night(7)
    assert isinstance(asked, list) and [each.partition_key for each in asked] == ["2026-01-05", "2026-01-06"]
    for day in (FIRST, SECOND):
        assert run_day(instance, places.works(), day, "first").success
    assert isinstance(night(7), dg.SkipReason)
