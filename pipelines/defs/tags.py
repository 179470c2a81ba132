"""The tags by which runs are found."""

from datetime import date

from pipelines.defs.resources import Places


def run_tags(found: Places, reason: str, day: date | None = None) -> dict[str, str]:
    """Tags of a run: its place, its gaming day, its reason."""
    tags = {"audit21/landing": str(found.landing), "audit21/lake": str(found.lake), "audit21/reason": reason}
    return tags if day is None else tags | {"audit21/gaming_day": day.isoformat()}
