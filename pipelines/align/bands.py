"""The band of offsets that bounds leave to a clock, for one drift or the best of many: compiled."""

from typing import Final

import numpy as np

from replay.columns import I64
from replay.compiled import entry

_SECTIONS: Final = 24  # of the golden section
_RATIO: Final = (5**0.5 - 1) / 2


@entry
def band(
    upper_at: I64, upper: I64, lower_at: I64, lower: I64, since: int, slope: float, stray: int
) -> tuple[float, float]:
    """Return the highest lower bound and the lowest upper bound at a moment, but for one in ``stray`` of each."""
    top, bottom = np.inf, -np.inf
    if len(upper):
        at = len(upper) // stray
        top = np.partition(upper - slope * (upper_at - since), at)[at]
    if len(lower):
        at = len(lower) - 1 - len(lower) // stray
        bottom = np.partition(lower - slope * (lower_at - since), at)[at]
    return bottom, top


@entry
def widest(
    upper_at: I64,
    upper: I64,
    lower_at: I64,
    lower: I64,
    parts: I64,
    stray: int,
    low: float,
    high: float,
    wanted: float,
    price: float,
) -> float:
    """Find the drift between two for which the bands of parts are widest together (golden section).

    Rows of ``parts`` say which bounds a part has: upper from, to, lower from, to. Every unit of drift away from
    ``wanted`` costs ``price``.
    """
    a, b = high - _RATIO * (high - low), low + _RATIO * (high - low)
    at_a = _worth(upper_at, upper, lower_at, lower, parts, stray, a) - price * abs(a - wanted)
    at_b = _worth(upper_at, upper, lower_at, lower, parts, stray, b) - price * abs(b - wanted)
    for _ in range(_SECTIONS):
        if at_a >= at_b:
            high, b, at_b = b, a, at_a
            a = high - _RATIO * (high - low)
            at_a = _worth(upper_at, upper, lower_at, lower, parts, stray, a) - price * abs(a - wanted)
        else:
            low, a, at_a = a, b, at_b
            b = low + _RATIO * (high - low)
            at_b = _worth(upper_at, upper, lower_at, lower, parts, stray, b) - price * abs(b - wanted)
    return (low + high) / 2


@entry
def _worth(upper_at: I64, upper: I64, lower_at: I64, lower: I64, parts: I64, stray: int, slope: float) -> float:
    """Add up the widths of the bands of parts."""
    total = 0.0
    for n in range(len(parts)):
        a, b, c, d = parts[n]
        bottom, top = band(upper_at[a:b], upper[a:b], lower_at[c:d], lower[c:d], upper_at[a], slope, stray)
        total += top - bottom
    return total
