"""Expected against actual: verdicts, variances, and which finding each variance belongs to."""

from replay import codes, ops, rules
from replay import situations as S
from replay.compiled import compiled
from replay.engine import dealer, hands, order, report, scan
from replay.engine import layout as L
from replay.engine.layout import Work
from replay.rules import Rules

_MISUSED, _POWER = codes.NUMBER["reader.misused"], codes.NUMBER["round.power-failure"]


@compiled
def apply_returns(w: Work, r: Rules) -> None:
    """Give back wagers that are not honoured, validly withdrawn, or again below the minimum: nothing is due."""
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        flags = line[L.W_FLAGS]
        if flags & L.RETURNED:
            clause = w[L.F, line[L.W_CAUSE], L.F_CLAUSE] if line[L.W_CAUSE] >= 0 else rules.NO_CLAUSE
            send_back(w, n, clause, S.OUTCOME__WITHDRAWN)
        elif flags & L.WITHDRAWN and w[L.G, 0, L.G_WITHDRAWALS]:
            if line[L.W_AT] < 0 or not hands.has(w, line[L.W_AT], L.DEAD):
                slot = S.OUTCOME__WITHDRAWN if w[L.G, 0, L.G_POWER] < 0 else S.ROUND__POWER_FAILURE__NO_OUTCOME
                send_back(w, n, r.clause[slot], S.OUTCOME__WITHDRAWN)
        elif flags & L.WITHDRAWN:
            optional = ops.SPLIT <= line[L.W_KIND] <= ops.INSURANCE
            slot = S.OUTCOME__WITHDRAWN_PLAYS_ON__OPTIONAL if optional else S.OUTCOME__WITHDRAWN_PLAYS_ON
            if r.clause[slot] >= 0:
                line[L.W_REASON] = slot
                if line[L.W_TAKEN]:
                    line[L.W_CLAUSE] = r.clause[slot]
        elif line[L.W_KIND] <= ops.DOUBLE and is_below_again(w, r, n):
            send_back(w, n, r.clause[S.OUTCOME__BELOW_MINIMUM_AGAIN], S.OUTCOME__BELOW_MINIMUM_AGAIN)


@compiled
def is_below_again(w: Work, r: Rules, n: int) -> bool:
    """Return whether a wager goes with a main wager below the minimum, by a player who had made one before."""
    main = scan.main_of(w, w[L.W, n, L.W_SEAT], w[L.W, n, L.W_BETTOR])
    if main < 0 or not r.under_once or not w[L.W, main, L.W_FLAGS] & L.BELOW_BEFORE:
        return False
    return bool(w[L.W, main, L.W_STAKE] < r.min_cents)


@compiled
def send_back(w: Work, n: int, clause: int, reason: int) -> None:
    line = w[L.W, n]
    if not line[L.W_ALT_PAID] and not line[L.W_ALT_TAKEN]:
        line[L.W_ALT_PAID], line[L.W_ALT_TAKEN] = line[L.W_PAID], line[L.W_TAKEN]
    line[L.W_PAID] = line[L.W_TAKEN] = 0
    line[L.W_CLAUSE], line[L.W_REASON] = clause, reason
    line[L.W_FLAGS] &= ~L.OPEN_RESULT


@compiled
def apply_void(w: Work, r: Rules) -> None:
    """Give back all wagers of a void round; report a round called void without cause, which stands."""
    cause = w[L.G, 0, L.G_VOID]
    if cause >= 0:
        found = -1
        if not w[L.G, 0, L.G_VOID_LOGGED] and w[L.G, 0, L.G_END] >= 0:
            found = report.find_by(
                w,
                r,
                S.ROUND__VOID_REQUIRED,
                void_clause(r, cause),
                w[L.G, 0, L.G_END],
                L.NOTHING,
                L.NOTHING,
                L.NOTHING,
                255,
                L.NOTHING,
                L.NOTHING,
            )
            told = report.ruled(w, report.CODE_OF_SLOT[cause], L.NOTHING) >= 0
            w[L.F, found, L.F_HANDLING] = ops.NOT_PRESCRIBED if told else ops.UNREPORTED
        for n in range(w[L.G, 0, L.G_WAGERS]):
            line = w[L.W, n]
            line[L.W_ALT_PAID], line[L.W_ALT_TAKEN] = line[L.W_PAID], line[L.W_TAKEN]
            line[L.W_PAID] = line[L.W_TAKEN] = 0
            line[L.W_CLAUSE], line[L.W_REASON], line[L.W_CAUSE] = void_clause(r, cause), S.OUTCOME__VOID, found
            line[L.W_FLAGS] &= ~L.OPEN_RESULT
    elif w[L.G, 0, L.G_VOID_LOGGED]:
        found = report.at_table(w, r, unjustified_slot(w), void_row(w), L.NOTHING, L.NOTHING)
        for n in range(w[L.G, 0, L.G_WAGERS]):
            line = w[L.W, n]
            line[L.W_ALT_PAID] = line[L.W_ALT_TAKEN] = 0
            line[L.W_CAUSE] = found


