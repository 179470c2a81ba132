"""Shoes that run out in mid-round and are filled again from the discards."""

from collections import Counter
from typing import Final, NamedTuple

from replay import cards, ops
from replay import situations as S
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import decks, plain, void
from replay.simulator.plant.base import AS_PRESCRIBED, NOT_PRESCRIBED, Scene, Segment, Truth, plants
from replay.simulator.plant.shoe_change import (
    ShoeChange,
    change_before,
    comes_early_without,
    lies_wrong,
    stack,
    stays_seated,
    swap_times,
)

_MOST_ROUNDS: Final = 16  # until a shoe is empty
_SHUFFLES: Final = 12  # orders of its last cards that are tried
_DECK: Final = tuple(card for card in range(1, cards.CARD_CODES) if cards.RANK[card] != cards.TEN)


class LastCards:
    """The last cards of a shoe, and behind them those of the discards."""

    def __init__(self, scene: Scene, shoe: int, refill: list[Row]) -> None:
        drawn = Counter(row.card for _, row in decks.draws_of(scene, shoe))
        self.scene, self.shoe, self.refill = scene, shoe, refill
        self.left = [card for card in _DECK for _ in range(scene.rules.decks - drawn[card])]
        self.on_table: list[int] = []  # of the round in play
        self.ran_out = False
        scene.rng.shuffle(self.left)

    def draw(self, zone: int) -> list[Row]:
        """The next card, and before it all that is done when there is none."""
        done: list[Row] = []
        if not self.left:
            self.ran_out = True
            discards = Counter(dict.fromkeys(_DECK, self.scene.rules.decks)) - Counter(self.on_table)
            self.left = list(discards.elements())
            self.scene.rng.shuffle(self.left)
            self.shoe = len(self.scene.names.shoes)
            done = [self.card(row.zone) if row.op == ops.DRAW else row for row in self.refill]
        return [*done, self.card(zone)]

    def card(self, zone: int) -> Row:
        self.on_table.append(self.left.pop())
        self.scene.extra[self.shoe, self.on_table[-1]] += 1
        return self.scene.draw(self.shoe, self.on_table[-1], zone)


