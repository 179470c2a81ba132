"""State that a gaming day carries over to the next: age and fate of decks, players below the minimum, meters."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Decks(NamedTuple):
    """A set of decks: whether it was inspected, when it came into use (ms since 1970), whether it was withdrawn."""

    inspected: int = 0
    since_ms: int = 0
    withdrawn: int = 0


@dataclass(frozen=True)
class Carry:
    """The state of a floor between two days, or what one table's day changed of it."""

    decks: Mapping[str, Decks] = field(default_factory=dict)
    players: frozenset[tuple[str, str]] = frozenset()  # table and patron of wagers below the minimum
    meters: Mapping[str, int] = field(default_factory=dict)  # millionths of a cent that a table's own meter shows

    def after(self, change: "Carry") -> "Carry":
        """This state with what a table's day changed. What any of several tables did to a set of decks counts."""
        both = self.decks.keys() & change.decks.keys()
        joined = {name: Decks(*map(max, self.decks[name], change.decks[name])) for name in both}
        decks = {**self.decks, **change.decks, **joined}
        return Carry(decks, self.players | change.players, {**self.meters, **change.meters})

    def without_meters(self, names: Collection[str]) -> "Carry":
        """This state where nobody knows what some meters show."""
        kept = {name: shown for name, shown in self.meters.items() if name not in names}
        return Carry(self.decks, self.players, kept)


NOTHING = Carry()
