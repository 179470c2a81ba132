"""The assets: from the landing zone over the datasets of a gaming day to the snapshot and the catalog."""

import time
from collections.abc import Iterator
from datetime import date
from typing import Any, Final

import dagster as dg

from pipelines.day.audit_run import AuditRun
from pipelines.defs import checks, metadata
from pipelines.defs.faults import RETRY, told_plainly
from pipelines.defs.resources import LANDING, missing, places
from pipelines.publish.tally import Audited
from warehouse import folders
from warehouse.schemas import DATASETS

DAYS: Final = dg.DynamicPartitionsDefinition(name="gaming_day")
OWNERS: Final = ("team:table-games-audit",)
# The way of the data: what each dataset is made from, but for what that is made from already.
MADE_FROM: Final[dict[str, tuple[str, ...]]] = {
    "files": ("watched_footage",),
    "quarantine": ("watched_footage",),
    "events": ("landing_files",),
    "sightings": ("watched_footage",),
    "clocks": ("events", "sightings"),
    "stories": ("clocks",),
    "cards": ("stories",),
    "shoes": ("cards",),
    "rounds": ("cards",),
    "hands": ("rounds",),
    "settlements": ("hands",),
    "findings": ("files", "shoes", "settlements"),
    "carry": ("shoes", "settlements"),
}
_LAST: Final = [name for name in MADE_FROM if all(name not in others for others in MADE_FROM.values())]
_EVIDENCE: Final = ("files", "quarantine", "events", "sightings", "clocks")


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
    """What the day's overhead footage shows: every film watched once, and kept under its hash and its sidecar's."""
    with told_plainly():
        watched = works.watch(_day(context))
    return dg.MaterializeResult(metadata=metadata.of_watched(watched, works.lake.path / folders.WATCHED))


def _duration(began: float) -> metadata.Metadata:
    return {"seconds": round(time.monotonic() - began, 2)}


def _spec(name: str) -> dg.AssetSpec:
    dataset = DATASETS[name]
    return dg.AssetSpec(
        name,
        deps=list(MADE_FROM[name]),
        description=dataset.description,
        group_name="evidence" if name in _EVIDENCE else "verdicts",
        kinds={"deltalake", "polars"},
        owners=OWNERS,
        partitions_def=DAYS,
        metadata={"dagster/column_schema": metadata.columns(dataset), "order": ", ".join(dataset.sort)},
    )


@dg.multi_asset(
    specs=[_spec(name) for name in MADE_FROM],
    check_specs=[checks.CONSERVATION, checks.EVERY_TABLE, checks.COVERAGE],
    retry_policy=RETRY,
    name="audit",
)
def audit(
    context: dg.AssetExecutionContext, works: dg.ResourceParam[AuditRun]
) -> Iterator[dg.MaterializeResult[Any] | dg.AssetCheckResult]:
    """Reads the day's lines, puts the clocks right, replays every round, holds it against the camera."""
    began = time.monotonic()
    with told_plainly():
        audited = works.audit(_day(context))
        staged, _, _ = works.publisher.kept(audited.day)
    told = _told(audited, _duration(began))
    for name in MADE_FROM:
        written = metadata.of_parts(staged.parts[name], works.lake.path / name)
        yield dg.MaterializeResult(asset_key=name, metadata=written | told.get(name, {}))
    yield checks.conservation(audited)
    yield checks.every_table(audited)
    yield checks.coverage(audited)


def _told(audited: Audited, duration: metadata.Metadata) -> dict[str, metadata.Metadata]:
    """What is to be said of some datasets beside the number of their rows."""
    return {
        "files": metadata.of_lines(audited),
        "rounds": metadata.of_rounds(audited) | duration,
        "settlements": metadata.of_money(audited),
        "findings": metadata.of_findings(audited),
    }


@dg.asset(
    partitions_def=DAYS,
    deps=_LAST,
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
