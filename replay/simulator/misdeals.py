"""Misdeals that nobody logged: cards that went astray, played on and settled for the cards as they then lay.

A round is settled with its cards in the usual order, or with a line that declares a box dead. Then the draws are put
into the order in which they really came out of the shoe, and the line is dropped: what devices logged is a misdeal, and
every card lies where the round was settled for.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

import numpy as np

from replay import cards, ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Log, Row
from replay.simulator.plant import PLAYED, SETTLED, Planter, Scene, Truth, deal
from replay.simulator.plant import felt as F
from replay.simulator.plant.base import UNREPORTED, Segment
from replay.simulator.plant.felt import DealtHand, DealtHands
from replay.simulator.plant.payments import move
from replay.simulator.truth import OddRound

_LEAST_STAND: Final = 12  # what somebody stands on


class Misdeal(NamedTuple):
    """A way to misdeal, by its name in the truth."""

    name: str
    planter: Planter


MISDEALS: Final[dict[str, Misdeal]] = {}
_Act = Callable[[Scene, Segment, DealtHands], list[Truth] | None]


def _misdeal(name: str, slot: int) -> Callable[[_Act], _Act]:
    """Register a misdeal that is made in a settled round; ``slot`` is the check that has to find it."""

    def register(act: _Act) -> _Act:
        def plant(scene: Scene, number: int, _: int) -> list[Truth] | None:
            found = F.played(scene, number)
            if found is None or not scene.is_checked(slot):
                return None
            truth = act(scene, *found)
            _spread(found[0])
            return truth if F.keeps_cut(scene, found[0]) else None

        _register(name, slot, SETTLED, plant)
        return act

    return register


def _register(name: str, slot: int, phase: str, plant: Callable[[Scene, int, int], list[Truth] | None]) -> None:
    MISDEALS[name] = Misdeal(name, Planter(S.code(slot), phase, (UNREPORTED,), 1.0, plant))


def _spread(segment: Segment) -> None:
    """Give draws that were moved or added a time between the events before and after them."""
    rows = segment.rows
    for n, row in enumerate(rows[1:-1], 1):
        if row.op == ops.DRAW and row.ms <= rows[n - 1].ms:
            event = next(m for m in range(n + 1, len(rows)) if rows[m].op != J.MOMENT)
            row.ms = (rows[n - 1].ms + rows[event].ms) // 2
            for moment in rows[n + 1 : event]:
                moment.ms = row.ms


# Choosing rounds.


def choose(rate: float, rounds: int, seed: str) -> dict[int, list[Misdeal]]:
    """Return the rounds to misdeal, each with the misdeals to try, in random order."""
    rng = Random(seed)
    every = list(MISDEALS.values())
    return {number: rng.sample(every, len(every)) for number in range(1, rounds + 1) if rng.random() < rate}


def plant(scene: Scene, phase: str, wanted: Mapping[int, Sequence[Misdeal]], odd: list[OddRound]) -> None:
    """Misdeal the rounds that suit, and add them to ``odd``; before settling only what has to be done then."""
    for number, misdeals in wanted.items():
        for misdeal in misdeals[:1] if phase == PLAYED else misdeals:
            known = len(scene.truth)
            if misdeal.planter.phase == phase and scene.attempt(misdeal.planter, number, UNREPORTED):
                odd.append(OddRound(number, f"misdeal:{misdeal.name}", scene.truth[known].seat))
                break


def without_rulings(log: Log, odd: Sequence[OddRound]) -> Log:
    """Return the log without the lines that told of misdeals."""
    told = np.isin(log.op, (ops.IRREGULARITY, ops.IRREGULAR_CARD))
    return log.where(~(told & np.isin(log.round, [each.number for each in odd])))


# Boxes that were passed over.


def _give_no_cards(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A box gets no cards and sits out; its wager goes back."""
    slot = S.DEAL__PLAYER_NO_CARDS__EARLY
    return deal.leave_out(scene, number, handling, slot, ops.DEAD_HAND) if scene.is_checked(slot) else None


