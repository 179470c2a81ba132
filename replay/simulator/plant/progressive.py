"""Progressive wagers gone wrong: wheels not spun or spun for nothing, wrong prizes, late stakes, meters that drift."""

from replay import cards, ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator import people as P
from replay.simulator.log import FAULT_KINDS, Row
from replay.simulator.plant.base import SETTLED, Scene, Segment, Truth, plants
from replay.simulator.plant.payments import favourite, patrons_of_kind, prefer, put_final
from replay.simulator.plant.wheels import (
    SPIN,
    XTREME,
    amounts,
    earns_prizes,
    is_blackjack,
    is_xtreme,
    needs_authorisation,
    paytable_clause,
    prize,
    settle_lines,
    small_amounts,
    staked,
    step,
    steps,
    wheel_steps,
    with_meters,
)

_FIRST_HAND = 1
_PAID_AS_SHOWN = 0.8  # of wrong prizes
_OFF_CENTS = (11, 25, 50, 75, 100, 500, 2_000, 10_000)  # by how much a meter goes astray


def _round(scene: Scene, number: int) -> Segment | None:
    """A round in which nothing has gone wrong so far."""
    segment = scene.segment(number)
    return None if segment is None or segment.find(ops.IRREGULARITY) or segment.find(ops.FAULT) else segment


def _found(
    scene: Scene, slot: int, segment: Segment, wager: Row, variance_cents: int = 0, clause: str | None = None
) -> list[Truth]:
    """The finding about a wager."""
    return [
        scene.found(
            slot,
            segment,
            seat=wager.seat,
            bettor=wager.bettor,
            kind=wager.kind,
            hand=_FIRST_HAND,
            variance_cents=variance_cents,
            clause=clause,
        )
    ]


def _shows_community(segment: Segment, system: int) -> bool:
    return any(row.hand == ops.COMMUNITY_AMOUNT for row in steps(segment, system))


# Triggers.


