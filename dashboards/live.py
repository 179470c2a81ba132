"""Shoes in play. Their card counts are nobody's business until they end, unless the operator allows it."""

from datetime import date
from typing import Any

from dashboards.lake.pinned import Pinned
from dashboards.settings import Settings

# A shoe is in play if it has not ended on the newest day, and no other shoe was loaded at the table after it.
_IN_PLAY = """
SELECT shoe FROM shoes AS s
WHERE ended IS NULL AND NOT EXISTS (FROM shoes AS later WHERE later."table" = s."table" AND later.loaded > s.loaded)
"""


def hidden_shoes(lake: Pinned, day: date, settings: Settings) -> frozenset[str]:
    """The shoes of a day whose counts must not be shown, drawn or exported."""
    if settings.show_live_shoes or day != lake.days[-1]:
        return frozenset()
    rows: list[dict[str, Any]] = lake.day(day).rows(_IN_PLAY)
    return frozenset(row["shoe"] for row in rows)
