"""The dealer's hand and the card reader."""

from replay import cards, ops, rules
from replay import situations as S
from replay.compiled import compiled, inlined
from replay.engine import deal, hands, report, scan
from replay.engine import layout as L
from replay.engine.layout import Work
from replay.rules import Rules


@compiled
def play_dealer(w: Work, r: Rules) -> None:
    """Draw the dealer's cards by the rulebook; report cards drawn in excess, or not drawn."""
    if is_cut_short(w):
        use_rest(w)
        return
    if w[L.H, 0, L.H_CARDS] < 2 and not w[L.G, 0, L.G_STOPPED]:
        second_card(w, r)
    while must_draw(w, r) and deal.pull(w) >= 0 and matters(w, r):
        n = deal.give(w, 0)
        if w[L.H, 0, L.H_CARDS] == 3:
            w[L.G, 0, L.G_DEALER_FROM] = w[L.D, n, L.D_ROW]
    judge_rest(w, r)


@compiled
def is_cut_short(w: Work) -> bool:
    """Return whether the round was called void or never ended, so that the dealer need not complete the hand."""
    return bool(w[L.G, 0, L.G_VOID_LOGGED] or w[L.G, 0, L.G_END] < 0 or w[L.G, 0, L.G_CONTEXT] & ops.NO_SHOE)


@compiled
def use_rest(w: Work) -> None:
    """Give the remaining cards of an interrupted round to the dealer, for lack of other evidence."""
    while deal.pull(w) >= 0:
        if w[L.H, 0, L.H_CARDS] < 2:
            deal.deal_dealer(w)
        else:
            deal.give(w, 0)


@compiled
def second_card(w: Work, r: Rules) -> None:
    """Deal the dealer's second card after the players; if none was drawn but one is needed, count it as missing."""
    if deal.pull(w) >= 0:
        deal.deal_dealer(w)
        if w[L.H, 0, L.H_CARDS] == 1 and deal.pull(w) >= 0:
            deal.deal_dealer(w)
    elif w[L.H, 0, L.H_CARDS] == 0 or matters(w, r) or second_needed(w, r):
        w[L.G, 0, L.G_SHORT] += 1
        w[L.G, 0, L.G_SHORT_SECOND] = w[L.H, 0, L.H_CARDS]  # one card short of two, not of both


@compiled
def second_needed(w: Work, r: Rules) -> bool:
    """Return whether an insurance, a pending surrender or an Xtreme wager depends on the dealer's second card."""
    up = cards.RANK[w[L.G, 0, L.G_UP]]
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_FLAGS] & gone(w, r) & ~(L.GIVEN_UP | L.TAKEN_BACK):
            continue
        plays = scan.main_of(w, line[L.W_SEAT], line[L.W_BETTOR]) >= 0
        if line[L.W_KIND] == ops.INSURANCE and up == cards.ACE and plays:
            h = w[L.B, line[L.W_SEAT], L.B_FIRST]
            if h >= 0 and (r.insurance_with_blackjack or not hands.is_blackjack(w, h)):
                return True
        if line[L.W_FLAGS] & L.GIVEN_UP and r.surrender_waits >> up & 1:
            return True
        wheel = line[L.W_KIND] == ops.BSX16 and r.bsx_offered and plays
        if wheel and (up == cards.SIX or up > cards.TEN) and not scan.is_cancelled(w, L.FIRST):
            return True
    return False


@compiled
def gone(w: Work, r: Rules) -> int:
    """Return the flags of wagers that the dealer's cards no longer affect."""
    flags = L.GIVEN_UP | L.TAKEN_BACK | L.RETURNED
    if w[L.G, 0, L.G_WITHDRAWALS]:
        flags |= L.WITHDRAWN
    return flags if r.late_honoured else flags | L.LATE


@inlined
def must_draw(w: Work, r: Rules) -> bool:
    """Return whether the dealer must draw on the present total."""
    points = hands.total(w, 0)
    if w[L.H, 0, L.H_CARDS] < 2:
        return True
    if r.soft_17_draws and points == r.stands_on and hands.is_soft(w, 0):
        return True
    return points < r.stands_on


