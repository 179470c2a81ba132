"""The terminal's steps of the progressive systems as planters handle them, and what the cards say about them."""

from collections.abc import Iterable
from typing import Final

from replay import cards, ops
from replay.simulator.log import Row
from replay.simulator.plant.base import Scene, Segment

SPIN, XTREME = 0, 1
NO_PRIZE: Final = -1
# What the terminal is told between the start and the end of a round.
_WHEEL: Final = range(ops.TRIGGER, ops.PAID + 1)
_SYMBOLS_CENTS: Final = (5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000)  # of a wheel that pays its symbol


def steps(segment: Segment, system: int, *actions: int) -> list[Row]:
    """A system's steps in a round, or those of some actions."""
    return [row for row in segment.find(ops.PROGRESSIVE, card=system) if not actions or row.kind in actions]


def step(system: int, action: int, seat: int = 0, bettor: int = 1) -> Row:
    """A step of the terminal."""
    return Row(ops.PROGRESSIVE, seat=seat, bettor=bettor, kind=action, card=system, cents=NO_PRIZE)


def prize(system: int, action: int, seat: int, bettor: int, cents: int) -> Row:
    """The wheel stops at an amount and pays it."""
    row = step(system, action, seat, bettor)
    row.hand, row.aux, row.cents = ops.AMOUNT, cents, cents
    return row


def with_meters(segment: Segment, rows: Iterable[Row]) -> list[Row]:
    """Steps and what their meters showed."""
    found: list[Row] = []
    for row in rows:
        found.append(row)
        for following in segment.rows[segment.index(row) + 1 :]:
            if following.op != ops.METER:
                break
            found.append(following)
    return found


def wheel_steps(segment: Segment, system: int) -> list[Row]:
    """Everything from the trigger to the payment."""
    return [row for row in steps(segment, system) if row.kind in _WHEEL]


def staked(segment: Segment, system: int) -> list[Row]:
    """The wagers of a system, in the order of the log."""
    return segment.find(ops.WAGER, kind=ops.BONUS_SPIN + system)


def settle_lines(segment: Segment, wager: Row) -> list[Row]:
    return segment.find(ops.SETTLE, seat=wager.seat, bettor=wager.bettor, kind=wager.kind)


def is_blackjack(segment: Segment, seat: int) -> bool:
    """Tell whether a box was dealt an ace and a ten-value card."""
    return _is_pair_of(segment.hand(seat), cards.ACE)


def is_xtreme(segment: Segment) -> bool:
    """Tell whether the dealer's first two cards are a six and a ten-value card."""
    return _is_pair_of(segment.dealer(), cards.SIX)


def _is_pair_of(draws: list[Row], rank: int) -> bool:
    first = [row.card for row in draws[:2]]
    return len(first) == 2 and any(
        cards.RANK[one] == rank and cards.VALUE[other] == 10 for one, other in (first, first[::-1])
    )


def authorise_from(scene: Scene, system: int) -> int:
    """Return the prize in cents from which a supervisor has to authorise it, 0 if no limit is posted."""
    return int(scene.rules.spin_authorise if system == SPIN else scene.rules.bsx_authorise)


def needs_authorisation(scene: Scene, system: int, cents: int) -> bool:
    return 0 < authorise_from(scene, system) <= cents


def amounts(scene: Scene, system: int) -> list[int]:
    """The amounts on a system's wheel."""
    if system == XTREME and scene.rules.bsx_pays_symbol:
        return list(_SYMBOLS_CENTS)
    return sorted(int(row[3]) for row in scene.rules.prizes if row[0] == system and row[1] == ops.AMOUNT)


def small_amounts(scene: Scene, system: int) -> list[int]:
    """List the prizes that nobody has to authorise."""
    return [cents for cents in amounts(scene, system) if not needs_authorisation(scene, system, cents)]


def paytable_clause(scene: Scene, system: int, amount: int) -> str:
    """The clause that says what an amount on the wheel pays."""
    for row in scene.rules.prizes:
        if row[0] == system and row[1] == ops.AMOUNT and row[2] == amount:
            return scene.table.book.clauses[int(row[6])].id
    return ""


def earns_prizes(scene: Scene, wager: Row) -> bool:
    """Tell whether the paytable is for a stake of this size."""
    return wager.kind != ops.BSX16 or bool(scene.rules.bsx_pays_symbol) or wager.cents == scene.rules.bsx_prize_stake
