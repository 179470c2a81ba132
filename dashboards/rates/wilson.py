"""Shares of counted things with Wilson's score interval, and what the interval says against the floor's share.

Wilson's interval keeps its promise for small counts and shares near zero, where the usual one claims certainty.
"""

import math
from dataclasses import dataclass
from typing import Final

SMALLEST: Final = 30  # below so many, nothing is said of a share
FEWEST: Final = 3  # errors before somebody stands out by them: one or two may be chance however rare they are
_Z: Final = 1.959963984540054  # of the normal distribution, for a confidence of 95 %

ABOVE: Final = "above"
WITHIN: Final = "within"
BELOW: Final = "below"
SMALL: Final = "small"
# What is shown first: whoever stands out above the floor, then those of whom nothing can be said, and so on.
ORDER: Final = (ABOVE, WITHIN, BELOW, SMALL)


@dataclass(frozen=True)
class Rate:
    """So many of so many, and between which shares the true one lies."""

    count: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float | None:
        """The share as counted."""
        return self.count / self.of if self.of else None

    def against(self, floor: "Rate") -> str:
        """Whether the interval lies above or below the floor's share, or around it; or is of a small sample."""
        if self.of < SMALLEST or floor.share is None:
            return SMALL
        if self.low > floor.share and self.count >= FEWEST:
            return ABOVE
        return BELOW if self.high < floor.share else WITHIN


def rate(count: int, of: int) -> Rate:
    """The share and its interval; of nothing, anything can be true."""
    if not 0 <= count <= of:
        raise ValueError(f"found {count} of {of}, expected a part of a whole")
    if not of:
        return Rate(0, 0, 0.0, 1.0)
    share, spread = count / of, _Z * _Z / of
    middle = (share + spread / 2) / (1 + spread)
    reach = _Z * math.sqrt(share * (1 - share) / of + spread / (4 * of)) / (1 + spread)
    # At the ends the formula is exact; its rounding is not.
    return Rate(count, of, 0.0 if count == 0 else middle - reach, 1.0 if count == of else middle + reach)
