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
    unfinished: list[str] = field(default_factory=list)  # what a run that goes on, or was killed, has not done yet
    in_progress: bool = False  # a run goes on: the last published state is checked
    entries: int = 0
    checkpoints: int = 0
    files: int = 0
    parts: int = 0
    lines: int = 0
    is_bundle: bool = False
    bytes: int = 0

    @property
    def first(self) -> Difference | None:
        """The first difference, or None where all is as it was."""
        return self.differences[0] if self.differences else None

    def differ(self, place: str, expected: str, found: str) -> None:
        """Add a difference."""
        self.differences.append(Difference(place, expected, found))
