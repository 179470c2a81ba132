"""Side wagers without a main wager, of the wrong size, or at a table that does not have them."""

from typing import Final

from replay import ops
from replay import situations as S
from replay.simulator.log import Row
from replay.simulator.plant import bets, payments
from replay.simulator.plant.base import SETTLED, Scene, Segment, Truth, plants
from replay.simulator.plant.settlement import settled_round

_BESIDE_CARDS: Final = (ops.MATCH, ops.PAIR)  # decided by the first cards, whoever lays them


def is_offered(scene: Scene, kind: int) -> bool:
    r = scene.rules
    return bool(
        {
            ops.MATCH: r.match_offered,
            ops.PAIR: r.pair_offered,
            ops.BONUS_SPIN: r.spin_offered,
            ops.BSX16: r.bsx_offered,
        }[kind]
    )


def stake_for(scene: Scene, kind: int, main_cents: int) -> int | None:
    """A stake as it is usual for a kind of side wager."""
    if kind == ops.BONUS_SPIN:
        return int(scene.rules.spin_stakes[-1])
    if kind == ops.BSX16:
        return int(scene.rules.bsx_stakes[-1])
    return bets.side_stake(scene, kind, main_cents)


def lay(segment: Segment, seat: int, bettor: int, kind: int, cents: int, patron: int = 0) -> Row:
    """A side wager in time."""
    wager = Row(ops.WAGER, seat, bettor, 1, kind, cents=cents, aux=patron)
    segment.after(bets.last_wager(segment), wager)
    return wager


# Without a main wager.


def without_main_slot(kind: int) -> int:
    if kind == ops.MATCH:
        return S.WAGER__SIDE_WITHOUT_MAIN__MATCH
    return S.WAGER__SIDE_WITHOUT_MAIN__BSX16 if kind == ops.BSX16 else S.WAGER__SIDE_WITHOUT_MAIN


def lay_without_main(scene: Scene, segment: Segment, kinds: tuple[int, ...], in_box: bool) -> Row | None:
    """A side wager of somebody who has no main wager: in another's box, or on an empty one."""
    offered = [kind for kind in kinds if is_offered(scene, kind) and scene.is_checked(without_main_slot(kind))]
    if not offered or segment.first(ops.METER) is not None or len(segment.dealer()) < 2:
        return None
    kind = scene.rng.choice(offered)
    main = scene.rng.choice(bets.mains(segment))
    cents = stake_for(scene, kind, main.cents)
    free = sorted(set(range(1, scene.table.boxes + 1)) - set(segment.seats()))
    if cents is None or (kind == ops.PAIR and not free):
        return None
    if kind != ops.PAIR and (in_box or not free or scene.rng.random() < 0.5):
        return lay(segment, main.seat, max(bets.bettors(segment, main.seat)) + 1, kind, cents)
    return lay(segment, scene.rng.choice(free), 1, kind, cents)


