"""Bettors in the wrong place: too many in a box, too many boxes, twice in one box, in mid-shoe."""

import numpy as np

from replay import ops, rules
from replay import situations as S
from replay.simulator.log import Row
from replay.simulator.plant import bets, payments
from replay.simulator.plant.base import Scene, Segment, Truth, plants

_MOST_ROUNDS = 4  # of a shoe's rest, for which somebody takes a seat in mid-shoe


def usual_stake(scene: Scene) -> int:
    """A small stake that the table takes."""
    chip = max(1, int(scene.rules.chip))
    least = -(-int(scene.rules.min_cents) // chip) * chip
    return scene.rng.choice([cents for cents in (least, 2 * least, 5 * least) if cents <= scene.rules.max_cents])


def lay_behind(scene: Scene, segment: Segment, main: Row, bettor: int, patron: int = 0) -> Row:
    """Another main wager in a box."""
    wager = Row(ops.WAGER, main.seat, bettor, 1, ops.MAIN, cents=usual_stake(scene), aux=patron)
    segment.after(segment.find(ops.WAGER, kind=ops.MAIN, seat=main.seat)[-1], wager)
    return wager


@plants("wager.too-many-bettors", weight=1)
def crowd_box(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """More bettors in a box than the rulebook or the house admits."""
    segment, r = scene.segment(number), scene.rules
    choices = bets.plain_mains(segment) if segment is not None and bets.is_entry_open(scene) else []
    if segment is None or not choices:
        return None
    main = scene.rng.choice(choices)
    most = int(r.bettors_max)
    taken = bets.bettors(segment, main.seat)
    new = [lay_behind(scene, segment, main, n) for n in range(1, most + 2) if n not in taken]
    by_house = most + 1 <= r.bettors_book
    slot = S.WAGER__TOO_MANY_BETTORS__OPTION if by_house else S.WAGER__TOO_MANY_BETTORS
    return payments.found_at(scene, segment, slot, new[-1])


@plants("wager.too-many-bettors", weight=0.3)
def crowd_pair(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """More pair wagers on a box than the rulebook admits."""
    segment, r = scene.segment(number), scene.rules
    if segment is None or not r.pair_offered:
        return None
    main = scene.rng.choice(bets.mains(segment))
    stake = bets.side_stake(scene, ops.PAIR, main.cents)
    taken = {row.bettor for row in segment.find(ops.WAGER, kind=ops.PAIR, seat=main.seat)}
    new = [
        Row(ops.WAGER, main.seat, bettor, 1, ops.PAIR, cents=stake or 0)
        for bettor in range(1, int(r.bettors_max) + 2)
        if bettor not in taken
    ]
    segment.after(bets.last_wager(segment), *new)
    return payments.found_at(scene, segment, S.WAGER__TOO_MANY_BETTORS__PAIR, new[-1])


@plants("wager.too-many-boxes", weight=1)
def play_more_boxes(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A player stakes on one box more than the house allows."""
    segment, most = scene.segment(number), int(scene.rules.boxes_per_player)
    if segment is None or not most or not bets.is_entry_open(scene):
        return None
    first = [row for row in bets.mains(segment) if row.bettor == 1]
    known = sorted({row.aux for row in first if row.aux})
    if not known:
        return None
    patron = scene.rng.choice(known)
    own = [row for row in first if row.aux == patron]
    near = sorted((row for row in first if row.aux != patron), key=lambda row: abs(row.seat - own[0].seat))
    needed = most + 1 - len(own)
    elsewhere = any(row.aux == patron and row.bettor > 1 for row in bets.mains(segment))
    if elsewhere or needed < 1 or len(near) < needed:
        return None
    for box in near[:needed]:
        for wager in segment.find(ops.WAGER, seat=box.seat, bettor=1):
            wager.aux = patron
    last = max((*own, *near[:needed]), key=segment.index)
    return payments.found_at(scene, segment, S.WAGER__TOO_MANY_BOXES, last)


@plants("wager.separated", weight=1)
def bet_twice_in_box(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A player lays two main wagers on one box, as if two people did."""
    segment, slot = scene.segment(number), S.WAGER__SEPARATED
    if segment is None or not scene.is_checked(slot) or not bets.is_entry_open(scene):
        return None
    choices = [
        row
        for row in bets.plain_mains(segment)
        if row.aux and max(bets.bettors(segment, row.seat)) < scene.rules.bettors_max
    ]
    if not choices:
        return None
    main = scene.rng.choice(choices)
    second = lay_behind(scene, segment, main, max(bets.bettors(segment, main.seat)) + 1, main.aux)
    return payments.found_at(scene, segment, slot, second)


# Mid-shoe.


@plants("wager.mid-shoe-entry", weight=1)
def enter_mid_shoe(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody takes over a seat for the rest of a shoe in which he did not play the last round."""
    r = scene.rules
    rest = rest_of_shoe(scene, number) if r.entry != rules.ENTRY_ALLOW else None
    if rest is None:
        return None
    segments = [segment for n in rest if (segment := scene.segment(n)) is not None]
    if any(segment.first(ops.SHOE_LOADED) for segment in segments):
        return None
    boxes = set.intersection(*({row.seat for row in bets.mains(each) if row.bettor == 1} for each in segments))
    mains = [row for row in bets.mains(segments[0]) if row.seat in boxes and row.bettor == 1]
    mains = [row for row in mains if r.entry == rules.ENTRY_FORBID or row.cents > r.min_cents]
    before, away = players_before(scene, rest)
    if len(segments) < len(rest) or not mains or not away:
        return None
    main, patron = scene.rng.choice(mains), scene.rng.choice(away)
    for segment in segments:
        for wager in segment.find(ops.WAGER, seat=main.seat, bettor=1):
            wager.aux = patron
    slot = S.WAGER__MID_SHOE_ENTRY__SAT_OUT if patron in before else S.WAGER__MID_SHOE_ENTRY__NEW
    return payments.found_at(scene, segments[0], slot, main)


def first_of_shoe(scene: Scene) -> np.ndarray:
    """Numbers of the rounds that begin a shoe."""
    log = scene.log
    starts = np.flatnonzero(np.diff(log.round, prepend=0) > 0)
    loads = np.flatnonzero(log.op == ops.SHOE_LOADED)
    between = loads[log.round[loads] == 0]
    after = np.searchsorted(starts, between)
    within = log.round[loads[log.round[loads] > 0]]  # before the round's first card
    return np.unique(np.append(log.round[starts[after[after < len(starts)]]], within))


def rest_of_shoe(scene: Scene, number: int) -> range | None:
    """The rounds from one on to the end of its shoe, where it is not the first and few are left."""
    first = first_of_shoe(scene)
    at = int(np.searchsorted(first, number, side="right"))
    stop = int(first[at]) if at < len(first) else scene.rounds() + 1
    if at == 0 or first[at - 1] == number or stop - number > _MOST_ROUNDS:
        return None
    return range(number, stop)


def players_before(scene: Scene, rest: range) -> tuple[set[int], list[int]]:
    """List who has played in the shoe so far, and known patrons who neither played the last round nor play the rest."""
    log = scene.log
    first = first_of_shoe(scene)
    began = int(first[np.searchsorted(first, rest.start, side="right") - 1])
    mains = (log.op == ops.WAGER) & (log.kind == ops.MAIN)

    def players(lo: int, hi: int) -> set[int]:
        return {int(patron) for patron in log.aux[mains & (log.round >= lo) & (log.round < hi)]}

    here = players(rest.start - 1, rest.stop)
    return players(began, rest.start), sorted(set(range(1, len(scene.names.patrons))) - here)
