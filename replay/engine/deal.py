"""Placement of cards: draws in play, the initial deal, and misdeals by their rulings."""

from replay import cards, codes, ops, rules
from replay import situations as S
from replay.compiled import compiled, inlined
from replay.engine import hands, report, scan
from replay.engine import layout as L
from replay.engine.layout import Work
from replay.rules import Rules

# Other ways to read the cards, tried when the prescribed one does not fit what was drawn.
PRESCRIBED, TENS_PLAYED, FACE_UP_OTHERWISE, NOT_BURNED = 0, 1, 2, 4

_MISSED = codes.NUMBER["deal.dealer-missed-card"]
_NO_CARDS = codes.NUMBER["deal.player-no-cards"]
_ONE_CARD = codes.NUMBER["deal.player-one-card"]
_NOT_DEALT = codes.NUMBER["deal.hit-not-dealt"]
_IN_ERROR = codes.NUMBER["deal.drawn-in-error"]
_TOGETHER = codes.NUMBER["deal.drawn-together"]
_UNWAGERED = codes.NUMBER["deal.unwagered-box"]
_ABSENT = codes.NUMBER["play.absent-player"]
_WRONG_BOX = codes.NUMBER["deal.wrong-box"]
_EXPOSED = codes.NUMBER["deal.hole-card-exposed"]
_TEN_FOUND = codes.NUMBER["shoe.ten-found"]
_FACE_UP = codes.NUMBER["shoe.face-up"]
_BURN = codes.NUMBER["shoe.burn-missed"]
_DEAD_OR_BACK = ops.DEAD_HAND | ops.WITHDRAW_WAGER


@inlined
def pull(w: Work) -> int:
    """Return the next draw in play, -1 if none is left; earlier draws that a story gives to a box are placed."""
    n = peek(w)
    while n >= 0 and w[L.D, n, L.D_EXTRA] > 1 and w[L.B, w[L.D, n, L.D_EXTRA] - 1, L.B_FIRST] > 0:
        lay(w, w[L.B, w[L.D, n, L.D_EXTRA] - 1, L.B_FIRST], n)
        n = peek(w)
    return n


@inlined
def peek(w: Work) -> int:
    """Return the next draw without a place, -1 if none is left."""
    n = w[L.G, 0, L.G_NEXT]
    while n < w[L.G, 0, L.G_DRAWS] and w[L.D, n, L.D_ROLE] != L.UNPLACED:
        n += 1
    w[L.G, 0, L.G_NEXT] = n
    return int(n) if n < w[L.G, 0, L.G_DRAWS] else -1


@inlined
def give(w: Work, h: int) -> int:
    """Give the next card to a hand, with extra cards by a story; returns the draw, or -1 and counts a card short."""
    n = pull(w)
    if n < 0:
        w[L.G, 0, L.G_SHORT] += 1
        return -1
    lay(w, h, n)
    more = peek(w)
    while more >= 0 and w[L.D, more, L.D_EXTRA] == 1:
        lay(w, h, more)
        more = peek(w)
    return n


@inlined
def lay(w: Work, h: int, n: int) -> None:
    """Lay a draw on a hand."""
    draw = w[L.D, n]
    draw[L.D_ASKED] = w[L.G, 0, L.G_ASKED]
    draw[L.D_ROLE] = L.TO_DEALER if h == 0 else L.TO_BOX
    draw[L.D_HAND] = h
    draw[L.D_PLACE] = w[L.H, h, L.H_CARDS] + 1
    if w[L.H, h, L.H_CARDS] == 1:
        w[L.H, h, L.H_SECOND_DRAW] = n
    hands.add_card(w, h, draw[L.D_CARD])
    w[L.H, h, L.H_LAST_ROW] = draw[L.D_ROW]
    w[L.G, 0, L.G_NEXT] = n + 1
    if w[L.G, 0, L.G_TRACE]:
        report.step_card(w, h, draw[L.D_ROW], draw[L.D_CARD])


