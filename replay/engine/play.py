"""The players' decisions, one by one in the order of the log, each checked and carried out."""

from replay import cards, codes, ops, rules
from replay import situations as S
from replay.compiled import compiled, inlined
from replay.engine import deal, hands, report, scan
from replay.engine import layout as L
from replay.engine.layout import Work
from replay.rules import Rules

_MISSED = codes.NUMBER["deal.dealer-missed-card"]
_IN_ERROR = codes.NUMBER["deal.drawn-in-error"]
_IN_ERROR = codes.NUMBER["deal.drawn-in-error"]
_NOT_DEALT = codes.NUMBER["deal.hit-not-dealt"]


@compiled
def play(w: Work, r: Rules) -> None:
    """Carry out all decisions, then see that every hand is finished."""
    w[L.G, 0, L.G_CURRENT] = next_box(w, L.NOTHING)
    find_unanswered(w)
    for row in range(w[L.G, 0, L.G_HI]):
        op = w[L.E, row, L.E_OP]
        if op == ops.DECISION:
            decide(w, r, row)
        elif op == ops.ASSIGN:
            assign(w, r, row)
        elif op == ops.HOLE_CHECK and w[L.E, row, L.E_KIND] == ops.CHECK_BLACKJACK and r.reader:
            w[L.G, 0, L.G_STOPPED] = 1
        elif op == ops.IRREGULARITY:
            note_ruling(w, row)
        elif op == ops.WITHDRAW:
            withdraw(w, row)
    finish_all(w, r)


@compiled
def find_unanswered(w: Work) -> None:
    """Find the last request for a card of every box with a logged request that got no card."""
    if not w[L.G, 0, L.G_IRREGULAR]:
        return
    for row in range(w[L.G, 0, L.G_HI]):
        if (
            w[L.E, row, L.E_OP] == ops.DECISION
            and w[L.E, row, L.E_KIND] == ops.HIT
            and w[L.B, w[L.E, row, L.E_SEAT], L.B_DEFER]
        ):
            w[L.B, w[L.E, row, L.E_SEAT], L.B_DEFER_ROW] = row


@compiled
def note_ruling(w: Work, row: int) -> None:
    """Carry out a ruling that takes effect at its row: the dealer's missed card, a refusal."""
    if w[L.E, row, L.E_KIND] == _MISSED and w[L.G, 0, L.G_LATE_DEALER] and w[L.H, 0, L.H_CARDS] == 0:
        deal.deal_dealer(w)
    if w[L.E, row, L.E_KIND] == _IN_ERROR and w[L.E, row, L.E_AUX]:
        for h in range(1, w[L.G, 0, L.G_HANDS]):
            if w[L.E, row, L.E_AUX] >> w[L.H, h, L.H_SEAT] & 1:
                w[L.H, h, L.H_FLAGS] |= L.REFUSES | L.FINISHED


@inlined
def next_box(w: Work, seat: int) -> int:
    """Return the first hand of the next box that was dealt in, -1 if there is none."""
    for later in range(seat + 1, w[L.G, 0, L.G_TOP_SEAT] + 1):
        if w[L.B, later, L.B_FIRST] >= 0:
            return int(w[L.B, later, L.B_FIRST])
    return -1


@inlined
def following(w: Work, h: int) -> int:
    """Return the hand to be played after a hand, -1 if there is none."""
    return int(w[L.H, h, L.H_NEXT]) if w[L.H, h, L.H_NEXT] >= 0 else next_box(w, w[L.H, h, L.H_SEAT])


@compiled
def pass_finished(w: Work, r: Rules) -> None:
    """Move on over finished hands; a hand whose turn has come gets its second card."""
    while w[L.G, 0, L.G_CURRENT] >= 0:
        h = w[L.G, 0, L.G_CURRENT]
        complete_pair(w, r, h)
        if not hands.has(w, h, L.FINISHED):
            return
        w[L.G, 0, L.G_CURRENT] = following(w, h)


