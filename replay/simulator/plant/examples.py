"""Three planters that show the ways."""

from replay import cards, rules
from replay import slots as S
from replay.simulator import log as J
from replay.simulator.plant.base import (
    AS_PRESCRIBED,
    UNREPORTED,
    Scene,
    Truth,
    plants,
)


@plants("shoe.ten-found", AS_PRESCRIBED, UNREPORTED, weight=0.5)
def find_ten(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A ten comes out of the shoe and is removed, where that is what the rulebook prescribes."""
    slot = S.SHOE__TEN_FOUND
    segment = scene.segment(number)
    if segment is None or scene.rules.one_ten != rules.REMOVE:
        return None
    at = scene.rng.choice(segment.draws())
    ten = scene.draw(at.cents, 1 + 4 * cards.TEN + scene.rng.randrange(4), J.ZONE_DISCARD)
    segment.before(at, ten)
    if handling == AS_PRESCRIBED:
        segment.after(ten, *scene.irregularity(slot, scene.prescribed(slot), of=[ten]))
    elif not scene.may_be_unreported(slot):
        return None
    return [scene.found(slot, segment, handling=handling)]
