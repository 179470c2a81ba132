"""A table's day between the rounds: shoes, burns, cut cards, decks, the reader and faults.

One walk over the table's tape. It reports what belongs to a shoe or to the table, and gives every round its context.
"""

import numpy as np

from replay import cards, codes, ops, rules
from replay import situations as S
from replay.compiled import compiled, entry, inlined
from replay.engine import layout as L
from replay.engine import report
from replay.rules import Rules
from replay.tape import I64, Tape

# Registers of the walk.
(
    X_SHOE,  # number of the shoe in use, 0 where none was seen to be loaded
    X_SET,
    X_LOADED,  # its loading was logged
    X_FROM_DISCARDS,
    X_MACHINE,
    X_DRAWN,
    X_FIRST_DRAW_DUE,  # no card was drawn from it in a round yet
    X_BURNED,  # a card was burned since it was loaded or the dealer came
    X_NEW_DEALER,
    X_CUT_CARD,  # cards drawn before the cut card, -1
    X_ROUNDS_AFTER,  # rounds begun after the round in which the cut card came
    X_ROUND,  # round in play, -1
    X_ROUND_DRAWS,
    X_OPENED,
    X_READER_CHECKED,
    X_READER_DOWN,
    X_SHUFFLER_DOWN,
    X_SHOE_DOWN,
    X_TENS,
    X_FACE_UP,
    X_IGNORED_TOLD,
    X_STALE_TOLD,
    X_TOLD_FAULT,
    X_LAST_SET,
    X_LAST_MACHINE,
    X_ENDED,
    X_CUT_FIRST,  # the cut card came before any card of the round
    X_LAST_ROUND,
    X_FINDINGS,
    X_UNSHUFFLED,
    X_COUNT_TOLD,
    X_CUT_MISSING_TOLD,
    X_ORDINAL,  # of the last card
    X_LINES_LOST,  # of the terminal since the last round began
    X_EVER_LOST,  # lines of any device so far
    X_NOW,  # when the row happened, negative where nobody knows
) = range(36)
_REGISTERS = 36
_INSPECTED, _INSPECTED_AT, _WITHDRAWN = range(3)
MOST_PER_ROW = 8  # findings: a loaded shoe can be wrong in that many ways at once
_CUT_CARD_MISSING = codes.NUMBER["shoe.cut-card-missing"]


@entry
def walk(t: Tape, ms: I64, r: Rules, rounds: int, shoes: int, carry: I64, out: I64) -> tuple[I64, int]:
    """Contexts of the rounds, and the number of findings written to ``out``, which has room for MOST_PER_ROW a row.

    ``ms`` says when each row happened, negative where nobody knows.
    ``carry`` has a row per set of decks: inspected, when, withdrawn; it is updated for the next day.
    """
    x = np.zeros(_REGISTERS, np.int64)
    x[X_CUT_CARD] = x[X_ROUND] = x[X_LAST_ROUND] = -1
    counts = np.zeros(cards.CARD_CODES, np.int64)
    cut_seen = np.zeros(shoes + 1, np.int64)
    contexts = np.zeros(rounds, np.int64)
    for row in range(t.op.shape[0]):
        op = t.op[row]
        x[X_NOW] = ms[row]
        if op == ops.DRAW:
            draw(t, r, x, counts, contexts, out, row)
        elif op == ops.SHOE_LOADED:
            load(t, r, x, counts, carry, contexts, out, row)
            cut_seen[x[X_SHOE]] |= x[X_LINES_LOST]
        elif op == ops.CUT:
            cut(t, r, x, cut_seen, out, row)
        elif op == ops.CUT_CARD:
            cut_card(t, r, x, out, row)
        elif op == ops.SHOE_ENDED:
            end_shoe(t, r, x, counts, out, row)
        elif op == ops.INSPECTION:
            inspect(t, r, x, carry, out, row)
        elif op == ops.ROUND_BEGIN:
            begin_round(t, r, x, cut_seen, carry, contexts, out, row)
        elif op == ops.ROUND_END:
            x[X_ROUND] = -1
        elif op == ops.GAP:
            lose(t, x, cut_seen, row)
        else:
            other(t, r, x, carry, out, row)
    return contexts, int(x[X_FINDINGS])


