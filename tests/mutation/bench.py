"""Runs mutants of a rulebook against its worked rounds."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from types import TracebackType
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from replay import audit, bulk, floor, library, notation, rulebook_file
from replay.compile_rules import compile_rules
from replay.floor import Floor, NotPermitted
from replay.rulebook_file import Rulebook
from replay.rules import Rules, record
from tests.mutation.mutants import Mutant, read
from tests.rules.test_paytables import every_row
from tests.rules.test_worked import ROUNDS
from tests.rules.worked import Worked, problems

KILLED: Final = "killed"
UNNOTICED: Final = "unnoticed"  # the engine gets other numbers, and every round comes out as before
WITHOUT_EFFECT: Final = "without effect"  # the engine's numbers are the same
BROKEN: Final = (ValueError, LookupError, TypeError)


class Instead(NamedTuple):
    """The package's rulebooks with another in place of one."""

    book: Rulebook

    def find(self, wanted: str) -> Rulebook:
        return self.book if wanted == self.book.id else library.load(wanted)


class Fate(NamedTuple):
    """Outcome for a mutant, and the round that killed it."""

    state: str
    killer: str = ""


class Plan(NamedTuple):
    """A round's floor.toml under some rulebook, and the numbers that the engine gets."""

    floor: Floor
    rules: Rules

    def shows(self) -> tuple[bytes, tuple[NotPermitted, ...]]:
        """Return everything that an audit takes from the rulebook, to compare plans."""
        return record(self.rules).tobytes(), self.floor.tables[0].not_permitted  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Case:
    """A worked round, read once."""

    worked: Worked
    script: notation.Script
    layout: str  # its floor.toml; many rounds have the same
    clauses: frozenset[str]

    @property
    def book(self) -> str:
        return str(self.script.floor["table"][0]["rulebook"])

    def fails(self, plan: Plan) -> bool:
        """Return whether the round's verdicts differ from the expected ones."""
        table = plan.floor.tables[0]
        day = max(table.since, date(2000, 1, 1))
        with (
            patch.object(audit, "compile_rules", lambda _: plan.rules),
            patch.object(bulk, "ThreadPoolExecutor", _Here),
        ):
            try:
                result = audit.audit(plan.floor, table.id, day, self.script.events)
            except BROKEN:
                return True
        return bool(problems(self.worked, result))


class _Here:
    """Stands in for a pool of threads: a single round is done before a thread has started."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def __enter__(self) -> "_Here":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        return None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(function(*arguments))
        return done


@lru_cache
def every_test() -> tuple[Case, ...]:
    """All worked rounds and all rows of paytables."""
    return tuple(_test(worked) for worked in (*ROUNDS, *every_row()))


def _test(worked: Worked) -> Case:
    cited = {expected.clause for expected in worked.wagers} | {expected.clause for expected in worked.findings}
    cited |= {expected.because for expected in worked.wagers if expected.because}
    script = notation.load(worked.text)
    return Case(worked, script, repr(script.floor), frozenset(cited))


def plans(tests: Sequence[Case], books: library.Books) -> dict[str, Plan]:
    """The plan for each floor.toml of the tests, with rulebooks from there."""
    found: dict[str, Plan] = {}
    for test in tests:
        if test.layout not in found:
            plan = floor.parse(test.script.floor, books)
            found[test.layout] = Plan(plan, compile_rules(plan.tables[0]))
    return found


class Baseline(NamedTuple):
    """A rulebook as it stands: the tests that pass, and those that do not and so can prove nothing."""

    passing: tuple[Case, ...]
    failing: tuple[Case, ...]
    plans: dict[str, Plan]


@lru_cache
def baseline(book: str) -> Baseline:
    """Run the tests of a rulebook without a mutation."""
    mine = [test for test in every_test() if test.book == book]
    by_layout = plans(mine, library.PACKAGE)
    fails = [test.fails(by_layout[test.layout]) for test in mine]
    failing = tuple(test for test, failed in zip(mine, fails, strict=True) if failed)
    return Baseline(tuple(test for test, failed in zip(mine, fails, strict=True) if not failed), failing, by_layout)


def fate(mutant: Mutant) -> Fate:
    """Return the outcome for a mutant, with the first round that notices it."""
    usual = baseline(mutant.book)
    try:
        mutated = rulebook_file.parse(mutant.data())
        by_layout = plans(usual.passing, Instead(mutated))
    except BROKEN:
        return Fate(KILLED, "the rulebook does not load")
    changed = {layout for layout, plan in by_layout.items() if plan.shows() != usual.plans[layout].shows()}
    if not changed:
        return Fate(WITHOUT_EFFECT)
    for test in _likely_first([test for test in usual.passing if test.layout in changed], mutant):
        if test.fails(by_layout[test.layout]):
            return Fate(KILLED, f"{test.worked.file}: {test.worked.title}")
    return Fate(UNNOTICED)


def _likely_first(tests: Sequence[Case], mutant: Mutant) -> list[Case]:
    number = mutant.clause.partition("/")[0]
    cites = read(mutant.book)["clauses"][mutant.clause].get("cites", ())
    codes = {name.partition("/")[0] for name in cites}

    def rank(test: Case) -> int:
        if mutant.clause in test.clauses:
            return 0
        if any(expected.code in codes for expected in test.worked.findings):
            return 1
        return 2 if any(clause.startswith(number) for clause in test.clauses) else 3

    return sorted(tests, key=rank)
