"""Misdeals of the initial deal: cards that a box or the dealer did not get, or that somebody got who should not."""

from collections.abc import Callable, Sequence

from replay import ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import felt as F
from replay.simulator.plant.base import AS_PRESCRIBED, NONE, NOT_PRESCRIBED, Scene, Segment, Truth, plants
from replay.simulator.plant.felt import DealtHand, DealtHands
from replay.simulator.plant.payments import move

_LATER = (ops.CONTINUE, ops.USE_NEXT)  # rulings by which a card comes later
_BACK = (ops.DEAD_HAND, ops.WITHDRAW_WAGER)  # rulings that take a hand out of the round


def choose_ruling(scene: Scene, slot: int, handling: int, right: Sequence[int], wrong: Sequence[int]) -> int | None:
    """One of the rulings that are right in some rulebook, or one that is wrong in this; None where there is none."""
    if not scene.is_checked(slot):
        return None
    prescribed = {int(bits) for bits in scene.rules.prescribes[slot] if bits}
    if handling == NONE:
        fit = [] if prescribed else [*right, *wrong]
    elif handling == AS_PRESCRIBED:
        fit = [bits for bits in right if bits in prescribed]
    else:
        fit = [bits for bits in wrong if prescribed and bits not in prescribed]
    return scene.rng.choice(fit) if fit else None


def dealt(segment: Segment) -> Row:
    """The moment after the initial deal, before anything is settled."""
    moment = segment.moment(J.AT_DEALT)
    assert moment is not None, "every round is dealt"
    return moment


def after_first_box(segment: Segment, felt: DealtHands) -> tuple[int, Row] | None:
    """The first box that acts, and the end of its turn."""
    for seat, rows in sorted(F.turns(segment).items()):
        if any(hand.steps and not hand.given_up for hand in felt.order[seat]):
            return seat, rows[-1]
    return None


def drop_box(scene: Scene, segment: Segment, hand: DealtHand, keep: int) -> bool:
    """A box is out of the round and keeps some of its first two cards; False where the dealer cannot go on."""
    gone = [row for row in F.turns(segment).get(hand.seat, []) if row.op != ops.CUT_CARD]
    segment.remove(*gone, *segment.hand(hand.seat)[keep:2])
    return F.play_dealer(scene, segment, dead={hand.seat})


def may_drop(segment: Segment, hand: DealtHand) -> bool:
    """Tell whether a box can be taken out of the round without more following from it."""
    return not hand.given_up and not F.has_wager(segment, hand.seat, ops.INSURANCE, ops.BONUS_SPIN)


def withdrawals(hand: DealtHand, ruling: int) -> list[Row]:
    """Everybody in a box takes the wager back, where that is the ruling."""
    if ruling != ops.WITHDRAW_WAGER:
        return []
    return [Row(ops.WITHDRAW, seat=hand.seat, bettor=bettor, hand=1, kind=ops.MAIN) for bettor in sorted(hand.bettors)]


# The dealer's card.


