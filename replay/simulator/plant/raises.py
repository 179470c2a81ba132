"""Double and split wagers of the wrong size."""

from replay import ops, rules
from replay import situations as S
from replay.simulator.log import Row
from replay.simulator.plant import bets, payments
from replay.simulator.plant.base import SETTLED, Scene, Segment, Truth, plants
from replay.simulator.plant.settlement import settled_round


def original(segment: Segment, wager: Row) -> int:
    """The bettor's main wager."""
    main = segment.first(ops.WAGER, kind=ops.MAIN, seat=wager.seat, bettor=wager.bettor)
    return main.cents if main is not None else 0


def raised(scene: Scene, cents: int) -> int | None:
    """More than a stake, within the table's maximum."""
    chip = max(1, int(scene.rules.chip))
    amounts = [cents + chip, cents + 2 * chip, cents + bets.in_chips(scene, cents // 2), 2 * cents]
    fit = [amount for amount in amounts if cents < amount <= scene.rules.max_cents]
    return scene.rng.choice(fit or [None])


def split_slot(wager: Row) -> int:
    if wager.bettor > 1:
        return S.WAGER__SPLIT_UNEQUAL__BETTOR
    return S.WAGER__SPLIT_UNEQUAL if wager.hand == 2 else S.WAGER__SPLIT_UNEQUAL__AGAIN


def slot_of(wager: Row) -> int:
    return S.WAGER__DOUBLE_EXCESS if wager.kind == ops.DOUBLE else split_slot(wager)


def raise_wager(scene: Scene, number: int, kind: int) -> list[Truth] | None:
    """A double or split wager above the original, settled up to the original."""
    segment = scene.segment(number)
    wagers = segment.find(ops.WAGER, kind=kind) if segment is not None else []
    if segment is None or not wagers:
        return None
    wager = scene.rng.choice(wagers)
    cents = raised(scene, original(segment, wager))
    if cents is None:
        return None
    wager.cents = cents
    return payments.found_at(scene, segment, slot_of(wager), wager)


def settle_raised(scene: Scene, number: int, kind: int) -> list[Truth] | None:
    """A double or split wager above the original that is settled whole."""
    found = settled_round(scene, number)
    if found is None or scene.rules.excess_whole:
        return None
    segment, lines = found
    choices = [
        (line, row)
        for line in lines
        if line.kind == kind and line.net() and (row := payments.logged(segment, line)) is not None
    ]
    if not choices:
        return None
    line, row = scene.rng.choice(choices)
    wager = segment.first(ops.WAGER, kind=kind, seat=line.seat, bettor=line.bettor, hand=line.hand)
    main = original(segment, wager) if wager is not None else 0
    cents = raised(scene, main)
    if wager is None or cents is None:
        return None
    due = bets.resettle(scene, line, row, main)
    net = bets.resettle(scene, line, row, cents)
    if due is None or net is None:
        return None
    wager.cents = cents
    return payments.found_at(scene, segment, slot_of(wager), wager, net - due)


@plants("wager.double-excess", weight=0.8)
def double_for_more(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A double wager is larger than the original."""
    return raise_wager(scene, number, ops.DOUBLE)


@plants("wager.double-excess", phase=SETTLED, weight=0.8)
def settle_double_for_more(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A double wager is larger than the original and is settled whole."""
    return settle_raised(scene, number, ops.DOUBLE)


@plants("wager.split-unequal", weight=0.8)
def split_for_more(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A split wager is larger than the original."""
    return raise_wager(scene, number, ops.SPLIT)


@plants("wager.split-unequal", phase=SETTLED, weight=0.5)
def settle_split_for_more(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A split wager is larger than the original and is settled whole."""
    return settle_raised(scene, number, ops.SPLIT)


@plants("wager.split-unequal", weight=0.8)
def split_for_less(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A split wager is smaller than the original."""
    segment = scene.segment(number)
    wagers = segment.find(ops.WAGER, kind=ops.SPLIT) if segment is not None else []
    if segment is None or not wagers:
        return None
    wager = scene.rng.choice(wagers)
    main = original(segment, wager)
    chip = max(1, int(scene.rules.chip))
    amounts = [cents for cents in (bets.in_chips(scene, main // 2), main - chip, main - 2 * chip) if 0 < cents < main]
    if not amounts:
        return None
    wager.cents = scene.rng.choice(amounts)
    return payments.found_at(scene, segment, split_slot(wager), wager)


@plants("wager.below-minimum", weight=0.5)
def double_for_too_little(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A double wager is below what the rulebook asks for."""
    segment, r = scene.segment(number), scene.rules
    least = 0
    if r.double_min == rules.DOUBLE_MIN_TABLE:
        least = int(r.min_cents)
    elif r.double_min == rules.DOUBLE_MIN_INCREMENT:
        least = int(r.increment)
    chip = max(1, int(r.chip))
    amounts = list(range(chip, least, chip))
    wagers = segment.find(ops.WAGER, kind=ops.DOUBLE) if segment is not None else []
    if segment is None or not wagers or not amounts:
        return None
    wager = scene.rng.choice(wagers)
    wager.cents = scene.rng.choice(amounts)
    return payments.found_at(scene, segment, S.WAGER__BELOW_MINIMUM__DOUBLE, wager)
