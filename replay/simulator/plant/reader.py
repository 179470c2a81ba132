"""The hole-card reader: used when it must not be, not used when it must be, broken, or wrong."""

from replay import cards, ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import FAULT_KINDS, Row
from replay.simulator.plant import plain, void
from replay.simulator.plant.base import (
    AS_PRESCRIBED,
    NOT_PRESCRIBED,
    SETTLED,
    UNREPORTED,
    Scene,
    Segment,
    Truth,
    plants,
)
from replay.simulator.plant.shoe import drop

_OPENING = 1  # the segment with all that comes before the first round
_RULED = (AS_PRESCRIBED, NOT_PRESCRIBED, UNREPORTED)


def _asks_for_reader(scene: Scene, segment: Segment) -> bool:
    """Tell whether the dealer's up card is one under which the reader is used."""
    return bool(scene.rules.reader_up >> int(cards.RANK[segment.up()]) & 1)


def _checked(scene: Scene, segment: Segment | None) -> Row | None:
    """The look at the hole card that found no blackjack."""
    if segment is None or not scene.rules.reader or not scene.rules.hole_card:
        return None
    return segment.first(ops.HOLE_CHECK, kind=ops.CHECK_NO_BLACKJACK)


# Used when it must not be.


@plants("reader.misused", *_RULED, phase=SETTLED, weight=1)
def look_too_often(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The dealer puts the hole card into the reader under a two to a nine."""
    segment = void.plain_round(scene, number)
    if segment is None or not scene.rules.reader or not scene.rules.hole_card or _asks_for_reader(scene, segment):
        return None
    slot = S.READER__MISUSED__REVEALS if scene.rules.reader_reveals else S.READER__MISUSED__CONCEALS
    dealt = segment.moment(J.AT_TURNS)
    if dealt is None or not void.can_be(scene, slot, handling):
        return None
    look = Row(ops.HOLE_CHECK, kind=ops.CHECK_NO_BLACKJACK)
    segment.before(dealt, look)
    if scene.rules.reader_reveals:
        return _revealed(scene, segment, look, handling)
    if handling == NOT_PRESCRIBED:
        return _call_dead(scene, segment, look)
    if handling == AS_PRESCRIBED:
        segment.after(look, *scene.irregularity(slot, ops.CONTINUE))
    return [scene.found(slot, segment, handling=handling)]


def _revealed(scene: Scene, segment: Segment, look: Row, handling: int) -> list[Truth] | None:
    """The players could see the hole card, so all hands are dead."""
    slot = S.READER__MISUSED__REVEALS
    truth = scene.found(slot, segment, handling=handling)
    if handling == AS_PRESCRIBED:
        if void.feeds_meter(segment):
            return None
        ruling = ops.VOID | scene.rng.choice((0, ops.DEAD_HAND))
        void.call_off(segment, look, scene.irregularity(slot, ruling))
        return [truth]
    if handling == NOT_PRESCRIBED:
        segment.after(look, *scene.irregularity(slot, ops.CONTINUE))
    return [truth, void.played_on(scene, segment, slot, handling)]


def _call_dead(scene: Scene, segment: Segment, look: Row) -> list[Truth] | None:
    """Nobody could see anything, and yet the hands are called dead when they have been played."""
    if void.has_progressive_stakes(segment):
        return None
    slot = S.READER__MISUSED__CONCEALS
    cost = void.annul(segment, scene.irregularity(slot, ops.VOID))
    return [
        scene.found(slot, segment, handling=NOT_PRESCRIBED),
        scene.found(S.ROUND__VOID_UNJUSTIFIED__READER, segment, variance_cents=cost, handling=NOT_PRESCRIBED),
    ]


# Not used when it must be.


@plants("reader.not-used", weight=1.5)
def forget_reader(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer does not look at the hole card, or only when the players have acted."""
    segment = void.plain_round(scene, number)
    look = _checked(scene, segment)
    if segment is None or look is None:
        return None
    late = [row for row in segment.find(ops.DECISION) if row.kind != ops.SURRENDER]
    insured = segment.first(ops.WAGER, kind=ops.INSURANCE)
    segment.remove(look)
    if late and not insured and scene.rng.random() < 0.3:
        segment.after(late[-1], look)
    return [scene.found(S.READER__NOT_USED, segment)]


@plants("reader.not-inspected", weight=0.5)
def skip_reader_check(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Nobody tests the reader when the table opens."""
    slot = S.READER__NOT_INSPECTED
    segment = scene.segment(_OPENING)
    if segment is None or not scene.rules.reader or not scene.is_checked(slot):
        return None
    drop(segment, [row for row in segment.gap if row.op == ops.READER_CHECK])
    loaded = [row.cents for row in segment.gap if row.op == ops.SHOE_LOADED]
    return [scene.found(slot, segment, shoe=loaded[-1])]


# Broken.


@plants("reader.fault-play-continued", weight=0.6)
def deal_with_broken_reader(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The reader is out of order, and the dealer deals on, or (where that is allowed) looks all the same."""
    segment = void.plain_round(scene, number)
    if segment is None or not scene.rules.reader or not scene.rules.hole_card:
        return None
    look = segment.first(ops.HOLE_CHECK)
    if look is not None and look.kind == ops.CHECK_BLACKJACK:
        return None
    kind = scene.rng.randrange(len(FAULT_KINDS[ops.DEVICE_READER]))
    fault = Row(ops.FAULT, kind=ops.DEVICE_READER, aux=kind)
    later = segment.draws()[:-1]
    if look is not None:
        later = [row for row in later if segment.index(row) > segment.index(look)]
    if not scene.rules.reader_stops and look is None:
        return None
    if scene.rules.reader_stops and later and scene.rng.random() < 0.5:
        segment.after(scene.rng.choice(later), fault)
    else:
        fault.ms = segment.rows[0].ms - 2 * J.LEAST_GAP_MS
        segment.gap.append(fault)
        if scene.rules.reader_stops:
            segment.remove(*segment.find(ops.HOLE_CHECK))
    segment.before(segment.end(), Row(ops.REPAIRED, kind=ops.DEVICE_READER, aux=kind))
    return [scene.found(S.READER__FAULT_PLAY_CONTINUED, segment)]


@plants("reader.fault-play-continued", weight=0.6)
def deal_after_failed_look(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The reader gives no answer, and the dealer plays the round to its end."""
    segment = void.plain_round(scene, number)
    look = _checked(scene, segment)
    if segment is None or look is None or not scene.rules.reader_stops or segment.first(ops.WAGER, kind=ops.INSURANCE):
        return None
    if not any(row.op == ops.DRAW for row in segment.rows[segment.index(look) :]):
        return None
    look.kind = ops.CHECK_FAULT
    segment.before(segment.end(), Row(ops.REPAIRED, kind=ops.DEVICE_READER, aux=0))
    return [scene.found(S.READER__FAULT_PLAY_CONTINUED, segment)]


# Wrong.


@plants("reader.contradicts-cards", weight=0.3)
def see_no_blackjack(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The reader does not see the dealer's blackjack, the players act, and then it shows."""
    segment = void.plain_round(scene, number)
    look = segment.first(ops.HOLE_CHECK, kind=ops.CHECK_BLACKJACK) if segment else None
    if segment is None or look is None or segment.first(ops.WAGER, kind=ops.INSURANCE):
        return None
    if segment.first(ops.PROGRESSIVE) or not scene.is_checked(S.READER__CONTRADICTS_CARDS):
        return None
    look.kind = ops.CHECK_NO_BLACKJACK
    played = [Row(J.MOMENT, kind=J.AT_TURNS)]
    try:
        for seat in segment.seats():
            played += plain.turn(seat, segment.rows, lambda zone: [_spare(scene, segment, zone)])
    except LookupError:
        return None
    segment.after(segment.moment(J.AT_CHECKED) or look, *played)
    return [scene.found(S.READER__CONTRADICTS_CARDS, segment)]


def _spare(scene: Scene, segment: Segment, zone: int) -> Row:
    """One more card of the round's shoe."""
    shoe = scene.shoe_of(segment)
    card = scene.spare_card(shoe)
    if card is None:
        raise LookupError(shoe)
    return scene.draw(shoe, card, zone)


@plants("reader.contradicts-cards", weight=0.3)
def see_blackjack(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The reader says blackjack where there is none; the dealer turns the card over, and all hands stand."""
    segment = void.plain_round(scene, number)
    look = _checked(scene, segment)
    if segment is None or look is None or segment.first(ops.WAGER, kind=ops.INSURANCE):
        return None
    later = segment.rows[segment.index(look) :]
    acts = any(row.op in (ops.DRAW, ops.WAGER) or (row.op == ops.DECISION and row.kind != ops.STAND) for row in later)
    if acts or segment.first(ops.OFFER) or not scene.is_checked(S.READER__CONTRADICTS_CARDS):
        return None
    look.kind = ops.CHECK_BLACKJACK
    return [scene.found(S.READER__CONTRADICTS_CARDS, segment)]
