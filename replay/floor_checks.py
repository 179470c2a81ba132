"""Checks of floor.toml: every name known, every value in its range; the first error is told in one line."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, time
from difflib import get_close_matches
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from replay import codes, ops
from replay.kinds import MOST_CENTS
from replay.settings import HOUSE_OPTIONS, OPTIONS, READINGS

GRACE: Final = "next-bets-closed"
_TOP: Final = ("property", "audit", "meter", "table")
_PROPERTY: Final = ("name", "timezone", "gaming_day_starts", "shifts")
_AUDIT: Final = ("certainty", "prices", "backdated_grace", "severity_cents")
_METER: Final = ("id", "rate_ppm", "reset_cents")
_TABLE: Final = (
    *("id", "from", "rulebook", "decks", "boxes", "currency", "min_cents", "max_cents", "chip_unit_cents"),
    *("options", "readings", "progressive"),
)
_METERS: Final = ("meter", "secondary_meter")
_PROGRESSIVE: Final = (*_METERS, "jackpot_cents", "authorise_from_cents")
_PRICED: Final = frozenset(part for code in codes.CODES for part in (code.name, code.name.partition(".")[0]))
_MILLION: Final = 1_000_000
_MOST_SHOWN: Final = 60
_FEW: Final = 20  # names that a message lists


class FloorError(ValueError):
    """An invalid floor.toml; says which entry and what was expected."""


def check(data: Mapping[str, Any]) -> None:
    """Check the names and plain values of a floor.toml; raises FloorError."""
    check_names(data, _TOP, "")
    if not isinstance(data.get("property", {}), Mapping):
        raise FloorError("property: expected one [property]")
    for name in ("meter", "table"):
        rows = data.get(name, [])
        if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
            raise FloorError(f"{name}: found {shown(rows)}, expected [[{name}]]")
    _check_property(data.get("property", {}))
    _check_audit(data.get("audit", {}))
    meters: set[Any] = set()
    for number, row in enumerate(data.get("meter", []), 1):
        _check_meter(row, f"meter {row.get('id', number)}", meters)
        meters.add(row["id"])
    entries: set[tuple[Any, Any]] = set()
    for number, row in enumerate(data.get("table", []), 1):
        where = f"table {row.get('id', number)}"
        _check_table(row, where, meters)
        entry = (row.get("id"), row.get("from", date.min))
        if entry in entries:
            raise FloorError(f"{where}: stands twice from {_since(row)}, expected one [[table]] for each id and date")
        entries.add(entry)


def check_names(given: Mapping[str, Any], known: Collection[str], where: str, what: str = "setting") -> None:
    """Refuse a name that nobody knows, with the nearest that somebody does."""
    for name in given:
        if name not in known:
            nearest = get_close_matches(name, known, 1)
            few = f"expected one of {', '.join(sorted(known))}" if len(known) < _FEW else "see audit21 rulebook"
            hint = f"did you mean {nearest[0]}?" if nearest else few
            raise FloorError(
                f"{where}: {shown(name)} is no {what}; {hint}" if where else f"{name}: no such part; {hint}"
            )


def shown(value: Any) -> str:
    """A value in an error message, cut where it is long."""
    try:
        text = repr(value)
    except RecursionError:
        return "something nested too deep"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def whole(value: Any, low: int, high: int, name: str, where: str) -> None:
    """Refuse what is no whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FloorError(f"{where}: {name} is {shown(value)}, expected a whole number from {low} to {high}")


def text(value: Any, name: str, where: str) -> None:
    """Refuse what is no text."""
    if not isinstance(value, str) or not value:
        raise FloorError(f"{where}: {name} is {shown(value)}, expected text")


def _since(row: Mapping[str, Any]) -> str:
    since = row.get("from")
    return since.isoformat() if isinstance(since, date) else "the beginning"


def _check_property(place: Mapping[str, Any]) -> None:
    check_names(place, _PROPERTY, "property")
    text(place.get("name", "-"), "name", "property")
    try:
        ZoneInfo(place.get("timezone", "UTC"))
    except (ZoneInfoNotFoundError, TypeError, ValueError, OSError):
        found = shown(place.get("timezone"))
        raise FloorError(f"property: timezone is {found}, expected one such as America/New_York") from None
    shifts = place.get("shifts", {})
    if not isinstance(shifts, Mapping):
        raise FloorError(f"property: shifts is {shown(shifts)}, expected names and times such as {{ day = '06:00' }}")
    for name, wall in (("gaming_day_starts", place.get("gaming_day_starts", "06:00")), *shifts.items()):
        try:
            is_wall_time = time.fromisoformat(wall).tzinfo is None
        except (TypeError, ValueError):
            is_wall_time = False
        if not is_wall_time:
            raise FloorError(f"property: {name} is {shown(wall)}, expected a time such as 06:00")


