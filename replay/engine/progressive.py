"""Bonus Spin and Bonus Spin Xtreme: triggers, prizes, the terminal's protocol."""

from replay import cards, codes, ops, rules
from replay import situations as S
from replay.compiled import compiled
from replay.engine import layout as L
from replay.engine import report, scan, settle
from replay.engine.layout import Work
from replay.rules import Rules

_MALFUNCTION = codes.NUMBER["progressive.malfunction"]
_FIRST_DEAL, _LAST_DEAL = codes.NUMBER["deal.count-mismatch"], codes.NUMBER["deal.hole-card-exposed"]
_COMMUNITY_OTHER_STAKE = 2  # rows of the community table for the other stake


@compiled
def run(w: Work, r: Rules) -> None:
    """Settle the progressive wagers of the round and check what the terminal did."""
    if not scan.occurs(w, ops.PROGRESSIVE) and not has_wager(w, ops.BONUS_SPIN) and not has_wager(w, ops.BSX16):
        return
    for system in range(2):
        kind = ops.BONUS_SPIN + system
        staked = has_stake(w, kind)
        if not has_wager(w, kind) and not has_action(w, system):
            continue
        malfunction = report_malfunction(w, r, system)
        cancelled = check_cancelled(w, r, system, malfunction)
        check_trigger(w, r, system, cancelled)
        for n in range(w[L.G, 0, L.G_WAGERS]):
            if w[L.W, n, L.W_KIND] == kind and not w[L.W, n, L.W_FLAGS] & L.NO_STAKE:
                settle_stake(w, r, n, system, cancelled, malfunction)
        if system == 1 and r.bsx_protocol:
            check_protocol(w, r, staked, malfunction)


@compiled
def has_wager(w: Work, kind: int) -> bool:
    """Return whether there is a wager of a kind, late or in time."""
    for n in range(w[L.G, 0, L.G_WAGERS]):
        if w[L.W, n, L.W_KIND] == kind:
            return True
    return False


@compiled
def has_stake(w: Work, kind: int) -> bool:
    for n in range(w[L.G, 0, L.G_WAGERS]):
        if w[L.W, n, L.W_KIND] == kind and not w[L.W, n, L.W_FLAGS] & (L.RETURNED | L.WITHDRAWN):
            return True
    return False


@compiled
def has_action(w: Work, system: int) -> bool:
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] == ops.PROGRESSIVE and w[L.E, row, L.E_CARD] == system:
            return True
    return False


@compiled
def find_action(w: Work, system: int, action: int, seat: int, bettor: int) -> int:
    """Row of an action (for a place, or for the table where seat is 0), -1."""
    for row in range(w[L.G, 0, L.G_HI]):
        if (
            w[L.E, row, L.E_OP] == ops.PROGRESSIVE
            and w[L.E, row, L.E_CARD] == system
            and w[L.E, row, L.E_KIND] == action
        ):
            if seat == 0 or (w[L.E, row, L.E_SEAT] == seat and w[L.E, row, L.E_BETTOR] == bettor):
                return row
    return -1


@compiled
def find_step(w: Work, system: int, action: int, seat: int, bettor: int, first: int) -> int:
    """Row from ``first`` on of an action that is about a place: one that names it, or one that names none; -1."""
    for row in range(first, w[L.G, 0, L.G_HI]):
        if (
            w[L.E, row, L.E_OP] == ops.PROGRESSIVE
            and w[L.E, row, L.E_CARD] == system
            and w[L.E, row, L.E_KIND] == action
        ):
            if w[L.E, row, L.E_SEAT] == 0 or (w[L.E, row, L.E_SEAT] == seat and w[L.E, row, L.E_BETTOR] == bettor):
                return row
    return -1