@plants("wager.side-without-main", weight=0.7)
def bet_aside_only(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A side wager without the main wager that it needs goes back."""
    segment = scene.segment(number)
    kinds = (ops.MATCH, ops.PAIR, ops.BONUS_SPIN, ops.BSX16)
    wager = lay_without_main(scene, segment, kinds, in_box=False) if segment is not None else None
    if segment is None or wager is None:
        return None
    return payments.found_at(scene, segment, without_main_slot(wager.kind), wager)


@plants("wager.side-without-main", phase=SETTLED, weight=0.5)
def settle_aside_only(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A match wager without a main wager is settled on the cards of the box it lies in."""
    found = settled_round(scene, number)
    wager = lay_without_main(scene, found[0], (ops.MATCH,), in_box=True) if found is not None else None
    if found is None or wager is None:
        return None
    segment = found[0]
    net = bets.side_net(scene.rules, segment, wager.kind, wager.seat, wager.cents)
    if not bets.settle_side(scene, segment, wager, net):
        return None
    return payments.found_at(scene, segment, without_main_slot(wager.kind), wager, net)


# Not offered.


def lay_unoffered(scene: Scene, segment: Segment, kinds: tuple[int, ...]) -> Row | None:
    """A side wager that this table does not have."""
    r = scene.rules
    known = {kind for kind in kinds if not is_offered(scene, kind)}
    turns = segment.first(ops.PROGRESSIVE) is not None
    if turns or not len(r.spin_stakes):
        known -= {ops.BONUS_SPIN}
    if turns or not len(r.bsx_stakes) or len(segment.dealer()) < 2:
        known -= {ops.BSX16}
    mains = bets.mains(segment)
    if not known or not mains:
        return None
    main, kind = scene.rng.choice(mains), scene.rng.choice(sorted(known))
    cents = stake_for(scene, kind, main.cents)
    return None if cents is None else lay(segment, main.seat, main.bettor, kind, cents, main.aux)


@plants("wager.not-offered", weight=0.7)
def bet_on_what_is_not_there(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A side wager that the table does not offer is let lie, and goes back."""
    segment = scene.segment(number)
    kinds = (ops.MATCH, ops.PAIR, ops.BONUS_SPIN, ops.BSX16)
    wager = lay_unoffered(scene, segment, kinds) if segment is not None else None
    if segment is None or wager is None:
        return None
    return payments.found_at(scene, segment, S.WAGER__NOT_OFFERED, wager)


@plants("wager.not-offered", phase=SETTLED, weight=0.5)
def take_what_is_not_there(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A side wager that the table does not offer is taken as lost."""
    found = settled_round(scene, number)
    wager = lay_unoffered(scene, found[0], _BESIDE_CARDS) if found is not None else None
    if found is None or wager is None:
        return None
    segment = found[0]
    net = bets.side_net(scene.rules, segment, wager.kind, wager.seat, wager.cents)
    if net != -wager.cents or not bets.settle_side(scene, segment, wager, net):
        return None
    return payments.found_at(scene, segment, S.WAGER__NOT_OFFERED, wager, net)


# Of the wrong size.


@plants("wager.side-limit", weight=0.7)
def stake_match_amiss(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A match wager is below its minimum, above the main wager, or above the posted limit."""
    segment, r = scene.segment(number), scene.rules
    mains = bets.mains(segment) if segment is not None and r.match_offered else []
    if segment is None or not mains:
        return None
    main = scene.rng.choice(mains)
    chip = max(1, int(r.chip))
    amounts = [(S.WAGER__SIDE_LIMIT__MATCH_MINIMUM, cents) for cents in range(chip, int(r.match_min), chip)]
    if r.match_within_main:
        amounts = [(slot, cents) for slot, cents in amounts if cents <= main.cents]
        above = max(bets.in_chips(scene, main.cents) + chip, int(r.match_min))
        amounts += [(S.WAGER__SIDE_LIMIT__MATCH_MAIN, above), (S.WAGER__SIDE_LIMIT__MATCH_MAIN, above + chip)]
    if r.match_max:
        above = max(bets.in_chips(scene, int(r.match_max)) + chip, int(r.match_min))
        if not r.match_within_main or above <= main.cents:
            amounts.append((S.WAGER__SIDE_LIMIT__MATCH_POSTED, above))
    amounts = [(slot, cents) for slot, cents in amounts if scene.is_checked(slot)]
    if not amounts:
        return None
    slot, cents = scene.rng.choice(amounts)
    wager = segment.first(ops.WAGER, kind=ops.MATCH, seat=main.seat, bettor=main.bettor)
    if wager is None:
        wager = lay(segment, main.seat, main.bettor, ops.MATCH, cents, main.aux)
    wager.cents = cents
    return payments.found_at(scene, segment, slot, wager)


@plants("wager.side-limit", weight=0.5)
def stake_wheel_amiss(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A progressive wager is of another size than the wheel takes, in a round in which no wheel turns."""
    segment, r = scene.segment(number), scene.rules
    if segment is None or any(row.kind in (ops.TRIGGER, ops.PRIZE) for row in segment.find(ops.PROGRESSIVE)):
        return None
    wagers = [row for kind in (ops.BONUS_SPIN, ops.BSX16) for row in segment.find(ops.WAGER, kind=kind)]
    if not wagers:
        return None
    wager = scene.rng.choice(wagers)
    allowed = r.spin_stakes if wager.kind == ops.BONUS_SPIN else r.bsx_stakes
    wager.cents = scene.rng.choice([cents for cents in (200, 250, 300, 1000, 2500) if cents not in allowed])
    slot = S.WAGER__SIDE_LIMIT__BONUS_SPIN if wager.kind == ops.BONUS_SPIN else S.WAGER__SIDE_LIMIT__BSX16
    return payments.found_at(scene, segment, slot, wager)
