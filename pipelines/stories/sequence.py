"""Rounds read without clocks: cards go to rounds in the order in which they left the shoe.

Where the clock of a shoe is not known (it stepped in mid-round, or too few rounds show it), the rounds before and after
still say which cards lie between them, and the decisions say how many each round took.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

import numpy as np

from pipelines.stories import order, prices
from pipelines.stories.trial import Candidate, Court
from replay import ops
from replay.columns import I64
from replay.engine import layout as L

_MOST_ROUNDS: Final = 30  # of a run
_MOST_CARDS: Final = 60  # of a round
_STEP: Final = round(-1000 * np.log(prices.UNKNOWN_STEP))
_NEAR: Final = round(-1000 * np.log(prices.NEAR_STEP))


def runs(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Divide numbers of rounds into runs of neighbours."""
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        yield [number for _, number in group]


class Draws:
    """A table's draws in order, and the first draw of each round."""

    def __init__(self, court: Court, stepped: set[int]) -> None:
        self.court, self.stepped = court, stepped
        table = court.judged.encoded.table
        self.draws = np.flatnonzero(table.op == ops.DRAW)  # rows of the table's tape
        self.checks = np.flatnonzero(table.op == ops.HOLE_CHECK)
        place = {line: n for n, line in enumerate(court.judged.encoded.table_source[self.draws].tolist())}
        tape = court.tape
        rows = np.flatnonzero(tape.op == ops.DRAW)
        number = np.searchsorted(court.offsets, rows, side="right") - 1
        places = np.array([place[line] for line in court.judged.encoded.source[rows].tolist()], np.int64)
        count = len(court.offsets) - 1
        self.first, self.last = np.full(count, len(self.draws)), np.full(count, -1)
        np.minimum.at(self.first, number, places)
        np.maximum.at(self.last, number, places)
        self.begins = _begins(court)

    def candidates(self, run: list[int]) -> list[Candidate]:
        """Share the cards between the rounds before and after a run among its rounds, if they come out even."""
        before, after = run[0] - 1, run[-1] + 1
        at = int(self.last[before]) + 1 if before >= 0 and self.last[before] >= 0 else 0
        until = int(self.first[after]) if after < len(self.first) else len(self.draws)
        if len(run) > _MOST_ROUNDS or until <= at or (after < len(self.first) and self.first[after] >= len(self.draws)):
            return []
        found = []
        cost = _NEAR if self.stepped.intersection(run) else _STEP
        for number in run:
            at += self._burned(number, at)
            rows = self._rows(number, at, min(until, at + _MOST_CARDS))
            if rows is None:
                return []
            tried = self.court.tries([Candidate(number, rows, timed=False)])
            role = tried.verdicts.zones[:, 0]
            is_draw = tried.tape.op == ops.DRAW
            left = np.flatnonzero(is_draw & ((role == L.LEFT_OVER) | (role == L.UNPLACED)))
            took = int(is_draw[: left[0]].sum()) if len(left) else int(is_draw.sum())
            rows = self._rows(number, at, at + took)
            if rows is None or not took:
                return []
            tried = self.court.tries([Candidate(number, rows)])
            if tried.by_cards[0]:
                return []
            found.append(
                Candidate(number, order.by_procedure(self.court, rows, tried.verdicts.asked), cost=cost, timed=False)
            )
            at += took
        if after < len(self.first):
            at += self._burned(after, at)
        return found if at == until or after >= len(self.first) else []

    def _burned(self, number: int, at: int) -> int:
        """Count the cards burned before a round: a new shoe's first, and a new dealer's."""
        table, rules = self.court.judged.encoded.table, self.court.judged.rules
        if at >= len(self.draws):
            return 0
        if table.aux[self.draws[at]] == 1:
            return int(rules.burn_first)
        begin = self.begins[number]
        earlier = self.begins[number - 1] if number else -1
        changed = (table.op[earlier + 1 : begin + 1] == ops.DEALER_CHANGE).any()
        return int(bool(changed and rules.burn_new_dealer))

    def _rows(self, number: int, first: int, last: int) -> I64 | None:
        """Lay the round's lines of the terminal with some draws behind the closing of bets; None without that line."""
        own = self.court.rows(number)
        lines = own[~order.is_shoe(self.court.tape.op[own])]
        closed = np.flatnonzero(self.court.tape.op[lines] == ops.BETS_CLOSED)
        if not len(closed) or last > len(self.draws) or last <= first:
            return None
        base = len(self.court.tape.op)
        taken = self.draws[first:last]
        following = self.draws[last] if last < len(self.draws) else len(self.court.judged.encoded.table.op)
        checks = self.checks[(self.checks > taken[0]) & (self.checks < following)][:1]
        decided = np.flatnonzero(self.court.tape.op[lines] == ops.DECISION)
        place = int(decided[0]) if len(decided) else len(lines) - 1
        with_check = np.insert(lines, place, base + checks) if len(checks) else lines
        rows: I64 = np.insert(with_check, int(closed[0]) + 1, base + taken)
        return rows


def _begins(court: Court) -> I64:
    """Find the row of the table's tape at which each round begins."""
    table = court.judged.encoded.table
    rows = np.flatnonzero(table.op == ops.ROUND_BEGIN)[::-1]
    found = np.zeros(len(court.offsets) - 1, np.int64)
    found[table.aux[rows]] = rows
    return found
