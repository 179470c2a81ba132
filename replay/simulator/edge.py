"""The house edge of a table by play: basic strategy, flat stakes, every round judged by the engine."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import numpy as np

from replay.bulk import judge_all
from replay.engine import layout as L
from replay.rules import Rules, record
from replay.simulator import log as J
from replay.simulator import people as P
from replay.simulator import table as T
from replay.simulator.day import play_fresh
from replay.simulator.strategy import Strategy, solve
from replay.tape import Tape

STAKE_CENTS: Final = 10_000
SLICE_ROUNDS: Final = 16_384
_ROWS_PER_ROUND: Final = 40  # on average a dozen; a slice has room for every round to be long


class Edge(NamedTuple):
    """House edge as a share of a player's first stake, over a number of simulated rounds."""

    rounds: int
    edge: float
    deviation: float  # of one round's result, in first stakes

    @property
    def error(self) -> float:
        """Standard error of the edge."""
        return float(self.deviation / np.sqrt(self.rounds))


def house_edge(
    rules: Rules, rounds: int, seed: int, threads: int | None = None, progress: Callable[[int], object] | None = None
) -> Edge:
    """The edge over at least that many rounds, one player against the dealer, each round from a full shoe."""
    threads = threads or os.cpu_count() or 1
    slices = -(-rounds // SLICE_ROUNDS)
    chart = solve(rules)
    workers = [_Worker(rules, chart) for _ in range(threads)]
    played, total, squares = 0, 0.0, 0.0
    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, slices, threads):
            numbers = range(first, min(first + threads, slices))
            for net in pool.map(_Worker.slice, workers, [np.random.SeedSequence([seed, n]) for n in numbers]):
                played += len(net)
                total += float(net.sum())
                squares += float(np.square(net).sum())
                if progress:
                    progress(len(net))
    mean = total / played
    return Edge(played, -mean, float(np.sqrt(squares / played - mean * mean)))


class _Worker:
    """Worker of one thread, with a table and a player."""

    def __init__(self, rules: Rules, chart: Strategy) -> None:
        patrons = np.zeros((1, P.PATRON_COLUMNS), np.int64)
        patrons[0, [P.P_UNIT_CENTS, P.P_SPREAD]] = STAKE_CENTS, 1
        log = J.empty(_ROWS_PER_ROUND * SLICE_ROUNDS)
        self.table = T.new_table(log, chart, int(rules.decks), 1, patrons, np.zeros((1, 4), np.int64))
        self.table.seats[1, 1], self.table.chips[0] = 1, 1 << 60
        self.rules, self.record = rules, record(rules)
        self.offsets = np.zeros(SLICE_ROUNDS + 1, np.int64)
        self.contexts = np.zeros(SLICE_ROUNDS, np.int64)

    def slice(self, seed: np.random.SeedSequence) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Play a slice of rounds; returns the player's win in each round, in first stakes."""
        T.reseed(self.table, seed)
        play_fresh(self.table, self.record, self.offsets)
        tape = Tape._make(column[: self.offsets[-1]] for column in self.table.log[: len(Tape._fields)])
        (verdicts,) = judge_all(tape, self.offsets, self.contexts, self.rules, threads=1)
        due = verdicts.settlements
        return np.bincount(due[:, L.S_ROUND], due[:, L.S_PAID] - due[:, L.S_TAKEN], SLICE_ROUNDS) / STAKE_CENTS
