"""How a story agrees with when cards were drawn: each card comes some time after the line that asked for it."""

from typing import Final, NamedTuple

import numpy as np

from replay import ops
from replay.columns import I32, I64, U8, Mask
from replay.compiled import entry
from replay.engine import layout as L

# What a card comes after.
CLOSED, ANSWER, DEALER, CARD = range(4)  # the closing of bets; a decision; the last decision; the card before it
_KINDS: Final = 4
NO_CARD: Final = 255

_BLOCK: Final = 64  # cards by which the usual gap is known at a time of the day
_TAIL: Final = 50  # one card in so many comes at an odd moment
_ANY_MS: Final = 1 << 40
_FIRST_COST: Final = 3_000  # of a card at an unusual moment, in thousandths of a nat
_MOST_COST: Final = 12_000
_SCALE_MS: Final = 50


class Gaps(NamedTuple):
    """By row: what a card comes after, and how long after it; ``kind`` is NO_CARD for other rows."""

    kind: U8
    ms: I64


class Usual(NamedTuple):
    """The usual gaps by kind, at moments through the day."""

    at: list[I64]
    low: list[I64]
    high: list[I64]


@entry
def gaps(op: U8, offsets: I64, ms: I64, role: U8, asked: I32, kind: U8, gap: I64) -> None:
    """Measure the gaps of all rounds; fills ``kind`` and ``gap``."""
    for number in range(len(offsets) - 1):
        lo, hi = offsets[number], offsets[number + 1]
        last_ask = before = -1
        for row in range(lo, hi):
            kind[row] = NO_CARD
            if op[row] != ops.DRAW:
                continue
            ask = asked[row]
            if ask >= 0:
                if ask == last_ask:
                    kind[row] = CARD
                    gap[row] = ms[row] - ms[before]
                else:
                    kind[row] = CLOSED if op[lo + ask] == ops.BETS_CLOSED else ANSWER
                    if kind[row] == ANSWER and (role[row] == L.TO_DEALER or role[row] == L.LEFT_OVER):
                        kind[row] = DEALER
                    gap[row] = ms[row] - ms[lo + ask]
                last_ask = ask
            before = row


def measured(op: U8, offsets: I64, ms: I64, role: U8, asked: I32) -> Gaps:
    """Measure the gaps of all rounds of a tape."""
    found = Gaps(np.full(len(op), NO_CARD, np.uint8), np.zeros(len(op), np.int64))
    gaps(op, offsets, ms, role, asked, found.kind, found.ms)
    return found


def learn(found: Gaps, ms: I64, kept: Mask) -> Usual:
    """Learn the usual gaps from some rows (those of rounds without a finding), block by block of the day."""
    at, low, high = [], [], []
    for kind in range(_KINDS):
        rows = np.flatnonzero((found.kind == kind) & kept)
        rows = rows[np.argsort(ms[rows], kind="stable")]
        size = min(_BLOCK, len(rows))
        blocks = len(rows) // size if size else 0
        if not blocks:
            at.append(np.zeros(1, np.int64))
            low.append(np.full(1, -_ANY_MS))
            high.append(np.full(1, _ANY_MS))
            continue
        parts = rows[: blocks * size].reshape(blocks, size)
        gaps_ = np.sort(found.ms[parts], axis=1)
        tail = size // _TAIL
        at.append(ms[parts[:, 0]])
        low.append(gaps_[:, tail])
        high.append(gaps_[:, size - 1 - tail])
    return Usual(at, low, high)


def costs(found: Gaps, ms: I64, usual: Usual, slack: int) -> I64:
    """Price every row's card by how unusual its moment is, in thousandths of a nat."""
    cost = np.zeros(len(ms), np.int64)
    for kind in range(_KINDS):
        rows = np.flatnonzero(found.kind == kind)
        if not len(rows):
            continue
        block = np.clip(np.searchsorted(usual.at[kind], ms[rows], side="right") - 1, 0, None)
        near = [np.clip(block + shift, 0, len(usual.at[kind]) - 1) for shift in (-1, 0, 1)]
        low = np.min([usual.low[kind][each] for each in near], axis=0)
        high = np.max([usual.high[kind][each] for each in near], axis=0)
        off = np.maximum(np.maximum(low - found.ms[rows], found.ms[rows] - high) - slack, 0)
        scale = high - low + _SCALE_MS
        unusual = _FIRST_COST + 3_000 * off // np.maximum(scale, 1)
        cost[rows] = np.where(off > 0, np.minimum(unusual, _MOST_COST), 0)
    return cost
