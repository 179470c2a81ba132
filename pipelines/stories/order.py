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
    """List the orders in which one line of the shoe passes lines of the terminal beside it: the next one, or all that
    the clocks leave open; a reading of the hole card also some of them.
    """
    rows = best.rows
    op, ms = court.pool.op[rows], court.ms[rows]
    for card in np.flatnonzero(_SHOE[op]).tolist():
        reach = 2 * int(court.slack[rows[card]])
        for step in (-1, 1):
            passed = _passed(op, ms, card, step, reach)
            ends = {passed[0], passed[-1]} if passed else set()
            for place in passed if op[card] == ops.HOLE_CHECK else ends:
                apart = abs(int(ms[place] - ms[card]))
                turned = np.insert(np.delete(rows, card), _behind(op, place, step, card), rows[card])
                yield Candidate(
                    best.round, turned, best.supposed, best.cost + _SWAP + _FURTHER * apart // max(reach, 1)
                )


def with_card_beside(court: Court, best: Candidate) -> Iterator[Candidate]:
    """List the orders in which a card that the clocks have between rounds was the round's first or last."""
    rows, pool = best.rows, court.pool
    draws = np.flatnonzero(pool.op[rows] == ops.DRAW)
    for end, step in ((0, -1), (-1, 1)) if len(draws) and (pool.op[rows] == ops.BETS_CLOSED).any() else ():
        last = rows[draws[end]]
        same_shoe = (pool.op == ops.DRAW) & (pool.cents == pool.cents[last]) & (pool.aux > 1)  # the first is burned
        beside = np.flatnonzero(same_shoe & (pool.aux == pool.aux[last] + step))
        if len(beside) == 1 and beside[0] >= len(court.tape.op):  # of no round
            turned = np.insert(rows, draws[end] + max(step, 0), beside)
            yield best._replace(rows=turned, cost=best.cost + _SWAP + _FURTHER)


def _passed(op: U8, ms: I64, card: int, step: int, reach: int) -> list[int]:
    """List the terminal's rows beside a shoe's row, on one side, that it may have passed."""
    found = []
    row = card + step
    while 0 <= row < len(op) and not _SHOE[op[row]] and abs(int(ms[row] - ms[card])) <= reach:
        if op[row] == ops.BETS_CLOSED and op[card] == ops.DRAW:
            break  # which side of that a card is on is known by the number of cards
        if not _ATTACHED[op[row]]:
            found.append(row)
        row += step
    return found


def _behind(op: U8, place: int, step: int, card: int) -> int:
    """Say where a row goes, among the others, when it passes a line: behind all rows of that line, or before it."""
    if step < 0:
        return place
    place += 1
    while place < len(op) and _ATTACHED[op[place]]:
        place += 1
    return place - 1 if card < place else place


def by_procedure(court: Court, rows: I64, asked: I32) -> I64:
    """Put every card behind the line that asked for it; ``asked`` is by row of ``rows``.

    A reading of the hole card comes after insurance was taken and match wagers were settled, before the first decision.
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
        kind = court.pool.kind[rows]
        before = ((op == ops.WAGER) & (kind == ops.INSURANCE)) | ((op == ops.SETTLE) & (kind == ops.MATCH))
        first = np.flatnonzero(before[: decided[0]])
        places[checks] = np.maximum(places[checks], first[-1] * 1000 + 2 if len(first) else 0)
        places[checks] = np.minimum(places[checks], decided[0] * 1000 - 1)
    found: I64 = rows[np.argsort(places, kind="stable")]
    return found
