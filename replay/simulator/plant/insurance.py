"""Insurance that is not open, too high, not payable, or not this bettor's to take."""

from replay import cards, ops
from replay import rules as R
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import bets, payments
from replay.simulator.plant.base import SETTLED, Scene, Segment, Truth, plants
from replay.simulator.plant.settlement import settled_round


def shows_ace(scene: Scene, segment: Segment) -> bool:
    """Tell whether insurance is open by the dealer's up card, and the second card tells how it ends."""
    return len(segment.dealer()) > 1 and bool(scene.rules.insurance_up >> cards.RANK[segment.up()] & 1)


def insured(segment: Segment) -> set[tuple[int, int]]:
    """Bettors by box who insure something, or whose wager somebody else insures."""
    rows = segment.find(ops.WAGER, kind=ops.INSURANCE)
    return {(row.seat, row.bettor) for row in rows} | {(row.seat, row.card) for row in rows}


def uninsured_mains(scene: Scene, segment: Segment) -> list[Row]:
    """Main wagers that nobody insures and that may be insured."""
    taken = insured(segment)
    return [
        row
        for row in bets.mains(segment)
        if (row.seat, row.bettor) not in taken
        and (scene.rules.insurance_with_blackjack or not bets.has_blackjack(segment, row.seat))
    ]


def limit(scene: Scene, main_cents: int) -> int:
    """The most that a wager may be insured for."""
    r = scene.rules
    cents = main_cents * int(r.insurance_num) // int(r.insurance_den)
    if r.insurance_rounds_up and cents % r.chip:
        cents += int(r.chip - cents % r.chip)
    return cents


def usual(scene: Scene, main_cents: int) -> int:
    """Half the wager in chips that can be paid."""
    return bets.in_chips(scene, limit(scene, main_cents)) or int(scene.rules.chip)


def opening(segment: Segment) -> Row | None:
    """The row behind which insurance is in time: the offer, or the end of the deal."""
    return segment.first(ops.OFFER, kind=ops.OFFER_INSURANCE, flags=ops.OFFER_OPEN) or segment.moment(J.AT_DEALT)


def insure(segment: Segment, after: Row, main: Row, cents: int, bettor: int | None = None, of: int = 0) -> Row:
    """An insurance wager of a bettor in the box, ``of`` whose wager where it is another's."""
    own = bettor is None or bettor == main.bettor
    wager = Row(ops.WAGER, main.seat, bettor or main.bettor, 1, ops.INSURANCE, cents=cents, aux=main.aux if own else 0)
    wager.card = of
    segment.after(after, wager)
    return wager


def wins(segment: Segment) -> bool:
    return bool(cards.VALUE[segment.dealer()[1].card] == 10)


def settle_insurance(scene: Scene, segment: Segment, wager: Row, after: Row | None = None) -> int | None:
    """Settle an insurance wager by the dealer's second card as if it counted; returns the net."""
    r = scene.rules
    checked = segment.moment(J.AT_SECOND if r.insurance_after_second or not r.reader else J.AT_CHECKED)
    at = after or checked
    if at is None:
        return None
    net = payments.paid_at(r, wager.cents, R.INSURANCE) if wins(segment) else -wager.cents
    row = Row(ops.SETTLE, wager.seat, wager.bettor, 1, ops.INSURANCE, cents=max(net, 0), aux=max(-net, 0))
    segment.after(at, row)
    return net


# Not open.


def insure_ten(scene: Scene, segment: Segment) -> Row | None:
    """Insurance against a ten-value card, as some other games have it."""
    dealt, mains = segment.moment(J.AT_DEALT), uninsured_mains(scene, segment)
    up = segment.up()
    if dealt is None or not mains or len(segment.dealer()) < 2 or cards.VALUE[up] != 10:
        return None
    main = scene.rng.choice(mains)
    return insure(segment, dealt, main, usual(scene, main.cents))