@compiled
def tell(t: Tape, r: Rules, x: I64, out: I64, slot: int, row: int, deed: int, a: int, card: int) -> None:
    """Report a finding; ``deed`` is the handling if the rulebook prescribes one and no ruling is logged."""
    if r.clause[slot] == rules.NOT_CHECKED or x[X_FINDINGS] >= out.shape[0]:
        return
    line = out[x[X_FINDINGS]]
    x[X_FINDINGS] += 1
    line[:] = 0
    line[L.F_ROUND] = x[X_ROUND]
    line[L.F_SLOT], line[L.F_CLAUSE], line[L.F_KIND] = slot, r.clause[slot], L.NO_KIND
    line[L.F_A], line[L.F_CARD], line[L.F_ROW], line[L.F_SHOE] = a, card, row, x[X_SHOE]
    line[L.F_HANDLING] = handling(t, r, slot, row, deed)


@compiled
def tell_count(t: Tape, r: Rules, x: I64, out: I64, row: int, count: int) -> None:
    """Report a wrong number of decks or cards, once for the day."""
    if not x[X_COUNT_TOLD]:
        x[X_COUNT_TOLD] = 1
        tell(t, r, x, out, S.SHOE__DECK_COUNT, row, ops.NOT_PRESCRIBED, count, L.NOTHING)


@compiled
def handling(t: Tape, r: Rules, slot: int, row: int, deed: int) -> int:
    """Return the handling: by the rulings on the code while the same shoe was in use, else ``deed``."""
    if r.prescribes[slot, 0] == 0:
        return ops.NOTHING_PRESCRIBED
    if slot == S.SHOE__DECKS_WITHDRAWN_REUSED:
        return ops.NOT_PRESCRIBED
    first, last = row, row + 1
    while first > 0 and not is_new_shoe(t, first):
        first -= 1
    while last < t.op.shape[0] and not is_new_shoe(t, last):
        last += 1
    logged = -1
    for ruled in range(first, last):
        if t.op[ruled] == ops.IRREGULARITY and t.kind[ruled] == report.CODE_OF_SLOT[slot]:
            logged = t.cents[ruled] if logged < 0 else logged | t.cents[ruled]
    if logged < 0:
        return ops.UNREPORTED if r.report[slot] else deed
    for n in range(r.prescribes.shape[1]):
        wanted = r.prescribes[slot, n]
        if wanted and (logged & wanted) == wanted and not report.contradicts(logged, wanted, r.permits[slot]):
            return ops.AS_PRESCRIBED
    return ops.NOT_PRESCRIBED


@inlined
def is_new_shoe(t: Tape, row: int) -> bool:
    return bool(t.op[row] == ops.SHOE_LOADED and t.hand[row] == ops.FROM_DECKS)


@compiled
def stack(r: Rules) -> int:
    """Return the number of cards of a full shoe."""
    return int(r.decks * r.cards_per_deck)


@compiled
def draw(t: Tape, r: Rules, x: I64, counts: I64, contexts: I64, out: I64, row: int) -> None:
    """Process a card drawn from the shoe: a surplus card, a burn, or the first card of a round."""
    card = t.card[row]
    if t.cents[row] and t.cents[row] != x[X_SHOE]:
        if x[X_SHOE]:
            see_new_shoe(x, counts, t.cents[row])
        x[X_SHOE] = t.cents[row]
    lost = (x[X_LOADED] or x[X_ORDINAL]) and t.aux[row] > x[X_ORDINAL] + 1
    x[X_DRAWN] += t.aux[row] - x[X_ORDINAL] if lost else 1
    x[X_ORDINAL] = t.aux[row] if t.aux[row] else x[X_ORDINAL] + 1
    if lost:  # a burn may have been among the cards that are missing
        x[X_BURNED], x[X_NEW_DEALER], x[X_FIRST_DRAW_DUE] = 1, 0, 0
    counts[card] += 1
    ten = cards.RANK[card] == cards.TEN
    if x[X_LOADED] and not x[X_FROM_DISCARDS] and not r.continuous and not ten and counts[card] == r.decks + 1:
        tell(t, r, x, out, S.SHOE__COMPOSITION, row, ops.NOT_PRESCRIBED, L.FIRST, card)
        if x[X_ROUND] >= 0:
            contexts[x[X_ROUND]] |= ops.FOREIGN_CARD
    if x[X_SHOE_DOWN] and not x[X_TOLD_FAULT]:
        x[X_TOLD_FAULT] = 1
        tell(t, r, x, out, S.SHOE__FAULT_PLAY_CONTINUED, row, ops.NOT_PRESCRIBED, L.NOTHING, L.NOTHING)
    if x[X_ROUND] < 0:
        x[X_BURNED] = 1
        x[X_NEW_DEALER] = 0
    else:
        first_of_round(t, r, x, out, row)
        x[X_ROUND_DRAWS] += 1
        x[X_TENS] += 1 if ten else 0
        x[X_FACE_UP] += 1 if t.flags[row] & ops.FACE_UP else 0


