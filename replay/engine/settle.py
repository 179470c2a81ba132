"""Expected settlement of every wager: cents paid and taken, with the clause."""

from replay import cards, ops, rules
from replay import situations as S
from replay.compiled import compiled, inlined
from replay.engine import dealer, hands, play, scan, wagers
from replay.engine import layout as L
from replay.engine.layout import Work
from replay.rules import Rules

WIN, PUSH, LOSE = 1, 0, -1


@compiled
def settle(w: Work, r: Rules) -> None:
    """Expected amounts of all wagers as if the round stands; prizes beside the wagers are added as rows."""
    attach(w, r)
    for n in range(w[L.G, 0, L.G_WAGERS]):
        kind = w[L.W, n, L.W_KIND]
        if kind <= ops.DOUBLE:
            settle_hand_wager(w, r, n)
        elif kind == ops.INSURANCE:
            settle_insurance(w, r, n)
        elif kind == ops.MATCH:
            settle_match(w, r, n)
        elif kind == ops.PAIR:
            settle_pair(w, r, n)
    if dealer.dealer_has_blackjack(w) and w[L.G, 0, L.G_SPLITS]:
        spare_splits(w, r)
    if w[L.G, 0, L.G_STANDING] >= 0:
        count_extra_card(w, r)
    award_super_bonus(w, r)


@compiled
def count_extra_card(w: Work, r: Rules) -> None:
    """Settle the wagers again as if the card drawn on a standing total counted, as the alternative amounts."""
    spare = w[L.G, 0, L.G_HANDS]
    hands.copy(w, 0, spare)
    for n in range(w[L.G, 0, L.G_DRAWS]):
        if w[L.D, n, L.D_ROLE] == L.LEFT_OVER:
            hands.add_card(w, 0, w[L.D, n, L.D_CARD])
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_KIND] <= ops.DOUBLE and line[L.W_AT] >= 0 and line[L.W_CAUSE] < 0:
            paid, taken, clause, reason = line[L.W_PAID], line[L.W_TAKEN], line[L.W_CLAUSE], line[L.W_REASON]
            odds = line[L.W_ODDS]
            by_hand(w, r, n, line[L.W_AT], False)
            line[L.W_ALT_PAID], line[L.W_ALT_TAKEN] = line[L.W_PAID], line[L.W_TAKEN]
            line[L.W_CAUSE] = w[L.G, 0, L.G_STANDING]
            line[L.W_ODDS] = odds
            put(w, n, paid, taken, clause, reason)
    hands.copy(w, spare, 0)


@compiled
def attach(w: Work, r: Rules) -> None:
    """Assign each wager to its hand; side wagers go to the first hand of the box."""
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_KIND] <= ops.DOUBLE:
            line[L.W_AT] = play.find_hand(w, line[L.W_SEAT], line[L.W_HAND])
        else:
            line[L.W_AT] = w[L.B, line[L.W_SEAT], L.B_FIRST]


@inlined
def put(w: Work, n: int, paid: int, taken: int, clause: int, reason: int) -> None:
    line = w[L.W, n]
    line[L.W_PAID], line[L.W_TAKEN], line[L.W_CLAUSE], line[L.W_REASON] = paid, taken, clause, reason


