"""Misdeals that nobody logged, as the irregularity lines that would have told of them."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from replay import codes, ops
from replay.columns import I64
from replay.tape import COLUMNS, Tape

ONE_CARD: Final = codes.NUMBER["deal.player-one-card"]
NO_CARDS: Final = codes.NUMBER["deal.player-no-cards"]
MISSED: Final = codes.NUMBER["deal.dealer-missed-card"]
IN_ERROR: Final = codes.NUMBER["deal.drawn-in-error"]
NOT_DEALT: Final = codes.NUMBER["deal.hit-not-dealt"]
WRONG_BOX: Final = codes.NUMBER["deal.wrong-box"]
UNWAGERED: Final = codes.NUMBER["deal.unwagered-box"]
_MAY_GET_MORE: Final = (ops.HIT, ops.STAND, ops.DOUBLE_DOWN)


class Line(NamedTuple):
    """An irregularity line that a story supposes, at a place among the round's rows."""

    at: int
    code: int
    seat: int = 0
    hand: int = 0
    rulings: int = 0
    cards: tuple[int, ...] = ()  # ordinals in the shoe
    missed: int = 0  # which of the initial cards
    others: tuple[int, ...] = ()  # boxes that cards were exchanged with, or any of which it may have been
    passes: int = 0  # of the deal in which they were: 1, 2, or 3 for both


class Rows(NamedTuple):
    """Lines as rows of a tape, and where each line's rows start."""

    tape: Tape
    starts: I64


def tape_rows(lines: Sequence[Line]) -> Rows:
    """Write supposed lines as rows of a tape."""
    starts = np.append(0, np.cumsum([1 + len(line.cards) for line in lines])).astype(np.int64)
    columns = {name: np.zeros(starts[-1], _DTYPES.get(name, np.uint8)) for name in COLUMNS}
    for line, start in zip(lines, starts.tolist(), strict=False):
        columns["op"][start] = ops.IRREGULARITY
        columns["seat"][start], columns["hand"][start], columns["kind"][start] = line.seat, line.hand, line.code
        columns["bettor"][start], columns["card"][start] = line.passes, line.missed
        columns["flags"][start], columns["cents"][start] = ops.INFERRED, line.rulings
        columns["aux"][start] = sum(1 << other for other in line.others)
        columns["op"][start + 1 : start + 1 + len(line.cards)] = ops.IRREGULAR_CARD
        columns["aux"][start + 1 : start + 1 + len(line.cards)] = line.cards
    return Rows(Tape(**columns), starts)


_DTYPES: Final = {"flags": np.uint16, "cents": np.int64, "aux": np.int64}


class Round(NamedTuple):
    """A round's tape as misdeals are looked for in it."""

    seats: list[int]  # boxes with a main wager before the closing of bets
    closed: int  # row
    end: int  # row of round_end
    draws: list[int]  # ordinals
    turns: list[tuple[int, int, int, int]]  # of decisions: row, kind, seat, hand
    empty: list[int]  # boxes without a wager

    @classmethod
    def of(cls, tape: Tape, rows: I64, boxes: int) -> "Round | None":
        """Read a round's rows; None where bets were never closed or the round never ended."""
        op = tape.op[rows]
        closes, ends = np.flatnonzero(op == ops.BETS_CLOSED), np.flatnonzero(op == ops.ROUND_END)
        if not len(closes) or not len(ends):
            return None
        closed = int(closes[0])
        staked = np.flatnonzero((op[:closed] == ops.WAGER) & (tape.kind[rows[:closed]] == ops.MAIN))
        seats = np.unique(tape.seat[rows[staked]]).tolist()
        decisions = np.flatnonzero(op == ops.DECISION)
        own = rows[decisions]
        turns = np.stack([decisions, tape.kind[own], tape.seat[own], tape.hand[own]], axis=1)
        return cls(
            seats=seats,
            closed=closed,
            end=int(ends[0]),
            draws=tape.aux[rows[op == ops.DRAW]].tolist(),
            turns=[tuple(each) for each in turns.tolist()],
            empty=[seat for seat in range(1, boxes + 1) if seat not in seats],
        )


def misdeals(found: Round, taken: I64, seen: Sequence[int] = ()) -> Iterator[Line]:
    """List the misdeals that may have happened in a round.

    ``taken`` are the rows that asked for its cards, in order; ``seen`` are boxes in which the camera saw cards.
    """
    early, late = found.closed + 1, found.end
    for seat in found.seats:
        for missed in (1, 2):
            yield Line(early, ONE_CARD, seat, 1, ops.CONTINUE, missed=missed)  # after the others' cards
            yield Line(late, ONE_CARD, seat, 1, ops.CONTINUE, missed=missed)  # when its turn comes
            yield Line(early, ONE_CARD, seat, 1, ops.DEAD_HAND, missed=missed)
            if any(kind == ops.HIT and box == seat for _, kind, box, _ in found.turns):
                yield Line(late, ONE_CARD, seat, 1, ops.USE_NEXT, missed=missed)
        yield Line(early, NO_CARDS, seat, 0, ops.DEAD_HAND)
        yield Line(early, NO_CARDS, seat, 0, ops.USE_NEXT)
    yield Line(early, MISSED)
    decided = [row for row, *_ in found.turns]
    for row in [*decided[1:], *(row + 1 for row in decided[-1:])]:
        yield Line(row, MISSED)
    for ordinal in found.draws:
        yield Line(early, IN_ERROR, rulings=ops.REMOVE_CARD, cards=(ordinal,))
    for row, kind, seat, hand in found.turns:
        before = int(np.searchsorted(taken, row)) + (kind != ops.STAND)  # cards until the decision was answered
        if kind in _MAY_GET_MORE and before < len(found.draws):
            yield Line(row + 1, IN_ERROR, seat, hand, cards=(found.draws[before],))
        for ruling in (ops.CONTINUE, ops.USE_NEXT, ops.DEAD_HAND) if kind == ops.HIT else ():
            yield Line(row + 1, NOT_DEALT, seat, hand, ruling)
    yield from _exchanges(found)
    yield from _unwagered(found, seen)


def _exchanges(found: Round) -> Iterator[Line]:
    for one, other in combinations(found.seats, 2):
        for passes in (1, 2, 3):
            yield Line(found.closed + 1, WRONG_BOX, one, 1, ops.CONTINUE, others=(other,), passes=passes)


def _unwagered(found: Round, seen: Sequence[int]) -> Iterator[Line]:
    """A box without a wager got a card in each pass of the deal, or in one; they were taken away.

    Which of several empty boxes side by side it was only a camera shows.
    """
    count = len(found.seats)
    empty = [box for box in found.empty if box in seen] or found.empty
    for place in range(count + 1):
        beside = tuple(box for box in empty if sum(seat < box for seat in found.seats) == place)
        for boxes in [(box,) for box in beside] if seen else [beside] if beside else []:
            seat, others = (boxes[0], ()) if len(boxes) == 1 else (0, boxes)
            for cards in ((place, count + 2 + place), (place,), (count + 1 + place,)):
                if max(cards) < len(found.draws):
                    ordinals = tuple(found.draws[card] for card in cards)
                    yield Line(found.closed + 1, UNWAGERED, seat, 0, ops.REMOVE_CARD, ordinals, others=others)
