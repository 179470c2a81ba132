"""Tools of planting: a table's day cut into segments, changes to them, and the truth about what was planted.

A planter is a function of a scene, the number of a round and a handling. It looks at the round's segment (the rows
since the round before, and the round's own), changes rows, and returns the findings that the change amounts to, or None
where the round does not suit it. Changes count only when it returns findings.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

import numpy as np

from replay import cards, codes, ops, situations
from replay import rules as R
from replay.engine import layout as L
from replay.floor import Table
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator.judge import SimulatedVerdicts
from replay.simulator.log import Log, Names, Row
from replay.simulator.people import Cast

# When a planter does its work: before the dealer settles, who then settles by what happened; or after.
PLAYED, SETTLED = "played", "settled"
AS_PRESCRIBED, NOT_PRESCRIBED, UNREPORTED = ops.AS_PRESCRIBED, ops.NOT_PRESCRIBED, ops.UNREPORTED
NONE: Final = ops.NOTHING_PRESCRIBED


class Truth(NamedTuple):
    """A finding that an audit has to make: the columns of ``findings`` that do not depend on wording or place."""

    code: str
    round: int | None  # number of the round
    shoe: int | None  # number of the shoe
    seat: int | None
    bettor: int | None
    kind: str | None
    hand: int | None
    variance_cents: int
    clause: str  # id in the rulebook
    handling: str | None
    path: str | None = None  # of the file that it belongs to, within the landing zone


@dataclass
class Segment:
    """A round with what came before it since the last round ended."""

    number: int
    lo: int
    hi: int
    gap: list[Row]
    rows: list[Row]

    def find(self, op: int, **wanted: int) -> list[Row]:
        """Rows of the round with an operation and given values, in order."""
        return [row for row in self.rows if row.op == op and all(getattr(row, k) == v for k, v in wanted.items())]

    def first(self, op: int, **wanted: int) -> Row | None:
        return next(iter(self.find(op, **wanted)), None)

    def before(self, row: Row, *new: Row) -> None:
        """Put rows before another."""
        self._insert(self._at(row), new)

    def after(self, row: Row, *new: Row) -> None:
        """Put rows after another."""
        self._insert(self._at(row) + 1, new)

    def remove(self, *gone: Row) -> None:
        marked = {id(row) for row in gone}
        self.rows = [row for row in self.rows if id(row) not in marked]

    def index(self, row: Row) -> int:
        """Position of a row in the round."""
        return self._at(row)

    def _at(self, row: Row) -> int:
        return next(n for n, each in enumerate(self.rows) if each is row)

    def _insert(self, at: int, new: Sequence[Row]) -> None:
        ms = self.rows[at - 1].ms if at else self.rows[0].ms - J.LEAST_GAP_MS
        for row in new:
            row.ms, row.round = ms, self.number
        self.rows[at:at] = new

    # What the round holds.

    def draws(self, zone: int | None = None) -> list[Row]:
        """Cards of the round, or those laid in a zone."""
        return self.find(ops.DRAW) if zone is None else self.find(ops.DRAW, zone=zone)

    def dealer(self) -> list[Row]:
        return self.draws(J.ZONE_DEALER)

    def hand(self, seat: int, hand: int = 1) -> list[Row]:
        return self.draws(seat * J.ZONE_HANDS + hand)

    def up(self) -> int:
        """The dealer's up card."""
        return self.dealer()[0].card

    def seats(self) -> list[int]:
        """Boxes with a main wager."""
        return sorted({row.seat for row in self.find(ops.WAGER, kind=ops.MAIN)})

    def moment(self, which: int, seat: int = 0, hand: int = 0) -> Row | None:
        return self.first(J.MOMENT, kind=which, seat=seat, hand=hand)

    def end(self) -> Row:
        return self.rows[-1]

    def is_void(self) -> bool:
        return any(row.cents & ops.VOID for row in self.find(ops.IRREGULARITY))

    def net_cents(self) -> int:
        """Return the players' net result by the settle lines, in cents."""
        return sum(row.cents - row.aux for row in self.find(ops.SETTLE))


