"""The property's clock: when a gaming day ends."""

import tomllib
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from pipelines.custody.landing import FLOOR


class GamingDayClock(NamedTuple):
    """Timezone and start of the gaming day, as in floor.toml."""

    timezone: str = "UTC"
    starts: time = time(6)

    def ended(self, now: datetime) -> date:
        """The gaming day that has ended last."""
        local = now.astimezone(ZoneInfo(self.timezone))
        running = local.date() if local.time() >= self.starts else local.date() - timedelta(days=1)
        return running - timedelta(days=1)

    def cron(self, hours_later: int) -> str:
        """Every day, so many hours after a gaming day ended."""
        return f"{self.starts.minute} {(self.starts.hour + hours_later) % 24} * * *"


def house(landing: Path | None) -> GamingDayClock:
    """Read the property from the landing zone's floor.toml; return defaults where that cannot be read."""
    try:
        place = tomllib.loads((landing / FLOOR).read_text(encoding="utf-8"))["property"] if landing else {}
        return _house(place)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        # Bad TOML is a ValueError, or a RecursionError where it is nested deeply; an unknown timezone is a KeyError.
        return GamingDayClock()


def _house(place: dict[str, Any]) -> GamingDayClock:
    timezone = place.get("timezone", GamingDayClock().timezone)
    ZoneInfo(timezone)
    starts = place.get("gaming_day_starts")
    return GamingDayClock(timezone, time.fromisoformat(starts) if starts else GamingDayClock().starts)