@compiled
def see_new_shoe(x: I64, counts: I64, number: int) -> None:
    """Start a shoe whose loading was not logged: its opening procedures are not checked."""
    x[X_SHOE], x[X_SET], x[X_LOADED], x[X_FROM_DISCARDS] = number, 0, 0, 0
    x[X_DRAWN] = x[X_ORDINAL] = x[X_FIRST_DRAW_DUE] = x[X_NEW_DEALER] = x[X_ROUNDS_AFTER] = 0
    x[X_CUT_CARD] = -1
    x[X_TENS] = x[X_FACE_UP] = x[X_UNSHUFFLED] = x[X_IGNORED_TOLD] = x[X_CUT_FIRST] = x[X_ENDED] = 0
    x[X_LAST_SET] = x[X_LAST_MACHINE] = 0
    counts[:] = 0


@compiled
def lose(t: Tape, x: I64, cut_seen: I64, row: int) -> None:
    """Note missing lines of a device: checks that depend on them are suspended."""
    x[X_EVER_LOST] = 1
    if t.kind[row] == 0:
        x[X_LINES_LOST] = 1
        cut_seen[x[X_SHOE]] = 1


@compiled
def first_of_round(t: Tape, r: Rules, x: I64, out: I64, row: int) -> None:
    """Check before the first card of a round the burns, and a cut card that required an immediate shuffle."""
    if x[X_ROUND_DRAWS]:
        return
    if x[X_FIRST_DRAW_DUE] and x[X_LOADED] and not x[X_FROM_DISCARDS]:
        if r.burn_first and not x[X_BURNED]:
            tell(t, r, x, out, S.SHOE__BURN_MISSED__NEW_SHOE, row, ops.AS_PRESCRIBED, L.NOTHING, L.NOTHING)
    elif x[X_NEW_DEALER] and r.burn_new_dealer:
        tell(t, r, x, out, S.SHOE__BURN_MISSED__NEW_DEALER, row, ops.AS_PRESCRIBED, L.NOTHING, L.NOTHING)
    x[X_FIRST_DRAW_DUE] = x[X_NEW_DEALER] = 0
    if x[X_CUT_FIRST] and r.cut_first_reshuffles and not x[X_IGNORED_TOLD]:
        x[X_IGNORED_TOLD] = 1
        deed = ops.AS_PRESCRIBED if reshuffled_after(t, row) else ops.NOT_PRESCRIBED
        tell(t, r, x, out, S.SHOE__CUT_CARD_IGNORED__FIRST_CARD, row, deed, L.FIRST, L.NOTHING)


@compiled
def reshuffled_after(t: Tape, row: int) -> bool:
    """Return whether the next round after a row is dealt from another shoe."""
    ended = False
    for later in range(row, t.op.shape[0]):
        if t.op[later] == ops.ROUND_END:
            ended = True
        elif ended and t.op[later] == ops.SHOE_LOADED:
            return True
        elif ended and t.op[later] == ops.ROUND_BEGIN:
            return False
    return True


