"""Formats of money, times and numbers in templates."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime, tzinfo
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from replay.narrative.words import certainty_text, evidence_text

MINUS: Final = "−"  # noqa: RUF001 - as wide as a plus and a digit
NOTHING: Final = "–"
_RULEBOOK_ID: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
_ZONE: Final[ContextVar[tzinfo]] = ContextVar("zone", default=UTC)


def money(cents: int | None, currency: str | None = None, *, signed: bool = False) -> str:
    """An amount, with its currency: ``USD 1,250.00``."""
    if cents is None:
        return NOTHING
    sign = MINUS if cents < 0 else "+" if signed and cents else ""
    amount = f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02}"
    return f"{currency}\N{NO-BREAK SPACE}{amount}" if currency else amount


def cost(cents: int, currency: str | None = None) -> Markup:
    """Format a variance: positive where players were overpaid, in the colour of its sign."""
    colour = "over" if cents > 0 else "under" if cents < 0 else "dim"
    amount = money(cents, currency, signed=True) if cents else NOTHING
    return Markup(f'<span class="money {colour}">{escape(amount)}</span>')


@contextmanager
def times_in(zone: tzinfo) -> Iterator[None]:
    """Write all times in a zone, for as long as an answer is made."""
    before = _ZONE.set(zone)
    try:
        yield
    finally:
        _ZONE.reset(before)


def local(value: datetime) -> datetime:
    """Return a time in the zone of the answer that is made: the property's, or UTC."""
    return value.astimezone(_ZONE.get())


def time(value: datetime | None) -> str:
    """Write a time with its day: ``2026-01-05 18:14:05``."""
    return NOTHING if value is None else f"{local(value):%Y-%m-%d %H:%M:%S}"


def zoned(value: datetime | None) -> str:
    """Write a time with its day and zone: ``2026-01-05 18:14:05 EST``."""
    return NOTHING if value is None else f"{local(value):%Y-%m-%d %H:%M:%S} {zone_name(value)}"


def clock(value: datetime | None) -> str:
    """Write a time without its day, to the second."""
    return NOTHING if value is None else f"{local(value):%H:%M:%S}"


def clock_ms(value: datetime | None) -> str:
    """Write a time without its day, to the millisecond; empty where there is none."""
    return f"{local(value):%H:%M:%S.%f}"[:-3] if value else ""


def utc(value: datetime | None) -> str:
    """Write a time as the log has it: ``2026-01-05 23:14:05 UTC``."""
    return NOTHING if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def local_day(value: datetime) -> date:
    """Return the day of the calendar on which a time lies."""
    return local(value).date()


def zone_name(value: datetime) -> str:
    """Return the short name of the zone at a time: ``EST``, or ``UTC+08`` for a zone without a short name."""
    name = local(value).tzname() or "UTC"
    return f"UTC{name}" if name[:1] in "+-" else name


def iso(value: datetime | date | None) -> str:
    """A time as machines write it."""
    if value is None:
        return ""
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value.isoformat()


def number(value: int | float | None, digits: int = 0) -> str:
    """A number with its thousands apart."""
    return NOTHING if value is None else f"{value:,.{digits}f}".replace("-", MINUS)


def share(value: float | None, digits: int = 1) -> str:
    """A share of one, in per cent."""
    return NOTHING if value is None else f"{value * 100:.{digits}f}\N{NO-BREAK SPACE}%".replace("-", MINUS)


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 finding``, ``2 findings``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def facts(details: str) -> list[tuple[str, str]]:
    """Return the details of an activity log row as names and values, without empty ones."""
    found: dict[str, object] = json.loads(details)
    listed = {name: ", ".join(map(str, value)) if isinstance(value, list) else value for name, value in found.items()}
    return [(name, str(value)) for name, value in listed.items() if value not in (None, "")]


def round_url(round_id: str) -> str:
    """The page of a round."""
    return f"/rounds/{quote(round_id)}"


def rulebook_url(named: tuple[str, str]) -> str:
    """The page of a rulebook, by id and version."""
    book_id, version = named
    return f"/rulebooks/{quote(book_id)}?version={quote(version, safe='')}"


def anchor(clause: str) -> str:
    """The anchor of a clause on its rulebook's page."""
    return quote(clause.replace(" ", "-"), safe="()/")


def clause_link(clause: str | None, version: str | None = None) -> Markup | str:
    """A clause such as ``mbs-pontoon 4.1`` as a link to its place in the rulebook; a dash where there is none."""
    if not clause:
        return NOTHING
    book_id, _, number = clause.partition(" ")
    if not number or not _RULEBOOK_ID.fullmatch(book_id):
        return clause
    url = rulebook_url((book_id, version)) if version else f"/rulebooks/{quote(book_id)}"
    return Markup('<a href="{}#{}">{}</a>').format(url, anchor(number), clause)


# What handling means, by the word of the findings.
HANDLING: Final = {
    "": "No procedure applies",
    "as-prescribed": "Procedure followed",
    "not-prescribed": "Procedure not followed",
    "unreported": "Not reported",
}


class _Templates(Environment):
    """Rows of the lake are dicts: ``row.code`` is their item, and need not be tried as an attribute first."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Resolve ``obj.attribute`` in a template: the key of a dictionary, else the attribute."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


def environment(**globals_: Any) -> Environment:
    """The templates, with these words and whatever else they all may use."""
    made = _Templates(
        loader=PackageLoader("dashboards"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    times = (time, zoned, clock, utc, zone_name, local_day, iso)
    links = (round_url, rulebook_url, clause_link, anchor)
    for word in (money, cost, *times, *links, number, share, plural, facts, certainty_text, evidence_text):
        made.filters[word.__name__] = word
    made.globals.update(globals_, round_url=round_url, handling_words=HANDLING)
    return made
