"""Judgement of one round, from its rows to its verdicts, and of many rounds in sequence."""

import numpy as np

from replay import codes, ops
from replay import situations as S
from replay.compiled import compiled, entry
from replay.engine import compare, deal, dealer, hands, order, play, progressive, report, scan, settle, wagers
from replay.engine import layout as L
from replay.engine.layout import Out, Work
from replay.rules import Rules
from replay.tape import I64, Tape

_POWER = codes.NUMBER["round.power-failure"]
# Codes whose line may void the round where their clause allows it, with the slot of that clause.
_VOIDABLE = np.array(
    [
        (codes.NUMBER["shoe.ten-found"], S.SHOE__TEN_FOUND),
        (codes.NUMBER["shoe.tens-multiple"], S.SHOE__TENS_MULTIPLE),
        (codes.NUMBER["shoe.face-up"], S.SHOE__FACE_UP),
        (codes.NUMBER["shoe.face-up-multiple"], S.SHOE__FACE_UP_MULTIPLE),
        (codes.NUMBER["shoe.composition"], S.SHOE__COMPOSITION),
        (codes.NUMBER["shoe.deck-count"], S.SHOE__DECK_COUNT),
        (codes.NUMBER["shoe.unshuffled"], S.SHOE__UNSHUFFLED),
        (codes.NUMBER["shoe.ended-mid-round"], S.SHOE__ENDED_MID_ROUND),
        (codes.NUMBER["deal.count-mismatch"], S.DEAL__COUNT_MISMATCH),
    ],
    dtype=np.int64,
)


@entry
def judge_rounds(t: Tape, offsets: I64, contexts: I64, first: int, last: int, r: Rules, w: Work, o: Out) -> None:
    """Judge the rounds first to last of a tape; ``contexts`` has the table's state at the start of each round."""
    w[L.G, 0, L.G_TRACE] = 1 if o.steps.shape[0] else 0
    for number in range(first, last):
        lo, hi = offsets[number], offsets[number + 1]
        copy_events(t, w, lo, hi)
        w[L.G, 0, L.G_N_FINDINGS] = w[L.G, 0, L.G_N_STEPS] = w[L.G, 0, L.G_N_OVERFLOW] = 0
        judge_round(w, r, hi - lo, contexts[number])
        write_round(w, o, number, number - first, lo, offsets[first])


@compiled
def copy_events(t: Tape, w: Work, lo: int, hi: int) -> None:
    for row in range(lo, hi):
        line = w[L.E, row - lo]
        line[L.E_OP], line[L.E_SEAT], line[L.E_BETTOR] = t.op[row], t.seat[row], t.bettor[row]
        line[L.E_HAND], line[L.E_KIND], line[L.E_CARD] = t.hand[row], t.kind[row], t.card[row]
        line[L.E_FLAGS], line[L.E_CENTS], line[L.E_AUX] = t.flags[row], t.cents[row], t.aux[row]


@compiled
def judge_round(w: Work, r: Rules, rows: int, context: int) -> None:
    """Judge one round."""
    place_cards(w, r, rows, context)
    deal.report_cards(w, r)
    deal.report_misdeals(w, r)
    dealer.check_reader(w, r)
    report_count(w, r)
    report_power(w, r)
    if w[L.G, 0, L.G_CONTEXT] & ops.UNSHUFFLED and deal.prescribes_void(r, S.SHOE__UNSHUFFLED):
        report.require_void(w, S.SHOE__UNSHUFFLED)
    if w[L.G, 0, L.G_CONTEXT] & ops.FOREIGN_CARD and deal.prescribes_void(r, S.SHOE__COMPOSITION):
        report.require_void(w, S.SHOE__COMPOSITION)
    accept_void(w, r)
    if w[L.G, 0, L.G_VOID_LOGGED] and w[L.G, 0, L.G_VOID] < 0 and not compare.is_complete(w, r):
        w[L.G, 0, L.G_INCOMPLETE] = 1
    wagers.check_wagers(w, r)
    settle.settle(w, r)
    progressive.run(w, r)
    compare.apply_returns(w, r)
    order.match_lines(w)
    order.check_order(w, r)
    compare.apply_void(w, r)
    compare.add_actuals(w, r)
    compare.share_lines(w)
    compare.compare(w, r)
    finish_findings(w)


