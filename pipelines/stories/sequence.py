"""Rounds read without clocks: cards go to rounds in the order in which they left the shoe.

Where the clock of a shoe is not known (it stepped in mid-round, or too few rounds show it), the rounds before and after
still say which cards lie between them, and the decisions say how many each round took.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from pipelines.stories import order, prices
from pipelines.stories.trial import Candidate, Court
from replay import ops
from replay.columns import I64
from replay.engine import layout as L

_MOST_ROUNDS: Final = 80  # of a run
_MOST_CARDS: Final = 60  # of a round
_MOST_TRIES: Final = 200  # ways to share cards that are looked at
_STEP: Final = round(-1000 * np.log(prices.UNKNOWN_STEP))
_NEAR: Final = round(-1000 * np.log(prices.NEAR_STEP))


def runs(numbers: Sequence[int], bridge: int = 0) -> Iterator[list[int]]:
    """Divide rising numbers of rounds into runs of neighbours; so many missing ones are bridged."""
    cuts = np.flatnonzero(np.diff(numbers) > bridge + 1) + 1
    for part in np.split(np.array(numbers, np.int64), cuts):
        if len(part):
            yield list(range(int(part[0]), int(part[-1]) + 1))


class Draws:
    """A table's draws in order, and the first draw of each round."""

    def __init__(self, court: Court) -> None:
        self.court = court
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

    def candidates(self, run: list[int], near: bool) -> list[Candidate]:
        """Share the cards between the rounds before and after a run among its rounds, if they come out even.

        ``near`` says that a clock is known to be off there; then a burn may also have been missed or made.
        """
        before, after = run[0] - 1, run[-1] + 1
        at = int(self.last[before]) + 1 if before >= 0 and self.last[before] >= 0 else 0
        until = int(self.first[after]) if after < len(self.first) else len(self.draws)
        if len(run) > _MOST_ROUNDS or until <= at:
            return []
        shared = self._shared(run, at, until, near)
        if not near and all(self._is_known(number, rows) for number, rows in zip(run, shared, strict=False)):
            return []
        cost = _NEAR if near else _STEP
        return [Candidate(number, rows, cost=cost, timed=False) for number, rows in zip(run, shared, strict=False)]

    def _shared(self, run: list[int], at: int, until: int, near: bool) -> list[I64]:
        """Search for a way to share the cards from ``at`` to ``until`` among rounds; empty without one."""
        waiting: list[tuple[int, list[I64]]] = [(at, [])]
        for _ in range(_MOST_TRIES):
            if not waiting:
                break
            at, shared = waiting.pop()
            following = run[len(shared)] if len(shared) < len(run) else run[-1] + 1
            burned = self._burned(following, at) if following < len(self.first) else 0
            if len(shared) == len(run):
                if following >= len(self.first) or at + burned == until or at == until:
                    return shared
                continue
            for burns in (1 - burned, burned) if near else (burned,):
                ways = self._ways(following, at + burns, until)
                waiting += [(at + burns + took, [*shared, rows]) for took, rows in ways]
        return []

    def _is_known(self, number: int, rows: I64) -> bool:
        """Say whether a round's cards are those that the clock gives it."""
        own = self.court.rows(number)
        known, found = (self.court.source[each[self.court.pool.op[each] == ops.DRAW]] for each in (own, rows))
        return np.array_equal(known, found)

    def _ways(self, number: int, at: int, until: int) -> list[tuple[int, I64]]:
        """List how many cards a round may have taken without anything to explain, and its rows; the likeliest last."""
        rows = self._rows(number, at, min(until, at + _MOST_CARDS))
        if rows is None:
            return []
        tried = self.court.tries([Candidate(number, rows, timed=False)])
        role, is_draw = tried.verdicts.zones[:, 0], tried.tape.op == ops.DRAW
        left = np.flatnonzero(is_draw & ((role == L.LEFT_OVER) | (role == L.UNPLACED)))
        most = int(is_draw[: left[0]].sum()) if len(left) else int(is_draw.sum())
        # A dealer's second card may be left out where nothing hangs on it.
        ways = [(took, self._rows(number, at, at + took)) for took in (most - 1, most)]
        found = [Candidate(number, each, timed=False) for _, each in ways if each is not None]
        if not found:
            return []
        tried = self.court.tries(found)
        asked = [tried.verdicts.asked[slice(*tried.offsets[n : n + 2])] for n in range(len(found))]
        return [
            (
                int((self.court.pool.op[each.rows] == ops.DRAW).sum()),
                order.by_procedure(self.court, each.rows, asked[n]),
            )
            for n, each in enumerate(found)
            if not tried.by_cards[n]
        ]

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