@compiled
def report_malfunction(w: Work, r: Rules, system: int) -> bool:
    """Report a malfunction logged by a ruling or by the device; returns whether there was one."""
    for row in range(w[L.G, 0, L.G_HI]):
        ruled = w[L.E, row, L.E_OP] == ops.IRREGULARITY and w[L.E, row, L.E_KIND] == _MALFUNCTION
        failed = w[L.E, row, L.E_OP] == ops.FAULT and w[L.E, row, L.E_KIND] == ops.DEVICE_PROGRESSIVE
        if ruled or failed:
            report.find(
                w,
                r,
                S.PROGRESSIVE__MALFUNCTION,
                row,
                L.NOTHING,
                L.NOTHING,
                L.NOTHING,
                ops.BONUS_SPIN + system,
                L.NOTHING,
                L.NOTHING,
            )
            return True
    return False


@compiled
def check_cancelled(w: Work, r: Rules, system: int, malfunction: bool) -> bool:
    """Return whether the round was finally cancelled; reports a cancellation after the deal without an excuse."""
    cancelled = False
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] != ops.PROGRESSIVE or w[L.E, row, L.E_CARD] != system:
            continue
        if w[L.E, row, L.E_KIND] == ops.CANCEL_ROUND:
            cancelled = True
            if row > w[L.G, 0, L.G_FIRST_DRAW] and not malfunction and not is_misdeal(w):
                kind = ops.BONUS_SPIN + system
                report.find(
                    w,
                    r,
                    S.PROGRESSIVE__CANCELLED_AFTER_DEAL,
                    row,
                    L.NOTHING,
                    L.NOTHING,
                    L.NOTHING,
                    kind,
                    L.NOTHING,
                    L.NOTHING,
                )
        elif w[L.E, row, L.E_KIND] == ops.START_ROUND:
            cancelled = False
    return cancelled


@compiled
def is_misdeal(w: Work) -> bool:
    """Return whether the log reports a misdeal or a void round."""
    for n in range(w[L.G, 0, L.G_IRREGULAR]):
        if _FIRST_DEAL <= w[L.I, n, L.I_CODE] <= _LAST_DEAL:
            return True
    return bool(w[L.G, 0, L.G_VOID_LOGGED])


@compiled
def is_triggered(w: Work, system: int, seat: int) -> bool:
    """Return whether the cards start the wheel: the box's blackjack, or the dealer's six and ten-value card."""
    if system == 0:
        first, second = settle.initial_cards(w, seat)
        return is_ace_and_ten(first, second)
    up, second = w[L.G, 0, L.G_UP], w[L.G, 0, L.G_SECOND]
    six_first = cards.RANK[up] == cards.SIX and cards.VALUE[second] == 10
    return bool(six_first or (cards.RANK[second] == cards.SIX and cards.VALUE[up] == 10))


@compiled
def is_ace_and_ten(first: int, second: int) -> bool:
    ace = cards.RANK[first] == cards.ACE or cards.RANK[second] == cards.ACE
    return bool(ace and cards.VALUE[first] + cards.VALUE[second] == 11)