@compiled
def unjustified_slot(w: Work) -> int:
    """Return the slot of an unjustified void, by its logged reason: the reader, a power failure, or another."""
    for n in range(w[L.G, 0, L.G_IRREGULAR]):
        if w[L.I, n, L.I_RULINGS] & ops.VOID:
            if w[L.I, n, L.I_CODE] == _MISUSED:
                return S.ROUND__VOID_UNJUSTIFIED__READER
            if w[L.I, n, L.I_CODE] == _POWER:
                return S.ROUND__VOID_UNJUSTIFIED__POWER
    return S.ROUND__VOID_UNJUSTIFIED


@compiled
def void_clause(r: Rules, cause: int) -> int:
    """Return the clause under which wagers go back: for foreign cards that on void rounds, else the voiding clause."""
    if r.clause[S.OUTCOME__VOID] >= 0 and S.SHOE__TEN_FOUND <= cause <= S.SHOE__DECKS_WITHDRAWN_REUSED:
        return int(r.clause[S.OUTCOME__VOID])
    return int(r.clause[cause])


@compiled
def void_row(w: Work) -> int:
    for n in range(w[L.G, 0, L.G_IRREGULAR]):
        if w[L.I, n, L.I_RULINGS] & ops.VOID:
            return int(w[L.I, n, L.I_ROW])
    return int(w[L.G, 0, L.G_END])


@compiled
def is_complete(w: Work, r: Rules) -> bool:
    """Return whether all hands of an unfinished round are decided."""
    for h in range(1, w[L.G, 0, L.G_HANDS]):
        if w[L.H, h, L.H_CARDS] < 2 or not (hands.has(w, h, L.FINISHED) or w[L.G, 0, L.G_STOPPED]):
            return False
    if w[L.H, 0, L.H_CARDS] < 2:
        return not dealer.matters(w, r)
    return not (dealer.must_draw(w, r) and dealer.matters(w, r))


@compiled
def add_actuals(w: Work, r: Rules) -> None:
    """Add the logged payments to the wagers, in cents; a payment without a wager gets a separate row."""
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] != ops.SETTLE:
            continue
        n = w[L.E, row, L.E_WAGER]
        if n < 0:
            n = order.find_settled(w, row)  # another payment without a wager at the same place
        if n < 0:
            if w[L.E, row, L.E_CENTS] == 0 and w[L.E, row, L.E_AUX] == 0:
                continue
            n = unmatched(w, r, row)
        line = w[L.W, n]
        line[L.W_ACTUAL_PAID] += w[L.E, row, L.E_CENTS]
        line[L.W_ACTUAL_TAKEN] += w[L.E, row, L.E_AUX]
        line[L.W_LINES] += 1
        line[L.W_SETTLE_ROW] = row


@compiled
def share_lines(w: Work) -> None:
    """Divide shared settle lines among a bettor's insurances in one box: each first receives its expected amount."""
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        first = line[L.W_PARENT]
        if first < 0 or line[L.W_KIND] != ops.INSURANCE:
            continue
        paid = min(line[L.W_PAID], max(w[L.W, first, L.W_ACTUAL_PAID] - w[L.W, first, L.W_PAID], 0))
        taken = min(line[L.W_TAKEN], max(w[L.W, first, L.W_ACTUAL_TAKEN] - w[L.W, first, L.W_TAKEN], 0))
        line[L.W_ACTUAL_PAID], line[L.W_ACTUAL_TAKEN] = paid, taken
        w[L.W, first, L.W_ACTUAL_PAID] -= paid
        w[L.W, first, L.W_ACTUAL_TAKEN] -= taken


@compiled
def unmatched(w: Work, r: Rules, row: int) -> int:
    n = w[L.G, 0, L.G_WAGERS]
    w[L.G, 0, L.G_WAGERS] = n + 1
    line = w[L.W, n]
    scan.clear(w, n)
    line[L.W_SEAT], line[L.W_BETTOR], line[L.W_KIND], line[L.W_HAND] = (
        w[L.E, row, L.E_SEAT],
        w[L.E, row, L.E_BETTOR],
        w[L.E, row, L.E_KIND],
        w[L.E, row, L.E_HAND],
    )
    line[L.W_ROW], line[L.W_FLAGS] = row, L.NO_STAKE
    line[L.W_AT] = line[L.W_CAUSE] = line[L.W_PARENT] = line[L.W_ODDS] = -1
    line[L.W_CLAUSE] = rules.NO_CLAUSE
    line[L.W_REASON] = S.OUTCOME__WITHDRAWN
    h = w[L.B, line[L.W_SEAT], L.B_FIRST]
    if line[L.W_KIND] == ops.SUPER_BONUS and h >= 0:
        line[L.W_REASON] = S.OUTCOME__SUPER_BONUS
        line[L.W_CLAUSE] = r.clause[S.OUTCOME__SUPER_BONUS]
        if hands.has(w, h, L.DOUBLED):
            line[L.W_CLAUSE] = r.super_double_clause
        elif hands.has(w, h, L.FROM_SPLIT):
            line[L.W_CLAUSE] = r.super_split_clause
    elif line[L.W_KIND] == ops.SUPER_SHARE:
        line[L.W_REASON], line[L.W_CLAUSE] = S.OUTCOME__SUPER_SHARE, r.clause[S.OUTCOME__SUPER_SHARE]
    return int(n)


