"""Certain facts about when cards are drawn, from the procedure of a round and the terminal's lines."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay.columns import I32, I64, SEED_OF, TYPE_OF, U8, Columns

Mask = npt.NDArray[np.bool_]

_CARD_ACTIONS: Final = ("hit", "double")  # decisions that one card answers
_MANY: Final = 32  # more cards than a dealer draws
SPANS_EACH: Final = 3


class Deals(NamedTuple):
    """Rounds with a ``bets_closed``, in the order of time; all times in ms of the terminal's clock."""

    closed: I64
    dealt: I64  # the first line that needs all initial cards to lie there; ``ended`` where there is none
    ended: I64  # round_end, or the round's last line without one
    quiet: I64  # from here to ``closed`` no card is drawn; ``closed`` itself where one is burned
    cards: I64  # cards of the initial deal
    round: I64  # number of the round
    exact: Mask  # whether ``dealt`` is by such a line

    def take(self, rows: Mask | I64 | slice) -> "Deals":
        """Select rounds."""
        return Deals._make(column[rows] for column in self)


class Asked(NamedTuple):
    """Decisions that one card answers, up to a round's first split."""

    deal: I64  # place of the round in ``Deals``
    nth: I64  # how many such decisions came before it in the round
    after: I64  # ms of the decision before it, or of the closing of bets
    before: I64  # ms of the decision after it; -1 where it is the last


class Spans(NamedTuple):
    """Stretches of the terminal's time with the least and most cards that are drawn in each."""

    begins: I64
    ends: I64
    least: I64
    most: I64


def of_type(columns: Columns, rows: I64, *names: str) -> Mask:
    """Mark rows whose line is of one of these types."""
    return _is_one(columns.type[rows], [TYPE_OF[name] for name in names])


def is_word(words: I32, *names: str) -> Mask:
    """Mark words that are one of a few."""
    return _is_one(words, [SEED_OF[name] for name in names])


def _is_one(values: U8 | I32, wanted: list[int]) -> Mask:
    found: Mask = values == wanted[0]
    for value in wanted[1:]:
        found |= values == value
    return found


def deals(columns: Columns, rows: I64, ms: I64, number: I64, hole_card: bool) -> Deals:
    """List the rounds of a terminal's rows, given with their times and the numbers of their rounds (-1: none)."""
    count = int(number.max(initial=-1)) + 1
    closes = of_type(columns, rows, "bets_closed") & (number >= 0)
    closed = _first(ms, number, closes, count)
    open_ = ms <= np.append(closed, np.iinfo(np.int64).min)[number]  # -1: a line of no round, after any closing
    wagers, kind = of_type(columns, rows, "wager"), columns.text("kind")[rows]
    needs = of_type(columns, rows, "decision", "offer") | (wagers & is_word(kind, "insurance"))
    dealt = _first(ms, number, needs & (number >= 0) & ~open_, count)
    ended = _first(ms, number, of_type(columns, rows, "round_end") & (number >= 0), count)
    inside = number >= 0
    last = np.full(count, -1)
    np.maximum.at(last, number[inside], ms[inside])
    ended = np.where(ended == _NEVER, last, ended)
    boxes = _boxes(columns, rows, number, wagers & open_ & is_word(kind, "main"), count)
    exact = dealt < _NEVER
    cards, every = 2 * boxes + 1 + hole_card, np.arange(count)
    found = Deals(closed, np.where(exact, dealt, ended), ended, closed, cards, every, exact)
    found = found.take((closed < _NEVER) & (boxes > 0))
    found = found.take(np.argsort(found.closed, kind="stable"))
    return found._replace(quiet=_quiet(found, ms[of_type(columns, rows, "dealer_change", "cut")]))


_NEVER: Final = np.iinfo(np.int64).max


