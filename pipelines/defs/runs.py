"""Runs in this process, as the command line makes them: the same assets, checks and history as scheduled ones."""

import uuid
from datetime import date
from functools import cache
from typing import Any, NamedTuple

import dagster as dg

from pipelines.day.audit_run import AuditRun
from pipelines.defs.assets import DAYS
from pipelines.defs.definitions import defs
from pipelines.defs.instance import open_instance as open_instance
from pipelines.defs.instance import process_tags
from pipelines.defs.resources import Places
from pipelines.defs.tags import run_tags


class FailedCheck(NamedTuple):
    """An asset check that did not pass."""

    name: str
    asset: str
    blocking: bool
    warning: bool
    description: str


class Outcome(NamedTuple):
    """The outcome of a run."""

    success: bool
    failed_checks: list[FailedCheck]
    error: str | None  # why it failed, in one line
    result: dg.ExecuteInProcessResult


def run_day(
    instance: dg.DagsterInstance, works: AuditRun, day: date, reason: str, log_level: str = "CRITICAL"
) -> Outcome:
    """Materialise a gaming day, from its landing files to the snapshot; ``LakeBusy`` where another process writes."""
    key = day.isoformat()
    if not instance.has_dynamic_partition(str(DAYS.name), key):
        instance.add_dynamic_partitions(str(DAYS.name), [key])
    return _run(instance, works, "gaming_day", run_tags(_places(works), reason, day), log_level, partition_key=key)


def run_catalog(instance: dg.DagsterInstance, works: AuditRun, log_level: str = "CRITICAL") -> Outcome:
    """Materialise the catalog of the newest snapshot."""
    return _run(instance, works, "catalog_only", run_tags(_places(works), "new snapshot"), log_level)


def _places(works: AuditRun) -> Places:
    return Places(works.landing, works.lake.path)


@cache
def _job(name: str) -> dg.JobDefinition:
    return defs.resolve_job_def(name)


def _run(
    instance: dg.DagsterInstance, works: AuditRun, job: str, tags: dict[str, str], log_level: str, **options: Any
) -> Outcome:
    works.run_id = str(uuid.uuid4())
    with works.locked():
        result = _job(job).execute_in_process(
            instance=instance,
            raise_on_error=False,
            run_id=works.run_id,
            tags=tags | process_tags(),
            resources={"works": works},
            run_config={"loggers": {"console": {"config": {"log_level": log_level}}}},
            **options,
        )
    failed = _failed_checks(result)
    return Outcome(result.success, failed, None if result.success else _why(result, failed), result)


def _failed_checks(result: dg.ExecuteInProcessResult) -> list[FailedCheck]:
    return [
        FailedCheck(
            name=found.check_name,
            asset=found.asset_key.to_user_string(),
            blocking=bool(found.blocking),
            warning=found.severity == dg.AssetCheckSeverity.WARN,
            description=found.description or "",
        )
        for found in result.get_asset_check_evaluations()
        if not found.passed
    ]


def _why(result: dg.ExecuteInProcessResult, failed: list[FailedCheck]) -> str:
    """Return what stopped a run: a check that blocks, or the first error of a step."""
    if stopped := [f"{check.name}: {check.description}" for check in failed if check.blocking]:
        return "; ".join(stopped)
    for event in result.all_events:
        if event.is_step_failure:
            return _in_one_line(event.step_failure_data)
    return "the run failed before its first step"


def _in_one_line(failure: Any) -> str:
    if failure.user_failure_data and failure.user_failure_data.description:
        return str(failure.user_failure_data.description)
    error = failure.error
    while error.cause:
        error = error.cause
    return " ".join(error.message.split())
