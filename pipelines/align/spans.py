"""How many cards can be drawn between a terminal's line and the next one of the same round.

A hit is one card before the next decision, wagers are cards of nobody until bets are closed, and so on. Such spans are
what a shoe's clock is fitted to: it is right where most of them hold as many draws as they should.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay.columns import I32, I64, SEED_OF, TYPE_OF, U8, Columns

Mask = npt.NDArray[np.bool_]

_MANY: Final = 16  # cards that a dealer draws at most
_BURNS: Final = 3  # cards that are burned between two rounds at most
_SPLIT_HANDS: Final = 3  # further hands of a split that may get their second card unasked

_PLAYER: Final = ("decision", "assign", "offer")
_PAUSE: Final = ("settle", "progressive", "round_end", "withdraw")
_STAKED_IN_PLAY: Final = ("double", "split", "insurance")
_CARD_ACTIONS: Final = ("hit", "double", "split")


class Spans(NamedTuple):
    """From one line to another, in the order of time."""

    begins: I64  # ms of the terminal's clock
    ends: I64
    least: I64  # draws
    most: I64
    round: I64  # number of the round

    def take(self, rows: Mask | I64 | slice) -> "Spans":
        """Some of them."""
        return Spans(*(column[rows] for column in self))

    def telling(self) -> Mask:
        """All but those that any number of cards suits."""
        told: Mask = (self.least > 0) | (self.most < _MANY)
        return told

    def selective(self) -> Mask:
        """Those that want a certain number of cards: few moments of a wrong clock suit them."""
        wanted: Mask = (self.least > 0) & (self.most - self.least <= _SPLIT_HANDS)
        return wanted


def of_type(columns: Columns, rows: I64, *names: str) -> Mask:
    """Which of the rows are lines of these types."""
    return _is_one(columns.type[rows], [TYPE_OF[name] for name in names])


def _is_word(words: I32, *names: str) -> Mask:
    """Which of the words are one of a few."""
    return _is_one(words, [SEED_OF[name] for name in names])


def _is_one(values: U8 | I32, wanted: list[int]) -> Mask:
    found: Mask = values == wanted[0]
    for value in wanted[1:]:
        found |= values == value
    return found


def spans(columns: Columns, rows: I64, ms: I64, number: I64) -> Spans:
    """The spans of a terminal's rows, given with their times and the numbers of their rounds (-1: none)."""
    opened_ms = int(ms[0]) if len(ms) else 0
    inside = number >= 0
    rows, ms, number = rows[inside], ms[inside], number[inside]
    if len(rows) < 2:
        none = np.zeros(0, np.int64)
        return Spans(none, none, none, none, none)
    least, most = _draws(columns, rows, number)
    kept = (number[1:] == number[:-1]) & (most >= 0)
    inner = _merged(Spans(ms[:-1], ms[1:], least, most, number[:-1]).take(kept))
    return _joined(_between(of_type(columns, rows, "bets_closed"), ms, number, opened_ms), inner)


def _between(closes: Mask, ms: I64, number: I64, opened_ms: int) -> Spans:
    """From the last line of one round to the closing of bets in the next: few cards are burned there."""
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    ends = np.flatnonzero(closes)
    ends = ends[np.concatenate([[True], np.diff(number[ends]) != 0])[: len(ends)]]
    before = starts[np.searchsorted(starts, ends, side="right") - 1] - 1
    none = np.zeros(len(ends), np.int64)
    return Spans(np.where(before >= 0, ms[before], opened_ms), ms[ends], none, none + _BURNS, number[ends])


def _joined(outer: Spans, inner: Spans) -> Spans:
    """Both by round, a round's outer span first."""
    order = np.argsort(np.concatenate([outer.round, inner.round]), kind="stable")
    return Spans(*(np.concatenate(pair)[order] for pair in zip(outer, inner, strict=True)))