@compiled
def mark_removed(w: Work, r: Rules) -> None:
    """Set aside cards that are not played: tens, cards found face up, burns within the round, cards ruled out."""
    rule_cards_out(w)
    loaded = scan.occurs(w, ops.SHOE_LOADED)
    tens = ups = 0
    burn_next = False
    for n in range(w[L.G, 0, L.G_DRAWS]):
        draw = w[L.D, n]
        if loaded and (n == 0 or refilled(w, w[L.D, n - 1, L.D_ROW], draw[L.D_ROW])):
            start = 0 if n == 0 else w[L.D, n - 1, L.D_ROW]
            burn_next = burns_after(w, r, start, draw[L.D_ROW])
        if draw[L.D_ROLE] != L.UNPLACED:
            set_aside(w, n, L.REMOVED)
            ups += 1 if draw[L.D_UP] else 0
        elif burn_next and not w[L.G, 0, L.G_MODE] & NOT_BURNED:
            set_aside(w, n, L.BURNED)
        elif cards.RANK[draw[L.D_CARD]] == cards.TEN:
            tens += 1
            w[L.G, 0, L.G_REMOVABLE] = 1
            if not plays_ten(w, r, tens):
                set_aside(w, n, L.REMOVED)
        elif draw[L.D_UP]:
            ups += 1
            w[L.G, 0, L.G_REMOVABLE] = 1
            if not plays_face_up(w, r, ups):
                set_aside(w, n, L.REMOVED)
        burn_next = False
    w[L.G, 0, L.G_TENS], w[L.G, 0, L.G_FACE_UP] = tens, ups


@compiled
def refilled(w: Work, after: int, before: int) -> bool:
    """Return whether a shoe was loaded between two draws of the round."""
    for row in range(after + 1, before):
        if w[L.E, row, L.E_OP] == ops.SHOE_LOADED:
            return True
    return False


@compiled
def burns_after(w: Work, r: Rules, after: int, before: int) -> bool:
    """Return whether the first card of a shoe loaded between two rows must be burned."""
    burns = False
    for row in range(after, before):
        if w[L.E, row, L.E_OP] == ops.SHOE_LOADED:
            from_discards = w[L.E, row, L.E_HAND] == ops.FROM_DISCARDS
            burns = (r.burn_after_refill if from_discards else r.burn_first) != 0
    return burns


@compiled
def unburned_slot(w: Work) -> int:
    """Return the slot of a burn missed within the round: of a new shoe, or of a shoe filled from the discards."""
    for row in range(w[L.G, 0, L.G_HI]):
        if w[L.E, row, L.E_OP] == ops.SHOE_LOADED and w[L.E, row, L.E_HAND] == ops.FROM_DECKS:
            return S.SHOE__BURN_MISSED__NEW_SHOE
    return S.SHOE__BURN_MISSED__REFILL


@compiled
def set_aside(w: Work, n: int, role: int) -> None:
    draw = w[L.D, n]
    draw[L.D_ROLE] = role
    what = L.STEP_BURNED if role == L.BURNED else L.STEP_REMOVED
    report.step(w, draw[L.D_ROW], what, L.NOTHING, L.NOTHING, draw[L.D_CARD], L.NOTHING, L.NOTHING, -1)


@compiled
def plays_ten(w: Work, r: Rules, tens: int) -> bool:
    """Return whether a ten stays in play under the reading of the cards being tried."""
    if r.one_ten == rules.OPERATOR:
        logged = report.ruled(w, _TEN_FOUND, L.NOTHING)
        if logged >= 0 and not logged & ops.REMOVE_CARD and logged & (ops.CONTINUE | ops.USE_NEXT):
            return True
    return bool(w[L.G, 0, L.G_MODE] & TENS_PLAYED)


@compiled
def plays_face_up(w: Work, r: Rules, ups: int) -> bool:
    play = r.one_face_up == rules.PLAY
    return not play if w[L.G, 0, L.G_MODE] & FACE_UP_OTHERWISE else play


@compiled
def rule_cards_out(w: Work) -> None:
    """Remove cards that a ruling sent to the discard rack, by their ordinal in the shoe."""
    for n in range(w[L.G, 0, L.G_IRREGULAR]):
        line = w[L.I, n]
        code = line[L.I_CODE]
        if code == _BURN and line[L.I_RULINGS] & ops.RECONSTRUCT and line[L.I_EARLY] and w[L.G, 0, L.G_DRAWS]:
            w[L.D, 0, L.D_ROLE] = L.REMOVED  # burned after all
        if line[L.I_INFERRED] and code == _IN_ERROR and not line[L.I_RULINGS] & ops.REMOVE_CARD:
            if line[L.I_EARLY]:  # a later line follows the decision that got the card
                mark_extra(w, n)
        if not line[L.I_RULINGS] & ops.REMOVE_CARD:
            continue
        if code != _IN_ERROR and code != _TOGETHER and code != _UNWAGERED and code != _FACE_UP:
            continue
        for k in range(line[L.I_CARDS]):
            ordinal = w[L.E, line[L.I_ROW] + 1 + k, L.E_AUX]
            for d in range(w[L.G, 0, L.G_DRAWS]):
                if w[L.D, d, L.D_N] == ordinal and w[L.D, d, L.D_ROLE] == L.UNPLACED:
                    w[L.D, d, L.D_ROLE] = L.REMOVED
                    break


