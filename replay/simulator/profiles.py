"""Benchmark profiles: a rulebook with named parameters replaced, to be held against published figures.

They are kept in replay/rulebooks/profiles.toml and cannot be reached from floor.toml.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

from replay import floor, library
from replay.compile_rules import compile_rules
from replay.rulebook_file import RulebookError
from replay.rules import Rules
from replay.settings import parameter

# What a table needs and no published figure hangs on.
_TABLE = {"boxes": 7, "min_cents": 500, "max_cents": 100_000}


@dataclass(frozen=True)
class ProfileChange:
    """Something in which a profile differs from its rulebook, and why."""

    name: str
    parameters: Mapping[str, Any]
    options: Mapping[str, Any]
    readings: Mapping[str, str]
    why: str


@dataclass(frozen=True)
class Profile:
    """A game with published figures: its rulebook and what is changed in it."""

    name: str
    title: str
    rulebook: str
    decks: int
    changes: tuple[ProfileChange, ...]
    house_edge_percent: float
    standard_deviation: float  # per initial wager
    source: str

    @cached_property
    def table(self) -> floor.Table:
        """A table that plays by the profile."""
        row = {"id": self.name, "rulebook": self.rulebook, "decks": self.decks, **_TABLE}
        row["options"] = self._merged("options")
        row["readings"] = self._merged("readings")
        table = floor.parse({"table": [row]}, library.PACKAGE).tables[0]
        for problem in table.not_permitted:
            raise RulebookError(
                f"profile {self.name}: {problem.setting} is {problem.found!r}, expected {problem.expected}"
            )
        changed = self._merged("parameters")
        for name, value in changed.items():
            kind = parameter(name)
            if kind is None or name not in table.book.parameters:
                raise RulebookError(f"profile {self.name}: {self.rulebook} has no parameter {name}")
            if not kind.allows(value):
                raise RulebookError(f"profile {self.name}: {name} is {value!r}, expected {kind.expected()}")
        return replace(table, book=replace(table.book, parameters={**table.book.parameters, **changed}))

    @cached_property
    def rules(self) -> Rules:
        """The engine's numbers for it."""
        return compile_rules(self.table)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the profile's changes and published figures, as names and values to show."""
        book = library.load(self.rulebook)
        yield "title", self.title
        yield "rulebook", f"{self.rulebook}, {self.decks} decks"
        for change in self.changes:
            for name, value in change.parameters.items():
                yield "parameter", f"{name} = {_shown(value)} instead of {_shown(book.parameters[name])}"
            for name, value in change.options.items():
                yield "option", f"{name} = {_shown(value)}"
            for name, value in change.readings.items():
                yield "reading", f"{name} = {value} instead of {book.readings[name].default}"
            yield "why", change.why
        yield "published", f"house edge {self.house_edge_percent:.2f} %, standard deviation {self.standard_deviation}"
        yield "source", self.source

    def _merged(self, kind: str) -> dict[str, Any]:
        return {name: value for change in self.changes for name, value in getattr(change, kind).items()}


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(each)}" for name, each in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)


@lru_cache
def profiles() -> Mapping[str, Profile]:
    """All profiles by name."""
    text = resources.files("replay.rulebooks").joinpath("profiles.toml").read_text(encoding="utf-8")
    return parse(tomllib.loads(text))


def load(name: str) -> Profile:
    """A profile by its name."""
    known = profiles()
    if name not in known:
        raise RulebookError(f"profile: found {name!r}, expected one of {', '.join(known)}")
    return known[name]


def parse(data: Mapping[str, Any]) -> dict[str, Profile]:
    """Profiles from the dict of their TOML, checked."""
    changes = {
        name: ProfileChange(
            name, row.get("parameters", {}), row.get("options", {}), row.get("readings", {}), row["why"]
        )
        for name, row in data["changes"].items()
    }
    found = {}
    for name, row in data["profiles"].items():
        for change in row["changes"]:
            if change not in changes:
                raise RulebookError(f"profile {name}: there is no change {change}")
        found[name] = Profile(name, **{**row, "changes": tuple(changes[change] for change in row["changes"])})
        _ = found[name].rules
    return found
