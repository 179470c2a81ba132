"""Checks of wagers: time, amount, eligibility. Wagers that are not honoured are marked as returned."""

from replay import cards, ops, rules
from replay import situations as S
from replay.compiled import compiled
from replay.engine import hands, play, report, scan
from replay.engine import layout as L
from replay.engine.layout import Work
from replay.rules import Rules


@compiled
def check_wagers(w: Work, r: Rules) -> None:
    """Check all wagers of the round, in the order of the log."""
    for n in range(w[L.G, 0, L.G_WAGERS]):
        kind = w[L.W, n, L.W_KIND]
        if w[L.W, n, L.W_FLAGS] & L.LATE:
            late(w, r, n)
        if kind == ops.MAIN:
            check_main(w, r, n)
        elif kind == ops.DOUBLE:
            check_double(w, r, n)
        elif kind == ops.SPLIT:
            check_split(w, r, n)
        elif kind == ops.INSURANCE:
            check_insurance(w, r, n)
        elif kind == ops.MATCH or kind == ops.PAIR:
            check_side(w, r, n)
        else:
            check_progressive(w, r, n)
    check_uncovered(w, r)
    check_stakes(w, r)


@compiled
def check_stakes(w: Work, r: Rules) -> None:
    """Report hands that were split or doubled without the required stake."""
    for h in range(1, w[L.G, 0, L.G_HANDS]):
        seat, number = w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER]
        row = w[L.H, h, L.H_LAST_ROW]
        if number > 1 and not staked(w, seat, number, ops.SPLIT):
            report.at_hand(w, r, S.WAGER__SPLIT_UNEQUAL, row, seat, number, L.NOTHING)
        if hands.has(w, h, L.DOUBLED) and not staked(w, seat, number, ops.DOUBLE):
            report.at_hand(w, r, S.WAGER__BELOW_MINIMUM__DOUBLE, row, seat, number, L.NOTHING)


@compiled
def staked(w: Work, seat: int, number: int, kind: int) -> bool:
    """Return whether a hand has a wager of a kind or one assigned to the hand by choice."""
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_SEAT] == seat and line[L.W_HAND] == number:
            if line[L.W_KIND] == kind or line[L.W_FLAGS] & L.ASSIGNED:
                return True
    return False


@compiled
def complain(w: Work, r: Rules, slot: int, n: int, a: int, returned: bool, explains: bool) -> int:
    """Report a wager; if it is returned or may cause a variance, keep the finding as the cause."""
    line = w[L.W, n]
    seat, hand, bettor, kind = line[L.W_SEAT], line[L.W_HAND], line[L.W_BETTOR], line[L.W_KIND]
    found = report.at_wager(w, r, slot, line[L.W_ROW], seat, hand, bettor, kind, a)
    if found < 0:
        return found
    if returned:
        line[L.W_FLAGS] |= L.RETURNED
    if returned or explains:
        line[L.W_CAUSE] = found
    return found


@compiled
def late(w: Work, r: Rules, n: int) -> None:
    kind = w[L.W, n, L.W_KIND]
    slot = S.WAGER__LATE
    if kind == ops.PAIR:
        slot = S.WAGER__LATE__PAIR
    elif kind == ops.MATCH:
        slot = S.WAGER__LATE__MATCH
    elif kind == ops.BONUS_SPIN:
        slot = S.PROGRESSIVE__LATE_WAGER__BONUS_SPIN
    elif kind == ops.BSX16:
        slot = S.PROGRESSIVE__LATE_WAGER__BSX16
    returned = not r.late_honoured or scan.is_refused(w, n)
    complain(w, r, slot, n, w[L.W, n, L.W_STAKE], returned, True)


