"""First pass over a round: its wagers, draws, irregularity lines and the moments that matter."""

from replay import codes, ops
from replay.compiled import compiled, inlined
from replay.engine import layout as L
from replay.engine.layout import Work

_POWER = codes.NUMBER["round.power-failure"]
_LATE = codes.NUMBER["wager.late"]
_BEGUN = 1 << 60


@compiled
def scan(w: Work, rows: int, context: int) -> None:
    """Read the round's events into the other regions."""
    reset(w, rows, context)
    find_moments(w)
    for row in range(rows):
        op = w[L.E, row, L.E_OP]
        if op == ops.WAGER:
            add_wager(w, row)
        elif op == ops.DRAW:
            add_draw(w, row)
        elif op == ops.IRREGULARITY:
            add_irregularity(w, row)
        elif op == ops.SETTLE:
            w[L.G, 0, L.G_SETTLES] += 1


@compiled
def reset(w: Work, rows: int, context: int) -> None:
    g = w[L.G, 0]
    for seat in range(g[L.G_TOP_SEAT] + 1):  # as far as the last round went
        w[L.B, seat, L.B_FIRST] = -1
        for column in range(L.B_HANDS, L.B_SWAPS + 1):
            w[L.B, seat, column] = 0
    for register in range(L.G_N_FINDINGS):
        g[register] = 0
    g[L.G_HI], g[L.G_CONTEXT] = rows, context
    g[L.G_CLOSED] = g[L.G_FIRST_CHECK] = g[L.G_CHECK] = g[L.G_END] = -1
    g[L.G_DECIDED] = g[L.G_FIRST_DRAW] = g[L.G_FIRST_DECISION] = g[L.G_FIRST_PLAY] = _BEGUN
    g[L.G_LAST_DECISION] = -1
    g[L.G_VOID] = g[L.G_CURRENT] = g[L.G_POWER] = g[L.G_STANDING] = -1
    g[L.G_SECOND_POS] = g[L.G_DEALER_FROM] = _BEGUN
    g[L.G_ASKED] = -1


@compiled
def find_moments(w: Work) -> None:
    """Find the rows of the closing of bets, first card, first decision, reader check and end."""
    g = w[L.G, 0]
    for row in range(g[L.G_HI]):
        op = w[L.E, row, L.E_OP]
        g[L.G_OPS] |= 1 << op
        if op == ops.BETS_CLOSED:
            if g[L.G_CLOSED] < 0:
                g[L.G_CLOSED] = row
        elif op == ops.DRAW:
            if g[L.G_FIRST_DRAW] == _BEGUN:
                g[L.G_FIRST_DRAW] = row
        elif op == ops.DECISION:
            if g[L.G_DECIDED] == _BEGUN:
                g[L.G_DECIDED] = row
            if g[L.G_FIRST_DECISION] == _BEGUN:
                g[L.G_FIRST_DECISION] = row
            if g[L.G_FIRST_PLAY] == _BEGUN and w[L.E, row, L.E_KIND] != ops.SURRENDER:
                g[L.G_FIRST_PLAY] = row
            g[L.G_LAST_DECISION] = row
        elif op == ops.SETTLE:
            if g[L.G_FIRST_DECISION] == _BEGUN and (w[L.E, row, L.E_CENTS] != 0 or w[L.E, row, L.E_AUX] != 0):
                g[L.G_FIRST_DECISION] = row
        elif op == ops.HOLE_CHECK:
            if g[L.G_FIRST_CHECK] < 0:
                g[L.G_FIRST_CHECK] = row
            if g[L.G_CHECK] < 0 or g[L.G_CHECK] == ops.CHECK_FAULT:
                g[L.G_CHECK] = w[L.E, row, L.E_KIND]
        elif op == ops.ROUND_END and g[L.G_END] < 0:
            g[L.G_END] = row


@inlined
def occurs(w: Work, op: int) -> bool:
    """Return whether an operation occurs in the round."""
    return bool(w[L.G, 0, L.G_OPS] >> op & 1)


@inlined
def closes(w: Work) -> int:
    """Return the row after which a wager is late."""
    return int(w[L.G, 0, L.G_CLOSED] if w[L.G, 0, L.G_CLOSED] >= 0 else w[L.G, 0, L.G_FIRST_DRAW])