@compiled
def mark_extra(w: Work, n: int) -> None:
    """Mark the cards of a story's line as extra: for the hand with the card before them, or for the named box."""
    for k in range(w[L.I, n, L.I_CARDS]):
        ordinal = w[L.E, w[L.I, n, L.I_ROW] + 1 + k, L.E_AUX]
        for d in range(w[L.G, 0, L.G_DRAWS]):
            if w[L.D, d, L.D_N] == ordinal:
                w[L.D, d, L.D_EXTRA] = 1 + w[L.I, n, L.I_SEAT]
                break


@compiled
def prepare_boxes(w: Work, r: Rules) -> None:
    """Find the boxes that are dealt in, and note the rulings on misdeals for each."""
    for n in range(w[L.G, 0, L.G_WAGERS]):
        line = w[L.W, n]
        refused = line[L.W_FLAGS] & L.LATE and scan.is_refused(w, n)
        if line[L.W_KIND] == ops.MAIN and line[L.W_ROW] < w[L.G, 0, L.G_FIRST_DRAW] and not refused:
            w[L.B, line[L.W_SEAT], L.B_BETTORS] |= 1 << line[L.W_BETTOR]
    for n in range(w[L.G, 0, L.G_IRREGULAR]):
        line = w[L.I, n]
        seat, code, rulings = line[L.I_SEAT], line[L.I_CODE], line[L.I_RULINGS]
        slot = misdeal_slot(w, n)
        if slot >= 0 and r.permits[slot] & ops.WITHDRAW_WAGER:
            w[L.G, 0, L.G_WITHDRAWALS] = 1
        if seat == 0:
            continue
        if code == _NO_CARDS and rulings & _DEAD_OR_BACK:
            w[L.B, seat, L.B_SKIP] = 1
        elif code == _NO_CARDS and line[L.I_INFERRED]:
            w[L.B, seat, L.B_SKIP] = 2
        elif code == _WRONG_BOX and line[L.I_INFERRED]:
            exchange(w, n)
        elif code == _ONE_CARD and not rulings & ops.RECONSTRUCT:
            hits = line[L.I_INFERRED] and rulings & ops.USE_NEXT
            w[L.B, seat, L.B_ONE_CARD] = 2 if rulings & _DEAD_OR_BACK else 3 if hits else 1
            w[L.B, seat, L.B_MISSED] = 1 if w[L.E, line[L.I_ROW], L.E_CARD] == 1 else 2
        elif code == _NOT_DEALT and not rulings & ops.RECONSTRUCT and not line[L.I_INFERRED]:
            w[L.B, seat, L.B_DEFER] = 2 if rulings & _DEAD_OR_BACK else 1


@compiled
def exchange(w: Work, n: int) -> None:
    """Exchange the cards of two boxes by a story, in the passes of the deal that its line names."""
    seat, passes = w[L.I, n, L.I_SEAT], w[L.E, w[L.I, n, L.I_ROW], L.E_BETTOR]
    for other in range(1, w[L.G, 0, L.G_TOP_SEAT] + 1):
        if w[L.I, n, L.I_REFUSED] >> other & 1 and w[L.B, other, L.B_BETTORS]:
            w[L.B, seat, L.B_SWAP], w[L.B, other, L.B_SWAP] = other, seat
            w[L.B, seat, L.B_SWAPS] = w[L.B, other, L.B_SWAPS] = passes