@inlined
def complete_pair(w: Work, r: Rules, h: int) -> None:
    """Deal the second card of a split hand, or of a box that was dealt one card only, when its turn comes."""
    if w[L.H, h, L.H_CARDS] != 1 or hands.has(w, h, L.DEAD) or hands.waits_for_hit(w, w[L.H, h, L.H_SEAT]):
        return
    deal.give(w, h)
    one_card_only = r.aces_once and hands.has(w, h, L.SPLIT_ACE)
    if one_card_only or hands.total(w, h) >= 21:
        w[L.H, h, L.H_FLAGS] |= L.FINISHED


@inlined
def find_hand(w: Work, seat: int, number: int) -> int:
    h = w[L.B, seat, L.B_FIRST]
    while h >= 0 and w[L.H, h, L.H_NUMBER] != number:
        h = w[L.H, h, L.H_NEXT]
    return int(h)


@compiled
def decide(w: Work, r: Rules, row: int) -> None:
    """Process one decision."""
    seat, number, action = w[L.E, row, L.E_SEAT], w[L.E, row, L.E_HAND], w[L.E, row, L.E_KIND]
    h = find_hand(w, seat, number)
    early_surrender = action == ops.SURRENDER and r.surrender_first and row < w[L.G, 0, L.G_FIRST_PLAY]
    if h >= 0 and not early_surrender:
        take_turn(w, r, h, row)
    w[L.G, 0, L.G_ASKED] = row
    if h < 0:
        refuse_nowhere(w, r, seat, number, action, row)
        return
    report.step(w, row, L.STEP_DECISION, seat, number, L.NOTHING, action, L.NOTHING, -1)
    if 0 <= w[L.G, 0, L.G_END] < row:
        report.at_hand(w, r, S.PLAY__OUT_OF_TURN, row, seat, number, L.NOTHING)
        return
    if action == ops.HIT:
        hit(w, r, h, row)
    elif action == ops.STAND:
        w[L.H, h, L.H_FLAGS] |= L.FINISHED | L.STOOD
    elif action == ops.DOUBLE_DOWN:
        double(w, r, h, row)
        mask = w[L.E, row, L.E_FLAGS]
        if mask and not mask >> controller(w, seat) & 1:
            slot = S.PLAY__ILLEGAL_DOUBLE__NOT_CONTROLLING
            report.at_wager(w, r, slot, row, seat, number, lowest(mask), L.NO_KIND, L.NOTHING)
    elif action == ops.SPLIT_PAIR:
        split(w, r, h, row)
    elif action == ops.SURRENDER:
        surrender(w, r, h, row)
    elif action == ops.RESCUE:
        rescue(w, r, h, row)
    if w[L.G, 0, L.G_IRREGULAR] and gets_extra(w, row):
        deal.give(w, h)
        if hands.total(w, h) >= 21:
            w[L.H, h, L.H_FLAGS] |= L.FINISHED
    if not early_surrender:
        pass_finished(w, r)


@compiled
def gets_extra(w: Work, row: int) -> bool:
    """Return whether a story supposes in the next row that this decision brought the hand one card too many."""
    after = row + 1
    if after >= w[L.G, 0, L.G_HI] or w[L.E, after, L.E_OP] != ops.IRREGULARITY:
        return False
    if w[L.E, after, L.E_KIND] != _IN_ERROR or not w[L.E, after, L.E_FLAGS] & ops.INFERRED:
        return False
    return bool(w[L.E, after, L.E_SEAT] and not w[L.E, after, L.E_CENTS] & ops.REMOVE_CARD)


@compiled
def controller(w: Work, seat: int) -> int:
    """Return the bettor who decides for a box: the first with a main wager who has not surrendered, else 1."""
    for bettor in range(1, ops.MAX_BETTOR + 1):
        n = scan.main_of(w, seat, bettor)
        if n >= 0 and not w[L.W, n, L.W_FLAGS] & L.GIVEN_UP:
            return bettor
    return 1


@compiled
def refuse_nowhere(w: Work, r: Rules, seat: int, number: int, action: int, row: int) -> None:
    """Report a decision for a hand that does not exist."""
    if action == ops.DOUBLE_DOWN:
        report.at_hand(w, r, S.PLAY__ILLEGAL_DOUBLE__FINISHED, row, seat, number, L.NOTHING)
    elif action == ops.HIT:
        report.at_hand(w, r, S.PLAY__ILLEGAL_HIT__FINISHED, row, seat, number, L.NOTHING)
    else:
        report.at_hand(w, r, S.PLAY__OUT_OF_TURN, row, seat, number, L.NOTHING)


