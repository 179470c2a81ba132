"""The Xtreme terminal's steps forgotten, taken too early or pressed by mistake."""

from replay import ops
from replay import situations as S
from replay.simulator.log import Row
from replay.simulator.plant.base import SETTLED, Scene, Segment, Truth, plants
from replay.simulator.plant.wheels import (
    XTREME,
    is_xtreme,
    needs_authorisation,
    staked,
    step,
    steps,
    with_meters,
)

# Steps that may be forgotten, and the situation that gives.
_FORGOTTEN = {
    ops.START_ROUND: S.PROGRESSIVE__PROTOCOL__START,
    ops.SPIN: S.PROGRESSIVE__PROTOCOL__SPIN,
    ops.CONFIRM: S.PROGRESSIVE__PROTOCOL__CONFIRM,
    ops.HOT_SPOT: S.PROGRESSIVE__PROTOCOL__HOT_SPOT,
    ops.ENABLE_SPIN: S.PROGRESSIVE__PROTOCOL__ENABLE,
    ops.PAY_JACKPOT: S.PROGRESSIVE__PROTOCOL__PAY,
    ops.PAID: S.PROGRESSIVE__PROTOCOL__PAID,
    ops.END_ROUND: S.PROGRESSIVE__PROTOCOL__END,
}


def _played(scene: Scene, number: int) -> Segment | None:
    """A round with an Xtreme wager whose terminal has a protocol to keep."""
    segment = scene.segment(number)
    if segment is None or not scene.rules.bsx_protocol or not steps(segment, XTREME, ops.END_ROUND):
        return None
    return None if segment.is_void() or segment.find(ops.FAULT, kind=ops.DEVICE_PROGRESSIVE) else segment


def _spun(scene: Scene, number: int) -> Segment | None:
    """... and whose wheel turned, for prizes that nobody had to authorise."""
    segment = _played(scene, number)
    if segment is None or not steps(segment, XTREME, ops.PRIZE) or steps(segment, XTREME, ops.AUTHORIZE):
        return None
    return segment


def _only(segment: Segment, action: int) -> Row:
    return steps(segment, XTREME, action)[0]


def _found(scene: Scene, segment: Segment, slot: int, at: Row | None = None) -> list[Truth]:
    """The finding, at the box that the step names at which it shows."""
    return [scene.found(slot, segment, kind=ops.BSX16, seat=at.seat or None if at else None)]


