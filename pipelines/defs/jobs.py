"""The jobs: a gaming day, a gaming day with the catalog, the catalog alone, and whether the newest day has come."""

from datetime import UTC, datetime
from typing import Final

import dagster as dg

from pipelines.defs import checks
from pipelines.defs.assets import snapshot
from pipelines.defs.house import house
from pipelines.defs.resources import missing, places

_DAY: Final = dg.AssetSelection.assets("landing_files", "watched_footage", "audited_day", "snapshot")
_CATALOG: Final = dg.AssetSelection.assets("catalog")


@dg.asset_check(asset=snapshot, description="The gaming day that has ended last is published, with all its files.")
def freshness() -> dg.AssetCheckResult:
    """Check that the newest gaming day is in the lake, without locking the lake."""
    found = places()
    if found is None:
        raise dg.Failure(missing(), allow_retries=False)
    return checks.freshness(found.works(), house(found.landing), datetime.now(UTC))


_FRESHNESS: Final = dg.AssetSelection.checks(freshness)

gaming_day: Final = dg.define_asset_job(
    "gaming_day",
    _DAY - _FRESHNESS,
    description="One gaming day, from its landing files to a published snapshot.",
)
nightly: Final = dg.define_asset_job(
    "nightly",
    (_DAY | _CATALOG) - _FRESHNESS,
    description="One gaming day, and then the catalog.",
)
catalog: Final = dg.define_asset_job("catalog_only", _CATALOG, description="The catalog of the newest snapshot.")
fresh: Final = dg.define_asset_job("freshness", _FRESHNESS, description="Looks whether the newest gaming day has come.")
