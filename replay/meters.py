"""Progressive meters reconciled from wager to wager."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from replay import ops
from replay.floor import Meter
from replay.tape import I64, Tape

MILLIONTHS: Final = 1_000_000  # of a cent: what a meter counts in
_TOLERANCE: Final = MILLIONTHS  # a meter shows whole cents and carries the rest
_SINCE_RESET: Final = 20  # a meter is just reset as long as it is not a twentieth above that amount

_Key = tuple[int, bool]  # system, and whether it is its secondary meter


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
    meter is not known here: at the end of a round it shows at least what it did at the start and what this table fed,
    unless a jackpot, here or at another table, has just set it back.
    """
    table = _Table(tape, meters, shared)
    for number in range(len(offsets) - 1):
        table.follow(number, int(offsets[number]), int(offsets[number + 1]))
    return table.drifts


@dataclass
class _Table:
    """One table's meters as they are followed through its rounds."""

    tape: Tape
    meters: Mapping[_Key, Meter]
    shared: frozenset[str]
    due: dict[str, int] = field(default_factory=dict)  # millionths of a cent, by meter: from its last figure on
    drifts: list[Drift] = field(default_factory=list)

    def follow(self, number: int, lo: int, hi: int) -> None:
        """The figures of one round."""
        t = self.tape
        staked = stakes(t, lo, hi)
        hit: set[_Key] = set()
        counted: set[_Key] = set()
        for row in range(lo, hi):
            if t.op[row] == ops.PROGRESSIVE and t.hand[row] in (ops.JACKPOT, ops.JACKPOT_SECONDARY):
                hit.add((int(t.card[row]), t.hand[row] == ops.JACKPOT_SECONDARY))
            elif t.op[row] == ops.METER and t.op[row - 1] in (ops.PROGRESSIVE, ops.METER):
                at = row - 1 if t.op[row - 1] == ops.PROGRESSIVE else row - 2
                key = int(t.card[at]), bool(t.flags[row] & ops.SECONDARY_METER)
                if key not in self.meters or t.kind[at] not in (ops.START_ROUND, ops.END_ROUND):
                    continue
                meter, shown = self.meters[key], int(t.cents[row]) * MILLIONTHS
                grown = 0
                if t.kind[at] == ops.END_ROUND:
                    grown = staked[key[0]] * meter.rate_ppm
                    counted.add(key)
                off = self._off(meter, shown, grown, key in hit, t.kind[at] == ops.START_ROUND)
                if abs(off) > _TOLERANCE:
                    self.drifts.append(Drift(number, at, key[0], -(-off // MILLIONTHS)))
                self.due[meter.id] = shown
        for key in self.meters.keys() - counted:
            self._pass_over(key, staked[key[0]], key in hit)

    def _off(self, meter: Meter, shown: int, grown: int, was_hit: bool, starts: bool) -> int:
        """How far a figure is off what is due, 0 where that is not known."""
        reset = meter.reset_cents * MILLIONTHS
        if meter.id not in self.due or (starts and meter.id in self.shared):
            return 0
        if was_hit:
            off = shown - reset
            return 0 if abs(off - grown) <= _TOLERANCE or (off > 0 and meter.id in self.shared) else off
        off = shown - self.due[meter.id] - grown
        if meter.id in self.shared:
            just_reset = 0 <= shown - reset <= reset // _SINCE_RESET
            return 0 if just_reset else min(off, 0)
        return off

    def _pass_over(self, key: _Key, staked: int, was_hit: bool) -> None:
        """A round without an end on the terminal: what it fed is in the next figure; after a jackpot that is open."""
        meter = self.meters[key]
        if was_hit:
            self.due.pop(meter.id, None)
        elif meter.id in self.due:
            self.due[meter.id] += staked * meter.rate_ppm


def stakes(t: Tape, lo: int, hi: int) -> dict[int, int]:
    """What a round's progressive wagers feed, by system: those in time, unless it was cancelled or void."""
    staked = {0: 0, 1: 0}
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
            staked[system] += 0 if closed[system] else int(t.cents[row])
    return {system: 0 if cancelled[system] else stake for system, stake in staked.items()}
