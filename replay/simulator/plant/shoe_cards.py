"""Cards that should not be in the shoe, or not that way: tens, cards that lie face up, cards the decks do not hold."""

from collections import Counter
from collections.abc import Callable

from replay import cards, ops, rules
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
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

_EVERY = (NONE, AS_PRESCRIBED, NOT_PRESCRIBED, UNREPORTED)


def is_ten(row: Row) -> bool:
    return bool(cards.RANK[row.card] == cards.TEN)


def is_face_up(row: Row) -> bool:
    return bool(row.flags & ops.FACE_UP)


def shows_first(scene: Scene, segment: Segment, is_such: Callable[[Row], bool]) -> bool:
    """Tell whether a card found here is the first: within the round, or within the shoe where it is read like that."""
    if not scene.rules.count_within_shoe:
        return not any(map(is_such, segment.draws()))
    return not any(is_such(row) for _, row in decks.draws_of(scene, scene.shoe_of(segment)))


def slip_in(scene: Scene, segment: Segment, count: int, together: bool, face_up: bool) -> list[Row] | None:
    """Cards that come out of the shoe and are laid aside: tens, or others that lie face up."""
    draws = segment.draws()[1:] if face_up else segment.draws()  # a face-up card is found once dealing has begun
    if not draws:
        return None
    places = sorted(scene.rng.choices(range(len(draws)), k=1 if together else count))
    found = []
    for place in places * count if together else places:
        shoe = draws[place].cents
        card = scene.spare_card(shoe) if face_up else 1 + 4 * cards.TEN + scene.rng.randrange(4)
        if card is None:
            return None
        row = scene.draw(shoe, card, J.ZONE_DISCARD, ops.FACE_UP if face_up else 0)
        segment.before(draws[place], row)
        found.append(row)
    return found


def removal(scene: Scene, slot: int) -> int:
    """Remove the card, with or without more words."""
    return ops.REMOVE_CARD | scene.rng.choice((0, int(scene.rules.permits[slot]) & (ops.USE_NEXT | ops.CONTINUE)))


# A ten.


