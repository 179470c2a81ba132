"""Verdicts as far as they are certain: findings of uncertain stories are dropped, wagers they differ on are open."""

from collections.abc import Mapping

import numpy as np

from pipelines.stories.weigh import Weighed, key, wager
from replay.audit import Judged
from replay.doubt import keep_certain
from replay.engine import layout as L


def as_far_as_certain(judged: Judged, rounds: Mapping[int, Weighed]) -> Judged:
    """Drop findings that are not certain, and leave wagers open on which a round's stories differ."""
    found = judged.verdicts.findings
    certainty = np.ones(len(found))
    for n in np.flatnonzero(np.isin(found[:, L.F_ROUND], list(rounds))).tolist():
        certainty[n] = rounds[int(found[n, L.F_ROUND])].certain.get(key(found[n]), 0.0)
    settled = judged.verdicts.settlements
    is_open = np.zeros(len(settled), np.bool_)
    for n in np.flatnonzero(np.isin(settled[:, L.S_ROUND], list(rounds))).tolist():
        weighed = rounds[int(settled[n, L.S_ROUND])]
        is_open[n] = wager(settled[n]) in weighed.unsettled or (weighed.open and settled[n, L.S_VARIANCE] != 0)
    return keep_certain(judged, certainty, is_open)