@plants("progressive.trigger-missed", phase=SETTLED, weight=1.0)
def miss_blackjack(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A blackjack with a Bonus Spin wager gets no spin; the stake is taken."""
    segment = _round(scene, number)
    if segment is None or _shows_community(segment, SPIN):
        return None
    spun = [row for row in steps(segment, SPIN, ops.PRIZE) if row.hand == ops.AMOUNT]
    if not spun:
        return None
    shown = scene.rng.choice(spun)
    wager = next(row for row in staked(segment, SPIN) if (row.seat, row.bettor) == (shown.seat, shown.bettor))
    own = [row for row in wheel_steps(segment, SPIN) if (row.seat, row.bettor) == (wager.seat, wager.bettor)]
    segment.remove(*own)
    for line in settle_lines(segment, wager):
        line.cents = 0
    return _found(scene, S.PROGRESSIVE__TRIGGER_MISSED__BONUS_SPIN, segment, wager)


@plants("progressive.trigger-missed", phase=SETTLED, weight=1.0)
def miss_xtreme(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer has a six and a ten-value card, and nobody thinks of the wheel."""
    segment = _round(scene, number)
    if segment is None or not is_xtreme(segment) or not steps(segment, XTREME, ops.TRIGGER):
        return None
    wheel = wheel_steps(segment, XTREME)
    if with_meters(segment, wheel) != wheel:
        return None  # a jackpot, which its meter remembers
    segment.remove(*wheel)
    for wager in staked(segment, XTREME):
        for line in settle_lines(segment, wager):
            line.cents = 0
    return [scene.found(S.PROGRESSIVE__TRIGGER_MISSED__BSX16, segment, kind=ops.BSX16)]


@plants("progressive.trigger-false", phase=SETTLED, weight=0.5)
def spin_for_nothing(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Another 21, or an ace with a nine, is taken for a blackjack; the wheel turns, and its prize is paid."""
    segment = _round(scene, number)
    if segment is None or _shows_community(segment, SPIN):
        return None
    fit = [
        (wager, at)
        for wager in staked(segment, SPIN)
        if (at := _mistaken_at(segment, wager.seat)) is not None and len(settle_lines(segment, wager)) == 1
    ]
    if not fit:
        return None
    friend = favourite(scene, segment)
    wager, at = prefer(scene, fit, lambda choice: choice[0].aux == friend)
    cents = scene.rng.choice(small_amounts(scene, SPIN))
    who = wager.seat, wager.bettor
    shown = prize(SPIN, ops.PRIZE, *who, cents)
    segment.after(at, step(SPIN, ops.TRIGGER, *who), step(SPIN, ops.SPIN, *who), shown, step(SPIN, ops.PAID, *who))
    settle_lines(segment, wager)[0].cents += cents
    return _found(scene, S.PROGRESSIVE__TRIGGER_FALSE__BONUS_SPIN, segment, wager, cents)


def _mistaken_at(segment: Segment, seat: int) -> Row | None:
    """The row behind which a box's hand may be taken for a blackjack, which it is not."""
    turns = segment.moment(J.AT_TURNS)
    if turns is None or is_blackjack(segment, seat):
        return None
    first = segment.hand(seat)
    values = [int(cards.VALUE[row.card]) for row in first]
    if sorted(values[:2]) == [1, 9]:
        return turns
    total = sum(values) + (10 if 1 in values and sum(values) <= 11 else 0)
    split = segment.find(ops.DECISION, seat=seat, kind=ops.SPLIT_PAIR)
    return first[-1] if total == 21 and len(first) > 2 and not split else None


@plants("progressive.trigger-false", phase=SETTLED, weight=0.5)
def spin_for_sixteen(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer has another sixteen, or a six without a ten-value card: the Xtreme wheel turns, and pays."""
    segment = _round(scene, number)
    if segment is None or not _resembles_xtreme(segment) or not steps(segment, XTREME, ops.END_ROUND):
        return None
    winners = [wager for wager in staked(segment, XTREME) if earns_prizes(scene, wager)]
    if not winners:
        return None
    friend = favourite(scene, segment)
    wager = prefer(scene, winners, lambda choice: choice.aux == friend)
    cents, who = scene.rng.choice(small_amounts(scene, XTREME)), (wager.seat, wager.bettor)
    segment.before(
        steps(segment, XTREME, ops.END_ROUND)[0],
        *(step(XTREME, action) for action in (ops.TRIGGER, ops.SPIN, ops.CONFIRM)),
        *(step(XTREME, action, *who) for action in (ops.HOT_SPOT, ops.ENABLE_SPIN)),
        prize(XTREME, ops.PRIZE, *who, cents),
        step(XTREME, ops.PAY_JACKPOT),
        Row(ops.SETTLE, *who, _FIRST_HAND, ops.BSX16, cents=cents),
        step(XTREME, ops.PAID),
    )
    return [scene.found(S.PROGRESSIVE__TRIGGER_FALSE__BSX16, segment, kind=ops.BSX16, variance_cents=cents)]


def _resembles_xtreme(segment: Segment) -> bool:
    held = [row.card for row in segment.dealer()[:3]]
    if len(held) < 2 or is_xtreme(segment):
        return False
    six = any(cards.RANK[card] == cards.SIX for card in held)
    return six or sum(int(cards.VALUE[card]) for card in held[:2]) == 16


# Prizes.


@plants("progressive.wrong-prize", phase=SETTLED, weight=0.8)
def misread_wheel(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Another amount is entered than the wheel shows; mostly it is paid as well."""
    segment = _round(scene, number)
    if segment is None:
        return None
    shown = [row for row in segment.find(ops.PROGRESSIVE, kind=ops.PRIZE, hand=ops.AMOUNT) if row.cents > 0]
    if not shown:
        return None
    row = scene.rng.choice(shown)
    others = [cents for cents in amounts(scene, row.card) if cents != row.cents]
    if not steps(segment, row.card, ops.AUTHORIZE):
        others = [cents for cents in others if not needs_authorisation(scene, row.card, cents)]
    wager = Row(ops.WAGER, row.seat, row.bettor, kind=ops.BONUS_SPIN + row.card)
    lines = [line for line in settle_lines(segment, wager) if line.cents == row.cents]
    if not others or len(lines) != 1:
        return None
    near = sorted(others, key=lambda cents: abs(cents - row.cents))[:3]
    logged = scene.rng.choice(near)
    off = logged - row.cents if scene.rng.random() < _PAID_AS_SHOWN else 0
    clause = paytable_clause(scene, row.card, row.aux)
    if row.card == XTREME and scene.rules.bsx_pays_symbol:
        clause = scene.clause(S.PROGRESSIVE__WRONG_PRIZE)
    row.cents = logged
    lines[0].cents += off
    return _found(scene, S.PROGRESSIVE__WRONG_PRIZE, segment, wager, off, clause)


@plants("progressive.wrong-prize", phase=SETTLED, weight=0.4)
def pay_small_stake(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The hot spot is at a stake that has no paytable, and what the wheel shows is paid."""
    segment = _round(scene, number)
    shown = steps(segment, XTREME, ops.PRIZE) if segment else []
    if segment is None or len(shown) != 1 or shown[0].hand != ops.AMOUNT:
        return None
    row = shown[0]
    wagers = [each for each in staked(segment, XTREME) if (each.seat, each.bettor) == (row.seat, row.bettor)]
    if len(wagers) != 1 or earns_prizes(scene, wagers[0]) or needs_authorisation(scene, XTREME, row.aux):
        return None
    lines = settle_lines(segment, wagers[0])
    if len(lines) != 1:
        return None
    row.cents = row.aux
    lines[0].cents += row.cents
    clause = scene.table.book.clauses[int(scene.rules.bsx_stake_clause)].id
    return _found(scene, S.PROGRESSIVE__WRONG_PRIZE, segment, wagers[0], row.cents, clause)


@plants("progressive.unauthorised", weight=0.6)
def pay_without_asking(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A prize that a supervisor has to see is paid without one, or before one has been asked."""
    segment = _round(scene, number)
    if segment is None:
        return None
    shown = scene.rng.sample(rows := segment.find(ops.PROGRESSIVE, kind=ops.PRIZE, hand=ops.AMOUNT), len(rows))
    for row in shown:
        large = [cents for cents in amounts(scene, row.card) if needs_authorisation(scene, row.card, cents)]
        asked = steps(segment, row.card, ops.AUTHORIZE)
        small = not needs_authorisation(scene, row.card, row.cents)
        if row.cents < 0 or not large or len(asked) > (0 if small else 1):
            continue
        if small:
            row.cents = row.aux = scene.rng.choice(large[:2])
        segment.remove(*asked)
        if asked and not scene.rules.bsx_protocol and scene.rng.random() < 0.3:
            paid = steps(segment, row.card, ops.PAID)
            segment.after(paid[-1], *asked)
        wager = Row(ops.WAGER, row.seat, row.bettor, kind=ops.BONUS_SPIN + row.card)
        return _found(scene, S.PROGRESSIVE__UNAUTHORISED, segment, wager)
    return None


# Rounds broken off, faults, late wagers.


def _lost(scene: Scene, number: int, slot: int) -> Segment | None:
    """A round whose Xtreme wagers are lost, at a table whose rulebook knows a situation."""
    segment = _round(scene, number) if scene.is_checked(slot) else None
    if segment is None or is_xtreme(segment) or not steps(segment, XTREME, ops.END_ROUND):
        return None
    return segment


def _dealt(scene: Scene, segment: Segment) -> Row:
    """Some card of the initial deal."""
    return scene.rng.choice(segment.draws()[: 2 * len(segment.seats()) + 1])


@plants("progressive.cancelled-after-deal", weight=0.6)
def cancel_round(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody wants to bet after all, and the dealer cancels the round with cards on the table."""
    segment = _lost(scene, number, S.PROGRESSIVE__CANCELLED_AFTER_DEAL)
    if segment is None:
        return None
    segment.remove(*with_meters(segment, steps(segment, XTREME, ops.END_ROUND)))
    segment.after(_dealt(scene, segment), step(XTREME, ops.CANCEL_ROUND))
    return [scene.found(S.PROGRESSIVE__CANCELLED_AFTER_DEAL, segment, kind=ops.BSX16)]


def _fault(scene: Scene) -> tuple[Row, Row]:
    """The progressive system fails, and works again."""
    what = scene.rng.randrange(len(FAULT_KINDS[ops.DEVICE_PROGRESSIVE]))
    failed, repaired = (Row(op, kind=ops.DEVICE_PROGRESSIVE, aux=what) for op in (ops.FAULT, ops.REPAIRED))
    return failed, repaired


@plants("progressive.malfunction", weight=0.4)
def fail_in_round(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The system fails while a round is played: it goes on, or is cancelled, which a malfunction excuses."""
    slot = S.PROGRESSIVE__MALFUNCTION
    segment = _lost(scene, number, slot)
    if segment is None:
        return None
    failed, repaired = _fault(scene)
    told = scene.irregularity(slot, ops.CONTINUE)
    at, choice = _dealt(scene, segment), scene.rng.randrange(3)
    if choice == 0:
        segment.remove(*with_meters(segment, steps(segment, XTREME, ops.END_ROUND)))
        segment.after(at, failed, step(XTREME, ops.CANCEL_ROUND))
        segment.before(segment.end(), repaired)
    elif choice == 1:
        segment.after(at, *told)
    else:
        segment.after(at, failed, *told, repaired)
    return [scene.found(slot, segment, kind=ops.BSX16)]


@plants("progressive.malfunction", weight=0.2)
def fail_in_spin(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The system fails while the wheel turns, and what it shows is cancelled as it should be."""
    segment = _round(scene, number) if scene.is_checked(S.PROGRESSIVE__MALFUNCTION) else None
    if segment is None or steps(segment, XTREME, ops.AUTHORIZE):
        return None
    paying = steps(segment, XTREME, ops.PAY_JACKPOT)
    wheel = wheel_steps(segment, XTREME)
    if not paying or with_meters(segment, wheel) != wheel:
        return None
    failed, repaired = _fault(scene)
    segment.before(paying[0], failed)
    paying[0].kind = ops.CANCEL_JACKPOT
    segment.remove(*steps(segment, XTREME, ops.PAID))
    segment.before(segment.end(), repaired)
    return [scene.found(S.PROGRESSIVE__MALFUNCTION, segment, kind=ops.BSX16)]


@plants("progressive.late-wager", weight=2.0)
def stake_late(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody stakes on a wheel when cards are out; the dealer does not take it up."""
    return _stake_late(scene, number, is_taken=False)


@plants("progressive.late-wager", phase=SETTLED, weight=1.0)
def stake_late_and_lose(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """... or the dealer takes the stake in with the others that are lost."""
    return _stake_late(scene, number, is_taken=True)


def _stake_late(scene: Scene, number: int, is_taken: bool) -> list[Truth] | None:
    segment = _round(scene, number)
    offered = [system for system in (SPIN, XTREME) if _offers(scene, system)]
    if segment is None or not offered or scene.rules.late_honoured:
        return None
    system = scene.rng.choice(offered)
    kind = ops.BONUS_SPIN + system
    have = {(row.seat, row.bettor) for row in segment.find(ops.WAGER, kind=kind)}
    without = [row for row in segment.find(ops.WAGER, kind=ops.MAIN) if (row.seat, row.bettor) not in have]
    if is_taken:
        without = [row for row in without if not is_blackjack(segment, row.seat)]
    if not without or is_xtreme(segment):
        return None
    posters = patrons_of_kind(scene, P.PAST_POSTER)
    main = prefer(scene, without, lambda row: row.aux in posters or is_blackjack(segment, row.seat))
    cents = _usual_stake(scene, system)
    wager = Row(ops.WAGER, main.seat, main.bettor, _FIRST_HAND, kind, cents=cents, aux=main.aux)
    segment.after(scene.rng.choice(segment.hand(main.seat)[:2]), wager)
    slot = S.PROGRESSIVE__LATE_WAGER__BONUS_SPIN if system == SPIN else S.PROGRESSIVE__LATE_WAGER__BSX16
    line = Row(ops.SETTLE, main.seat, main.bettor, _FIRST_HAND, kind, aux=cents)
    if is_taken and not put_final(scene, segment, line):
        return None
    return _found(scene, slot, segment, wager, -cents if is_taken else 0)


def _offers(scene: Scene, system: int) -> bool:
    return bool(scene.rules.spin_offered if system == SPIN else scene.rules.bsx_offered)


def _usual_stake(scene: Scene, system: int) -> int:
    """The stake that the posted paytable is for."""
    stakes = sorted(int(cents) for cents in (scene.rules.spin_stakes if system == SPIN else scene.rules.bsx_stakes))
    if system == XTREME:
        return int(scene.rules.bsx_prize_stake) or stakes[0]
    posted = next(int(row[5]) for row in scene.rules.prizes if row[0] == SPIN)
    return stakes[-1] if posted == stakes[-1] else stakes[0]


# Meters.


@plants("progressive.meter-drift", weight=0.3)
def go_astray(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """When a round ends, its meter has grown by something else than its share of the stakes.

    How the figures go on from there is worked out when the day's meters are filled in.
    """
    segment = _round(scene, number)
    if segment is None or any(row.hand == ops.JACKPOT for row in segment.find(ops.PROGRESSIVE)):
        return None
    ends = [_meter_of(segment, system, ops.END_ROUND) for system in (SPIN, XTREME)]
    starts = [_meter_of(segment, system, ops.START_ROUND) for system in (SPIN, XTREME)]
    fit = [end for start, end in zip(starts, ends, strict=True) if start and end]
    if not fit:
        return None
    scene.rng.choice(fit).aux = scene.rng.choice((-1, 1)) * scene.rng.choice(_OFF_CENTS)
    return [scene.found(S.PROGRESSIVE__METER_DRIFT, segment)]


def _meter_of(segment: Segment, system: int, action: int) -> Row | None:
    rows = with_meters(segment, steps(segment, system, action))
    return rows[1] if len(rows) == 2 else None
