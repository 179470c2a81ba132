"""A hand as running sums: enough to know its total and its bonus without keeping a list of its cards."""

from replay import cards, rules
from replay.compiled import compiled, inlined
from replay.engine import layout as L
from replay.engine.layout import Work

_SPADES = 1
_SIX_SEVEN_EIGHT = 1 << cards.SIX | 1 << cards.SEVEN | 1 << cards.EIGHT


@compiled
def new_hand(w: Work, seat: int, number: int) -> int:
    """Create an empty hand; returns its index."""
    h = w[L.G, 0, L.G_HANDS]
    w[L.G, 0, L.G_HANDS] = h + 1
    row = w[L.H, h]
    for column in range(L.H_INITIAL_ACES + 1):
        row[column] = 0
    row[L.H_SEAT] = seat
    row[L.H_NUMBER] = number
    row[L.H_SUITS] = 15
    row[L.H_NEXT] = -1
    row[L.H_SECOND_DRAW] = -1
    row[L.H_LAST_ROW] = -1
    row[L.H_HIT_ROW] = -1
    return int(h)


@inlined
def add_card(w: Work, h: int, card: int) -> None:
    """Add a card to a hand."""
    row = w[L.H, h]
    n = row[L.H_CARDS]
    if n == 0:
        row[L.H_FIRST] = card
    elif n == 1:
        row[L.H_SECOND] = card
    else:
        row[L.H_FLAGS] |= L.HIT
    row[L.H_CARDS] = n + 1
    if card == cards.UNKNOWN:
        row[L.H_FLAGS] |= L.UNKNOWN_CARD
        return
    rank = cards.RANK[card]
    row[L.H_HARD] += cards.VALUE[card]
    row[L.H_SUITS] &= 1 << cards.SUIT[card]
    row[L.H_RANKS] |= 1 << rank
    if rank == cards.ACE:
        row[L.H_ACES] += 1
    if rank == cards.SEVEN:
        row[L.H_SEVENS] += 1


@compiled
def copy(w: Work, source: int, target: int) -> None:
    for column in range(L.H_INITIAL_ACES + 1):
        w[L.H, target, column] = w[L.H, source, column]


@compiled
def keep_first(w: Work, h: int) -> int:
    """Remove the second card of a two-card hand, as a split does; returns that card."""
    row = w[L.H, h]
    first, second = row[L.H_FIRST], row[L.H_SECOND]
    row[L.H_CARDS] = 0
    row[L.H_HARD] = 0
    row[L.H_ACES] = 0
    row[L.H_SUITS] = 15
    row[L.H_RANKS] = 0
    row[L.H_SEVENS] = 0
    row[L.H_SECOND] = 0
    add_card(w, h, first)
    return int(second)


@inlined
def is_soft(w: Work, h: int) -> bool:
    """Return whether an ace counts eleven; aces fixed at one by a double do not."""
    row = w[L.H, h]
    return bool(row[L.H_ACES] > row[L.H_LOW] and row[L.H_HARD] <= 11)


@inlined
def total(w: Work, h: int) -> int:
    """Return the point total."""
    return int(w[L.H, h, L.H_HARD]) + (10 if is_soft(w, h) else 0)


@inlined
def has(w: Work, h: int, flag: int) -> bool:
    return bool(w[L.H, h, L.H_FLAGS] & flag)


@inlined
def is_blackjack(w: Work, h: int) -> bool:
    """Return whether the initial two cards are an ace and a ten-value card; never after a split."""
    return bool(w[L.H, h, L.H_CARDS] == 2 and total(w, h) == 21 and not has(w, h, L.FROM_SPLIT))


@compiled
def bonus_row(w: Work, h: int) -> int:
    """Return the row of the odds table that a 21 earns by its cards, -1 if there is none."""
    row = w[L.H, h]
    if total(w, h) != 21:
        return -1
    n = row[L.H_CARDS]
    if n == 3 and (row[L.H_SEVENS] == 3 or row[L.H_RANKS] == _SIX_SEVEN_EIGHT):
        base = rules.SEVENS if row[L.H_SEVENS] == 3 else rules.SIX_SEVEN_EIGHT
        if row[L.H_SUITS] == _SPADES:
            return base + 2
        return base + 1 if row[L.H_SUITS] != 0 else base
    if n == 5:
        return rules.FIVE_CARDS
    if n == 6:
        return rules.SIX_CARDS
    return rules.SEVEN_CARDS if n >= 7 else -1


@compiled
def is_super_bonus(w: Work, h: int) -> bool:
    """Return whether a hand has three suited sevens against the dealer's seven."""
    row = w[L.H, h]
    sevens = row[L.H_CARDS] == 3 and row[L.H_SEVENS] == 3 and row[L.H_SUITS] != 0
    return bool(sevens and cards.RANK[w[L.G, 0, L.G_UP]] == cards.SEVEN)


@inlined
def waits_for_hit(w: Work, seat: int) -> bool:
    """Return whether a story gives a box that was dealt one card the second with its first hit."""
    return bool(w[L.B, seat, L.B_ONE_CARD] == 3 and w[L.B, seat, L.B_HANDS] == 1)
