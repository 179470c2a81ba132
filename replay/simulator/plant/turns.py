"""Decisions that are missing or come out of turn, hands that had to draw on, and players who are not there."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from replay import cards, ops
from replay import situations as S
from replay.simulator.log import Row
from replay.simulator.plant import felt as F
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
from replay.simulator.plant.felt import DealtHand, DealtHands

# Hands that had to draw on.


@plants("play.must-draw", weight=0.6)
def stand_too_low(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A player stands on less than the rulebook lets anybody stand on."""
    found = F.played(scene, number)
    if found is None or not scene.is_checked(S.PLAY__MUST_DRAW):
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.hands()):
        for step in hand.steps:
            if step.row.kind != ops.HIT or step.total >= scene.rules.must_draw_below or hand.given_up:
                continue
            segment.remove(*F.rows_after(segment, hand, step.row))
            step.row.kind = ops.STAND
            if not F.play_dealer(scene, segment):
                return None
            return [scene.found(S.PLAY__MUST_DRAW, segment, seat=hand.seat, hand=hand.number)]
    return None


# Decisions that are missing.


@plants("play.decision-missing", weight=1)
def forget_to_stand(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer goes on to the next hand without having heard or keyed in that the player stands."""
    return _forget_to_stand(scene, number, split=False)


@plants("play.decision-missing", weight=0.5)
def forget_split_hand(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """... of a split hand."""
    return _forget_to_stand(scene, number, split=True)


def _forget_to_stand(scene: Scene, number: int, split: bool) -> list[Truth] | None:
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    slot = S.PLAY__DECISION_MISSING__SPLIT_HAND if split else S.PLAY__DECISION_MISSING
    for hand in F.mixed(scene.rng, felt.hands()):
        if hand.stands() and hand.is_split == split and not hand.given_up:
            segment.remove(hand.steps[-1].row)
            return [scene.found(slot, segment, seat=hand.seat, hand=hand.number)]
    return None


@plants("play.decision-missing", weight=0.4)
def stake_without_double(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A player lays chips for a double, thinks better of it, and gets them back at the end."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    for hand in F.mixed(scene.rng, felt.hands()):
        early = [step.row for step in hand.steps if step.row.kind in (ops.HIT, ops.STAND)]
        if not early or 1 not in hand.bettors or hand.doublers or hand.given_up or hand.is_split_ace:
            continue
        segment.before(early[0], F.wager(segment, hand.seat, 1, hand.number, ops.DOUBLE))
        slot = S.PLAY__DECISION_MISSING
        return [scene.found(slot, segment, seat=hand.seat, bettor=1, kind=ops.DOUBLE, hand=hand.number)]
    return None


@plants("play.decision-missing", phase=SETTLED, weight=0.5)
def forget_to_assign(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Nobody asks on which hand the wager of somebody who does not cover a split is to lie."""
    found = F.played(scene, number)
    slot = S.PLAY__DECISION_MISSING__UNCOVERED_SPLIT
    if found is None or not scene.is_checked(slot) or scene.rules.assign_first_only:
        return None
    segment, felt = found
    for row in F.mixed(scene.rng, segment.find(ops.ASSIGN)):
        box = felt.order[row.seat]
        if len(box) == 2 and not any(row.bettor in hand.doublers or hand.total == 21 for hand in box):
            segment.remove(row)
            return [scene.found(slot, segment, seat=row.seat, bettor=row.bettor, kind=ops.MAIN, hand=1)]
    return None


# Out of turn.


@plants("play.out-of-turn", weight=0.8)
def play_before_neighbour(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer serves a box before the one to its left."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    blocks = F.turns(segment)
    if any(row.op == ops.CUT_CARD for rows in blocks.values() for row in rows):
        return None
    for left, right in F.mixed(scene.rng, pairwise(sorted(blocks))):
        late, early = felt.order[left], felt.order[right]
        if len(early) == 1 and early[0].steps and late[0].steps and _acts(late[0]) and _acts(early[0]):
            F.restage(segment, [*blocks[left], *blocks[right]], [*blocks[right], *blocks[left]])
            return [scene.found(S.PLAY__OUT_OF_TURN, segment, seat=right, hand=1)]
    return None


def _acts(hand: DealtHand) -> bool:
    """Tell whether a hand was decided on in its turn."""
    return any(step.row.kind != ops.SURRENDER for step in hand.steps) and not hand.given_up


@plants("play.out-of-turn", weight=0.4)
def play_second_hand_first(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """Of two split hands, the second is played first."""
    found = F.played(scene, number)
    if found is None:
        return None
    segment, felt = found
    blocks = F.turns(segment)
    for seat, rows in F.mixed(scene.rng, blocks.items()):
        box = felt.order[seat]
        if len(box) != 2 or any(row.op == ops.CUT_CARD for row in rows) or not box[1].steps:
            continue
        first, second = box
        split = next(n for n, row in enumerate(rows) if row.op == ops.DECISION and row.kind == ops.SPLIT_PAIR)
        dealt = next(n for n, row in enumerate(rows) if n > split and row.op == ops.DRAW)
        change = next((n for n, row in enumerate(rows) if row.op == ops.DRAW and row.zone == F.zone(second)), -1)
        if change < 0 or not any(step.row in rows[dealt:] for step in first.steps):
            continue
        F.restage(segment, rows, [*rows[: dealt + 1], *rows[change:], *rows[dealt + 1 : change]])
        return [scene.found(S.PLAY__OUT_OF_TURN__SPLIT_HAND, segment, seat=seat, hand=second.number)]
    return None


# Players who are not there.


def _absent(scene: Scene, number: int) -> Iterator[tuple[Segment, DealtHands, DealtHand, list[Row]]]:
    """Boxes that could be those of a player who has gone: one bettor, who decides nothing but hit and stand."""
    found = F.played(scene, number)
    if found is None or not scene.is_checked(S.PLAY__ABSENT_PLAYER):
        return
    segment, felt = found
    blocks = F.turns(segment)
    for hand in F.mixed(scene.rng, felt.single_hands()):
        if len(hand.bettors) == 1 and hand.steps and F.is_plain(segment, hand) and hand.seat in blocks:
            yield segment, felt, hand, blocks[hand.seat]


def _is_enough(scene: Scene, drawn: list[int]) -> bool:
    """Tell whether a hand has what an absent player is to be dealt."""
    total, soft = cards.total(drawn)
    return total > scene.rules.absent_above and (not soft or total >= scene.rules.absent_soft)


def _draw_for(scene: Scene, segment: Segment, hand: DealtHand, rows: list[Row], short: bool) -> bool:
    """The dealer plays a box for its player, to where the rulebook says, or leaves it one card short of that."""
    first, second, *waiting = segment.hand(hand.seat)
    drawn, new = [first.card, second.card], list[Row]()
    while not _is_enough(scene, drawn):
        card = waiting.pop(0) if waiting else F.extra_card(scene, segment, F.zone(hand))
        if card is None:
            return False
        drawn.append(card.card)
        new += [F.decision(hand, ops.HIT), card]
    if short:
        if not new:
            return False
        new = new[:-2]
        drawn.pop()
    if cards.total(drawn)[0] < 21:
        new.append(F.decision(hand, ops.STAND))
    F.restage(segment, rows, [*new, rows[-1]])
    return F.play_dealer(scene, segment)


@plants("play.absent-player", AS_PRESCRIBED, NONE, weight=0.6)
def play_for_absent(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A player is away; the dealer draws for the box."""
    slot = S.PLAY__ABSENT_PLAYER
    if (handling == NONE) == bool(scene.prescribed(slot)):
        return None
    for segment, _felt, hand, rows in _absent(scene, number):
        if not _draw_for(scene, segment, hand, rows, short=False):
            return None
        _report(scene, segment, hand, ops.CONTINUE)
        return [scene.found(slot, segment, seat=hand.seat, hand=1, handling=handling)]
    return None


@plants("play.absent-player", NOT_PRESCRIBED, weight=0.3)
def withdraw_for_absent(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """A player is away, and the wager is put aside instead of being played."""
    slot = S.PLAY__ABSENT_PLAYER
    if not scene.prescribed(slot):
        return None
    for segment, _felt, hand, rows in _absent(scene, number):
        dealt = [row.card for row in segment.hand(hand.seat)[:2]]
        if not _is_enough(scene, dealt) or F.has_wager(segment, hand.seat, ops.PAIR):
            continue
        F.restage(segment, rows, [rows[-1]])
        line = _report(scene, segment, hand, ops.WITHDRAW_WAGER)
        bettor = min(hand.bettors)
        segment.after(line, Row(ops.WITHDRAW, seat=hand.seat, bettor=bettor, hand=1, kind=ops.MAIN))
        if not F.play_dealer(scene, segment, dead={hand.seat}):
            return None
        return [scene.found(slot, segment, seat=hand.seat, hand=1, handling=handling)]
    return None


def _report(scene: Scene, segment: Segment, hand: DealtHand, rulings: int) -> Row:
    """The line that a player is away, before the box's turn."""
    line = scene.irregularity(S.PLAY__ABSENT_PLAYER, rulings, seat=hand.seat)[0]
    segment.before(F.turns(segment)[hand.seat][0], line)
    return line


@plants("play.must-draw", weight=0.3)
def leave_absent_low(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """The dealer stops too early with the hand of a player who is away."""
    handling = AS_PRESCRIBED if scene.prescribed(S.PLAY__ABSENT_PLAYER) else NONE
    for segment, _felt, hand, rows in _absent(scene, number):
        if _is_enough(scene, [row.card for row in segment.hand(hand.seat)[:2]]):
            continue
        if not _draw_for(scene, segment, hand, rows, short=True):
            return None
        _report(scene, segment, hand, ops.CONTINUE)
        return [
            scene.found(S.PLAY__ABSENT_PLAYER, segment, seat=hand.seat, hand=1, handling=handling),
            scene.found(S.PLAY__MUST_DRAW__ABSENT, segment, seat=hand.seat, hand=1),
        ]
    return None


def _with_absence(scene: Scene, segment: Segment, hand: DealtHand, slot: int) -> list[Truth] | None:
    """Log an absent player, and the play of that hand."""
    if not F.play_dealer(scene, segment):
        return None
    _report(scene, segment, hand, ops.CONTINUE)
    return [
        scene.found(S.PLAY__ABSENT_PLAYER, segment, seat=hand.seat, hand=1, handling=AS_PRESCRIBED),
        scene.found(slot, segment, seat=hand.seat, hand=1),
    ]


@plants("play.illegal-double", weight=0.1)
def double_for_absent(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """A neighbour has the hand of a player who is away doubled."""
    slot = S.PLAY__ILLEGAL_DOUBLE__ABSENT
    if not scene.is_checked(slot):
        return None
    for segment, _felt, hand, rows in _absent(scene, number):
        hand.cards = [row.card for row in segment.hand(hand.seat)[:2]]
        if not 9 <= hand.total <= 11 or hand.aces():
            continue
        card = F.extra_card(scene, segment, F.zone(hand), _filling(scene, hand.cards))
        if card is None:
            return None
        stake = F.wager(segment, hand.seat, min(hand.bettors), 1, ops.DOUBLE)
        F.restage(segment, rows, [stake, F.decision(hand, ops.DOUBLE_DOWN), card, rows[-1]])
        return _with_absence(scene, segment, hand, slot)
    return None


@plants("play.illegal-split", weight=0.1)
def split_for_absent(scene: Scene, number: int, _: int) -> list[Truth] | None:
    """... or split."""
    slot = S.PLAY__ILLEGAL_SPLIT__ABSENT
    if not scene.is_checked(slot):
        return None
    for segment, _felt, hand, rows in _absent(scene, number):
        pair = [row.card for row in segment.hand(hand.seat)[:2]]
        if cards.VALUE[pair[0]] != cards.VALUE[pair[1]] or cards.VALUE[pair[0]] == 1:
            continue
        stake = F.wager(segment, hand.seat, min(hand.bettors), 2, ops.SPLIT)
        new = [stake, F.decision(hand, ops.SPLIT_PAIR)]
        for half in (DealtHand(hand.seat, 1, pair[:1]), DealtHand(hand.seat, 2, pair[1:])):
            card = F.extra_card(scene, segment, F.zone(half), _filling(scene, half.cards))
            if card is None:
                return None
            done = Row(rows[-1].op, kind=rows[-1].kind, seat=half.seat, hand=half.number)
            new += [card, F.decision(half, ops.STAND), done]
        F.restage(segment, rows, new)
        return _with_absence(scene, segment, hand, slot)
    return None


def _filling(scene: Scene, held: list[int]) -> Callable[[int], bool]:
    """Cards that give a hand enough, and not 21."""
    return lambda card: _is_enough(scene, [*held, card]) and cards.total([*held, card])[0] < 21