@compiled
def check_main(w: Work, r: Rules, n: int) -> None:
    line = w[L.W, n]
    stake = line[L.W_STAKE]
    if line[L.W_BETTOR] > r.bettors_max:
        by_house = line[L.W_BETTOR] <= r.bettors_book
        slot = S.WAGER__TOO_MANY_BETTORS__OPTION if by_house else S.WAGER__TOO_MANY_BETTORS
        complain(w, r, slot, n, L.NOTHING, False, False)
    raises = line[L.W_FLAGS] & L.LATE and line[L.W_PARENT] >= 0  # laid on top of a wager, too late
    if stake < r.min_cents and not raises:
        complain(w, r, S.WAGER__BELOW_MINIMUM, n, stake, False, True)
    if stake > r.max_cents:
        complain(w, r, S.WAGER__ABOVE_MAXIMUM, n, stake, False, True)
    if line[L.W_FLAGS] & L.MID_SHOE:
        if r.entry == rules.ENTRY_FORBID or (r.entry == rules.ENTRY_MINIMUM and stake > r.min_cents):
            sat_out = line[L.W_FLAGS] & L.SAT_OUT
            slot = S.WAGER__MID_SHOE_ENTRY__SAT_OUT if sat_out else S.WAGER__MID_SHOE_ENTRY__NEW
            complain(w, r, slot, n, stake, False, False)
    check_patron(w, r, n)


@compiled
def check_patron(w: Work, r: Rules, n: int) -> None:
    """Check a player's stakes over several boxes, and twice in one box."""
    patron = w[L.W, n, L.W_PATRON]
    if patron == 0:
        return
    boxes = 1
    for k in range(n):
        if w[L.W, k, L.W_KIND] != ops.MAIN or w[L.W, k, L.W_PATRON] != patron:
            continue
        if w[L.W, k, L.W_SEAT] == w[L.W, n, L.W_SEAT]:
            if w[L.W, k, L.W_BETTOR] != w[L.W, n, L.W_BETTOR]:
                complain(w, r, S.WAGER__SEPARATED, n, w[L.W, n, L.W_STAKE], False, False)
            return
        if not repeated_box(w, k):
            boxes += 1
    if r.boxes_per_player and boxes > r.boxes_per_player:
        complain(w, r, S.WAGER__TOO_MANY_BOXES, n, boxes, False, False)


@compiled
def repeated_box(w: Work, n: int) -> bool:
    """Return whether an earlier main wager of the same player lies in the same box."""
    for k in range(n):
        same_player = w[L.W, k, L.W_PATRON] == w[L.W, n, L.W_PATRON] and w[L.W, k, L.W_SEAT] == w[L.W, n, L.W_SEAT]
        if w[L.W, k, L.W_KIND] == ops.MAIN and same_player:
            return True
    return False


@compiled
def original_stake(w: Work, n: int) -> int:
    """Return the bettor's original stake in the box of wager ``n``, in cents; 0 if there is none."""
    main = scan.main_of(w, w[L.W, n, L.W_SEAT], w[L.W, n, L.W_BETTOR])
    return int(w[L.W, main, L.W_STAKE]) if main >= 0 else 0


@compiled
def check_double(w: Work, r: Rules, n: int) -> None:
    line = w[L.W, n]
    h = play.find_hand(w, line[L.W_SEAT], line[L.W_HAND])
    if h < 0 or not hands.has(w, h, L.DOUBLED):
        slot = S.PLAY__ILLEGAL_DOUBLE__FINISHED if h < 0 else S.PLAY__ILLEGAL_DOUBLE__NOT_CONTROLLING
        if h >= 0 and line[L.W_BETTOR] == 1:
            slot = S.PLAY__DECISION_MISSING
        complain(w, r, slot, n, hands.total(w, h) if h >= 0 else 0, True, True)
        return
    lies = play.wager_on(w, r, line[L.W_SEAT], line[L.W_BETTOR], line[L.W_HAND])
    if lies < 0 or w[L.W, lies, L.W_FLAGS] & L.GIVEN_UP:
        complain(w, r, S.PLAY__ILLEGAL_DOUBLE__NOT_CONTROLLING, n, hands.total(w, h), True, True)
        return
    original = original_stake(w, n)
    if line[L.W_STAKE] > original:
        complain(w, r, S.WAGER__DOUBLE_EXCESS, n, line[L.W_STAKE] - original, False, True)
    least = 0
    if r.double_min == rules.DOUBLE_MIN_TABLE:
        least = r.min_cents
    elif r.double_min == rules.DOUBLE_MIN_INCREMENT:
        least = r.increment
    if line[L.W_STAKE] < least:
        complain(w, r, S.WAGER__BELOW_MINIMUM__DOUBLE, n, line[L.W_STAKE], False, False)


