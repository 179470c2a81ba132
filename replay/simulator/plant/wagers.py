"""Main and side wagers after betting has closed, and main wagers outside the table's limits."""

from typing import NamedTuple

from replay import ops
from replay import situations as S
from replay.simulator import people as P
from replay.simulator.log import Row
from replay.simulator.plant import bets, payments
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
from replay.simulator.plant.settlement import settled_round


class Late(NamedTuple):
    """A wager after the closing of bets, where it is logged, and the wager beside which it lies."""

    slot: int
    wager: Row
    beside: Row


def late_wager(scene: Scene, segment: Segment, handling: int) -> Late | None:
    """A past-poster's wager: more on the own stake, a stake in another's box, or a match or pair wager."""
    r = scene.rules
    candidates = bets.plain_mains(segment)
    closed = segment.first(ops.BETS_CLOSED)
    if not candidates or closed is None or r.late_honoured:
        return None
    posters = payments.patrons_of_kind(scene, P.PAST_POSTER)
    main = payments.prefer(scene, candidates, lambda row: row.aux in posters)
    made = bets.made_by(segment, main)
    kinds = [ops.MAIN, ops.MAIN]
    kinds += [ops.MATCH] if r.match_offered and ops.MATCH not in made else []
    kinds += [ops.PAIR] if r.pair_offered and ops.PAIR not in made else []
    kind = scene.rng.choice(kinds)
    slot = {ops.MATCH: S.WAGER__LATE__MATCH, ops.PAIR: S.WAGER__LATE__PAIR}.get(kind, S.WAGER__LATE)
    if (handling == NONE) != (scene.prescribed(slot) == 0):
        return None
    bettor, patron = main.bettor, main.aux
    next_bettor = max(bets.bettors(segment, main.seat)) + 1
    if kind == ops.MAIN and next_bettor <= r.bettors_max and bets.is_entry_open(scene) and scene.rng.random() < 0.3:
        bettor, patron = next_bettor, 0
    cents = late_stake(scene, main.cents) if kind == ops.MAIN else bets.side_stake(scene, kind, main.cents)
    if cents is None:
        return None
    wager = Row(ops.WAGER, main.seat, bettor, 1, kind, cents=cents, aux=patron)
    dealt = segment.draws()[: 2 * len(segment.seats()) + 1]
    segment.after(scene.rng.choice([closed, *dealt]), wager)
    return Late(slot, wager, main)


