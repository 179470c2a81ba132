"""Cards drawn in error or together, cards that were asked for and did not come, and rounds short of a card."""

from itertools import takewhile

from replay import ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import deal
from replay.simulator.plant import felt as F
from replay.simulator.plant.base import (
    AS_PRESCRIBED,
    NONE,
    NOT_PRESCRIBED,
    SETTLED,
    Scene,
    Segment,
    Truth,
    plants,
)
from replay.simulator.plant.felt import DealtHand, DealtHands, DecisionStep

_LATER = (ops.CONTINUE, ops.USE_NEXT)

# Cards that did not come.


def _acting(segment: Segment, felt: DealtHands, after: int) -> list[tuple[int, Row]]:
    """Boxes after one that get cards in their turn, each with the end of its turn."""
    blocks = sorted(F.turns(segment).items())
    return [(seat, rows[-1]) for seat, rows in blocks if seat > after and any(row.op == ops.DRAW for row in rows)]


@plants("deal.hit-not-dealt", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.8)
def forget_hit(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The dealer does not hear that a player wants a card and goes on to the next box."""
    slot = S.DEAL__HIT_NOT_DEALT
    wrong = ops.RECONSTRUCT if _is_free(scene, slot) else ops.DEAD_HAND
    right = (ops.RECONSTRUCT, ops.DEAD_HAND, *_LATER)
    ruling = deal.choose_ruling(scene, slot, handling, right, (wrong, ops.CONTINUE))
    found = F.played(scene, number)
    if found is None or ruling is None:
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.single_hands()):
        hits = [step for step in hand.steps if step.row.kind == ops.HIT]
        later = _acting(segment, felt, hand.seat)
        if not hits or not later or hand.doublers or not deal.may_drop(segment, hand):
            continue
        line = scene.irregularity(slot, ruling, seat=hand.seat)
        if ruling == ops.RECONSTRUCT:
            segment.before(hits[-1].row, *line)
            return [scene.found(slot, segment, seat=hand.seat, handling=handling)]
        if len(later) > 1 and not _is_free(scene, slot):
            continue
        if ruling in _LATER:
            return _answer_last(scene, segment, hand, hits[-1], line, handling)
        segment.remove(*F.rows_after(segment, hand, hits[-1].row))
        segment.after(later[0][1], *line)
        if not F.play_dealer(scene, segment, dead={hand.seat}):
            return None
        return [scene.found(slot, segment, seat=hand.seat, handling=handling)]
    return None


def _is_free(scene: Scene, slot: int) -> bool:
    """Tell whether the card may come later or not at all, however many boxes have been played meanwhile."""
    return any(int(bits) in _LATER for bits in scene.rules.prescribes[slot])


def _answer_last(
    scene: Scene, segment: Segment, hand: DealtHand, step: DecisionStep, line: list[Row], handling: int
) -> list[Truth] | None:
    """The card comes when everybody else has theirs, and the hand gets no other."""
    card, *rest = F.rows_after(segment, hand, step.row)
    done = F.hand_done(segment, hand)
    if done is None or hand.total < scene.rules.must_draw_below:
        return None
    segment.remove(card, done, *rest)
    last = max((rows[-1] for rows in F.turns(segment).values()), key=segment.index)
    segment.after(last, *line, card, done)
    return [scene.found(S.DEAL__HIT_NOT_DEALT, segment, seat=hand.seat, handling=handling)]


@plants("deal.hit-not-dealt", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.4)
def forget_hit_long(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A box is passed over, which is noticed when several others have cards, where that makes a difference."""
    slot = S.DEAL__HIT_NOT_DEALT__LATE
    ruling = deal.choose_ruling(scene, slot, handling, (ops.CONTINUE,), (ops.RECONSTRUCT,))
    found = F.played(scene, number)
    if found is None or ruling is None or scene.clause(slot) == scene.clause(S.DEAL__HIT_NOT_DEALT):
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.single_hands()):
        later = _acting(segment, felt, hand.seat)
        if len(later) < 2 or hand.last() is None or hand.doublers or not deal.may_drop(segment, hand):
            continue
        if hand.steps[0].row.kind != ops.HIT:
            continue
        segment.after(later[1][1], *scene.irregularity(slot, ruling, seat=hand.seat))
        if ruling == ops.CONTINUE:
            first = hand.steps[0].row
            segment.remove(*F.rows_after(segment, hand, first), first)
            if not F.play_dealer(scene, segment):
                return None
        return [scene.found(slot, segment, seat=hand.seat, handling=handling)]
    return None