@compiled
def check_split(w: Work, r: Rules, n: int) -> None:
    line = w[L.W, n]
    if play.find_hand(w, line[L.W_SEAT], line[L.W_HAND]) < 0:
        if w[L.G, 0, L.G_CONTEXT] & ops.NO_SHOE:
            return
        if tried_to_split(w, line[L.W_SEAT]):
            line[L.W_FLAGS] |= L.RETURNED  # the split itself was reported
            return
        slot = S.PLAY__ILLEGAL_SPLIT__NOT_CONTROLLING if line[L.W_BETTOR] > 1 else S.PLAY__DECISION_MISSING
        complain(w, r, slot, n, L.NOTHING, True, True)
        return
    original = original_stake(w, n)
    if line[L.W_STAKE] != original:
        slot = S.WAGER__SPLIT_UNEQUAL if line[L.W_HAND] == 2 else S.WAGER__SPLIT_UNEQUAL__AGAIN
        slot = slot if line[L.W_BETTOR] == 1 else S.WAGER__SPLIT_UNEQUAL__BETTOR
        complain(w, r, slot, n, abs(line[L.W_STAKE] - original), False, line[L.W_STAKE] > original)


@compiled
def tried_to_split(w: Work, seat: int) -> bool:
    """Return whether the box decided to split a hand that could not be split."""
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] == ops.DECISION and w[L.E, row, L.E_KIND] == ops.SPLIT_PAIR:
            if w[L.E, row, L.E_SEAT] == seat and w[L.B, seat, L.B_HANDS] < 2:
                return True
    return False


@compiled
def check_uncovered(w: Work, r: Rules) -> None:
    """Report a bettor who neither covers a split nor names a hand, if a hand has to be named."""
    if not w[L.G, 0, L.G_SPLITS] or r.assign_first_only or r.clause[S.PLAY__DECISION_MISSING__UNCOVERED_SPLIT] < 0:
        return
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] == ops.DECISION and w[L.E, row, L.E_KIND] == ops.SPLIT_PAIR:
            new = 2 + splits_before(w, w[L.E, row, L.E_SEAT], row)
            if play.find_hand(w, w[L.E, row, L.E_SEAT], new) >= 0:
                check_split_cover(w, r, row, new)


@compiled
def splits_before(w: Work, seat: int, before: int) -> int:
    count = 0
    for row in range(before):
        if w[L.E, row, L.E_OP] == ops.DECISION and w[L.E, row, L.E_KIND] == ops.SPLIT_PAIR:
            count += 1 if w[L.E, row, L.E_SEAT] == seat else 0
    return count


@compiled
def check_split_cover(w: Work, r: Rules, row: int, new: int) -> None:
    """Report other bettors on the hand split at a row into hand ``new`` who neither cover the split nor name a hand."""
    seat, number = w[L.E, row, L.E_SEAT], w[L.E, row, L.E_HAND]
    for bettor in range(2, ops.MAX_BETTOR + 1):
        n = play.wager_on(w, r, seat, bettor, number)
        if n < 0 or w[L.W, n, L.W_FLAGS] & L.OPEN_RESULT:
            continue
        covered = scan.find_wager(w, seat, bettor, ops.SPLIT, new, L.NOTHING) >= 0
        if not covered and not names_hand(w, seat, bettor, row):
            complain(w, r, S.PLAY__DECISION_MISSING__UNCOVERED_SPLIT, n, L.NOTHING, False, False)
            w[L.W, n, L.W_FLAGS] |= L.OPEN_RESULT


