"""One round played forward: wagers, the deal, insurance, every hand by its player's chart, and the dealer."""

from replay import cards, ops, rules
from replay.compiled import compiled
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator import people as P
from replay.simulator import shoe, wheel
from replay.simulator import strategy as C
from replay.simulator import table as T
from replay.simulator.table import SimulatedTable

_FOLLOWS_PPM = 650_000  # how often a bettor without control doubles or splits with the box
_FOR_LESS_PPM = 40_000  # how often a double is for less


@compiled
def play_round(t: SimulatedTable, r: Rules) -> bool:
    """Play one round; returns False if nobody bet or the stack ran out, which makes the logged lines void."""
    if t.g[T.G_FRESH]:
        t.g[T.G_DRAWN] = 0
    if not bet(t, r):
        return False
    wheel.announce(t, ops.START_ROUND)
    T.wait(t, T.MS_CLOSE)
    T.put(t, ops.BETS_CLOSED, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE)
    deal(t, r)
    T.moment(t, J.AT_DEALT, T.NONE, T.NONE)
    insure(t, r)
    if dealer_shows_blackjack(t, r):
        wheel.spin(t, r)
    else:
        surrender_early(t, r)
        wheel.spin(t, r)
        T.moment(t, J.AT_TURNS, T.NONE, T.NONE)
        for box in range(1, t.g[T.G_BOXES] + 1):
            if t.boxes[box, T.X_HANDS]:
                play_box(t, r, box)
    play_dealer(t, r)
    T.wait(t, T.MS_SETTLE)
    T.moment(t, J.AT_END, T.NONE, T.NONE)
    for box in range(1, t.g[T.G_BOXES] + 1):
        if t.boxes[box, T.X_HANDS]:
            T.wait(t, T.MS_SETTLE)
    wheel.spin_xtreme(t, r)
    wheel.announce(t, ops.END_ROUND)
    T.wait(t, T.MS_SETTLE)
    T.put(t, ops.ROUND_END, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE, T.NONE)
    return not t.g[T.G_SHORT]


# Wagers.


@compiled
def bet(t: SimulatedTable, r: Rules) -> bool:
    """Everybody who wants to stakes something; whether anybody did."""
    g = t.g
    g[T.G_INSURED] = g[T.G_SPIN_STAKES] = g[T.G_BSX_STAKES] = g[T.G_SHORT] = 0
    anybody = False
    for box in range(1, g[T.G_BOXES] + 1):
        for column in range(T.X_HANDS + 1):
            t.boxes[box, column] = 0
        for bettor in range(1, T.MOST_BETTORS):
            patron = t.seats[box, bettor] - 1
            if patron < 0 or (bettor > 1 and not t.boxes[box, 1]):
                continue
            cents = stake(t, r, patron)
            if cents:
                t.boxes[box, bettor] = cents
                anybody = True
                T.wager(t, box, bettor, T.ONE, ops.MAIN, cents)
                bet_aside(t, r, box, bettor, cents)
    return anybody


@compiled
def stake(t: SimulatedTable, r: Rules, patron: int) -> int:
    """Return a patron's stake in cents, 0 to sit out."""
    line = t.patrons[patron]
    unit, most, units = line[P.P_UNIT_CENTS], line[P.P_SPREAD], 1
    waits = line[P.P_KIND] == P.ENTRANT and r.entry == rules.ENTRY_ALLOW
    if line[P.P_COUNTS] or waits:
        true_count = (12 * t.g[T.G_COUNT] - t.g[T.G_DRAWN]) // (12 * T.decks_left(t))
        if waits and true_count < 1:
            return 0
        units = min(most, 1 + 2 * max(0, true_count))
    elif most > 1 and T.chance(t, 250_000):
        units = 1 + T.below(t, most)
    cents = min(unit * units, r.max_cents, T.stake_unit(r, t.chips[patron]))
    return int(cents) if cents >= r.min_cents else 0