def _draws(columns: Columns, rows: I64, number: I64) -> tuple[I64, I64]:
    """Least and most draws between each row and the next; most is -1 where nothing can be said."""
    closes = of_type(columns, rows, "bets_closed")
    closed = _since(closes, number)
    wagers = of_type(columns, rows, "wager")
    in_play = _is_word(columns.text("kind")[rows], *_STAKED_IN_PLAY)
    player = of_type(columns, rows, *_PLAYER) | (wagers & in_play)
    pause = of_type(columns, rows, *_PAUSE)
    action = np.where(of_type(columns, rows, "decision"), columns.text("action")[rows], 0)
    split = _since(action == SEED_OF["split"], number)
    boxes = _boxes(columns, rows, number, wagers & ~closed)

    least = np.where(_is_word(action, *_CARD_ACTIONS), 1, 0)[:-1]
    # The card of a split comes after the wagers have been assigned to its hands.
    least[of_type(columns, rows, "assign")[1:]] = 0
    extra = np.where(split[:-1], _SPLIT_HANDS, 0)
    extra[pause[1:] & ~_until(player, number)[1:]] = _MANY  # the dealer draws when the players are done
    deals = closes[:-1]
    least[deals] = 2 * boxes[:-1][deals] + 1
    # Side bets on the first cards are settled when they lie there, before anything else is drawn.
    extra[deals & settles(columns, rows, "pair", "match")[1:]] = 0
    extra[deals] += 1
    before = ~closed[:-1]
    extra[before] = 0
    extra[settled_together(columns, rows)] = 0
    known = player | pause | closes | (wagers & ~closed)
    says = known[:-1] & known[1:] & ~(deals & (boxes[:-1] == 0))
    return least, np.where(says, least + extra, -1)


def settled_together(columns: Columns, rows: I64) -> Mask:
    """By row but the last: it and the next one settle wagers on one hand, side bets on the first cards, or insurance.

    That is done in one go: nothing is drawn or read meanwhile.
    """
    seat, hand = columns.number("seat")[rows], columns.number("hand")[rows]
    on_hand = settles(columns, rows, "main", "split", "double")
    same = (np.diff(seat) == 0) & (np.diff(hand) == 0) & on_hand[1:] & on_hand[:-1]
    dealt, insured = settles(columns, rows, "pair", "match"), settles(columns, rows, "insurance")
    alike = same | (dealt[1:] & dealt[:-1]) | (insured[1:] & insured[:-1])
    together: Mask = alike & (np.diff(columns.text("round")[rows]) == 0)
    return together


def follows_at_once(columns: Columns, rows: I64) -> Mask:
    """Lines that come at once upon a card, as no card comes upon them: reports, late wagers, a new dealer.

    To draw a card takes longer than to press a key.
    """
    closed = _since(of_type(columns, rows, "bets_closed"), columns.text("round")[rows].astype(np.int64))
    in_turn = _is_word(columns.text("kind")[rows], "double", "split")
    late = of_type(columns, rows, "wager") & closed & ~in_turn
    return of_type(columns, rows, "irregularity", "dealer_change") | late


def _until(marks: Mask, number: I64) -> Mask:
    """From the beginning of a round to its last marked row."""
    return _since(marks[::-1], number[::-1])[::-1]


def settles(columns: Columns, rows: I64, *kinds: str) -> Mask:
    """Settlements of some kinds of wager."""
    return of_type(columns, rows, "settle") & _is_word(columns.text("kind")[rows], *kinds)


def _since(marks: Mask, number: I64) -> Mask:
    """From a marked row to the end of its round."""
    at = np.arange(len(marks))
    first = np.flatnonzero(np.diff(number, prepend=-1))
    start = first[np.cumsum(np.diff(number, prepend=-1) != 0) - 1]
    found: Mask = np.maximum.accumulate(np.where(marks, at, -1)) >= start
    return found


def _boxes(columns: Columns, rows: I64, number: I64, wagers: Mask) -> I64:
    """By row: boxes of its round with a main wager."""
    main = wagers & _is_word(columns.text("kind")[rows], "main")
    pairs = np.unique(number[main] << 8 | columns.number("seat")[rows][main] & 0xFF) >> 8
    counts = np.bincount(pairs, minlength=int(number.max()) + 1)
    boxes: I64 = counts[number]
    return boxes


def _merged(found: Spans) -> Spans:
    """Neighbours in which no card can be drawn are one span."""
    if not len(found.begins):
        return found
    joins = (found.most[1:] == 0) & (found.most[:-1] == 0) & (found.begins[1:] == found.ends[:-1])
    joins &= found.round[1:] == found.round[:-1]
    first = np.flatnonzero(np.concatenate([[True], ~joins]))
    last = np.append(first[1:], len(found.begins)) - 1
    return found.take(first)._replace(ends=found.ends[last])