@compiled
def take_turn(w: Work, r: Rules, h: int, row: int) -> None:
    """Pass hands on the way to this one; those left without a decision are reported."""
    pass_finished(w, r)
    current = w[L.G, 0, L.G_CURRENT]
    if current == h or not comes_later(w, current, h):
        if current != h and not may_act_again(w, h):
            out_of_turn(w, r, h, row)
        return
    if acts_later(w, current, row):
        complete_pair(w, r, h)
        out_of_turn(w, r, h, row)
        return
    while w[L.G, 0, L.G_CURRENT] >= 0 and w[L.G, 0, L.G_CURRENT] != h:
        leave_open(w, r, w[L.G, 0, L.G_CURRENT], row)
        pass_finished(w, r)


@compiled
def acts_later(w: Work, h: int, row: int) -> bool:
    """Return whether a hand decides only after this row."""
    for later in range(row + 1, w[L.G, 0, L.G_HI]):
        if w[L.E, later, L.E_OP] == ops.DECISION and w[L.E, later, L.E_SEAT] == w[L.H, h, L.H_SEAT]:
            if w[L.E, later, L.E_HAND] == w[L.H, h, L.H_NUMBER]:
                return True
    return False


@compiled
def comes_later(w: Work, current: int, h: int) -> bool:
    """Return whether hand ``h`` is the current hand or follows it in the order of play."""
    k = current
    while k >= 0:
        if k == h:
            return True
        k = following(w, k)
    return False


@compiled
def may_act_again(w: Work, h: int) -> bool:
    """Return whether a hand behind the turn may still act: rescue, be hit illegally, or get its missing card."""
    return hands.has(w, h, L.FINISHED | L.AWAITS_CARD)


@compiled
def out_of_turn(w: Work, r: Rules, h: int, row: int) -> None:
    slot = S.PLAY__OUT_OF_TURN__SPLIT_HAND if hands.has(w, h, L.FROM_SPLIT) else S.PLAY__OUT_OF_TURN
    if not hands.has(w, h, L.TOLD_OUT_OF_TURN):
        report.at_hand(w, r, slot, row, w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER], L.NOTHING)
    w[L.H, h, L.H_FLAGS] |= L.TOLD_OUT_OF_TURN


@compiled
def leave_open(w: Work, r: Rules, h: int, row: int) -> None:
    """Report a hand that is passed without a final decision."""
    passed_over = scan.line_for(w, _NOT_DEALT, w[L.H, h, L.H_SEAT]) >= 0
    excused = hands.has(w, h, L.AWAITS_CARD | L.ABSENT) or w[L.G, 0, L.G_STOPPED] != 0 or passed_over
    if not excused and not w[L.G, 0, L.G_SHORT_INITIAL]:
        split_hand = hands.has(w, h, L.FROM_SPLIT) and r.clause[S.PLAY__DECISION_MISSING__SPLIT_HAND] >= 0
        slot = S.PLAY__DECISION_MISSING__SPLIT_HAND if split_hand else S.PLAY__DECISION_MISSING
        report.at_hand(w, r, slot, row, w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER], hands.total(w, h))
    w[L.H, h, L.H_FLAGS] |= L.FINISHED


@compiled
def finish_all(w: Work, r: Rules) -> None:
    """Finish play after the last decision: deal cards owed to passed hands, and report undecided hands."""
    cut_short = w[L.G, 0, L.G_VOID_LOGGED] or w[L.G, 0, L.G_END] < 0 or w[L.G, 0, L.G_CONTEXT] & ops.NO_SHOE
    w[L.G, 0, L.G_ASKED] = w[L.G, 0, L.G_LAST_DECISION] if w[L.G, 0, L.G_LAST_DECISION] >= 0 else w[L.G, 0, L.G_CLOSED]
    if w[L.G, 0, L.G_POWER] >= 0 and w[L.I, w[L.G, 0, L.G_POWER], L.I_RULINGS] & ops.WITHDRAW_WAGER:
        cut_short = 1
    if not cut_short and not w[L.G, 0, L.G_STOPPED]:
        pass_finished(w, r)
        while w[L.G, 0, L.G_CURRENT] >= 0:
            leave_open(w, r, w[L.G, 0, L.G_CURRENT], w[L.G, 0, L.G_END])
            pass_finished(w, r)
    for h in range(1, w[L.G, 0, L.G_HANDS]):
        if hands.has(w, h, L.AWAITS_CARD):
            deal.give(w, h)
            w[L.H, h, L.H_FLAGS] &= ~L.AWAITS_CARD
        if not cut_short:
            check_finished(w, r, h)


