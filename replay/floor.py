"""floor.toml: which tables play by which rulebook, with which options, from which day."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

from replay.floor_checks import GRACE, FloorError, check, shown
from replay.kinds import MOST_CENTS
from replay.library import Books, beside, library
from replay.ops import MAX_SEAT
from replay.rulebook_file import Rulebook, RulebookError
from replay.settings import HOUSE_OPTIONS, PARAMETER_OF
from replay.severity import USUAL, Limits, limits

_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_REQUIRED: Final = {"id": str, "rulebook": str, "decks": int, "boxes": int, "min_cents": int, "max_cents": int}
_MOST_BYTES: Final = 1 << 22

__all__ = ["AuditSettings", "Floor", "FloorError", "Meter", "NotPermitted", "Table", "parse", "read", "read_data"]


@dataclass(frozen=True)
class NotPermitted:
    """Something that floor.toml asks for and the rulebook does not allow."""

    setting: str
    found: Any
    expected: str
    clause: str


@dataclass(frozen=True)
class Meter:
    id: str
    rate_ppm: int
    reset_cents: int


@dataclass(frozen=True)
class AuditSettings:
    """Settings of the audit itself: ``[audit]`` in floor.toml."""

    certainty: float = 0.99  # share of all weight from which a finding is said as such
    chances: Mapping[str, float] = field(default_factory=dict)  # by finding code: how likely it is in a round
    backdated_grace: str = GRACE  # until when a round's lines may be logged


DEFAULT_AUDIT: Final = AuditSettings()


@dataclass(frozen=True, eq=False)
class Table:
    """One entry of floor.toml: a table from a day on."""

    id: str
    since: date
    book: Rulebook
    decks: int
    boxes: int
    currency: str
    min_cents: int
    max_cents: int
    chip_unit_cents: int
    options: Mapping[str, Any]
    given: frozenset[str]  # options that floor.toml sets and the rulebook permits
    readings: Mapping[str, str]
    progressive: Mapping[str, Mapping[str, Any]]
    not_permitted: tuple[NotPermitted, ...]
    severity_limits: Limits = USUAL  # in its own currency


@dataclass(frozen=True)
class Floor:
    property: Mapping[str, Any]
    meters: Mapping[str, Meter]
    tables: tuple[Table, ...] = field(default=())
    audit: AuditSettings = DEFAULT_AUDIT

    def table(self, table_id: str, day: date) -> Table:
        """The newest entry of a table that is not after the day."""
        entries = [entry for entry in self.tables if entry.id == table_id and entry.since <= day]
        if not entries:
            raise FloorError(f"floor.toml has no table {table_id!r} in force on {day.isoformat()}")
        return max(entries, key=lambda entry: entry.since)


def read(path: Path, books: Books | None = None) -> Floor:
    """floor.toml from a file, with the rulebooks beside it where no others are given."""
    books = beside(path) if books is None else books
    return parse(read_data(path, books), books)


def read_data(path: Path, books: Books | None = None) -> dict[str, Any]:
    """floor.toml from a file as the dict that its TOML gives, checked; errors name the file."""
    books = beside(path) if books is None else books
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise FloorError(f"{path.stat().st_size} bytes, expected at most {_MOST_BYTES}")
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        parse(data, books)
    except OSError as error:
        raise FloorError(f"{path}: cannot be read, {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise FloorError(f"{path}:{line}: expected UTF-8, found byte {error.object[error.start]:#04x}") from None
    except RecursionError:
        raise FloorError(f"{path}: values are nested too deep, expected tables and plain values") from None
    except ValueError as error:  # no TOML, or no floor
        raise FloorError(f"{path}: {error}") from None
    return data


def parse(data: Mapping[str, Any], books: Books | None = None) -> Floor:
    """floor.toml from the dict that its TOML gives; where no rulebooks are given, with those of ``library``."""
    check(data)
    books = library() if books is None else books
    meters = {row["id"]: Meter(**row) for row in data.get("meter", ())}
    severity_cents = data.get("audit", {}).get("severity_cents", {})
    tables = tuple(_table(row, n, meters, severity_cents, books) for n, row in enumerate(data.get("table", ())))
    if not tables:
        raise FloorError("expected at least one [[table]]")
    return Floor(data.get("property", {}), meters, tables, _audit(data.get("audit", {})))


def _audit(given: Mapping[str, Any]) -> AuditSettings:
    """Read ``[audit]``; what it does not set has its default."""
    chances = {name: float(value) for name, value in given.get("prices", {}).items()}
    return AuditSettings(float(given.get("certainty", DEFAULT_AUDIT.certainty)), chances)


def _check_values(values: Mapping[str, Any], where: str) -> None:
    """Refuse what no table can have, whatever its rulebook."""
    if not _PLAIN_NAME.fullmatch(values["id"]):
        raise FloorError(
            f"{where}: id is {values['id']!r}, expected letters, digits, '-', '_' and '.': it names a folder"
        )
    for name, most in (("decks", 255), ("boxes", MAX_SEAT), ("min_cents", MOST_CENTS), ("max_cents", MOST_CENTS)):
        if not 1 <= values[name] <= most:
            raise FloorError(f"{where}: {name} is {values[name]}, expected 1 to {most}")
    if values["min_cents"] > values["max_cents"]:
        raise FloorError(
            f"{where}: min_cents is {values['min_cents']}, expected at most max_cents, {values['max_cents']}"
        )


def _typed(row: Mapping[str, Any], name: str, kind: type, where: str) -> Any:
    value = row.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FloorError(f"{where}: {name} is {shown(value)}, expected {'a number' if kind is int else 'text'}")
    return value


def _table(
    row: Mapping[str, Any],
    n: int,
    meters: Mapping[str, Meter],
    severity_cents: Mapping[str, Sequence[int]],
    books: Books,
) -> Table:
    where = f"table {row.get('id', n + 1)}"
    values = {name: _typed(row, name, kind, where) for name, kind in _REQUIRED.items()}
    _check_values(values, where)
    try:
        book = books.find(values["rulebook"])
    except RulebookError as error:
        raise FloorError(f"{where}: {error}") from None
    problems: list[NotPermitted] = []
    options = _options(book, row.get("options", {}), problems)
    readings = _readings(book, row.get("readings", {}), problems)
    _limits(book, values, problems)
    progressive = row.get("progressive", {})
    _progressive_minimums(book, options, progressive, meters, problems)
    currency = row.get("currency", book.currency)
    return Table(
        id=values["id"],
        since=row.get("from", date.min),
        book=book,
        decks=values["decks"],
        boxes=values["boxes"],
        currency=currency,
        min_cents=values["min_cents"],
        max_cents=values["max_cents"],
        chip_unit_cents=row.get("chip_unit_cents", 100),
        options=options,
        given=frozenset(name for name, value in row.get("options", {}).items() if options.get(name) == value),
        readings=readings,
        progressive=progressive,
        not_permitted=tuple(problems),
        severity_limits=limits(currency, severity_cents),
    )


def _options(book: Rulebook, given: Mapping[str, Any], problems: list[NotPermitted]) -> dict[str, Any]:
    chosen = {name: option.default for name, option in book.options.items()}
    for name, value in given.items():
        option = book.options.get(name)
        if (option is not None and option.allows(value)) or (
            option is None and (name in HOUSE_OPTIONS or value is False)
        ):
            chosen[name] = value
        else:
            expected = option.expected() if option else f"no such option in {book.id}"
            problems.append(NotPermitted(f"options.{name}", value, expected, _clause_of_option(book, name)))
    return chosen


def _clause_of_option(book: Rulebook, name: str) -> str:
    index = book.stated_by.get(PARAMETER_OF.get(name, name))
    return "" if index is None else book.clauses[index].id


def _readings(book: Rulebook, given: Mapping[str, Any], problems: list[NotPermitted]) -> dict[str, str]:
    chosen = {name: reading.default for name, reading in book.readings.items()}
    for name, value in given.items():
        reading = book.readings.get(name)
        if reading is not None and value in reading.permitted:
            chosen[name] = value
        else:
            expected = " or ".join(reading.permitted) if reading else f"no such reading in {book.id}"
            clause = reading.clause if reading else ""
            problems.append(NotPermitted(f"readings.{name}", value, expected, clause))
    return chosen


def _limits(book: Rulebook, values: Mapping[str, Any], problems: list[NotPermitted]) -> None:
    p = book.parameters

    def complain(setting: str, parameter: str, expected: str) -> None:
        index = book.stated_by.get(parameter)
        clause = "" if index is None else book.clauses[index].id
        problems.append(NotPermitted(setting, values[setting], expected, clause))

    if values["decks"] not in p["decks"]:
        complain("decks", "decks", " or ".join(map(str, p["decks"])))
    if values["boxes"] > p.get("boxes_max", values["boxes"]):
        complain("boxes", "boxes_max", f"at most {p['boxes_max']}")
    if values["boxes"] < p.get("boxes_min", values["boxes"]):
        complain("boxes", "boxes_min", f"at least {p['boxes_min']}")


def _progressive_minimums(
    book: Rulebook,
    options: Mapping[str, Any],
    progressive: Mapping[str, Mapping[str, Any]],
    meters: Mapping[str, Meter],
    problems: list[NotPermitted],
) -> None:
    """Initial and reset amounts that the rulebook sets a minimum for."""
    wanted: list[tuple[str, Any, str, int]] = []
    table = options.get("bonus_spin")
    minimum = book.parameters.get(f"bonus_spin.{table}.reset_min_cents") if table else None
    if minimum is not None:
        wanted.append(("bonus-spin", "meter", f"bonus_spin.{table}.reset_min_cents", minimum))
    pair = book.parameters.get("bsx16.reset_min_cents") if options.get("bsx16") else None
    if pair is not None:
        wanted += [("bsx16", "meter", "bsx16.reset_min_cents", pair[0])]
        wanted += [("bsx16", "secondary_meter", "bsx16.reset_min_cents", pair[1])]
    for system, key, parameter, least in wanted:
        settings = progressive.get(system, {})
        if key in settings:
            found = meters[settings[key]].reset_cents
        elif "jackpot_cents" in settings and key == "meter":
            found = settings["jackpot_cents"]
        else:
            continue
        if found < least:
            clause = book.clauses[book.stated_by[parameter]].id
            problems.append(NotPermitted(f"progressive.{system}.{key}", found, f"at least {least} cents", clause))