@compiled
def check_trigger(w: Work, r: Rules, system: int, cancelled: bool) -> None:
    """Check that the wheel starts when the cards trigger it, and only then."""
    if cancelled or w[L.G, 0, L.G_VOID] >= 0 or w[L.G, 0, L.G_VOID_LOGGED]:
        return
    if system == 1:
        logged = find_action(w, L.FIRST, ops.TRIGGER, L.NOTHING, L.NOTHING)
        missed = (
            is_triggered(w, L.FIRST, L.NOTHING) and logged < 0 and has_stake(w, ops.BSX16) and w[L.G, 0, L.G_END] >= 0
        )
        if missed:
            report.find(
                w,
                r,
                S.PROGRESSIVE__TRIGGER_MISSED__BSX16,
                w[L.G, 0, L.G_END],
                L.NOTHING,
                L.NOTHING,
                L.NOTHING,
                ops.BSX16,
                L.NOTHING,
                L.NOTHING,
            )
        elif logged >= 0 and not is_triggered(w, L.FIRST, L.NOTHING) and w[L.G, 0, L.G_SECOND] != 0:
            found = report.find(
                w,
                r,
                S.PROGRESSIVE__TRIGGER_FALSE__BSX16,
                logged,
                L.NOTHING,
                L.NOTHING,
                L.NOTHING,
                ops.BSX16,
                L.NOTHING,
                L.NOTHING,
            )
            blame(w, ops.BSX16, found)
        return
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        if line[L.W_KIND] != ops.BONUS_SPIN or line[L.W_FLAGS] & (L.LATE | L.RETURNED | L.NO_STAKE):
            continue
        seat, bettor = line[L.W_SEAT], line[L.W_BETTOR]
        logged = find_action(w, L.NOTHING, ops.TRIGGER, seat, bettor)
        if is_triggered(w, L.NOTHING, seat) and logged < 0 and w[L.G, 0, L.G_END] >= 0:
            slot = S.PROGRESSIVE__TRIGGER_MISSED__BONUS_SPIN
            report.at_wager(w, r, slot, w[L.G, 0, L.G_END], seat, L.FIRST, bettor, ops.BONUS_SPIN, L.NOTHING)
        elif logged >= 0 and not is_triggered(w, L.NOTHING, seat):
            slot = S.PROGRESSIVE__TRIGGER_FALSE__BONUS_SPIN
            found = report.at_wager(w, r, slot, logged, seat, L.FIRST, bettor, ops.BONUS_SPIN, L.NOTHING)
            line[L.W_CAUSE] = found


@compiled
def blame(w: Work, kind: int, found: int) -> None:
    """Name a finding as the cause of variances on the wagers of a kind."""
    for n in range(w[L.G, 0, L.G_WAGERS]):
        if w[L.W, n, L.W_KIND] == kind and not w[L.W, n, L.W_FLAGS] & (L.LATE | L.RETURNED | L.NO_STAKE):
            w[L.W, n, L.W_CAUSE] = found


@compiled
def settle_stake(w: Work, r: Rules, n: int, system: int, cancelled: bool, malfunction: bool) -> None:
    """Take the stake, unless it was not honoured or its round was cancelled; a prize is a separate payment."""
    line = w[L.W, n]
    reason = S.OUTCOME__BONUS_SPIN if system == 0 else S.OUTCOME__BSX16
    line[L.W_ALT_TAKEN] = line[L.W_STAKE]
    if cancelled:
        settle.give_back(w, r, n, S.OUTCOME__CANCELLED)
        return
    settle.put(w, n, L.NOTHING, line[L.W_STAKE], r.clause[reason], reason)
    if system == 1 and w[L.G, 0, L.G_SECOND] == 0:
        if cards.RANK[w[L.G, 0, L.G_UP]] == cards.SIX or cards.VALUE[w[L.G, 0, L.G_UP]] == 10:
            line[L.W_FLAGS] |= L.OPEN_RESULT
    if line[L.W_FLAGS] & (L.LATE | L.RETURNED):
        return
    row = wheel_row(w, n, system)
    if is_triggered(w, system, line[L.W_SEAT]) or (system == 0 and is_community(w, n)):
        award(w, r, n, system, row, malfunction)
    elif row >= 0 and w[L.E, row, L.E_CENTS] > 0:
        line[L.W_ALT_PAID] = w[L.E, row, L.E_CENTS]
    add_must_hits(w, r, n, system)


@compiled
def is_community(w: Work, n: int) -> bool:
    """Return whether another player's wheel shows a community prize."""
    row = community_row(w, n)
    return row >= 0


@compiled
def community_row(w: Work, n: int) -> int:
    """Row of a community prize that is not this player's own spin, -1."""
    line = w[L.W, n]
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] != ops.PROGRESSIVE or w[L.E, row, L.E_CARD] != line[L.W_KIND] - ops.BONUS_SPIN:
            continue
        if w[L.E, row, L.E_HAND] == ops.COMMUNITY_AMOUNT and w[L.E, row, L.E_KIND] in (ops.PRIZE, ops.COMMUNITY):
            if w[L.E, row, L.E_SEAT] != line[L.W_SEAT] or w[L.E, row, L.E_BETTOR] != line[L.W_BETTOR]:
                return row
    return -1


