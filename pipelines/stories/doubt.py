"""Verdicts as far as they are certain: findings of uncertain stories are dropped, wagers they differ on are open."""

from collections.abc import Collection, Mapping
from typing import Final

import numpy as np

from pipelines.stories import prices
from pipelines.stories.sentences import or_else
from pipelines.stories.weigh import Weighed, key, wager
from replay import codes
from replay.audit import Judged
from replay.doubt import keep_certain
from replay.engine import layout as L

_COUNT: Final = codes.NUMBER["deal.count-mismatch"]


def as_far_as_certain(
    judged: Judged, rounds: Mapping[int, Weighed], lost: Collection[str] = (), untimed: Collection[str] = ()
) -> Judged:
    """Drop findings that are not certain, and leave wagers open on which a round's stories differ.

    Of rounds with missing lines (``lost``) nothing is said, and of those that no clock times (``untimed``) nothing
    that hangs on the order between two devices, and not that cards are missing.
    """
    found, settled = judged.verdicts.findings, judged.verdicts.settlements
    blind = [number for number, name in enumerate(judged.encoded.rounds) if name in lost]
    certainty = np.where(np.isin(found[:, L.F_ROUND], blind), 0.0, 1.0)
    unclocked = [number for number, name in enumerate(judged.encoded.rounds) if name in untimed]
    by_clock = prices.BY_CLOCK[found[:, L.F_SLOT]] | (prices.code_of(found) == _COUNT)
    certainty[by_clock & np.isin(found[:, L.F_ROUND], unclocked)] = 0.0
    for n in np.flatnonzero(np.isin(found[:, L.F_ROUND], list(rounds))).tolist():
        certainty[n] *= rounds[int(found[n, L.F_ROUND])].certain.get(key(found[n]), 0.0)
    is_open = np.isin(settled[:, L.S_ROUND], blind)
    for n in np.flatnonzero(np.isin(settled[:, L.S_ROUND], list(rounds))).tolist():
        weighed = rounds[int(settled[n, L.S_ROUND])]
        odd = weighed.open and settled[n, L.S_VARIANCE] != 0
        is_open[n] |= bool(odd or wager(settled[n]) in weighed.unsettled)
    also = {judged.encoded.rounds[number]: or_else(weighed.stories[0]) for number, weighed in rounds.items()}
    return keep_certain(judged, certainty, is_open, ~np.isin(judged.around[:, L.F_ROUND], blind), also)