@compiled
def place_cards(w: Work, r: Rules, rows: int, context: int) -> None:
    """Place the cards as prescribed; if that does not fit the cards drawn, try the other possible readings."""
    place_once(w, r, rows, context, deal.PRESCRIBED)
    if fits(w) or w[L.G, 0, L.G_VOID_LOGGED] or not (w[L.G, 0, L.G_REMOVABLE] or has_burn(w)):
        return
    for mode in (deal.TENS_PLAYED, deal.FACE_UP_OTHERWISE, deal.NOT_BURNED):
        place_once(w, r, rows, context, mode)
        if fits(w):
            if mode == deal.NOT_BURNED:
                slot = deal.unburned_slot(w)
                report.at_table(w, r, slot, w[L.G, 0, L.G_FIRST_DRAW], L.NOTHING, L.NOTHING)
            return
    place_once(w, r, rows, context, deal.PRESCRIBED)


@compiled
def place_once(w: Work, r: Rules, rows: int, context: int, mode: int) -> None:
    w[L.G, 0, L.G_N_FINDINGS] = w[L.G, 0, L.G_N_STEPS] = 0
    scan.scan(w, rows, context)
    w[L.G, 0, L.G_MODE] = mode
    deal.mark_removed(w, r)
    deal.prepare_boxes(w, r)
    deal.initial_deal(w, r)
    play.play(w, r)
    dealer.play_dealer(w, r)
    short = w[L.G, 0, L.G_SHORT] > w[L.G, 0, L.G_SHORT_SECOND]  # hands that need the second card are marked separately
    if w[L.G, 0, L.G_END] < 0 or short or w[L.G, 0, L.G_CONTEXT] & ops.NO_SHOE:
        w[L.G, 0, L.G_INCOMPLETE] = 1


@compiled
def fits(w: Work) -> bool:
    """Return whether the cards drawn are exactly those that the decisions needed."""
    if w[L.G, 0, L.G_SHORT] or w[L.G, 0, L.G_STOPPED_SHORT]:
        return False
    for n in range(w[L.G, 0, L.G_DRAWS]):
        if w[L.D, n, L.D_ROLE] == L.LEFT_OVER:
            return False
    return True


@compiled
def has_burn(w: Work) -> bool:
    for n in range(w[L.G, 0, L.G_DRAWS]):
        if w[L.D, n, L.D_ROLE] == L.BURNED:
            return True
    return False


@compiled
def report_count(w: Work, r: Rules) -> None:
    """Report cards that were needed and never drawn."""
    if (
        not w[L.G, 0, L.G_SHORT]
        or w[L.G, 0, L.G_END] < 0
        or w[L.G, 0, L.G_CONTEXT] & ops.NO_SHOE
        or w[L.G, 0, L.G_VOID_LOGGED]
    ):
        return
    slot = S.DEAL__COUNT_MISMATCH__INITIAL if w[L.G, 0, L.G_SHORT_INITIAL] else S.DEAL__COUNT_MISMATCH
    found = report.at_table(w, r, slot, w[L.G, 0, L.G_END], -w[L.G, 0, L.G_SHORT], L.NOTHING)
    if found >= 0 and w[L.F, found, L.F_HANDLING] == L.BY_DEED:
        w[L.F, found, L.F_HANDLING] = ops.NOT_PRESCRIBED  # the cards still do not fit


