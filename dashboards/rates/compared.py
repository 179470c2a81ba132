"""Rows with a rate each, in the order of what their intervals show, and the scale on which they are drawn."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from dashboards.rates.wilson import ABOVE, BELOW, ORDER, SMALL, Rate, rate

WIDTH: Final = 240  # of a drawing, in units of its view box
_ROOM: Final = 1.08


class Compared(NamedTuple):
    """A row, its rate, and what that says against the floor."""

    row: dict[str, Any]
    rate: Rate
    standing: str


@dataclass(frozen=True)
class Comparison:
    """All rows with the rate of the floor as a whole; ``most`` is the share at the end of the scale."""

    floor: Rate
    rows: list[Compared]
    most: float

    def at(self, share: float | None) -> float:
        """Where a share lies in a drawing."""
        return round(min(share or 0.0, self.most) / self.most * WIDTH, 2)

    def count(self, standing: str) -> int:
        """How many rows stand so."""
        return sum(each.standing == standing for each in self.rows)


def against(floor: Rate, rows: Iterable[dict[str, Any]], count: str, of: str) -> list[Compared]:
    """Rows by the share that two of their columns give, each against a floor that is known, in their own order."""
    rates = ((row, rate(row[count], row[of])) for row in rows)
    return [Compared(row, each, each.against(floor)) for row, each in rates]


def compare(rows: Iterable[dict[str, Any]], count: str, of: str, name: Callable[[dict[str, Any]], Any]) -> Comparison:
    """Compare rows by the share that two of their columns give.

    Those outside come by how far their interval is away from the floor; of the others nothing is known that would
    put one before another, so they come by name.
    """
    rows = list(rows)
    floor = rate(sum(row[count] for row in rows), sum(row[of] for row in rows))
    compared = against(floor, rows, count, of)

    def place(each: Compared) -> tuple[int, float, Any]:
        away = {ABOVE: -each.rate.low, BELOW: each.rate.high}.get(each.standing, 0.0)
        return ORDER.index(each.standing), away, name(each.row)

    drawn = max((each.rate.high for each in compared if each.standing != SMALL), default=1.0)
    return Comparison(floor, sorted(compared, key=place), min(1.0, drawn * _ROOM))
