"""Verdicts as far as they are certain: findings in doubt are dropped, wagers in doubt are left open."""

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from replay import ops, rules
from replay.audit import Judged
from replay.engine import layout as L

_NOTHING_DUE: Final = [L.S_PAID, L.S_TAKEN, L.S_VARIANCE]


def keep_certain(
    judged: Judged,
    certainty: npt.NDArray[np.float64],
    is_open: npt.NDArray[np.bool_],
    kept_around: npt.NDArray[np.bool_] | None = None,
) -> Judged:
    """Drop findings whose certainty is 0, and make settlements undetermined that are open.

    ``certainty`` is by finding, from 0 to 1; ``is_open`` by settlement; ``kept_around`` by finding between rounds.
    """
    kept = certainty > 0
    settled = judged.verdicts.settlements.copy()
    for n in np.flatnonzero(is_open).tolist():
        leave_open(settled[n])
    verdicts = judged.verdicts._replace(findings=judged.verdicts.findings[kept], settlements=settled)
    around = judged.around if kept_around is None else judged.around[kept_around]
    share = np.minimum(certainty[kept], 1.0)  # sums of weights may exceed 1
    return replace(judged, verdicts=verdicts, around=around, certainty=share)


def leave_open(line: L.I64) -> None:
    """Make a settlement undetermined; changes it."""
    line[_NOTHING_DUE] = 0
    line[L.S_VERDICT], line[L.S_CLAUSE], line[L.S_ODDS] = ops.UNDETERMINED, rules.NO_CLAUSE, -1
