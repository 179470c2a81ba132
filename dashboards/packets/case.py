"""The dispute's data as a packet prints it: the complaint, statements, deadlines and outcome."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

from replay import library
from warehouse.cases.dispute import Dispute

_LISTS: Final = ("statements", "deadlines")
_KINDS: Final[dict[Any, type]] = {date: date, date | None: date, int | None: int}
_MOST_DAYS: Final = 3650
Made = TypeVar("Made")
Rules = Mapping[str, Mapping[str, int]]  # by rulebook: the jurisdiction's required steps and the days allowed for each


class CaseError(ValueError):
    """A case file that cannot be read; names the file, the field and the expected value."""


@dataclass(frozen=True)
class Statement:
    """A person's statement, with its date if known."""

    who: str
    said: str
    on: date | None = None


@dataclass(frozen=True)
class Deadline:
    """A required step, its due date, and the rule or setting behind it."""

    what: str
    by: date
    basis: str = ""


@dataclass(frozen=True)
class CaseFile(Dispute):
    """A case. What is not known stays None and is printed as not recorded."""

    number: str | None = None
    prepared_by: str | None = None
    prepared_on: date | None = None
    statements: tuple[Statement, ...] = ()
    deadlines: tuple[Deadline, ...] = ()

    @classmethod
    def read(cls, path: Path) -> "CaseFile":
        """From a TOML file with these names; ``[[statement]]`` and ``[[deadline]]`` may be repeated."""
        data = _toml(path)
        lists = {
            "statements": tuple(_made(Statement, each, path, "statement") for each in data.pop("statement", [])),
            "deadlines": tuple(_made(Deadline, each, path, "deadline") for each in data.pop("deadline", [])),
        }
        return _made(cls, {**data, **lists}, path, "")

    def with_deadlines(self, rules: Rules, rulebook_id: str) -> "CaseFile":
        """With the days that the rulebook's jurisdiction sets."""
        counted = deadlines(self.received, rules, rulebook_id)
        return replace(self, deadlines=(*self.deadlines, *counted))

    def with_answers(self, **given: Any) -> "CaseFile":
        """Return a copy with the options given beside the file; None leaves a field unchanged."""
        return replace(self, **{name: value for name, value in given.items() if value is not None})


NO_CASE: Final = CaseFile()


def deadlines(received: date | None, rules: Rules, rulebook_id: str) -> list[Deadline]:
    """Return the deadlines of a rulebook's jurisdiction, counted from receipt of the complaint, the earliest first."""
    if received is None:
        return []
    basis = f"settings for {rulebook_id}"
    days = rules.get(rulebook_id, {}).items()
    counted = [Deadline(what, received + timedelta(days=within), basis) for what, within in days]
    return sorted(counted, key=lambda each: each.by)


def read_deadlines(path: Path) -> Rules:
    """Read the jurisdictions' deadlines in days from a TOML file with a table per rulebook."""
    found, known = _toml(path), library.library().ids()
    for name, table in found.items():
        if name not in known or not isinstance(table, dict):
            expected = ", ".join(f"[{each}]" for each in known)
            raise CaseError(f"{path}: {name}: expected tables of rulebooks: {expected}")
        for what, within in table.items():
            if type(within) is not int or not 0 <= within <= _MOST_DAYS:
                raise CaseError(f"{path}: {name}.{what}: found {within!r}, expected a number of days to {_MOST_DAYS}")
    return found


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise CaseError(f"{path}: {error}") from None


def _made(cls: type[Made], data: Mapping[str, Any], path: Path, what: str) -> Made:
    """A record of plain fields; says which field is wrong."""
    known = {field.name: _KINDS.get(field.type, str) for field in fields(cls)}  # type: ignore[arg-type]
    for name, value in data.items():
        where = f"{what}.{name}" if what else name
        if name not in known:
            raise CaseError(f"{path}: {where}: expected one of {', '.join(known)}")
        if name not in _LISTS and not isinstance(value, known[name]):
            raise CaseError(f"{path}: {where}: found {value!r}, expected {known[name].__name__}")
    try:
        return cls(**data)
    except TypeError as error:
        raise CaseError(f"{path}: {what}: {error}") from None