def _check_audit(given: Any) -> None:
    chances = given.get("prices", {}) if isinstance(given, Mapping) else None
    if not isinstance(chances, Mapping):
        raise FloorError("audit: expected one [audit], with chances by finding code in [audit.prices]")
    check_names(given, _AUDIT, "audit")
    check_names(chances, _PRICED, "audit.prices", "finding code nor the first part of one")
    certainty = given.get("certainty", 1)
    for name, value, least in (("certainty", certainty, 0.5), *((name, each, 0) for name, each in chances.items())):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least < value <= 1:
            raise FloorError(f"audit: {name} is {shown(value)}, expected a number above {least} and at most 1")
    if given.get("backdated_grace", GRACE) != GRACE:
        raise FloorError(f"audit: backdated_grace is {shown(given['backdated_grace'])}, expected {GRACE!r}")
    limits = given.get("severity_cents", {})
    if not isinstance(limits, Mapping):
        raise FloorError(f"audit: severity_cents is {shown(limits)}, expected such as {{ USD = [2500, 50000] }}")
    for currency, pair in limits.items():
        if not isinstance(pair, list) or len(pair) != 2:
            raise FloorError(f"audit: severity_cents.{currency} is {shown(pair)}, expected two amounts: medium, high")
        for cents in pair:
            whole(cents, 0, MOST_CENTS, f"severity_cents.{currency}", "audit")
        if pair[0] > pair[1]:
            raise FloorError(f"audit: severity_cents.{currency} is {shown(pair)}, expected the lower amount first")


def _check_meter(row: Mapping[str, Any], where: str, known: Collection[Any]) -> None:
    check_names(row, _METER, where)
    text(row.get("id"), "id", where)
    if row["id"] in known:
        raise FloorError(f"{where}: stands twice, expected one [[meter]] for each id")
    whole(row.get("rate_ppm"), 0, _MILLION, "rate_ppm", where)
    whole(row.get("reset_cents"), 0, MOST_CENTS, "reset_cents", where)


def _check_table(row: Mapping[str, Any], where: str, meters: Collection[Any]) -> None:
    text(row.get("id"), "id", where)
    for part in ("options", "readings", "progressive"):
        if not isinstance(row.get(part, {}), Mapping):
            raise FloorError(f"{where}: expected one [table.{part}]")
    check_names(row, _TABLE, where)
    since = row.get("from", date.min)
    if not isinstance(since, date) or isinstance(since, datetime):
        raise FloorError(f"{where}: from is {_moment(since)}, expected a date such as 2026-01-01")
    text(row.get("currency", "-"), "currency", where)
    whole(row.get("chip_unit_cents", 1), 1, MOST_CENTS, "chip_unit_cents", where)
    check_names(row.get("options", {}), OPTIONS, f"{where}: options", "option")
    check_names(row.get("readings", {}), READINGS, f"{where}: readings", "reading")
    for name in HOUSE_OPTIONS & row.get("options", {}).keys():
        if row["options"][name] is not False:
            whole(row["options"][name], 0, MOST_CENTS, f"options.{name}", where)
    check_names(row.get("progressive", {}), ops.SYSTEMS, f"{where}: progressive", "progressive system")
    for system, settings in row.get("progressive", {}).items():
        _check_progressive(settings, system, where, meters)


def _moment(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else shown(value)


def _check_progressive(settings: Any, system: str, where: str, meters: Collection[Any]) -> None:
    if not isinstance(settings, Mapping):
        raise FloorError(f"{where}: expected one [table.progressive.{system}]")
    check_names(settings, _PROGRESSIVE, f"{where}: progressive.{system}")
    for name, value in settings.items():
        if name not in _METERS:
            whole(value, 0, MOST_CENTS, f"progressive.{system}.{name}", where)
        elif not isinstance(value, str) or value not in meters:
            known = f": {', '.join(sorted(meters))}" if meters else "; there is none"
            raise FloorError(
                f"{where}: progressive.{system}.{name} is {shown(value)}, expected the id of a [[meter]]{known}"
            )
