"""A table's gaming day: it opens, shoes and dealers change, patrons come and go, devices fail, it closes."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from replay import ops, rules
from replay.compiled import compiled, entry
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator import people as P
from replay.simulator import rounds, shoe
from replay.simulator import table as T
from replay.simulator.log import Log
from replay.simulator.strategy import Strategy
from replay.simulator.table import SimulatedTable
from replay.tape import I64

_FAULT_PPM: Final = 1_500  # a round
_MS_REPAIR: Final = 240_000
_MS_IDLE: Final = 30_000
_MOST_ROWS: Final = 8_000  # of the longest round and what comes before it
ROWS_PER_CHUNK: Final = 200_000
_INSPECTORS: Final = 2


class Conditions(NamedTuple):
    """Conditions of a table's day other than its rules and its people."""

    rounds: int
    boxes: int
    shuffle: int = ops.SHUFFLE_MACHINE
    meters: int = 0  # bits: Bonus Spin, Xtreme and Xtreme's second meter
    logs_offers: bool = True
    pace_permille: int = 1000  # of the usual time for everything


def play_day(r: Rules, chart: Strategy, wanted: Conditions, cast: P.Cast, seed: np.random.SeedSequence) -> Log:
    """A table's whole day, with nothing settled yet and its meters open."""
    size = min(ROWS_PER_CHUNK, 60 * wanted.rounds + 2 * _MOST_ROWS)
    t = T.new_table(J.empty(size), chart, int(r.decks), wanted.boxes, cast.patrons.copy(), cast.dealers)
    T.reseed(t, seed)
    g = t.g
    g[T.G_MS], g[T.G_SHUFFLE], g[T.G_METERS] = cast.opens_ms, wanted.shuffle, wanted.meters
    g[T.G_SCALE], g[T.G_OFFERS], g[T.G_FRESH] = wanted.pace_permille, wanted.logs_offers, bool(r.continuous)
    parts = list(_chunks(t, r, wanted.rounds))
    return parts[0] if len(parts) == 1 else J.joined(parts)


def _chunks(t: SimulatedTable, r: Rules, count: int) -> Iterator[Log]:
    while True:
        done = play_rounds(t, r, count)
        yield Log._make(column[: t.g[T.G_ROW]].copy() for column in t.log)
        if done:
            return
        t.g[T.G_ROW] = 0


@compiled
def open_table(t: SimulatedTable, r: Rules) -> None:
    """The table opens: decks inspected, the reader checked, the first shoe loaded."""
    set_pace(t)
    T.put(t, ops.OPEN, r.decks, T.NONE, T.NONE, T.NONE, T.NONE, t.dealers[0, P.D_NUMBER])
    for number in range(1, 3):
        T.wait(t, T.MS_SHUFFLE)
        counted = t.stack.shape[0]
        row = T.put(t, ops.INSPECTION, T.NONE, max(r.inspectors, _INSPECTORS), T.NONE, T.NONE, counted, number)
        t.log.flags[row] = 4 * r.decks
    if r.reader:
        T.wait(t, T.MS_SHUFFLE)
        T.put(t, ops.READER_CHECK, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE)
    shoe.change(t, r)


@entry
def play_rounds(t: SimulatedTable, r: Rules, count: int) -> bool:
    """The table opens, plays that many rounds and closes; False where the log is full: go on with an empty one."""
    g = t.g
    if not g[T.G_SHOE]:
        open_table(t, r)
    while g[T.G_ROUNDS] < count:
        if g[T.G_ROW] + _MOST_ROWS > t.log.op.shape[0]:
            return False
        between_rounds(t, r)
        if not anybody_sits(t):
            wait_for_patrons(t)
            if not is_entry_open(t, r):
                shoe.change(t, r)
            continue
        row, ms, drawn = g[T.G_ROW], g[T.G_MS], g[T.G_ORDINAL]
        g[T.G_ROUND] = g[T.G_ROUNDS] + 1
        played = rounds.play_round(t, r)
        g[T.G_ROUND] = 0
        if played:
            g[T.G_ROUNDS] += 1
            g[T.G_NEW_SHOE] = 0
            tally(t)
        else:
            g[T.G_ROW], g[T.G_MS] = row, ms
            if g[T.G_SHORT]:
                g[T.G_DRAWN] = g[T.G_ORDINAL] = drawn
                shoe.change(t, r)
            else:
                g[T.G_MS] += _MS_IDLE
                shuffle_up(t, r)
        T.wait(t, T.MS_BETWEEN)
    shoe.end(t)
    T.wait(t, T.MS_BETWEEN)
    T.put(t, ops.CLOSE, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE)
    return True


