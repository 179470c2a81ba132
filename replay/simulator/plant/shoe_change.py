"""The cut card and the change of shoes: too late, too early, in mid-round, or when there are no cards left."""

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from replay import cards, ops, rules
from replay import situations as S
from replay.simulator.log import Row
from replay.simulator.plant import decks, void
from replay.simulator.plant.base import AS_PRESCRIBED, NONE, NOT_PRESCRIBED, Scene, Segment, Truth, plants

_MOST_ROUNDS: Final = 8  # that are dealt from the other shoe
_SURELY = 8  # cards beyond a limit, so that what else is planted in the shoe does not matter
_CHANGE: Final = (ops.SHOE_ENDED, ops.SHOE_LOADED, ops.CUT, ops.DRAW)


class ShoeChange(NamedTuple):
    """The change of shoes before a round."""

    rows: list[Row]
    old: int
    new: int


def change_before(segment: Segment | None) -> ShoeChange | None:
    """The one change of shoes between a round and the one before, where no dealer took over as well."""
    gap = segment.gap if segment else []
    found = [row for row in gap if row.op in _CHANGE]
    ends, loads = ([row for row in found if row.op == op] for op in (ops.SHOE_ENDED, ops.SHOE_LOADED))
    if len(ends) != 1 or len(loads) != 1 or found[:2] != [ends[0], loads[0]]:
        return None
    if any(row.op == ops.DEALER_CHANGE for row in gap):
        return None
    return ShoeChange(found, ends[0].cents, loads[0].cents)


def stack(scene: Scene) -> int:
    return scene.rules.decks * scene.rules.cards_per_deck


def stays_seated(scene: Scene, before: Segment, after: Segment) -> bool:
    """Tell whether nobody came in with a round, which would be in mid-shoe if the shoe were changed at another time."""
    if scene.rules.entry == rules.ENTRY_ALLOW:
        return True
    mains = [each.find(ops.WAGER, kind=ops.MAIN) for each in (before, after)]
    who = [{row.aux or (row.seat, row.bettor) for row in rows} for rows in mains]
    return who[1] <= who[0]


def swap_times(first: list[Row], second: list[Row], until_ms: int) -> None:
    """Exchange two parts of a round, each with the time that it took."""
    start, middle = first[0].ms, second[0].ms
    for rows, shift in ((first, until_ms - middle), (second, start - middle)):
        for row in rows:
            row.ms += shift


def deal_from(scene: Scene, shoe: int, rows: Iterable[Row]) -> bool:
    """Draw cards from another shoe, in other suits where it has no more of them. False where it does not have them."""
    held = Counter(row.card for _, row in decks.draws_of(scene, shoe))
    for row in rows:
        if row.op != ops.DRAW:
            continue
        row.cents = shoe
        if held[row.card] >= scene.rules.decks:
            rank = cards.RANK[row.card]
            left = [c for c in range(1, cards.CARD_CODES) if cards.RANK[c] == rank and held[c] < scene.rules.decks]
            if not left:
                return False
            row.card = scene.rng.choice(left)
        held[row.card] += 1
        scene.extra[shoe, row.card] += 1
    return True


def run_of(scene: Scene, first: int, last: int) -> list[Segment] | None:
    """Rounds one after another, all from one shoe once they have begun and without a cut card."""
    found = []
    for number in range(first, last + 1):
        segment = scene.segment(number)
        loads = segment is None or segment.first(ops.SHOE_LOADED)
        if segment is None or loads or (number > first and any(row.op == ops.SHOE_LOADED for row in segment.gap)):
            return None
        found.append(segment)
    return found


def lies_wrong(scene: Scene, shoe: int) -> bool:
    """Tell whether a shoe's cut card was put in wrongly already: it has to stay where it is."""
    return any(truth.code == "shoe.cut-card-depth" and truth.shoe == shoe for truth in scene.truth)