@compiled
def initial_deal(w: Work, r: Rules) -> None:
    """Deal two cards to every wagered box and the dealer's cards, in the order of the rulebook or of a ruling."""
    hands.new_hand(w, L.NOTHING, L.NOTHING)
    for seat in range(1, w[L.G, 0, L.G_TOP_SEAT] + 1):
        if w[L.B, seat, L.B_BETTORS]:
            h = hands.new_hand(w, seat, L.FIRST)
            w[L.B, seat, L.B_FIRST], w[L.B, seat, L.B_HANDS] = h, 1
            if w[L.B, seat, L.B_SKIP] == 1:
                w[L.H, h, L.H_FLAGS] |= L.DEAD | L.FINISHED
    w[L.G, 0, L.G_ASKED] = w[L.G, 0, L.G_CLOSED]
    dealer_late = dealer_is_late(w)
    deal_boxes(w, L.FIRST)
    if dealer_late == 0:
        deal_dealer(w)
    deal_boxes(w, 2)
    if dealer_late == 1:
        deal_dealer(w)
    w[L.G, 0, L.G_LATE_DEALER] = 1 if dealer_late == 2 else 0
    if r.hole_card and dealer_late != 2:
        deal_dealer(w)
    w[L.G, 0, L.G_SHORT_INITIAL] = w[L.G, 0, L.G_SHORT]
    mark_absent(w)


@compiled
def dealer_is_late(w: Work) -> int:
    """Return when the dealer's card comes: 0 in order, 1 after the players' two cards, 2 at a misdeal noticed later."""
    line = scan.line_for(w, _MISSED, L.NOTHING)
    if line < 0 or w[L.I, line, L.I_RULINGS] & ops.RECONSTRUCT:
        return 0
    return 1 if w[L.I, line, L.I_EARLY] else 2


@compiled
def deal_dealer(w: Work) -> None:
    n = give(w, 0)
    if n < 0:
        return
    if w[L.H, 0, L.H_CARDS] == 1:
        w[L.G, 0, L.G_UP] = w[L.D, n, L.D_CARD]
    elif w[L.H, 0, L.H_CARDS] == 2:
        w[L.G, 0, L.G_SECOND] = w[L.D, n, L.D_CARD]
        w[L.G, 0, L.G_SECOND_POS] = w[L.D, n, L.D_ROW]


@compiled
def deal_boxes(w: Work, which: int) -> None:
    """Deal the first or second card to every box; a box passed over gets the missed card after the others."""
    for seat in range(1, w[L.G, 0, L.G_TOP_SEAT] + 1):
        h = w[L.B, seat, L.B_FIRST]
        passed_over = w[L.B, seat, L.B_SKIP] or w[L.B, seat, L.B_MISSED] == which
        if h >= 0 and not passed_over:
            if w[L.B, seat, L.B_SWAPS] & which:
                h = w[L.B, w[L.B, seat, L.B_SWAP], L.B_FIRST]
            give(w, h)
            if w[L.H, h, L.H_CARDS] >= 2:
                note_initial(w, h)
    if which == 1:
        return
    catch_up(w)
    for seat in range(1, w[L.G, 0, L.G_TOP_SEAT] + 1):
        h = w[L.B, seat, L.B_FIRST]
        if h >= 0 and w[L.B, seat, L.B_ONE_CARD] == 2:
            w[L.H, h, L.H_FLAGS] |= L.DEAD | L.FINISHED
        elif h >= 0 and w[L.B, seat, L.B_ONE_CARD] == 1 and is_early(w, _ONE_CARD, seat):
            give(w, h)
            note_initial(w, h)


@compiled
def catch_up(w: Work) -> None:
    """Deal both cards, after the others, to boxes that a story passes over twice."""
    for seat in range(1, w[L.G, 0, L.G_TOP_SEAT] + 1):
        h = w[L.B, seat, L.B_FIRST]
        if h >= 0 and w[L.B, seat, L.B_SKIP] == 2:
            give(w, h)
            give(w, h)
            note_initial(w, h)


@compiled
def is_early(w: Work, code: int, seat: int) -> bool:
    line = scan.line_for(w, code, seat)
    return line >= 0 and w[L.I, line, L.I_EARLY] == 1


@compiled
def note_initial(w: Work, h: int) -> None:
    w[L.H, h, L.H_INITIAL_ACES] = w[L.H, h, L.H_ACES]
    if hands.total(w, h) >= 21:
        w[L.H, h, L.H_FLAGS] |= L.FINISHED


@compiled
def mark_absent(w: Work) -> None:
    """Mark the hands of absent players, and hands declared dead for cards dealt to a wrong box."""
    for n in range(w[L.G, 0, L.G_IRREGULAR]):
        seat = w[L.I, n, L.I_SEAT]
        if w[L.I, n, L.I_CODE] == _WRONG_BOX and w[L.I, n, L.I_RULINGS] & ops.DEAD_HAND:
            if w[L.B, seat, L.B_FIRST] >= 0:
                w[L.H, w[L.B, seat, L.B_FIRST], L.H_FLAGS] |= L.DEAD | L.FINISHED
        if w[L.I, n, L.I_CODE] == _ABSENT and w[L.B, seat, L.B_FIRST] >= 0:
            w[L.H, w[L.B, seat, L.B_FIRST], L.H_FLAGS] |= L.ABSENT


