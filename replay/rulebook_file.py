"""Rulebooks: one TOML for each version of a document."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from replay import situations
from replay.kinds import MOST_CENTS
from replay.rulebook_checks import Problem, problems
from replay.settings import PARAMETERS
from replay.toml_lines import line_of


class RulebookError(ValueError):
    """A rulebook or floor.toml that says something impossible; names the place."""


@dataclass(frozen=True)
class Clause:
    """One clause of a document: what it says in our words and what the software does about it."""

    id: str
    topic: str
    says: str
    does: str
    sets: Mapping[str, Any]
    cites: tuple[str, ...]
    via: tuple[str, ...]
    prescribes: tuple[tuple[str, ...], ...]
    permits: tuple[str, ...]
    handles: tuple[str, ...]  # the cited slots that the rulings are about; all where empty
    report: bool
    why: str
    was: str

    @property
    def number(self) -> str:
        """The clause in the document's own numbering, without our suffix for one of its parts."""
        return self.id.partition("/")[0]


@dataclass(frozen=True)
class Reading:
    """Our reading of an open text, and the values that an operator's regulator may prefer."""

    name: str
    default: str
    permitted: tuple[str, ...]
    clause: str
    why: str


@dataclass(frozen=True)
class Option:
    """An option of floor.toml: a list of values, or a range of numbers."""

    name: str
    default: Any
    permitted: tuple[Any, ...]
    low: int | None
    high: int | None

    def allows(self, value: Any) -> bool:
        if value == self.default and type(value) is type(self.default):
            return True
        if self.low is not None and self.high is not None:
            return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high
        return any(value == allowed and type(value) is type(allowed) for allowed in self.permitted)

    def expected(self) -> str:
        if self.low is not None:
            return f"{self.low} to {self.high}"
        return " or ".join(str(value).lower() if isinstance(value, bool) else str(value) for value in self.permitted)


@dataclass(frozen=True)
class Rulebook:
    """A document: its clauses in order, parameters with the clause that states each, options and readings."""

    id: str
    title: str
    jurisdiction: str
    version: str
    currency: str
    clauses: tuple[Clause, ...]
    parameters: Mapping[str, Any]
    stated_by: Mapping[str, int]  # parameter -> index of its clause
    cited_by: Mapping[str, int]  # slot or code -> index of its clause
    options: Mapping[str, Option]
    readings: Mapping[str, Reading]
    source: bytes = field(default=b"", repr=False, compare=False)  # of its file
    file: str = field(default="", compare=False)

    @property
    def odds(self) -> dict[str, str]:
        """The odds of each result, such as ``{"blackjack": "3:2"}``."""
        found = ((name.partition("."), value) for name, value in self.parameters.items())
        return {row: str(value) for (head, _, row), value in found if head == "odds"}

    @cached_property
    def sha256(self) -> str:
        """The hash of its file."""
        return hashlib.sha256(self.source).hexdigest()

    def clause_for(self, slot: int) -> int:
        """Index of the clause to cite for a slot: by its name, or by its code; -1 where no clause speaks of it."""
        name = situations.NAMES[slot]
        found = self.cited_by.get(name)
        if found is None:
            found = self.cited_by.get(name.partition("/")[0])
        return -1 if found is None else found

    def find(self, clause_id: str) -> Clause:
        """The clause of that id."""
        for clause in self.clauses:
            if clause.id == clause_id:
                return clause
        raise RulebookError(f"{self.id} has no clause {clause_id}")


def read_bytes(content: bytes, file: str) -> Rulebook:
    """A rulebook from the bytes of its TOML; ``RulebookError`` names file, line and clause of what is wrong."""
    try:
        text = content.decode("utf-8")
        data = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise RulebookError(f"{file}:{line}: expected UTF-8, found byte {content[error.start]:#04x}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RulebookError(f"{file}: {error}") from None
    for problem in problems(data):
        raise RulebookError(f"{file}:{line_of(text, problem.path)}: {_told(problem)}")
    return replace(_made(data), source=content, file=file)


def parse(data: Mapping[str, Any]) -> Rulebook:
    """A rulebook from the data of its TOML, checked."""
    for problem in problems(data):
        raise RulebookError(f"{data.get('id', 'rulebook')}: {_told(problem)}")
    return _made(data)


def _told(problem: Problem) -> str:
    part, *rest = problem.path or ("",)
    place = {"clauses": "clause", "options": "option", "readings": "reading"}.get(part)
    return f"{place} {rest[0]}: {problem.message}" if place and rest else problem.message


def _made(data: Mapping[str, Any]) -> Rulebook:
    """A rulebook from data that were checked; parameters that nothing sets have their defaults."""
    clauses = tuple(_clause(key, row) for key, row in data["clauses"].items())
    defaults = {name: each.default for name, each in PARAMETERS.items() if not each.is_required}
    given = {name: value for name, value in defaults.items() if value is not None}
    for clause in ({"sets": data.get("parameters", {})}, *data["clauses"].values()):
        given |= clause.get("sets", {})
    return Rulebook(
        id=data["id"],
        title=data["title"],
        jurisdiction=data["jurisdiction"],
        version=data["version"],
        currency=data["currency"],
        clauses=clauses,
        parameters=given,
        stated_by={name: index for index, clause in enumerate(clauses) for name in clause.sets},
        cited_by={cited: index for index, clause in enumerate(clauses) for cited in clause.cites},
        options={name: _option(name, row) for name, row in data.get("options", {}).items()},
        readings={name: _reading(name, row) for name, row in data.get("readings", {}).items()},
    )


def _clause(key: str, row: Mapping[str, Any]) -> Clause:
    return Clause(
        id=key,
        topic=row["topic"],
        says=row["says"],
        does=row["does"],
        sets=row.get("sets", {}),
        cites=tuple(row.get("cites", ())),
        via=tuple(row.get("via", ())),
        prescribes=tuple(tuple(rulings) for rulings in row.get("prescribes", ())),
        permits=tuple(row.get("permits", ())),
        handles=tuple(row.get("handles", ())),
        report=row.get("report", False),
        why=row.get("why", ""),
        was=row.get("was", ""),
    )


def _option(name: str, row: Mapping[str, Any]) -> Option:
    permitted = row["permitted"]
    if isinstance(permitted, Mapping):
        return Option(name, row["default"], (), permitted["min"], permitted.get("max", MOST_CENTS))
    return Option(name, row["default"], tuple(permitted), None, None)


def _reading(name: str, row: Mapping[str, Any]) -> Reading:
    return Reading(name, row["default"], tuple(row["permitted"]), row["clause"], row["why"])


def odds(text: str) -> Fraction:
    """Odds such as ``3:2`` as a fraction of the stake."""
    paid, _, staked = str(text).partition(":")
    return Fraction(int(paid), int(staked))
