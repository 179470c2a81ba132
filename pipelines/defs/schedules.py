"""The schedules: every night the day that has ended, and all that still waits; then whether it has come."""

from typing import Final

import dagster as dg

from pipelines.custody.landing import LandingError
from pipelines.defs import jobs
from pipelines.defs.assets import DAYS
from pipelines.defs.house import GamingDayClock
from pipelines.defs.resources import missing, places
from pipelines.defs.tags import run_tags

HOURS_AFTER: Final = 2  # late files of a day mostly come within these


def nightly_schedule(house: GamingDayClock) -> dg.ScheduleDefinition:
    """Some hours after the gaming day ended on the property's clock."""

    @dg.schedule(
        name="nightly_schedule",
        job=jobs.nightly,
        cron_schedule=house.cron(HOURS_AFTER),
        execution_timezone=house.timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Audits the gaming day that has ended, and every earlier one that waits: late files, failed runs.",
    )
    def evaluate(context: dg.ScheduleEvaluationContext) -> list[dg.RunRequest] | dg.SkipReason:
        return _pending(context, house)

    return evaluate


def _pending(context: dg.ScheduleEvaluationContext, house: GamingDayClock) -> list[dg.RunRequest] | dg.SkipReason:
    found = places()
    if found is None:
        return dg.SkipReason(missing())
    now = context.scheduled_execution_time
    ended = house.ended(now)
    works = found.works()
    try:
        waiting = {day: reason for day in works.days() if day <= ended and (reason := works.reason(day))}
    except LandingError as error:
        return dg.SkipReason(str(error))
    if not waiting:
        return dg.SkipReason(f"every gaming day up to {ended} is published as it stands")
    context.instance.add_dynamic_partitions(DAYS.name or "", [day.isoformat() for day in waiting])
    return [
        dg.RunRequest(f"{day} on {now:%Y-%m-%d}", partition_key=day.isoformat(), tags=run_tags(found, reason, day))
        for day, reason in waiting.items()
    ]


def freshness_schedule(house: GamingDayClock) -> dg.ScheduleDefinition:
    """An hour after the nightly audit began."""
    return dg.ScheduleDefinition(
        name="freshness_schedule",
        job=jobs.fresh,
        cron_schedule=house.cron(HOURS_AFTER + 1),
        execution_timezone=house.timezone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Looks whether the gaming day that has ended is published.",
    )