@compiled
def report_cards(w: Work, r: Rules) -> None:
    """Report tens and face-up cards, and void the round if they require it."""
    if not w[L.G, 0, L.G_TENS] and not w[L.G, 0, L.G_FACE_UP]:
        return
    tens = ups = 0
    if r.count_within_shoe:
        tens, ups = w[L.G, 0, L.G_CONTEXT] >> 8 & 255, w[L.G, 0, L.G_CONTEXT] >> 16 & 255
    for n in range(w[L.G, 0, L.G_DRAWS]):
        draw = w[L.D, n]
        if draw[L.D_ROLE] == L.BURNED:
            continue
        if cards.RANK[draw[L.D_CARD]] == cards.TEN:
            tens += 1
            slot = S.SHOE__TEN_FOUND
            if tens > 1 and r.clause[S.SHOE__TENS_MULTIPLE] != rules.NOT_CHECKED:
                slot = S.SHOE__TENS_MULTIPLE
            several = w[L.G, 0, L.G_TENS] > 1 and r.more_tens == rules.VOID and r.one_ten != rules.VOID
            report_card(w, r, n, slot, several, (r.one_ten if tens == 1 else r.more_tens) == rules.VOID)
        elif draw[L.D_UP]:
            ups += 1
            slot = S.SHOE__FACE_UP_MULTIPLE if ups > 1 and r.face_up_counts else S.SHOE__FACE_UP
            several = w[L.G, 0, L.G_FACE_UP] > 1 and r.more_face_up == rules.VOID
            report_card(w, r, n, slot, several, ups > 1 and r.more_face_up == rules.VOID)


@compiled
def report_card(w: Work, r: Rules, n: int, slot: int, several: bool, voids: bool) -> None:
    row, card = w[L.D, n, L.D_ROW], w[L.D, n, L.D_CARD]
    found = report.at_table(w, r, slot, row, L.NOTHING, card)
    first = slot == S.SHOE__TEN_FOUND or slot == S.SHOE__FACE_UP
    if found >= 0 and first and several and r.prescribes[slot, 0]:
        if r.report[slot] or report.ruled(w, report.CODE_OF_SLOT[slot], L.NOWHERE) >= 0:
            w[L.F, found, L.F_HANDLING] = report.handling_of_first(w, slot)
    if voids:
        report.require_void(w, slot)


@compiled
def report_misdeals(w: Work, r: Rules) -> None:
    """Report logged errors of dealing, each under the clause of its situation."""
    for n in range(w[L.G, 0, L.G_IRREGULAR]):
        slot = misdeal_slot(w, n)
        if slot >= 0:
            line = w[L.I, n]
            if line[L.I_INFERRED] and line[L.I_CODE] == _IN_ERROR:
                name_extra(w, n)
            found = report.at_hand(w, r, slot, line[L.I_ROW], line[L.I_SEAT], line[L.I_HAND], L.NOTHING)
            line[L.I_FINDING] = found
            if found >= 0 and line[L.I_INFERRED]:
                w[L.F, found, L.F_HANDLING] = ops.UNREPORTED if r.prescribes[slot, 0] else ops.NOTHING_PRESCRIBED
            rulings_void = line[L.I_RULINGS] & ops.VOID
            if rulings_void and found >= 0 and permits_void(r, slot):
                report.require_void(w, slot)


@compiled
def name_extra(w: Work, n: int) -> None:
    """Note with a story's line the hand that got one card too many."""
    for d in range(w[L.G, 0, L.G_DRAWS]):
        h = w[L.D, d, L.D_HAND]
        if w[L.D, d, L.D_EXTRA] and h > 0:
            w[L.I, n, L.I_SEAT], w[L.I, n, L.I_HAND] = w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER]


@compiled
def prescribes_void(r: Rules, slot: int) -> bool:
    for n in range(r.prescribes.shape[1]):
        if r.prescribes[slot, n] & ops.VOID:
            return True
    return False


@compiled
def permits_void(r: Rules, slot: int) -> bool:
    return (r.permits[slot] & ops.VOID) != 0 or prescribes_void(r, slot)