@compiled
def names_hand(w: Work, seat: int, bettor: int, after: int) -> bool:
    """Return whether a bettor names a hand from a row on, after a split."""
    for row in range(after, w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] == ops.ASSIGN and w[L.E, row, L.E_SEAT] == seat:
            if w[L.E, row, L.E_BETTOR] == bettor:
                return True
    return False


@compiled
def insurance_limit(w: Work, r: Rules, n: int) -> int:
    """Return the limit of wager ``n`` in cents: half the original, to the next chip if the rulebook rounds up."""
    line = w[L.W, n]
    insured = line[L.W_FOR] if line[L.W_FOR] else line[L.W_BETTOR]
    main = scan.main_of(w, line[L.W_SEAT], insured)
    if main < 0:
        return 0
    limit = w[L.W, main, L.W_STAKE] * r.insurance_num // r.insurance_den
    if r.insurance_rounds_up and r.chip > 0 and limit % r.chip:
        limit += r.chip - limit % r.chip
    return int(limit)


@compiled
def check_insurance(w: Work, r: Rules, n: int) -> None:
    line = w[L.W, n]
    row = line[L.W_ROW]
    if not r.insurance_up >> cards.RANK[w[L.G, 0, L.G_UP]] & 1:
        complain(w, r, S.WAGER__INSURANCE_NOT_OPEN__UP_CARD, n, line[L.W_STAKE], True, True)
        return
    if r.reader and 0 <= w[L.G, 0, L.G_FIRST_CHECK] < row:
        complain(w, r, S.WAGER__INSURANCE_NOT_OPEN__READER, n, line[L.W_STAKE], True, True)
        return
    if row < w[L.G, 0, L.G_FIRST_DRAW] or (row > w[L.G, 0, L.G_FIRST_PLAY] and not still_insurable(w, r, row)):
        complain(w, r, S.WAGER__INSURANCE_NOT_OPEN__TIME, n, line[L.W_STAKE], True, True)
        return
    if check_eligible(w, r, n):
        limit = insurance_limit(w, r, n)
        if line[L.W_STAKE] > limit:
            slot = S.WAGER__INSURANCE_EXCESS__FOR_ANOTHER if line[L.W_FOR] else S.WAGER__INSURANCE_EXCESS
            complain(w, r, slot, n, line[L.W_STAKE] - limit, False, True)
        pays = line[L.W_STAKE] * r.odds_num[rules.INSURANCE] // r.odds_den[rules.INSURANCE]
        if r.insurance_chips and r.chip > 0 and pays % r.chip:
            complain(w, r, S.WAGER__NOT_PAYABLE, n, line[L.W_STAKE], False, False)


@compiled
def still_insurable(w: Work, r: Rules, row: int) -> bool:
    """Return whether insurance is still open: if not offered in time, until the dealer's second card."""
    if w[L.G, 0, L.G_LATE_DEALER]:
        return True
    if not r.late_insurance or row > w[L.G, 0, L.G_SECOND_POS]:
        return False
    return not scan.was_closed(w, ops.OFFER_INSURANCE, row)


@compiled
def check_eligible(w: Work, r: Rules, n: int) -> bool:
    """Return whether this bettor may insure this wager; reports an ineligible insurance."""
    line = w[L.W, n]
    seat = line[L.W_SEAT]
    h = w[L.B, seat, L.B_FIRST]
    if line[L.W_FOR]:
        declined = scan.find_wager(w, seat, line[L.W_FOR], ops.INSURANCE, L.FIRST, L.NOTHING) < 0
        taken = option_taken(w, n)
        if not r.insurance_for_others or not declined or taken or scan.main_of(w, seat, line[L.W_FOR]) < 0:
            complain(w, r, S.WAGER__INSURANCE_INELIGIBLE__FOR_ANOTHER, n, line[L.W_STAKE], True, True)
            return False
    elif scan.main_of(w, seat, line[L.W_BETTOR]) < 0:
        complain(w, r, S.WAGER__INSURANCE_INELIGIBLE__NO_WAGER, n, line[L.W_STAKE], True, True)
        return False
    if h >= 0 and not r.insurance_with_blackjack and initial_blackjack(w, seat):
        complain(w, r, S.WAGER__INSURANCE_INELIGIBLE__BLACKJACK, n, line[L.W_STAKE], True, True)
        return False
    return True


