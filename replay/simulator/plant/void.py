"""Rounds that are called off, and rounds that had to be and were played on."""

from collections.abc import Sequence

from replay import cards, ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant.base import AS_PRESCRIBED, NONE, NOT_PRESCRIBED, UNREPORTED, Scene, Segment, Truth

_WHEEL = (ops.TRIGGER, ops.PRIZE, ops.MUST_HIT, ops.CANCEL_ROUND)


def can_be(scene: Scene, slot: int, handling: int) -> bool:
    """Tell whether a finding of a slot can have been handled that way at this table."""
    if not scene.is_checked(slot):
        return False
    if handling == NONE or not scene.prescribed(slot):
        return handling == NONE and not scene.prescribed(slot)
    return handling != UNREPORTED or scene.may_be_unreported(slot)


def plain_round(scene: Scene, number: int) -> Segment | None:
    """A round from one shoe, without a ruling or a spin of a wheel; None where it is not like that."""
    segment = scene.segment(number)
    if segment is None or not segment.dealer():
        return None
    if segment.first(ops.SHOE_LOADED) or segment.first(ops.IRREGULARITY) or segment.first(ops.FAULT):
        return None
    wheel = any(row.kind in _WHEEL for row in segment.find(ops.PROGRESSIVE))
    shared = any(row.card for row in segment.find(ops.WAGER, kind=ops.INSURANCE))
    return None if wheel or shared else segment


def feeds_meter(segment: Segment) -> bool:
    """Tell whether a meter has counted the round's wagers: then it cannot be void any more without a trace there."""
    return segment.first(ops.METER) is not None


def has_progressive_stakes(segment: Segment) -> bool:
    return any(row.kind in (ops.BONUS_SPIN, ops.BSX16) for row in segment.find(ops.WAGER))


# Calling a round off.


def call_off(segment: Segment, at: Row, lines: Sequence[Row]) -> None:
    """Stop a round behind a row: no card, no decision, and what was settled by then is taken back."""
    end = segment.end()
    segment.rows = [*segment.rows[: segment.index(at) + 1], end]
    segment.before(end, *lines)
    _take_back(segment, segment.find(ops.SETTLE))
    for started in segment.find(ops.PROGRESSIVE, kind=ops.START_ROUND):
        segment.before(end, Row(ops.PROGRESSIVE, kind=ops.CANCEL_ROUND, card=started.card, bettor=1, cents=-1))


def stopping_point(scene: Scene, segment: Segment, found: Row) -> Row:
    """The card after which a round can be called off for one that was laid aside: no hand waits for a card then."""
    draws = [row for row in segment.draws() if row.zone != J.ZONE_DISCARD]
    dealt = 2 * len(segment.seats()) + (2 if scene.rules.hole_card else 1)
    later = [row for row in draws[dealt - 1 :] if segment.index(row) > segment.index(found)]
    return later[0] if later else draws[-1]


def annul(segment: Segment, lines: Sequence[Row]) -> int:
    """Call a round off that was played to its end, instead of settling it; returns what the players got by that."""
    due = segment.net_cents()
    last = next(row for row in reversed(segment.rows) if row.op in (ops.DRAW, ops.DECISION, ops.HOLE_CHECK))
    at = segment.index(last)
    segment.remove(*(row for row in segment.rows[at:] if row.op == ops.SETTLE))
    paid = segment.find(ops.SETTLE)
    segment.before(segment.end(), *lines)
    _take_back(segment, paid)
    return -due


def _take_back(segment: Segment, lines: Sequence[Row]) -> None:
    for line in lines:
        back = Row(ops.SETTLE, line.seat, line.bettor, line.hand, line.kind, cents=-line.cents, aux=-line.aux)
        segment.before(segment.end(), back)


def is_complete(segment: Segment) -> bool:
    """Tell whether every hand was played out: the reader did not stop the round."""
    return segment.first(ops.HOLE_CHECK, kind=ops.CHECK_BLACKJACK) is None


# The findings.


def void_clause(scene: Scene, cause: int) -> str:
    """The clause that sends wagers back: one of its own for cards that do not belong, else the one that voids."""
    own = scene.clause(S.OUTCOME__VOID) if S.SHOE__TEN_FOUND <= cause <= S.SHOE__DECKS_WITHDRAWN_REUSED else ""
    return own or scene.clause(cause)


def played_on(scene: Scene, segment: Segment, cause: int, handling: int) -> Truth:
    """A round that had to be void for a cause, with the money that moved in it."""
    told = NOT_PRESCRIBED if handling in (AS_PRESCRIBED, NOT_PRESCRIBED) else UNREPORTED
    clause, cost = void_clause(scene, cause), segment.net_cents()
    return scene.found(S.ROUND__VOID_REQUIRED, segment, variance_cents=cost, clause=clause, handling=told)


# Cards that change nothing.


def dealers_last(segment: Segment) -> Row | None:
    """The round's last card, where it is the dealer's third or a later one: the dealer had to draw it."""
    last = segment.draws()[-1]
    return last if last.zone == J.ZONE_DEALER and len(segment.dealer()) > 2 else None


def suits_matter(segment: Segment, row: Row) -> bool:
    """Tell whether another suit of the same rank could change what somebody gets."""
    if row.zone == J.ZONE_DEALER and row is not segment.dealer()[0]:
        return False
    in_bonus = cards.SIX <= cards.RANK[row.card] <= cards.EIGHT and row.zone != J.ZONE_DEALER
    return in_bonus or segment.first(ops.WAGER, kind=ops.MATCH) is not None