def _quiet(found: Deals, changes: I64) -> I64:
    """Say from when on no card is drawn before each closing of bets: a new dealer and a new shoe burn one."""
    before = np.append(found.closed[:1], found.ended[:-1])
    changed = np.searchsorted(changes, found.closed) > np.searchsorted(changes, before)
    quiet: I64 = np.where(changed, found.closed, np.minimum(before, found.closed))
    return quiet


def _first(ms: I64, number: I64, marks: Mask, count: int) -> I64:
    """Find the time of each round's first marked row."""
    found = np.full(count, _NEVER)
    np.minimum.at(found, number[marks], ms[marks])
    return found


def _boxes(columns: Columns, rows: I64, number: I64, staked: Mask, count: int) -> I64:
    """Count each round's boxes with a main wager."""
    pairs = np.unique(number[staked] << 8 | columns.number("seat")[rows][staked] & 0xFF) >> 8
    return np.bincount(pairs, minlength=count).astype(np.int64)


def spans(found: Deals) -> Spans:
    """Say how many cards are drawn in each deal, and between a round's end and the next closing of bets.

    Every round has ``SPANS_EACH`` spans, one after another; one that tells nothing can hold no number of cards.
    """
    most = np.where(found.exact, found.cards, _MANY)
    none, never = np.zeros(len(most), np.int64), (found.quiet == found.closed).astype(np.int64)
    parts = (
        (found.closed, found.dealt, found.cards, most),
        (found.closed, found.dealt, found.cards - 1, most + 1),  # a stamp may be late
        (found.quiet, found.closed, never, none),
    )
    return Spans(*(np.stack(columns, axis=1).ravel() for columns in zip(*parts, strict=True)))


_HEARD_MS: Final = 45_000  # clocks seldom differ by more


def heard(found: Deals, wanted: Asked, draws: I64) -> tuple[Deals, Asked]:
    """Leave out rounds during which a shoe was silent: none of its draws is anywhere near."""
    near = np.searchsorted(draws, found.ended + _HEARD_MS) > np.searchsorted(draws, found.closed - _HEARD_MS)
    return (found, wanted) if not near.any() else chosen(found, wanted, near)


def chosen(found: Deals, wanted: Asked, marks: Mask) -> tuple[Deals, Asked]:
    """Select rounds, with the decisions in them."""
    if marks.all():
        return found, wanted
    place = np.cumsum(marks) - 1
    kept = marks[wanted.deal]
    asked_ = Asked(place[wanted.deal[kept]], wanted.nth[kept], wanted.after[kept], wanted.before[kept])
    return found.take(marks), asked_


def asked(columns: Columns, rows: I64, ms: I64, number: I64, found: Deals) -> Asked:
    """List the decisions that one card answers, in rounds of ``found``."""
    place = np.full(int(number.max(initial=-1)) + 2, -1)
    place[found.round] = np.arange(len(found.round))
    decided = np.flatnonzero(of_type(columns, rows, "decision") & (number >= 0))
    decided = decided[place[number[decided]] >= 0]
    if not len(decided):
        none = np.zeros(0, np.int64)
        return Asked(none, none, none, none)
    deal, at, action = place[number[decided]], ms[decided], columns.text("action")[rows[decided]]
    by = np.lexsort((decided, deal))
    deal, at, action = deal[by], at[by], action[by]
    starts = np.append(True, np.diff(deal) != 0)
    first = np.maximum.accumulate(np.where(starts, np.arange(len(deal)), 0))
    takes, splits = is_word(action, *_CARD_ACTIONS), np.cumsum(is_word(action, "split"))
    so_far: I64 = np.cumsum(takes) - takes
    whole: Mask = splits == (splits - is_word(action, "split"))[first]
    kept = np.flatnonzero(takes & whole)
    after = np.where(starts[kept], found.closed[deal[kept]], at[kept - 1])
    follows = np.append(np.diff(deal) == 0, False)[kept]
    before = np.where(follows, np.append(at[1:], -1)[kept], -1)
    return Asked(deal[kept], (so_far - so_far[first])[kept], after, before)