@compiled
def report_power(w: Work, r: Rules) -> None:
    """Report a power failure: before any wager was decided players may withdraw, afterwards the round goes on."""
    if w[L.G, 0, L.G_POWER] < 0:
        return
    line = w[L.I, w[L.G, 0, L.G_POWER]]
    decided = line[L.I_EARLY] == 0 and any_decided(w, line[L.I_ROW])
    slot = S.ROUND__POWER_FAILURE__OUTCOME if decided else S.ROUND__POWER_FAILURE__NO_OUTCOME
    report.at_table(w, r, slot, line[L.I_ROW], L.NOTHING, L.NOTHING)
    if line[L.I_RULINGS] & ops.WITHDRAW_WAGER:
        w[L.G, 0, L.G_INCOMPLETE] = 0 if compare.is_complete(w, r) else 1


@compiled
def any_decided(w: Work, until: int) -> bool:
    """Return whether a wager had been won or lost before a row."""
    for row in range(until):
        if w[L.E, row, L.E_OP] == ops.SETTLE and (w[L.E, row, L.E_CENTS] != 0 or w[L.E, row, L.E_AUX] != 0):
            return True
    for h in range(1, w[L.G, 0, L.G_HANDS]):
        if hands.total(w, h) > 21 and w[L.H, h, L.H_LAST_ROW] < until:
            return True
    return False


@compiled
def accept_void(w: Work, r: Rules) -> None:
    """Void the round if it was called void for a cause whose clause prescribes or permits that."""
    if not w[L.G, 0, L.G_VOID_LOGGED] or w[L.G, 0, L.G_VOID] >= 0:
        return
    for n in range(w[L.G, 0, L.G_IRREGULAR]):
        if not w[L.I, n, L.I_RULINGS] & ops.VOID:
            continue
        for k in range(_VOIDABLE.shape[0]):
            slot = _VOIDABLE[k, 1]
            named = w[L.I, n, L.I_CODE] == _VOIDABLE[k, 0] and r.clause[slot] >= 0
            if named and deal.permits_void(r, slot) and bears_out(w, slot):
                report.require_void(w, slot)


@compiled
def bears_out(w: Work, slot: int) -> bool:
    """Return whether the cards confirm the cause of a void; causes that cards cannot show are taken from the log."""
    if w[L.G, 0, L.G_CONTEXT] & ops.NO_SHOE:
        return True
    before = w[L.G, 0, L.G_CONTEXT] >> 8
    tens, ups = w[L.G, 0, L.G_TENS], w[L.G, 0, L.G_FACE_UP]
    if slot == S.SHOE__TEN_FOUND or slot == S.SHOE__TENS_MULTIPLE:
        return bool(tens > 1 or (tens and (slot == S.SHOE__TEN_FOUND or before & 255)))
    if slot == S.SHOE__FACE_UP or slot == S.SHOE__FACE_UP_MULTIPLE:
        return bool(ups > 1 or (ups and (slot == S.SHOE__FACE_UP or before >> 8 & 255)))
    return True


@compiled
def finish_findings(w: Work) -> None:
    """Infer the handling from the payment for findings without a logged ruling."""
    for n in range(w[L.G, 0, L.G_N_FINDINGS]):
        line = w[L.F, n]
        if line[L.F_HANDLING] == L.BY_DEED:
            otherwise = line[L.F_SLOT] == S.SHOE__FACE_UP and w[L.G, 0, L.G_MODE] & deal.FACE_UP_OTHERWISE
            right = line[L.F_COST] == 0 and not otherwise
            line[L.F_HANDLING] = ops.AS_PRESCRIBED if right else ops.NOT_PRESCRIBED