@compiled
def option_taken(w: Work, n: int) -> bool:
    """Return whether the same declined insurance was taken by an earlier wager."""
    for k in range(n):
        same = w[L.W, k, L.W_SEAT] == w[L.W, n, L.W_SEAT] and w[L.W, k, L.W_FOR] == w[L.W, n, L.W_FOR]
        if same and w[L.W, k, L.W_KIND] == ops.INSURANCE:
            return True
    return False


@compiled
def initial_blackjack(w: Work, seat: int) -> bool:
    h = w[L.B, seat, L.B_FIRST]
    return h >= 0 and hands.is_blackjack(w, h)


@compiled
def check_side(w: Work, r: Rules, n: int) -> None:
    """Check match and pair wagers."""
    line = w[L.W, n]
    seat, bettor, stake = line[L.W_SEAT], line[L.W_BETTOR], line[L.W_STAKE]
    is_match = line[L.W_KIND] == ops.MATCH
    if not (r.match_offered if is_match else r.pair_offered):
        complain(w, r, S.WAGER__NOT_OFFERED, n, stake, True, True)
        return
    main = scan.main_of(w, seat, bettor)
    if is_match and main < 0:
        complain(w, r, S.WAGER__SIDE_WITHOUT_MAIN__MATCH, n, stake, True, True)
        return
    if not is_match and w[L.B, seat, L.B_FIRST] < 0:
        if not line[L.W_FLAGS] & L.LATE:  # a late one is reported already
            complain(w, r, S.WAGER__SIDE_WITHOUT_MAIN, n, stake, True, True)
        return
    if not is_match:
        if bettor > r.bettors_max:
            complain(w, r, S.WAGER__TOO_MANY_BETTORS__PAIR, n, stake, False, False)
        return
    if stake < r.match_min:
        complain(w, r, S.WAGER__SIDE_LIMIT__MATCH_MINIMUM, n, stake, False, False)
    if r.match_within_main and stake > w[L.W, main, L.W_STAKE]:
        complain(w, r, S.WAGER__SIDE_LIMIT__MATCH_MAIN, n, stake, False, False)
    elif r.match_max and stake > r.match_max:
        complain(w, r, S.WAGER__SIDE_LIMIT__MATCH_POSTED, n, stake, False, False)


@compiled
def check_progressive(w: Work, r: Rules, n: int) -> None:
    line = w[L.W, n]
    stake = line[L.W_STAKE]
    spin = line[L.W_KIND] == ops.BONUS_SPIN
    if not (r.spin_offered if spin else r.bsx_offered):
        complain(w, r, S.WAGER__NOT_OFFERED, n, stake, True, True)
        return
    main = scan.main_of(w, line[L.W_SEAT], line[L.W_BETTOR])
    if main < 0:
        slot = S.WAGER__SIDE_WITHOUT_MAIN if spin else S.WAGER__SIDE_WITHOUT_MAIN__BSX16
        complain(w, r, slot, n, stake, True, True)
        return
    stakes = r.spin_stakes if spin else r.bsx_stakes
    allowed = False
    for k in range(stakes.shape[0]):
        allowed = allowed or stakes[k] == stake
    if not allowed:
        slot = S.WAGER__SIDE_LIMIT__BONUS_SPIN if spin else S.WAGER__SIDE_LIMIT__BSX16
        complain(w, r, slot, n, stake, False, False)
