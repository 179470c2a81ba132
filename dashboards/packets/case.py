"""The dispute's own data, as a packet prints it: the complaint, who said what, until when, with what outcome."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

_LISTS: Final = ("statements", "deadlines")
Made = TypeVar("Made")


class CaseError(ValueError):
    """A case file that cannot be read; names the file, the field and what was expected."""


@dataclass(frozen=True)
class Statement:
    """What somebody said."""

    who: str
    said: str
    on: date | None = None


@dataclass(frozen=True)
class Deadline:
    """What has to be done by when, and the rule or setting that says so."""

    what: str
    by: date
    basis: str = ""


@dataclass(frozen=True)
class CaseFile:
    """A case. What is not known stays None and is printed as not recorded."""

    number: str | None = None
    received: date | None = None
    complaint: str | None = None
    patron: str | None = None  # number of the complainant's card, as logged
    patron_name: str | None = None
    seat: int | None = None
    requested_by: str | None = None
    prepared_by: str | None = None
    prepared_on: date | None = None
    statements: tuple[Statement, ...] = ()
    deadlines: tuple[Deadline, ...] = ()
    outcome: str | None = None
    outcome_on: date | None = None

    @classmethod
    def read(cls, path: Path) -> "CaseFile":
        """From a TOML file with these names; ``[[statement]]`` and ``[[deadline]]`` may be repeated."""
        data = _toml(path)
        lists = {
            "statements": tuple(_made(Statement, each, path, "statement") for each in data.pop("statement", [])),
            "deadlines": tuple(_made(Deadline, each, path, "deadline") for each in data.pop("deadline", [])),
        }
        return _made(cls, {**data, **lists}, path, "")

    def with_deadlines(self, rules: Mapping[str, int], basis: str) -> "CaseFile":
        """With the days that a jurisdiction sets, counted from the day on which the complaint came in."""
        received = self.received
        if received is None:
            return self
        set_ = tuple(Deadline(what, received + timedelta(days=days), basis) for what, days in rules.items())
        return CaseFile(**{**_values(self), "deadlines": (*self.deadlines, *set_)})

    def with_answers(self, **given: Any) -> "CaseFile":
        """With what was given beside the file; None leaves a field as it is."""
        return CaseFile(**{**_values(self), **{name: value for name, value in given.items() if value is not None}})


NO_CASE: Final = CaseFile()


def read_deadlines(path: Path, rulebook: str) -> dict[str, int]:
    """What a rulebook's jurisdiction wants within how many days, from a table of the rulebook's name in a TOML file."""
    found = _toml(path).get(rulebook, {})
    if not isinstance(found, dict):
        raise CaseError(f"{path}: {rulebook}: found {found!r}, expected a table such as [{rulebook}]")
    for what, days in found.items():
        if type(days) is not int or days < 0:
            raise CaseError(f"{path}: {rulebook}.{what}: found {days!r}, expected a number of days")
    return found


def _values(case: CaseFile) -> dict[str, Any]:
    return {field.name: getattr(case, field.name) for field in fields(case)}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CaseError(f"{path}: {error}") from None


def _made(cls: type[Made], data: Mapping[str, Any], path: Path, what: str) -> Made:
    """A record of plain fields; says which field is wrong."""
    kinds = {"int | None": int, "date | None": date, "date": date}
    known = {field.name: kinds.get(str(field.type), str) for field in fields(cls)}  # type: ignore[arg-type]
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