@compiled
def write_round(w: Work, o: Out, number: int, place: int, lo: int, base: int) -> None:
    """Write the round's rows into the output; if the output is full, note that and write nothing."""
    g = w[L.G, 0]
    full = o.n[L.N_FINDINGS] + g[L.G_N_FINDINGS] > o.findings.shape[0]
    full = full or o.n[L.N_SETTLEMENTS] + g[L.G_WAGERS] > o.settlements.shape[0]
    full = full or o.n[L.N_HANDS] + g[L.G_HANDS] > o.hands.shape[0]
    full = full or o.n[L.N_STEPS] + g[L.G_N_STEPS] > o.steps.shape[0]
    if full or g[L.G_N_OVERFLOW]:
        o.n[L.N_OVERFLOW] = 1
        return
    write_findings(w, o, number, lo)
    write_settlements(w, o, number)
    write_hands(w, o, number)
    unplaced = write_zones(w, o, lo - base)
    line = o.rounds[place]
    line[L.R_VOID], line[L.R_VOID_LOGGED] = 1 if g[L.G_VOID] >= 0 else 0, g[L.G_VOID_LOGGED]
    line[L.R_DEALER_TOTAL], line[L.R_DEALER_CARDS] = hands.total(w, 0), w[L.H, 0, L.H_CARDS]
    line[L.R_INCOMPLETE], line[L.R_UNPLACED] = g[L.G_INCOMPLETE], unplaced
    for n in range(g[L.G_N_STEPS]):
        for column in range(L.T_COLUMNS):
            o.steps[o.n[L.N_STEPS], column] = w[L.T, n, column]
        o.steps[o.n[L.N_STEPS], L.T_ROW] += lo
        o.n[L.N_STEPS] += 1


@compiled
def write_findings(w: Work, o: Out, number: int, lo: int) -> None:
    for n in range(w[L.G, 0, L.G_N_FINDINGS]):
        k = o.n[L.N_FINDINGS]
        o.n[L.N_FINDINGS] = k + 1
        for column in range(L.F_COLUMNS):
            o.findings[k, column] = w[L.F, n, column]
        o.findings[k, L.F_ROUND] = number
        o.findings[k, L.F_ROW] += lo


@compiled
def write_settlements(w: Work, o: Out, number: int) -> None:
    for n in range(w[L.G, 0, L.G_WAGERS]):
        k = o.n[L.N_SETTLEMENTS]
        o.n[L.N_SETTLEMENTS] = k + 1
        o.settlements[k, L.S_ROUND] = number
        for column in range(L.W_ODDS + 1):
            o.settlements[k, L.S_SEAT + column] = w[L.W, n, column]


@compiled
def write_hands(w: Work, o: Out, number: int) -> None:
    for h in range(1, w[L.G, 0, L.G_HANDS]):
        k = o.n[L.N_HANDS]
        o.n[L.N_HANDS] = k + 1
        line = o.hands[k]
        line[L.O_ROUND], line[L.O_SEAT], line[L.O_HAND] = number, w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER]
        line[L.O_TOTAL], line[L.O_SOFT] = hands.total(w, h), 1 if hands.is_soft(w, h) else 0
        line[L.O_CARDS], line[L.O_FLAGS] = w[L.H, h, L.H_CARDS], w[L.H, h, L.H_FLAGS]
        line[L.O_OUTCOME] = hand_outcome(w, h)


@compiled
def write_zones(w: Work, o: Out, base: int) -> int:
    """Write the zone of every card; returns the number of cards without a place."""
    unplaced = 0
    for n in range(w[L.G, 0, L.G_DRAWS]):
        draw = w[L.D, n]
        zone = o.zones[base + draw[L.D_ROW]]
        zone[0], zone[3] = draw[L.D_ROLE], min(draw[L.D_PLACE], 255)
        o.asked[base + draw[L.D_ROW]] = draw[L.D_ASKED]
        if draw[L.D_HAND] >= 0:
            zone[1], zone[2] = w[L.H, draw[L.D_HAND], L.H_SEAT], w[L.H, draw[L.D_HAND], L.H_NUMBER]
        if draw[L.D_ROLE] == L.LEFT_OVER or draw[L.D_ROLE] == L.UNPLACED:
            unplaced += 1
    return unplaced


@compiled
def hand_outcome(w: Work, h: int) -> int:
    """Return the slot that decided the hand's first wager, -1 if it has none."""
    n = -1
    for k in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, k]
        if line[L.W_AT] == h and line[L.W_KIND] <= ops.SPLIT and n < 0:
            n = k
    return int(w[L.W, n, L.W_REASON]) if n >= 0 else -1