@compiled
def check_finished(w: Work, r: Rules, h: int) -> None:
    """Report a finished hand that had to draw, and cards drawn for an absent player."""
    points, soft = hands.total(w, h), hands.is_soft(w, h)
    seat, number = w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER]
    done = hands.has(w, h, L.DEAD | L.DOUBLED | L.SURRENDERED) or w[L.G, 0, L.G_STOPPED] or w[L.G, 0, L.G_SHORT_INITIAL]
    if hands.has(w, h, L.ABSENT):
        enough = points > r.absent_above and (not soft or points >= r.absent_soft)
        report.at_hand(w, r, S.PLAY__ABSENT_PLAYER, w[L.G, 0, L.G_END], seat, number, points)
        if not enough:
            report.at_hand(w, r, S.PLAY__MUST_DRAW__ABSENT, w[L.G, 0, L.G_END], seat, number, points)
        return
    ace_done = r.aces_once and hands.has(w, h, L.SPLIT_ACE)
    refuses = hands.has(w, h, L.REFUSES)
    if points < r.must_draw_below and not done and not ace_done and not refuses and w[L.H, h, L.H_CARDS] > 1:
        report.at_hand(w, r, S.PLAY__MUST_DRAW, w[L.G, 0, L.G_END], seat, number, points)


@compiled
def hit(w: Work, r: Rules, h: int, row: int) -> None:
    """Give a hand its card, permitted or not; a card that the dealer missed comes after all other hands."""
    slot = hit_problem(w, r, h)
    seat = w[L.H, h, L.H_SEAT]
    if slot >= 0:
        card = w[L.D, deal.pull(w), L.D_CARD] if deal.pull(w) >= 0 else 0
        report.find(w, r, slot, row, seat, w[L.H, h, L.H_NUMBER], L.NOTHING, L.NO_KIND, hands.total(w, h), card)
    if w[L.B, seat, L.B_DEFER] and is_last_hit(w, h, row):
        if w[L.B, seat, L.B_DEFER] == 2:
            w[L.H, h, L.H_FLAGS] |= L.DEAD | L.FINISHED
        else:
            w[L.H, h, L.H_FLAGS] |= L.AWAITS_CARD | L.FINISHED
        return
    if w[L.G, 0, L.G_IRREGULAR] and is_unanswered(w, h, row):
        return
    deal.give(w, h)
    w[L.H, h, L.H_HIT_ROW] = row
    if hands.total(w, h) >= 21:
        w[L.H, h, L.H_FLAGS] |= L.FINISHED


@compiled
def is_unanswered(w: Work, h: int, row: int) -> bool:
    """Mark a hand whose request got no card by a story's next row; returns whether there is such a row."""
    if row + 1 >= w[L.G, 0, L.G_HI] or w[L.E, row + 1, L.E_OP] != ops.IRREGULARITY:
        return False
    if w[L.E, row + 1, L.E_KIND] != _NOT_DEALT or not w[L.E, row + 1, L.E_FLAGS] & ops.INFERRED:
        return False
    if w[L.E, row + 1, L.E_CENTS] & ops.DEAD_HAND:
        w[L.H, h, L.H_FLAGS] |= L.DEAD | L.FINISHED
    elif w[L.E, row + 1, L.E_CENTS] & ops.USE_NEXT:
        w[L.H, h, L.H_FLAGS] |= L.AWAITS_CARD | L.FINISHED
    return True


