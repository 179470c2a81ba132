"""Cards, doubles and splits that players were not entitled to and the dealer let them have.

What is dealt is dealt: such a hand is settled on its cards, and the dealer plays against it as it then is.
"""

from collections.abc import Callable, Sequence

from replay import cards, ops
from replay import situations as S
from replay.simulator.log import Row
from replay.simulator.plant import felt as F
from replay.simulator.plant import payments
from replay.simulator.plant.base import SETTLED, Scene, Segment, Truth, plants
from replay.simulator.plant.felt import DealtHand, DealtHands, DecisionStep

# A card too many.


def _hit_again(scene: Scene, number: int, slot: int, suits: Callable[[DealtHand], bool]) -> list[Truth] | None:
    """A hand that has all its cards gets another."""
    found = F.played(scene, number)
    if found is None or not scene.is_checked(slot):
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.last_hands()):
        done = F.hand_done(segment, hand)
        if done is None or hand.given_up or not suits(hand):
            continue
        card = F.extra_card(scene, segment, F.zone(hand))
        if card is None:
            return None
        segment.before(done, F.decision(hand, ops.HIT), card)
        hand.cards.append(card.card)
        if hand.total < 21 and not hand.doublers and not hand.is_split_ace:
            segment.before(done, F.decision(hand, ops.STAND))
        if F.play_dealer(scene, segment):
            return [scene.found(slot, segment, seat=hand.seat, hand=hand.number)]
        return None
    return None