@compiled
def load(t: Tape, r: Rules, x: I64, counts: I64, carry: I64, contexts: I64, out: I64, row: int) -> None:
    """Process a loaded shoe: mid-round only if the last ran out; shuffled, inspected, not withdrawn, not too old."""
    from_discards, counted, decks = t.hand[row], t.flags[row], t.seat[row]
    number, which = t.cents[row], t.aux[row]
    which = which if 0 <= which < carry.shape[0] else 0
    in_round = x[X_ROUND] >= 0
    if in_round:
        load_in_round(t, r, x, out, row, from_discards != 0)
        if not x[X_ROUND_DRAWS] and not from_discards:
            contexts[x[X_ROUND]] |= ops.NEW_SHOE
    machine = t.kind[row] == ops.SHUFFLE_MACHINE
    same_set = x[X_LAST_SET] == which and which != 0 and x[X_LAST_MACHINE] and machine and not from_discards
    last = x[X_SHOE]
    x[X_SHOE], x[X_SET], x[X_LOADED], x[X_FROM_DISCARDS] = number, which, 1, from_discards
    x[X_MACHINE], x[X_DRAWN], x[X_FIRST_DRAW_DUE] = 1 if machine else 0, 0, 1
    x[X_ORDINAL] = 0
    x[X_BURNED] = 1 if in_round else 0  # a burn within a round is checked with the round
    unshuffled = t.kind[row] == ops.SHUFFLE_NONE and not r.continuous and not from_discards
    x[X_UNSHUFFLED] = 1 if unshuffled else 0
    x[X_CUT_CARD], x[X_ROUNDS_AFTER], x[X_IGNORED_TOLD], x[X_CUT_FIRST] = -1, 0, 0, 0
    x[X_TENS] = x[X_FACE_UP] = x[X_STALE_TOLD] = x[X_ENDED] = x[X_CUT_MISSING_TOLD] = 0
    x[X_LAST_SET], x[X_LAST_MACHINE] = which, x[X_MACHINE]
    counts[:] = 0
    if same_set and r.two_sets and last:
        tell(t, r, x, out, S.SHOE__SINGLE_SET, row, ops.NOT_PRESCRIBED, L.NOTHING, L.NOTHING)
    wrong_cards = counted and not from_discards and counted != stack(r)
    if (decks and decks != r.decks and not from_discards) or wrong_cards:
        tell_count(t, r, x, out, row, counted if wrong_cards else decks)
    if x[X_UNSHUFFLED]:
        tell(t, r, x, out, S.SHOE__UNSHUFFLED, row, ops.NOT_PRESCRIBED, L.NOTHING, L.NOTHING)
    if x[X_SHUFFLER_DOWN] and machine:
        tell(t, r, x, out, S.SHOE__FAULT_PLAY_CONTINUED, row, ops.NOT_PRESCRIBED, L.NOTHING, L.NOTHING)
    if which and not from_discards:
        check_set(t, r, x, carry, out, row, which)


@compiled
def load_in_round(t: Tape, r: Rules, x: I64, out: I64, row: int, from_discards: bool) -> None:
    if from_discards:
        shuffled = t.kind[row] != ops.SHUFFLE_NONE
        deed = ops.AS_PRESCRIBED if shuffled else ops.NOT_PRESCRIBED
        tell(t, r, x, out, S.SHOE__INSUFFICIENT_CARDS, row, deed, x[X_DRAWN], L.NOTHING)
    elif x[X_ROUND_DRAWS] and not x[X_SHOE_DOWN] and not x[X_LINES_LOST]:
        tell(t, r, x, out, S.SHOE__ENDED_MID_ROUND, row, ops.NOT_PRESCRIBED, x[X_DRAWN], L.NOTHING)
    if x[X_SHOE_DOWN]:
        x[X_SHOE_DOWN] = 0


@compiled
def check_set(t: Tape, r: Rules, x: I64, carry: I64, out: I64, row: int, which: int) -> None:
    line = carry[which]
    if line[_WITHDRAWN]:
        tell(t, r, x, out, S.SHOE__DECKS_WITHDRAWN_REUSED, row, ops.NOT_PRESCRIBED, L.NOTHING, L.NOTHING)
    uninspected = x[X_OPENED] and not line[_INSPECTED] and t.kind[row] != ops.SHUFFLE_PRESHUFFLED
    if uninspected and not x[X_EVER_LOST]:
        tell(t, r, x, out, S.SHOE__NOT_INSPECTED, row, ops.NOT_PRESCRIBED, L.NOTHING, L.NOTHING)
        line[_INSPECTED] = 1
    if line[_INSPECTED_AT] == 0 and x[X_NOW] >= 0:
        line[_INSPECTED_AT] = x[X_NOW]
    check_age(t, r, x, carry, out, row)


