"""A log as the engine sees it: contexts, expected settlements, findings, without files in between."""

from typing import Final, NamedTuple

import numpy as np

from replay import ops
from replay.bulk import judge_all
from replay.engine import layout as L
from replay.engine import shoes
from replay.rules import Rules, record
from replay.simulator import log as J
from replay.simulator.log import Log, Names
from replay.tape import I64, Tape

_TABLE_OPS: Final = np.zeros(J.MOMENT + 1, np.bool_)
_TABLE_OPS[sorted(J.SHOE_OPS)] = True
_TABLE_OPS[[ops.OPEN, ops.CLOSE, ops.INSPECTION, ops.DEALER_CHANGE, ops.CUT]] = True
_TABLE_OPS[[ops.IRREGULARITY, ops.BETS_CLOSED, ops.ROUND_END]] = True


class SimulatedVerdicts(NamedTuple):
    """The engine's rows, as ``replay.engine.layout`` names their columns; rounds count from 0 there."""

    settlements: I64
    hands: I64
    findings: I64  # of rounds
    around: I64  # of shoes and the table


def judge(log: Log, names: Names, rules: Rules, threads: int | None = None) -> SimulatedVerdicts:
    """Judge a simulated day with the engine; returns its verdicts."""
    table, ms = table_tape(log)
    tape, offsets = J.tape(log)
    row = record(rules)
    out = np.zeros((shoes.MOST_PER_ROW * len(table.op) + 1, L.F_COLUMNS), np.int64)
    carry = np.zeros((len(names.sets), 3), np.int64)
    contexts, found = shoes.walk(table, ms, row, len(offsets) - 1, len(names.shoes), carry, out)
    shoes.mark_wagers(tape, offsets, contexts, row, np.zeros(len(names.patrons), np.int64))
    parts = list(judge_all(tape, offsets, contexts, rules, threads))
    return SimulatedVerdicts(
        settlements=np.concatenate([part.settlements for part in parts]),
        hands=np.concatenate([part.hands for part in parts]),
        findings=np.concatenate([part.findings for part in parts]),
        around=out[:found],
    )


def table_tape(log: Log) -> tuple[Tape, I64]:
    """The events between rounds and the cards, with the rounds' beginnings and ends, and when each of them happened."""
    kept = log.where(_TABLE_OPS[log.op])
    begins, ends = kept.op == ops.BETS_CLOSED, kept.op == ops.ROUND_END
    op, aux = kept.op.copy(), kept.aux.copy()
    op[begins] = ops.ROUND_BEGIN
    rounds = begins | ends
    aux[rounds] = kept.round[rounds] - 1
    kept = kept._replace(op=op, aux=aux)
    return Tape._make(kept[: len(Tape._fields)]), kept.ms