@plants("wager.insurance-not-open", weight=0.6)
def insure_against_ten(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Insurance is taken against a king, queen or jack, and goes back."""
    segment = scene.segment(number)
    wager = insure_ten(scene, segment) if segment is not None else None
    if segment is None or wager is None:
        return None
    return payments.found_at(scene, segment, S.WAGER__INSURANCE_NOT_OPEN__UP_CARD, wager)


@plants("wager.insurance-not-open", phase=SETTLED, weight=0.6)
def take_insurance_against_ten(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Insurance against a king, queen or jack is lost with the first card that makes no blackjack."""
    found = settled_round(scene, number)
    wager = insure_ten(scene, found[0]) if found is not None else None
    if found is None or wager is None:
        return None
    segment = found[0]
    if cards.VALUE[segment.dealer()[1].card] in (1, 10):
        return None
    net = settle_insurance(scene, segment, wager)
    if net is None:
        return None
    return payments.found_at(scene, segment, S.WAGER__INSURANCE_NOT_OPEN__UP_CARD, wager, net)


def insure_late(scene: Scene, segment: Segment) -> tuple[int, Row] | None:
    """Insurance after the reader was used, or where there is none after somebody played."""
    r, mains = scene.rules, uninsured_mains(scene, segment)
    if not mains or not shows_ace(scene, segment):
        return None
    main = scene.rng.choice(mains)
    check = segment.first(ops.HOLE_CHECK)
    if r.reader:
        if check is None:
            return None
        after = segment.moment(J.AT_CHECKED) or check
        return S.WAGER__INSURANCE_NOT_OPEN__READER, insure(segment, after, main, usual(scene, main.cents))
    played = [row for row in segment.find(ops.DECISION) if row.kind != ops.SURRENDER]
    closed = segment.first(ops.OFFER, kind=ops.OFFER_INSURANCE, flags=0)
    if not played or (r.late_insurance and closed is None):
        return None
    hand = segment.moment(J.AT_HAND, played[0].seat, played[0].hand)
    second = segment.dealer()[1]
    if hand is None or segment.index(hand) > segment.index(second):
        return None
    return S.WAGER__INSURANCE_NOT_OPEN__TIME, insure(segment, hand, main, usual(scene, main.cents))


@plants("wager.insurance-not-open", weight=0.7)
def insure_too_late(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Insurance comes after its time, and goes back."""
    segment = scene.segment(number)
    late = insure_late(scene, segment) if segment is not None else None
    if segment is None or late is None:
        return None
    return payments.found_at(scene, segment, late[0], late[1])


@plants("wager.insurance-not-open", phase=SETTLED, weight=0.7)
def honour_late_insurance(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Insurance comes after its time, and is settled all the same."""
    found = settled_round(scene, number)
    late = insure_late(scene, found[0]) if found is not None else None
    if found is None or late is None:
        return None
    slot, wager = late
    net = settle_insurance(scene, found[0], wager, wager if scene.rules.reader else None)
    return None if net is None else payments.found_at(scene, found[0], slot, wager, net)


# Too high, or not payable.


def excess(scene: Scene, main_cents: int) -> int:
    """More than the limit: the whole wager, or some chips too many."""
    most, chip = limit(scene, main_cents), max(1, int(scene.rules.chip))
    above = most - most % chip + chip
    whole = bets.in_chips(scene, main_cents)
    return scene.rng.choice((above, above + chip, max(above, whole), max(above, whole)))


def insured_main(segment: Segment, wager: Row) -> Row | None:
    """The main wager that an insurance is for."""
    return segment.first(ops.WAGER, kind=ops.MAIN, seat=wager.seat, bettor=wager.card or wager.bettor)


@plants("wager.insurance-excess", weight=0.8)
def insure_too_high(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Insurance is above half the wager, and settled up to half."""
    segment = scene.segment(number)
    if segment is None or not shows_ace(scene, segment):
        return None
    wagers, mains = segment.find(ops.WAGER, kind=ops.INSURANCE), uninsured_mains(scene, segment)
    after = opening(segment)
    if wagers:
        wager = scene.rng.choice(wagers)
        main = insured_main(segment, wager)
        if main is None:
            return None
        wager.cents = excess(scene, main.cents)
    elif mains and after is not None:
        main = scene.rng.choice(mains)
        wager = insure(segment, after, main, excess(scene, main.cents))
    else:
        return None
    slot = S.WAGER__INSURANCE_EXCESS__FOR_ANOTHER if wager.card else S.WAGER__INSURANCE_EXCESS
    return payments.found_at(scene, segment, slot, wager)


@plants("wager.insurance-excess", phase=SETTLED, weight=0.8)
def settle_insurance_too_high(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Insurance is above half the wager, and settled whole."""
    found = settled_round(scene, number)
    if found is None or scene.rules.excess_whole or not shows_ace(scene, found[0]):
        return None
    segment = found[0]
    mains, after = uninsured_mains(scene, segment), opening(segment)
    if not mains or after is None:
        return None
    main = scene.rng.choice(mains)
    wager = insure(segment, after, main, excess(scene, main.cents))
    net = settle_insurance(scene, segment, wager)
    if net is None:
        return None
    most = limit(scene, main.cents)
    due = payments.paid_at(scene.rules, most, R.INSURANCE) if wins(segment) else -most
    return payments.found_at(scene, segment, S.WAGER__INSURANCE_EXCESS, wager, net - due)


@plants("wager.not-payable", weight=0.7)
def insure_in_small_change(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Insurance is a sum that the table's chips cannot pay double."""
    segment, slot = scene.segment(number), S.WAGER__NOT_PAYABLE
    chip = int(scene.rules.chip)
    if segment is None or not scene.is_checked(slot) or not shows_ace(scene, segment) or chip < 5:
        return None
    mains, after = uninsured_mains(scene, segment), opening(segment)
    if not mains or after is None:
        return None
    main = scene.rng.choice(mains)
    cents = max(0, bets.in_chips(scene, limit(scene, main.cents)) - chip) + chip // 5
    if cents > limit(scene, main.cents):
        return None
    return payments.found_at(scene, segment, slot, insure(segment, after, main, cents))


# Not theirs to take.


def insure_unfit(scene: Scene, segment: Segment) -> tuple[int, Row] | None:
    """Insurance by somebody without a wager in the box, or on a blackjack that may not be insured."""
    after = opening(segment)
    if after is None or not shows_ace(scene, segment):
        return None
    taken = insured(segment)
    choices = [(S.WAGER__INSURANCE_INELIGIBLE__NO_WAGER, row) for row in uninsured_mains(scene, segment)]
    if not scene.rules.insurance_with_blackjack:
        pontoons = [row for row in bets.mains(segment) if bets.has_blackjack(segment, row.seat)]
        free = [row for row in pontoons if (row.seat, row.bettor) not in taken]
        choices = [(S.WAGER__INSURANCE_INELIGIBLE__BLACKJACK, row) for row in free] or choices
    if not choices:
        return None
    slot, main = scene.rng.choice(choices)
    stranger = max(bets.bettors(segment, main.seat)) + 1
    bettor = stranger if slot == S.WAGER__INSURANCE_INELIGIBLE__NO_WAGER else main.bettor
    return slot, insure(segment, after, main, usual(scene, main.cents), bettor)


@plants("wager.insurance-ineligible", weight=0.5)
def insure_without_right(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody insures who may not, and gets it back."""
    segment = scene.segment(number)
    unfit = insure_unfit(scene, segment) if segment is not None else None
    if segment is None or unfit is None:
        return None
    return payments.found_at(scene, segment, unfit[0], unfit[1])


@plants("wager.insurance-ineligible", phase=SETTLED, weight=0.5)
def settle_insurance_without_right(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody insures who may not, and it is settled all the same."""
    found = settled_round(scene, number)
    unfit = insure_unfit(scene, found[0]) if found is not None else None
    if found is None or unfit is None:
        return None
    net = settle_insurance(scene, found[0], unfit[1])
    return None if net is None else payments.found_at(scene, found[0], unfit[0], unfit[1], net)


@plants("wager.insurance-ineligible", weight=0.5)
def insure_for_another(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody takes another's insurance that was not declined, or that the rulebook leaves to its owner."""
    segment, slot = scene.segment(number), S.WAGER__INSURANCE_INELIGIBLE__FOR_ANOTHER
    if segment is None or not scene.is_checked(slot) or not shows_ace(scene, segment):
        return None
    wagers = segment.find(ops.WAGER, kind=ops.INSURANCE)
    taken = insured(segment)
    mains = bets.mains(segment) if scene.rules.insurance_for_others else uninsured_mains(scene, segment)
    own = {(row.seat, row.bettor) for row in wagers if not row.card}
    choices = [
        (main, other)
        for main in mains
        for other in bets.mains(segment)
        if other.seat == main.seat
        and other.bettor != main.bettor
        and (other.seat, other.bettor) not in taken
        and (not scene.rules.insurance_for_others or (main.seat, main.bettor) in own)
    ]
    after = wagers[-1] if wagers else opening(segment)
    if not choices or after is None:
        return None
    main, other = scene.rng.choice(choices)
    wager = insure(segment, after, main, usual(scene, main.cents), other.bettor, main.bettor)
    return payments.found_at(scene, segment, slot, wager)
