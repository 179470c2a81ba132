"""Shares of counts with Wilson's score interval, and the comparison of the interval with the floor's share.

Wilson's interval keeps its coverage for small counts and shares near zero, where the usual one claims certainty.
"""

import math
from dataclasses import dataclass
from typing import Final

SMALLEST: Final = 30  # below this sample size no comparison is made
FEWEST: Final = 3  # errors needed to stand above the floor: one or two may be chance however rare they are
_Z: Final = 1.959963984540054  # of the normal distribution, for a confidence of 95 %

ABOVE: Final = "above"
WITHIN: Final = "within"
BELOW: Final = "below"
SMALL: Final = "small"
# The order of display: above the floor first, small samples last.
ORDER: Final = (ABOVE, WITHIN, BELOW, SMALL)


@dataclass(frozen=True)
class Rate:
    """A count out of a total, with the 95 % confidence interval of the share."""

    count: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float | None:
        """The share as counted."""
        return self.count / self.of if self.of else None

    def against(self, floor: "Rate") -> str:
        """Return the standing of the interval against the floor's share: above, within, below, or a small sample."""
        if self.of < SMALLEST or floor.share is None:
            return SMALL
        if self.low > floor.share and self.count >= FEWEST:
            return ABOVE
        return BELOW if self.high < floor.share else WITHIN


def rate(count: int, of: int) -> Rate:
    """Return the share and its interval; with a total of 0 the interval is 0 to 1."""
    if not 0 <= count <= of:
        raise ValueError(f"found {count} of {of}, expected a part of a whole")
    if not of:
        return Rate(0, 0, 0.0, 1.0)
    share, spread = count / of, _Z * _Z / of
    middle = (share + spread / 2) / (1 + spread)
    reach = _Z * math.sqrt(share * (1 - share) / of + spread / (4 * of)) / (1 + spread)
    # At the ends the formula is exact; its rounding is not.
    return Rate(count, of, 0.0 if count == 0 else middle - reach, 1.0 if count == of else middle + reach)
