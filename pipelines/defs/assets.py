"""The assets, each of them a step: custody, watch, audit, publish, catalog."""

import time
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

import dagster as dg

from pipelines.day.audit_run import AuditRun
from pipelines.defs import checks, metadata
from pipelines.defs.faults import RETRY, told_plainly
from pipelines.defs.resources import LANDING, missing, places
from warehouse import folders

DAYS: Final = dg.DynamicPartitionsDefinition(name="gaming_day")
OWNERS: Final = ("team:table-games-audit",)


def landing_zone() -> dg.AssetSpec:
    """The landing zone, which others fill."""
    found = places()
    where = f"`{found.landing}`" if found else f"**{missing()}.**"
    layout = "`floor.toml` and `<gaming_day>/<table>/terminal*, shoe*, camera*, footage*`, as the floor leaves them."
    return dg.AssetSpec(
        "landing_zone",
        description=f"{layout}\n\nLanding zone ({LANDING}): {where}",
        group_name="landing",
        kinds={"file"},
        owners=OWNERS,
        metadata={"path": dg.MetadataValue.path(str(found.landing))} if found else {},
    )


def _day(context: dg.AssetExecutionContext) -> date:
    return date.fromisoformat(context.partition_key)


@dg.asset(
    partitions_def=DAYS,
    deps=["landing_zone"],
    group_name="landing",
    kinds={"file"},
    owners=OWNERS,
    retry_policy=RETRY,
)
def landing_files(context: dg.AssetExecutionContext, works: dg.ResourceParam[AuditRun]) -> dg.MaterializeResult[Any]:
    """The day's files in custody: copied as they came, hashed, and chained into the evidence log."""
    began = time.monotonic()
    with told_plainly():
        taken = works.take(_day(context))
    return dg.MaterializeResult(metadata=metadata.of_taken(taken, works.landing) | _duration(began))


@dg.asset(
    partitions_def=DAYS,
    deps=[landing_files],
    group_name="landing",
    kinds={"opencv", "onnx"},
    owners=OWNERS,
    retry_policy=RETRY,
)
def watched_footage(context: dg.AssetExecutionContext, works: dg.ResourceParam[AuditRun]) -> dg.MaterializeResult[Any]:
    """The sightings of the day's footage: every film is watched once, and kept under its hash and its sidecar's."""
    with told_plainly():
        watched = works.watch(_day(context))
    return dg.MaterializeResult(metadata=metadata.of_watched(watched, works.lake.path / folders.WATCHED))


def _duration(began: float) -> metadata.Metadata:
    return {"seconds": round(time.monotonic() - began, 2)}


@dg.asset(
    partitions_def=DAYS,
    deps=[watched_footage],
    group_name="verdicts",
    kinds={"deltalake", "polars"},
    owners=OWNERS,
    retry_policy=RETRY,
    check_specs=[checks.CONSERVATION, checks.EVERY_TABLE, checks.COVERAGE],
)
def audited_day(
    context: dg.AssetExecutionContext, works: dg.ResourceParam[AuditRun]
) -> Iterator[dg.MaterializeResult[Any]]:
    """The day's tables, each through ingest, align, infer, judge and reconcile, as rows that wait to be published."""
    began = time.monotonic()
    with told_plainly():
        audited = works.audit(_day(context))
        staged, _, _ = works.publisher.kept(audited.day)
    found = metadata.of_audited(audited) | metadata.of_parts(staged.parts) | _duration(began)
    results = [checks.conservation(audited), checks.every_table(audited), checks.coverage(audited)]
    yield dg.MaterializeResult(metadata=found, check_results=results)


@dg.asset(
    partitions_def=DAYS,
    deps=[audited_day],
    group_name="published",
    kinds={"deltalake"},
    owners=OWNERS,
    retry_policy=RETRY,
    check_specs=[checks.SCHEMA],
)
def snapshot(
    context: dg.AssetExecutionContext, works: dg.ResourceParam[AuditRun]
) -> Iterator[dg.MaterializeResult[Any]]:
    """The day as readers see it: all datasets committed together, logged, and signed in a checkpoint.

    Later days that begin with what this one carries over are audited again where that has changed.
    """
    began = time.monotonic()
    with told_plainly():
        published = works.publish(_day(context))
        kept = checks.schema(works, published.day)
    found = metadata.of_published(published, works.lake.path) | _duration(began)
    yield dg.MaterializeResult(metadata=found, check_results=[kept])


@dg.asset(deps=[snapshot], group_name="published", kinds={"duckdb"}, owners=OWNERS, retry_policy=RETRY)
def catalog(works: dg.ResourceParam[AuditRun]) -> dg.MaterializeResult[Any]:
    """`audit21.duckdb`: the newest snapshot as views and marts, for any DuckDB client."""
    began = time.monotonic()
    with told_plainly():
        made = works.catalog()
    return dg.MaterializeResult(metadata=metadata.of_catalog(made) | _duration(began))
