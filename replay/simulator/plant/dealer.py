"""A dealer who draws a card too many or too few to the own hand."""

from replay import cards, ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import felt as F
from replay.simulator.plant import payments
from replay.simulator.plant.base import AS_PRESCRIBED, NOT_PRESCRIBED, SETTLED, Scene, Segment, Truth, plants
from replay.simulator.plant.felt import DealtHands


def _standing(scene: Scene, number: int, zone: int) -> tuple[Segment, DealtHands, Row] | None:
    """A dealer who has to stand and draws one card more, with that card."""
    found = F.played(scene, number)
    if found is None or found[0].moment(J.AT_SECOND) is None:
        return None
    segment, felt = found
    if len(felt.dealer) < 2 or felt.must_draw() or felt.dealer_total() > 21 or felt.dealer_has_blackjack():
        return None
    card = F.extra_card(scene, segment, zone)
    if card is None or not felt.anything_open():
        return None
    second = segment.moment(J.AT_SECOND)
    assert second is not None, "looked for above"
    segment.after(max(second, segment.dealer()[-1], key=segment.index), card)
    return segment, felt, card


@plants("dealer.drew-on-standing-total", AS_PRESCRIBED, weight=1.2)
def discard_surplus(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A card drawn on a standing total goes to the discard rack, by ruling or without further ado."""
    slot = S.DEALER__DREW_ON_STANDING_TOTAL
    found = _standing(scene, number, J.ZONE_DISCARD)
    if found is None:
        return None
    segment, _felt, card = found
    if scene.rng.random() < 0.7:
        segment.after(card, *scene.irregularity(slot, scene.prescribed(slot), of=[card]))
    return [scene.found(slot, segment, handling=handling)]


@plants("dealer.drew-on-standing-total", NOT_PRESCRIBED, phase=SETTLED, weight=1.5)
def count_surplus(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A card drawn on a standing total is counted, and all wagers are settled by what the dealer then has."""
    slot = S.DEALER__DREW_ON_STANDING_TOTAL
    found = _standing(scene, number, J.ZONE_DEALER)
    if found is None or not _is_simple(scene, found[1]):
        return None
    segment, felt, card = found
    total = cards.total([*felt.dealer, card.card])[0]
    variance = 0
    for line in payments.due(scene, number):
        if line.kind <= ops.DOUBLE and _is_plain(felt, line):
            net = _against(scene, line, felt.hand(line.seat, line.hand).total, total)
            variance += net - line.net()
            if net != line.net():
                _settle(scene, segment, line, net)
    if not variance:
        return None
    if scene.rng.random() < 0.3:
        segment.after(card, *scene.irregularity(slot, ops.CONTINUE, of=[card]))
    return [scene.found(slot, segment, variance_cents=variance, handling=handling)]


def _is_simple(scene: Scene, felt: DealtHands) -> bool:
    """Tell whether only hands below 21 can be touched by the dealer's total."""
    for hand in felt.hands():
        tied = hand.is_split and not scene.rules.wins_at_once
        against_21 = hand.is_blackjack and scene.rules.blackjack_against_21
        if hand.total == 21 and len(hand.cards) == 2 and (tied or against_21):
            return False
    return True


def _is_plain(felt: DealtHands, line: payments.DuePayment) -> bool:
    """Tell whether a wager lies on a hand below 21 and was not given up."""
    hand = felt.hand(line.seat, line.hand)
    return hand.total < 21 and line.bettor in hand.live


def _against(scene: Scene, line: payments.DuePayment, total: int, dealer: int) -> int:
    """Return the result of a wager on a hand below 21 against a dealer's total."""
    if dealer > 21 or total > dealer:
        limit = int(scene.rules.payout_cap) if line.kind <= ops.SPLIT else 0
        return min(line.stake, limit) if limit else line.stake
    return 0 if total == dealer else -line.stake


def _settle(scene: Scene, segment: Segment, line: payments.DuePayment, net: int) -> None:
    """Settle a wager otherwise in the end."""
    old = payments.logged(segment, line)
    if old is not None:
        segment.remove(old)
    if net:
        payments.put_final(scene, segment, payments.settle_row(line, max(net, 0), max(-net, 0)))


@plants("dealer.failed-to-draw", weight=1.5)
def stop_short(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer stops where another card is due: on 16, or on a soft 17 out of habit from another table."""
    found = F.played(scene, number)
    if found is None or scene.rules.stopped_short_complete:
        return None
    segment, felt = found
    rows = segment.dealer()
    if len(rows) < 3 or segment.moment(J.AT_SECOND) is None:
        return None
    totals = [cards.total([row.card for row in rows[:count]])[0] for count in range(2, len(rows))]
    kept = 2 + max(range(len(totals)), key=totals.__getitem__)
    segment.remove(*rows[kept:])
    if not felt.anything_open() or not F.keeps_cut(scene, segment):
        return None
    return [scene.found(S.DEALER__FAILED_TO_DRAW, segment)]


@plants("dealer.drew-without-effect", weight=1.2)
def draw_for_nothing(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer completes the own hand although no other is left that it could change."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    second = segment.moment(J.AT_SECOND)
    if second is None or felt.anything_open():
        return None
    if len(felt.dealer) == 1:
        card = F.extra_card(scene, segment, J.ZONE_DEALER, lambda card: felt.must_draw([*felt.dealer, card]))
        if card is None:
            return None
        segment.before(second, card)
        felt.dealer.append(card.card)
    if not felt.must_draw():
        return None
    at = second
    while felt.must_draw():
        card = F.extra_card(scene, segment, J.ZONE_DEALER)
        if card is None:
            return None
        segment.after(at, card)
        felt.dealer.append(card.card)
        at = card
    return [scene.found(S.DEALER__DREW_WITHOUT_EFFECT, segment)]
