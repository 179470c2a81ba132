"""Players at a table: who sits where, what they stake."""

import random

from tests.adversary.books import Table
from tests.adversary.people import STYLES, Style
from tests.adversary.state import Bettor, Box, Wager


class Seating:
    """The regulars of a table-day; players come and go slowly."""

    def __init__(self, table: Table, rng: random.Random) -> None:
        self.table, self.rng = table, rng
        self.seats: dict[int, list[tuple[Style, int]]] = {}
        self.patrons = rng.random() < 0.3
        for seat in rng.sample(range(1, table.boxes + 1), rng.randint(1, min(6, table.boxes))):
            self.seats[seat] = self._people()

    def _people(self) -> list[tuple[Style, int]]:
        """Return the bettors of a box with their usual stake in cents."""
        t, rng = self.table, self.rng
        count = 1 if t.bettors == 1 or rng.random() < 0.7 else rng.randint(2, t.bettors)
        top = min(t.max_cents // 3, t.min_cents * 20)
        return [(rng.choice(STYLES), rng.randrange(t.min_cents, top, 500)) for _ in range(count)]

    def move(self) -> None:
        """Let somebody come, go or change."""
        free = [s for s in range(1, self.table.boxes + 1) if s not in self.seats]
        if self.rng.random() < 0.5 and len(self.seats) < 6 and free:
            self.seats[self.rng.choice(free)] = self._people()
        elif len(self.seats) > 1:
            del self.seats[self.rng.choice(sorted(self.seats))]

    def boxes(self) -> list[Box]:
        """Return the boxes of the next round with their main and side wagers."""
        rng = self.rng
        seats = [s for s in sorted(self.seats) if rng.random() < 0.93] or [min(self.seats)]
        return [self._box(seat) for seat in seats]

    def _box(self, seat: int) -> Box:
        """Return one box with its bettors and their wagers."""
        t, rng = self.table, self.rng
        bettors = []
        for i, (style, usual) in enumerate(self.seats[seat], 1):
            cents = usual if rng.random() < 0.7 else min(usual * 2, t.max_cents // 3 // 500 * 500)
            bettor = Bettor(i, style, Wager(i, "main", 1, cents))
            if t.side and rng.random() < style.side:
                low = t.min_cents if t.book.side == "pair" else t.match_min_cents
                high = min(cents, t.max_cents if t.book.side == "pair" else t.match_max_cents)
                bettor.side = Wager(i, t.book.side, 1, rng.randrange(low, high + 1, 500))
            if self.patrons:
                bettor.patron = f"{t.id}-{seat}-{i}"
            bettors.append(bettor)
        return Box(seat, bettors)
