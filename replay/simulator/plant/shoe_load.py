"""Changes to a shoe's way into play: shuffled, cut, its first card burned, from devices that work."""

from replay import ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import FAULT_KINDS, Row
from replay.simulator.plant import decks, void
from replay.simulator.plant.base import (
    AS_PRESCRIBED,
    NONE,
    NOT_PRESCRIBED,
    SETTLED,
    UNREPORTED,
    Scene,
    Segment,
    Truth,
    plants,
)
from replay.simulator.plant.shoe import after_load, drop, new_shoe, shoe_number

_MS_REPAIR = 45_000


# Shuffles.


@plants("shoe.unshuffled", NONE, AS_PRESCRIBED, NOT_PRESCRIBED, UNREPORTED, phase=SETTLED, weight=0.3)
def skip_shuffle(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The cards go into the shoe as they were collected."""
    slot = S.SHOE__UNSHUFFLED
    segment = void.plain_round(scene, number)
    loaded = new_shoe(segment)
    if segment is None or loaded is None or scene.rules.continuous or not void.can_be(scene, slot, handling):
        return None
    loaded.kind = ops.SHUFFLE_NONE
    truth = [scene.found(slot, shoe=shoe_number(loaded), handling=handling)]
    at = scene.rng.choice(segment.draws())
    if handling == AS_PRESCRIBED:
        if void.feeds_meter(segment):
            return None
        void.call_off(segment, at, scene.irregularity(slot, scene.prescribed(slot)))
    elif handling != NONE:
        if handling == NOT_PRESCRIBED:
            segment.after(at, *scene.irregularity(slot, scene.rng.choice((ops.CONTINUE, ops.RESHUFFLE))))
        truth.append(void.played_on(scene, segment, slot, handling))
    return truth


@plants("shoe.fault-play-continued", NOT_PRESCRIBED, weight=0.6)
def deal_after_jam(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The shuffler jams, and what it gives out is dealt all the same."""
    slot = S.SHOE__FAULT_PLAY_CONTINUED
    segment = scene.segment(number)
    loaded = new_shoe(segment)
    if segment is None or loaded is None or loaded.kind != ops.SHUFFLE_MACHINE:
        return None
    if not void.can_be(scene, slot, handling) or any(row.op == ops.FAULT for row in segment.gap):
        return None
    kind = scene.rng.randrange(len(FAULT_KINDS[ops.DEVICE_SHUFFLER]))
    at = segment.gap.index(loaded)
    fault = Row(ops.FAULT, kind=ops.DEVICE_SHUFFLER, aux=kind, ms=loaded.ms - _MS_REPAIR)
    last = segment.gap[-1]
    segment.gap.insert(at, fault)
    segment.gap.append(Row(ops.REPAIRED, kind=ops.DEVICE_SHUFFLER, aux=kind, ms=last.ms))
    return [scene.found(slot, shoe=shoe_number(loaded), handling=handling)]


@plants("shoe.fault-play-continued", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.6)
def deal_from_broken_shoe(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The shoe fails in mid-round and the dealer goes on dealing from it; the cards are reshuffled then, or not."""
    slot = S.SHOE__FAULT_PLAY_CONTINUED
    segment = void.plain_round(scene, number)
    if segment is None or not void.can_be(scene, slot, handling):
        return None
    draws = segment.draws()
    at = scene.rng.choice(draws[:-1])
    kind = scene.rng.randrange(len(FAULT_KINDS[ops.DEVICE_SHOE]))
    segment.after(at, Row(ops.FAULT, kind=ops.DEVICE_SHOE, aux=kind))
    segment.before(segment.end(), Row(ops.REPAIRED, kind=ops.DEVICE_SHOE, aux=kind))
    if handling == AS_PRESCRIBED:
        if not decks.comes_from_another(scene, number):
            return None
        segment.after(draws[-1], *scene.irregularity(slot, ops.RESHUFFLE))
    elif scene.rng.random() < 0.4:
        segment.after(draws[-1], *scene.irregularity(slot, ops.CONTINUE))
    return [scene.found(slot, segment, shoe=at.cents, handling=handling)]


# Cuts.


@plants("shoe.cut-shallow", weight=1.5)
def cut_near_end(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A player cuts too near to an end of the stack."""
    segment = scene.segment(number)
    cut = after_load(segment, ops.CUT) if segment else []
    if segment is None or len(cut) != 1 or not scene.rules.cut_ends:
        return None
    stack = cut[0].cents + cut[0].aux
    near = scene.rng.randrange(max(1, scene.rules.cut_ends // 3), scene.rules.cut_ends)
    cut[0].cents, cut[0].aux = scene.rng.choice(((near, stack - near), (stack - near, near)))
    loaded = new_shoe(segment)
    return [scene.found(S.SHOE__CUT_SHALLOW, shoe=shoe_number(loaded))] if loaded else None


@plants("shoe.cut-card-missing", NONE, NOT_PRESCRIBED, weight=0.8)
def skip_cut(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The stack goes into the shoe without a cut, and no cut card in it."""
    slot = S.SHOE__CUT_CARD_MISSING
    segment = scene.segment(number)
    loaded = new_shoe(segment)
    if segment is None or loaded is None or not void.can_be(scene, slot, handling) or _is_told(scene):
        return None
    by_machine = loaded.kind == ops.SHUFFLE_MACHINE
    if not scene.rules.cut_needed or (by_machine and not scene.rules.cut_needed_after_machine):
        return None
    if handling == NOT_PRESCRIBED and decks.comes_from_another(scene, number) is not False:
        return None
    cut = after_load(segment, ops.CUT)
    if len(cut) != 1 or not _take_out_cut_card(scene, shoe_number(loaded)):
        return None
    drop(segment, cut)
    return [scene.found(slot, segment, shoe=shoe_number(loaded), handling=handling)]


@plants("shoe.cut-card-missing", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.4)
def find_no_cut_card(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """Late in the shoe somebody notices that the cut card was never put in; the cards are shuffled then, or not."""
    slot = S.SHOE__CUT_CARD_MISSING
    segment = void.plain_round(scene, number)
    if segment is None or not void.can_be(scene, slot, handling) or scene.rules.continuous or _is_told(scene):
        return None
    if decks.comes_from_another(scene, number) is not (handling == AS_PRESCRIBED):
        return None
    shoe = scene.shoe_of(segment)
    segment.remove(*segment.find(ops.CUT_CARD))
    if not _take_out_cut_card(scene, shoe):
        return None
    ruling = ops.RESHUFFLE if handling == AS_PRESCRIBED else ops.CONTINUE
    segment.after(scene.rng.choice(segment.draws()), *scene.irregularity(slot, ruling))
    return [scene.found(slot, segment, shoe=shoe, handling=handling)]


def _is_told(scene: Scene) -> bool:
    """Tell whether a cut card is missing already: an audit tells of one a day once it has been ruled on."""
    return any(truth.code == "shoe.cut-card-missing" for truth in scene.truth)


def _take_out_cut_card(scene: Scene, shoe: int) -> bool:
    """See that no cut card comes out of a shoe."""
    for number, row in decks.rows(scene, ops.CUT_CARD, shoe):
        segment = scene.segment(number)
        if segment is None:
            return False
        segment.remove(*segment.find(ops.CUT_CARD, cents=row.cents))
    return True


# Burns.


@plants("shoe.burn-missed", NONE, AS_PRESCRIBED, weight=3)
def skip_burn(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The first card of a shoe is dealt instead of burned."""
    slot = S.SHOE__BURN_MISSED__NEW_SHOE
    segment = void.plain_round(scene, number)
    if segment is None or not void.can_be(scene, slot, handling):
        return None
    shoe = _unburned(scene, segment)
    if shoe is None:
        return None
    decisions = [row for row in segment.find(ops.DECISION) if row.kind != ops.SURRENDER]
    if handling == AS_PRESCRIBED and decisions and scene.rng.random() < 0.5:
        segment.after(decisions[-1], *scene.irregularity(slot, ops.CONTINUE))
    return [scene.found(slot, segment, shoe=shoe, handling=handling)]


@plants("shoe.burn-missed", NOT_PRESCRIBED, phase=SETTLED, weight=0.3)
def void_for_burn(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The first card was not burned, and for that a round in play is called off or the cards are shuffled again."""
    slot = S.SHOE__BURN_MISSED__NEW_SHOE
    segment = void.plain_round(scene, number)
    if segment is None or not void.can_be(scene, slot, handling) or void.feeds_meter(segment):
        return None
    shoe = _unburned(scene, segment)
    if shoe is None:
        return None
    truth = [scene.found(slot, segment, shoe=shoe, handling=handling)]
    cost = void.annul(segment, scene.irregularity(slot, ops.VOID))
    return [*truth, scene.found(S.ROUND__VOID_UNJUSTIFIED, segment, variance_cents=cost)]


def _unburned(scene: Scene, segment: Segment) -> int | None:
    """Deal without a burn from a new shoe; its number."""
    loaded = new_shoe(segment)
    burned = [row for row in after_load(segment, ops.DRAW) if row.zone == J.ZONE_BURN]
    if loaded is None or len(burned) != 1 or not scene.rules.burn_first:
        return None
    drop(segment, burned)
    return shoe_number(loaded)


@plants("shoe.burn-missed", weight=3)
def take_over_without_burn(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A dealer takes over and deals without burning a card."""
    slot = S.SHOE__BURN_MISSED__NEW_DEALER
    segment = scene.segment(number)
    if (
        segment is None
        or new_shoe(segment)
        or not scene.rules.burn_new_dealer
        or not void.can_be(scene, slot, handling)
    ):
        return None
    came = [n for n, row in enumerate(segment.gap) if row.op == ops.DEALER_CHANGE]
    burned = [row for row in segment.gap[came[-1] :] if row.op == ops.DRAW] if came else []
    if len(burned) != 1 or segment.first(ops.SHOE_LOADED):
        return None
    drop(segment, burned)
    return [scene.found(slot, segment, shoe=scene.shoe_of(segment))]
