"""Surrenders, rescues and assigned wagers that were not open to the players.

One that was not open counts for nothing: either the dealer goes by that, or honours it, which moves money.
"""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import TypeVar

from replay import ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import felt as F
from replay.simulator.plant import payments
from replay.simulator.plant.base import SETTLED, Scene, Segment, Truth, plants
from replay.simulator.plant.felt import DealtHand, DealtHands

T = TypeVar("T")

# Surrenders.


def _late_surrenders(scene: Scene, segment: Segment, felt: DealtHands) -> Iterator[tuple[DealtHand, Row, int]]:
    """Hands that stand, the row before which their player may want to give up instead, and what is wrong with it."""
    for hand in felt.single_hands():
        if not hand.stands() or hand.doublers or hand.given_up:
            continue
        stand = hand.steps[-1].row
        if len(hand.cards) > 2:
            yield hand, stand, S.PLAY__ILLEGAL_SURRENDER__CARDS
        elif not scene.rules.surrender_up >> felt.up() & 1:
            yield hand, stand, S.PLAY__ILLEGAL_SURRENDER__UP_CARD
        elif scene.rules.surrender_first and _is_closed(scene, segment, stand):
            yield hand, stand, S.PLAY__ILLEGAL_SURRENDER__CLOSED
        done = F.hand_done(segment, hand)
        if len(hand.cards) == 2 and done is not None:
            yield hand, done, S.PLAY__ILLEGAL_SURRENDER__AFTER_STAND


def _is_closed(scene: Scene, segment: Segment, row: Row) -> bool:
    """Tell whether surrender is over: play has begun, and it had been offered where that counts."""
    before = segment.rows[: segment.index(row)]
    begun = any(each.op == ops.DECISION and each.kind != ops.SURRENDER for each in before)
    offered = segment.first(ops.OFFER, kind=ops.OFFER_SURRENDER, flags=0) is not None
    return begun and (offered or not scene.rules.late_surrender)


def _surrender(scene: Scene, number: int, slot: int) -> list[Truth] | None:
    """A hand that is worth little is given up when it is too late; the dealer keys it in and settles the cards."""
    found = F.played(scene, number)
    if found is None or not scene.is_checked(slot):
        return None
    segment, felt = found
    chosen = [(hand, row) for hand, row, why in _late_surrenders(scene, segment, felt) if why == slot]
    if not chosen:
        return None
    hand, row = min(F.mixed(scene.rng, chosen), key=lambda each: each[0].total)
    segment.before(row, F.decision(hand, ops.SURRENDER))
    return [scene.found(slot, segment, seat=hand.seat, hand=hand.number)]