@plants("play.illegal-hit", weight=0.2)
def hit_blackjack(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A player wants a card on a blackjack and gets it."""
    return _hit_again(scene, number, S.PLAY__ILLEGAL_HIT__ON_BLACKJACK, lambda hand: hand.is_blackjack)


@plants("play.illegal-hit", weight=0.4)
def hit_hard_21(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Nobody has noticed that the hand is 21 already."""

    def suits(hand: DealtHand) -> bool:
        return hand.total == 21 and not (hand.is_blackjack or hand.doublers or hand.is_soft)

    return _hit_again(scene, number, S.PLAY__ILLEGAL_HIT__ON_21, suits)


@plants("play.illegal-hit", weight=0.6)
def hit_soft_21(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A soft 21 is taken for 11."""

    def suits(hand: DealtHand) -> bool:
        return hand.total == 21 and hand.is_soft and not (hand.is_blackjack or hand.doublers)

    return _hit_again(scene, number, S.PLAY__ILLEGAL_HIT__ON_SOFT_21, suits)


@plants("play.illegal-hit", weight=0.5)
def hit_bust(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer miscounts and gives a bust hand another card."""
    return _hit_again(scene, number, S.PLAY__ILLEGAL_HIT__BUST, lambda hand: hand.total > 21 and not hand.doublers)


@plants("play.illegal-hit", weight=0.6)
def hit_after_double(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A second card on a double."""
    return _hit_again(scene, number, S.PLAY__ILLEGAL_HIT__AFTER_DOUBLE, lambda hand: bool(hand.doublers))


@plants("play.illegal-hit", weight=0.5)
def hit_split_ace(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A second card on a split ace, where these get one."""
    aces_once = bool(scene.rules.aces_once)
    return _hit_again(
        scene,
        number,
        S.PLAY__ILLEGAL_HIT__SPLIT_ACE,
        lambda hand: aces_once and hand.is_split_ace and hand.total < 21,
    )


@plants("play.illegal-hit", weight=0.8)
def hit_after_standing(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A player who stood has second thoughts and is given a card."""
    return _hit_again(scene, number, S.PLAY__ILLEGAL_HIT__FINISHED, DealtHand.stands)


# Doubles.


def _double_anyway(scene: Scene, number: int, slot: int, suits: Callable[[DealtHand], bool]) -> list[Truth] | None:
    """A hand that has all its cards is doubled."""
    found = F.played(scene, number)
    if found is None or not scene.is_checked(slot):
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.last_hands()):
        done = F.hand_done(segment, hand)
        if done is None or hand.given_up or hand.doublers or 1 not in hand.bettors or not suits(hand):
            continue
        card = F.extra_card(scene, segment, F.zone(hand))
        stake = F.wager(segment, hand.seat, 1, hand.number, ops.DOUBLE)
        if card is None or stake.cents < scene.rules.increment:
            return None
        segment.before(done, stake, F.decision(hand, ops.DOUBLE_DOWN), card)
        if F.play_dealer(scene, segment):
            return [scene.found(slot, segment, seat=hand.seat, hand=hand.number)]
        return None
    return None


@plants("play.illegal-double", weight=0.1)
def double_blackjack(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A double on a blackjack."""
    return _double_anyway(scene, number, S.PLAY__ILLEGAL_DOUBLE__ON_BLACKJACK, lambda hand: hand.is_blackjack)


@plants("play.illegal-double", weight=0.3)
def double_21(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A double on 21, for want of counting."""

    def suits(hand: DealtHand) -> bool:
        return hand.total == 21 and not hand.is_blackjack

    return _double_anyway(scene, number, S.PLAY__ILLEGAL_DOUBLE__ON_21, suits)


@plants("play.illegal-double", weight=0.5)
def double_split_ace(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A double on a split ace, where these get one card and no more."""
    barred = not scene.rules.double_split_aces
    return _double_anyway(
        scene,
        number,
        S.PLAY__ILLEGAL_DOUBLE__SPLIT_ACES,
        lambda hand: barred and hand.is_split_ace and hand.total < 21,
    )


@plants("play.illegal-double", weight=0.4)
def double_after_standing(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A player who stood doubles after all."""
    two_only = bool(scene.rules.double_first_two)

    def suits(hand: DealtHand) -> bool:
        return hand.stands() and not hand.is_split_ace and (len(hand.cards) == 2 or not two_only)

    return _double_anyway(scene, number, S.PLAY__ILLEGAL_DOUBLE__FINISHED, suits)


def _instead_of_hit(
    scene: Scene, number: int, suits: Callable[[DealtHand, DecisionStep], bool]
) -> tuple[Segment, DealtHand, DecisionStep] | None:
    """A hand at one of its hits, after which it gets nothing more than that card."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.hands()):
        for step in hand.steps:
            if step.row.kind == ops.HIT and not hand.given_up and not hand.doublers and suits(hand, step):
                _, *later = F.rows_after(segment, hand, step.row)
                segment.remove(*later)
                return segment, hand, step
    return None


@plants("play.illegal-double", weight=1.5)
def double_many_cards(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A double on three or more cards, where it is for the first two: the player comes from another game."""
    slot = S.PLAY__ILLEGAL_DOUBLE__CARDS
    if not scene.rules.double_first_two:
        return None
    found = _instead_of_hit(scene, number, lambda hand, step: len(step.cards) > 2 and 1 in hand.bettors)
    if found is None:
        return None
    segment, hand, step = found
    segment.before(step.row, F.wager(segment, hand.seat, 1, hand.number, ops.DOUBLE))
    step.row.kind = ops.DOUBLE_DOWN
    if not F.play_dealer(scene, segment):
        return None
    return [scene.found(slot, segment, seat=hand.seat, hand=hand.number)]


@plants("play.illegal-double", weight=0.8)
def double_behind(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody who bets behind doubles, the player in control does not, and the dealer deals one card to the hand."""
    slot = S.PLAY__ILLEGAL_DOUBLE__NOT_CONTROLLING
    if not scene.is_checked(slot):
        return None
    found = _instead_of_hit(scene, number, lambda hand, step: len(step.cards) == 2 and _has_guest(hand))
    if found is None:
        return None
    segment, hand, step = found
    bettor = min(hand.bettors - {1})
    stake = F.wager(segment, hand.seat, bettor, hand.number, ops.DOUBLE)
    if stake.cents < scene.rules.increment or (hand.is_split_ace and not scene.rules.double_split_aces):
        return None
    segment.before(step.row, stake)
    step.row.kind, step.row.flags = ops.DOUBLE_DOWN, 1 << bettor
    if not F.play_dealer(scene, segment):
        return None
    return [scene.found(slot, segment, seat=hand.seat, bettor=bettor, hand=hand.number)]


def _has_guest(hand: DealtHand) -> bool:
    """Tell whether somebody bets on a hand besides the one who decides for it."""
    return 1 in hand.bettors and len(hand.bettors) > 1


@plants("play.illegal-double", weight=0.6)
def stake_behind(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody who bets behind lays a double that the box does not take; the dealer hands it back at the end."""
    staked = _stake_behind(scene, number)
    if staked is None:
        return None
    segment, row = staked
    return [_double_stake(scene, segment, row, 0)]


@plants("play.illegal-double", phase=SETTLED, weight=0.6)
def stake_behind_settled(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """... or pays and takes it like the wager it lies beside."""
    staked = _stake_behind(scene, number)
    if staked is None:
        return None
    segment, row = staked
    if DealtHands(scene, segment).dealer_has_blackjack():
        return None
    for line in payments.due(scene, number):
        beside = payments.logged(segment, line)
        if (line.seat, line.bettor, line.kind) != (row.seat, row.bettor, ops.MAIN) or beside is None:
            continue
        if line.net() in (row.cents, -row.cents):
            segment.after(beside, payments.settle_row(line._replace(kind=ops.DOUBLE), line.paid, line.taken))
            return [_double_stake(scene, segment, row, line.net())]
    return None


def _stake_behind(scene: Scene, number: int) -> tuple[Segment, Row] | None:
    found = F.played(scene, number)
    if found is None or not scene.is_checked(S.PLAY__ILLEGAL_DOUBLE__NOT_CONTROLLING):
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.single_hands()):
        if hand.steps and _has_guest(hand) and not hand.doublers and not hand.given_up and hand.total != 21:
            row = F.wager(segment, hand.seat, max(hand.bettors), hand.number, ops.DOUBLE)
            segment.before(hand.steps[0].row, row)
            return segment, row
    return None


def _double_stake(scene: Scene, segment: Segment, row: Row, variance_cents: int) -> Truth:
    return scene.found(
        S.PLAY__ILLEGAL_DOUBLE__NOT_CONTROLLING,
        segment,
        seat=row.seat,
        bettor=row.bettor,
        kind=row.kind,
        hand=row.hand,
        variance_cents=variance_cents,
    )


# Splits.


def _split_rows(segment: Segment, hand: DealtHand, new: int) -> list[Row]:
    """All bettors of a hand cover its split into one more."""
    stakes = [F.wager(segment, hand.seat, bettor, new, ops.SPLIT) for bettor in sorted(hand.bettors)]
    return [*stakes, F.decision(hand, ops.SPLIT_PAIR)]


def _finish(scene: Scene, segment: Segment, hand: DealtHand, moment: Row) -> list[Row] | None:
    """The second card of a split hand, which then stands, or gets no more anyway."""
    alone = hand.cards[0]

    def wanted(card: int) -> bool:
        return 13 <= cards.total([alone, card])[0] <= 20

    card = F.extra_card(scene, segment, F.zone(hand), wanted)
    if card is None:
        return None
    done = Row(moment.op, kind=moment.kind, seat=hand.seat, hand=hand.number)
    one_card = hand.is_split_ace and scene.rules.aces_once
    return [card, *([] if one_card else [F.decision(hand, ops.STAND)]), done]


def _finish_all(scene: Scene, segment: Segment, hands: Sequence[DealtHand], done: Row) -> list[list[Row]] | None:
    """The rest of every split hand; None where the shoe has no cards for it."""
    parts = [_finish(scene, segment, hand, done) for hand in hands]
    return [part for part in parts if part] if all(parts) else None


def _splittable(scene: Scene, segment: Segment, felt: DealtHands) -> list[tuple[DealtHand, Row]]:
    """Boxes that could be played otherwise from their first two cards on."""
    every = ((hand, F.hand_done(segment, hand)) for hand in felt.single_hands())
    return F.mixed(
        scene.rng,
        ((hand, done) for hand, done in every if done and hand.steps and not hand.given_up and 1 in hand.bettors),
    )


@plants("play.illegal-split", weight=0.6)
def split_unlike(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Two cards of different values are split."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    for hand, done in _splittable(scene, segment, felt):
        first, second = hand.steps[0].cards[:2]
        if not _are_neighbours(first, second):
            continue
        old = F.turns(segment)[hand.seat]
        halves = [DealtHand(hand.seat, 1, [first], hand.bettors), DealtHand(hand.seat, 2, [second], hand.bettors)]
        parts = _finish_all(scene, segment, halves, done)
        if parts is None:
            return None
        F.restage(segment, old, [*_split_rows(segment, hand, 2), *parts[0], *parts[1]])
        if not F.play_dealer(scene, segment):
            return None
        return [scene.found(S.PLAY__ILLEGAL_SPLIT__VALUE, segment, seat=hand.seat, hand=1)]
    return None


def _are_neighbours(first: int, second: int) -> bool:
    """Cards whose values differ by one, aces apart: what somebody may take for a pair."""
    low, high = sorted((int(cards.VALUE[first]), int(cards.VALUE[second])))
    return low > 1 and high - low == 1


def _of_rank(rank: int) -> Callable[[int], bool]:
    return lambda card: bool(cards.RANK[card] == rank)


def _make_pair(scene: Scene, segment: Segment, hand: DealtHand, rank: int) -> bool:
    """See to it that a box's first two cards are a pair of a rank."""
    first, second = segment.hand(hand.seat)[:2]
    pair = all(
        cards.RANK[row.card] == rank or F.swap_card(scene, segment, row, _of_rank(rank)) for row in (first, second)
    )
    hand.cards = [first.card, second.card]
    return pair


@plants("play.illegal-split", weight=0.15)
def split_once_more(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Eight after eight: one hand more than the box may have."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    for hand, done in _splittable(scene, segment, felt):
        rank = int(cards.RANK[hand.steps[0].cards[0]])
        if rank == cards.ACE or not _make_pair(scene, segment, hand, rank):
            return None
        old = F.turns(segment)[hand.seat]
        new = _split_often(scene, segment, hand, done)
        if new is None:
            return None
        F.restage(segment, old, new)
        if not F.play_dealer(scene, segment):
            return None
        return [scene.found(S.PLAY__ILLEGAL_SPLIT__TOO_MANY, segment, seat=hand.seat, hand=1)]
    return None


def _split_often(scene: Scene, segment: Segment, hand: DealtHand, done: Row) -> list[Row] | None:
    """A pair is split, and whatever comes is its like, until there is a hand too many; then all of them stand."""
    most = int(scene.rules.max_hands)
    first, moved = hand.cards
    hands = [DealtHand(hand.seat, 1, [first], hand.bettors)]
    rows: list[Row] = []
    for count in range(2, most + 2):
        hands.insert(1, DealtHand(hand.seat, count, [moved], hand.bettors))
        rows += _split_rows(segment, hand, count)
        if count <= most:
            card = F.extra_card(scene, segment, F.zone(hand), _of_rank(int(cards.RANK[first])))
            if card is None:
                return None
            moved = card.card
            rows.append(card)
    rest = _finish_all(scene, segment, hands, done)
    return None if rest is None else [*rows, *(row for part in rest for row in part)]


@plants("play.illegal-split", weight=0.3)
def split_aces_again(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Split aces, one of which got another ace, are split a second time."""
    found = F.played(scene, number)
    slot = S.PLAY__ILLEGAL_SPLIT__ACES_AGAIN
    if found is None or not scene.is_checked(slot) or (scene.rules.resplit_aces and not scene.rules.aces_once):
        return None
    segment, felt = found
    for hand, done in _splittable(scene, segment, felt):
        if not _make_pair(scene, segment, hand, cards.ACE):
            return None
        old = F.turns(segment)[hand.seat]
        third = F.extra_card(scene, segment, F.zone(hand), _of_rank(cards.ACE))
        if third is None:
            return None
        aces = zip((1, 3, 2), (hand.cards[0], third.card, hand.cards[1]), strict=True)
        hands = [DealtHand(hand.seat, n, [card], hand.bettors, is_split_ace=True) for n, card in aces]
        parts = _finish_all(scene, segment, hands, done)
        if parts is None:
            return None
        F.restage(segment, old, _aces_again(scene, segment, hands[0], third, parts))
        if not F.play_dealer(scene, segment):
            return None
        return [scene.found(slot, segment, seat=hand.seat, hand=1)]
    return None


def _aces_again(scene: Scene, segment: Segment, one: DealtHand, third: Row, parts: Sequence[list[Row]]) -> list[Row]:
    """Deal both split aces their one card before one of them is split again."""
    first, new, second = parts
    again = _split_rows(segment, one, 3)
    begun = [*_split_rows(segment, one, 2), third]
    if scene.rules.aces_once:
        return [*begun, second[0], *again, *first, *new, *second[1:]]
    return [*begun, *again, *first, *new, *second]


@plants("play.illegal-split", weight=0.2)
def split_three_cards(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A player announces a split on three cards; the dealer keys it in before saying no."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.single_hands()):
        late = [step for step in hand.steps if len(step.cards) > 2 and step.row.kind in (ops.HIT, ops.STAND)]
        if not late or hand.given_up:
            continue
        row = scene.rng.choice(late).row
        if 1 in hand.bettors and scene.rng.random() < 0.5:
            segment.before(row, F.wager(segment, hand.seat, 1, 2, ops.SPLIT))
        segment.before(row, F.decision(hand, ops.SPLIT_PAIR))
        return [scene.found(S.PLAY__ILLEGAL_SPLIT__CARDS, segment, seat=hand.seat, hand=1)]
    return None


@plants("play.illegal-split", weight=0.4)
def split_behind(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Somebody who bets behind lays a stake for splitting a pair that the player in control does not split."""
    slot = S.PLAY__ILLEGAL_SPLIT__NOT_CONTROLLING
    found = F.played(scene, number)
    if found is None or not scene.is_checked(slot):
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.single_hands()):
        if not hand.steps or not _has_guest(hand) or hand.given_up:
            continue
        first, second = hand.steps[0].cards[:2]
        if cards.VALUE[first] == cards.VALUE[second]:
            bettor = max(hand.bettors)
            segment.before(hand.steps[0].row, F.wager(segment, hand.seat, bettor, 2, ops.SPLIT))
            return [scene.found(slot, segment, seat=hand.seat, bettor=bettor, kind=ops.SPLIT, hand=2)]
    return None