@inlined
def pay(w: Work, r: Rules, n: int, stake: int, row: int, reason: int) -> None:
    """A win at the odds of a row; a fraction of a cent goes to the player."""
    num, den = r.odds_num[row], r.odds_den[row]
    paid = -(-stake * num // den)
    w[L.W, n, L.W_ODDS] = row
    clause = r.odds_clause[row]
    if r.payout_cap and paid > r.payout_cap and w[L.W, n, L.W_KIND] <= ops.SPLIT:
        paid, reason, clause = r.payout_cap, S.OUTCOME__CAPPED, r.clause[S.OUTCOME__CAPPED]
    put(w, n, paid, L.NOTHING, clause, reason)


@inlined
def lose(w: Work, r: Rules, n: int, taken: int, reason: int) -> None:
    put(w, n, L.NOTHING, taken, r.clause[reason], reason)


@inlined
def give_back(w: Work, r: Rules, n: int, reason: int) -> None:
    put(w, n, L.NOTHING, L.NOTHING, r.clause[reason], reason)


@compiled
def good_stake(w: Work, r: Rules, n: int, whole: bool) -> int:
    """The part of a stake that plays: up to the original for doubles and splits, to the maximum where that rules."""
    line = w[L.W, n]
    stake = line[L.W_STAKE]
    if whole:
        return int(stake)
    if line[L.W_KIND] == ops.DOUBLE or line[L.W_KIND] == ops.SPLIT:
        original = wagers.original_stake(w, n)
        if stake > original and not r.excess_whole:
            stake = original
    if r.over_to_maximum and stake > r.max_cents:
        stake = r.max_cents
    return int(stake)


@compiled
def settle_hand_wager(w: Work, r: Rules, n: int) -> None:
    """A main, split or double wager: first as the floor may have seen it, then as the rulebook does."""
    line = w[L.W, n]
    h = line[L.W_AT]
    if h < 0 or hands.has(w, h, L.UNKNOWN_CARD) or w[L.G, 0, L.G_INCOMPLETE]:
        line[L.W_FLAGS] |= L.OPEN_RESULT
        put(w, n, L.NOTHING, L.NOTHING, rules.NO_CLAUSE, S.OUTCOME__PUSH)
        unseen = w[L.G, 0, L.G_CONTEXT] & ops.NO_SHOE  # hands that were split off are not known either
        if h >= 0 or unseen or line[L.W_FLAGS] & L.RETURNED or line[L.W_FLAGS] & L.LATE:
            return
        line[L.W_FLAGS] &= ~L.OPEN_RESULT
        return
    if line[L.W_CAUSE] >= 0:
        by_hand(w, r, n, h, True)
        line[L.W_ALT_PAID], line[L.W_ALT_TAKEN] = line[L.W_PAID], line[L.W_TAKEN]
    if line[L.W_FLAGS] & L.ILLEGAL_GIVE_UP:
        line[L.W_ALT_PAID], line[L.W_ALT_TAKEN] = 0, surrendered(w, r, line[L.W_STAKE])
    if line[L.W_FLAGS] & L.ILLEGAL_TAKE_BACK:
        line[L.W_ALT_PAID] = 0
        line[L.W_ALT_TAKEN] = 0 if line[L.W_KIND] == ops.DOUBLE else line[L.W_STAKE]
    by_hand(w, r, n, h, False)


@compiled
def by_hand(w: Work, r: Rules, n: int, h: int, whole: bool) -> None:
    """Settle a wager by the cards of its hand."""
    line = w[L.W, n]
    stake = good_stake(w, r, n, whole)
    doubled = line[L.W_KIND] == ops.DOUBLE
    if hands.has(w, h, L.DEAD):
        give_back(w, r, n, dead_slot(w, h))
    elif line[L.W_FLAGS] & L.GIVEN_UP:
        settle_surrender(w, r, n, stake)
    elif line[L.W_FLAGS] & L.TAKEN_BACK:
        if doubled:
            give_back(w, r, n, S.OUTCOME__RESCUE_BACK)
        else:
            lose(w, r, n, stake, S.OUTCOME__RESCUE_TAKEN)
    else:
        settle_on_cards(w, r, n, h, stake)
    if r.over_to_maximum and line[L.W_STAKE] > r.max_cents and not whole and line[L.W_PAID] + line[L.W_TAKEN] > 0:
        line[L.W_REASON] = S.OUTCOME__ABOVE_MAXIMUM
        if line[L.W_TAKEN]:
            line[L.W_CLAUSE] = r.clause[S.OUTCOME__ABOVE_MAXIMUM]


@compiled
def dead_slot(w: Work, h: int) -> int:
    """Return the slot of a dead hand: no cards, one card, or a card it was not dealt."""
    if w[L.H, h, L.H_CARDS] == 0:
        return S.OUTCOME__DEAD_HAND__NO_CARDS
    return S.OUTCOME__DEAD_HAND__ONE_CARD if w[L.H, h, L.H_CARDS] == 1 else S.OUTCOME__DEAD_HAND


@compiled
def surrendered(w: Work, r: Rules, stake: int) -> int:
    """Return the cents that a surrender takes: the rulebook's share, or all against a dealer blackjack."""
    if dealer.dealer_has_blackjack(w):
        return stake
    return stake * r.surrender_num // r.surrender_den


@compiled
def settle_surrender(w: Work, r: Rules, n: int, stake: int) -> None:
    taken = surrendered(w, r, stake)
    waits = r.surrender_waits >> cards.RANK[w[L.G, 0, L.G_UP]] & 1
    if waits and w[L.H, 0, L.H_CARDS] < 2:
        w[L.W, n, L.W_FLAGS] |= L.OPEN_RESULT
    if dealer.dealer_has_blackjack(w):
        lose(w, r, n, taken, S.OUTCOME__SURRENDER_WHOLE)
    elif waits:
        lose(w, r, n, taken, S.OUTCOME__SURRENDER_HALF_LATER)
    else:
        lose(w, r, n, taken, S.OUTCOME__SURRENDER_HALF)


@compiled
def result_of(w: Work, r: Rules, h: int) -> tuple[int, int]:
    """Return win, push or loss, and the slot of the reason."""
    points, dealers = hands.total(w, h), hands.total(w, 0)
    blackjack = dealer.dealer_has_blackjack(w)
    if points > 21:
        return LOSE, S.OUTCOME__BUST
    if hands.is_blackjack(w, h):
        return WIN, S.OUTCOME__BLACKJACK_VS_21 if dealers == 21 else S.OUTCOME__BLACKJACK
    if points == 21 and r.wins_at_once:
        return WIN, S.OUTCOME__21_WINS
    if points == 21 and dealers == 21:
        if w[L.H, h, L.H_CARDS] == 2:
            return PUSH if r.split_21 == rules.SPLIT21_PUSH else WIN, S.OUTCOME__SPLIT_21
        return (LOSE, S.OUTCOME__21_LOSES_TO_BLACKJACK) if blackjack else (WIN, S.OUTCOME__21_BEATS_21)
    if dealers > 21:
        return WIN, S.OUTCOME__DEALER_BUST
    if points > dealers:
        return WIN, S.OUTCOME__HIGHER
    if points == dealers:
        return PUSH, S.OUTCOME__PUSH
    return LOSE, S.OUTCOME__DEALER_BLACKJACK if blackjack else S.OUTCOME__LOWER


@compiled
def settle_on_cards(w: Work, r: Rules, n: int, h: int, stake: int) -> None:
    line = w[L.W, n]
    result, reason = result_of(w, r, h)
    double_portion = line[L.W_KIND] == ops.DOUBLE
    if result == WIN:
        row, why = winning_row(w, r, n, h, reason)
        pay(w, r, n, stake, row, why)
    elif result == PUSH:
        put(w, n, L.NOTHING, L.NOTHING, r.clause[S.OUTCOME__PUSH], reason)
    elif dealer.dealer_has_blackjack(w) and double_portion and spares_double(w, r, h):
        give_back(w, r, n, S.OUTCOME__DOUBLE_BACK)
    else:
        lose(w, r, n, stake, reason)
    if needs_dealer(w, r, h):
        line[L.W_FLAGS] |= L.OPEN_RESULT


@compiled
def needs_dealer(w: Work, r: Rules, h: int) -> bool:
    """Return whether a hand's result depends on a dealer's hand that is not known."""
    return w[L.H, 0, L.H_CARDS] < 2 and dealer.is_open(w, r, h)


@compiled
def spares_double(w: Work, r: Rules, h: int) -> bool:
    """Return whether a dealer blackjack does not take the double portion."""
    return bool(not r.takes_double and (hands.total(w, h) <= 21 or r.bust_original_only))


@compiled
def winning_row(w: Work, r: Rules, n: int, h: int, reason: int) -> tuple[int, int]:
    """Return the row of the odds table for a win, and the slot that decided it."""
    line = w[L.W, n]
    if hands.is_blackjack(w, h):
        plain = r.blackjack_against_21 and reason == S.OUTCOME__BLACKJACK
        return (rules.REGULAR if plain else rules.BLACKJACK), reason
    if reason == S.OUTCOME__SPLIT_21 and r.split_21 == rules.SPLIT21_WIN_3_2:
        return rules.BLACKJACK, reason
    bonus = hands.bonus_row(w, h)
    if bonus < 0:
        return rules.REGULAR, reason
    if hands.has(w, h, L.DOUBLED) and not r.bonus_on_double:
        number = w[L.H, h, L.H_NUMBER]
        joined = play.doublers(w, line[L.W_SEAT], number) >> line[L.W_BETTOR] & 1
        if joined or line[L.W_KIND] == ops.DOUBLE or not r.undoubled_bonus:
            row = rules.DOUBLED if r.odds_num[rules.DOUBLED] > 0 else rules.REGULAR
            return row, S.OUTCOME__NO_BONUS_DOUBLED
        reason = S.OUTCOME__BONUS_UNDOUBLED
    if hands.has(w, h, L.FROM_SPLIT) and not r.bonus_on_split:
        return rules.REGULAR, S.OUTCOME__NO_BONUS_SPLIT
    return bonus, reason


@compiled
def spare_splits(w: Work, r: Rules) -> None:
    """Take or return a bettor's losing hands on a dealer blackjack after a split."""
    if r.after_split == rules.AFTER_SPLIT_ALL:
        return
    for seat in range(1, w[L.G, 0, L.G_TOP_SEAT] + 1):
        if w[L.B, seat, L.B_HANDS] < 2:
            continue
        for bettor in range(1, ops.MAX_BETTOR + 1):
            if w[L.B, seat, L.B_BETTORS] >> bettor & 1:
                spare_bettor(w, r, seat, bettor)


@compiled
def spare_bettor(w: Work, r: Rules, seat: int, bettor: int) -> None:
    """Take one original wager, from the first losing hand in order of play; the rest is returned."""
    taken = False
    original_kept = False
    h = w[L.B, seat, L.B_FIRST]
    while h >= 0:
        n = play.wager_on(w, r, seat, bettor, w[L.H, h, L.H_NUMBER])
        if n >= 0 and not w[L.W, n, L.W_FLAGS] & (L.GIVEN_UP | L.RETURNED):
            line = w[L.W, n]
            bust = hands.total(w, h) > 21 or (line[L.W_FLAGS] & L.TAKEN_BACK) != 0
            if line[L.W_TAKEN] == 0:
                original_kept = original_kept or line[L.W_KIND] == ops.MAIN
            elif bust and not r.bust_original_only:
                taken = taken or r.after_split == rules.AFTER_SPLIT_ORIGINAL
            elif taken:
                give_back(w, r, n, S.OUTCOME__SPLIT_BACK)
            else:
                taken = True
                kept = S.OUTCOME__SPLIT_TAKEN_FOR_ORIGINAL
                reason = kept if original_kept else S.OUTCOME__SPLIT_TAKEN_AFTER_BUST
                if line[L.W_KIND] == ops.SPLIT and r.clause[reason] >= 0:
                    line[L.W_REASON], line[L.W_CLAUSE] = reason, r.clause[reason]
        h = w[L.H, h, L.H_NEXT]


@compiled
def settle_insurance(w: Work, r: Rules, n: int) -> None:
    """Wins on a ten-value second card; the part above the limit goes back."""
    line = w[L.W, n]
    limit = wagers.insurance_limit(w, r, n)
    stake = line[L.W_STAKE]
    up, second = w[L.G, 0, L.G_UP], w[L.G, 0, L.G_SECOND]
    wins = cards.VALUE[second] == 10
    if (wins and cards.RANK[up] == cards.ACE) or (cards.VALUE[up] == 10 and cards.RANK[second] == cards.ACE):
        line[L.W_ALT_PAID] = -(-stake * r.odds_num[rules.INSURANCE] // r.odds_den[rules.INSURANCE])
        line[L.W_ALT_TAKEN] = 0
    else:
        line[L.W_ALT_PAID], line[L.W_ALT_TAKEN] = 0, stake
    if not r.excess_whole and stake > limit:
        stake = limit
    h = line[L.W_AT]
    reason = S.OUTCOME__INSURANCE
    main = scan.main_of(w, line[L.W_SEAT], line[L.W_BETTOR])
    if main >= 0 and w[L.W, main, L.W_FLAGS] & L.GIVEN_UP and r.clause[S.OUTCOME__INSURANCE_SEPARATE] >= 0:
        reason = S.OUTCOME__INSURANCE_SEPARATE
    if w[L.G, 0, L.G_SECOND] == 0:
        line[L.W_FLAGS] |= L.OPEN_RESULT
    if h >= 0 and hands.has(w, h, L.DEAD) and r.clause[S.OUTCOME__INSURANCE_VOID] >= 0:
        give_back(w, r, n, S.OUTCOME__INSURANCE_VOID)
    elif wins:
        pay(w, r, n, stake, rules.INSURANCE, reason)
    else:
        lose(w, r, n, stake, reason)


@compiled
def initial_cards(w: Work, seat: int) -> tuple[int, int]:
    """Return the box's first two cards as dealt, even if split later; 0 for a card not dealt."""
    first = second = 0
    seen = 0
    for n in range(w[L.G, 0, L.G_DRAWS]):
        draw = w[L.D, n]
        if draw[L.D_ROLE] == L.TO_BOX and w[L.H, draw[L.D_HAND], L.H_SEAT] == seat:
            seen += 1
            if seen == 1:
                first = draw[L.D_CARD]
            elif seen == 2:
                second = draw[L.D_CARD]
                break
    return first, second


@compiled
def settle_match(w: Work, r: Rules, n: int) -> None:
    """Each of the two initial cards that has the rank of the up card, suited or not."""
    line = w[L.W, n]
    first, second = initial_cards(w, line[L.W_SEAT])
    up = w[L.G, 0, L.G_UP]
    if second == 0 or up == 0:
        line[L.W_FLAGS] |= L.OPEN_RESULT
        line[L.W_ALT_PAID], line[L.W_ALT_TAKEN] = 0, line[L.W_STAKE]
        if line[L.W_AT] >= 0 and hands.has(w, line[L.W_AT], L.DEAD):
            line[L.W_FLAGS] &= ~L.OPEN_RESULT
            give_back(w, r, n, dead_slot(w, line[L.W_AT]))
        return
    suited = unsuited = 0
    for card in (first, second):
        if cards.RANK[card] == cards.RANK[up]:
            if card == up:
                suited += 1
            else:
                unsuited += 1
    face = cards.VALUE[up] == 10 and (cards.VALUE[first] == 10 or cards.VALUE[second] == 10)
    reason = S.OUTCOME__MATCH_FACE if face and r.clause[S.OUTCOME__MATCH_FACE] >= 0 else S.OUTCOME__MATCH
    if suited + unsuited == 2 and r.clause[S.OUTCOME__MATCH_BOTH] >= 0:
        reason = S.OUTCOME__MATCH_BOTH
    if suited + unsuited == 0:
        lose(w, r, n, line[L.W_STAKE], reason)
    else:
        pay(w, r, n, line[L.W_STAKE], match_row(suited, unsuited), reason)
    line[L.W_ALT_PAID], line[L.W_ALT_TAKEN] = line[L.W_PAID], line[L.W_TAKEN]


@compiled
def match_row(suited: int, unsuited: int) -> int:
    if suited == 2:
        return rules.MATCH_TWO_SUITED
    if suited == 1:
        return rules.MATCH_SUITED_UNSUITED if unsuited else rules.MATCH_SUITED
    return rules.MATCH_TWO_UNSUITED if unsuited == 2 else rules.MATCH_UNSUITED


@compiled
def settle_pair(w: Work, r: Rules, n: int) -> None:
    """Wins on two initial cards of one rank."""
    line = w[L.W, n]
    first, second = initial_cards(w, line[L.W_SEAT])
    if second == 0:
        line[L.W_FLAGS] |= L.OPEN_RESULT
        if line[L.W_AT] >= 0 and hands.has(w, line[L.W_AT], L.DEAD):
            line[L.W_FLAGS] &= ~L.OPEN_RESULT
            give_back(w, r, n, dead_slot(w, line[L.W_AT]))
        return
    if cards.RANK[first] == cards.RANK[second]:
        pay(w, r, n, line[L.W_STAKE], rules.PAIR, S.OUTCOME__PAIR)
    else:
        lose(w, r, n, line[L.W_STAKE], S.OUTCOME__PAIR)
    line[L.W_ALT_PAID], line[L.W_ALT_TAKEN] = line[L.W_PAID], line[L.W_TAKEN]


@compiled
def super_prize(w: Work, r: Rules, n: int) -> int:
    """Return the Super Bonus in cents that main wager ``n`` wins, 0 if none."""
    line = w[L.W, n]
    h = line[L.W_AT]
    if h < 0 or line[L.W_FLAGS] & dealer.gone(w, r) or not hands.is_super_bonus(w, h):
        return 0
    if hands.has(w, h, L.DEAD) or (hands.has(w, h, L.FROM_SPLIT) and not r.super_on_split):
        return 0
    if hands.has(w, h, L.DOUBLED) and not r.super_on_double:
        joined = play.doublers(w, line[L.W_SEAT], w[L.H, h, L.H_NUMBER]) >> line[L.W_BETTOR] & 1
        if joined or not r.undoubled_super:
            return 0
    stake = line[L.W_STAKE]
    if stake >= r.super_high_from:
        return r.super_high_prize
    return r.super_low_prize if r.super_low_from <= stake <= r.super_low_to else 0


@compiled
def award_super_bonus(w: Work, r: Rules) -> None:
    """Add the fixed prizes of the winners and the shares of the rest of the table as separate rows."""
    many = w[L.G, 0, L.G_WAGERS]
    winners = 0
    for n in range(many):
        if w[L.W, n, L.W_KIND] == ops.MAIN and super_prize(w, r, n) > 0:
            winners += 1
    if winners == 0:
        return
    w[L.G, 0, L.G_BONUS_WINNER] = 1
    for n in range(many):
        if w[L.W, n, L.W_KIND] != ops.MAIN:
            continue
        prize = super_prize(w, r, n)
        if prize:
            high = w[L.W, n, L.W_STAKE] >= r.super_high_from
            clause = r.super_high_clause if high else r.super_low_clause
            add_prize(w, n, ops.SUPER_BONUS, prize, clause, S.OUTCOME__SUPER_BONUS)
        elif gets_share(w, r, n, many):
            clause = r.clause[S.OUTCOME__SUPER_SHARE]
            add_prize(w, n, ops.SUPER_SHARE, r.share_cents, clause, S.OUTCOME__SUPER_SHARE)


@compiled
def add_prize(w: Work, source: int, kind: int, paid: int, clause: int, reason: int) -> int:
    """Add a row for a prize that is due in addition to the wagers."""
    n = w[L.G, 0, L.G_WAGERS]
    w[L.G, 0, L.G_WAGERS] = n + 1
    line, of = w[L.W, n], w[L.W, source]
    scan.clear(w, n)
    line[L.W_SEAT], line[L.W_BETTOR], line[L.W_KIND], line[L.W_HAND] = of[L.W_SEAT], of[L.W_BETTOR], kind, 1
    line[L.W_PATRON], line[L.W_ROW], line[L.W_FLAGS] = of[L.W_PATRON], of[L.W_ROW], L.NO_STAKE
    line[L.W_AT] = of[L.W_AT]
    line[L.W_CAUSE] = line[L.W_PARENT] = line[L.W_SETTLE_ROW] = line[L.W_ODDS] = -1
    put(w, n, paid, L.NOTHING, clause, reason)
    line[L.W_ALT_PAID] = paid
    return int(n)


@compiled
def gets_share(w: Work, r: Rules, n: int, many: int) -> bool:
    """Return whether main wager ``n`` earns the share, which is paid per wager or once per player."""
    line = w[L.W, n]
    h = line[L.W_AT]
    if line[L.W_FLAGS] & dealer.gone(w, r) & ~(L.GIVEN_UP | L.TAKEN_BACK) or h < 0 or hands.has(w, h, L.DEAD):
        return False
    if hands.is_super_bonus(w, h) and below_steps(w, r, n):
        return False
    if not r.share_to_winning_double and hands.has(w, h, L.DOUBLED):
        first = w[L.B, line[L.W_SEAT], L.B_FIRST]
        if h == first and line[L.W_PAID] > 0:
            return False
    if not r.share_per_player or line[L.W_PATRON] == 0:
        return True
    for k in range(many):
        other = w[L.W, k]
        if other[L.W_KIND] == ops.MAIN and other[L.W_PATRON] == line[L.W_PATRON]:
            if super_prize(w, r, k) > 0 or k < n:
                return False
    return True


@compiled
def below_steps(w: Work, r: Rules, n: int) -> bool:
    """A wager on the winning hand that earns no prize because it is too small."""
    stake = w[L.W, n, L.W_STAKE]
    return stake < r.super_high_from and not r.super_low_from <= stake <= r.super_low_to
