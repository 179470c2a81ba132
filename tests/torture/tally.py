"""Counts of the campaign: faults by kind and outcome."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Faults and their outcomes, and all that looked at the lakes meanwhile."""

    has_small_disk: bool = True  # a disk that can be filled may be mounted here
    cases: int = 0
    named: Counter[tuple[str, str]] = field(default_factory=Counter)  # by kind and how it was told
    harmless: Counter[tuple[str, str]] = field(default_factory=Counter)  # by kind and why it is harmless
    commands: Counter[str] = field(default_factory=Counter)
    verified: int = 0
    pages: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def faults(self) -> int:
        return self.named.total() + self.harmless.total()

    def add(self, kind: str, outcome: str, is_named: bool = False) -> None:
        """A fault of a kind, and what became of it."""
        (self.named if is_named else self.harmless)[kind, outcome] += 1

    def table(self) -> str:
        """Kinds of faults with their number, how many were named, and why the others do no harm."""
        kinds = sorted({kind for kind, _ in (*self.named, *self.harmless)})
        lines = [f"{'fault':38} {'tries':>5} {'named':>5} {'other':>5}  why the others do no harm"]
        for kind in kinds:
            counts = [sum(n for (each, _), n in some.items() if each == kind) for some in (self.named, self.harmless)]
            why = "; ".join(f"{outcome} ({n})" for (each, outcome), n in self.harmless.most_common() if each == kind)
            lines.append(f"{kind:38} {sum(counts):5,} {counts[0]:5,} {counts[1]:5,}  {why}".rstrip())
        lines.append(f"{'all':38} {self.faults:5,} {self.named.total():5,} {self.harmless.total():5,}")
        return "\n".join(lines)

    def __str__(self) -> str:
        end = (
            f"{len(self.problems)} problems" if self.problems else "nothing lost, all wrong named, all right published"
        )
        commands = ", ".join(f"{name} {times}" for name, times in self.commands.most_common())
        beside = f"commands that ended undisturbed: {commands}; {self.verified:,} verifications, {self.pages:,} pages"
        return f"{self.faults:,} faults in {self.cases} cases, {end} ({beside})\n{self.table()}"
