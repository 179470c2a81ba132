"""Worked rounds with misdeals that nobody logged: ``suppose`` lines tell what a story would."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from replay import floor, notation, ops
from replay.audit import Audit, Reporter, judge
from replay.encode import encode_events
from replay.tape import Encoded, Event
from tests.rules import worked
from tests.rules.worked import Worked

HERE = Path(__file__).parent / "inferred"
_SUPPOSES = "suppose "


def every_round() -> list[Worked]:
    """All worked rounds with supposed lines, in the order of their files."""
    return [each for path in sorted(HERE.glob("*.txt")) for each in worked.read(path)]


def name(each: Worked) -> str:
    """A round's rulebook and title."""
    book = next(line.split()[1] for line in each.lines if line.startswith("rulebook "))
    return f"{book}: {each.title}"


def as_logged(each: Worked) -> str:
    """The round as the devices logged it, without what is supposed."""
    return "\n".join(line for line in each.lines if not line.startswith(_SUPPOSES))


def supposed(each: Worked) -> Audit:
    """The engine's view of a round with its supposed lines."""
    script = notation.load("\n".join(_written(each.lines)))
    plan = floor.parse(script.floor)
    table = plan.tables[0]
    judged = judge(plan, table, _inferred(script.events))
    reporter = Reporter(table, judged.encoded)
    return Audit(
        **vars(judged),
        settlements=tuple(reporter.settlement(line) for line in judged.verdicts.settlements),
        findings=tuple(reporter.findings(judged, table.since)),
    )


def _written(lines: list[str]) -> Iterator[str]:
    """Supposed lines as rulings of nobody."""
    for line in lines:
        if not line.startswith(_SUPPOSES):
            yield line
            continue
        code, ruling, rest = (*line.removeprefix(_SUPPOSES).split(maxsplit=2), "")[:3]
        yield f"rule {code} {ruling} by nobody {rest}"


def _inferred(events: Iterable[Event]) -> Encoded:
    """Encode events with every irregularity line marked as inferred."""
    found = encode_events(events)
    for tape in (found.tape, found.table):
        tape.flags[tape.op == ops.IRREGULARITY] |= ops.INFERRED
    return found
