"""Settle lines as the planters handle them: what was due beside what was logged, and where a line may stand."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

import numpy as np

from replay import ops, rules
from replay import situations as S
from replay.engine import layout as L
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator import people as P
from replay.simulator.log import Row
from replay.simulator.plant.base import NONE, Scene, Segment, Truth

SURRENDERS: Final = (S.OUTCOME__SURRENDER_HALF, S.OUTCOME__SURRENDER_HALF_LATER, S.OUTCOME__SURRENDER_WHOLE)
BLACKJACKS: Final = (S.OUTCOME__BLACKJACK, S.OUTCOME__BLACKJACK_VS_21)
NOT_FINAL: Final = (*SURRENDERS, S.OUTCOME__BUST, S.OUTCOME__RESCUE_TAKEN, S.OUTCOME__RESCUE_BACK)
_FAVOURED: Final = 0.8  # how often somebody who is to be preferred gets it

Choice = TypeVar("Choice")


class DuePayment(NamedTuple):
    """The expected settlement of one wager."""

    seat: int
    bettor: int
    kind: int
    hand: int
    patron: int
    stake: int
    paid: int
    taken: int
    reason: int
    odds: int  # row of the odds table, -1
    clause: str

    def net(self) -> int:
        return self.paid - self.taken


def due(scene: Scene, number: int) -> list[DuePayment]:
    """List the expected settlements of a settled round."""
    clauses = scene.table.book.clauses
    return [
        DuePayment(
            seat=int(line[L.S_SEAT]),
            bettor=int(line[L.S_BETTOR]),
            kind=int(line[L.S_KIND]),
            hand=int(line[L.S_HAND]),
            patron=int(line[L.S_PATRON]),
            stake=int(line[L.S_STAKE]),
            paid=int(line[L.S_PAID]),
            taken=int(line[L.S_TAKEN]),
            reason=int(line[L.S_REASON]),
            odds=int(line[L.S_ODDS]),
            clause=clauses[line[L.S_CLAUSE]].id if line[L.S_CLAUSE] >= 0 else "",
        )
        for line in scene.settlements(number)
    ]


def logged(segment: Segment, line: DuePayment) -> Row | None:
    """The one line that settles a wager; None where there is none, or more than one."""
    rows = segment.find(ops.SETTLE, seat=line.seat, bettor=line.bettor, kind=line.kind, hand=line.hand)
    return rows[0] if len(rows) == 1 else None


def found_at(
    scene: Scene,
    segment: Segment,
    slot: int,
    at: DuePayment | Row,
    variance_cents: int = 0,
    handling: int = NONE,
    clause: str | None = None,
) -> list[Truth]:
    """The finding about a wager or its settlement."""
    return [
        scene.found(
            slot,
            segment,
            seat=at.seat,
            bettor=at.bettor,
            kind=at.kind,
            hand=at.hand,
            variance_cents=variance_cents,
            clause=clause,
            handling=handling,
        )
    ]


def told(scene: Scene, segment: Segment, slot: int, line: DuePayment, variance_cents: int) -> list[Truth]:
    """The finding about a wager's settlement, under the clause that decides the wager."""
    return found_at(scene, segment, slot, line, variance_cents, clause=line.clause)


def is_single(line: DuePayment, lines: Sequence[DuePayment]) -> bool:
    """Tell whether a bettor has only this wager on the hand: a mistake about the hand is then one about the wager."""
    return sum(is_on_hand(other, line) and other.bettor == line.bettor for other in lines) == 1


def is_on_hand(one: DuePayment, other: DuePayment) -> bool:
    """Tell whether both wagers lie on the same hand."""
    return one.kind <= ops.DOUBLE and other.kind <= ops.DOUBLE and (one.seat, one.hand) == (other.seat, other.hand)


def paid_at(rules_of: Rules, stake: int, odds: int) -> int:
    """A win at the odds of a row; a fraction of a cent goes to the player."""
    return rounded_up(stake * int(rules_of.odds_num[odds]), int(rules_of.odds_den[odds]))


def rounded_up(cents: int, divisor: int) -> int:
    return -(-cents // divisor)


def settle_row(line: DuePayment, paid: int, taken: int) -> Row:
    """A settle line for a wager."""
    return Row(ops.SETTLE, line.seat, line.bettor, line.hand, line.kind, cents=paid, aux=taken)


def final_rows(segment: Segment) -> list[Row]:
    """The lines of the final settlement."""
    end = segment.moment(J.AT_END)
    return [] if end is None else [row for row in segment.rows[segment.index(end) :] if row.op == ops.SETTLE]


def put_final(scene: Scene, segment: Segment, row: Row) -> bool:
    """Put a line where the order of the final settlement wants it; False where the round has none."""
    end = segment.moment(J.AT_END)
    if end is None:
        return False
    put_in_order(segment, end, final_rows(segment), row, int(scene.rules.settle_order))
    return True


def put_in_order(segment: Segment, start: Row, rows: Sequence[Row], row: Row, order: int) -> None:
    """Put a line behind ``start``, among others that come in an order of the rulebook."""
    from_right = order == rules.ORDER_RIGHT_TO_LEFT
    after = start
    for each in rows:
        comes_first = each.seat >= row.seat if from_right else row.cents > 0 or each.cents == 0
        if not comes_first:
            break
        after = each
    segment.after(after, row)


def move(segment: Segment, row: Row, after: Row) -> None:
    """Move a row behind another."""
    segment.remove(row)
    segment.after(after, row)


def prefer(scene: Scene, choices: Sequence[Choice], wanted: Callable[[Choice], bool]) -> Choice:
    """One of several; mostly one of those that are wanted, where there are any."""
    best = [choice for choice in choices if wanted(choice)]
    return scene.rng.choice(best if best and scene.rng.random() < _FAVOURED else choices)


def favourite(scene: Scene, segment: Segment) -> int:
    """Number of the patron whom the round's dealer favours, -1."""
    dealers = scene.cast.dealers
    at = max(0, int(np.searchsorted(dealers[:, P.D_FROM_MS], segment.rows[0].ms, side="right")) - 1)
    row = int(scene.cast.favours[dealers[at, P.D_NUMBER]])
    return int(scene.cast.patrons[row, P.P_NUMBER]) or -1 if row >= 0 else -1


def patrons_of_kind(scene: Scene, kind: int) -> set[int]:
    """Numbers of the known patrons of a kind."""
    patrons = scene.cast.patrons
    return {int(number) for number in patrons[patrons[:, P.P_KIND] == kind, P.P_NUMBER]} - {0}
