"""Price a story by what players usually decide: nobody hits 19, few stand on 9.

A card in another hand makes other totals there, and other decisions usual. Hands of a split box do not count.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay import cards, ops
from replay.bulk import Verdicts
from replay.columns import I32, I64, U8, Mask
from replay.compiled import entry
from replay.engine import layout as L
from replay.tape import Tape

NO_STATE: Final = -1
_SOFT: Final = 23  # hands: hard totals up to 22, which stands for more, then soft ones
_HANDS: Final = _SOFT + 22
_UPS, _SIZES = 2, 2  # whether the dealer shows 7 or more; whether the hand has two cards
_ACTIONS: Final = 6
_LIKE: Final = 4.0  # decisions with which all hands like one count for that one
_ODD: Final = 0.02  # chance of a decision that follows no habit

Chances = npt.NDArray[np.float64]


class PlayedRows(NamedTuple):
    """Columns of a tape that tell what was dealt and decided."""

    op: U8
    seat: U8
    hand: U8
    card: U8


@entry
def states(rows: PlayedRows, offsets: I64, zones: U8, asked: I32, state: I32) -> None:
    """Name the hand and the up card before every decision in a box with one hand; fills ``state``."""
    op, seat, hand, card = rows
    for number in range(len(offsets) - 1):
        lo, hi = offsets[number], offsets[number + 1]
        split, up = np.int64(0), 0
        for row in range(lo, hi):
            if op[row] == ops.DECISION and hand[row] > 1:
                split |= np.int64(1) << np.int64(seat[row])
            if op[row] == ops.DRAW and zones[row, 0] == L.TO_DEALER and zones[row, 3] == 1:
                up = 0 if 2 <= cards.VALUE[card[row]] <= 6 else 1
        for row in range(lo, hi):
            state[row] = NO_STATE
            if op[row] != ops.DECISION or split >> np.int64(seat[row]) & 1:
                continue
            total, count, aces = 0, 0, 0
            for draw in range(lo, hi):
                is_own = op[draw] == ops.DRAW and zones[draw, 0] == L.TO_BOX and zones[draw, 1] == seat[row]
                if is_own and 0 <= asked[draw] < row - lo:
                    total, count = total + cards.VALUE[card[draw]], count + 1
                    aces += 1 if cards.VALUE[card[draw]] == 1 else 0
            held = _SOFT + total + 10 if aces and total <= 11 else min(total, _SOFT - 1)
            state[row] = (held * _UPS + up) * _SIZES + (1 if count == 2 else 0)


def measured(tape: Tape, offsets: I64, verdicts: Verdicts) -> I32:
    """Name by row the hand in which a decision was taken."""
    found = np.full(len(tape.op), NO_STATE, np.int32)
    states(PlayedRows(tape.op, tape.seat, tape.hand, tape.card), offsets, verdicts.zones, verdicts.asked, found)
    return found


def learn(state: I32, action: U8, kept: Mask) -> I64:
    """Learn what decisions cost by hand and action, in thousandths of a nat, from some rows."""
    rows = np.flatnonzero((state != NO_STATE) & kept & (action < _ACTIONS))
    count = np.zeros((_HANDS * _UPS * _SIZES, _ACTIONS))
    np.add.at(count, (state[rows], action[rows]), 1)
    by_hand = count.reshape(_HANDS, _UPS, _SIZES, _ACTIONS)
    chance = _anybody()[:, None, None]
    for like in (by_hand.sum(axis=(1, 2), keepdims=True), by_hand.sum(axis=1, keepdims=True), by_hand):
        chance = (like + _LIKE * chance) / (like.sum(axis=-1, keepdims=True) + _LIKE)
    cost: I64 = np.round(-1000 * np.log((1 - _ODD) * chance + _ODD / _ACTIONS)).astype(np.int64)
    return cost.reshape(-1, _ACTIONS)


def _anybody() -> Chances:
    """Return what is known of players without a day's decisions: they hit low totals and stand on high ones."""
    total = np.arange(_HANDS)
    high, low = np.where(total >= _SOFT, 19, 17), np.where(total >= _SOFT, 17, 11)
    total = np.where(total >= _SOFT, total - _SOFT, total)
    hit = np.select([total <= low, total < high], [0.8, 0.45], 0.05)
    stand = np.select([total <= low, total < high], [0.05, 0.45], 0.9)
    chance = np.repeat((1 - hit - stand)[:, None] / (_ACTIONS - 2), _ACTIONS, axis=1)
    chance[:, ops.HIT], chance[:, ops.STAND] = hit, stand
    return chance


def costs(state: I32, action: U8, usual: I64) -> I64:
    """Price every row's decision, in thousandths of a nat."""
    known = (state != NO_STATE) & (action < _ACTIONS)
    return np.where(known, usual[np.where(known, state, 0), np.where(known, action, 0)], 0)