@plants("play.illegal-surrender", weight=0.6)
def surrender_many_cards(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A surrender after a hit."""
    return _surrender(scene, number, S.PLAY__ILLEGAL_SURRENDER__CARDS)


@plants("play.illegal-surrender", weight=0.6)
def surrender_to_low_card(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A surrender against a card against which there is none."""
    return _surrender(scene, number, S.PLAY__ILLEGAL_SURRENDER__UP_CARD)


@plants("play.illegal-surrender", weight=0.6)
def surrender_too_late(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A surrender when others have played already."""
    return _surrender(scene, number, S.PLAY__ILLEGAL_SURRENDER__CLOSED)


@plants("play.illegal-surrender", weight=0.4)
def surrender_after_standing(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A surrender after standing."""
    return _surrender(scene, number, S.PLAY__ILLEGAL_SURRENDER__AFTER_STAND)


@plants("play.illegal-surrender", phase=SETTLED, weight=2)
def honour_surrender(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer takes half for a surrender that was not open."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    if felt.dealer_has_blackjack():
        return None
    chosen = [each for each in _late_surrenders(scene, segment, felt) if scene.is_checked(each[2])]
    for hand, row, slot in _friends_first(scene, segment, chosen, lambda each: each[0].seat):
        lines = [each for each in payments.due(scene, number) if each.kind == ops.MAIN and each.seat == hand.seat]
        if any(line.net() and payments.logged(segment, line) is None for line in lines):
            continue
        segment.before(row, F.decision(hand, ops.SURRENDER))
        variance = sum(_give_up(scene, segment, hand, line) for line in lines)
        return [scene.found(slot, segment, seat=hand.seat, hand=hand.number, variance_cents=variance)]
    return None


def _friends_first(scene: Scene, segment: Segment, things: Iterable[T], seat: Callable[[T], int]) -> list[T]:
    """Return the items in random order; those in a box of the dealer's favourite patron come first."""
    friend = payments.favourite(scene, segment)
    boxes = {row.seat for row in segment.find(ops.WAGER, kind=ops.MAIN, aux=friend)}
    return sorted(F.mixed(scene.rng, things), key=lambda thing: seat(thing) not in boxes)


def _give_up(scene: Scene, segment: Segment, hand: DealtHand, line: payments.DuePayment) -> int:
    """Half of a wager is taken, as soon as the hand is given up; returns what that is more than was due."""
    half = line.stake * int(scene.rules.surrender_num) // int(scene.rules.surrender_den)
    old = payments.logged(segment, line)
    if old is not None:
        segment.remove(old)
    done = F.hand_done(segment, hand)
    row = payments.settle_row(line, 0, half)
    if done is not None and _decided_after(segment, done):
        segment.after(done, row)
    else:
        payments.put_final(scene, segment, row)
    return -half - line.net()


def _decided_after(segment: Segment, row: Row) -> bool:
    """Tell whether somebody still has to decide: what is settled before that is not part of the final settlement."""
    return any(each.op == ops.DECISION for each in segment.rows[segment.index(row) :])


@plants("play.illegal-surrender", weight=0.2)
def surrender_double(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A surrender after a double that did not come out well."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    slot = S.PLAY__ILLEGAL_SURRENDER__AFTER_DOUBLE
    for hand in F.mixed(scene.rng, felt.last_hands()):
        done = F.hand_done(segment, hand)
        if done is not None and hand.doublers and not hand.given_up and hand.total < 17:
            segment.before(done, F.decision(hand, ops.SURRENDER))
            return [scene.found(slot, segment, seat=hand.seat, hand=hand.number)]
    return None


@plants("play.illegal-surrender", weight=0.3)
def surrender_split_hand(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """One of two split hands is given up; the dealer keys it in and settles the cards."""
    found = _surrender_split(scene, number)
    if found is None:
        return None
    segment, hand = found
    slot = S.PLAY__ILLEGAL_SURRENDER__AFTER_SPLIT
    return [scene.found(slot, segment, seat=hand.seat, hand=hand.number)]


@plants("play.illegal-surrender", phase=SETTLED, weight=0.5)
def honour_split_surrender(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """... or takes half of what lies on it."""
    found = _surrender_split(scene, number)
    if found is None or DealtHands(scene, found[0]).dealer_has_blackjack():
        return None
    segment, hand = found
    lines = [
        line
        for line in payments.due(scene, number)
        if line.kind <= ops.SPLIT and (line.seat, line.hand) == (hand.seat, hand.number)
    ]
    if any(line.net() and payments.logged(segment, line) is None for line in lines):
        return None
    variance = sum(_give_up(scene, segment, hand, line) for line in lines)
    slot = S.PLAY__ILLEGAL_SURRENDER__AFTER_SPLIT
    return [scene.found(slot, segment, seat=hand.seat, hand=hand.number, variance_cents=variance)]


def _surrender_split(scene: Scene, number: int) -> tuple[Segment, DealtHand] | None:
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.hands()):
        if hand.is_split and hand.stands() and not hand.doublers and not hand.given_up:
            segment.before(hand.steps[-1].row, F.decision(hand, ops.SURRENDER))
            return segment, hand
    return None


@plants("play.illegal-surrender", weight=0.05)
def surrender_blackjack(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A player does not see the own blackjack and gives up; it is paid all the same."""
    found = F.played(scene, number)
    slot = S.PLAY__ILLEGAL_SURRENDER__ON_21
    if found is None or not scene.is_checked(slot):
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.single_hands()):
        before = segment.moment(J.AT_DEALT) if scene.rules.wins_at_once else F.hand_done(segment, hand)
        if hand.is_blackjack and before is not None:
            segment.before(before, F.decision(hand, ops.SURRENDER))
            return [scene.found(slot, segment, seat=hand.seat, hand=1)]
    return None


@plants("play.illegal-surrender", weight=0.5)
def surrender_without_guests(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The player in control surrenders only for himself, where that gives up the whole box; so it is settled."""
    found = _surrender_alone(scene, number, 1)
    if found is None:
        return None
    segment, hand, row = found
    segment.remove(*F.rows_after(segment, hand, row))
    alone, row.flags = row.flags, 0
    if not F.play_dealer(scene, segment):
        return None
    row.flags = alone
    return [scene.found(S.PLAY__ILLEGAL_SURRENDER__NOT_WHOLE_BOX, segment, seat=hand.seat, bettor=1, hand=1)]


@plants("play.illegal-surrender", weight=0.4)
def surrender_behind(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody who bets behind gives up alone, where the box does it as one; the dealer settles the cards."""
    found = _surrender_alone(scene, number, 2)
    if found is None:
        return None
    segment, hand, _row = found
    slot = S.PLAY__ILLEGAL_SURRENDER__NOT_WHOLE_BOX
    return [scene.found(slot, segment, seat=hand.seat, bettor=2, hand=1)]


@plants("play.illegal-surrender", phase=SETTLED, weight=0.4)
def honour_surrender_behind(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """... or takes half of that wager."""
    found = _surrender_alone(scene, number, 2)
    if found is None or DealtHands(scene, found[0]).dealer_has_blackjack():
        return None
    segment, hand, _row = found
    slot = S.PLAY__ILLEGAL_SURRENDER__NOT_WHOLE_BOX
    for line in payments.due(scene, number):
        if (line.seat, line.bettor, line.kind) == (hand.seat, 2, ops.MAIN) and abs(line.net()) == line.stake:
            variance = _give_up(scene, segment, hand, line)
            return [scene.found(slot, segment, seat=hand.seat, bettor=2, hand=1, variance_cents=variance)]
    return None


def _surrender_alone(scene: Scene, number: int, bettor: int) -> tuple[Segment, DealtHand, Row] | None:
    """One of several in a box surrenders alone, when surrender is open."""
    found = F.played(scene, number)
    if found is None or not scene.is_checked(S.PLAY__ILLEGAL_SURRENDER__NOT_WHOLE_BOX):
        return None
    segment, felt = found
    if scene.rules.surrender_by_bettor or not scene.rules.surrender_up >> felt.up() & 1:
        return None
    for hand in F.mixed(scene.rng, felt.single_hands()):
        if not hand.steps or hand.given_up or hand.doublers or not {1, 2} <= hand.bettors:
            continue
        turn: Row | None = hand.steps[0].row
        if scene.rules.surrender_first:
            turn = segment.first(ops.OFFER, kind=ops.OFFER_SURRENDER, flags=0) or segment.moment(J.AT_TURNS)
        if turn is not None:
            row = F.decision(hand, ops.SURRENDER, 1 << bettor)
            segment.before(turn, row)
            return segment, hand, row
    return None


# Rescues.


@plants("play.illegal-rescue", weight=0.4)
def rescue_bust(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A double that went bust is to be taken back; the dealer keys it in and takes both wagers."""
    found = _bust_double(scene, number)
    if found is None or not F.play_dealer(scene, found[0]):
        return None
    segment, hand, done, _cents = found
    segment.before(done, F.decision(hand, ops.RESCUE))
    return [_rescued(scene, segment, hand, 0)]


@plants("play.illegal-rescue", phase=SETTLED, weight=1)
def honour_rescue_bust(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """... or leaves the double to the player."""
    found = _bust_double(scene, number)
    if found is None or scene.rules.bust_original_only:
        return None
    segment, hand, done, cents = found
    segment.before(done, F.decision(hand, ops.RESCUE))
    return [_rescued(scene, segment, hand, cents)]


def _bust_double(scene: Scene, number: int) -> tuple[Segment, DealtHand, Row, int] | None:
    """A hand that goes bust with its third card was doubled: when it is done with, and the double's stake."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    for hand in _friends_first(scene, segment, felt.last_hands(), lambda each: each.seat):
        done = F.hand_done(segment, hand)
        last = hand.steps[-1] if hand.steps else None
        if done is None or last is None or hand.total <= 21 or hand.given_up or 1 not in hand.bettors:
            continue
        if last.row.kind != ops.HIT or len(last.cards) > 2 or (hand.is_split_ace and not scene.rules.double_split_aces):
            continue
        stake = F.wager(segment, hand.seat, 1, hand.number, ops.DOUBLE)
        if stake.cents < scene.rules.increment:
            return None
        segment.before(last.row, stake)
        last.row.kind = ops.DOUBLE_DOWN
        return segment, hand, done, stake.cents
    return None


def _rescued(scene: Scene, segment: Segment, hand: DealtHand, variance_cents: int) -> Truth:
    slot, bettor = S.PLAY__ILLEGAL_RESCUE, min(hand.doublers, default=1)
    return scene.found(slot, segment, seat=hand.seat, bettor=bettor, hand=hand.number, variance_cents=variance_cents)


@plants("play.illegal-rescue", weight=0.2)
def rescue_without_double(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody who did not double wants to forfeit the wager and keep the rest."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.single_hands()):
        if hand.stands() and len(hand.cards) > 2 and 1 in hand.bettors and not hand.doublers and not hand.given_up:
            segment.before(hand.steps[-1].row, F.decision(hand, ops.RESCUE))
            return [_rescued(scene, segment, hand, 0)]
    return None


@plants("play.illegal-rescue", weight=0.5)
def rescue_too_late(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A double is to be taken back when the next card is on the table already."""
    found = F.played(scene, number)
    if found is None or not scene.rules.rescue_before_next:
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.last_hands()):
        done, second = F.hand_done(segment, hand), segment.moment(J.AT_SECOND)
        if done is None or second is None or not hand.doublers or hand.given_up or hand.total >= 21:
            continue
        between = segment.rows[segment.index(done) : segment.index(second)]
        drawn = next((n for n, row in enumerate(between) if row.op == ops.DRAW), len(between))
        later = [row for row in between[drawn:] if row.op == ops.DECISION]
        if later:
            segment.before(later[0], F.decision(hand, ops.RESCUE))
            return [_rescued(scene, segment, hand, 0)]
    return None


# Wagers that do not cover a split.


def _uncover(segment: Segment, felt: DealtHands, rng: Random) -> tuple[Row, int] | None:
    """A split of a box into two that somebody who bets behind does not cover: the split, and the bettor."""
    for box in F.mixed(rng, felt.order.values()):
        split = segment.first(ops.DECISION, seat=box[0].seat, kind=ops.SPLIT_PAIR)
        guests = sorted((box[0].bettors | box[1].bettors) - {1} - box[1].doublers) if len(box) == 2 else []
        if split is None or not guests or box[0].given_up:
            continue
        place = {"seat": box[0].seat, "bettor": guests[-1]}
        if guests[-1] not in box[0].doublers:
            segment.remove(*segment.find(ops.WAGER, kind=ops.SPLIT, **place), *segment.find(ops.ASSIGN, **place))
            return split, guests[-1]
    return None


@plants("play.illegal-assign", weight=0.3)
def assign_too_late(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody who does not cover a split names a hand when a card is on the table."""
    found = F.played(scene, number)
    if found is None or not scene.rules.assign_before_cards:
        return None
    uncovered = _uncover(*found, scene.rng)
    if uncovered is None:
        return None
    segment, (split, bettor) = found[0], uncovered
    row = Row(ops.ASSIGN, seat=split.seat, bettor=bettor, hand=scene.rng.randint(1, 2))
    card = next(each for each in segment.rows[segment.index(split) :] if each.op == ops.DRAW)
    segment.after(card, row)
    return [_assigned(scene, segment, row)] if F.play_dealer(scene, segment) else None


@plants("play.illegal-assign", weight=0.3)
def assign_second_hand(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody who does not cover a split puts the wager on the second hand, where it belongs to the first."""
    found = F.played(scene, number)
    if found is None or not scene.rules.assign_first_only or not scene.is_checked(S.PLAY__ILLEGAL_ASSIGN):
        return None
    uncovered = _uncover(*found, scene.rng)
    if uncovered is None:
        return None
    segment, (split, bettor) = found[0], uncovered
    row = Row(ops.ASSIGN, seat=split.seat, bettor=bettor, hand=2)
    segment.after(split, row)
    return [_assigned(scene, segment, row)] if F.play_dealer(scene, segment) else None


@plants("play.illegal-assign", weight=0.1)
def assign_own(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The player in control, who covers both hands, wants the first wager on the second hand as well."""
    found = F.played(scene, number)
    if found is None or not scene.is_checked(S.PLAY__ILLEGAL_ASSIGN):
        return None
    segment, felt = found
    for box in F.mixed(scene.rng, felt.order.values()):
        split = segment.first(ops.DECISION, seat=box[0].seat, kind=ops.SPLIT_PAIR)
        if len(box) == 2 and split is not None and 1 in box[0].bettors:
            row = Row(ops.ASSIGN, seat=box[0].seat, bettor=1, hand=2)
            segment.after(split, row)
            return [_assigned(scene, segment, row)]
    return None


def _assigned(scene: Scene, segment: Segment, row: Row) -> Truth:
    return scene.found(S.PLAY__ILLEGAL_ASSIGN, segment, seat=row.seat, bettor=row.bettor, hand=row.hand)