@dataclass
class Scene:
    """Scene for planting: one table's day with its log, rules and people."""

    log: Log
    names: Names
    table: Table
    rules: Rules
    cast: Cast
    rng: Random
    judged: SimulatedVerdicts | None = None  # when settled: what the engine expected
    truth: list[Truth] = field(default_factory=list)
    taken: dict[int, Segment] = field(default_factory=dict)  # segments that were changed
    used: set[int] = field(default_factory=set)  # rounds that have something planted in them, in whatever phase
    extra: Counter[tuple[int, int]] = field(default_factory=Counter)  # cards added by shoe and card
    low: frozenset[str] = frozenset()  # patrons who were below the minimum on an earlier day
    _bounds: tuple[np.ndarray, np.ndarray] | None = None
    _trying: dict[int, Segment] = field(default_factory=dict)

    # Segments.

    def rounds(self) -> int:
        return len(self._rounds()[0])

    def _rounds(self) -> tuple[np.ndarray, np.ndarray]:
        if self._bounds is None:
            self._bounds = J.bounds(self.log)
        return self._bounds

    def began_ms(self, number: int) -> int:
        """Return the true time at which a round began, in ms."""
        return int(self.log.ms[self._rounds()[0][number - 1]])

    def segment(self, number: int) -> Segment | None:
        """Return the segment of a round, from 1, to be changed; None if absent or already planted."""
        starts, ends = self._rounds()
        if not 1 <= number <= len(starts) or number in self.used:
            return None
        if number not in self._trying:
            lo = int(ends[number - 2]) if number > 1 else 0
            at, hi = int(starts[number - 1]), int(ends[number - 1])
            self._trying[number] = Segment(number, lo, hi, self.log.rows(lo, at), self.log.rows(at, hi))
        return self._trying[number]

    def attempt(self, planter: "Planter", number: int, handling: int) -> bool:
        """Let a planter try a round; whether it planted something."""
        self._trying = {}
        extra = self.extra.copy()
        if number in self.used:
            return False
        found = planter.act(self, number, handling)
        if not found:
            self.extra = extra
            return False
        self.taken.update(self._trying)
        self.used.update(self._trying)
        self.truth += found
        return True

    def apply(self) -> Log:
        """The log with everything planted so far."""
        changes = [(s.lo, s.hi, [*s.gap, *s.rows]) for _, s in sorted(self.taken.items())]
        log = J.replaced(self.log, changes) if changes else self.log
        J.renumber(log, self.rules.decks * self.rules.cards_per_deck)
        return log

    # Truth.

    def is_checked(self, slot: int) -> bool:
        """Tell whether this table's rulebook, or the house's own posting, asks for a check."""
        return bool(self.rules.clause[slot] != R.NOT_CHECKED)

    def clause(self, slot: int) -> str:
        index = int(self.rules.clause[slot])
        return self.table.book.clauses[index].id if index >= 0 else ""

    def found(
        self,
        slot: int,
        segment: Segment | None = None,
        *,
        shoe: int | None = None,
        seat: int | None = None,
        bettor: int | None = None,
        kind: int | None = None,
        hand: int | None = None,
        variance_cents: int = 0,
        clause: str | None = None,
        handling: int = NONE,
    ) -> Truth:
        """The finding of a slot; ``handling`` counts only where the rulebook prescribes something for the slot."""
        return Truth(
            code=situations.code(slot),
            round=segment.number if segment else None,
            shoe=shoe,
            seat=seat,
            bettor=bettor,
            kind=None if kind is None else ops.KINDS[kind],
            hand=hand,
            variance_cents=variance_cents,
            clause=self.clause(slot) if clause is None else clause,
            handling=ops.HANDLINGS[handling] or None,
        )

    # Rulings.

    def prescribed(self, slot: int) -> int:
        """Bits of the first ruling that the rulebook prescribes, 0 where it prescribes none."""
        return int(self.rules.prescribes[slot, 0])

    def may_be_unreported(self, slot: int) -> bool:
        """Tell whether somebody had to be told."""
        return bool(self.rules.report[slot])

    def irregularity(
        self,
        slot: int,
        rulings: int,
        *,
        of: Sequence[Row] = (),
        seat: int = 0,
        bettor: int = 0,
        hand: int = 0,
        card: int = 0,
    ) -> list[Row]:
        """The lines of a ruling, about cards ``of`` and at a place; ``card`` is an initial card that was missed."""
        code = codes.NUMBER[situations.code(slot)]
        line = Row(ops.IRREGULARITY, seat=seat, bettor=bettor, hand=hand, kind=code, card=card, cents=rulings)
        return [line, *(Row(ops.IRREGULAR_CARD, of=each) for each in of)]

    # Cards.

    def shoe_of(self, segment: Segment) -> int:
        """Number of the shoe that a round's first card came from."""
        return segment.draws()[0].cents

    def spare_card(self, shoe: int, wanted: Callable[[int], bool] = lambda card: True) -> int | None:
        """A card that the shoe still holds when it ends, so that it may as well have come out earlier.

        A machine that shuffles the cards back in all the time holds any card.
        """
        drawn = np.bincount(
            self.log.card[(self.log.op == ops.DRAW) & (self.log.cents == shoe)], minlength=cards.CARD_CODES
        )
        fit = [
            card
            for card in range(1, cards.CARD_CODES)
            if cards.RANK[card] != cards.TEN
            and (self.rules.continuous or drawn[card] + self.extra[shoe, card] < self.rules.decks)
            and wanted(card)
        ]
        if not fit:
            return None
        card = self.rng.choice(fit)
        self.extra[shoe, card] += 1
        return card

    def draw(self, shoe: int, card: int, zone: int, flags: int = 0) -> Row:
        """A card out of the shoe; its ordinal is worked out when all is planted."""
        return Row(ops.DRAW, card=card, cents=shoe, zone=zone, flags=flags)

    # What the engine expected, once the round is settled.

    def settlements(self, number: int) -> Iterator[np.ndarray]:
        """Rows of the engine's settlements of a round (``replay.engine.layout``, S_ columns)."""
        assert self.judged is not None
        lines = self.judged.settlements
        lo, hi = np.searchsorted(lines[:, L.S_ROUND], [number - 1, number])
        yield from lines[lo:hi]


Act = Callable[[Scene, int, int], list[Truth] | None]


class Planter(NamedTuple):
    """A way to plant a code."""

    code: str
    phase: str
    handlings: tuple[int, ...]
    weight: float  # how often, among all that goes wrong on a floor
    act: Act


REGISTRY: Final[dict[str, list[Planter]]] = {}


def plants(code: str, *handlings: int, phase: str = PLAYED, weight: float = 1.0) -> Callable[[Act], Act]:
    """Register a planter of a code, with the handlings that it can give it (none: nothing is prescribed)."""
    assert code in codes.NUMBER, code

    def register(act: Act) -> Act:
        REGISTRY.setdefault(code, []).append(Planter(code, phase, handlings or (NONE,), weight, act))
        return act

    return register
