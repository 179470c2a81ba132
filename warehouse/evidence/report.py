"""Result of a verification."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Difference:
    """A discrepancy with the evidence: its place, the expected and the found content."""

    place: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.place}: found {self.found}, expected {self.expected}"


@dataclass
class Report:
    """Counts of the items checked, and the discrepancies in the order of checking."""

    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)  # work left over by a run that is in progress or was killed
    in_progress: bool = False  # a run is in progress: the last published state is checked
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
