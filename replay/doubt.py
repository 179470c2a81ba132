"""Verdicts as far as they are certain: findings in doubt are left unsaid, wagers in doubt are left open."""

from collections.abc import Mapping
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
    said_around: npt.NDArray[np.bool_] | None = None,
    also: Mapping[str, str] | None = None,
) -> Judged:
    """Leave findings unsaid whose certainty is 0, and make settlements undetermined that are open.

    ``certainty`` is by finding, from 0 to 1; ``is_open`` by settlement; ``said_around`` by finding between rounds;
    ``also`` has by round what else its misdeal may have been.
    """
    settled = judged.verdicts.settlements.copy()
    for n in np.flatnonzero(is_open).tolist():
        leave_open(settled[n])
    verdicts = judged.verdicts._replace(settlements=settled)
    share = np.minimum(certainty, 1.0)  # sums of weights may exceed 1
    return replace(judged, verdicts=verdicts, certainty=share, said_around=said_around, also=also or {})


def leave_open(line: L.I64) -> None:
    """Make a settlement undetermined; changes it."""
    line[_NOTHING_DUE] = 0
    line[L.S_VERDICT], line[L.S_CLAUSE], line[L.S_ODDS] = ops.UNDETERMINED, rules.NO_CLAUSE, -1