_register("no-cards", S.DEAL__PLAYER_NO_CARDS__EARLY, PLAYED, _give_no_cards)


@_misdeal("first-card", S.DEAL__PLAYER_ONE_CARD__EARLY)
def _skip_first_card(scene: Scene, segment: Segment, felt: DealtHands) -> list[Truth] | None:
    """A box is passed over at first; it gets one card with the others' second ones, and another last."""
    seat = scene.rng.choice(sorted(felt.order))
    first, second = segment.hand(seat)[:2]
    last = segment.hand(max(felt.order))[1]
    segment.remove(first)
    segment.before(second, first)
    if last is not second:
        move(segment, second, last)
    return [scene.found(S.DEAL__PLAYER_ONE_CARD__EARLY, segment, seat=seat, handling=UNREPORTED)]


@_misdeal("second-card", S.DEAL__PLAYER_ONE_CARD__EARLY)
def _skip_second_card(scene: Scene, segment: Segment, felt: DealtHands) -> list[Truth] | None:
    """A box is passed over when the second cards come, and gets its own after the last box."""
    *others, last = sorted(felt.order)
    if not others:
        return None
    seat = scene.rng.choice(others)
    move(segment, segment.hand(seat)[1], segment.hand(last)[1])
    return [scene.found(S.DEAL__PLAYER_ONE_CARD__EARLY, segment, seat=seat, handling=UNREPORTED)]


@_misdeal("second-card-late", S.DEAL__PLAYER_ONE_CARD__LATE)
def _skip_second_card_long(scene: Scene, segment: Segment, felt: DealtHands) -> list[Truth] | None:
    """A box gets its second card only when its turn comes."""
    first = deal.after_first_box(segment, felt)
    for hand in F.mixed(scene.rng, (box[0] for box in felt.order.values())):
        waits = F.has_wager(segment, hand.seat, ops.PAIR, ops.MATCH)
        if first is None or hand.seat <= first[0] or not hand.steps or waits or not deal.may_drop(segment, hand):
            continue
        second = segment.hand(hand.seat)[1]
        segment.remove(second)
        segment.before(F.turns(segment)[hand.seat][0], second)
        return [scene.found(S.DEAL__PLAYER_ONE_CARD__LATE, segment, seat=hand.seat, handling=UNREPORTED)]
    return None


@_misdeal("dealer-card", S.DEAL__DEALER_MISSED_CARD__EARLY)
def _miss_own_card(scene: Scene, segment: Segment, felt: DealtHands) -> list[Truth] | None:
    """The dealer forgets the own first card until the players have their two."""
    move(segment, segment.dealer()[0], segment.hand(max(felt.order))[1])
    return [scene.found(S.DEAL__DEALER_MISSED_CARD__EARLY, segment, handling=UNREPORTED)]


# Cards in the wrong place.


@_misdeal("exchanged", S.DEAL__WRONG_BOX)
def _exchange(scene: Scene, segment: Segment, felt: DealtHands) -> list[Truth] | None:
    """Two boxes get each other's card, of another value."""
    which = scene.rng.randrange(2)
    drawn = [(seat, segment.hand(seat)[which]) for seat in sorted(felt.order)]
    pairs = [
        (seat, one, other)
        for n, (seat, one) in enumerate(drawn)
        for _, other in drawn[n + 1 :]
        if cards.VALUE[one.card] != cards.VALUE[other.card]
    ]
    if not pairs:
        return None
    seat, one, other = scene.rng.choice(pairs)
    at, to = segment.index(one), segment.index(other)
    segment.rows[at], segment.rows[to], one.ms, other.ms = other, one, other.ms, one.ms
    return [scene.found(S.DEAL__WRONG_BOX, segment, seat=seat, handling=UNREPORTED)]


