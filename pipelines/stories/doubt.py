"""Verdicts as far as they are certain: findings of uncertain stories are dropped, wagers they differ on are open."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from pipelines.stories.settled import leave_open
from pipelines.stories.weigh import Weighed, key, wager
from replay.audit import Judged
from replay.engine import layout as L


def as_far_as_certain(judged: Judged, rounds: Mapping[int, Weighed], lost: Collection[str] = ()) -> Judged:
    """Drop findings that are not certain, and leave wagers open on which a round's stories differ.

    Of rounds with missing lines (``lost``) nothing is said.
    """
    found, around = judged.verdicts.findings, judged.around
    blind = [number for number, name in enumerate(judged.encoded.rounds) if name in lost]
    certainty = np.where(np.isin(found[:, L.F_ROUND], blind), 0.0, 1.0)
    for n in np.flatnonzero(np.isin(found[:, L.F_ROUND], list(rounds))).tolist():
        certainty[n] *= rounds[int(found[n, L.F_ROUND])].certain.get(key(found[n]), 0.0)
    kept = certainty > 0
    settled = judged.verdicts.settlements.copy()
    for n in np.flatnonzero(np.isin(settled[:, L.S_ROUND], list(rounds))).tolist():
        weighed = rounds[int(settled[n, L.S_ROUND])]
        unknown = weighed.stories[0].candidate.unknown or (weighed.open and settled[n, L.S_VARIANCE] != 0)
        if unknown or wager(settled[n]) in weighed.unsettled:
            leave_open(settled[n])
    for n in np.flatnonzero(np.isin(settled[:, L.S_ROUND], blind)).tolist():
        leave_open(settled[n])
    verdicts = judged.verdicts._replace(findings=found[kept], settlements=settled)
    around = around[~np.isin(around[:, L.F_ROUND], blind)] if len(around) else around
    return replace(judged, verdicts=verdicts, around=around, certainty=certainty[kept])
