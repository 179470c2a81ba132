"""Findings of the engine, and the floor's handling of each."""

import numpy as np

from replay import codes, ops, rules
from replay import situations as S
from replay.compiled import compiled
from replay.engine import hands
from replay.engine import layout as L
from replay.engine.layout import Work
from replay.rules import Rules

CODE_OF_SLOT = np.array(codes.OF_SLOT, dtype=np.int64)
# Whether a decision, an insurance or a payment was open at its moment hangs on the cards.
_BY_CARDS = np.array(
    [
        S.code(slot).startswith(
            ("play.", "settlement.out-of-order", "wager.insurance-not-open", "wager.insurance-ineligible")
        )
        for slot in range(S.COUNT)
    ]
)
_TEN, _TENS = codes.NUMBER["shoe.ten-found"], codes.NUMBER["shoe.tens-multiple"]
_UP, _UPS = codes.NUMBER["shoe.face-up"], codes.NUMBER["shoe.face-up-multiple"]


@compiled
def step(w: Work, row: int, what: int, seat: int, hand: int, card: int, total: int, soft: int, slot: int) -> None:
    """Write a line of the trace, if a trace is wanted."""
    if not w[L.G, 0, L.G_TRACE]:
        return
    n = w[L.G, 0, L.G_N_STEPS]
    if n >= w.shape[1]:
        w[L.G, 0, L.G_N_OVERFLOW] = 1
        return
    w[L.G, 0, L.G_N_STEPS] = n + 1
    line = w[L.T, n]
    line[L.T_ROW] = row
    line[L.T_WHAT] = what
    line[L.T_SEAT] = seat
    line[L.T_HAND] = hand
    line[L.T_CARD] = card
    line[L.T_TOTAL] = total
    line[L.T_SOFT] = soft
    line[L.T_SLOT] = slot


@compiled
def step_card(w: Work, h: int, row: int, card: int) -> None:
    """Write a trace line for a card that goes to a hand."""
    soft = 1 if hands.is_soft(w, h) else 0
    seat, number = w[L.H, h, L.H_SEAT], w[L.H, h, L.H_NUMBER]
    step(w, row, L.STEP_CARD, seat, number, card, hands.total(w, h), soft, -1)


@compiled
def find(
    w: Work, r: Rules, slot: int, row: int, seat: int, hand: int, bettor: int, kind: int, a: int, card: int
) -> int:
    """Report a finding, unless this rulebook does not ask for it or nothing shows it; returns its index or -1."""
    if r.clause[slot] == rules.NOT_CHECKED or (w[L.G, 0, L.G_CONTEXT] & ops.NO_SHOE and _BY_CARDS[slot]):
        return -1
    return find_by(w, r, slot, int(r.clause[slot]), row, seat, hand, bettor, kind, a, card)


@compiled
def at_table(w: Work, r: Rules, slot: int, row: int, a: int, card: int) -> int:
    """Report a finding on the whole round or the dealer."""
    return find(w, r, slot, row, L.NOWHERE, L.NOTHING, L.NOTHING, L.NO_KIND, a, card)


@compiled
def at_hand(w: Work, r: Rules, slot: int, row: int, seat: int, hand: int, a: int) -> int:
    """Report a finding on a hand of a box."""
    return find(w, r, slot, row, seat, hand, L.NOTHING, L.NO_KIND, a, L.NOTHING)


@compiled
def at_wager(w: Work, r: Rules, slot: int, row: int, seat: int, hand: int, bettor: int, kind: int, a: int) -> int:
    """Report a finding on a wager."""
    return find(w, r, slot, row, seat, hand, bettor, kind, a, L.NOTHING)