@compiled
def matters(w: Work, r: Rules) -> bool:
    """Return whether the dealer's hand can still change the result of any hand."""
    for h in range(1, w[L.G, 0, L.G_HANDS]):
        if is_open(w, r, h):
            return True
    return False


@compiled
def is_open(w: Work, r: Rules, h: int) -> bool:
    """Return whether a hand's result still depends on the dealer's cards."""
    points = hands.total(w, h)
    dealer_cards = w[L.H, 0, L.H_CARDS]
    blackjack_possible = dealer_cards < 2 and cards.VALUE[w[L.G, 0, L.G_UP]] in (1, 10)
    if hands.has(w, h, L.DEAD | L.SURRENDERED) or not has_live_wager(w, r, h):
        return False
    if points > 21:
        return bool(r.bust_original_only and blackjack_possible and hands.has(w, h, L.DOUBLED | L.FROM_SPLIT))
    if hands.is_blackjack(w, h):
        return bool(r.blackjack_against_21)
    if points < 21:
        return True
    if r.wins_at_once:
        return False
    if hands.has(w, h, L.FROM_SPLIT) and w[L.H, h, L.H_CARDS] == 2:
        return bool(r.split_21 != rules.SPLIT21_WIN)
    return blackjack_possible


@compiled
def has_live_wager(w: Work, r: Rules, h: int) -> bool:
    """Return whether any bettor on the hand has neither surrendered nor taken the double back."""
    seat, number = w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER]
    out = gone(w, r)
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        on_hand = line[L.W_KIND] <= ops.DOUBLE and line[L.W_HAND] == number
        if line[L.W_SEAT] == seat and on_hand and not line[L.W_FLAGS] & out:
            return True
    return False


@compiled
def judge_rest(w: Work, r: Rules) -> None:
    """Report dealer errors: cards left over, or a total on which the dealer had to draw."""
    points = hands.total(w, 0)
    first = deal.pull(w)
    if w[L.G, 0, L.G_STOPPED] and first >= 0:
        row = w[L.D, first, L.D_ROW]
        if w[L.G, 0, L.G_LAST_DECISION] < w[L.G, 0, L.G_FIRST_CHECK]:
            report.at_table(w, r, S.DEAL__DRAWN_IN_ERROR__AFTER_BLACKJACK, row, L.NOTHING, w[L.D, first, L.D_CARD])
    elif first >= 0:
        slot = S.DEALER__DREW_WITHOUT_EFFECT if must_draw(w, r) else S.DEALER__DREW_ON_STANDING_TOTAL
        if not must_draw(w, r) and not matters(w, r) and points < r.stands_on:
            slot = S.DEALER__DREW_WITHOUT_EFFECT
        card = w[L.D, first, L.D_CARD]
        row = w[L.D, first, L.D_ROW]
        found = report.at_table(w, r, slot, row, points, card)
        if slot == S.DEALER__DREW_ON_STANDING_TOTAL:
            w[L.G, 0, L.G_STANDING] = found
    elif (
        must_draw(w, r)
        and w[L.H, 0, L.H_CARDS] >= 2
        and matters(w, r)
        and not w[L.G, 0, L.G_SHORT]
        and not w[L.G, 0, L.G_STOPPED]
    ):
        found = report.at_table(w, r, S.DEALER__FAILED_TO_DRAW, w[L.G, 0, L.G_END], points, L.NOTHING)
        w[L.G, 0, L.G_STOPPED_SHORT] = 1
        if r.stopped_short_complete and found >= 0:
            w[L.G, 0, L.G_INCOMPLETE] = 1
    while deal.pull(w) >= 0:
        n = deal.pull(w)
        w[L.D, n, L.D_ROLE], w[L.D, n, L.D_ASKED] = L.LEFT_OVER, w[L.G, 0, L.G_ASKED]
        report.step(
            w, w[L.D, n, L.D_ROW], L.STEP_LEFT_OVER, L.NOTHING, L.NOTHING, w[L.D, n, L.D_CARD], points, L.NOTHING, -1
        )


