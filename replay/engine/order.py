"""Check of the prescribed moments and order of settlement."""

from replay import cards, ops, rules
from replay import situations as S
from replay.compiled import compiled, inlined
from replay.engine import dealer, hands, report, scan
from replay.engine import layout as L
from replay.engine.layout import Work
from replay.rules import Rules

_NEVER = 1 << 60


@compiled
def match_lines(w: Work) -> None:
    """Match every settle line with the wager or prize that it settles."""
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] == ops.SETTLE:
            w[L.E, row, L.E_WAGER] = find_settled(w, row)


@compiled
def check_order(w: Work, r: Rules) -> None:
    """Check all payments of the round, in the order of the log. Lines of 0 and 0 are no payments."""
    if w[L.G, 0, L.G_SETTLES] == 0 or w[L.G, 0, L.G_VOID_LOGGED] or w[L.G, 0, L.G_VOID] >= 0:
        return
    first_decision = w[L.G, 0, L.G_DECIDED]
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] != ops.SETTLE or (w[L.E, row, L.E_CENTS] == 0 and w[L.E, row, L.E_AUX] == 0):
            continue
        n = w[L.E, row, L.E_WAGER]
        if n < 0:
            continue
        slot = moment_problem(w, r, n, row, first_decision)
        if slot >= 0:
            tell(w, r, slot, n, row)
    check_sequence(w, r)


@compiled
def tell(w: Work, r: Rules, slot: int, n: int, row: int) -> None:
    line = w[L.W, n]
    report.at_wager(w, r, slot, row, line[L.W_SEAT], line[L.W_HAND], line[L.W_BETTOR], line[L.W_KIND], L.NOTHING)


@inlined
def find_settled(w: Work, row: int) -> int:
    """Return the wager or prize that a settle line settles, -1 if there is none."""
    n = scan.find_wager(
        w, w[L.E, row, L.E_SEAT], w[L.E, row, L.E_BETTOR], w[L.E, row, L.E_KIND], w[L.E, row, L.E_HAND], L.NOTHING
    )
    if n < 0 and w[L.E, row, L.E_KIND] == ops.INSURANCE:
        for k in range(w[L.G, 0, L.G_WAGERS]):
            line = w[L.W, k]
            same = line[L.W_SEAT] == w[L.E, row, L.E_SEAT] and line[L.W_BETTOR] == w[L.E, row, L.E_BETTOR]
            if same and line[L.W_KIND] == ops.INSURANCE:
                return k
    return n


@compiled
def next_decision(w: Work, after: int, hand: int) -> int:
    """Return the row of the next decision after a row on a hand other than the given; beyond all rows if none."""
    for row in range(after + 1, w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] != ops.DECISION:
            continue
        same = (
            hand >= 0
            and w[L.E, row, L.E_SEAT] == w[L.H, hand, L.H_SEAT]
            and w[L.E, row, L.E_HAND] == w[L.H, hand, L.H_NUMBER]
        )
        if not same:
            return row
    return _NEVER


@compiled
def moment_problem(w: Work, r: Rules, n: int, row: int, first_decision: int) -> int:
    """Return the slot of a payment made at the wrong time, -1 if the time is right."""
    line = w[L.W, n]
    kind, h = line[L.W_KIND], line[L.W_AT]
    if w[L.E, row, L.E_CENTS] < 0 or w[L.E, row, L.E_AUX] < 0:
        return -1  # a reversal has its own time
    check = w[L.G, 0, L.G_FIRST_CHECK]
    if kind == ops.MATCH:
        late = row > first_decision or 0 <= check < row
        return S.SETTLEMENT__OUT_OF_ORDER__MATCH if late else -1
    if kind == ops.INSURANCE:
        return insurance_problem(w, r, row, first_decision)
    if h < 0:
        return -1
    if kind == ops.SUPER_BONUS:
        return S.SETTLEMENT__OUT_OF_ORDER__SUPER_BONUS if row < w[L.H, h, L.H_LAST_ROW] else -1
    if kind > ops.DOUBLE or w[L.E, row, L.E_CENTS] + w[L.E, row, L.E_AUX] < 0:
        return -1
    if line[L.W_FLAGS] & L.GIVEN_UP:
        waits = r.surrender_waits >> cards.RANK[w[L.G, 0, L.G_UP]] & 1
        given_up = surrender_row(w, h)
        late = not waits and row > next_decision(w, given_up, h)
        early = waits and r.surrender_first and row < w[L.H, 0, L.H_LAST_ROW]
        return S.SETTLEMENT__OUT_OF_ORDER__SURRENDER if late or early else -1
    if w[L.E, row, L.E_CENTS] > 0:
        return win_problem(w, r, h, row)
    return -1


@compiled
def surrender_row(w: Work, h: int) -> int:
    for row in range(w[L.G, 0, L.G_HI]):
        if (
            w[L.E, row, L.E_OP] == ops.DECISION
            and w[L.E, row, L.E_KIND] == ops.SURRENDER
            and w[L.E, row, L.E_SEAT] == w[L.H, h, L.H_SEAT]
        ):
            return row
    return 0


@compiled
def insurance_problem(w: Work, r: Rules, row: int, first_decision: int) -> int:
    """A lost insurance is taken when it is known to be lost, before further cards."""
    if w[L.E, row, L.E_AUX] <= 0:
        return -1
    late = row > w[L.G, 0, L.G_DEALER_FROM]
    early = False
    if r.insurance_after_second:
        early = not r.hole_card and row < w[L.G, 0, L.G_SECOND_POS]
    else:
        late = late or row > first_decision
        early = row < w[L.G, 0, L.G_FIRST_CHECK]
    return S.SETTLEMENT__OUT_OF_ORDER__INSURANCE if late or early else -1