@compiled
def find_by(
    w: Work, r: Rules, slot: int, clause: int, row: int, seat: int, hand: int, bettor: int, kind: int, a: int, card: int
) -> int:
    """Report a finding under a given clause."""
    n = w[L.G, 0, L.G_N_FINDINGS]
    if n >= w.shape[1]:
        w[L.G, 0, L.G_N_OVERFLOW] = 1
        return -1
    w[L.G, 0, L.G_N_FINDINGS] = n + 1
    line = w[L.F, n]
    line[L.F_SLOT] = slot
    line[L.F_CLAUSE] = clause
    line[L.F_SEAT] = seat
    line[L.F_HAND] = hand
    line[L.F_BETTOR] = bettor
    line[L.F_KIND] = kind
    line[L.F_COST] = 0
    line[L.F_A] = a
    line[L.F_CARD] = card
    line[L.F_ROW] = row if 0 <= row < w[L.G, 0, L.G_HI] else w[L.G, 0, L.G_HI] - 1
    line[L.F_SHOE] = 0
    line[L.F_HANDLING] = handling(w, r, slot, seat)
    step(w, row, L.STEP_FINDING, seat, hand, card, a, L.NOTHING, slot)
    return int(n)


@compiled
def handling(w: Work, r: Rules, slot: int, seat: int) -> int:
    """Return the handling: the logged rulings compared with those that the clause prescribes."""
    if r.prescribes[slot, 0] == 0:
        return ops.NOTHING_PRESCRIBED
    if S.ROUND__VOID_UNJUSTIFIED <= slot <= S.ROUND__VOID_UNJUSTIFIED__POWER:
        return ops.NOT_PRESCRIBED
    logged = ruled(w, CODE_OF_SLOT[slot], seat)
    if logged < 0:
        return ops.UNREPORTED if r.report[slot] else L.BY_DEED
    for n in range(r.prescribes.shape[1]):
        wanted = r.prescribes[slot, n]
        if wanted and (logged & wanted) == wanted and not contradicts(logged, wanted, r.permits[slot]):
            return ops.AS_PRESCRIBED
    return ops.NOT_PRESCRIBED


@compiled
def ruled(w: Work, code: int, seat: int) -> int:
    """Return the combined rulings of all irregularity lines with a code; -1 if there is none."""
    found = -1
    for n in range(w[L.G, 0, L.G_IRREGULAR]):
        line = w[L.I, n]
        if same_code(line[L.I_CODE], code, line[L.I_RULINGS]) and (
            seat == 0 or line[L.I_SEAT] == 0 or line[L.I_SEAT] == seat
        ):
            found = line[L.I_RULINGS] if found < 0 else found | line[L.I_RULINGS]
    return int(found)


@compiled
def same_code(logged: int, code: int, rulings: int) -> bool:
    """A line about several tens speaks of the first as well; one about a ten of several where it voids the round."""
    if logged == code:
        return True
    if (logged == _TENS and code == _TEN) or (logged == _UPS and code == _UP):
        return True
    several = (logged == _TEN and code == _TENS) or (logged == _UP and code == _UPS)
    return several and (rulings & ops.VOID) != 0


@compiled
def handling_of_first(w: Work, slot: int) -> int:
    """The first of several cards that void the round: set aside or voided with the rest, either is right."""
    logged = ruled(w, CODE_OF_SLOT[slot], L.NOWHERE)
    if logged < 0:
        return ops.UNREPORTED
    return ops.AS_PRESCRIBED if logged & (ops.REMOVE_CARD | ops.VOID) else ops.NOT_PRESCRIBED


@compiled
def contradicts(logged: int, wanted: int, permitted: int) -> bool:
    """Return whether rulings contradict the prescribed ones."""
    extra = logged & ~wanted & ~permitted
    if extra & ops.CONTINUE and wanted & (ops.VOID | ops.REFUSE):
        return True
    if wanted & ops.VOID:
        return (extra & (ops.USE_NEXT | ops.RECONSTRUCT | ops.REFUSE)) != 0
    serious = ops.VOID | ops.DEAD_HAND | ops.REMOVE_CARD | ops.USE_NEXT | ops.RECONSTRUCT | ops.REFUSE
    return (extra & serious) != 0


@compiled
def require_void(w: Work, slot: int) -> None:
    """Mark the round as void by the rulebook; the first cause is kept."""
    if w[L.G, 0, L.G_VOID] < 0:
        w[L.G, 0, L.G_VOID] = slot
