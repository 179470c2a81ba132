"""Rounds that had to be void and were not, rounds that were void and need not be, and power failures."""

from replay import cards, ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import reader, shoe_cards, shoe_load, void
from replay.simulator.plant.base import (
    AS_PRESCRIBED,
    NONE,
    NOT_PRESCRIBED,
    SETTLED,
    UNREPORTED,
    Act,
    Scene,
    Segment,
    Truth,
    plants,
)

_CODE_REQUIRED = "round.void-required"
_CODE_UNJUSTIFIED = "round.void-unjustified"


def _only(act: Act, code: str) -> Act:
    """A planter's doings where they give a finding with a code."""

    def chosen(scene: Scene, number: int, handling: int) -> list[Truth] | None:
        found = act(scene, number, handling)
        return found if found and any(truth.code == code for truth in found) else None

    chosen.__name__ = f"{act.__name__}_{code.rpartition('.')[2].replace('-', '_')}"
    return chosen


# Played on. What is wrong with the round is one of several things; the finding of the round itself goes with it.
for _act in (
    shoe_cards.find_one_ten,
    shoe_cards.find_tens,
    shoe_cards.find_face_up_cards,
    shoe_cards.find_card_too_many,
    shoe_load.skip_shuffle,
    reader.look_too_often,
):
    plants(_CODE_REQUIRED, NOT_PRESCRIBED, UNREPORTED, phase=SETTLED, weight=0.1)(_only(_act, _CODE_REQUIRED))

# Called off without cause.
plants(_CODE_UNJUSTIFIED, NOT_PRESCRIBED, phase=SETTLED, weight=0.3)(_only(reader.look_too_often, _CODE_UNJUSTIFIED))


@plants(_CODE_UNJUSTIFIED, phase=SETTLED, weight=0.5)
def call_off_at_end(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The round has been played, it went badly for somebody, and it is called void."""
    segment = void.plain_round(scene, number)
    if segment is None or not void.is_complete(segment) or void.has_progressive_stakes(segment):
        return None
    cost = void.annul(segment, scene.irregularity(S.ROUND__VOID_REQUIRED, ops.VOID))
    return [scene.found(S.ROUND__VOID_UNJUSTIFIED, segment, variance_cents=cost)]


@plants(_CODE_UNJUSTIFIED, phase=SETTLED, weight=0.3)
def call_off_after_deal(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The round is called void as soon as it is dealt, while nothing is decided."""
    segment = void.plain_round(scene, number)
    dealt = segment.moment(J.AT_DEALT) if segment else None
    if segment is None or dealt is None or void.has_progressive_stakes(segment) or _is_decided_by_deal(segment):
        return None
    void.call_off(segment, dealt, scene.irregularity(S.ROUND__VOID_REQUIRED, ops.VOID))
    return [scene.found(S.ROUND__VOID_UNJUSTIFIED, segment)]


def _is_decided_by_deal(segment: Segment) -> bool:
    """Tell whether the first cards decide any wager."""
    side = any(row.kind in (ops.MATCH, ops.PAIR) for row in segment.find(ops.WAGER))
    hands = [[row.card for row in segment.hand(seat)[:2]] for seat in segment.seats()]
    return side or any(cards.total(hand)[0] == 21 for hand in hands)


# Power failures.


@plants("round.power-failure", AS_PRESCRIBED, phase=SETTLED, weight=0.1)
def power_fails(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The lights go out in a round, and it goes on when they are back."""
    segment = void.plain_round(scene, number)
    if segment is None or segment.first(ops.DECISION, kind=ops.SPLIT_PAIR):
        return None
    at = scene.rng.choice([row for row in segment.rows if row.op in (ops.DRAW, ops.DECISION)])
    slot = _power_slot(segment, at)
    if not void.can_be(scene, slot, handling):
        return None
    segment.after(at, *_dark(), *scene.irregularity(slot, ops.CONTINUE))
    return [scene.found(slot, segment, handling=handling)]


@plants("round.power-failure", AS_PRESCRIBED, phase=SETTLED, weight=0.1)
def power_fails_and_all_withdraw(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The lights go out when the cards are dealt and nothing is decided; everybody takes the wagers back."""
    slot = S.ROUND__POWER_FAILURE__NO_OUTCOME
    segment = void.plain_round(scene, number)
    dealt = segment.moment(J.AT_DEALT) if segment else None
    if segment is None or dealt is None or not void.can_be(scene, slot, handling) or _is_decided_by_deal(segment):
        return None
    wagers = segment.find(ops.WAGER)
    before = [row for row in wagers if segment.index(row) < segment.index(dealt)]
    back = [Row(ops.WITHDRAW, seat=row.seat, bettor=row.bettor, hand=row.hand, kind=row.kind) for row in before]
    lines = [*_dark(), *scene.irregularity(slot, ops.WITHDRAW_WAGER), *back]
    void.call_off(segment, dealt, lines)
    return [scene.found(slot, segment, handling=handling)]


@plants("round.power-failure", NOT_PRESCRIBED, phase=SETTLED, weight=0.1)
@plants(_CODE_UNJUSTIFIED, NONE, phase=SETTLED, weight=0.1)
def power_fails_and_voids(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The lights go out, the round is played to its end by torchlight, and then it is called void for that."""
    segment = void.plain_round(scene, number)
    if segment is None or not scene.is_checked(S.ROUND__POWER_FAILURE__OUTCOME) or not void.is_complete(segment):
        return None
    if segment.first(ops.DECISION, kind=ops.SPLIT_PAIR):
        return None
    slot = _power_slot(segment, [row for row in segment.rows if row.op in (ops.DRAW, ops.DECISION)][-1])
    segment.after(scene.rng.choice(segment.draws()), *_dark())
    cost = void.annul(segment, scene.irregularity(slot, ops.VOID))
    return [
        scene.found(slot, segment, handling=NOT_PRESCRIBED),
        scene.found(S.ROUND__VOID_UNJUSTIFIED__POWER, segment, variance_cents=cost),
    ]


def _dark() -> list[Row]:
    return [Row(op, kind=ops.DEVICE_POWER) for op in (ops.FAULT, ops.REPAIRED)]


def _power_slot(segment: Segment, at: Row) -> int:
    """Tell whether any wager was won or lost by then: settled, or on a hand that is bust."""
    rows = segment.rows[: segment.index(at) + 1]
    settled = any(row.op == ops.SETTLE and (row.cents or row.aux) for row in rows)
    zones = {row.zone for row in rows if row.op == ops.DRAW and row.zone >= J.ZONE_HANDS}
    hands = [[row.card for row in rows if row.op == ops.DRAW and row.zone == zone] for zone in zones]
    bust = any(cards.total(hand)[0] > 21 for hand in hands)
    return S.ROUND__POWER_FAILURE__OUTCOME if settled or bust else S.ROUND__POWER_FAILURE__NO_OUTCOME
