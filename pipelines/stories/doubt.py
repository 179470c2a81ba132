"""Verdicts as far as they are certain: findings of uncertain stories are dropped, wagers they differ on are open."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pipelines.stories.weigh import Weighed, key, wager
from replay import ops, rules
from replay.audit import Judged
from replay.engine import layout as L


def as_far_as_certain(judged: Judged, rounds: Mapping[int, Weighed]) -> Judged:
    """Drop findings that are not certain, and leave wagers open on which a round's stories differ."""
    found = judged.verdicts.findings
    certainty = np.ones(len(found))
    for n in np.flatnonzero(np.isin(found[:, L.F_ROUND], list(rounds))).tolist():
        certainty[n] = rounds[int(found[n, L.F_ROUND])].certain.get(key(found[n]), 0.0)
    kept = certainty > 0
    settled = judged.verdicts.settlements.copy()
    for n in np.flatnonzero(np.isin(settled[:, L.S_ROUND], list(rounds))).tolist():
        weighed = rounds[int(settled[n, L.S_ROUND])]
        if wager(settled[n]) in weighed.unsettled or (weighed.open and settled[n, L.S_VARIANCE] != 0):
            leave_open(settled[n])
    verdicts = judged.verdicts._replace(findings=found[kept], settlements=settled)
    return replace(judged, verdicts=verdicts, certainty=certainty[kept])


def leave_open(line: "np.ndarray") -> None:
    """Make a settlement undetermined; changes it."""
    line[[L.S_PAID, L.S_TAKEN, L.S_VARIANCE]] = 0
    line[L.S_VERDICT], line[L.S_CLAUSE], line[L.S_ODDS] = ops.UNDETERMINED, rules.NO_CLAUSE, -1