@inlined
def dealer_has_blackjack(w: Work) -> bool:
    """Return whether the dealer's first two cards are an ace and a ten-value card."""
    return bool(w[L.H, 0, L.H_CARDS] == 2 and hands.total(w, 0) == 21)


@compiled
def check_reader(w: Work, r: Rules) -> None:
    """Report errors with the card reader: not used, used without need, contradicted by the cards, or faulty."""
    first = w[L.G, 0, L.G_FIRST_CHECK]
    up = w[L.G, 0, L.G_UP]
    if not r.hole_card or up == 0:
        return
    asked = r.reader and r.reader_up >> cards.RANK[up] & 1 and not w[L.G, 0, L.G_SHORT_INITIAL]
    down = (w[L.G, 0, L.G_CONTEXT] & ops.READER_DOWN) != 0 or failed_before_use(w)
    if first >= 0 and not r.reader_up >> cards.RANK[up] & 1:
        slot = S.READER__MISUSED__REVEALS if r.reader_reveals else S.READER__MISUSED__CONCEALS
        report.at_table(w, r, slot, first, L.NOTHING, up)
        if r.reader_reveals and r.clause[slot] >= 0:
            report.require_void(w, slot)
    elif asked and not down and (first < 0 or first > w[L.G, 0, L.G_FIRST_PLAY]) and not w[L.G, 0, L.G_VOID_LOGGED]:
        if w[L.G, 0, L.G_END] >= 0:
            report.at_table(w, r, S.READER__NOT_USED, w[L.G, 0, L.G_FIRST_DRAW], L.NOTHING, up)
    check_reader_truth(w, r)
    check_reader_fault(w, r)


@compiled
def failed_before_use(w: Work) -> bool:
    """Return whether the reader failed in the round before the players' first decision."""
    for row in range(w[L.G, 0, L.G_HI]):
        if row > w[L.G, 0, L.G_FIRST_PLAY]:
            return False
        if w[L.E, row, L.E_OP] == ops.FAULT and w[L.E, row, L.E_KIND] == ops.DEVICE_READER:
            return True
    return False


@compiled
def check_reader_truth(w: Work, r: Rules) -> None:
    result = w[L.G, 0, L.G_CHECK]
    if result < 0 or result == ops.CHECK_FAULT or w[L.G, 0, L.G_SECOND] == 0:
        return
    first_two = cards.VALUE[w[L.G, 0, L.G_UP]] + cards.VALUE[w[L.G, 0, L.G_SECOND]] == 11
    ace = cards.RANK[w[L.G, 0, L.G_UP]] == cards.ACE or cards.RANK[w[L.G, 0, L.G_SECOND]] == cards.ACE
    if (result == ops.CHECK_BLACKJACK) != (first_two and ace):
        report.at_table(w, r, S.READER__CONTRADICTS_CARDS, w[L.G, 0, L.G_FIRST_CHECK], L.NOTHING, w[L.G, 0, L.G_SECOND])


@compiled
def check_reader_fault(w: Work, r: Rules) -> None:
    """Report dealing on with a broken reader, or, if play may go on without the reader, its use while broken."""
    if not r.reader:
        return
    in_order = not (scan.occurs(w, ops.FAULT) or scan.occurs(w, ops.REPAIRED) or scan.occurs(w, ops.HOLE_CHECK))
    if in_order and not w[L.G, 0, L.G_CONTEXT] & ops.READER_DOWN:
        return
    down = (w[L.G, 0, L.G_CONTEXT] & ops.READER_DOWN) != 0
    for row in range(w[L.G, 0, L.G_HI]):
        op = w[L.E, row, L.E_OP]
        if (op == ops.FAULT or op == ops.REPAIRED) and w[L.E, row, L.E_KIND] == ops.DEVICE_READER:
            down = op == ops.FAULT
        elif op == ops.HOLE_CHECK and w[L.E, row, L.E_KIND] == ops.CHECK_FAULT:
            down = True
        elif down and ((r.reader_stops and op == ops.DRAW) or (not r.reader_stops and op == ops.HOLE_CHECK)):
            report.at_table(w, r, S.READER__FAULT_PLAY_CONTINUED, row, L.NOTHING, L.NOTHING)
            return
