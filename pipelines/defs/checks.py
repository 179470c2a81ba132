"""The asset checks: what is asked of a day before and after it is published."""

from datetime import date, datetime
from typing import Final

import dagster as dg

from pipelines.day.audit_run import AuditRun
from pipelines.defs.house import GamingDayClock
from pipelines.defs.metadata import MOST_NAMED, of_evidence, of_lines
from pipelines.publish.tally import Audited
from warehouse.dataset import SchemaError
from warehouse.lake import LakeError
from warehouse.schemas import DATASETS

LEAST_COVERED: Final = 0.95
CARD_SOURCES: Final = {"shoe", "camera"}
READ_BACK_ROWS: Final = 50_000

CONSERVATION: Final = dg.AssetCheckSpec(
    "conservation",
    asset="audited_day",
    blocking=True,
    description="Every line of every file is accepted, repeated or quarantined. A day that loses one is not published.",
)
EVERY_TABLE: Final = dg.AssetCheckSpec(
    "every_table", asset="audited_day", description="No table was kept from its audit by a fault of the software."
)
COVERAGE: Final = dg.AssetCheckSpec(
    "coverage",
    asset="audited_day",
    description=f"Cards of shoe or camera stand behind at least {LEAST_COVERED:.0%} of the rounds.",
)
SCHEMA: Final = dg.AssetCheckSpec(
    "schema",
    asset="snapshot",
    blocking=True,
    description="What was published, read back, keeps to the schema of its dataset.",
)


def conservation(audited: Audited) -> dg.AssetCheckResult:
    """Lines = accepted + repeated + quarantined, for the day and for each of its files."""
    gone = audited.lines - audited.accepted - audited.repeated - audited.quarantined
    odd = audited.unbalanced
    told = f"{len(odd)} files whose lines do not add up: {', '.join(odd[:MOST_NAMED])}" if odd else ""
    return dg.AssetCheckResult(
        passed=not odd and not gone,
        asset_key="audited_day",
        check_name=CONSERVATION.name,
        description=told or (f"{gone} lines unaccounted for" if gone else f"{audited.lines:,} lines accounted for"),
        metadata=of_lines(audited),
    )


def every_table(audited: Audited) -> dg.AssetCheckResult:
    """No table failed; the others are published all the same."""
    failed = [f"{name}: {error}" for name, error in sorted(audited.failed.items())]
    return dg.AssetCheckResult(
        passed=not failed,
        asset_key="audited_day",
        check_name=EVERY_TABLE.name,
        description="; ".join(failed[:MOST_NAMED]) or f"{audited.tables} tables audited",
        metadata={"tables": audited.tables, "failed": len(failed)},
    )


def coverage(audited: Audited) -> dg.AssetCheckResult:
    """Enough rounds have cards behind them."""
    covered = sum(rounds for name, rounds in audited.evidence.items() if CARD_SOURCES & set(name.split("+")))
    share = covered / audited.rounds if audited.rounds else 1.0
    return dg.AssetCheckResult(
        passed=share >= LEAST_COVERED,
        asset_key="audited_day",
        check_name=COVERAGE.name,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{covered:,} of {audited.rounds:,} rounds have cards of shoe or camera behind them",
        metadata={"share": share, **of_evidence(audited)},
    )


def schema(works: AuditRun, day: date) -> dg.AssetCheckResult:
    """Every dataset's types, and the rules on its first rows."""
    broken: dict[str, str] = {}
    snapshot = works.lake.snapshot()
    for name, dataset in DATASETS.items():
        try:
            dataset.check(works.lake.scan(name, snapshot, [day]).head(READ_BACK_ROWS).collect())
        except (SchemaError, LakeError) as error:
            broken[name] = " ".join(str(error).split())
    return dg.AssetCheckResult(
        passed=not broken,
        asset_key="snapshot",
        check_name=SCHEMA.name,
        description="; ".join(broken.values()) or f"{len(DATASETS)} datasets keep to their schemas",
        metadata={"datasets": len(DATASETS), "broken": len(broken), "snapshot": snapshot.number},
    )


def freshness(works: AuditRun, house: GamingDayClock, now: datetime) -> dg.AssetCheckResult:
    """The gaming day that has ended last is published, with all its files."""
    day = house.ended(now)
    published = works.lake.day_state(day)
    newest = max(works.lake.snapshot().days, default=None)
    waits = works.reason(day) if day in works.days() else "no files of it have come"
    return dg.AssetCheckResult(
        passed=published is not None and waits is None,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{day}: {waits}" if waits else f"{day} is published",
        metadata={"gaming day": day.isoformat(), "newest published": str(newest or "none")},
    )
