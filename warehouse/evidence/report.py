"""What a verification finds."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Difference:
    """Something that is not as the evidence says."""

    place: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.place}: found {self.found}, expected {self.expected}"


@dataclass
class Report:
    """What was checked and what differs, in the order in which it is checked."""

    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    entries: int = 0
    checkpoints: int = 0
    files: int = 0
    parts: int = 0
    lines: int = 0
    bytes: int = 0

    @property
    def first(self) -> Difference | None:
        """The first difference, or None where all is as it was."""
        return self.differences[0] if self.differences else None

    def differ(self, place: str, expected: str, found: str) -> None:
        """Add a difference."""
        self.differences.append(Difference(place, expected, found))