@compiled
def wheel_row(w: Work, n: int, system: int) -> int:
    """Row of the prize that the wheel showed for this wager, -1."""
    row = find_action(w, system, ops.PRIZE, w[L.W, n, L.W_SEAT], w[L.W, n, L.W_BETTOR])
    return row if row >= 0 else community_row(w, n)


@compiled
def award(w: Work, r: Rules, n: int, system: int, row: int, malfunction: bool) -> None:
    """Award the prize by the paytable, and check the logged prize against it."""
    line = w[L.W, n]
    if row < 0:
        others_win = system == 1 and not is_hot_spot(w, line[L.W_SEAT], line[L.W_BETTOR])
        if not others_win:
            line[L.W_FLAGS] |= L.OPEN_RESULT
        return
    named = w[L.E, row, L.E_SEAT] == line[L.W_SEAT] and w[L.E, row, L.E_BETTOR] == line[L.W_BETTOR]
    own = named and (
        is_triggered(w, L.NOTHING, line[L.W_SEAT]) if system == 0 else is_hot_spot(w, line[L.W_SEAT], line[L.W_BETTOR])
    )
    cancelled = find_action(w, system, ops.CANCEL_JACKPOT, L.NOTHING, L.NOTHING) > row
    if malfunction and cancelled:
        return
    prize, clause, reason = expected_prize(w, r, n, system, row, own)
    line[L.W_PAID] = prize
    if prize > 0 or clause == r.bsx_stake_clause:
        line[L.W_CLAUSE], line[L.W_REASON] = clause, reason
    if not named and prize == 0:
        return
    others = not named and w[L.E, row, L.E_SEAT] != 0  # the line is about another player's prize
    logged = -1 if others else w[L.E, row, L.E_CENTS]
    line[L.W_ALT_PAID] = logged if logged >= 0 else prize
    if logged >= 0 and logged != prize:
        by = clause if clause >= 0 else r.clause[S.PROGRESSIVE__WRONG_PRIZE]
        if r.bsx_pays_symbol and system == 1:
            by = r.clause[S.PROGRESSIVE__WRONG_PRIZE]
        seat, bettor = line[L.W_SEAT], line[L.W_BETTOR]
        slot = S.PROGRESSIVE__WRONG_PRIZE
        found = report.find_by(
            w, r, slot, by, row, seat, L.FIRST, bettor, line[L.W_KIND], abs(logged - prize), L.NOTHING
        )
        line[L.W_CAUSE] = found
    if not cancelled or is_paid_after(w, n, row):
        check_authorised(w, r, n, system, max(prize, logged), L.NOTHING)


@compiled
def is_paid_after(w: Work, n: int, row: int) -> bool:
    """Return whether the log pays the wheel prize of a row."""
    line = w[L.W, n]
    for later in range(row + 1, w[L.G, 0, L.G_HI]):
        if w[L.E, later, L.E_OP] != ops.SETTLE or w[L.E, later, L.E_KIND] != line[L.W_KIND]:
            continue
        same_place = w[L.E, later, L.E_SEAT] == line[L.W_SEAT] and w[L.E, later, L.E_BETTOR] == line[L.W_BETTOR]
        if same_place and w[L.E, later, L.E_CENTS] > 0 and not is_must_hit(w, row, later):
            return True
    return False


@compiled
def add_must_hits(w: Work, r: Rules, n: int, system: int) -> None:
    """Add the must-hit prizes that the terminal names for this wager: they are due beside a wheel prize."""
    line = w[L.W, n]
    row = next_must_hit(w, system, line[L.W_SEAT], line[L.W_BETTOR], L.NOTHING)
    while row >= 0:
        prize = w[L.E, row, L.E_CENTS]
        if prize > 0:
            line[L.W_PAID] += prize
            line[L.W_ALT_PAID] += prize
            line[L.W_CLAUSE], line[L.W_REASON] = r.clause[S.OUTCOME__MUST_HIT], S.OUTCOME__MUST_HIT
            check_authorised(w, r, n, system, prize, row)
        row = next_must_hit(w, system, line[L.W_SEAT], line[L.W_BETTOR], row + 1)