@compiled
def is_last_hit(w: Work, h: int, row: int) -> bool:
    """Return whether a request is the unanswered one: the last request of that hand."""
    seat, number = w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER]
    line = scan.line_for(w, _NOT_DEALT, seat)
    if line < 0 or (w[L.I, line, L.I_HAND] != 0 and w[L.I, line, L.I_HAND] != number):
        return False
    return bool(w[L.B, seat, L.B_DEFER_ROW] == row)


@compiled
def hit_problem(w: Work, r: Rules, h: int) -> int:
    """Return the slot of an irregular hit, -1 if the hit is regular."""
    flags = w[L.H, h, L.H_FLAGS]
    points = hands.total(w, h)
    if w[L.G, 0, L.G_STOPPED]:
        return S.DEAL__DRAWN_IN_ERROR__AFTER_BLACKJACK
    if flags & L.REFUSES:
        return S.PLAY__ILLEGAL_HIT__AFTER_REFUSAL
    if flags & L.DOUBLED:
        return S.PLAY__ILLEGAL_HIT__AFTER_DOUBLE
    if hands.is_blackjack(w, h):
        return S.PLAY__ILLEGAL_HIT__ON_BLACKJACK
    if points == 21:
        return S.PLAY__ILLEGAL_HIT__ON_SOFT_21 if hands.is_soft(w, h) else S.PLAY__ILLEGAL_HIT__ON_21
    if points > 21:
        return S.PLAY__ILLEGAL_HIT__BUST
    if r.aces_once and flags & L.SPLIT_ACE:
        return S.PLAY__ILLEGAL_HIT__SPLIT_ACE
    return S.PLAY__ILLEGAL_HIT__FINISHED if flags & L.FINISHED else -1


@compiled
def double(w: Work, r: Rules, h: int, row: int) -> None:
    """Carry out a double, permitted or not: one card, with aces counted low if the rulebook says so."""
    slot = double_problem(w, r, h)
    if slot >= 0:
        report.at_hand(w, r, slot, row, w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER], hands.total(w, h))
    if r.ace_on_double == rules.ACE_FIRST_TWO:
        w[L.H, h, L.H_LOW] = first_two_aces(w, h)
    elif r.ace_on_double == rules.ACE_INITIAL:
        w[L.H, h, L.H_LOW] = w[L.H, h, L.H_INITIAL_ACES]
    w[L.H, h, L.H_FLAGS] |= L.DOUBLED | L.FINISHED
    deal.give(w, h)
    w[L.H, h, L.H_HIT_ROW] = row


@compiled
def first_two_aces(w: Work, h: int) -> int:
    aces = 1 if cards.RANK[w[L.H, h, L.H_FIRST]] == cards.ACE else 0
    return aces + (1 if cards.RANK[w[L.H, h, L.H_SECOND]] == cards.ACE else 0)


@compiled
def double_problem(w: Work, r: Rules, h: int) -> int:
    flags = w[L.H, h, L.H_FLAGS]
    if w[L.G, 0, L.G_STOPPED]:
        return S.DEAL__DRAWN_IN_ERROR__AFTER_BLACKJACK
    if flags & L.ABSENT:
        return S.PLAY__ILLEGAL_DOUBLE__ABSENT
    if hands.is_blackjack(w, h):
        return S.PLAY__ILLEGAL_DOUBLE__ON_BLACKJACK
    if hands.total(w, h) == 21:
        return S.PLAY__ILLEGAL_DOUBLE__ON_21
    if flags & L.SPLIT_ACE and not r.double_split_aces:
        return S.PLAY__ILLEGAL_DOUBLE__SPLIT_ACES
    if r.double_first_two and w[L.H, h, L.H_CARDS] != 2:
        return S.PLAY__ILLEGAL_DOUBLE__CARDS
    return S.PLAY__ILLEGAL_DOUBLE__FINISHED if flags & L.FINISHED else -1


