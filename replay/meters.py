"""Progressive meters reconciled from wager to wager."""

from collections.abc import Mapping
from dataclasses import dataclass

from replay import ops
from replay.floor import Meter
from replay.tape import I64, Tape

_TOLERANCE_CENTS = 1  # a meter shows whole cents and carries the rest


@dataclass(frozen=True)
class Drift:
    """A meter that shows something else than the wagers since its last figure give."""

    round: int
    row: int
    system: int
    off_cents: int


def reconcile(
    tape: Tape, offsets: I64, meters: Mapping[tuple[int, bool], Meter], shared: frozenset[str] = frozenset()
) -> list[Drift]:
    """Drifts of one table's meters; ``meters`` by system and whether it is the secondary one.

    A cancelled or void round counts for nothing; a jackpot sets its meter back. What other tables feed into a shared
    meter between two rounds is not known here, so such a meter is followed within each round only.
    """
    drifts: list[Drift] = []
    expected: dict[str, int] = {}
    for number in range(len(offsets) - 1):
        _round(tape, int(offsets[number]), int(offsets[number + 1]), number, meters, shared, expected, drifts)
    return drifts


def _round(
    t: Tape,
    lo: int,
    hi: int,
    number: int,
    meters: Mapping[tuple[int, bool], Meter],
    shared: frozenset[str],
    expected: dict[str, int],
    drifts: list[Drift],
) -> None:
    stakes = _stakes(t, lo, hi)
    hit: set[tuple[int, bool]] = set()
    for row in range(lo, hi):
        op = int(t.op[row])
        if op == ops.PROGRESSIVE and t.hand[row] in (ops.JACKPOT, ops.JACKPOT_SECONDARY):
            hit.add((int(t.card[row]), t.hand[row] == ops.JACKPOT_SECONDARY))
        elif op == ops.METER and t.op[row - 1] in (ops.PROGRESSIVE, ops.METER):
            before = row - 1 if t.op[row - 1] == ops.PROGRESSIVE else row - 2
            system, secondary = int(t.card[before]), bool(t.flags[row] & ops.SECONDARY_METER)
            meter = meters.get((system, secondary))
            if meter is None or t.kind[before] not in (ops.START_ROUND, ops.END_ROUND):
                continue
            shown = int(t.cents[row])
            due = expected.get(meter.id)
            if t.kind[before] == ops.START_ROUND and meter.id in shared:
                due = None
            if t.kind[before] == ops.END_ROUND and due is not None:
                grown = stakes[system] * meter.rate_ppm // 1_000_000
                due = meter.reset_cents if (system, secondary) in hit else due + grown
                if (system, secondary) in hit and abs(shown - due - grown) <= _TOLERANCE_CENTS:
                    due = shown
            if due is not None and abs(shown - due) > _TOLERANCE_CENTS:
                drifts.append(Drift(number, before, system, shown - due))
            expected[meter.id] = shown


def _stakes(t: Tape, lo: int, hi: int) -> dict[int, int]:
    """What a round's progressive wagers feed, by system: those in time, unless it was cancelled or void."""
    stakes = {0: 0, 1: 0}
    closed = {0: False, 1: False}
    cancelled = {0: False, 1: False}
    for row in range(lo, hi):
        op, system = int(t.op[row]), int(t.card[row])
        if op == ops.BETS_CLOSED:
            closed = {each: not cancelled[each] for each in closed}
        elif op == ops.IRREGULARITY and t.cents[row] & ops.VOID:
            return {0: 0, 1: 0}
        elif op == ops.PROGRESSIVE and t.kind[row] == ops.START_ROUND:
            closed[system], cancelled[system] = not cancelled[system], False
        elif op == ops.PROGRESSIVE and t.kind[row] == ops.CANCEL_ROUND:
            closed[system], cancelled[system] = False, True
        elif op == ops.WAGER and t.kind[row] in (ops.BONUS_SPIN, ops.BSX16):
            system = int(t.kind[row]) - ops.BONUS_SPIN
            stakes[system] += 0 if closed[system] else int(t.cents[row])
    return {system: 0 if cancelled[system] else stake for system, stake in stakes.items()}