@compiled
def next_must_hit(w: Work, system: int, seat: int, bettor: int, first: int) -> int:
    """Row of a place's next must-hit prize from row ``first`` on, -1."""
    for row in range(first, w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] != ops.PROGRESSIVE or w[L.E, row, L.E_KIND] != ops.MUST_HIT:
            continue
        same_place = w[L.E, row, L.E_SEAT] == seat and w[L.E, row, L.E_BETTOR] == bettor
        if same_place and w[L.E, row, L.E_CARD] == system:
            return row
    return -1


@compiled
def is_hot_spot(w: Work, seat: int, bettor: int) -> bool:
    """Return whether the hot spot is this bettor's; without a logged hot spot a prize is the winner's own."""
    row = find_action(w, L.FIRST, ops.HOT_SPOT, L.NOTHING, L.NOTHING)
    return bool(row < 0 or (w[L.E, row, L.E_SEAT] == seat and w[L.E, row, L.E_BETTOR] == bettor))


@compiled
def expected_prize(w: Work, r: Rules, n: int, system: int, row: int, own: bool) -> tuple[int, int, int]:
    """Return prize in cents, clause and reason for the result that the wheel showed."""
    stake = w[L.W, n, L.W_STAKE]
    symbol, amount = w[L.E, row, L.E_HAND], w[L.E, row, L.E_AUX]
    if system == 1:
        reason = S.OUTCOME__BSX16_HOT_SPOT if own else S.OUTCOME__BSX16_COMMUNITY
        if r.bsx_pays_symbol:
            paid = amount if symbol >= ops.AMOUNT else meter_at(w, row)
            return paid, r.clause[reason], reason
        if stake != r.bsx_prize_stake:
            return 0, r.bsx_stake_clause, reason
    else:
        reason = S.OUTCOME__BONUS_SPIN if own else S.OUTCOME__BONUS_SPIN_COMMUNITY
    for k in range(r.prizes.shape[0]):
        prize = r.prizes[k]
        if prize[1] != symbol or prize[2] != amount or not applies(prize, system, stake, own):
            continue
        if symbol == ops.JACKPOT or symbol == ops.JACKPOT_SECONDARY:
            fixed = system == 0 and r.spin_jackpot_fixed >= 0
            if fixed:
                return r.spin_jackpot_fixed, prize[6], reason
            return meter_at(w, row), prize[6], S.OUTCOME__METER
        paid = max(prize[3], prize[4]) if own else prize[4]
        return paid, prize[6], reason
    return 0, rules.NO_CLAUSE, reason


@compiled
def applies(prize: L.I64, system: int, stake: int, own: bool) -> bool:
    """Return whether a row of the paytable applies: to the system and, for community pay, to the receiver's stake."""
    if system == 1 or own:
        return bool(prize[0] == system)
    small = stake < 200
    return bool((prize[0] == 0 or prize[0] == _COMMUNITY_OTHER_STAKE) and (prize[5] == 100) == small)


@compiled
def meter_at(w: Work, row: int) -> int:
    """The meter that the terminal logged with a prize, or last before it; 0 where it logged none."""
    if row + 1 < w[L.G, 0, L.G_HI] and w[L.E, row + 1, L.E_OP] == ops.METER:
        return int(w[L.E, row + 1, L.E_CENTS])
    secondary = w[L.E, row, L.E_HAND] == ops.JACKPOT_SECONDARY
    meter = 0
    for earlier in range(row):
        if (
            w[L.E, earlier, L.E_OP] == ops.METER
            and (w[L.E, earlier, L.E_FLAGS] & ops.SECONDARY_METER != 0) == secondary
        ):
            meter = w[L.E, earlier, L.E_CENTS]
    return int(meter)