def postpone(scene: Scene, segments: list[Segment], change: ShoeChange) -> bool:
    """Move a change of shoes from before the first of some rounds to before the last: the others have the old shoe."""
    first, last = segments[0], segments[-1]
    if any(segment.first(ops.CUT_CARD) for segment in segments[:-1]) or lies_wrong(scene, change.new):
        return False
    first.gap = [row for row in first.gap if row not in change.rows]
    moved = [row for segment in segments[:-1] for row in [*segment.gap, *segment.rows]]
    if comes_early_without(scene, change, sum(row.op == ops.DRAW for row in moved)):
        return False
    if not deal_from(scene, change.old, moved):
        return False
    swap_times(change.rows, moved, [*last.gap, *last.rows][0].ms)
    last.gap[:0] = change.rows
    return True


# The cut card is ignored.


@plants("shoe.cut-card-ignored", NONE, AS_PRESCRIBED, NOT_PRESCRIBED, weight=1)
def deal_on(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The cut card came out, and the next round is dealt from the same shoe, or several rounds are."""
    slot = S.SHOE__CUT_CARD_IGNORED__MID_ROUND
    change = change_before(scene.segment(number))
    before = scene.segment(number - 1)
    if change is None or before is None or not void.can_be(scene, slot, handling) or scene.rules.continuous:
        return None
    more = {AS_PRESCRIBED: 1, NOT_PRESCRIBED: scene.rng.randint(2, 3), NONE: scene.rng.randint(1, 2)}[handling]
    segments = run_of(scene, number, number + more)
    if segments is None or not _comes_in_mid_round(before) or not stays_seated(scene, before, segments[0]):
        return None
    if not postpone(scene, segments, change):
        return None
    if handling != NONE and scene.rng.random() < 0.5:
        ruling = ops.RESHUFFLE if handling == AS_PRESCRIBED else ops.CONTINUE
        segments[0].before(segments[0].end(), *scene.irregularity(slot, ruling))
    return [scene.found(slot, segments[0], shoe=change.old, handling=handling)]


def _comes_in_mid_round(segment: Segment) -> bool:
    """Tell whether the cut card came out behind the round's first card."""
    cut = segment.first(ops.CUT_CARD)
    return cut is not None and segment.index(cut) > segment.index(segment.draws()[0])


@plants("shoe.cut-card-ignored", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.5)
def deal_after_first(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The cut card is the first of a round, which is dealt instead of shuffling at once."""
    slot = S.SHOE__CUT_CARD_IGNORED__FIRST_CARD
    segment = void.plain_round(scene, number)
    change = change_before(scene.segment(number + 1))
    if (
        segment is None
        or change is None
        or not scene.rules.cut_first_reshuffles
        or not void.can_be(scene, slot, handling)
    ):
        return None
    cut = segment.first(ops.CUT_CARD)
    if cut is None or comes_too_early(scene, cards_before(scene, change.old, number)):
        return None
    segment.remove(cut)
    segment.before(segment.draws()[0], cut)
    if handling == NOT_PRESCRIBED:
        segments = run_of(scene, number + 1, number + 2)
        if segments is None or not stays_seated(scene, segment, segments[0]) or not postpone(scene, segments, change):
            return None
    elif scene.rng.random() < 0.5:
        segment.before(segment.end(), *scene.irregularity(slot, ops.RESHUFFLE))
    return [scene.found(slot, segment, shoe=change.old, handling=handling)]


# The cut card lies wrong.


def cards_before(scene: Scene, shoe: int, number: int) -> int:
    """Cards that were drawn from a shoe before a round."""
    return sum(1 for place, row in decks.draws_of(scene, shoe) if place < number or (place == number and not row.round))


def comes_too_early(scene: Scene, drawn: int) -> bool:
    """Tell whether a cut card after so many cards has more behind it than allowed."""
    behind, all_cards = stack(scene) - drawn, stack(scene)
    return behind * int(scene.rules.cut_most_den) > all_cards * int(scene.rules.cut_most_num)


def comes_too_late(scene: Scene, drawn: int) -> bool:
    """Tell whether it has less behind it than it must."""
    behind, all_cards = stack(scene) - drawn, stack(scene)
    return behind * int(scene.rules.cut_least_den) < all_cards * int(scene.rules.cut_least_num)


def comes_early_without(scene: Scene, change: ShoeChange, cards_less: int) -> bool:
    """Tell whether the new shoe's cut card comes too early if so many cards are not dealt from that shoe."""
    less = cards_less + _SURELY
    return any(comes_too_early(scene, row.aux - less) for _, row in decks.rows(scene, ops.CUT_CARD, change.new))


@plants("shoe.cut-card-depth", weight=1)
def cut_card_too_deep(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer puts the cut card too near to the back, so that the shoe is dealt further down than allowed."""
    slot = S.SHOE__CUT_CARD_DEPTH
    change = change_before(scene.segment(number))
    before = scene.segment(number - 1)
    if change is None or before is None or not scene.rules.cut_least_num or not scene.is_checked(slot):
        return None
    cut = before.first(ops.CUT_CARD)
    drawn = cards_before(scene, change.old, number)
    for more in range(1, _MOST_ROUNDS):
        segments = run_of(scene, number, number + more)
        if segments is None or cut is None or not stays_seated(scene, before, segments[0]):
            return None
        last = segments[-2]
        drawn += sum(row.op == ops.DRAW and row not in change.rows for row in last.gap)
        late = [row for n, row in enumerate(last.draws()) if n and comes_too_late(scene, drawn + n - _SURELY)]
        if late and postpone(scene, segments, change):
            before.remove(cut)
            last.before(late[0], cut)
            return [scene.found(slot, last, shoe=change.old)]
        if late:
            return None
        drawn += len(last.draws())
    return None


@plants("shoe.cut-card-depth", weight=1)
def cut_card_too_early(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer puts the cut card more than the allowed part from the back, so that it comes out too soon."""
    slot = S.SHOE__CUT_CARD_DEPTH
    after, segment = scene.segment(number + 1), scene.segment(number)
    change = change_before(after)
    if change is None or segment is None or after is None or not scene.is_checked(slot):
        return None
    cut = segment.first(ops.CUT_CARD)
    if cut is None or scene.rules.cut_most_num >= scene.rules.cut_most_den:
        return None
    if not stays_seated(scene, segment, after):
        return None
    for back in range(_MOST_ROUNDS):
        segments = run_of(scene, number - back, number) if number > back else None
        if segments is None or any(row.op == ops.SHOE_LOADED for row in segments[0].gap):
            return None
        drawn = cards_before(scene, change.old, number - back)
        early = [row for n, row in enumerate(segments[0].draws()) if n and comes_too_early(scene, drawn + n + _SURELY)]
        if early:
            segment.remove(cut)
            segments[0].before(early[-1], cut)
            if not _bring_forward(scene, [*segments, after], change):
                return None
            return [scene.found(slot, segments[0], shoe=change.old)]
    return None


def _bring_forward(scene: Scene, segments: list[Segment], change: ShoeChange) -> bool:
    """Move a change of shoes from before the last of some rounds to behind the first."""
    if lies_wrong(scene, change.new):
        return False
    last = segments[-1]
    last.gap = [row for row in last.gap if row not in change.rows]
    if len(segments) > 2:
        moved = [row for segment in segments[1:-1] for row in [*segment.gap, *segment.rows]]
        if not deal_from(scene, change.new, moved):
            return False
        swap_times(moved, change.rows, [*last.gap, *last.rows][0].ms)
    segments[1].gap[:0] = change.rows
    return True


# The shoe is changed in mid-round.


@plants("shoe.ended-mid-round", weight=0.6)
def change_in_round(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The cut card comes out and the dealer changes shoes at once, with the round half dealt."""
    segment = void.plain_round(scene, number)
    after = scene.segment(number + 1)
    change = change_before(after)
    if segment is None or after is None or change is None or not _comes_in_mid_round(segment):
        return None
    cut = segment.first(ops.CUT_CARD)
    if cut is None or not stays_seated(scene, segment, after) or not scene.is_checked(S.SHOE__ENDED_MID_ROUND):
        return None
    at = segment.index(cut) + 1
    tail = segment.rows[at:]
    moved = sum(row.op == ops.DRAW for row in tail)
    if any(comes_too_late(scene, row.aux + moved) for _, row in decks.rows(scene, ops.CUT_CARD, change.new)):
        return None
    if not deal_from(scene, change.new, tail):
        return None
    after.gap = [row for row in after.gap if row not in change.rows]
    swap_times(tail, change.rows, [*after.gap, *after.rows][0].ms)
    for row in change.rows:
        row.round = number
    segment.rows[at:at] = change.rows
    return [scene.found(S.SHOE__ENDED_MID_ROUND, segment, shoe=change.old)]