# Cards drawn in error.


def _hits(scene: Scene, segment: Segment, felt: DealtHands) -> list[tuple[DealtHand, DecisionStep, Row]]:
    """Hits in random order, with the card that each of them brought."""
    every = [(hand, step) for hand in felt.hands() for step in hand.steps if step.row.kind == ops.HIT]
    return F.mixed(scene.rng, ((hand, step, F.rows_after(segment, hand, step.row)[0]) for hand, step in every))


def _exposed(lines: list[Row]) -> list[Row]:
    lines[0].flags = ops.EXPOSED
    return lines


@plants("deal.drawn-in-error", AS_PRESCRIBED, NOT_PRESCRIBED, weight=1)
def draw_unasked(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The dealer draws a card before anybody asked for one; it is the next card, or wrongly burned."""
    found = F.played(scene, number)
    seen = scene.rng.random() < 0.5
    slot = S.DEAL__DRAWN_IN_ERROR__SEEN if seen else S.DEAL__DRAWN_IN_ERROR__UNSEEN
    ruling = deal.choose_ruling(scene, slot, handling, (ops.USE_NEXT,), (ops.REMOVE_CARD,))
    if found is None or ruling is None:
        return None
    segment, felt = found
    for _hand, step, card in _hits(scene, segment, felt):
        drawn: Row | None = card
        if ruling == ops.REMOVE_CARD:
            drawn = F.extra_card(scene, segment, J.ZONE_DISCARD)
        else:
            segment.remove(card)
        if drawn is None:
            return None
        line = scene.irregularity(slot, ruling, of=[drawn])
        segment.before(step.row, drawn, *(_exposed(line) if seen else line))
        return [scene.found(slot, segment, handling=handling)]
    return None


def _refusal(scene: Scene, segment: Segment, felt: DealtHands) -> tuple[Row, list[Row], int] | None:
    """A box that stands lets an exposed card go by, which the next one takes: its decision, the lines, its seat."""
    order = felt.hands()
    for hand, step, card in _hits(scene, segment, felt):
        before = order[order.index(hand) - 1] if order.index(hand) else None
        if before is None or before.seat == hand.seat or step is not hand.steps[0]:
            continue
        if len(before.steps) == 1 and before.stands() and not before.is_split:
            segment.remove(card)
            line = scene.irregularity(S.DEAL__DRAWN_IN_ERROR__SEEN, ops.USE_NEXT, of=[card])
            line[0].aux = 1 << before.seat
            return before.steps[0].row, [card, *_exposed(line)], before.seat
    return None


@plants("deal.drawn-in-error", AS_PRESCRIBED, weight=0.4)
def refuse_card(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A card drawn in error and exposed is refused by one player, who stands, and goes to the next."""
    found = F.played(scene, number)
    refusal = None if found is None else _refusal(scene, *found)
    if found is None or refusal is None:
        return None
    segment, (row, lines, _seat) = found[0], refusal
    segment.before(row, *lines)
    return [scene.found(S.DEAL__DRAWN_IN_ERROR__SEEN, segment, handling=handling)]


@plants("deal.drawn-in-error", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.3)
def refuse_card_all(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """An exposed card that nobody wants: the dealer's next, or discarded where the dealer has no use for it."""
    slot = S.DEAL__DRAWN_IN_ERROR__REFUSED
    ruling = deal.choose_ruling(scene, slot, handling, (ops.USE_NEXT, ops.REMOVE_CARD), (ops.REMOVE_CARD,))
    found = F.played(scene, number)
    if found is None or ruling is None:
        return None
    segment, felt = found
    quiet = [hand for hand in takewhile(_takes_nothing, reversed(felt.hands())) if hand.steps]
    if not quiet:
        return None
    if ruling == ops.USE_NEXT:
        if scene.rules.hole_card or len(felt.dealer) < 2:
            return None
        card: Row | None = segment.dealer()[1]
        segment.remove(segment.dealer()[1])
    else:
        if handling == AS_PRESCRIBED and (not scene.rules.hole_card or felt.must_draw(felt.dealer[:2])):
            return None
        card = F.extra_card(scene, segment, J.ZONE_DISCARD)
    if card is None:
        return None
    line = _exposed(scene.irregularity(slot, ruling, of=[card]))
    line[0].aux = sum(1 << hand.seat for hand in quiet)
    segment.before(quiet[-1].steps[0].row, card, *line)
    return [scene.found(slot, segment, handling=handling)]


def _takes_nothing(hand: DealtHand) -> bool:
    """Tell whether a hand just stands, or has nothing to decide."""
    return not hand.is_split and not hand.given_up and all(step.row.kind == ops.STAND for step in hand.steps)


@plants("play.illegal-hit", weight=0.3)
def hit_after_refusing(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Let a player who refused an exposed card ask for another later, and get it."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    for hand, step, card in _hits(scene, segment, felt):
        for other in felt.single_hands():
            kinds = [each.row.kind for each in other.steps]
            if other.seat <= hand.seat or kinds.count(ops.HIT) != 1 or other.doublers or other.given_up:
                continue
            segment.remove(card)
            line = _exposed(scene.irregularity(S.DEAL__DRAWN_IN_ERROR__SEEN, ops.USE_NEXT, of=[card]))
            line[0].aux = 1 << other.seat
            segment.before(step.row, card, *line)
            return [
                scene.found(S.DEAL__DRAWN_IN_ERROR__SEEN, segment, handling=AS_PRESCRIBED),
                scene.found(S.PLAY__ILLEGAL_HIT__AFTER_REFUSAL, segment, seat=other.seat, hand=1),
            ]
    return None


@plants("deal.drawn-in-error", NONE, weight=0.4)
def deal_on_after_blackjack(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The reader has found a blackjack, and a card is dealt all the same: to a box that asks for it, or to nobody."""
    slot = S.DEAL__DRAWN_IN_ERROR__AFTER_BLACKJACK
    segment = scene.segment(number)
    if segment is None or segment.is_void() or not scene.is_checked(slot):
        return None
    check = segment.moment(J.AT_CHECKED)
    if check is None or not segment.find(ops.HOLE_CHECK, kind=ops.CHECK_BLACKJACK):
        return None
    hands = [hand for hand in DealtHands(scene, segment).hands() if hand.total < 17]
    asks = bool(hands) and scene.rng.random() < 0.5
    card = F.extra_card(scene, segment, F.zone(hands[0]) if asks else J.ZONE_DEALER)
    if card is None:
        return None
    if not asks:
        segment.after(check, card)
        return [scene.found(slot, segment)]
    segment.after(check, F.decision(hands[0], ops.HIT), card)
    return [scene.found(slot, segment, seat=hands[0].seat, hand=1)]


# Cards drawn together.


@plants("deal.drawn-together", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.8)
def draw_together(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """Two cards come out of the shoe at once for a player who then takes both."""
    slots = (S.DEAL__DRAWN_TOGETHER__NONE_SEEN, S.DEAL__DRAWN_TOGETHER__ONE_SEEN, S.DEAL__DRAWN_TOGETHER__SEEN)
    seen = scene.rng.randrange(3)
    ruling = deal.choose_ruling(scene, slots[seen], handling, (ops.USE_NEXT,), (ops.CONTINUE,))
    found = F.played(scene, number)
    if found is None or ruling is None:
        return None
    segment, felt = found
    for hand, step, card in _hits(scene, segment, felt):
        more = [row for row in F.rows_after(segment, hand, step.row) if row.op == ops.DRAW]
        if len(more) < 2 or any(each.row.kind == ops.DOUBLE_DOWN for each in hand.steps):
            continue
        line = scene.irregularity(slots[seen], ruling, of=[card] if seen == 1 else more[:2], seat=hand.seat)
        segment.after(more[1], *(_exposed(line) if seen else line))
        return [scene.found(slots[seen], segment, seat=hand.seat, handling=handling)]
    return None


@plants("deal.drawn-together", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.5)
def draw_together_for_dealer(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """Two cards come out at once for the dealer: both are used, or, where both were seen, one of them."""
    slots = (
        S.DEAL__DRAWN_TOGETHER__DEALER_NONE_SEEN,
        S.DEAL__DRAWN_TOGETHER__DEALER_ONE_SEEN,
        S.DEAL__DRAWN_TOGETHER__DEALER_SEEN,
    )
    seen = scene.rng.randrange(3)
    ruling = deal.choose_ruling(
        scene, slots[seen], handling, (ops.USE_NEXT, ops.REMOVE_CARD), (ops.USE_NEXT if seen == 2 else ops.CONTINUE,)
    )
    found = F.played(scene, number)
    if found is None or ruling is None or len(found[1].dealer) < 3:
        return None
    segment = found[0]
    first, second = segment.dealer()[1:3]
    of = [first] if seen == 1 else [first, second]
    at = second
    if ruling == ops.REMOVE_CARD:
        other = F.extra_card(scene, segment, J.ZONE_DISCARD)
        if other is None:
            return None
        segment.after(first, other)
        of, at, ruling = [other], other, ops.REMOVE_CARD | ops.USE_NEXT
    line = scene.irregularity(slots[seen], ruling, of=of)
    segment.after(at, *(_exposed(line) if seen else line))
    return [scene.found(slots[seen], segment, handling=handling)]


# Rounds that are short of a card.


@plants("deal.count-mismatch", NONE, weight=0.3)
def stop_in_mid_deal(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer loses track in the middle of the deal and collects the cards; nobody says a word."""
    segment = scene.segment(number)
    if segment is None or segment.is_void() or F.has_progressive(segment) or segment.find(ops.CUT_CARD):
        return None
    end, final = deal.dealt(segment), segment.moment(J.AT_END)
    cards_dealt = [row for row in segment.rows[: segment.index(end)] if row.op == ops.DRAW and row.zone != J.ZONE_BURN]
    segment.remove(*cards_dealt[scene.rng.randrange(1, len(cards_dealt)) :])
    segment.remove(*(row for row in segment.rows[segment.index(end) + 1 : -1] if row is not final))
    return [scene.found(S.DEAL__COUNT_MISMATCH__INITIAL, segment)] if F.keeps_cut(scene, segment) else None


@plants("deal.count-mismatch", AS_PRESCRIBED, NOT_PRESCRIBED, NONE, weight=0.4)
def miss_second_card(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The dealer settles nothing, for want of a second card of the own that nobody draws."""
    slot = S.DEAL__COUNT_MISMATCH
    found = F.played(scene, number)
    if found is None or scene.rules.hole_card or bool(scene.prescribed(slot)) == (handling == NONE):
        return None
    segment, felt = found
    if len(felt.dealer) != 2 or F.has_progressive(segment) or segment.find(ops.WAGER, kind=ops.INSURANCE):
        return None
    second = segment.dealer()[1]
    felt.dealer.pop()
    if not felt.anything_open():
        return None
    if handling == AS_PRESCRIBED:
        segment.after(second, *scene.irregularity(slot, ops.RECONSTRUCT))
    elif handling == NOT_PRESCRIBED and scene.rng.random() < 0.5:
        segment.after(second, *scene.irregularity(slot, ops.USE_NEXT))
    segment.remove(second)
    return [scene.found(slot, segment, handling=handling)] if F.keeps_cut(scene, segment) else None


@plants("deal.count-mismatch", NONE, phase=SETTLED, weight=0.3)
def lose_last_card(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The last card that a player asked for never came out of the shoe, as the shoe has it."""
    slot = S.DEAL__COUNT_MISMATCH
    found = F.played(scene, number)
    if found is None or not scene.rules.hole_card or scene.prescribed(slot) or F.has_progressive(found[0]):
        return None
    segment, _felt = found
    last = segment.draws()[-1]
    for hand, step, card in _hits(scene, segment, DealtHands(scene, segment)):
        if card is last and hand.stands() and step is hand.steps[-2]:
            segment.remove(card)
            return [scene.found(slot, segment)] if F.keeps_cut(scene, segment) else None
    return None