@entry
def play_fresh(t: SimulatedTable, r: Rules, offsets: I64) -> None:
    """Rounds of whoever sits there, each from a full shuffled stack, without time or anything between them.

    ``offsets`` gets the rows at which the rounds begin, and the last one's end.
    """
    g = t.g
    g[T.G_ROW], g[T.G_PACE], g[T.G_FRESH], g[T.G_ROUND] = 0, 0, 1, 1
    offsets[0] = 0
    for number in range(1, offsets.shape[0]):
        rounds.play_round(t, r)
        offsets[number] = g[T.G_ROW]


@compiled
def between_rounds(t: SimulatedTable, r: Rules) -> None:
    """Play the pause before the wagers: new shoe, new dealer, a fault and its repair, patrons leaving or arriving."""
    g = t.g
    if g[T.G_CUT_OUT]:
        shoe.change(t, r)
    change_dealer(t, r)
    if T.chance(t, _FAULT_PPM):
        fail(t, r)
    leave(t, r)
    arrive(t, r)


@compiled
def shuffle_up(t: SimulatedTable, r: Rules) -> None:
    """Change the shoe, because everybody at the table waits for a better one."""
    if t.g[T.G_ORDINAL] > 1 and not r.continuous:
        shoe.change(t, r)


@compiled
def set_pace(t: SimulatedTable) -> None:
    t.g[T.G_PACE] = max(1, t.dealers[t.g[T.G_DEALER], P.D_PACE_PERMILLE] * t.g[T.G_SCALE] // 1000)


@compiled
def change_dealer(t: SimulatedTable, r: Rules) -> None:
    """By the rota; a new dealer burns a card where the rulebook asks for it."""
    g = t.g
    at = g[T.G_DEALER]
    while at + 1 < t.dealers.shape[0] and t.dealers[at + 1, P.D_FROM_MS] <= g[T.G_MS]:
        at += 1
    if t.dealers[at, P.D_NUMBER] == t.dealers[g[T.G_DEALER], P.D_NUMBER]:
        return
    g[T.G_DEALER] = at
    T.put(t, ops.DEALER_CHANGE, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE, t.dealers[at, P.D_NUMBER])
    set_pace(t)
    if r.burn_new_dealer and not g[T.G_NEW_SHOE]:
        T.draw(t, J.ZONE_BURN)


@compiled
def fail(t: SimulatedTable, r: Rules) -> None:
    """A device fails between two rounds; dealing rests until it is repaired."""
    device = ops.DEVICE_SHOE
    if r.reader and T.chance(t, 400_000):
        device = ops.DEVICE_READER
    elif t.g[T.G_SHUFFLE] == ops.SHUFFLE_MACHINE and T.chance(t, 500_000):
        device = ops.DEVICE_SHUFFLER
    elif (r.spin_offered or r.bsx_offered) and T.chance(t, 300_000):
        device = ops.DEVICE_PROGRESSIVE
    kind = T.below(t, 2)
    T.put(t, ops.FAULT, T.NONE, T.NONE, T.NONE, device, T.NONE, kind)
    T.wait(t, _MS_REPAIR)
    T.put(t, ops.REPAIRED, T.NONE, T.NONE, T.NONE, device, T.NONE, kind)


# Patrons.


@compiled
def anybody_sits(t: SimulatedTable) -> bool:
    for box in range(1, t.g[T.G_BOXES] + 1):
        if t.seats[box, 1]:
            return True
    return False


@compiled
def wait_for_patrons(t: SimulatedTable) -> None:
    """An empty table waits for the next patron; when the last has gone, they come back from a break."""
    g, count = t.g, t.patrons.shape[0]
    if g[T.G_ARRIVED] < count:
        g[T.G_MS] = max(g[T.G_MS] + _MS_IDLE, t.patrons[g[T.G_ARRIVED], P.P_ARRIVES_MS])
        return
    later = g[T.G_MS] + _MS_IDLE - t.patrons[0, P.P_ARRIVES_MS]
    for patron in range(count):
        t.patrons[patron, P.P_ARRIVES_MS] += later
        t.patrons[patron, P.P_LEAVES_MS] += later
    g[T.G_ARRIVED] = 0


@compiled
def is_entry_open(t: SimulatedTable, r: Rules) -> bool:
    """Return whether a patron may sit down now: mid-shoe only if the house allows it."""
    return bool(r.entry == rules.ENTRY_ALLOW or t.g[T.G_NEW_SHOE])


@compiled
def arrive(t: SimulatedTable, r: Rules) -> None:
    """Patrons whose time has come sit down, if there is room."""
    g = t.g
    while g[T.G_ARRIVED] < t.patrons.shape[0] and is_entry_open(t, r):
        patron = g[T.G_ARRIVED]
        if t.patrons[patron, P.P_ARRIVES_MS] > g[T.G_MS]:
            return
        g[T.G_ARRIVED] += 1
        t.chips[patron] = t.patrons[patron, P.P_BANKROLL_CENTS]
        behind = t.patrons[patron, P.P_BEHIND] and r.bettors_max > 1 and r.entry == rules.ENTRY_ALLOW
        if not (behind and sit_behind(t, r, patron)):
            sit(t, r, patron)


@compiled
def sit(t: SimulatedTable, r: Rules, patron: int) -> None:
    """Take the preferred box or the next free one, and the one after it for those who play two."""
    wanted = t.patrons[patron, P.P_BOXES]
    if r.boxes_per_player:
        wanted = min(wanted, r.boxes_per_player)
    at = max(1, t.patrons[patron, P.P_PREFERS])
    for n in range(t.g[T.G_BOXES]):
        box = 1 + (at - 1 + n) % t.g[T.G_BOXES]
        if wanted and not t.seats[box, 1]:
            t.seats[box, 1] = patron + 1
            wanted -= 1


@compiled
def sit_behind(t: SimulatedTable, r: Rules, patron: int) -> bool:
    """Bet in another's box."""
    for box in range(1, t.g[T.G_BOXES] + 1):
        if not t.seats[box, 1]:
            continue
        for bettor in range(2, min(r.bettors_max, T.MOST_BETTORS - 1) + 1):
            if not t.seats[box, bettor]:
                t.seats[box, bettor] = patron + 1
                return True
    return False


@compiled
def leave(t: SimulatedTable, r: Rules) -> None:
    """Patrons leave when it is time or their chips are gone; those who bet behind move up."""
    for box in range(1, t.g[T.G_BOXES] + 1):
        for bettor in range(T.MOST_BETTORS - 1, 0, -1):
            patron = t.seats[box, bettor] - 1
            if patron < 0:
                continue
            late = t.patrons[patron, P.P_LEAVES_MS] <= t.g[T.G_MS]
            if late or t.chips[patron] < r.min_cents:
                for place in range(bettor, T.MOST_BETTORS - 1):
                    t.seats[box, place] = t.seats[box, place + 1]
                t.seats[box, T.MOST_BETTORS - 1] = 0


@compiled
def tally(t: SimulatedTable) -> None:
    """Patrons' chips after the round, near enough to know when somebody's are gone; what is paid the engine says."""
    dealer = T.total(t, T.DEALER)
    for box in range(1, t.g[T.G_BOXES] + 1):
        for number in range(1, t.boxes[box, T.X_HANDS] + 1):
            h = T.hand_at(box, number)
            line, points = t.hands[h], T.total(t, h)
            for bettor in range(1, T.MOST_BETTORS):
                if not line[T.H_BETTORS] >> bettor & 1:
                    continue
                stake = t.boxes[box, bettor]
                won = stake * 2 if line[T.H_DOUBLERS] >> bettor & 1 else stake
                if t.boxes[box, T.X_SURRENDERED] >> bettor & 1:
                    won = -stake // 2
                elif line[T.H_RESCUED] >> bettor & 1:
                    won = -stake
                elif points > 21 or (points < dealer <= 21):
                    won = -won
                elif points == dealer and points < 21:
                    won = 0
                t.chips[t.seats[box, bettor] - 1] += won