@compiled
def split(w: Work, r: Rules, h: int, row: int) -> None:
    """Carry out a split, permitted or not, of a two-card hand; the first new hand gets its card at once."""
    seat = w[L.H, h, L.H_SEAT]
    slot = split_problem(w, r, h)
    if slot >= 0:
        report.at_hand(w, r, slot, row, seat, w[L.H, h, L.H_NUMBER], L.NOTHING)
    if w[L.H, h, L.H_CARDS] != 2 or w[L.B, seat, L.B_HANDS] >= ops.MAX_HAND:
        return
    aces = cards.RANK[w[L.H, h, L.H_FIRST]] == cards.ACE and cards.RANK[w[L.H, h, L.H_SECOND]] == cards.ACE
    moved = w[L.H, h, L.H_SECOND_DRAW]
    second = hands.keep_first(w, h)
    w[L.B, seat, L.B_HANDS] += 1
    new = hands.new_hand(w, seat, w[L.B, seat, L.B_HANDS])
    hands.add_card(w, new, second)
    w[L.H, new, L.H_NEXT], w[L.H, h, L.H_NEXT] = w[L.H, h, L.H_NEXT], new
    if moved >= 0:
        w[L.D, moved, L.D_HAND], w[L.D, moved, L.D_PLACE] = new, 1
    for half in (h, new):
        w[L.H, half, L.H_FLAGS] &= ~L.FINISHED
        w[L.H, half, L.H_FLAGS] |= L.FROM_SPLIT | (L.SPLIT_ACE if aces else 0)
        w[L.H, half, L.H_INITIAL_ACES] = w[L.H, half, L.H_ACES]
    w[L.G, 0, L.G_SPLITS] = 1
    complete_pair(w, r, h)
    w[L.H, h, L.H_HIT_ROW] = row
    w[L.G, 0, L.G_CURRENT] = h


@compiled
def split_problem(w: Work, r: Rules, h: int) -> int:
    row = w[L.H, h]
    if w[L.G, 0, L.G_STOPPED]:
        return S.DEAL__DRAWN_IN_ERROR__AFTER_BLACKJACK
    if row[L.H_FLAGS] & L.ABSENT:
        return S.PLAY__ILLEGAL_SPLIT__ABSENT
    if row[L.H_CARDS] != 2:
        return S.PLAY__ILLEGAL_SPLIT__CARDS
    if cards.VALUE[row[L.H_FIRST]] != cards.VALUE[row[L.H_SECOND]]:
        return S.PLAY__ILLEGAL_SPLIT__VALUE
    if row[L.H_FLAGS] & L.SPLIT_ACE and (r.aces_once or not r.resplit_aces):
        return S.PLAY__ILLEGAL_SPLIT__ACES_AGAIN
    if w[L.B, row[L.H_SEAT], L.B_HANDS] >= r.max_hands:
        return S.PLAY__ILLEGAL_SPLIT__TOO_MANY
    return -1


@compiled
def surrender(w: Work, r: Rules, h: int, row: int) -> None:
    """Carry out a surrender by the box or by some of its bettors; a surrender that was not open has no effect."""
    seat = w[L.H, h, L.H_SEAT]
    mask = w[L.E, row, L.E_FLAGS]
    everybody = w[L.B, seat, L.B_BETTORS]
    slot = surrender_problem(w, r, h, row)
    if slot < 0 and not r.surrender_by_bettor and mask and (mask & everybody) != everybody:
        slot = S.PLAY__ILLEGAL_SURRENDER__NOT_WHOLE_BOX
    who = mask if mask and r.surrender_by_bettor else everybody
    found = -1
    if slot >= 0:
        who = mask if mask else everybody
        bettor = lowest(mask)
        found = report.at_wager(w, r, slot, row, seat, w[L.H, h, L.H_NUMBER], bettor, L.NO_KIND, L.NOTHING)
        if slot == S.PLAY__ILLEGAL_SURRENDER__NOT_WHOLE_BOX and mask & 2:
            who, slot = everybody, -1  # the one in control binds the box
    left = everybody
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        of_split = hands.has(w, h, L.FROM_SPLIT)
        on_hand = lies_on(w, n, w[L.H, h, L.H_NUMBER]) if of_split else line[L.W_KIND] == ops.MAIN
        if line[L.W_SEAT] != seat or not on_hand:
            continue
        if who >> line[L.W_BETTOR] & 1:
            line[L.W_FLAGS] |= L.GIVEN_UP if slot < 0 else L.ILLEGAL_GIVE_UP
            if slot >= 0:
                line[L.W_CAUSE] = found
        if line[L.W_FLAGS] & (L.GIVEN_UP | L.ILLEGAL_GIVE_UP):
            left &= ~(1 << line[L.W_BETTOR])
    if left == 0:
        w[L.H, h, L.H_FLAGS] |= L.FINISHED
        if slot < 0:
            w[L.H, h, L.H_FLAGS] |= L.SURRENDERED


