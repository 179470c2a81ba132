"""Decks: how many, how old, inspected or not, which set, withdrawn or not."""

from collections.abc import Iterable

from replay import ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import decks, shoe_cards, void
from replay.simulator.plant.base import (
    NONE,
    NOT_PRESCRIBED,
    SETTLED,
    Scene,
    Segment,
    Truth,
    plants,
)

_OPENING = 1  # the segment with all that comes before the first round
_SAFE_MS = 200  # from the round before to the moment when decks have become too old


def new_shoe(segment: Segment | None) -> Row | None:
    """The shoe that a round is the first of, loaded before it."""
    loaded = [row for row in segment.gap if row.op == ops.SHOE_LOADED] if segment else []
    return loaded[-1] if loaded else None


def shoe_number(loaded: Row) -> int:
    return loaded.cents


def after_load(segment: Segment, op: int) -> list[Row]:
    """Rows of an operation behind the last shoe that was loaded before the round."""
    loaded = new_shoe(segment)
    at = next((n for n, row in enumerate(segment.gap) if row is loaded), 0)
    return [row for row in segment.gap[at:] if row.op == op]


def drop(segment: Segment, gone: Iterable[Row]) -> None:
    """Take rows out of what comes before a round."""
    marked = {id(row) for row in gone}
    segment.gap = [row for row in segment.gap if id(row) not in marked]


# Decks.


