"""Many rounds at once: slices of the tape, judged by as many threads as there are cores."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from replay import ops
from replay.engine import judge
from replay.engine import layout as L
from replay.rules import Rules, record
from replay.tape import I64, Tape, check

SLICE_ROUNDS = 16_384


class Verdicts(NamedTuple):
    """The engine's verdicts on a range of rounds; columns are named in ``replay.engine.layout``."""

    first_round: int
    settlements: I64
    findings: I64
    hands: I64
    rounds: I64
    steps: I64
    zones: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
    asked: np.ndarray[tuple[int, ...], np.dtype[np.int32]]


def judge_all(
    tape: Tape, offsets: I64, contexts: I64, rules: Rules, threads: int | None = None, trace: bool = False
) -> Iterator[Verdicts]:
    """Verdicts slice by slice, in order. Memory is bounded by the slices under way, not by the tape."""
    check(tape, offsets)
    rules = record(rules)
    starts = range(0, len(offsets) - 1, SLICE_ROUNDS)
    threads = threads or os.cpu_count() or 1
    if threads == 1:
        for first in starts:
            last = min(first + SLICE_ROUNDS, len(offsets) - 1)
            yield _judge_slice(tape, offsets, contexts, first, last, rules, trace)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting = []
        for first in starts:
            last = min(first + SLICE_ROUNDS, len(offsets) - 1)
            waiting.append(pool.submit(_judge_slice, tape, offsets, contexts, first, last, rules, trace))
            if len(waiting) > 2 * threads:
                yield waiting.pop(0).result()
        for future in waiting:
            yield future.result()


def _judge_slice(tape: Tape, offsets: I64, contexts: I64, first: int, last: int, rules: Rules, trace: bool) -> Verdicts:
    lo, hi = int(offsets[first]), int(offsets[last])
    op = tape.op[lo:hi]
    wagers, settles = int(np.count_nonzero(op == ops.WAGER)), int(np.count_nonzero(op == ops.SETTLE))
    decisions = int(np.count_nonzero(op == ops.DECISION))
    longest = int(np.diff(offsets[first : last + 1]).max(initial=0))
    rows, rounds, scale = hi - lo, last - first, 1
    while True:
        work = L.new_work(scale * longest)
        settlements = 2 * wagers + settles + decisions + 2 * rounds
        steps = scale * (4 * rows + 64) if trace else 0
        out = L.new_out(rounds, rows, scale * (4 * rounds + 64), settlements, steps)
        judge.judge_rounds(tape, offsets, contexts, first, last, rules, work, out)
        if not out.n[L.N_OVERFLOW]:
            break
        scale *= 4  # rare: more findings or steps than rounds usually have
    n = out.n
    return Verdicts(
        first_round=first,
        settlements=out.settlements[: n[L.N_SETTLEMENTS]],
        findings=out.findings[: n[L.N_FINDINGS]],
        hands=out.hands[: n[L.N_HANDS]],
        rounds=out.rounds,
        steps=out.steps[: n[L.N_STEPS]],
        zones=out.zones,
        asked=out.asked,
    )