@compiled
def add_wager(w: Work, row: int) -> None:
    kind = w[L.E, row, L.E_KIND]
    late = is_late(w, row, kind)
    parent = find_wager(
        w, w[L.E, row, L.E_SEAT], w[L.E, row, L.E_BETTOR], kind, w[L.E, row, L.E_HAND], w[L.E, row, L.E_CARD]
    )
    if parent >= 0 and not late:
        w[L.W, parent, L.W_STAKE] += w[L.E, row, L.E_CENTS]
        return
    n = w[L.G, 0, L.G_WAGERS]
    w[L.G, 0, L.G_WAGERS] = n + 1
    line = w[L.W, n]
    clear(w, n)
    w[L.G, 0, L.G_TOP_SEAT] = max(w[L.G, 0, L.G_TOP_SEAT], w[L.E, row, L.E_SEAT])
    line[L.W_SEAT], line[L.W_BETTOR], line[L.W_KIND] = w[L.E, row, L.E_SEAT], w[L.E, row, L.E_BETTOR], kind
    line[L.W_HAND] = w[L.E, row, L.E_HAND] if kind == ops.SPLIT or kind == ops.DOUBLE else 1
    line[L.W_STAKE], line[L.W_PATRON], line[L.W_FOR], line[L.W_ROW] = (
        w[L.E, row, L.E_CENTS],
        w[L.E, row, L.E_AUX],
        w[L.E, row, L.E_CARD],
        row,
    )
    if late:
        line[L.W_FLAGS] |= L.LATE
    if w[L.E, row, L.E_FLAGS] & ops.ENTERED_MID_SHOE:
        line[L.W_FLAGS] |= L.MID_SHOE
    if w[L.E, row, L.E_FLAGS] & ops.SAT_OUT:
        line[L.W_FLAGS] |= L.SAT_OUT
    if w[L.E, row, L.E_FLAGS] & ops.BELOW_MINIMUM_BEFORE:
        line[L.W_FLAGS] |= L.BELOW_BEFORE
    line[L.W_AT] = line[L.W_CAUSE] = line[L.W_CLAUSE] = line[L.W_SETTLE_ROW] = line[L.W_ODDS] = -1
    line[L.W_PARENT] = parent
    if kind == ops.INSURANCE:
        line[L.W_PARENT] = other_insurance(w, n)


@inlined
def clear(w: Work, n: int) -> None:
    """Clear a row for a new wager."""
    for column in range(L.W_SETTLE_ROW + 1):
        w[L.W, n, column] = 0


@compiled
def other_insurance(w: Work, n: int) -> int:
    """An earlier insurance of the same bettor in the box: settle lines do not tell whose wager was insured."""
    for k in range(n):
        same = w[L.W, k, L.W_SEAT] == w[L.W, n, L.W_SEAT] and w[L.W, k, L.W_BETTOR] == w[L.W, n, L.W_BETTOR]
        if same and w[L.W, k, L.W_KIND] == ops.INSURANCE and w[L.W, k, L.W_PARENT] < 0:
            return k
    return -1


@compiled
def is_late(w: Work, row: int, kind: int) -> bool:
    """After betting closed; a progressive wager also after its round was started, unless that was cancelled."""
    if kind == ops.SPLIT or kind == ops.DOUBLE or kind == ops.INSURANCE:
        return False
    if kind != ops.BSX16 and kind != ops.BONUS_SPIN:
        return row > closes(w)
    started = row > closes(w)
    for earlier in range(row):
        if w[L.E, earlier, L.E_OP] == ops.PROGRESSIVE and w[L.E, earlier, L.E_CARD] == kind - ops.BONUS_SPIN:
            if w[L.E, earlier, L.E_KIND] == ops.START_ROUND:
                started = True
            elif w[L.E, earlier, L.E_KIND] == ops.CANCEL_ROUND:
                return False
    return started


@inlined
def find_wager(w: Work, seat: int, bettor: int, kind: int, hand: int, for_bettor: int) -> int:
    """Index of the wager at a place, -1; the hand tells only splits and doubles apart."""
    by_hand = kind == ops.SPLIT or kind == ops.DOUBLE
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_SEAT] == seat and line[L.W_BETTOR] == bettor and line[L.W_KIND] == kind:
            if (not by_hand or line[L.W_HAND] == hand) and line[L.W_FOR] == for_bettor and line[L.W_PARENT] < 0:
                return n
    return -1


@inlined
def main_of(w: Work, seat: int, bettor: int) -> int:
    """Index of a bettor's main wager in a box that is in time, else of a late one, else -1."""
    late = -1
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_SEAT] == seat and line[L.W_BETTOR] == bettor and line[L.W_KIND] == ops.MAIN:
            if not line[L.W_FLAGS] & L.LATE:
                return n
            late = n
    return late


