"""Rows with a rate each, ranked by how their intervals compare with the floor, and the scale of their drawing."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from dashboards.rates.wilson import ABOVE, BELOW, ORDER, SMALL, Rate, rate

WIDTH: Final = 240  # of a drawing, in units of its view box
_ROOM: Final = 1.08


class Compared(NamedTuple):
    """A row, its rate, and its standing against the floor."""

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
        """Return the position of a share on the drawing's scale, in units of its view box."""
        return round(min(share or 0.0, self.most) / self.most * WIDTH, 2)

    def count(self, standing: str) -> int:
        """Count the rows with that standing."""
        return sum(each.standing == standing for each in self.rows)


def against(floor: Rate, rows: Iterable[dict[str, Any]], count: str, of: str) -> list[Compared]:
    """Compare rows, in their given order, with a known floor rate by the share that two of their columns give."""
    rates = ((row, rate(row[count], row[of])) for row in rows)
    return [Compared(row, each, each.against(floor)) for row, each in rates]


def compare(rows: Iterable[dict[str, Any]], count: str, of: str, name: Callable[[dict[str, Any]], Any]) -> Comparison:
    """Compare rows by the share that two of their columns give.

    Rows above or below the floor are sorted by the distance of their interval from it; the others cannot be ranked,
    so they are sorted by name.
    """
    rows = list(rows)
    floor = rate(sum(row[count] for row in rows), sum(row[of] for row in rows))
    compared = against(floor, rows, count, of)

    def place(each: Compared) -> tuple[int, float, Any]:
        away = {ABOVE: -each.rate.low, BELOW: each.rate.high}.get(each.standing, 0.0)
        return ORDER.index(each.standing), away, name(each.row)

    drawn = max((each.rate.high for each in compared if each.standing != SMALL), default=1.0)
    return Comparison(floor, sorted(compared, key=place), min(1.0, drawn * _ROOM))
