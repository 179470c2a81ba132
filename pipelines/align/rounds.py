"""Which round each line lies in, and where that is in doubt."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from pipelines.align import walk
from pipelines.align.procedure import of_type
from replay.columns import I32, I64, SHOE, TERMINAL, Columns

NO_BEGIN: Final = "no line says when bets were closed"
NO_END: Final = "no line says when the round ended"
NO_DRAWS: Final = "no card was drawn in the round"


class Rounds(NamedTuple):
    """The rounds of a day: their words in the order in which they come, and when each was in play."""

    words: list[int]
    number: I64  # by ordered line: its own round, -1 for none
    after: I64  # by ordered line: the round in play after it, -1 for none
    begins: I64  # ms by round; the first line's where nothing says so
    ends: I64  # ms by round; the last line's where nothing says so
    begun: I64  # by round: lines that begin it
    ended: I64


def numbered(words: I32) -> tuple[list[int], I64]:
    """Words by the order of their first appearance, and by line the place of its word; -1 for no word."""
    place = np.full(int(words.max(initial=0)) + 1, -1, np.int64)
    number = np.empty(len(words), np.int64)
    count = walk.number(words, place, number)
    known = np.flatnonzero(place >= 0)
    found = np.empty(count, np.int64)
    found[place[known]] = known
    return found.tolist(), number


def rounds(columns: Columns, order: I64, ms: I64) -> Rounds:
    """The rounds of lines in order: in play from ``bets_closed``, or the first line without one, to ``round_end``."""
    words, number = numbered(columns.text("round")[order])
    count = len(words)
    inside = np.flatnonzero(number >= 0)
    closes = of_type(columns, order, "bets_closed") & (number >= 0)
    finishes = of_type(columns, order, "round_end") & (number >= 0)
    begun, ended = (np.bincount(number[marks], minlength=count) for marks in (closes, finishes))
    first = np.full(count, len(order), np.int64)
    np.minimum.at(first, number[inside], inside)
    last = np.zeros(count, np.int64)
    np.maximum.at(last, number[inside], inside)

    does = np.zeros(len(order), np.uint8)
    does[first[begun == 0]] = walk.BEGINS
    does[closes] = walk.BEGINS
    does[finishes] = walk.ENDS
    begins, ends = ms[first], ms[last]
    begins[number[closes][::-1]] = ms[closes][::-1]
    ends[number[finishes]] = ms[finishes]
    return Rounds(words, number, walk.in_play(does, number), begins, ends, begun, ended)


def round_of(columns: Columns, order: I64, found: Rounds) -> I64:
    """The round of each ordered line: a terminal's by its word, a shoe's by the round in play."""
    lies: I64 = np.where(columns.source[order] == TERMINAL, found.number, found.after)
    return lies


def round_at(ms: I64, ordered_ms: I64, found: Rounds) -> I64:
    """The round in play at moments, -1 for none."""
    place = np.searchsorted(ordered_ms, ms, side="right") - 1
    playing: I64 = np.where(place >= 0, found.after[place], -1) if len(ordered_ms) else np.full(len(ms), -1, np.int64)
    return playing


class Doubts:
    """Reasons to doubt which cards a round was played with; of several for one round the first stands."""

    def __init__(self, found: Rounds) -> None:
        self.rounds = found
        self.reasons: list[str | None] = [None] * len(found.words)

    def add(self, numbers: Sequence[int] | I64, reason: str) -> None:
        """Doubt some rounds."""
        for number in numbers:
            self.reasons[number] = self.reasons[number] or reason

    def unbounded(self) -> None:
        """Rounds that no line begins or ends."""
        self.add(np.flatnonzero(self.rounds.begun == 0), NO_BEGIN)
        self.add(np.flatnonzero(self.rounds.ended == 0), NO_END)

    def missing_draws(self, columns: Columns, order: I64, ms: I64) -> None:
        """Rounds in which draws are missing from the shoe's numbering, and those without any."""
        for since, until, text in _holes(columns, order, ms):
            touched = (self.rounds.ends > since) & (self.rounds.begins < until)
            self.add(np.flatnonzero(touched), text)
        drawn = self.rounds.after[of_type(columns, order, "draw")]
        count = np.bincount(drawn[drawn >= 0], minlength=len(self.rounds.words))
        self.add(np.flatnonzero((count == 0) & (self.rounds.begun > 0)), NO_DRAWS)


def _holes(columns: Columns, order: I64, ms: I64) -> Iterator[tuple[int, int, str]]:
    """From when to when draws of a shoe are missing."""
    loaded = of_type(columns, order, "shoe_loaded")
    kept = np.flatnonzero((columns.source[order] == SHOE) & (loaded | of_type(columns, order, "draw")))
    shoe = columns.text("shoe")[order[kept]]
    ordinal = np.where(loaded[kept], 0, columns.number("n")[order[kept]])
    by_shoe = np.argsort(shoe, kind="stable")
    same = np.diff(shoe[by_shoe]) == 0
    for at in np.flatnonzero(same & (np.diff(ordinal[by_shoe]) > 1)).tolist():
        one, other = int(by_shoe[at]), int(by_shoe[at + 1])
        text = f"the shoe's draws {ordinal[one] + 1} to {ordinal[other] - 1} are missing"
        yield int(ms[kept[one]]), int(ms[kept[other]]), text