@compiled
def bet_aside(t: SimulatedTable, r: Rules, box: int, bettor: int, main: int) -> None:
    """Side wagers by the patron's habit, within what the table allows."""
    line = t.patrons[t.seats[box, bettor] - 1]
    if r.match_offered and line[P.P_MATCH_PPM] and T.chance(t, line[P.P_MATCH_PPM]):
        most = main if r.match_within_main else r.max_cents
        most = min(most, r.match_max) if r.match_max else most
        cents = max(r.match_min, T.stake_unit(r, main // 4), r.chip)
        if cents <= most:
            T.wager(t, box, bettor, T.ONE, ops.MATCH, cents)
    if r.pair_offered and line[P.P_PAIR_PPM] and T.chance(t, line[P.P_PAIR_PPM]):
        T.wager(t, box, bettor, T.ONE, ops.PAIR, max(T.stake_unit(r, main // 4), r.chip))
    if r.spin_offered and line[P.P_SPIN_PPM] and T.chance(t, line[P.P_SPIN_PPM]):
        wheel.stake_spin(t, r, box, bettor)
    if r.bsx_offered and line[P.P_BSX_PPM] and T.chance(t, line[P.P_BSX_PPM]):
        wheel.stake_xtreme(t, r, box, bettor)


# The deal.


@compiled
def deal(t: SimulatedTable, r: Rules) -> None:
    """Two cards to every wagered box, the dealer's up card between them, and the hole card where there is one."""
    g = t.g
    if g[T.G_DRAWN] == g[T.G_CUT] and not g[T.G_CUT_OUT] and r.cut_first_reshuffles:
        T.show_cut_card(t)
        shoe.change(t, r)
    T.clear_hand(t, T.DEALER)
    for box in range(1, g[T.G_BOXES] + 1):
        if t.boxes[box, 1]:
            h = T.hand_at(box, T.ONE)
            T.clear_hand(t, h)
            for bettor in range(1, T.MOST_BETTORS):
                t.hands[h, T.H_BETTORS] |= (1 if t.boxes[box, bettor] else 0) << bettor
            t.boxes[box, T.X_HANDS], t.order[box, 0] = 1, 1
            hit(t, box, T.ONE)
    T.add_card(t, T.DEALER, T.draw(t, J.ZONE_DEALER))
    for box in range(1, g[T.G_BOXES] + 1):
        if t.boxes[box, 1]:
            hit(t, box, T.ONE)
    if r.hole_card:
        T.add_card(t, T.DEALER, T.draw(t, J.ZONE_DEALER))


@compiled
def hit(t: SimulatedTable, box: int, number: int) -> None:
    """A card to a hand."""
    T.add_card(t, T.hand_at(box, number), T.draw(t, box * J.ZONE_HANDS + number))


@compiled
def up_card(t: SimulatedTable) -> int:
    return int(t.hands[T.DEALER, T.H_FIRST])


@compiled
def dealer_shows_blackjack(t: SimulatedTable, r: Rules) -> bool:
    """The reader looks at the hole card where it has to; a blackjack ends the players' part."""
    if not (r.reader and r.hole_card and T.is_in(r.reader_up, up_card(t))):
        return False
    found = T.total(t, T.DEALER) == 21
    T.wait(t, T.MS_CHECK)
    result = ops.CHECK_BLACKJACK if found else ops.CHECK_NO_BLACKJACK
    T.put(t, ops.HOLE_CHECK, T.NONE, T.NONE, T.NONE, result, T.NONE, T.NONE)
    T.moment(t, J.AT_CHECKED, T.NONE, T.NONE)
    return found


@compiled
def insure(t: SimulatedTable, r: Rules) -> None:
    """Insurance where the dealer shows an ace; where the rulebook lets them, bettors take up what another declines."""
    if not T.is_in(r.insurance_up, up_card(t)):
        return
    T.offer(t, ops.OFFER_INSURANCE, T.ONE)
    for box in range(1, t.g[T.G_BOXES] + 1):
        if not t.boxes[box, T.X_HANDS]:
            continue
        if T.is_blackjack(t, T.hand_at(box, T.ONE)) and not r.insurance_with_blackjack:
            continue
        declined = 0
        for bettor in range(1, T.MOST_BETTORS):
            main = t.boxes[box, bettor]
            if main and T.chance(t, t.patrons[t.seats[box, bettor] - 1, P.P_INSURE_PPM]):
                insure_with(t, r, box, bettor, main, T.NONE)
                if declined and r.insurance_for_others and T.chance(t, 300_000):
                    insure_with(t, r, box, bettor, t.boxes[box, declined], declined)
                    declined = 0
            elif main:
                declined = bettor
    T.offer(t, ops.OFFER_INSURANCE, T.NONE)


@compiled
def insure_with(t: SimulatedTable, r: Rules, box: int, bettor: int, main: int, for_bettor: int) -> None:
    """Half the wager; in whole chips where it must be payable in them, rounded up to one where that is allowed."""
    cents = main * r.insurance_num // r.insurance_den
    if r.insurance_chips:
        cents = T.stake_unit(r, cents)
    elif r.insurance_rounds_up and cents % r.chip:
        cents = T.stake_unit(r, cents) + r.chip
    if cents > 0:
        row = T.wager(t, box, bettor, T.ONE, ops.INSURANCE, cents)
        t.log.card[row] = for_bettor
        t.g[T.G_INSURED] = 1


# The players.


@compiled
def surrender_early(t: SimulatedTable, r: Rules) -> None:
    """Decide early surrenders, if open before anybody plays: for the box as one, or for each bettor alone."""
    up = up_card(t)
    if not r.surrender_first or not T.is_in(r.surrender_up, up):
        return
    T.offer(t, ops.OFFER_SURRENDER, T.ONE)
    for box in range(1, t.g[T.G_BOXES] + 1):
        if not t.boxes[box, T.X_HANDS] or T.total(t, T.hand_at(box, T.ONE)) == 21:
            continue
        everybody, who = t.hands[T.hand_at(box, T.ONE), T.H_BETTORS], 0
        for bettor in range(1, T.MOST_BETTORS):
            binds = r.surrender_by_bettor or bettor == 1
            if t.boxes[box, bettor] and binds and advice(t, r, box, T.ONE, bettor) & C.SURRENDER:
                who |= 1 << bettor
        if not who:
            continue
        who = who if r.surrender_by_bettor else everybody
        t.boxes[box, T.X_SURRENDERED] = who
        T.decide(t, box, T.ONE, ops.SURRENDER, T.NONE if who == everybody else who)
    T.offer(t, ops.OFFER_SURRENDER, T.NONE)


@compiled
def advice(t: SimulatedTable, r: Rules, box: int, number: int, bettor: int) -> int:
    """Return the bits of the chart's advice, or of the patron's mistaken version of it."""
    h = T.hand_at(box, number)
    line, up = t.hands[h], T.value_class(up_card(t))
    phase = 1 if line[T.H_SPLIT] else 0
    points = T.total(t, h)
    if line[T.H_CARDS] == 2:
        first, second = line[T.H_FIRST], line[T.H_SECOND]
        suits = 0
        if cards.SUIT[first] == cards.SUIT[second]:
            suits = 2 if cards.SUIT[first] == 0 else 1
        bits = t.chart.first[phase, T.value_class(first), T.value_class(second), suits, up]
    else:
        soft = 1 if T.is_soft(t, h) else 0
        bits = t.chart.later[phase, min(line[T.H_CARDS], 7) - 3, soft, points, up]
    mistakes = t.patrons[t.seats[box, bettor] - 1, P.P_MISTAKES_PPM]
    if mistakes and T.chance(t, mistakes):
        if bits & (C.SPLIT | C.SURRENDER | C.DOUBLE):
            bits &= C.HIT
        elif 11 < points < 18:
            bits ^= C.HIT
        elif 8 < points < 12:
            bits |= C.DOUBLE
    return int(bits | C.HIT) if points < r.must_draw_below else int(bits)


@compiled
def controller(t: SimulatedTable, box: int) -> int:
    """The bettor whose decisions are the box's: the first who has not given up."""
    for bettor in range(1, T.MOST_BETTORS):
        if t.boxes[box, bettor] and not t.boxes[box, T.X_SURRENDERED] >> bettor & 1:
            return bettor
    return 0


@compiled
def play_box(t: SimulatedTable, r: Rules, box: int) -> None:
    """A box's hands from left to right."""
    at = 0
    while at < t.boxes[box, T.X_HANDS]:
        number = t.order[box, at]
        if t.hands[T.hand_at(box, number), T.H_CARDS] == 1:
            hit(t, box, number)
        if controller(t, box):
            play_hand(t, r, box, number)
        T.moment(t, J.AT_HAND, box, number)
        at += 1


@compiled
def play_hand(t: SimulatedTable, r: Rules, box: int, number: int) -> None:
    h = T.hand_at(box, number)
    line = t.hands[h]
    while T.total(t, h) < 21 and not (line[T.H_SPLIT_ACES] and r.aces_once) and not t.g[T.G_SHORT]:
        lead = controller(t, box)
        bits = advice(t, r, box, number, lead)
        if bits & C.SPLIT and may_split(t, r, box, h, lead):
            split(t, r, box, number, lead)
        elif bits & C.SURRENDER and may_surrender(t, r, h):
            T.decide(t, box, number, ops.SURRENDER, T.NONE)
            t.boxes[box, T.X_SURRENDERED] = line[T.H_BETTORS]
            return
        elif bits & C.DOUBLE and may_double(t, r, box, h, lead):
            double(t, r, box, number, lead)
            return
        elif bits & C.HIT:
            T.decide(t, box, number, ops.HIT, T.NONE)
            hit(t, box, number)
        else:
            T.decide(t, box, number, ops.STAND, T.NONE)
            return


@compiled
def may_surrender(t: SimulatedTable, r: Rules, h: int) -> bool:
    line = t.hands[h]
    first = line[T.H_CARDS] == 2 and not line[T.H_SPLIT]
    return bool(first and not r.surrender_first and T.is_in(r.surrender_up, up_card(t)))


@compiled
def least_double(r: Rules) -> int:
    if r.double_min == rules.DOUBLE_MIN_TABLE:
        return int(r.min_cents)
    return int(max(1, r.increment)) if r.double_min == rules.DOUBLE_MIN_INCREMENT else 1


@compiled
def may_double(t: SimulatedTable, r: Rules, box: int, h: int, lead: int) -> bool:
    line = t.hands[h]
    if (line[T.H_SPLIT_ACES] and not r.double_split_aces) or (r.double_first_two and line[T.H_CARDS] > 2):
        return False
    return bool(line[T.H_BETTORS] >> lead & 1 and t.boxes[box, lead] >= least_double(r))


@compiled
def may_split(t: SimulatedTable, r: Rules, box: int, h: int, lead: int) -> bool:
    line = t.hands[h]
    if line[T.H_CARDS] != 2 or cards.VALUE[line[T.H_FIRST]] != cards.VALUE[line[T.H_SECOND]]:
        return False
    again = line[T.H_SPLIT_ACES] and (r.aces_once or not r.resplit_aces)
    most = min(r.max_hands, T.MOST_HANDS - 1)
    return bool(not again and t.boxes[box, T.X_HANDS] < most and line[T.H_BETTORS] >> lead & 1)


@compiled
def double(t: SimulatedTable, r: Rules, box: int, number: int, lead: int) -> None:
    """The leading bettor doubles, others may; one card; then some take it back."""
    line, least = t.hands[T.hand_at(box, number)], least_double(r)
    for bettor in range(1, T.MOST_BETTORS):
        main = t.boxes[box, bettor]
        if not line[T.H_BETTORS] >> bettor & 1 or t.boxes[box, T.X_SURRENDERED] >> bettor & 1 or main < least:
            continue
        if bettor == lead or T.chance(t, _FOLLOWS_PPM):
            cents = main
            mistakes = t.patrons[t.seats[box, bettor] - 1, P.P_MISTAKES_PPM]
            if mistakes and T.chance(t, _FOR_LESS_PPM):
                cents = max(least, T.stake_unit(r, main // 2), 1)
            T.wager(t, box, bettor, number, ops.DOUBLE, cents)
            line[T.H_DOUBLERS] |= 1 << bettor
    if r.ace_on_double == rules.ACE_FIRST_TWO or (r.ace_on_double == rules.ACE_INITIAL and not line[T.H_SPLIT]):
        line[T.H_LOW_ACES] = (cards.RANK[line[T.H_FIRST]] == cards.ACE) + (cards.RANK[line[T.H_SECOND]] == cards.ACE)
    T.decide(t, box, number, ops.DOUBLE_DOWN, T.NONE)
    hit(t, box, number)
    rescue(t, r, box, number)


@compiled
def rescue(t: SimulatedTable, r: Rules, box: int, number: int) -> None:
    """Take back the doubles of bettors with a weak hand, unless the hand has been paid already."""
    h = T.hand_at(box, number)
    points, who = T.total(t, h), 0
    if points > r.rescue_max or (points == 21 and r.wins_at_once):
        return
    if not t.chart.rescue[points, T.value_class(up_card(t))]:
        return
    for bettor in range(1, T.MOST_BETTORS):
        if t.hands[h, T.H_DOUBLERS] >> bettor & 1:
            mistakes = t.patrons[t.seats[box, bettor] - 1, P.P_MISTAKES_PPM]
            if not mistakes or T.chance(t, 1_000_000 - 4 * mistakes):
                who |= 1 << bettor
    if who:
        T.decide(t, box, number, ops.RESCUE, T.NONE if who == t.hands[h, T.H_DOUBLERS] else who)
        t.hands[h, T.H_RESCUED] = who


@compiled
def split(t: SimulatedTable, r: Rules, box: int, number: int, lead: int) -> None:
    """Two hands out of one; bettors who do not cover the new one keep their wager on the old, or choose."""
    h, count = T.hand_at(box, number), t.boxes[box, T.X_HANDS]
    new_number = count + 1
    new = T.hand_at(box, new_number)
    T.clear_hand(t, new)
    first, second = t.hands[h, T.H_FIRST], t.hands[h, T.H_SECOND]
    bettors = t.hands[h, T.H_BETTORS] & ~t.boxes[box, T.X_SURRENDERED]
    T.clear_hand(t, h)
    t.hands[h, T.H_BETTORS] = bettors
    T.add_card(t, h, first)
    T.add_card(t, new, second)
    t.hands[h, T.H_SPLIT] = t.hands[new, T.H_SPLIT] = 1
    if cards.RANK[first] == cards.ACE:
        t.hands[h, T.H_SPLIT_ACES] = t.hands[new, T.H_SPLIT_ACES] = 1
    uncovered = 0
    for bettor in range(1, T.MOST_BETTORS):
        if not bettors >> bettor & 1:
            continue
        if bettor == lead or is_elsewhere(t, box, number, bettor) or T.chance(t, _FOLLOWS_PPM):
            T.wager(t, box, bettor, new_number, ops.SPLIT, t.boxes[box, bettor])
            t.hands[new, T.H_BETTORS] |= 1 << bettor
        else:
            uncovered |= 1 << bettor
    T.decide(t, box, number, ops.SPLIT_PAIR, T.NONE)
    choose_hands(t, r, box, number, new_number, uncovered)
    at = count
    while t.order[box, at - 1] != number:
        t.order[box, at] = t.order[box, at - 1]
        at -= 1
    t.order[box, at] = new_number
    t.boxes[box, T.X_HANDS] = new_number
    hit(t, box, number)


@compiled
def is_elsewhere(t: SimulatedTable, box: int, number: int, bettor: int) -> bool:
    """Return whether a bettor has wagers on other hands of the box."""
    for at in range(t.boxes[box, T.X_HANDS]):
        other = t.order[box, at]
        if other != number and t.hands[T.hand_at(box, other), T.H_BETTORS] >> bettor & 1:
            return True
    return False


@compiled
def choose_hands(t: SimulatedTable, r: Rules, box: int, number: int, new_number: int, uncovered: int) -> None:
    """Bettors with one wager for two hands say which hand it lies on, where the rulebook leaves it to them."""
    if r.assign_first_only:
        return
    for bettor in range(1, T.MOST_BETTORS):
        if not uncovered >> bettor & 1:
            continue
        chosen = number
        if T.chance(t, 500_000):
            chosen = new_number
            t.hands[T.hand_at(box, number), T.H_BETTORS] &= ~(1 << bettor)
            t.hands[T.hand_at(box, new_number), T.H_BETTORS] |= 1 << bettor
        T.wait(t, T.MS_DECISION)
        T.put(t, ops.ASSIGN, box, bettor, chosen, T.NONE, T.NONE, T.NONE)


# The dealer.


@compiled
def play_dealer(t: SimulatedTable, r: Rules) -> None:
    """The dealer draws as long as the rulebook asks for it and a hand can still change."""
    line = t.hands[T.DEALER]
    stands = line[T.H_CARDS] == 2 and T.total(t, T.DEALER) == 21
    if line[T.H_CARDS] == 1 and second_card_is_due(t, r):
        T.add_card(t, T.DEALER, T.draw(t, J.ZONE_DEALER))
    T.moment(t, J.AT_SECOND, T.NONE, T.NONE)
    while line[T.H_CARDS] > 1 and not stands and must_draw(t, r) and is_open(t, r) and not t.g[T.G_SHORT]:
        T.add_card(t, T.DEALER, T.draw(t, J.ZONE_DEALER))


@compiled
def second_card_is_due(t: SimulatedTable, r: Rules) -> bool:
    """Return whether a second card drawn after the players is due: for an open hand, insurance, surrender or Xtreme."""
    up = up_card(t)
    if is_open(t, r) or t.g[T.G_INSURED]:
        return True
    rank = cards.RANK[up]
    if t.g[T.G_BSX_STAKES] and (rank == cards.SIX or rank > cards.TEN):
        return True
    if T.is_in(r.surrender_waits, up):
        for box in range(1, t.g[T.G_BOXES] + 1):
            if t.boxes[box, T.X_SURRENDERED]:
                return True
    return False


@compiled
def must_draw(t: SimulatedTable, r: Rules) -> bool:
    points = T.total(t, T.DEALER)
    return bool(points < r.stands_on or (r.soft_17_draws and T.is_soft(t, T.DEALER) and points == r.stands_on))


@compiled
def is_open(t: SimulatedTable, r: Rules) -> bool:
    """Return whether the dealer's hand can still change the result of any hand."""
    for box in range(1, t.g[T.G_BOXES] + 1):
        for number in range(1, t.boxes[box, T.X_HANDS] + 1):
            if hand_is_open(t, r, box, T.hand_at(box, number)):
                return True
    return False


@compiled
def hand_is_open(t: SimulatedTable, r: Rules, box: int, h: int) -> bool:
    line, points = t.hands[h], T.total(t, h)
    up_value = cards.VALUE[up_card(t)]
    blackjack_possible = t.hands[T.DEALER, T.H_CARDS] < 2 and (up_value == 1 or up_value == 10)
    if not line[T.H_BETTORS] & ~t.boxes[box, T.X_SURRENDERED] & ~line[T.H_RESCUED]:
        return False
    if points > 21:
        return bool(r.bust_original_only and blackjack_possible and (line[T.H_DOUBLERS] or line[T.H_SPLIT]))
    if T.is_blackjack(t, h):
        return bool(r.blackjack_against_21)
    if points < 21:
        return True
    if r.wins_at_once:
        return False
    if line[T.H_CARDS] == 2:
        return bool(r.split_21 != rules.SPLIT21_WIN)
    return bool(blackjack_possible)
