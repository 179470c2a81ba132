"""Candidates of what happened in rounds, replayed through the engine in bulk."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from pipelines.stories import habits, prices, timing
from pipelines.stories.sighted import Sightings
from pipelines.stories.suppose import IN_ERROR, Line, tape_rows
from replay import ops
from replay.audit import Judged
from replay.bulk import Verdicts, judge_all
from replay.columns import I64
from replay.engine import layout as L
from replay.tape import Tape

_CONTRADICTED: Final = prices.in_thousandths(prices.CONTRADICTED)


class Candidate(NamedTuple):
    """A way in which a round may have happened."""

    round: int
    rows: I64  # of the day's tape, in order
    supposed: tuple[Line, ...] = ()  # lines that nobody logged
    cost: int = 0  # of its order, in thousandths of a nat
    timed: bool = True  # whether the clock counts: not where it is supposed to have stepped


class Tried(NamedTuple):
    """Candidates with what the engine says of each, and what each costs."""

    candidates: Sequence[Candidate]
    verdicts: Verdicts
    offsets: I64
    tape: Tape
    cost: I64  # in thousandths of a nat
    suspect: I64  # findings that another order could explain
    by_cards: I64  # findings that other cards could explain
    unusual: I64  # what the moments of its cards cost
    elsewhere: I64  # what cards cost that the camera saw in other places

    def findings(self, n: int) -> I64:
        """Select the findings of a candidate; without a clock, none that hangs on the order of two devices."""
        found = _of_round(self.verdicts.findings, L.F_ROUND, n)
        return found if self.candidates[n].timed else found[~prices.BY_CLOCK[found[:, L.F_SLOT]]]

    def settlements(self, n: int) -> I64:
        """Select the settlements of a candidate."""
        return _of_round(self.verdicts.settlements, L.S_ROUND, n)

    def taken(self, n: int) -> I64:
        """Say for every card of a candidate which row asked for it, or for those before; none did for what is left."""
        rows = np.arange(self.offsets[n], self.offsets[n + 1])
        draws = rows[self.tape.op[rows] == ops.DRAW]
        asked = np.where(self.verdicts.zones[draws, 0] == L.LEFT_OVER, len(rows), self.verdicts.asked[draws])
        found: I64 = np.maximum.accumulate(asked).astype(np.int64)
        return found

    def cards(self, n: int) -> I64:
        """List a candidate's cards: ordinal and zone; the zone is 0 for what was not played."""
        rows = np.arange(self.offsets[n], self.offsets[n + 1])
        draws = rows[self.tape.op[rows] == ops.DRAW]
        zones = self.verdicts.zones[draws].astype(np.int64)
        played = (zones[:, 0] == L.TO_BOX) | (zones[:, 0] == L.TO_DEALER)
        return np.column_stack([self.tape.aux[draws], zones * played[:, None]])