@compiled
def lowest(mask: int) -> int:
    """Return the first bettor of a mask, 0 for none."""
    for bettor in range(1, ops.MAX_BETTOR + 1):
        if mask >> bettor & 1:
            return bettor
    return 0


@compiled
def surrender_problem(w: Work, r: Rules, h: int, row: int) -> int:
    flags = w[L.H, h, L.H_FLAGS]
    if hands.total(w, h) == 21 and w[L.H, h, L.H_CARDS] == 2 and not flags & L.FROM_SPLIT:
        return S.PLAY__ILLEGAL_SURRENDER__ON_21
    if flags & L.DOUBLED:
        return S.PLAY__ILLEGAL_SURRENDER__AFTER_DOUBLE
    if flags & L.FROM_SPLIT:
        return S.PLAY__ILLEGAL_SURRENDER__AFTER_SPLIT
    if w[L.H, h, L.H_CARDS] != 2:
        return S.PLAY__ILLEGAL_SURRENDER__CARDS
    if flags & L.STOOD:
        return S.PLAY__ILLEGAL_SURRENDER__AFTER_STAND
    if not r.surrender_up >> cards.RANK[w[L.G, 0, L.G_UP]] & 1:
        return S.PLAY__ILLEGAL_SURRENDER__UP_CARD
    if r.surrender_first and row > w[L.G, 0, L.G_FIRST_PLAY] and not may_surrender_late(w, r, row):
        return S.PLAY__ILLEGAL_SURRENDER__CLOSED
    return -1


@compiled
def may_surrender_late(w: Work, r: Rules, row: int) -> bool:
    """Return whether surrender is still open: after the dealer's missed card, or if not offered in time."""
    if scan.line_for(w, _MISSED, L.NOTHING) >= 0:
        return True
    return r.late_surrender != 0 and not scan.was_closed(w, ops.OFFER_SURRENDER, row)


@compiled
def rescue(w: Work, r: Rules, h: int, row: int) -> None:
    """Take back doubles against the original wager, by bettor; a rescue that was not open has no effect."""
    seat, number = w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER]
    doubled_by = doublers(w, seat, number)
    mask = w[L.E, row, L.E_FLAGS]
    if mask == 0:
        mask = doubled_by if doubled_by else 1 << 1
    may = hands.has(w, h, L.DOUBLED) and hands.total(w, h) <= r.rescue_max
    if r.rescue_before_next and drawn_between(w, w[L.H, h, L.H_LAST_ROW], row):
        may = False
    legal = mask & doubled_by if may else 0
    found = -1
    if mask != legal:
        bettor = lowest(mask & ~legal)
        found = report.at_wager(w, r, S.PLAY__ILLEGAL_RESCUE, row, seat, number, bettor, L.NO_KIND, hands.total(w, h))
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_SEAT] != seat or not mask >> line[L.W_BETTOR] & 1:
            continue
        if (line[L.W_KIND] == ops.DOUBLE and line[L.W_HAND] == number) or lies_on(w, n, number):
            if legal >> line[L.W_BETTOR] & 1:
                line[L.W_FLAGS] |= L.TAKEN_BACK
            else:
                line[L.W_FLAGS] |= L.ILLEGAL_TAKE_BACK
                line[L.W_CAUSE] = found


@compiled
def drawn_between(w: Work, after: int, before: int) -> bool:
    """Return whether a card was drawn between two rows."""
    for row in range(after + 1, before):
        if w[L.E, row, L.E_OP] == ops.DRAW:
            return True
    return False


