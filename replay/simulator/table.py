"""A table under simulation: its registers and arrays, chance, time, the shoe, and the log that all of it writes.

Compiled code, like the engine: flat arrays, no allocation inside.
"""

from typing import Final, NamedTuple

import numpy as np

from replay import cards, ops
from replay.compiled import compiled, inlined
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator.log import Log
from replay.simulator.strategy import Strategy
from replay.tape import I64, U8

# Registers.
(
    G_ROW,  # next row of the log
    G_MS,
    G_ROUND,  # number of the round, 0 between rounds
    G_ROUNDS,  # played so far
    G_PACE,  # permille of the usual time; 0 stops the clock
    G_CHANCE,  # four words of the generator
    G_CHANCE_2,
    G_CHANCE_3,
    G_CHANCE_4,
    G_SHOE,  # number of the shoe
    G_SET,
    G_DRAWN,  # cards gone from the stack
    G_ORDINAL,  # cards drawn from the shoe
    G_CUT,  # cards before the cut card, -1 where there is none
    G_CUT_OUT,
    G_SHORT,  # the stack ran out
    G_NEW_SHOE,  # no round was dealt from it yet
    G_COUNT,  # low cards seen less high ones
    G_DEALER,  # row of the rota in force
    G_BOXES,
    G_OFFERS,  # the terminal logs offers
    G_ARRIVED,  # patrons who have come so far
    G_FRESH,  # every round comes from a full, shuffled stack
    G_SHUFFLE,  # how this table's cards are shuffled
    G_METERS,  # bits: the system has a meter
    G_SCALE,  # permille by which the whole day is hurried
    G_INSURED,  # registers of one round from here on
    G_SPIN_STAKES,
    G_BSX_STAKES,
) = range(29)
REGISTERS: Final = 29

# Hands: row 0 is the dealer's, a box's hands follow each other.
(
    H_CARDS,
    H_HARD,  # points with every ace as one
    H_ACES,
    H_FIRST,
    H_SECOND,
    H_BETTORS,  # masks: bit 1 is bettor 1
    H_DOUBLERS,
    H_RESCUED,
    H_SPLIT,
    H_SPLIT_ACES,
    H_LOW_ACES,  # aces that a double fixed at one
) = range(11)
HAND_COLUMNS: Final = 11
MOST_HANDS: Final = 16  # a box
MOST_BOXES: Final = ops.MAX_SEAT + 1
MOST_BETTORS: Final = 4
DEALER: Final = 0

# Boxes: a column of stakes per bettor, then these.
X_SURRENDERED, X_HANDS = MOST_BETTORS, MOST_BETTORS + 1

# Numba compiles a function anew for every literal argument, not for a named one.
NONE: Final = 0
ONE: Final = 1

# Usual times in milliseconds.
MS_WAGER: Final = 700
MS_CLOSE: Final = 2500
MS_CARD: Final = 900
MS_DECISION: Final = 1800
MS_CHECK: Final = 1500
MS_SETTLE: Final = 1300
MS_BETWEEN: Final = 6000
MS_WHEEL: Final = 6000
MS_SHUFFLE: Final = 90_000
_WORD: Final = (1 << 32) - 1


class SimulatedTable(NamedTuple):
    """Everything that changes while a table is played."""

    log: Log
    chart: Strategy
    g: I64
    stack: U8
    hands: I64
    order: I64  # by box: its hands' numbers in the order of play
    boxes: I64
    seats: I64  # by box and bettor: row of the patron plus one
    patrons: I64  # columns of ``people``
    chips: I64  # by patron
    dealers: I64  # the rota