@compiled
def misdeal_slot(w: Work, n: int) -> int:
    """Return the slot of an irregularity line that only the log can report, -1 for other lines."""
    line = w[L.I, n]
    code, early = line[L.I_CODE], line[L.I_EARLY]
    if code == _MISSED:
        return S.DEAL__DEALER_MISSED_CARD__EARLY if early else S.DEAL__DEALER_MISSED_CARD__LATE
    if code == _NO_CARDS:
        return S.DEAL__PLAYER_NO_CARDS__EARLY if early else S.DEAL__PLAYER_NO_CARDS__LATE
    if code == _ONE_CARD:
        return S.DEAL__PLAYER_ONE_CARD__EARLY if early else S.DEAL__PLAYER_ONE_CARD__LATE
    if code == _UNWAGERED:
        return S.DEAL__UNWAGERED_BOX__EARLY if early else S.DEAL__UNWAGERED_BOX__LATE
    if code == _WRONG_BOX:
        return S.DEAL__WRONG_BOX__BEYOND if early and line[L.I_RULINGS] & ops.VOID else S.DEAL__WRONG_BOX
    if code == _EXPOSED:
        return S.DEAL__HOLE_CARD_EXPOSED
    if code == _NOT_DEALT:
        return S.DEAL__HIT_NOT_DEALT__LATE if acted_since(w, line) > 1 else S.DEAL__HIT_NOT_DEALT
    if code == _IN_ERROR:
        return drawn_in_error_slot(w, n)
    if code == _TOGETHER:
        return drawn_together_slot(w, n)
    return -1


@compiled
def acted_since(w: Work, line: L.I64) -> int:
    """Count the boxes after a box passed over that got cards before the error was noticed."""
    acted = 0
    for seat in range(line[L.I_SEAT] + 1, w[L.G, 0, L.G_TOP_SEAT] + 1):
        for h in range(1, w[L.G, 0, L.G_HANDS]):
            if w[L.H, h, L.H_SEAT] == seat and -1 < w[L.H, h, L.H_HIT_ROW] < line[L.I_ROW]:
                acted += 1
                break
    return acted


@compiled
def drawn_in_error_slot(w: Work, n: int) -> int:
    line = w[L.I, n]
    if line[L.I_REFUSED] and line[L.I_RULINGS] & ops.REMOVE_CARD:
        return S.DEAL__DRAWN_IN_ERROR__REFUSED
    if line[L.I_REFUSED] and refused_by_all(w, n):
        return S.DEAL__DRAWN_IN_ERROR__REFUSED
    return S.DEAL__DRAWN_IN_ERROR__SEEN if line[L.I_EXPOSED] else S.DEAL__DRAWN_IN_ERROR__UNSEEN


@compiled
def refused_by_all(w: Work, n: int) -> bool:
    """Return whether every box that could still take the card refused it."""
    for seat in range(1, w[L.G, 0, L.G_TOP_SEAT] + 1):
        h = -1 if w[L.I, n, L.I_REFUSED] >> seat & 1 else w[L.B, seat, L.B_FIRST]
        while h >= 0:
            if w[L.H, h, L.H_HIT_ROW] > w[L.I, n, L.I_ROW]:
                return False
            h = w[L.H, h, L.H_NEXT]
    return True


@compiled
def drawn_together_slot(w: Work, n: int) -> int:
    """Return the slot of cards drawn together, by the number of cards seen and their owner."""
    line = w[L.I, n]
    dealers = line[L.I_SEAT] == 0 and line[L.I_ROW] > w[L.G, 0, L.G_LAST_DECISION]
    seen = 0
    if line[L.I_EXPOSED]:
        seen = 1 if line[L.I_CARDS] == 1 and not line[L.I_RULINGS] & ops.REMOVE_CARD else 2
    if dealers:
        if seen == 0:
            return S.DEAL__DRAWN_TOGETHER__DEALER_NONE_SEEN
        return S.DEAL__DRAWN_TOGETHER__DEALER_ONE_SEEN if seen == 1 else S.DEAL__DRAWN_TOGETHER__DEALER_SEEN
    if seen == 0:
        return S.DEAL__DRAWN_TOGETHER__NONE_SEEN
    return S.DEAL__DRAWN_TOGETHER__ONE_SEEN if seen == 1 else S.DEAL__DRAWN_TOGETHER__SEEN
