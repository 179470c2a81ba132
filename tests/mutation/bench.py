"""Runs mutants of a rulebook against its worked rounds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any
from unittest.mock import patch

from replay import floor, notation, rulebook
from replay.audit import audit
from replay.rulebook import Rulebook
from tests.mutation.mutants import Mutant
from tests.rules.test_paytables import every_row
from tests.rules.worked import Worked, every_round, problems


@dataclass(frozen=True)
class Test:
    """A worked round, read once."""

    worked: Worked
    script: notation.Script
    clauses: frozenset[str]

    @property
    def book(self) -> str:
        return str(self.script.floor["table"][0]["rulebook"])

    def fails(self, books: Callable[[str], Rulebook]) -> bool:
        """Whether the round is judged otherwise than expected when rulebooks come from there."""
        try:
            with patch.object(floor, "load", books), patch.object(rulebook, "load", books):
                plan = floor.parse(self.script.floor)
                table = plan.tables[0]
                result = audit(plan, table.id, max(table.since, date(2000, 1, 1)), self.script.events)
        except (ValueError, LookupError, TypeError):
            return True
        return bool(problems(self.worked, result))


@lru_cache
def every_test() -> tuple[Test, ...]:
    """All worked rounds and rows of paytables that can be read."""
    return tuple(_test(worked) for worked in (*every_round(), *every_row()))


def _test(worked: Worked) -> Test:
    cited = {expected.clause for expected in worked.wagers} | {expected.clause for expected in worked.findings}
    cited |= {expected.because for expected in worked.wagers if expected.because}
    return Test(worked, notation.load(worked.text), frozenset(cited))


@lru_cache
def baseline(book: str) -> tuple[tuple[Test, ...], tuple[Test, ...]]:
    """The tests of a rulebook that pass as it stands, and those that do not and so can prove nothing."""
    mine = [test for test in every_test() if test.book == book]
    failing = {id(test) for test in mine if test.fails(rulebook.load)}
    passing = tuple(test for test in mine if id(test) not in failing)
    return passing, tuple(test for test in mine if id(test) in failing)


def killer(mutant: Mutant) -> str | None:
    """The first round that notices a mutant; none for a survivor."""
    try:
        mutated = rulebook.parse(mutant.data())
    except (ValueError, LookupError, TypeError):
        return "the rulebook does not load"
    original = rulebook.load

    def books(name: str) -> Rulebook:
        return mutated if name == mutant.book else original(name)

    for test in _likely_first(baseline(mutant.book)[0], mutant):
        if test.fails(books):
            return f"{test.worked.file}: {test.worked.title}"
    return None


def _likely_first(tests: Sequence[Test], mutant: Mutant) -> list[Test]:
    number = mutant.clause.partition("/")[0]
    subject = _subject(mutant)

    def rank(test: Test) -> int:
        if mutant.clause in test.clauses:
            return 0
        if subject and any(expected.code == subject for expected in test.worked.findings):
            return 1
        if number in test.clauses:
            return 2
        return 3 if any(clause.startswith(number) for clause in test.clauses) else 4

    return sorted(tests, key=rank)


def _subject(mutant: Mutant) -> str:
    """The finding code that the mutant is about, as far as its clause cites one."""
    row: Mapping[str, Any] = rulebook_row(mutant)
    cited = [name.partition("/")[0] for name in row.get("cites", ()) if not name.startswith("outcome.")]
    return cited[0] if cited else ""


def rulebook_row(mutant: Mutant) -> Mapping[str, Any]:
    from tests.mutation.mutants import read

    row: Mapping[str, Any] = read(mutant.book)["clauses"][mutant.clause]
    return row