def new_table(log: Log, chart: Strategy, decks: int, boxes: int, patrons: I64, dealers: I64) -> SimulatedTable:
    """A table before its first event."""
    g = np.zeros(REGISTERS, np.int64)
    g[G_BOXES], g[G_CUT], g[G_PACE] = boxes, -1, 1000
    return SimulatedTable(
        log=log,
        chart=chart,
        g=g,
        stack=np.tile(_DECK, decks),
        hands=np.zeros((MOST_BOXES * MOST_HANDS, HAND_COLUMNS), np.int64),
        order=np.zeros((MOST_BOXES, MOST_HANDS), np.int64),
        boxes=np.zeros((MOST_BOXES, X_HANDS + 1), np.int64),
        seats=np.zeros((MOST_BOXES, MOST_BETTORS), np.int64),
        patrons=patrons,
        chips=np.zeros(len(patrons) + 1, np.int64),
        dealers=dealers,
    )


def reseed(t: SimulatedTable, seed: np.random.SeedSequence) -> None:
    """Begin a new sequence of chances."""
    t.g[G_CHANCE : G_CHANCE + 4] = seed.generate_state(4, np.uint32) | 1


_DECK: Final = np.array([c for c in range(1, cards.CARD_CODES) if cards.RANK[c] != cards.TEN], np.uint8)


# Chance: Marsaglia's xorshift with four words of 32 bits, which needs no arithmetic that overflows.


@inlined
def word(t: SimulatedTable) -> int:
    """32 random bits."""
    g = t.g
    x = g[G_CHANCE] ^ (g[G_CHANCE] << 11 & _WORD)
    w = g[G_CHANCE_4]
    g[G_CHANCE], g[G_CHANCE_2], g[G_CHANCE_3] = g[G_CHANCE_2], g[G_CHANCE_3], w
    g[G_CHANCE_4] = w ^ (w >> 19) ^ x ^ (x >> 8)
    return int(g[G_CHANCE_4])


@inlined
def below(t: SimulatedTable, n: int) -> int:
    """A number from 0 up to, not including, n."""
    return word(t) * n >> 32


@inlined
def chance(t: SimulatedTable, ppm: int) -> bool:
    """Return true with a probability of ``ppm`` parts per million, by the table's random numbers."""
    return below(t, 1_000_000) < ppm


# Time and the log.


@inlined
def wait(t: SimulatedTable, usual_ms: int) -> None:
    """Time passes, about that long."""
    if t.g[G_PACE]:
        t.g[G_MS] += J.LEAST_GAP_MS + usual_ms * (512 + below(t, 1024)) // 1024 * t.g[G_PACE] // 1000


@inlined
def put(t: SimulatedTable, op: int, seat: int, bettor: int, hand: int, kind: int, cents: int, aux: int) -> int:
    """Append a row to the log; returns its number."""
    row, log = t.g[G_ROW], t.log
    log.op[row], log.seat[row], log.bettor[row], log.hand[row], log.kind[row] = op, seat, bettor, hand, kind
    log.card[row] = log.flags[row] = log.zone[row] = 0
    log.cents[row], log.aux[row] = cents, aux
    log.ms[row], log.round[row] = t.g[G_MS], t.g[G_ROUND]
    t.g[G_ROW] = row + 1
    return int(row)


@compiled
def moment(t: SimulatedTable, which: int, seat: int, hand: int) -> None:
    """A moment at which wagers may be settled; not where the clock stands still and nobody settles anything."""
    if t.g[G_PACE]:
        put(t, J.MOMENT, seat, NONE, hand, which, NONE, NONE)


@compiled
def decide(t: SimulatedTable, seat: int, hand: int, action: int, bettors: int) -> None:
    """A decision; of all bettors where the mask is empty."""
    wait(t, MS_DECISION)
    row = put(t, ops.DECISION, seat, ONE, hand, action, NONE, NONE)
    t.log.flags[row] = bettors


@compiled
def offer(t: SimulatedTable, what: int, is_open: int) -> None:
    """The dealer's offer of insurance or surrender, where the terminal logs it."""
    if t.g[G_OFFERS]:
        wait(t, MS_DECISION)
        row = put(t, ops.OFFER, NONE, NONE, NONE, what, NONE, NONE)
        t.log.flags[row] = is_open