@compiled
def check_authorised(w: Work, r: Rules, n: int, system: int, prize: int, first: int) -> None:
    """Check that a supervisor authorised a large prize before it was confirmed; both steps from row ``first`` on."""
    threshold = r.spin_authorise if system == 0 else r.bsx_authorise
    if threshold <= 0 or prize < threshold:
        return
    line = w[L.W, n]
    authorised = find_step(w, system, ops.AUTHORIZE, line[L.W_SEAT], line[L.W_BETTOR], first)
    paid = find_step(w, system, ops.PAID, line[L.W_SEAT], line[L.W_BETTOR], first)
    if authorised < 0 or (0 <= paid < authorised):
        row = paid if paid >= 0 else w[L.G, 0, L.G_END]
        seat, bettor = line[L.W_SEAT], line[L.W_BETTOR]
        report.at_wager(w, r, S.PROGRESSIVE__UNAUTHORISED, row, seat, L.FIRST, bettor, line[L.W_KIND], prize)


# The dealer terminal's protocol as a state machine.
(
    IDLE,
    STARTED,
    TRIGGERED,
    SPUN,
    CONFIRMED,
    HOT,
    ARMED,
    SHOWN,
    PAYING,
    PAID_OUT,
    ENDED,
    MUST_SHOWN,
    MUST_PAYING,
) = range(13)


@compiled
def check_protocol(w: Work, r: Rules, staked: bool, malfunction: bool) -> None:
    """Walk the terminal's steps; the first that is out of order is reported."""
    state = IDLE
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] != ops.PROGRESSIVE or w[L.E, row, L.E_CARD] != 1:
            continue
        action = w[L.E, row, L.E_KIND]
        after = next_state(state, action)
        late = action == ops.START_ROUND and row > w[L.G, 0, L.G_FIRST_DRAW]
        unexcused = action == ops.CANCEL_JACKPOT and not malfunction
        slot = -1
        if after < 0 or unexcused:
            slot = protocol_slot(state, action)
        elif late:
            slot = S.PROGRESSIVE__PROTOCOL__STARTED_LATE
        elif is_premature(w, row, action):
            slot = S.PROGRESSIVE__PROTOCOL__SPIN if action == ops.SPIN else S.PROGRESSIVE__PROTOCOL__PAID
        if slot >= 0:
            seat = w[L.E, row, L.E_SEAT]
            report.find(w, r, slot, row, seat, L.NOTHING, L.NOTHING, ops.BSX16, action, L.NOTHING)
            return
        state = after
    if w[L.G, 0, L.G_END] < 0 or w[L.G, 0, L.G_VOID_LOGGED]:
        return
    if staked and state == IDLE and find_action(w, L.FIRST, ops.CANCEL_ROUND, L.NOTHING, L.NOTHING) < 0:
        report.find(
            w,
            r,
            S.PROGRESSIVE__PROTOCOL__START,
            w[L.G, 0, L.G_END],
            L.NOTHING,
            L.NOTHING,
            L.NOTHING,
            ops.BSX16,
            L.NOTHING,
            L.NOTHING,
        )
    elif state != ENDED and state != IDLE:
        quiet = find_action(w, L.FIRST, ops.TRIGGER, L.NOTHING, L.NOTHING) < 0
        missed = is_triggered(w, L.FIRST, L.NOTHING) and quiet
        slot = S.PROGRESSIVE__PROTOCOL__END_QUIET if quiet else S.PROGRESSIVE__PROTOCOL__END
        if not missed:
            report.find(
                w, r, slot, w[L.G, 0, L.G_END], L.NOTHING, L.NOTHING, L.NOTHING, ops.BSX16, ops.END_ROUND, L.NOTHING
            )


@compiled
def is_premature(w: Work, row: int, action: int) -> bool:
    """Return whether a step is too early: a spin before other settlements, or a confirmation before the payment."""
    if action != ops.SPIN and action != ops.PAID:
        return False
    for later in range(row + 1, w[L.G, 0, L.G_HI]):
        if w[L.E, later, L.E_OP] == ops.SETTLE and (w[L.E, later, L.E_CENTS] != 0 or w[L.E, later, L.E_AUX] != 0):
            prize = w[L.E, later, L.E_KIND] == ops.BSX16
            if action == ops.SPIN and not prize:
                return True
            if action == ops.PAID and prize and w[L.E, later, L.E_CENTS] != 0 and not is_must_hit(w, row, later):
                return True
    return False


