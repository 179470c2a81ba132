"""Progressive meters reconciled from wager to wager."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from replay import ops
from replay.compiled import compiled, entry
from replay.floor import Meter
from replay.tape import I64, Tape

MILLIONTHS: Final = 1_000_000  # of a cent: what a meter counts in
_TOLERANCE: Final = MILLIONTHS  # a meter shows whole cents and carries the rest
_SINCE_RESET: Final = 20  # a meter is just reset as long as it is not a twentieth above that amount
_KEYS: Final = 4

_Key = tuple[int, bool]  # system, and whether it is its secondary meter


class Drift(NamedTuple):
    """A meter that shows something else than the wagers since its last figure give."""

    round: int
    row: int
    system: int
    off_cents: int


class _Meters(NamedTuple):
    """Meters by key, which is twice the system and one more for its secondary meter; all in millionths of a cent."""

    place: I64  # in ``due``; -1 where the table has no such meter
    rate_ppm: I64
    reset: I64
    shared: I64
    due: I64  # by meter: from its last figure on
    known: I64  # by meter: whether that is known


def reconcile(
    tape: Tape,
    offsets: I64,
    meters: Mapping[_Key, Meter],
    shared: frozenset[str] = frozenset(),
    due: dict[str, int] | None = None,
) -> list[Drift]:
    """Drifts of one table's meters; ``meters`` by system and whether it is the secondary one.

    A cancelled or void round counts for nothing; a jackpot sets its meter back. What other tables feed into a shared
    meter is not known here: at the end of a round it shows at least what it did at the start and what this table fed,
    unless a jackpot, here or at another table, has just set it back.

    ``due`` has what each meter showed last, in millionths of a cent, and is updated for the next day.
    """
    due = {} if due is None else due
    ids = list(dict.fromkeys(meter.id for meter in meters.values()))
    table = _Meters(*(np.zeros(_KEYS, np.int64) for _ in range(4)), *(np.zeros(len(ids), np.int64) for _ in range(2)))
    table.place[:] = -1
    for (system, secondary), meter in meters.items():
        key = 2 * system + secondary
        table.place[key], table.rate_ppm[key] = ids.index(meter.id), meter.rate_ppm
        table.reset[key], table.shared[key] = meter.reset_cents * MILLIONTHS, meter.id in shared
    table.due[:] = [due.get(name, 0) for name in ids]
    table.known[:] = [name in due for name in ids]
    out = np.zeros((int(np.count_nonzero(tape.op == ops.METER)), len(Drift._fields)), np.int64)
    found = out[: _follow_all(tape, offsets, table, out)]
    for name, shown, known in zip(ids, table.due.tolist(), table.known.tolist(), strict=True):
        due.pop(name, None)
        if known:
            due[name] = shown
    return [Drift(number, row, system, -(-off // MILLIONTHS)) for number, row, system, off in found.tolist()]


@entry
def _follow_all(t: Tape, offsets: I64, meters: _Meters, out: I64) -> int:
    """Follow the meters from round to round; writes the drifts, returns how many."""
    staked = np.zeros(2, np.int64)
    hit, counted = np.zeros(_KEYS, np.int64), np.zeros(_KEYS, np.int64)
    found = 0
    for number in range(len(offsets) - 1):
        lo, hi = offsets[number], offsets[number + 1]
        count_stakes(t, lo, hi, staked)
        hit[:] = 0
        counted[:] = 0
        for row in range(lo, hi):
            if t.op[row] == ops.PROGRESSIVE and (t.hand[row] == ops.JACKPOT or t.hand[row] == ops.JACKPOT_SECONDARY):
                hit[2 * t.card[row] + (1 if t.hand[row] == ops.JACKPOT_SECONDARY else 0)] = 1
            elif t.op[row] == ops.METER and row > lo:
                at = row - 1 if t.op[row - 1] == ops.PROGRESSIVE else row - 2
                found += read_figure(t, row, at, number, meters, staked, hit, counted, out[found])
        for key in range(_KEYS):
            if meters.place[key] >= 0 and not counted[key]:
                pass_over(meters, key, staked[key // 2], hit[key])
    return found


@compiled
def read_figure(
    t: Tape, row: int, at: int, number: int, meters: _Meters, staked: I64, hit: I64, counted: I64, out: I64
) -> int:
    """A figure on the terminal against what is due; 1 where it is off."""
    is_shown = t.op[at] == ops.PROGRESSIVE and (t.kind[at] == ops.START_ROUND or t.kind[at] == ops.END_ROUND)
    key = 2 * t.card[at] + (1 if t.flags[row] & ops.SECONDARY_METER else 0)
    if not is_shown or key >= _KEYS or meters.place[key] < 0:
        return 0
    shown, grown = t.cents[row] * MILLIONTHS, 0
    if t.kind[at] == ops.END_ROUND:
        grown = staked[key // 2] * meters.rate_ppm[key]
        counted[key] = 1
    off = off_by(meters, key, shown, grown, hit[key], t.kind[at] == ops.START_ROUND)
    place = meters.place[key]
    meters.due[place], meters.known[place] = shown, 1
    if abs(off) <= _TOLERANCE:
        return 0
    out[0], out[1], out[2], out[3] = number, at, key // 2, off
    return 1


@compiled
def off_by(meters: _Meters, key: int, shown: int, grown: int, was_hit: int, starts: bool) -> int:
    """Return the difference of a figure from the expected one, 0 where that is not known."""
    place, reset, shared = meters.place[key], meters.reset[key], meters.shared[key]
    if not meters.known[place] or (starts and shared):
        return 0
    if was_hit:
        off = shown - reset
        return 0 if abs(off - grown) <= _TOLERANCE or (off > 0 and shared) else int(off)
    off = shown - meters.due[place] - grown
    if shared:
        just_reset = 0 <= shown - reset <= reset // _SINCE_RESET
        return 0 if just_reset else int(min(off, 0))
    return int(off)


@compiled
def pass_over(meters: _Meters, key: int, staked: int, was_hit: int) -> None:
    """A round without an end on the terminal: what it fed is in the next figure; after a jackpot that is open."""
    place = meters.place[key]
    if was_hit:
        meters.known[place] = 0
    elif meters.known[place]:
        meters.due[place] += staked * meters.rate_ppm[key]


@compiled
def count_stakes(t: Tape, lo: int, hi: int, staked: I64) -> None:
    """Add up what a round's progressive wagers feed, by system: those in time, unless it was cancelled or void."""
    staked[:] = 0
    closed0 = closed1 = cancelled0 = cancelled1 = False
    for row in range(lo, hi):
        op, system = t.op[row], t.card[row]
        if op == ops.BETS_CLOSED:
            closed0, closed1 = not cancelled0, not cancelled1
        elif op == ops.IRREGULARITY and t.cents[row] & ops.VOID:
            staked[:] = 0
            return
        elif op == ops.PROGRESSIVE and t.kind[row] == ops.START_ROUND:
            if system == 0:
                closed0, cancelled0 = not cancelled0, False
            else:
                closed1, cancelled1 = not cancelled1, False
        elif op == ops.PROGRESSIVE and t.kind[row] == ops.CANCEL_ROUND:
            if system == 0:
                closed0, cancelled0 = False, True
            else:
                closed1, cancelled1 = False, True
        elif op == ops.WAGER and t.kind[row] == ops.BONUS_SPIN:
            staked[0] += 0 if closed0 else t.cents[row]
        elif op == ops.WAGER and t.kind[row] == ops.BSX16:
            staked[1] += 0 if closed1 else t.cents[row]
    staked[0] = 0 if cancelled0 else staked[0]
    staked[1] = 0 if cancelled1 else staked[1]


@entry
def stakes(t: Tape, lo: int, hi: int) -> I64:
    """Add up what a round's progressive wagers feed, by system."""
    staked = np.zeros(2, np.int64)
    count_stakes(t, lo, hi, staked)
    return staked