@compiled
def win_problem(w: Work, r: Rules, h: int, row: int) -> int:
    """Hands that are paid at once, and blackjacks that have to wait."""
    if r.wins_at_once:
        if hands.total(w, h) != 21 or row <= at_once_until(w, h):
            return -1
        super_winner = w[L.G, 0, L.G_BONUS_WINNER] and hands.is_super_bonus(w, h)
        if super_winner and r.super_waits:
            return -1
        pontoon = hands.is_blackjack(w, h)
        return S.SETTLEMENT__OUT_OF_ORDER__BLACKJACK_AT_ONCE if pontoon else S.SETTLEMENT__OUT_OF_ORDER__21_AT_ONCE
    if not hands.is_blackjack(w, h) or dealer.dealer_has_blackjack(w):
        return -1
    waits = (
        r.clause[S.SETTLEMENT__OUT_OF_ORDER__BLACKJACK_AT_ONCE] < 0 or r.reader_up >> cards.RANK[w[L.G, 0, L.G_UP]] & 1
    )
    if waits:
        return S.SETTLEMENT__OUT_OF_ORDER__BLACKJACK_WAITS if row < w[L.G, 0, L.G_LAST_DECISION] else -1
    return S.SETTLEMENT__OUT_OF_ORDER__BLACKJACK_AT_ONCE if row > in_turn_until(w, h) else -1


@compiled
def at_once_until(w: Work, h: int) -> int:
    """The last row at which a hand that is paid at once may be paid."""
    after = max(w[L.H, h, L.H_LAST_ROW], w[L.H, h, L.H_HIT_ROW])
    until = _NEVER
    for row in range(after + 1, w[L.G, 0, L.G_HI]):
        other = w[L.E, row, L.E_OP] == ops.DECISION and w[L.E, row, L.E_KIND] != ops.SURRENDER
        if other and (w[L.E, row, L.E_SEAT] != w[L.H, h, L.H_SEAT] or w[L.E, row, L.E_HAND] != w[L.H, h, L.H_NUMBER]):
            until = row
            break
    return int(min(until, w[L.G, 0, L.G_SECOND_POS])) if w[L.G, 0, L.G_SECOND_POS] > after else int(until)


@compiled
def in_turn_until(w: Work, h: int) -> int:
    """A blackjack is paid when play comes to its box: before a later box decides or the dealer draws."""
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] == ops.DECISION and w[L.E, row, L.E_SEAT] > w[L.H, h, L.H_SEAT]:
            return row
    return int(w[L.G, 0, L.G_DEALER_FROM])


@compiled
def check_sequence(w: Work, r: Rules) -> None:
    """The order among the match wagers, and among the wagers of the final settlement."""
    if r.match_offered:
        walk_sequence(w, r, True, r.match_order)
    walk_sequence(w, r, False, r.settle_order)


@compiled
def walk_sequence(w: Work, r: Rules, match: bool, order: int) -> None:
    paid = False
    seat = _NEVER
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] != ops.SETTLE or (w[L.E, row, L.E_CENTS] == 0 and w[L.E, row, L.E_AUX] == 0):
            continue
        if (w[L.E, row, L.E_KIND] == ops.MATCH) != match or (not match and not is_final(w, r, row)):
            continue
        if w[L.E, row, L.E_CENTS] < 0 or w[L.E, row, L.E_AUX] < 0:
            paid = False  # taken back, so that nothing is paid out yet
            continue
        n = w[L.E, row, L.E_WAGER]
        if n < 0 or not is_due(w, n, row):
            continue  # the wrong amount is a separate finding
        slot = -1
        if order == rules.ORDER_COLLECT_FIRST and w[L.E, row, L.E_AUX] > 0 and paid:
            slot = S.SETTLEMENT__OUT_OF_ORDER__COLLECT_FIRST
        elif order == rules.ORDER_RIGHT_TO_LEFT and w[L.E, row, L.E_SEAT] > seat:
            slot = S.SETTLEMENT__OUT_OF_ORDER__RIGHT_TO_LEFT
        if match and slot >= 0:
            slot = S.SETTLEMENT__OUT_OF_ORDER__MATCH_SEATS
        if slot >= 0:
            tell(w, r, slot, n, row)
            return
        paid = paid or w[L.E, row, L.E_CENTS] > 0
        seat = w[L.E, row, L.E_SEAT]


@inlined
def is_due(w: Work, n: int, row: int) -> bool:
    """Return whether a settle line pays a winning wager or takes a losing one."""
    pays = w[L.E, row, L.E_CENTS] > 0 and w[L.W, n, L.W_PAID] > 0
    return bool(pays or (w[L.E, row, L.E_AUX] > 0 and w[L.W, n, L.W_TAKEN] > 0))


@compiled
def is_final(w: Work, r: Rules, row: int) -> bool:
    """Return whether a line is of the final settlement: after the last decision, for a hand not bust or given up."""
    if w[L.E, row, L.E_KIND] > ops.DOUBLE or row < w[L.G, 0, L.G_LAST_DECISION]:
        return False
    n = w[L.E, row, L.E_WAGER]
    if n < 0 or w[L.W, n, L.W_AT] < 0:
        return False
    h = w[L.W, n, L.W_AT]
    at_once = hands.is_blackjack(w, h) and r.clause[S.SETTLEMENT__OUT_OF_ORDER__BLACKJACK_AT_ONCE] >= 0
    if at_once and not r.reader_up >> cards.RANK[w[L.G, 0, L.G_UP]] & 1:
        return False
    return not (hands.total(w, h) > 21 or w[L.W, n, L.W_FLAGS] & (L.GIVEN_UP | L.TAKEN_BACK))