@plants("shoe.deck-count", weight=0.3)
def miscount(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A deck or a card too many or too few goes into the shoe, by the counter's own figure. One is told of a day."""
    slot, stack = S.SHOE__DECK_COUNT, scene.rules.decks * scene.rules.cards_per_deck
    if any(truth.code == "shoe.deck-count" for truth in scene.truth):
        return None
    if number == _OPENING and scene.rng.random() < 0.5:
        return _miscount_opening(scene, stack)
    segment = scene.segment(number)
    loaded = new_shoe(segment)
    if segment is None or loaded is None:
        return None
    if loaded.flags >> 1 and scene.rng.random() < 0.6:
        loaded.flags = loaded.flags & 1 | (stack + scene.rng.choice((-3, -2, -1, 1, 2))) << 1
    else:
        loaded.seat = scene.rules.decks + scene.rng.choice((-1, 1))
    return [scene.found(slot, shoe=shoe_number(loaded))]


def _miscount_opening(scene: Scene, stack: int) -> list[Truth] | None:
    """... noticed at the table's opening, or in the inspection."""
    segment = scene.segment(_OPENING)
    rows = [row for row in segment.gap if row.op in (ops.OPEN, ops.INSPECTION)] if segment else []
    if not rows:
        return None
    row = scene.rng.choice(rows)
    if row.op == ops.OPEN:
        row.seat = scene.rules.decks + scene.rng.choice((-2, -1, 1, 2))
    else:
        row.cents = stack + scene.rng.choice((-48, -2, -1, 1, 4))
    return [scene.found(S.SHOE__DECK_COUNT)]


@plants("shoe.decks-stale", weight=0.2)
def keep_decks(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Decks that were inspected the day before stay in play beyond their time, which runs out before a round."""
    slot, most = S.SHOE__DECKS_STALE, int(scene.rules.max_age_ms)
    segment = scene.segment(_OPENING)
    if not most or number == _OPENING or segment is None or not _sets_are_sound(scene):
        return None
    loads = decks.loads(scene)
    starts, ends = J.bounds(scene.log)
    runs_out = int(scene.log.ms[starts[number - 1]]) - _SAFE_MS
    current = [load for load in loads if load.number <= number][-1]
    if current.number == number or runs_out <= scene.log.ms[ends[number - 2] - 1]:
        return None
    later = [load for load in loads if load.number > number and load.decks == current.decks]
    if len(later) > 3 or not decks.lock(scene, {load.number for load in [current, *later]}):
        return None
    inspected = next(row for row in segment.gap if row.op == ops.INSPECTION and row.aux == current.decks)
    drop(segment, [inspected])
    inspected.ms = runs_out - most
    segment.gap.insert(0, inspected)
    first = scene.found(slot, shoe=current.shoe)._replace(round=number)
    return [first, *(_at_load(scene, slot, load) for load in later)]


def _sets_are_sound(scene: Scene) -> bool:
    """Tell whether nothing else is planted about the sets of decks."""
    kinds = {"shoe.not-inspected", "shoe.decks-stale", "shoe.single-set"}
    return not any(truth.code in kinds for truth in scene.truth)


@plants("shoe.not-inspected", weight=0.4)
def skip_inspection(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Decks come into play that nobody inspected."""
    segment = scene.segment(_OPENING)
    if segment is None or not scene.is_checked(S.SHOE__NOT_INSPECTED) or not _sets_are_sound(scene):
        return None
    first: dict[int, decks.Load] = {}
    for load in decks.loads(scene):
        first.setdefault(load.decks, load)
    load = scene.rng.choice(list(first.values()))
    if load.in_round or not decks.lock(scene, {load.number}):
        return None
    drop(segment, [row for row in segment.gap if row.op == ops.INSPECTION and row.aux == load.decks])
    return [scene.found(S.SHOE__NOT_INSPECTED, shoe=load.shoe)]


@plants("shoe.not-inspected", weight=0.6)
def inspect_alone(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """One person inspects the decks where two have to."""
    slot = S.SHOE__NOT_INSPECTED__ALONE
    segment = scene.segment(_OPENING)
    if segment is None or scene.rules.inspectors < 2 or not scene.is_checked(slot):
        return None
    rows = [row for row in segment.gap if row.op == ops.INSPECTION]
    if not rows:
        return None
    scene.rng.choice(rows).bettor = 1
    return [scene.found(slot)]


@plants("shoe.single-set", weight=0.5)
def keep_set(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The shuffler's second set stays aside, and the set just dealt goes back into the shoe."""
    slot = S.SHOE__SINGLE_SET
    segment = scene.segment(number)
    loaded = new_shoe(segment)
    if segment is None or loaded is None or loaded.kind != ops.SHUFFLE_MACHINE or not _sets_are_sound(scene):
        return None
    loads = decks.loads(scene)
    at = next(n for n, load in enumerate(loads) if load.shoe == shoe_number(loaded))
    if not scene.rules.two_sets or at == 0 or loads[at].decks == loads[at - 1].decks:
        return None
    same = loads[at - 1].decks
    following = [load for load in loads[at + 1 : at + 2] if load.decks == same]
    if not decks.lock(scene, {loads[at - 1].number, *(load.number for load in following)}):
        return None
    loaded.aux = same
    shoes = [loads[at], *following]
    return [_at_load(scene, slot, load) for load in shoes]


def _at_load(scene: Scene, slot: int, load: decks.Load, handling: int = NONE) -> Truth:
    """A finding about a shoe as it was loaded, which may have been in mid-round."""
    return scene.found(slot, shoe=load.shoe, handling=handling)._replace(round=load.number if load.in_round else None)


@plants("shoe.decks-withdrawn-reused", NONE, NOT_PRESCRIBED, phase=SETTLED, weight=0.2)
def reuse_decks(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """Decks are withdrawn for tens in them, and somebody puts them into a later shoe."""
    slot = S.SHOE__DECKS_WITHDRAWN_REUSED
    segment = void.plain_round(scene, number)
    if segment is None or void.feeds_meter(segment) or not void.can_be(scene, slot, handling):
        return None
    if any(truth.code == "shoe.decks-withdrawn-reused" for truth in scene.truth):
        return None
    mine = decks.set_of(scene, scene.shoe_of(segment))
    again = [load for load in decks.loads(scene) if load.number > number and load.decks == mine]
    if not 1 <= len(again) <= 3 or not decks.comes_from_another(scene, number):
        return None
    if not decks.lock(scene, {load.number for load in again}):
        return None
    tens = shoe_cards.withdraw_for_tens(scene, segment)
    return tens and [*tens, *(_at_load(scene, slot, load, handling) for load in again)]
