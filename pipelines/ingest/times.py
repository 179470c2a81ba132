"""RFC 3339 times, compiled."""

from typing import Final

import numpy as np

from pipelines.ingest.words import byte
from replay.columns import U8
from replay.compiled import compiled, inlined

NO_TIME: Final = -1  # none, or one that the careful reader has to read

_FIRST_YEAR, _LAST_YEAR = 1970, 2199
_MINUS, _PLUS, _POINT, _COLON, _T, _Z, _ZERO = (ord(each) for each in "-+.:TZ0")
_LEAST: Final = len("2026-01-06T00:21:49Z")
_OFFSET: Final = len("-05:00")
_MOST_DECIMALS: Final = 6  # of a second; the clock that judges knows no more
_LENGTHS: Final = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], np.int64)


@inlined
def _two(data: U8, at: int) -> int:
    """A number of two digits; negative, and far so, if they are none."""
    tens, ones = byte(data, at) - _ZERO, byte(data, at + 1) - _ZERO
    return tens * 10 + ones if 0 <= tens <= 9 and 0 <= ones <= 9 else -10_000


@inlined
def _days(year: int, month: int, day: int) -> int:
    """Days since 1970 of a date of the Gregorian calendar, counted in years that begin in March."""
    year -= month <= 2
    month = month - 3 if month > 2 else month + 9
    return year * 365 + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 1 - 719_468


@inlined
def _is_date(year: int, month: int, day: int) -> bool:
    if not (_FIRST_YEAR <= year <= _LAST_YEAR and 1 <= month <= 12):
        return False
    is_leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    length: int = _LENGTHS[month] + is_leap
    return 1 <= day <= length


@inlined
def _fraction(data: U8, at: int, end: int) -> int:
    """Microseconds of the digits after the point, -1 if they are not all digits or none."""
    value, digits = 0, 0
    for place in range(at, end):
        digit = byte(data, place) - _ZERO
        if not 0 <= digit <= 9:
            return -1
        if digits < _MOST_DECIMALS:
            value = value * 10 + digit
            digits += 1
    for _ in range(digits, _MOST_DECIMALS):
        value *= 10
    return value if end > at else -1


@inlined
def _milliseconds(seconds: int, fraction: int) -> int:
    """Rounded as ``replay.times.time_ms`` does it, on the seconds as a float."""
    if fraction % 1000 == 0:
        return seconds * 1000 + fraction // 1000
    return int(np.rint(np.float64(seconds * 1_000_000 + fraction) / 1e6 * 1000.0))


@compiled
def time_and_offset(data: U8, start: int, length: int) -> tuple[int, int]:
    """Milliseconds since 1970 of a time, and the minutes that it is ahead of UTC."""
    end = start + length
    if (
        length < _LEAST
        or byte(data, start + 4) != _MINUS
        or byte(data, start + 7) != _MINUS
        or byte(data, start + 10) != _T
    ):
        return NO_TIME, 0
    year = _two(data, start) * 100 + _two(data, start + 2)
    month, day = _two(data, start + 5), _two(data, start + 8)
    hour, minute, second = _two(data, start + 11), _two(data, start + 14), _two(data, start + 17)
    if byte(data, start + 13) != _COLON or byte(data, start + 16) != _COLON or not _is_date(year, month, day):
        return NO_TIME, 0
    if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59):
        return NO_TIME, 0
    offset = 0
    if byte(data, end - 1) == _Z:
        end -= 1
    else:
        end -= _OFFSET
        sign, hours, minutes = byte(data, end), _two(data, end + 1), _two(data, end + 4)
        if end < start + _LEAST - 1 or (sign != _PLUS and sign != _MINUS) or byte(data, end + 3) != _COLON:
            return NO_TIME, 0
        if not (0 <= hours <= 23 and 0 <= minutes <= 59):
            return NO_TIME, 0
        offset = hours * 60 + minutes if sign == _PLUS else -hours * 60 - minutes
    fraction, at = 0, start + _LEAST - 1
    if at < end:
        fraction = _fraction(data, at + 1, end) if byte(data, at) == _POINT else -1
    if fraction < 0:
        return NO_TIME, 0
    seconds = _days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset * 60
    ms = _milliseconds(seconds, fraction)
    return (ms, offset) if ms >= 0 else (NO_TIME, 0)