@plants("shoe.ten-found", *_EVERY, phase=SETTLED, weight=0.5)
def find_one_ten(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A ten comes out of the shoe and is laid aside; what else happens depends on who was told."""
    slot = S.SHOE__TEN_FOUND
    segment = void.plain_round(scene, number)
    if segment is None or not void.can_be(scene, slot, handling) or not shows_first(scene, segment, is_ten):
        return None
    if handling == NOT_PRESCRIBED and scene.rules.one_ten == rules.REMOVE:
        return _void_for_one(scene, segment, slot)
    found = slip_in(scene, segment, 1, together=False, face_up=False)
    if found is None:
        return None
    if scene.rules.one_ten == rules.VOID:
        return _void_or_play_on(scene, segment, slot, handling, found)
    truth = [scene.found(slot, segment, handling=handling)]
    if handling == AS_PRESCRIBED or (handling == NONE and scene.rng.random() < 0.4):
        segment.after(found[0], *scene.irregularity(slot, removal(scene, slot), of=found))
    elif handling == NONE and scene.rng.random() < 0.4 and not void.feeds_meter(segment):
        stop = void.stopping_point(scene, segment, found[0])
        void.call_off(segment, stop, scene.irregularity(slot, ops.VOID, of=found))
    return truth


@plants("shoe.ten-found", NONE, NOT_PRESCRIBED, UNREPORTED, phase=SETTLED, weight=0.3)
def play_ten(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A ten comes out and is played as if it were a picture card."""
    slot = S.SHOE__TEN_FOUND
    segment = void.plain_round(scene, number)
    if segment is None or not void.can_be(scene, slot, handling) or not shows_first(scene, segment, is_ten):
        return None
    last = void.dealers_last(segment)
    if last is None or cards.VALUE[last.card] != 10:
        return None
    last.card = 1 + 4 * cards.TEN + scene.rng.randrange(4)
    if handling != UNREPORTED:
        segment.after(last, *scene.irregularity(slot, ops.CONTINUE, of=[last]))
    truth = [scene.found(slot, segment, handling=handling)]
    if scene.rules.one_ten == rules.VOID:
        truth.append(void.played_on(scene, segment, slot, handling))
    return truth


def _void_or_play_on(
    scene: Scene, segment: Segment, slot: int, handling: int, found: list[Row], ruling: int = ops.CONTINUE
) -> list[Truth] | None:
    """Cards that void the round: it is called off, or played on, with a word about them or none."""
    truth = [scene.found(slot, segment, handling=handling)]
    if handling == AS_PRESCRIBED:
        if void.feeds_meter(segment):
            return None
        stop = found[-1] if found[-1].zone != J.ZONE_DISCARD else void.stopping_point(scene, segment, found[-1])
        void.call_off(segment, stop, scene.irregularity(slot, scene.prescribed(slot), of=found))
        return truth
    if handling == NOT_PRESCRIBED:
        segment.after(found[-1], *scene.irregularity(slot, ruling, of=found))
    return [*truth, void.played_on(scene, segment, slot, handling)]


def _void_for_one(scene: Scene, segment: Segment, slot: int) -> list[Truth] | None:
    """A single card, and the round that should have gone on is called off."""
    if not void.is_complete(segment) or void.has_progressive_stakes(segment):
        return None
    face_up = slot == S.SHOE__FACE_UP
    if face_up and scene.rules.one_face_up == rules.PLAY:
        found = _turn_up(scene, segment, anywhere=True)
    else:
        found = slip_in(scene, segment, 1, together=False, face_up=face_up)
    if found is None:
        return None
    cost = void.annul(segment, scene.irregularity(slot, ops.VOID, of=found))
    return [
        scene.found(slot, segment, handling=NOT_PRESCRIBED),
        scene.found(S.ROUND__VOID_UNJUSTIFIED, segment, variance_cents=cost),
    ]


# Several tens, several cards face up.


@plants("shoe.tens-multiple", *_EVERY, phase=SETTLED, weight=0.2)
def find_tens(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """More than one ten in a round."""
    segment = void.plain_round(scene, number)
    if segment is None or not void.can_be(scene, S.SHOE__TENS_MULTIPLE, handling):
        return None
    if not shows_first(scene, segment, is_ten):
        return None
    at_once = scene.rules.one_ten == rules.VOID
    found = slip_in(scene, segment, scene.rng.choice((2, 2, 2, 3)), together=at_once, face_up=False)
    if found is None:
        return None
    if handling == NONE:
        if scene.rng.random() < 0.5:
            segment.after(found[0], *scene.irregularity(S.SHOE__TEN_FOUND, ops.REMOVE_CARD, of=found[:1]))
        slots = [S.SHOE__TEN_FOUND] + [S.SHOE__TENS_MULTIPLE] * (len(found) - 1)
        return [scene.found(slot, segment) for slot in slots]
    return _several(scene, segment, handling, found, S.SHOE__TEN_FOUND, S.SHOE__TENS_MULTIPLE)


@plants("shoe.face-up-multiple", AS_PRESCRIBED, NOT_PRESCRIBED, UNREPORTED, phase=SETTLED, weight=0.4)
def find_face_up_cards(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """More than one card face up in a round, where the rulebook tells that from a single one."""
    segment = void.plain_round(scene, number)
    if segment is None or not void.can_be(scene, S.SHOE__FACE_UP_MULTIPLE, handling):
        return None
    if not shows_first(scene, segment, is_face_up):
        return None
    found = slip_in(scene, segment, scene.rng.choice((2, 2, 2, 3)), together=False, face_up=True)
    if found is None:
        return None
    return _several(scene, segment, handling, found, S.SHOE__FACE_UP, S.SHOE__FACE_UP_MULTIPLE)


def _several(
    scene: Scene, segment: Segment, handling: int, found: list[Row], first: int, further: int
) -> list[Truth] | None:
    """Several cards that void the round; the first may have been dealt with as a single one."""
    first_voids = first == S.SHOE__TEN_FOUND and scene.rules.one_ten == rules.VOID
    ruled = handling != UNREPORTED or (not first_voids and scene.rng.random() < 0.5)
    first_handling = handling if first_voids else AS_PRESCRIBED
    if not ruled and scene.may_be_unreported(first):
        first_handling = UNREPORTED
    truth = [scene.found(first, segment, handling=first_handling)]
    truth += [scene.found(further, segment, handling=handling) for _ in found[1:]]
    ruling = ops.REMOVE_CARD
    if first_voids:
        ruling = ops.VOID if handling == AS_PRESCRIBED else ops.CONTINUE
    lines = scene.irregularity(first, ruling, of=found[:1]) if ruled else []
    wanted = scene.prescribed(further)
    half = handling == NOT_PRESCRIBED and wanted != ops.VOID and scene.rng.random() < 0.4  # void, but nothing more
    if handling == AS_PRESCRIBED or half:
        ruling = ops.VOID if half else wanted
        if void.feeds_meter(segment) or not _follows(scene, segment, ruling):
            return None
        stop = void.stopping_point(scene, segment, found[-1])
        void.call_off(segment, stop, [*lines, *scene.irregularity(further, ruling, of=found[1:])])
        return truth
    segment.after(found[0], *lines)
    if handling == NOT_PRESCRIBED:
        segment.after(found[-1], *scene.irregularity(further, ops.CONTINUE, of=found[1:]))
    return [*truth, void.played_on(scene, segment, first if first_voids else further, handling)]


def withdraw_for_tens(scene: Scene, segment: Segment) -> list[Truth] | None:
    """A round that is called off for tens in it, rightly, and the order that these decks go out of play."""
    if not shows_first(scene, segment, is_ten):
        return None
    several = S.SHOE__TENS_MULTIPLE
    found = slip_in(scene, segment, 2, together=True, face_up=False)
    if found is None:
        return None
    ruling = scene.prescribed(several) | ops.VOID | ops.WITHDRAW_DECKS
    stop = void.stopping_point(scene, segment, found[-1])
    void.call_off(segment, stop, scene.irregularity(several, ruling, of=found))
    handling = AS_PRESCRIBED if scene.prescribed(several) else NONE
    return [scene.found(slot, segment, handling=handling) for slot in (S.SHOE__TEN_FOUND, several)]


def _follows(scene: Scene, segment: Segment, ruling: int) -> bool:
    """See to what a ruling says of the cards: the next round comes from another shoe, of other decks if need be."""
    if ruling & (ops.RESHUFFLE | ops.WITHDRAW_DECKS) and not decks.comes_from_another(scene, segment.number):
        return False
    return not ruling & ops.WITHDRAW_DECKS or decks.withdraw(scene, segment)


# A card face up.


@plants("shoe.face-up", AS_PRESCRIBED, NOT_PRESCRIBED, phase=SETTLED, weight=1)
def find_face_up(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A card lies face up in the shoe. It is laid aside or played, rightly or wrongly."""
    slot = S.SHOE__FACE_UP
    segment = void.plain_round(scene, number)
    if segment is None or not void.can_be(scene, slot, handling) or not shows_first(scene, segment, is_face_up):
        return None
    if handling == NOT_PRESCRIBED and scene.rng.random() < 0.3:
        return _void_for_one(scene, segment, slot)
    plays = scene.rules.one_face_up == rules.PLAY
    if plays or handling == NOT_PRESCRIBED:
        found = _turn_up(scene, segment, anywhere=plays)
    else:
        found = slip_in(scene, segment, 1, together=False, face_up=True)
    if not found:
        return None
    ruling = removal(scene, slot)
    if plays or handling == NOT_PRESCRIBED:
        ruling = ops.RESHUFFLE if plays and handling == NOT_PRESCRIBED else ops.CONTINUE
    if handling == NOT_PRESCRIBED or scene.rng.random() < 0.5:
        segment.after(found[0], *scene.irregularity(slot, ruling, of=found))
    return [scene.found(slot, segment, handling=handling)]


def _turn_up(scene: Scene, segment: Segment, anywhere: bool) -> list[Row] | None:
    """A card of the round that lay face up and is played: any, or one without which the cards would not do."""
    card = scene.rng.choice(segment.draws()[1:]) if anywhere else void.dealers_last(segment)
    if card is None:
        return None
    card.flags |= ops.FACE_UP
    return [card]


# Cards too many or too few.


@plants("shoe.composition", phase=SETTLED, weight=0.2)
def miss_cards(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """When a shoe is counted at its end, a card or two are gone."""
    slot = S.SHOE__COMPOSITION
    segment = scene.segment(number)
    ended = next((row for row in segment.gap if row.op == ops.SHOE_ENDED), None) if segment else None
    if ended is None or scene.rules.continuous or scene.prescribed(slot) or not scene.is_checked(slot):
        return None
    drawn = list(decks.draws_of(scene, ended.cents))
    # A ten may have taken another card's place, so that nobody can say what is missing.
    if any(cards.RANK[row.card] == cards.TEN for _, row in drawn) or not decks.lock(scene, {at for at, _ in drawn}):
        return None
    ended.seat = scene.rng.randint(1, 3)
    return [scene.found(slot, shoe=ended.cents)]


@plants("shoe.composition", *_EVERY, phase=SETTLED, weight=0.2)
def find_card_too_many(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A card comes out once more often than the decks hold it: one of another table's, or of an older set."""
    slot = S.SHOE__COMPOSITION
    segment = void.plain_round(scene, number)
    if segment is None or scene.rules.continuous or not void.can_be(scene, slot, handling):
        return None
    shoe = scene.shoe_of(segment)
    drawn, places = Counter[int](), dict[int, set[int]]()
    for place, row in decks.draws_of(scene, shoe):
        places.setdefault(row.card, set()).add(place)
        drawn[row.card] += place < number
    if any(count > scene.rules.decks for count in drawn.values()):
        return None
    for row in segment.draws():
        if void.suits_matter(segment, row):
            continue
        same = [each for each in _siblings(row.card) if drawn[each] == scene.rules.decks]
        if same and decks.lock(scene, places[same[0]]):
            row.card = same[0]
            truth = scene.found(slot, segment, shoe=shoe, handling=handling)
            return _foreign(scene, segment, handling, row, truth)
        drawn[row.card] += 1
    return None


def _siblings(card: int) -> list[int]:
    """The other cards of a rank."""
    return [each for each in range(1, cards.CARD_CODES) if cards.RANK[each] == cards.RANK[card] and each != card]


def _foreign(scene: Scene, segment: Segment, handling: int, row: Row, truth: Truth) -> list[Truth] | None:
    """Return the fate of the round."""
    slot = S.SHOE__COMPOSITION
    if handling != NONE:
        rest = _void_or_play_on(scene, segment, slot, handling, [row])
        return None if rest is None else [truth, *rest[1:]]
    if int(scene.rules.permits[slot]) & ops.VOID and scene.rng.random() < 0.3 and not void.feeds_meter(segment):
        void.call_off(segment, row, scene.irregularity(slot, ops.VOID, of=[row]))
    return [truth]