@plants("deal.dealer-missed-card", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.7)
def miss_own_card(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The dealer forgets the own first card and notices it when the players have their two."""
    slot = S.DEAL__DEALER_MISSED_CARD__EARLY
    found = F.played(scene, number)
    ruling = choose_ruling(scene, slot, handling, (ops.RECONSTRUCT, ops.CONTINUE), (ops.RECONSTRUCT, ops.CONTINUE))
    if found is None or ruling is None:
        return None
    segment, _felt = found
    up, *rest = segment.dealer()
    if ruling == ops.CONTINUE:
        hole = rest[0] if scene.rules.hole_card else dealt(segment)
        segment.remove(up)
        segment.before(hole, up)
    segment.before(dealt(segment), *scene.irregularity(slot, ruling))
    return [scene.found(slot, segment, handling=handling)]


@plants("deal.dealer-missed-card", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.4)
def miss_own_card_long(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """... or only when a box has been played, where that makes a difference."""
    slot = S.DEAL__DEALER_MISSED_CARD__LATE
    found = F.played(scene, number)
    ruling = choose_ruling(scene, slot, handling, _LATER, (ops.RECONSTRUCT,))
    if found is None or ruling is None or scene.clause(slot) == scene.clause(S.DEAL__DEALER_MISSED_CARD__EARLY):
        return None
    segment, felt = found
    first = after_first_box(segment, felt)
    if first is None or (scene.rules.insurance_up | scene.rules.surrender_up) >> felt.up() & 1:
        return None
    line = scene.irregularity(slot, ruling)
    segment.after(first[1], *line)
    if ruling != ops.RECONSTRUCT:
        move(segment, segment.dealer()[0], line[-1])
    return [scene.found(slot, segment, handling=handling)]


# Boxes that were passed over.


@plants("deal.player-no-cards", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.6)
def pass_over(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A box gets no cards, which is noticed at once."""
    slot = S.DEAL__PLAYER_NO_CARDS__EARLY
    right, wrong = (ops.RECONSTRUCT, ops.DEAD_HAND), (ops.CONTINUE, ops.DEAD_HAND)
    return leave_out(scene, number, handling, slot, choose_ruling(scene, slot, handling, right, wrong))


@plants("deal.player-no-cards", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.4)
def pass_over_long(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A box gets no cards, which is noticed when another has been played."""
    slot = S.DEAL__PLAYER_NO_CARDS__LATE
    ruling = choose_ruling(scene, slot, handling, (ops.RECONSTRUCT, *_BACK), (ops.CONTINUE, ops.RECONSTRUCT))
    return leave_out(scene, number, handling, slot, ruling)


def leave_out(scene: Scene, number: int, handling: int, slot: int, ruling: int | None) -> list[Truth] | None:
    """A box without cards: dealt in after all, or out of the round."""
    found = F.played(scene, number)
    if found is None or ruling is None:
        return None
    segment, felt = found
    first = after_first_box(segment, felt)
    late = slot == S.DEAL__PLAYER_NO_CARDS__LATE
    if len(felt.order) < 2 or first is None:
        return None
    for hand in F.mixed(scene.rng, (box[0] for box in felt.order.values())):
        if not may_drop(segment, hand) or (late and hand.seat <= first[0]):
            continue
        if ruling in _BACK and not drop_box(scene, segment, hand, keep=0):
            return None
        rows = [*scene.irregularity(slot, ruling, seat=hand.seat), *withdrawals(hand, ruling)]
        if late:
            segment.after(first[1], *rows)
        else:
            segment.before(dealt(segment), *rows)
        return [scene.found(slot, segment, seat=hand.seat, handling=handling)]
    return None


@plants("deal.player-one-card", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.7)
def skip_card(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A box gets one card only, which is noticed at once; the log may leave unsaid that it was the second."""
    slot = S.DEAL__PLAYER_ONE_CARD__EARLY
    wrong = (ops.RECONSTRUCT, ops.DEAD_HAND) if _comes_later(scene, slot) else (ops.CONTINUE,)
    ruling = choose_ruling(scene, slot, handling, (ops.RECONSTRUCT, ops.DEAD_HAND, *_LATER), wrong)
    found = F.played(scene, number)
    if found is None or ruling is None:
        return None
    segment, felt = found
    boxes = [box[0] for _, box in sorted(felt.order.items())]
    for hand in F.mixed(scene.rng, boxes[:-1]):
        if not may_drop(segment, hand):
            continue
        missed = scene.rng.choice((0, 2) if ruling == ops.DEAD_HAND else (0, 1, 2))
        if ruling in _LATER:
            first, second = segment.hand(hand.seat)[:2]
            if missed == 1:
                move(segment, first, second)
            move(segment, second, segment.hand(boxes[-1].seat)[1])
        elif ruling == ops.DEAD_HAND and not drop_box(scene, segment, hand, keep=1):
            return None
        segment.before(dealt(segment), *scene.irregularity(slot, ruling, seat=hand.seat, card=missed))
        return [scene.found(slot, segment, seat=hand.seat, handling=handling)]
    return None


def _comes_later(scene: Scene, slot: int) -> bool:
    """Tell whether the rulebook lets the missing card come after the others."""
    return any(int(bits) in _LATER for bits in scene.rules.prescribes[slot])


@plants("deal.player-one-card", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.4)
def skip_second_card_long(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A box gets one card only, which is noticed when another has been played, where that makes a difference."""
    slot = S.DEAL__PLAYER_ONE_CARD__LATE
    ruling = choose_ruling(
        scene, slot, handling, (*_LATER, ops.WITHDRAW_WAGER, ops.DEAD_HAND), (ops.RECONSTRUCT, ops.DEAD_HAND)
    )
    found = F.played(scene, number)
    if found is None or ruling is None or scene.clause(slot) == scene.clause(S.DEAL__PLAYER_ONE_CARD__EARLY):
        return None
    segment, felt = found
    first = after_first_box(segment, felt)
    for hand in F.mixed(scene.rng, (box[0] for box in felt.order.values())):
        started = hand.steps[0].row if hand.steps else None
        if first is None or hand.seat <= first[0] or started is None or not may_drop(segment, hand):
            continue
        if F.has_wager(segment, hand.seat, ops.PAIR):
            continue
        if ruling in _LATER:
            second = segment.hand(hand.seat)[1]
            segment.remove(second)
            segment.before(F.turns(segment)[hand.seat][0], second)
        elif ruling in _BACK and not drop_box(scene, segment, hand, keep=1):
            return None
        segment.after(first[1], *scene.irregularity(slot, ruling, seat=hand.seat), *withdrawals(hand, ruling))
        return [scene.found(slot, segment, seat=hand.seat, handling=handling)]
    return None


# Cards in the wrong place.


@plants("deal.wrong-box", AS_PRESCRIBED, NOT_PRESCRIBED, NONE, weight=0.7)
def deal_to_wrong_box(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A card goes to the neighbour's box; it is put right, or the hand is called dead where that may be."""
    slot = S.DEAL__WRONG_BOX
    found = F.played(scene, number)
    right = (ops.RECONSTRUCT, ops.DEAD_HAND) if handling == AS_PRESCRIBED else (ops.RECONSTRUCT,)
    ruling = choose_ruling(scene, slot, handling, right, (ops.CONTINUE,))
    if found is None or ruling is None:
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, (box[0] for box in felt.order.values())):
        if len(felt.order) < 2 or not may_drop(segment, hand):
            continue
        if ruling == ops.DEAD_HAND and not drop_box(scene, segment, hand, keep=2):
            return None
        segment.before(dealt(segment), *scene.irregularity(slot, ruling, seat=hand.seat))
        return [scene.found(slot, segment, seat=hand.seat, handling=handling)]
    return None


@plants("deal.wrong-box", AS_PRESCRIBED, weight=0.3)
def void_for_wrong_box(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """Cards went astray beyond reconstruction, and the round is void."""
    slot = S.DEAL__WRONG_BOX__BEYOND
    found = F.played(scene, number)
    if found is None or choose_ruling(scene, slot, handling, (ops.VOID,), ()) is None:
        return None
    segment, felt = found
    seat = scene.rng.choice(sorted(felt.order))
    rest = segment.rows[segment.index(dealt(segment)) : -1]
    if any(row.op == ops.CUT_CARD for row in rest):
        return None
    segment.before(dealt(segment), *scene.irregularity(slot, ops.VOID, seat=seat))
    segment.remove(*rest)
    return [scene.found(slot, segment, seat=seat, handling=handling)] if F.keeps_cut(scene, segment) else None


@plants("deal.unwagered-box", AS_PRESCRIBED, NOT_PRESCRIBED, NONE, weight=0.6)
def deal_to_empty_box(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A box without a wager is dealt in, which is noticed at once."""
    slot = S.DEAL__UNWAGERED_BOX__EARLY
    right = (ops.RECONSTRUCT,) if handling == AS_PRESCRIBED else ()
    ruling = choose_ruling(scene, slot, handling, right, (ops.REMOVE_CARD,))
    return put_in_empty_box(scene, number, handling, slot, ruling, lambda segment, felt: dealt(segment))


@plants("deal.unwagered-box", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.4)
def deal_to_empty_box_long(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A box without a wager is dealt in, which is noticed when another has been played."""
    slot = S.DEAL__UNWAGERED_BOX__LATE
    ruling = choose_ruling(scene, slot, handling, (ops.REMOVE_CARD,), (ops.RECONSTRUCT,))

    def noticed(segment: Segment, felt: DealtHands) -> Row | None:
        first = after_first_box(segment, felt)
        return None if first is None else segment.rows[segment.index(first[1]) + 1]

    return put_in_empty_box(scene, number, handling, slot, ruling, noticed)


def put_in_empty_box(
    scene: Scene,
    number: int,
    handling: int,
    slot: int,
    ruling: int | None,
    noticed: Callable[[Segment, DealtHands], Row | None],
) -> list[Truth] | None:
    """Cards for a box without a wager; taken away again, or the deal put right as if they had never been there."""
    found = F.played(scene, number)
    if found is None or ruling is None:
        return None
    segment, felt = found
    before = noticed(segment, felt)
    empty = sorted(set(range(1, scene.table.boxes + 1)) - set(felt.order))
    if before is None or not empty:
        return None
    seat = scene.rng.choice(empty)
    laid: list[Row] = []
    if ruling == ops.REMOVE_CARD:
        for which in range(scene.rng.randint(1, 2)):
            card = F.extra_card(scene, segment, J.ZONE_DISCARD)
            if card is None:
                return None
            later = [segment.hand(box)[which] for box in sorted(felt.order) if box > seat]
            after_all = segment.dealer()[0] if which == 0 else dealt(segment)
            if which and scene.rules.hole_card:
                after_all = segment.dealer()[1]
            segment.before(later[0] if later else after_all, card)
            laid.append(card)
    segment.before(before, *scene.irregularity(slot, ruling, of=laid, seat=seat))
    return [scene.found(slot, segment, seat=seat, handling=handling)]


@plants("deal.hole-card-exposed", weight=0.8)
def expose_hole_card(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer shows the hole card by accident, and play goes on."""
    slot = S.DEAL__HOLE_CARD_EXPOSED
    found = F.played(scene, number)
    if found is None or not scene.rules.hole_card or not scene.is_checked(slot):
        return None
    segment, _felt = found
    segment.before(dealt(segment), *scene.irregularity(slot, ops.CONTINUE))
    return [scene.found(slot, segment)]