def late_stake(scene: Scene, main_cents: int) -> int | None:
    """Return an addition to a main wager: as much as it again, or some of it, in wagers that the table takes."""
    r = scene.rules
    least = -(-int(r.min_cents) // max(1, int(r.chip))) * max(1, int(r.chip))
    most = int(r.max_cents) - main_cents
    amounts = [max(least, bets.in_chips(scene, amount)) for amount in (main_cents, main_cents // 2, 2 * main_cents)]
    return scene.rng.choice([amount for amount in amounts if amount <= most] or [None])


@plants("wager.late", NONE, AS_PRESCRIBED, weight=2)
def past_post(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A stake is laid after the closing of bets, and neither paid nor taken."""
    segment = scene.segment(number)
    late = late_wager(scene, segment, handling) if segment is not None else None
    if segment is None or late is None:
        return None
    if handling == AS_PRESCRIBED and scene.rng.random() < 0.7:
        rulings, wager = scene.prescribed(late.slot), late.wager
        segment.after(wager, *scene.irregularity(late.slot, rulings, seat=wager.seat, bettor=wager.bettor))
    return payments.found_at(scene, segment, late.slot, late.wager, handling=handling)


@plants("wager.late", NONE, AS_PRESCRIBED, weight=0.5)
def past_post_empty_box(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """Somebody lays a stake on an empty box when the cards are already coming, and gets none."""
    segment = scene.segment(number)
    slot = S.WAGER__LATE
    if segment is None or scene.rules.late_honoured or (handling == NONE) != (scene.prescribed(slot) == 0):
        return None
    free = sorted(set(range(1, scene.table.boxes + 1)) - set(segment.seats()))
    if not free or not bets.is_entry_open(scene):
        return None
    cents = max(int(scene.rules.min_cents), bets.in_chips(scene, 2 * int(scene.rules.min_cents)))
    wager = Row(ops.WAGER, scene.rng.choice(free), 1, 1, ops.MAIN, cents=cents)
    segment.after(segment.draws()[0], wager)
    return payments.found_at(scene, segment, slot, wager, handling=handling)


@plants("wager.late", NONE, NOT_PRESCRIBED, phase=SETTLED, weight=2)
def honour_past_post(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A stake is laid after the closing of bets, and paid or taken as if it had been there."""
    found = settled_round(scene, number)
    late = late_wager(scene, found[0], handling) if found is not None else None
    if found is None or late is None:
        return None
    segment, lines = found
    wager = late.wager
    if wager.kind == ops.MAIN:
        net = settle_beside(scene, segment, late, lines)
    else:
        net = bets.side_net(scene.rules, segment, wager.kind, wager.seat, wager.cents)
        net = net if bets.settle_side(scene, segment, wager, net) else None
    if not net:
        return None
    if handling == NOT_PRESCRIBED and scene.rng.random() < 0.3:
        segment.after(wager, *scene.irregularity(late.slot, ops.CONTINUE, seat=wager.seat, bettor=wager.bettor))
    return payments.found_at(scene, segment, late.slot, wager, net, handling)


def settle_beside(scene: Scene, segment: Segment, late: Late, lines: list[payments.DuePayment]) -> int | None:
    """Settle a late main wager like the one beside it; returns the net, None where there is nothing to settle."""
    main, wager = late.beside, late.wager
    line = next(each for each in lines if (each.seat, each.bettor, each.kind) == (main.seat, main.bettor, ops.MAIN))
    row = payments.logged(segment, line)
    if row is None or any(each.kind == ops.SUPER_BONUS for each in lines):
        return None
    if wager.bettor != main.bettor:
        own = payments.settle_row(line, line.paid, line.taken)
        own.bettor = wager.bettor
        segment.after(row, own)
        return bets.resettle(scene, line, own, wager.cents)
    if line.taken:
        net = -wager.cents if line.taken == line.stake else None
    elif scene.rules.payout_cap or line.odds < 0:
        net = None
    else:
        net = payments.paid_at(scene.rules, wager.cents, line.odds)
    if net:
        row.cents, row.aux = row.cents + max(net, 0), row.aux + max(-net, 0)
    return net


# Limits.


def low_stake(scene: Scene) -> int | None:
    """A stake below the minimum, in chips."""
    least, chip = int(scene.rules.min_cents), max(1, int(scene.rules.chip))
    amounts = [cents for cents in range(chip, least, chip) if 2 * cents >= least]
    return scene.rng.choice(amounts or [None])


def fits_beside(scene: Scene, segment: Segment, main: Row, cents: int) -> bool:
    """Tell whether a bettor's match wager may lie beside a main wager of that size."""
    matches = segment.find(ops.WAGER, kind=ops.MATCH, seat=main.seat, bettor=main.bettor)
    return not scene.rules.match_within_main or all(row.cents <= cents for row in matches)


@plants("wager.below-minimum", weight=1.5)
def stake_too_little(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A main wager is below the table's minimum."""
    segment, cents = scene.segment(number), low_stake(scene)
    if segment is None or cents is None:
        return None
    choices = [
        row
        for row in bets.plain_mains(segment)
        # What becomes of a known player's wager hangs on other days where only the first such wager counts.
        if fits_beside(scene, segment, row, cents) and not (row.aux and scene.rules.under_once)
    ]
    if not choices:
        return None
    main = scene.rng.choice(choices)
    main.cents = cents
    return payments.found_at(scene, segment, S.WAGER__BELOW_MINIMUM, main)


@plants("wager.below-minimum", phase=SETTLED, weight=0.2)
def stake_too_little_again(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A second wager below the minimum is settled although the first was this player's last."""
    first, cents = settled_round(scene, number), low_stake(scene)
    then = settled_round(scene, number + 1)
    if first is None or then is None or cents is None or not scene.rules.under_once:
        return None
    later = {row.aux: row for row in bets.plain_mains(then[0])}
    known = later.keys() - {0} - low_before(scene)
    before = [row for row in bets.plain_mains(first[0]) if row.aux in known]
    if not before:
        return None
    main = scene.rng.choice(before)
    again = later[main.aux]
    nets = [restake(scene, segment, lines, row, cents) for (segment, lines), row in ((first, main), (then, again))]
    if None in nets:
        return None
    slot = S.WAGER__BELOW_MINIMUM
    return [
        *payments.found_at(scene, first[0], slot, main),
        *payments.found_at(scene, then[0], slot, again, nets[1] or 0),
    ]


def low_before(scene: Scene) -> set[int]:
    """Players with a wager below the minimum anywhere in the day, or before it."""
    log = scene.log
    earlier = {number for number, name in enumerate(scene.names.patrons) if name in scene.low}
    low = (log.op == ops.WAGER) & (log.kind == ops.MAIN) & (log.cents < scene.rules.min_cents)
    planted = (row for segment in scene.taken.values() for row in bets.mains(segment))
    now = {row.aux for row in planted if row.cents < scene.rules.min_cents}
    return earlier | now | {int(patron) for patron in log.aux[low]}


def restake(scene: Scene, segment: Segment, lines: list[payments.DuePayment], main: Row, cents: int) -> int | None:
    """Give a main wager another stake and settle it by that; returns the net, None where it cannot be told."""
    line = next(each for each in lines if (each.seat, each.bettor, each.kind) == (main.seat, main.bettor, ops.MAIN))
    main.cents = cents
    if not line.net():
        return 0
    row = payments.logged(segment, line)
    return bets.resettle(scene, line, row, cents) if row is not None else None


def high_stake(scene: Scene) -> int:
    """A stake above the maximum."""
    most, chip = int(scene.rules.max_cents), max(1, int(scene.rules.chip))
    above = most - most % chip + chip
    return above + scene.rng.choice((0, 0, bets.in_chips(scene, most // 10), bets.in_chips(scene, most // 2)))


@plants("wager.above-maximum", weight=0.7)
def stake_too_much(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A main wager is above the table's maximum, and settled as the rulebook has it."""
    segment = scene.segment(number)
    choices = bets.plain_mains(segment) if segment is not None else []
    if segment is None or not choices:
        return None
    main = scene.rng.choice(choices)
    main.cents = high_stake(scene)
    return payments.found_at(scene, segment, S.WAGER__ABOVE_MAXIMUM, main)


@plants("wager.above-maximum", phase=SETTLED, weight=0.5)
def settle_too_much(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A main wager above the maximum is settled whole where the rulebook settles it to the maximum."""
    found = settled_round(scene, number)
    choices = bets.plain_mains(found[0]) if found is not None else []
    if found is None or not choices or not scene.rules.over_to_maximum:
        return None
    segment, lines = found
    main, most = scene.rng.choice(choices), int(scene.rules.max_cents)
    if any(line.kind == ops.SUPER_BONUS for line in lines):
        return None
    due = restake(scene, segment, lines, main, most)
    net = restake(scene, segment, lines, main, high_stake(scene))
    if not due or net is None:
        return None
    return payments.found_at(scene, segment, S.WAGER__ABOVE_MAXIMUM, main, net - due)