@compiled
def add_draw(w: Work, row: int) -> None:
    n = w[L.G, 0, L.G_DRAWS]
    w[L.G, 0, L.G_DRAWS] = n + 1
    line = w[L.D, n]
    line[L.D_CARD] = w[L.E, row, L.E_CARD]
    line[L.D_UP] = w[L.E, row, L.E_FLAGS] & ops.FACE_UP
    line[L.D_ROW] = row
    line[L.D_N] = w[L.E, row, L.E_AUX]
    line[L.D_ROLE] = L.UNPLACED
    line[L.D_HAND] = -1
    line[L.D_PLACE] = line[L.D_EXTRA] = 0
    line[L.D_ASKED] = -1


@compiled
def add_irregularity(w: Work, row: int) -> None:
    n = w[L.G, 0, L.G_IRREGULAR]
    w[L.G, 0, L.G_IRREGULAR] = n + 1
    line = w[L.I, n]
    w[L.G, 0, L.G_TOP_SEAT] = max(w[L.G, 0, L.G_TOP_SEAT], w[L.E, row, L.E_SEAT])
    line[L.I_CODE], line[L.I_SEAT], line[L.I_HAND] = w[L.E, row, L.E_KIND], w[L.E, row, L.E_SEAT], w[L.E, row, L.E_HAND]
    line[L.I_RULINGS], line[L.I_ROW] = w[L.E, row, L.E_CENTS], row
    line[L.I_EXPOSED], line[L.I_REFUSED] = w[L.E, row, L.E_FLAGS] & ops.EXPOSED, w[L.E, row, L.E_AUX]
    line[L.I_EARLY] = 1 if row < w[L.G, 0, L.G_FIRST_DECISION] else 0
    line[L.I_FINDING] = -1
    line[L.I_INFERRED] = w[L.E, row, L.E_FLAGS] & ops.INFERRED
    cards = 0
    while row + 1 + cards < w[L.G, 0, L.G_HI] and w[L.E, row + 1 + cards, L.E_OP] == ops.IRREGULAR_CARD:
        cards += 1
    line[L.I_CARDS] = cards
    if line[L.I_RULINGS] & ops.VOID:
        w[L.G, 0, L.G_VOID_LOGGED] = 1
    if line[L.I_RULINGS] & ops.WITHDRAW_WAGER:
        w[L.G, 0, L.G_WITHDRAWALS] = 1
    if w[L.E, row, L.E_KIND] == _POWER:
        w[L.G, 0, L.G_POWER] = n


@compiled
def line_for(w: Work, code: int, seat: int) -> int:
    """The first irregularity line with a code (and box, where given), -1."""
    for n in range(w[L.G, 0, L.G_IRREGULAR]):
        if w[L.I, n, L.I_CODE] == code and (seat == 0 or w[L.I, n, L.I_SEAT] == seat):
            return n
    return -1


@compiled
def is_refused(w: Work, n: int) -> bool:
    """Return whether a late wager was refused by a logged ruling."""
    line = w[L.W, n]
    for k in range(w[L.G, 0, L.G_IRREGULAR]):
        ruling = w[L.I, k]
        seat, bettor = ruling[L.I_SEAT], w[L.E, ruling[L.I_ROW], L.E_BETTOR]
        same_place = seat in (0, line[L.W_SEAT]) and bettor in (0, line[L.W_BETTOR])
        if ruling[L.I_CODE] == _LATE and ruling[L.I_RULINGS] & ops.REFUSE and same_place:
            return True
    return False


@compiled
def was_closed(w: Work, what: int, before: int) -> bool:
    """Return whether an offer was logged as closed before a row."""
    for row in range(before):
        if w[L.E, row, L.E_OP] == ops.OFFER and w[L.E, row, L.E_KIND] == what:
            if not w[L.E, row, L.E_FLAGS] & ops.OFFER_OPEN:
                return True
    return False


@compiled
def is_cancelled(w: Work, system: int) -> bool:
    """Return whether a progressive system's round was finally cancelled."""
    cancelled = False
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] == ops.PROGRESSIVE and w[L.E, row, L.E_CARD] == system:
            if w[L.E, row, L.E_KIND] == ops.CANCEL_ROUND:
                cancelled = True
            elif w[L.E, row, L.E_KIND] == ops.START_ROUND:
                cancelled = False
    return cancelled