@compiled
def is_must_hit(w: Work, after: int, row: int) -> bool:
    """Return whether a payment is for a must-hit prize that the terminal named after a row."""
    system = w[L.E, row, L.E_KIND] - ops.BONUS_SPIN
    named = next_must_hit(w, system, w[L.E, row, L.E_SEAT], w[L.E, row, L.E_BETTOR], after + 1)
    return 0 <= named < row


@compiled
def next_state(state: int, action: int) -> int:
    """The state after an action, -1 where the action is out of order."""
    if action == ops.START_ROUND:
        return STARTED if state == IDLE else -1
    if action == ops.CANCEL_ROUND:
        return IDLE if STARTED <= state < PAID_OUT else -1
    if action == ops.TRIGGER:
        return TRIGGERED if state == STARTED else -1
    if action == ops.SPIN:
        return SPUN if state == TRIGGERED else -1
    if action == ops.CONFIRM:
        return CONFIRMED if state == SPUN else -1
    if action == ops.HOT_SPOT:
        return HOT if state == CONFIRMED else -1
    if action == ops.ENABLE_SPIN:
        return ARMED if state == HOT else -1
    if action == ops.DISABLE_SPIN:
        return HOT if state == ARMED else -1
    if action == ops.COMMUNITY:
        return SHOWN if state in (CONFIRMED, HOT, SHOWN) else -1
    if action == ops.PRIZE:
        return SHOWN if state in (ARMED, SHOWN) else -1
    if action == ops.CANCEL_JACKPOT:
        return PAID_OUT if state == SHOWN else -1
    return next_paying_state(state, action)


@compiled
def next_paying_state(state: int, action: int) -> int:
    """Payment, end of the round, and a must-hit jackpot after it, which is paid like any other."""
    if action == ops.PAY_JACKPOT:
        if state == SHOWN:
            return PAYING
        return MUST_PAYING if state == MUST_SHOWN else -1
    if action == ops.AUTHORIZE:
        return state if state in (PAYING, MUST_PAYING) else -1
    if action == ops.PAID:
        if state == PAYING:
            return PAID_OUT
        return ENDED if state == MUST_PAYING else -1
    if action == ops.END_ROUND:
        return ENDED if state in (STARTED, PAID_OUT) else -1
    return MUST_SHOWN if state == ENDED else -1


@compiled
def protocol_slot(state: int, action: int) -> int:
    """The clause of the step that was due, or of the step that may not be taken."""
    if action == ops.DISABLE_SPIN:
        return S.PROGRESSIVE__PROTOCOL__DISABLE
    if action == ops.CANCEL_JACKPOT:
        return S.PROGRESSIVE__PROTOCOL__CANCEL_JACKPOT
    if action == ops.MUST_HIT or state >= ENDED:
        return S.PROGRESSIVE__PROTOCOL__MUST_HIT
    if state == IDLE:
        return S.PROGRESSIVE__PROTOCOL__START
    if state in (STARTED, TRIGGERED):
        return S.PROGRESSIVE__PROTOCOL__SPIN
    if state == SPUN:
        return S.PROGRESSIVE__PROTOCOL__CONFIRM
    if state == CONFIRMED:
        return S.PROGRESSIVE__PROTOCOL__HOT_SPOT
    if state in (HOT, ARMED):
        return S.PROGRESSIVE__PROTOCOL__ENABLE
    if state == SHOWN:
        return S.PROGRESSIVE__PROTOCOL__PAY if action == ops.PAID else S.PROGRESSIVE__PROTOCOL__JACKPOT
    return S.PROGRESSIVE__PROTOCOL__PAID if state == PAYING else S.PROGRESSIVE__PROTOCOL__END
