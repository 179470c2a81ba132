"""Other orders in which the lines of two devices may have come."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from pipelines.stories.trial import Candidate, Court
from replay import ops
from replay.columns import I32, I64, U8

_SHOE: Final = np.isin(
    np.arange(256),
    (ops.DRAW, ops.HOLE_CHECK, ops.FAULT, ops.REPAIRED, ops.CUT_CARD, ops.SHOE_LOADED, ops.SHOE_ENDED),
)
_ATTACHED: Final = np.isin(np.arange(256), (ops.IRREGULAR_CARD, ops.METER))
_SWAP: Final = 400  # thousandths of a nat: that two lines came the other way round than their stamps say
_FURTHER: Final = 2_000  # ... and more, the further apart the stamps are within what the clock leaves open


def is_shoe(op: U8) -> npt.NDArray[np.bool_]:
    """Mark rows that a shoe logged."""
    found: npt.NDArray[np.bool_] = _SHOE[op]
    return found


def swaps(court: Court, best: Candidate) -> Iterator[Candidate]:
    """List the orders in which one line of the shoe and the terminal's line beside it change places."""
    rows = best.rows
    op = court.pool.op[rows]
    ms, reach = court.ms[rows], 2 * court.slack[rows]
    heads = np.flatnonzero(~_ATTACHED[op])
    ends = np.append(heads[1:], len(rows))
    shoe = _SHOE[op[heads]]
    for place in np.flatnonzero(shoe[1:] != shoe[:-1]).tolist():
        first, middle, last = heads[place], heads[place + 1], ends[place + 1]
        card = first if shoe[place] else middle
        apart = abs(int(ms[middle] - ms[first]))
        if apart > reach[card] or (op[first] == ops.BETS_CLOSED and op[middle] == ops.DRAW):
            continue
        turned = np.concatenate([rows[:first], rows[middle:last], rows[first:middle], rows[last:]])
        cost = _SWAP + _FURTHER * apart // max(int(reach[card]), 1)
        yield Candidate(best.round, turned, best.supposed, best.cost + cost)


def by_procedure(court: Court, rows: I64, asked: I32) -> I64:
    """Put every card behind the line that asked for it; ``asked`` is by row of ``rows``.

    A reading of the hole card comes when all initial cards lie there, before the first decision.
    """
    op = court.pool.op[rows]
    places = np.arange(len(rows)) * 1000
    draws = np.flatnonzero(op == ops.DRAW)
    known = draws[asked[draws] >= 0]
    places[known] = asked[known] * 1000 + 1
    # A card that nobody asked for keeps beside the card before it.
    for draw in draws[asked[draws] < 0].tolist():
        before = draws[draws < draw]
        places[draw] = places[before[-1]] if len(before) else places[draw]
    places[draws] = np.maximum.accumulate(places[draws])
    decided = np.flatnonzero(op == ops.DECISION)
    checks = np.flatnonzero(op == ops.HOLE_CHECK)
    if len(checks) and len(decided):
        places[checks] = np.minimum(places[checks], decided[0] * 1000 - 1)
    found: I64 = rows[np.argsort(places, kind="stable")]
    return found