@compiled
def wager(t: SimulatedTable, box: int, bettor: int, hand: int, kind: int, cents: int) -> int:
    """A wager of the patron who sits there; returns its row."""
    wait(t, MS_WAGER)
    patron = t.seats[box, bettor]
    number = t.patrons[patron - 1, 0] if patron else 0
    return put(t, ops.WAGER, box, bettor, hand, kind, cents, number)


# Cards.


@inlined
def value_class(card: int) -> int:
    """0 for an ace, 1 for a two, up to 9 for the ten-value cards: how strategy charts count."""
    return min(int(cards.RANK[card]), 9)


@compiled
def draw(t: SimulatedTable, zone: int) -> int:
    """The next card, laid in a zone. An empty stack is remembered: the round is then played anew from a new shoe."""
    g, size = t.g, t.stack.shape[0]
    if g[G_DRAWN] >= size:
        g[G_SHORT] = 1
        return int(t.stack[0])
    if g[G_DRAWN] == g[G_CUT] and not g[G_CUT_OUT]:
        show_cut_card(t)
    at = g[G_DRAWN] + below(t, size - g[G_DRAWN])
    card = t.stack[at]
    t.stack[at] = t.stack[g[G_DRAWN]]
    t.stack[g[G_DRAWN]] = card
    g[G_DRAWN] += 1
    g[G_ORDINAL] += 1
    wait(t, MS_CARD)
    row = put(t, ops.DRAW, NONE, NONE, NONE, NONE, g[G_SHOE], g[G_ORDINAL])
    t.log.card[row], t.log.zone[row] = card, zone
    rank = cards.RANK[card]
    if 1 <= rank <= cards.SIX:
        g[G_COUNT] += 1
    elif rank == cards.ACE or rank > cards.TEN:
        g[G_COUNT] -= 1
    return int(card)


@compiled
def show_cut_card(t: SimulatedTable) -> None:
    """The cut card comes out."""
    t.g[G_CUT_OUT] = 1
    wait(t, MS_CARD)
    put(t, ops.CUT_CARD, NONE, NONE, NONE, NONE, t.g[G_SHOE], t.g[G_ORDINAL])


@compiled
def decks_left(t: SimulatedTable) -> int:
    """Whole decks in the stack, at least one: what a counter divides by."""
    left: int = t.stack.shape[0] - int(t.g[G_DRAWN])
    return max(1, (left + 24) // 48)


@inlined
def is_in(mask: int, card: int) -> bool:
    """Return whether a card's rank is in a mask of ranks."""
    return bool(mask >> cards.RANK[card] & 1)


# Hands.


@inlined
def hand_at(box: int, number: int) -> int:
    """Row of a box's hand."""
    return box * MOST_HANDS + number


@inlined
def add_card(t: SimulatedTable, h: int, card: int) -> None:
    line = t.hands[h]
    if line[H_CARDS] == 0:
        line[H_FIRST] = card
    elif line[H_CARDS] == 1:
        line[H_SECOND] = card
    line[H_CARDS] += 1
    line[H_HARD] += cards.VALUE[card]
    line[H_ACES] += 1 if cards.RANK[card] == cards.ACE else 0


@compiled
def clear_hand(t: SimulatedTable, h: int) -> None:
    for column in range(HAND_COLUMNS):
        t.hands[h, column] = 0


@inlined
def is_soft(t: SimulatedTable, h: int) -> bool:
    line = t.hands[h]
    return bool(line[H_ACES] > line[H_LOW_ACES] and line[H_HARD] <= 11)


@inlined
def total(t: SimulatedTable, h: int) -> int:
    """Points of a hand."""
    return int(t.hands[h, H_HARD]) + (10 if is_soft(t, h) else 0)


@inlined
def is_blackjack(t: SimulatedTable, h: int) -> bool:
    return bool(t.hands[h, H_CARDS] == 2 and total(t, h) == 21 and not t.hands[h, H_SPLIT])


@compiled
def stake_unit(r: Rules, cents: int) -> int:
    """An amount in whole chips, not below zero."""
    return int(max(0, cents - cents % r.chip))