@_misdeal("unwagered-box", S.DEAL__UNWAGERED_BOX__EARLY)
def _deal_to_empty_box(scene: Scene, segment: Segment, felt: DealtHands) -> list[Truth] | None:
    """A box without a wager is dealt in; its cards go to the discards."""
    slot = S.DEAL__UNWAGERED_BOX__EARLY
    truth = deal.put_in_empty_box(
        scene, segment.number, UNREPORTED, slot, ops.REMOVE_CARD, lambda segment, felt: deal.dealt(segment)
    )
    for told in segment.find(ops.IRREGULARITY):
        for card in segment.draws(J.ZONE_DISCARD):
            card.seat = told.seat  # it lay in the box first
    segment.remove(*segment.find(ops.IRREGULARITY), *segment.find(ops.IRREGULAR_CARD))
    return truth


@_misdeal("discarded", S.DEAL__DRAWN_IN_ERROR__SEEN)
def _draw_to_discards(scene: Scene, segment: Segment, _: DealtHands) -> list[Truth] | None:
    """A card more comes out of the shoe at some moment and goes to the discards."""
    card = F.extra_card(scene, segment, J.ZONE_DISCARD)
    later = segment.draws()[1:]
    if card is None:
        return None
    segment.before(scene.rng.choice(later), card)
    return [scene.found(S.DEAL__DRAWN_IN_ERROR__SEEN, segment, handling=UNREPORTED)]


# Cards that were asked for, or not.


@_misdeal("hit-not-dealt", S.DEAL__HIT_NOT_DEALT)
def _forget_hit(scene: Scene, segment: Segment, felt: DealtHands) -> list[Truth] | None:
    """A card that was asked for comes after all others' where the rulebook lets it, or never."""
    prescribed = {int(bits) for bits in scene.rules.prescribes[S.DEAL__HIT_NOT_DEALT]}
    comes_later = bool(prescribed & {ops.CONTINUE, ops.USE_NEXT})
    for hand in F.mixed(scene.rng, felt.single_hands()):
        if not hand.stands() or hand.given_up:
            continue
        if not comes_later:
            hand.steps[-1].row.kind = ops.HIT
        elif not _answer_last(segment, hand):
            continue
        return [scene.found(S.DEAL__HIT_NOT_DEALT, segment, seat=hand.seat, handling=UNREPORTED)]
    return None


def _answer_last(segment: Segment, hand: DealtHand) -> bool:
    """Let the card of a hand's last hit come when everybody has played; the hand gets no other."""
    blocks = F.turns(segment)
    last = max((rows[-1] for rows in blocks.values()), key=segment.index)
    if len(hand.steps) < 2 or hand.steps[-2].row.kind != ops.HIT or last in blocks[hand.seat]:
        return False
    card, stands = F.rows_after(segment, hand, hand.steps[-2].row)
    segment.remove(stands)
    move(segment, card, last)
    return True


@_misdeal("extra-card", S.DEAL__DRAWN_IN_ERROR__SEEN)
def _give_too_many(scene: Scene, segment: Segment, felt: DealtHands) -> list[Truth] | None:
    """A box that stands gets a card all the same, and keeps it."""
    least = max(_LEAST_STAND, int(scene.rules.must_draw_below))
    for hand in F.mixed(scene.rng, felt.single_hands()):
        hits = [step for step in hand.steps if step.row.kind == ops.HIT]
        if not hits or hits[-1].total < least or hand.total > 21 or hand.given_up or hand.doublers:
            continue
        segment.remove(*_rows(hand, after=hits[-1].row))
        hits[-1].row.kind = ops.STAND
        return [scene.found(S.DEAL__DRAWN_IN_ERROR__SEEN, segment, seat=hand.seat, hand=1, handling=UNREPORTED)]
    return None


def _rows(hand: DealtHand, after: Row) -> list[Row]:
    """The decisions of a hand after one of them."""
    rows = [step.row for step in hand.steps]
    return rows[rows.index(after) + 1 :]
