"""Verdicts as far as they are certain: findings in doubt are dropped, wagers in doubt are left open."""

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from replay import ops, rules
from replay.audit import Judged
from replay.engine import layout as L

_NOTHING_DUE: Final = [L.S_PAID, L.S_TAKEN, L.S_VARIANCE]


def keep_certain(judged: Judged, certainty: npt.NDArray[np.float64], is_open: npt.NDArray[np.bool_]) -> Judged:
    """Drop findings whose certainty is 0, and make settlements undetermined that are open.

    ``certainty`` is by finding, from 0 to 1; ``is_open`` by settlement.
    """
    kept = certainty > 0
    settled = judged.verdicts.settlements.copy()
    for line in np.flatnonzero(is_open).tolist():
        settled[line, _NOTHING_DUE] = 0
        settled[line, L.S_VERDICT], settled[line, L.S_CLAUSE] = ops.UNDETERMINED, rules.NO_CLAUSE
        settled[line, L.S_ODDS] = -1
    verdicts = judged.verdicts._replace(findings=judged.verdicts.findings[kept], settlements=settled)
    return replace(judged, verdicts=verdicts, certainty=np.minimum(certainty[kept], 1.0))  # sums of shares may exceed 1