@compiled
def doublers(w: Work, seat: int, number: int) -> int:
    """Return the bettors with a double on a hand, as bits."""
    mask = 0
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_SEAT] == seat and line[L.W_KIND] == ops.DOUBLE and line[L.W_HAND] == number:
            mask |= 1 << line[L.W_BETTOR]
    return mask


@inlined
def lies_on(w: Work, n: int, number: int) -> bool:
    """Return whether a wager is a main or split wager on the hand of that number."""
    line = w[L.W, n]
    return bool((line[L.W_KIND] == ops.MAIN or line[L.W_KIND] == ops.SPLIT) and line[L.W_HAND] == number)


@compiled
def assign(w: Work, r: Rules, row: int) -> None:
    """Put the wager of a bettor who does not cover a split on the named hand; some rulebooks leave it where it lies."""
    seat, bettor, number = w[L.E, row, L.E_SEAT], w[L.E, row, L.E_BETTOR], w[L.E, row, L.E_HAND]
    n = wager_on(w, r, seat, bettor, split_hand(w, seat, row))
    if n < 0:
        n = scan.main_of(w, seat, bettor)
    h = find_hand(w, seat, number)
    found = -1
    barred = bettor == 1 or h < 0 or n < 0
    moved = n >= 0 and r.assign_first_only and number != w[L.W, n, L.W_HAND]
    late = r.assign_before_cards and dealt_since_split(w, seat, row)
    if barred or moved or late:
        found = report.at_wager(w, r, S.PLAY__ILLEGAL_ASSIGN, row, seat, number, bettor, L.NO_KIND, L.NOTHING)
    if n >= 0 and h >= 0 and bettor > 1:
        w[L.W, n, L.W_HAND] = number
        w[L.W, n, L.W_FLAGS] |= L.ASSIGNED
        if found >= 0:
            w[L.W, n, L.W_CAUSE] = found


@compiled
def split_hand(w: Work, seat: int, before: int) -> int:
    """Return the number of the hand that the box split last before a row, 1 if it split none."""
    number = 1
    for row in range(before):
        if w[L.E, row, L.E_OP] == ops.DECISION and w[L.E, row, L.E_KIND] == ops.SPLIT_PAIR:
            if w[L.E, row, L.E_SEAT] == seat:
                number = w[L.E, row, L.E_HAND]
    return int(number)


@compiled
def wager_on(w: Work, r: Rules, seat: int, bettor: int, number: int) -> int:
    """Return a bettor's main or split wager on a hand, -1 if there is none."""
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_SEAT] == seat and line[L.W_BETTOR] == bettor and lies_on(w, n, number):
            if not line[L.W_FLAGS] & L.LATE or r.late_honoured:
                return n
    return -1


@compiled
def dealt_since_split(w: Work, seat: int, row: int) -> bool:
    """Return whether a card was drawn between the box's last split and this row."""
    split_row = row
    for earlier in range(row):
        if w[L.E, earlier, L.E_OP] == ops.DECISION and w[L.E, earlier, L.E_SEAT] == seat:
            if w[L.E, earlier, L.E_KIND] == ops.SPLIT_PAIR:
                split_row = earlier
    return drawn_between(w, split_row, row)


@compiled
def withdraw(w: Work, row: int) -> None:
    """Withdraw a wager; a box without a wager left is out of the round if a ruling permits that."""
    seat = w[L.E, row, L.E_SEAT]
    live = False
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_SEAT] != seat:
            continue
        same = line[L.W_BETTOR] == w[L.E, row, L.E_BETTOR] and line[L.W_KIND] == w[L.E, row, L.E_KIND]
        by_hand = line[L.W_KIND] != ops.SPLIT and line[L.W_KIND] != ops.DOUBLE
        if same and (by_hand or line[L.W_HAND] == w[L.E, row, L.E_HAND]):
            line[L.W_FLAGS] |= L.WITHDRAWN
        live = live or (line[L.W_KIND] <= ops.DOUBLE and not line[L.W_FLAGS] & L.WITHDRAWN)
    h = w[L.B, seat, L.B_FIRST]
    while h >= 0 and not live and w[L.G, 0, L.G_WITHDRAWALS]:
        w[L.H, h, L.H_FLAGS] |= L.FINISHED
        h = w[L.H, h, L.H_NEXT]
