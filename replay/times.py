"""Times as sources write them: RFC 3339, with an offset from UTC."""

import re
from datetime import datetime
from typing import Any, Final

MOST_MS: Final = 253_370_764_800_000  # 9999-01-01: a day later may be a year that calendars do not have
_TIMES: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))", re.ASCII
)


def time_ms(value: Any) -> int | None:
    """Milliseconds since 1970 of an RFC 3339 time; None for what is none."""
    if not isinstance(value, str) or not _TIMES.fullmatch(value):
        return None
    try:
        ms = round(datetime.fromisoformat(value.upper()).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
    return ms if 0 <= ms <= MOST_MS else None


def offset_minutes(time: str) -> int:
    """Return the offset of an RFC 3339 time from UTC, in minutes."""
    found = _TIMES.fullmatch(time)
    assert found is not None
    sign, hours, minutes = found.groups()
    return 0 if sign is None else int(f"{sign}1") * (int(hours) * 60 + int(minutes))