@compiled
def compare(w: Work, r: Rules) -> None:
    """Write the verdict and variance of every wager, and the finding of every variance."""
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        verdict = ops.CORRECT
        variance = 0
        if line[L.W_FLAGS] & L.OPEN_RESULT:
            verdict = ops.UNDETERMINED
            line[L.W_PAID] = line[L.W_TAKEN] = 0
            if line[L.W_KIND] < ops.BONUS_SPIN:
                line[L.W_CLAUSE] = rules.NO_CLAUSE
        elif line[L.W_PARENT] < 0:
            variance = variance_of(w, n)
            if variance != 0:
                verdict = judge_variance(w, r, n, variance)
        line[L.W_VARIANCE], line[L.W_VERDICT] = variance, verdict


@compiled
def variance_of(w: Work, n: int) -> int:
    """Return the variance of a wager in cents, actual less expected, including later stakes at the same place."""
    line = w[L.W, n]
    due = line[L.W_PAID] - line[L.W_TAKEN]
    actual = line[L.W_ACTUAL_PAID] - line[L.W_ACTUAL_TAKEN]
    for k in range(n + 1, w[L.G, 0, L.G_WAGERS]):
        if w[L.W, k, L.W_PARENT] == n:
            due += w[L.W, k, L.W_PAID] - w[L.W, k, L.W_TAKEN]
            actual += w[L.W, k, L.W_ACTUAL_PAID] - w[L.W, k, L.W_ACTUAL_TAKEN]
    return int(actual - due)


@compiled
def judge_variance(w: Work, r: Rules, n: int, variance: int) -> int:
    """Attribute a variance to the finding that explains it, or to a new finding; returns the wager's verdict."""
    line = w[L.W, n]
    cause = explanation(w, n)
    if cause >= 0:
        w[L.F, cause, L.F_COST] += variance
        return ops.OVERPAID if variance > 0 else ops.UNDERPAID
    verdict = ops.OVERPAID if variance > 0 else ops.UNDERPAID
    slot = S.SETTLEMENT__OVERPAID if variance > 0 else S.SETTLEMENT__UNDERPAID
    if line[L.W_LINES] == 0:
        verdict, slot = ops.MISSING, S.SETTLEMENT__MISSING
    elif line[L.W_FLAGS] & L.NO_STAKE and line[L.W_PAID] == 0 and line[L.W_TAKEN] == 0:
        verdict, slot = ops.UNEXPECTED, S.SETTLEMENT__UNEXPECTED
    row = line[L.W_SETTLE_ROW] if line[L.W_LINES] else w[L.G, 0, L.G_END]
    seat, hand, bettor, kind = line[L.W_SEAT], line[L.W_HAND], line[L.W_BETTOR], line[L.W_KIND]
    found = report.find_by(w, r, slot, line[L.W_CLAUSE], row, seat, hand, bettor, kind, abs(variance), L.NOTHING)
    if found >= 0:
        w[L.F, found, L.F_COST] = variance
    return verdict


@compiled
def alternative_of_all(w: Work, n: int) -> int:
    """Return the net cents of a bettor's insurances in one box, settled together, by the floor's reading."""
    alternative = w[L.W, n, L.W_ALT_PAID] - w[L.W, n, L.W_ALT_TAKEN]
    for k in range(n + 1, w[L.G, 0, L.G_WAGERS]):
        if w[L.W, k, L.W_PARENT] == n:
            alternative += w[L.W, k, L.W_ALT_PAID] - w[L.W, k, L.W_ALT_TAKEN]
    return int(alternative)


@compiled
def explanation(w: Work, n: int) -> int:
    """Return the finding that explains the amounts on the floor, -1 if there is none."""
    line = w[L.W, n]
    actual = line[L.W_ACTUAL_PAID] - line[L.W_ACTUAL_TAKEN]
    if line[L.W_CAUSE] >= 0 and actual == line[L.W_ALT_PAID] - line[L.W_ALT_TAKEN]:
        return int(line[L.W_CAUSE])
    if line[L.W_CAUSE] >= 0 and line[L.W_KIND] == ops.INSURANCE and actual == alternative_of_all(w, n):
        return int(line[L.W_CAUSE])
    for k in range(n + 1, w[L.G, 0, L.G_WAGERS]):
        late = w[L.W, k]
        if late[L.W_PARENT] == n and late[L.W_CAUSE] >= 0:
            with_late = line[L.W_PAID] - line[L.W_TAKEN] + late[L.W_ALT_PAID] - late[L.W_ALT_TAKEN]
            if actual == with_late:
                return int(late[L.W_CAUSE])
    return -1