@plants("progressive.protocol", weight=1.0)
def forget_step(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer forgets a step, and goes on with the next."""
    segment = _played(scene, number)
    if segment is None:
        return None
    logged = steps(segment, XTREME)
    shared = len(staked(segment, XTREME)) > 1 and not steps(segment, XTREME, ops.COMMUNITY)
    fit = [row for row in logged if row.kind in _FORGOTTEN and not (row.kind == ops.HOT_SPOT and shared)]
    if steps(segment, XTREME, ops.AUTHORIZE):
        fit = [row for row in fit if row.kind != ops.PAY_JACKPOT]
    gone = scene.rng.choice(fit)
    at = next((row for row in logged[logged.index(gone) + 1 :]), None)
    slot = _FORGOTTEN[gone.kind]
    if gone.kind == ops.END_ROUND and not steps(segment, XTREME, ops.TRIGGER):
        slot = S.PROGRESSIVE__PROTOCOL__END_QUIET
    segment.remove(*with_meters(segment, [gone]))
    return _found(scene, segment, slot, at)


@plants("progressive.protocol", weight=0.5)
def start_late(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The round is started on the terminal when cards are out already."""
    segment = _played(scene, number)
    if segment is None:
        return None
    start = with_meters(segment, [_only(segment, ops.START_ROUND)])
    after = scene.rng.choice(segment.draws()[: 2 * len(segment.seats()) + 1])
    segment.remove(*start)
    segment.after(after, *start)
    return _found(scene, segment, S.PROGRESSIVE__PROTOCOL__STARTED_LATE)


@plants("progressive.protocol", weight=0.3)
def disable_nothing(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A spin is taken back that was not enabled."""
    segment = _spun(scene, number)
    if segment is None:
        return None
    hot = _only(segment, ops.HOT_SPOT)
    pressed = step(XTREME, ops.DISABLE_SPIN, hot.seat, hot.bettor)
    segment.after(hot, pressed)
    return _found(scene, segment, S.PROGRESSIVE__PROTOCOL__DISABLE, pressed)


@plants("progressive.protocol", weight=0.3)
def end_without_payment(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Prizes are paid out by hand, and the terminal is told neither to pay nor to cancel them."""
    segment = _spun(scene, number)
    if segment is None:
        return None
    segment.remove(*steps(segment, XTREME, ops.PAY_JACKPOT, ops.PAID))
    return _found(scene, segment, S.PROGRESSIVE__PROTOCOL__JACKPOT)


@plants("progressive.protocol", weight=0.3)
def cancel_jackpot(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A prize is cancelled on the terminal though nothing is out of order, and paid all the same."""
    segment = _spun(scene, number)
    if segment is None:
        return None
    _only(segment, ops.PAY_JACKPOT).kind = ops.CANCEL_JACKPOT
    segment.remove(*steps(segment, XTREME, ops.PAID))
    return _found(scene, segment, S.PROGRESSIVE__PROTOCOL__CANCEL_JACKPOT)


@plants("progressive.protocol", phase=SETTLED, weight=0.5)
def spin_early(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The wheel turns while main wagers are still to be settled."""
    segment = _played(scene, number)
    if segment is None or not steps(segment, XTREME, ops.SPIN):
        return None
    last = segment.index(segment.draws()[-1])
    trigger = _only(segment, ops.TRIGGER)
    lines = [row for row in segment.rows[last : segment.index(trigger)] if row.op == ops.SETTLE]
    others = [row for row in lines if row.kind != ops.BSX16 and (row.cents or row.aux)]
    if not others:
        return None
    moved = steps(segment, XTREME, ops.TRIGGER, ops.SPIN, ops.CONFIRM)
    segment.remove(*moved)
    segment.before(scene.rng.choice(others), *moved)
    return _found(scene, segment, S.PROGRESSIVE__PROTOCOL__SPIN)


@plants("progressive.protocol", phase=SETTLED, weight=0.5)
def confirm_early(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Prizes are confirmed as paid before they are."""
    segment = _played(scene, number)
    paid = steps(segment, XTREME, ops.PAID) if segment else []
    if segment is None or not paid:
        return None
    opened = segment.index(_only(segment, ops.PAY_JACKPOT))
    lines = [row for row in segment.rows[opened : segment.index(paid[0])] if row.op == ops.SETTLE and row.cents]
    if not lines:
        return None
    segment.remove(*paid)
    segment.before(scene.rng.choice(lines), *paid)
    return _found(scene, segment, S.PROGRESSIVE__PROTOCOL__PAID)


@plants("progressive.protocol", phase=SETTLED, weight=0.3)
def must_hit(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A mystery jackpot is paid before the round has ended, or after it without the terminal being told to pay."""
    segment = _played(scene, number)
    cents = scene.rng.randrange(2_500, 50_000)
    if segment is None or is_xtreme(segment) or needs_authorisation(scene, XTREME, cents):
        return None
    wager = scene.rng.choice(staked(segment, XTREME))
    hit = step(XTREME, ops.MUST_HIT, wager.seat, wager.bettor)
    hit.cents = cents
    line = Row(ops.SETTLE, wager.seat, wager.bettor, 1, ops.BSX16, cents=cents)
    ending = with_meters(segment, steps(segment, XTREME, ops.END_ROUND))
    if scene.rng.random() < 0.5:
        segment.before(ending[0], hit, step(XTREME, ops.PAY_JACKPOT), line, step(XTREME, ops.PAID))
        return _found(scene, segment, S.PROGRESSIVE__PROTOCOL__MUST_HIT, hit)
    segment.after(ending[-1], hit, line, step(XTREME, ops.PAID))
    return _found(scene, segment, S.PROGRESSIVE__PROTOCOL__MUST_HIT)