class Court:
    """A judged table's day whose rounds are tried again."""

    def __init__(self, judged: Judged, ms: I64, slack: I64, price: I64, sightings: Sightings | None = None) -> None:
        self.judged, self.price, self.sightings = judged, price, sightings
        encoded = judged.encoded
        self.tape, self.offsets = encoded.tape, encoded.offsets
        # The rounds' rows, then the table's: a story may take a card from between rounds.
        self.pool = _appended(encoded.tape, encoded.table)
        self.source = np.concatenate([encoded.source, encoded.table_source])
        self.ms, self.slack = ms[self.source], slack[self.source]
        self.usual, self.habits = self._learned()
        self.strays = self._strays()

    def _learned(self) -> tuple[timing.Usual, I64]:
        """Learn from rounds without a finding when cards are drawn, and what players decide."""
        verdicts = self.judged.verdicts
        ms = self.ms[: len(self.tape.op)]
        found = timing.measured(self.tape.op, self.offsets, ms, verdicts.zones[:, 0].copy(), verdicts.asked)
        clean = np.ones(len(self.offsets) - 1, np.bool_)
        clean[verdicts.findings[:, L.F_ROUND]] = False
        kept = np.repeat(clean, np.diff(self.offsets))
        decided = habits.measured(self.tape, self.offsets, verdicts)
        return timing.learn(found, ms, kept), habits.learn(decided, self.tape.kind, kept)

    def _strays(self) -> dict[int, I64]:
        """By round: draws that belong to no round, although the clocks put them into it; cards to burn do not count."""
        encoded, size = self.judged.encoded, len(self.tape.op)
        rows, changes = (np.flatnonzero(encoded.table.op == op) for op in (ops.DRAW, ops.DEALER_CHANGE))
        burns = np.diff(np.searchsorted(changes, rows), prepend=0) > 0
        draws = size + rows[~burns & (encoded.table.aux[rows] != 1)]
        draws = draws[~np.isin(self.source[draws], encoded.source)]
        closed, ended = (np.flatnonzero(self.tape.op == op) for op in (ops.BETS_CLOSED, ops.ROUND_END))
        until = dict(zip(self._round_of(ended), self.ms[ended].tolist(), strict=True))
        found: dict[int, list[int]] = {}
        at = np.searchsorted(self.ms[closed], self.ms[draws]) - 1
        for row, number in zip(draws[at >= 0].tolist(), self._round_of(closed[at[at >= 0]]), strict=True):
            if self.ms[row] < until.get(number, 0):
                found.setdefault(number, []).append(row)
        return {number: np.array(rows) for number, rows in found.items()}

    def _round_of(self, rows: I64) -> list[int]:
        found: list[int] = (np.searchsorted(self.offsets, rows, side="right") - 1).tolist()
        return found

    def by_clock(self, number: int) -> I64:
        """List the rows of a round with all draws that the clocks put into it, in the order of the clocks."""
        rows = np.concatenate([self.rows(number), self.strays[number]])
        found: I64 = rows[np.argsort(self.ms[rows], kind="stable")]
        return found

    def _left_out(self, each: Candidate) -> int:
        """Count the draws that a candidate leaves to no round against the clock."""
        if not each.timed or each.round not in self.strays:
            return 0
        return len(np.setdiff1d(self.strays[each.round], each.rows))

    def rows(self, number: int) -> I64:
        """List the rows of a round's tape."""
        return np.arange(self.offsets[number], self.offsets[number + 1])

    def is_as_judged(self, each: Candidate) -> bool:
        """Whether a candidate has its round's lines in the order in which they were judged."""
        return np.array_equal(each.rows, self.rows(each.round))

    def tries(self, candidates: Sequence[Candidate]) -> Tried:
        """Replay candidates and price them."""
        tape, ms, offsets = self._joined(candidates)
        verdicts = self._judged(candidates, tape, offsets, 0)
        code, number = prices.code_of(verdicts.findings), verdicts.findings[:, L.F_ROUND]
        timed = np.array([each.timed for each in candidates])
        stray = self.price[IN_ERROR]
        cost = np.array([each.cost + stray * self._left_out(each) for each in candidates], np.int64)
        counts = timed[number] | ~prices.BY_CLOCK[verdicts.findings[:, L.F_SLOT]]
        code, number = code[counts], number[counts]
        np.add.at(cost, number, self.price[code])
        found = timing.measured(tape.op, offsets, ms, verdicts.zones[:, 0].copy(), verdicts.asked)
        slack = self._slack(np.concatenate([each.rows for each in candidates]))
        moments = _sums(timing.costs(found, ms, self.usual, slack), offsets)
        cost += np.where(timed, moments, 0)
        decided = habits.measured(tape, offsets, verdicts)
        cost += _sums(habits.costs(decided, tape.kind, self.habits), offsets)
        elsewhere, unseen = self._seen(candidates, verdicts, tape, offsets)
        cost += elsewhere + unseen
        contradicted = (elsewhere >= _CONTRADICTED).astype(np.int64)
        count = len(candidates)
        return Tried(
            candidates,
            verdicts,
            offsets,
            tape,
            cost,
            np.bincount(number[prices.BY_ORDER[code]], minlength=count) + contradicted,
            np.bincount(number[prices.BY_CARDS[code]], minlength=count) + contradicted,
            np.where(timed, moments, 0),
            elsewhere,
        )

    def _seen(self, candidates: Sequence[Candidate], verdicts: Verdicts, tape: Tape, offsets: I64) -> tuple[I64, I64]:
        """Price the places of cards by what the camera saw."""
        rounds = np.array([each.round for each in candidates], np.int64)
        if self.sightings is None:
            return np.zeros_like(rounds), np.zeros_like(rounds)
        supposed = [each.supposed for each in candidates]
        return self.sightings.costs(rounds, tape, offsets, verdicts.zones, supposed)

    def contradicted(self) -> I64:
        """List the rounds that the camera contradicts although nothing irregular was logged in them."""
        if self.sightings is None:
            return np.zeros(0, np.int64)
        every = np.arange(len(self.offsets) - 1)
        none: list[tuple[Line, ...]] = [()] * len(every)
        cost, _ = self.sightings.costs(every, self.tape, self.offsets, self.judged.verdicts.zones, none)
        logged = np.searchsorted(self.offsets, np.flatnonzero(self.tape.op == ops.IRREGULARITY), side="right") - 1
        cost[logged] = 0
        return np.flatnonzero(cost >= _CONTRADICTED)

    def replayed(self, candidates: Sequence[Candidate], without: int) -> tuple[Verdicts, Tape, I64]:
        """Replay candidates, less some bits of their rounds' contexts."""
        tape, _, offsets = self._joined(candidates)
        return self._judged(candidates, tape, offsets, without), tape, offsets

    def _judged(self, candidates: Sequence[Candidate], tape: Tape, offsets: I64, without: int) -> Verdicts:
        contexts = self.judged.contexts[[each.round for each in candidates]] & ~without
        return _together(list(judge_all(tape, offsets, contexts, self.judged.rules, threads=1)))

    def _slack(self, rows: I64) -> int:
        """Say how far a card's moment may be off: twice the usual slack."""
        draws = rows[self.pool.op[rows] == ops.DRAW]
        return 2 * int(np.median(self.slack[draws])) if len(draws) else 0

    def _joined(self, candidates: Sequence[Candidate]) -> tuple[Tape, I64, I64]:
        """Lay the tapes of candidates one after another, supposed lines in their places."""
        extra = tape_rows([line for each in candidates for line in each.supposed])
        pool = _appended(self.pool, extra.tape)
        times = np.concatenate([self.ms, np.zeros(len(extra.tape.op), np.int64)])
        base, at, parts = len(self.source), 0, []
        for each in candidates:
            rows = each.rows
            for line in each.supposed:
                own = base + np.arange(extra.starts[at], extra.starts[at + 1])
                rows = np.concatenate([rows[: line.at], own, rows[line.at :]])
                at += 1
            parts.append(rows)
        rows = np.concatenate(parts)
        offsets = np.append(0, np.cumsum([len(part) for part in parts])).astype(np.int64)
        return Tape._make(column[rows] for column in pool), times[rows], offsets


def _appended(tape: Tape, more: Tape) -> Tape:
    """Append the rows of a tape to another."""
    return Tape._make(np.concatenate([own, new]) for own, new in zip(tape, more, strict=True))


def _of_round(rows: I64, column: int, n: int) -> I64:
    """Select the rows of a round; they are sorted by it."""
    first, last = np.searchsorted(rows[:, column], [n, n + 1])
    return rows[first:last]


def _sums(values: I64, offsets: I64) -> I64:
    """Add up values round by round."""
    total = np.append(0, np.cumsum(values))
    found: I64 = total[offsets[1:]] - total[offsets[:-1]]
    return found


def _together(parts: list[Verdicts]) -> Verdicts:
    if len(parts) == 1:
        return parts[0]
    return Verdicts(0, *(np.concatenate([part[n] for part in parts]) for n in range(1, len(Verdicts._fields))))