@plants("shoe.insufficient-cards", AS_PRESCRIBED, NOT_PRESCRIBED, weight=0.2)
def run_out(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The cut card was put in near the very end, and the shoe runs out in the middle of a round."""
    if not void.can_be(scene, S.SHOE__INSUFFICIENT_CARDS, handling):
        return None
    return _run_out(scene, number, handling, bool(scene.rules.burn_after_refill))


@plants("shoe.burn-missed", weight=0.1)
def refill_without_burn(scene: Scene, number: int, handling: int) -> list[Truth] | None:
    """The shoe runs out, is filled from the discards, and the first card of those is dealt instead of burned."""
    slot = S.SHOE__BURN_MISSED__REFILL
    if not scene.rules.burn_after_refill or not void.can_be(scene, slot, handling):
        return None
    found = _run_out(scene, number, AS_PRESCRIBED, burns=False)
    return found and [*found, scene.found(slot)._replace(round=found[0].round)]


def _run_out(scene: Scene, number: int, handling: int, burns: bool) -> list[Truth] | None:
    """Rounds that were dealt from the next shoe use up the old one instead, until it is empty."""
    before, change = scene.segment(number - 1), change_before(scene.segment(number))
    cut = before.first(ops.CUT_CARD) if before else None
    if before is None or cut is None or change is None or scene.rules.continuous or lies_wrong(scene, change.new):
        return None
    refill = _refill(scene, change, handling, burns)
    rounds = _use_up(scene, number, change, refill, only_one_after=bool(scene.rules.burn_after_refill) and not burns)
    after = scene.segment(number + len(rounds)) if rounds else None
    if rounds is None or after is None or any(row.op == ops.SHOE_LOADED for row in after.gap):
        return None
    if not stays_seated(scene, before, rounds[0]) or comes_early_without(scene, change, _dealt(scene, change, rounds)):
        return None
    last = rounds[-1]
    before.remove(cut)
    last.before(_drawn(last, change.old)[-1], cut)
    if handling == AS_PRESCRIBED and scene.rng.random() < 0.5:
        line = scene.irregularity(S.SHOE__INSUFFICIENT_CARDS, ops.RESHUFFLE)
        last.after(next(row for row in last.rows if row.op == ops.SHOE_LOADED), *line)
    _move_change(rounds, change, after)
    change.rows[0].cents = len(scene.names.shoes)
    scene.names.shoes.append(f"{scene.names.shoes[change.old]}-refill")
    truth = [scene.found(S.SHOE__INSUFFICIENT_CARDS, last, shoe=change.old, handling=handling)]
    if scene.rules.cut_least_num:
        truth.append(scene.found(S.SHOE__CUT_CARD_DEPTH, last, shoe=change.old))
    return truth


def _refill(scene: Scene, change: ShoeChange, handling: int, burns: bool) -> list[Row]:
    """The empty shoe goes, and the discards come, shuffled or not."""
    shoe, decks_in_use = len(scene.names.shoes), decks.set_of(scene, change.old)
    size, least = stack(scene) - 30, max(int(scene.rules.cut_ends), 10)
    top = scene.rng.randint(least, size - least)
    kind = ops.SHUFFLE_MANUAL if handling == AS_PRESCRIBED else ops.SHUFFLE_NONE
    loaded = Row(ops.SHOE_LOADED, seat=scene.rules.decks, kind=kind, cents=shoe, aux=decks_in_use)
    loaded.hand = ops.FROM_DISCARDS
    cut = Row(ops.CUT, flags=shoe, cents=top, aux=size - top)
    burn = [Row(ops.DRAW, zone=J.ZONE_BURN)] if burns else []
    return [Row(ops.SHOE_ENDED, cents=change.old), loaded, cut, *burn]


class Played(NamedTuple):
    """A round as it goes with the shoe's last cards."""

    segment: Segment
    burned: list[int]  # before it
    rows: list[Row]

    def drawn(self, shoe: int) -> int:
        return sum(row.op == ops.DRAW and row.cents == shoe and row.zone != J.ZONE_BURN for row in self.rows)


def _use_up(
    scene: Scene, number: int, change: ShoeChange, refill: list[Row], only_one_after: bool
) -> list[Segment] | None:
    """Rounds until the old shoe is empty, the last with at least two cards from it and one or more from the refill."""
    extra = scene.extra.copy()
    for _ in range(_SHUFFLES):
        scene.extra = extra.copy()
        rounds = _play_until_empty(scene, number, change, LastCards(scene, change.old, refill))
        if rounds is None:
            return None
        after = rounds[-1].drawn(len(scene.names.shoes))
        if rounds[-1].drawn(change.old) < 2 or (only_one_after and after != 1):
            continue
        for segment, burned, rows in rounds:
            plain.replace(segment, rows)
            for row, card in zip(_burns(segment, change), burned, strict=True):
                row.card, row.cents = card, change.old
        return [played.segment for played in rounds]
    return None


def _play_until_empty(scene: Scene, number: int, change: ShoeChange, stock: LastCards) -> list[Played] | None:
    rounds: list[Played] = []
    while not stock.ran_out:
        segment = scene.segment(number + len(rounds))
        if segment is None or len(rounds) == _MOST_ROUNDS or not plain.can_be_plain(segment):
            return None
        burns = len(_burns(segment, change))
        other = any(row.op == ops.SHOE_LOADED and row not in change.rows for row in segment.gap)
        if other or burns >= len(stock.left):
            return None
        burned = [stock.left.pop() for _ in range(burns)]
        scene.extra.update((stock.shoe, card) for card in burned)
        stock.on_table = []
        rounds.append(Played(segment, burned, plain.anew(segment, scene.rules, stock.draw)))
    return rounds


def _burns(segment: Segment, change: ShoeChange) -> list[Row]:
    """Cards burned before a round by a dealer who took over."""
    return [row for row in segment.gap if row.op == ops.DRAW and row not in change.rows]


def _drawn(segment: Segment, shoe: int) -> list[Row]:
    return segment.find(ops.DRAW, cents=shoe)


def _dealt(scene: Scene, change: ShoeChange, rounds: list[Segment]) -> int:
    """Count the cards of these rounds that came from the new shoe before."""
    numbers = {segment.number for segment in rounds}
    return sum(number in numbers and row.round > 0 for number, row in decks.draws_of(scene, change.new))


def _move_change(rounds: list[Segment], change: ShoeChange, after: Segment) -> None:
    """The change to the next shoe comes behind these rounds; most of the time for it goes into the refill."""
    rounds[0].gap = [row for row in rounds[0].gap if row not in change.rows]
    moved = [row for segment in rounds for row in [*segment.gap, *segment.rows]]
    until = [*after.gap, *after.rows][0].ms
    swap_times(change.rows, moved, until)
    after.gap[:0] = change.rows
    spent = (until - change.rows[0].ms) * 2 // 3
    at = next(n for n, row in enumerate(moved) if row.op == ops.SHOE_LOADED)
    for row in moved[at:]:
        row.ms += spent
    for row in change.rows:
        row.ms = until - (until - row.ms) // 3