@compiled
def check_age(t: Tape, r: Rules, x: I64, carry: I64, out: I64, row: int) -> None:
    since, now = carry[x[X_SET], _INSPECTED_AT], x[X_NOW]
    if not r.max_age_ms or now < 0 or since <= 0 or x[X_STALE_TOLD] or not x[X_SET]:
        return
    if now - since > r.max_age_ms:
        x[X_STALE_TOLD] = 1
        tell(t, r, x, out, S.SHOE__DECKS_STALE, row, ops.NOT_PRESCRIBED, (now - since) // 60000, L.NOTHING)


@compiled
def cut(t: Tape, r: Rules, x: I64, cut_seen: I64, out: I64, row: int) -> None:
    """Process a cut, which must be far enough from both ends of the stack."""
    shoe = t.flags[row] if t.flags[row] else x[X_SHOE]
    if shoe < cut_seen.shape[0]:
        cut_seen[shoe] = 1
    top, bottom = t.cents[row], t.aux[row]
    near = top if bottom < 0 or (0 <= top < bottom) else bottom
    if 0 <= near < r.cut_ends and not r.continuous:
        tell(t, r, x, out, S.SHOE__CUT_SHALLOW, row, ops.NOT_PRESCRIBED, near, L.NOTHING)


@compiled
def cut_card(t: Tape, r: Rules, x: I64, out: I64, row: int) -> None:
    """Process the cut card, which must come out as deep in the stack as prescribed."""
    x[X_CUT_CARD] = t.aux[row]
    x[X_ROUNDS_AFTER] = 0
    leads = x[X_ROUND] < 0 or (x[X_ROUND_DRAWS] == 0 and r.cut_first_reshuffles)
    x[X_CUT_FIRST] = 1 if leads else 0
    behind = stack(r) - t.aux[row]
    shallow = behind * r.cut_least_den < stack(r) * r.cut_least_num
    deep = behind * r.cut_most_den > stack(r) * r.cut_most_num
    if (shallow or deep) and not r.continuous:
        tell(t, r, x, out, S.SHOE__CUT_CARD_DEPTH, row, ops.NOT_PRESCRIBED, t.aux[row], L.NOTHING)


@compiled
def end_shoe(t: Tape, r: Rules, x: I64, counts: I64, out: I64, row: int) -> None:
    """Check at a shoe's end that cards drawn and cards left make up the decks; tens are reported separately."""
    if x[X_LOADED] and not x[X_FROM_DISCARDS] and not r.continuous and not x[X_ENDED]:
        tens = 0
        extra = 0
        for card in range(1, cards.CARD_CODES):
            if cards.RANK[card] == cards.TEN:
                tens += counts[card]
            elif counts[card] > r.decks:
                extra += counts[card] - r.decks
        difference = x[X_DRAWN] - tens + t.aux[row] - stack(r)
        if not -tens <= difference <= 0 and difference != extra:
            tell(t, r, x, out, S.SHOE__COMPOSITION, row, ops.NOT_PRESCRIBED, difference, L.NOTHING)
    x[X_ENDED] = 1
    if x[X_ROUND] < 0:
        x[X_CUT_CARD] = -1


@compiled
def inspect(t: Tape, r: Rules, x: I64, carry: I64, out: I64, row: int) -> None:
    """Process the opening inspection of a set of decks: enough people, and the right number of cards."""
    which, counted = t.aux[row], t.cents[row]
    which = which if which < carry.shape[0] else 0
    carry[which, _INSPECTED] = 1
    carry[which, _INSPECTED_AT] = x[X_NOW]
    if t.bettor[row] < r.inspectors:
        tell(t, r, x, out, S.SHOE__NOT_INSPECTED__ALONE, row, ops.NOT_PRESCRIBED, t.bettor[row], L.NOTHING)
    if counted and counted != stack(r):
        tell_count(t, r, x, out, row, counted)


@compiled
def begin_round(t: Tape, r: Rules, x: I64, cut_seen: I64, carry: I64, contexts: I64, out: I64, row: int) -> None:
    """Begin a round: write its context, and check the procedures required before it."""
    number = t.aux[row]
    x[X_ROUND], x[X_ROUND_DRAWS] = number, 0
    if number == x[X_LAST_ROUND]:
        return
    x[X_LAST_ROUND] = number
    context = (ops.READER_DOWN if x[X_READER_DOWN] else 0) | (ops.NEW_SHOE if x[X_FIRST_DRAW_DUE] else 0)
    context |= ops.UNSHUFFLED if x[X_UNSHUFFLED] and x[X_FIRST_DRAW_DUE] else 0
    if number < contexts.shape[0]:
        contexts[number] = context | min(x[X_TENS], 255) << 8 | min(x[X_FACE_UP], 255) << 16
    if x[X_OPENED] and x[X_LOADED] and r.reader and not x[X_READER_CHECKED] and not x[X_EVER_LOST]:
        x[X_READER_CHECKED] = 1
        tell(t, r, x, out, S.READER__NOT_INSPECTED, row, ops.NOT_PRESCRIBED, L.NOTHING, L.NOTHING)
    uncut = x[X_LOADED] and x[X_FIRST_DRAW_DUE] and x[X_SHOE] < cut_seen.shape[0] and not cut_seen[x[X_SHOE]]
    needed = r.cut_needed and (r.cut_needed_after_machine or not x[X_MACHINE])
    x[X_LINES_LOST] = 0
    if uncut and needed and not r.continuous and not x[X_FROM_DISCARDS]:
        cut_seen[x[X_SHOE]] = x[X_CUT_MISSING_TOLD] = 1
        deed = ops.AS_PRESCRIBED if reshuffled_after(t, row) else ops.NOT_PRESCRIBED
        tell(t, r, x, out, S.SHOE__CUT_CARD_MISSING, row, deed, L.NOTHING, L.NOTHING)
    if x[X_CUT_CARD] >= 0 and not x[X_CUT_FIRST] and not x[X_IGNORED_TOLD] and not r.continuous:
        x[X_IGNORED_TOLD] = 1
        deed = ops.AS_PRESCRIBED if reshuffled_after(t, row) else ops.NOT_PRESCRIBED
        tell(t, r, x, out, S.SHOE__CUT_CARD_IGNORED__MID_ROUND, row, deed, L.FIRST, L.NOTHING)
    elif x[X_CUT_CARD] >= 0 and x[X_CUT_FIRST] and not r.cut_first_reshuffles:
        x[X_CUT_FIRST] = 0  # between rounds: this one is still completed
    check_age(t, r, x, carry, out, row)


@compiled
def other(t: Tape, r: Rules, x: I64, carry: I64, out: I64, row: int) -> None:
    """Process openings, changes of dealer, reader checks, faults and rulings."""
    op = t.op[row]
    if op == ops.OPEN:
        x[X_OPENED], x[X_READER_CHECKED] = 1, 0
        if t.seat[row] and t.seat[row] != r.decks:
            tell_count(t, r, x, out, row, t.seat[row])
    elif op == ops.DEALER_CHANGE:
        x[X_NEW_DEALER] = 1
    elif op == ops.READER_CHECK:
        x[X_READER_CHECKED] = 1
        x[X_READER_DOWN] = t.kind[row]
    elif op == ops.HOLE_CHECK and t.kind[row] == ops.CHECK_FAULT:
        x[X_READER_DOWN] = 1
    elif op == ops.FAULT or op == ops.REPAIRED:
        broken = 1 if op == ops.FAULT else 0
        if t.kind[row] == ops.DEVICE_READER:
            x[X_READER_DOWN] = broken
        elif t.kind[row] == ops.DEVICE_SHUFFLER:
            x[X_SHUFFLER_DOWN] = broken
        elif t.kind[row] == ops.DEVICE_SHOE:
            x[X_SHOE_DOWN], x[X_TOLD_FAULT] = broken, 0
    elif op == ops.IRREGULARITY:
        if t.cents[row] & ops.WITHDRAW_DECKS and x[X_SET]:
            carry[x[X_SET], _WITHDRAWN] = 1
        if t.kind[row] == _CUT_CARD_MISSING and not x[X_CUT_MISSING_TOLD]:
            x[X_CUT_MISSING_TOLD] = 1
            tell(t, r, x, out, S.SHOE__CUT_CARD_MISSING, row, ops.NOT_PRESCRIBED, L.NOTHING, L.NOTHING)


@entry
def mark_wagers(t: Tape, offsets: I64, contexts: I64, r: Rules, below: I64) -> None:
    """Flag main wagers of players who sat out the last round of the shoe, or staked below the minimum before.

    ``below`` has a cell per patron and is updated for the next day.
    """
    staked = np.zeros(below.shape[0] + 1024, np.int64)  # last round with a main wager, plus one, by patron or by place
    places = below.shape[0]
    shoe_began = 0
    for number in range(offsets.shape[0] - 1):
        if contexts[number] & ops.NEW_SHOE:
            shoe_began = number
        for row in range(offsets[number], offsets[number + 1]):
            if t.op[row] != ops.WAGER or t.kind[row] != ops.MAIN:
                continue
            patron = t.aux[row] if 0 <= t.aux[row] < below.shape[0] else 0
            who = patron if patron else places + int(t.seat[row]) * 16 + int(t.bettor[row])
            if number and not contexts[number] & ops.NEW_SHOE and staked[who] < number:
                t.flags[row] |= ops.ENTERED_MID_SHOE | (ops.SAT_OUT if staked[who] > shoe_began else 0)
            staked[who] = number + 1
            if patron and below[patron]:
                t.flags[row] |= ops.BELOW_MINIMUM_BEFORE
            if patron and t.cents[row] < r.min_cents:
                below[patron] = 1
