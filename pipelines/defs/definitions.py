"""Definitions that `dg` loads: assets, checks, jobs, sensors and schedules of the nightly audit."""

import dagster as dg

from pipelines.defs import assets, jobs, schedules, sensors
from pipelines.defs.house import house
from pipelines.defs.resources import from_environment, places


def definitions() -> dg.Definitions:
    """Everything, for the landing zone and the lake that the environment names."""
    found = places()
    clock = house(found.landing if found else None)
    return dg.Definitions(
        assets=[
            assets.landing_zone(),
            *(assets.landing_files, assets.watched_footage, assets.audited_day, assets.snapshot, assets.catalog),
        ],
        asset_checks=[jobs.freshness],
        jobs=[jobs.nightly, jobs.gaming_day, jobs.catalog, jobs.fresh],
        sensors=[sensors.landing_sensor, sensors.catalog_sensor],
        schedules=[schedules.nightly_schedule(clock), schedules.freshness_schedule(clock)],
        resources={"works": from_environment()},
        executor=dg.in_process_executor,
        loggers={"console": dg.colored_console_logger},
    )


defs = definitions()
