"""How templates write money, times and numbers."""

import json
from datetime import UTC, date, datetime
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from replay.narrative.words import certainty_text, evidence_text

MINUS: Final = "−"  # noqa: RUF001 - as wide as a plus and a digit
NOTHING: Final = "–"


def money(cents: int | None, currency: str | None = None, *, signed: bool = False) -> str:
    """An amount, with its currency: ``USD 1,250.00``."""
    if cents is None:
        return NOTHING
    sign = MINUS if cents < 0 else "+" if signed and cents else ""
    amount = f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02}"
    return f"{currency}\N{NO-BREAK SPACE}{amount}" if currency else amount


def cost(cents: int, currency: str | None = None) -> Markup:
    """What players got too much or too little, in its colour."""
    colour = "over" if cents > 0 else "under" if cents < 0 else "dim"
    amount = money(cents, currency, signed=True) if cents else NOTHING
    return Markup(f'<span class="money {colour}">{escape(amount)}</span>')


def time(value: datetime | None) -> str:
    """A time with its day: ``2026-01-05 23:14:05``. Pages say once that times are UTC."""
    return NOTHING if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def clock(value: datetime | None) -> str:
    """A time without its day, to the second."""
    return NOTHING if value is None else f"{value.astimezone(UTC):%H:%M:%S}"


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
    """What a row of the activity log tells beside its subject: names and values, without those that are empty."""
    found: dict[str, object] = json.loads(details)
    listed = {name: ", ".join(map(str, value)) if isinstance(value, list) else value for name, value in found.items()}
    return [(name, str(value)) for name, value in listed.items() if value not in (None, "")]


def round_url(round_id: str) -> str:
    """The page of a round."""
    return f"/rounds/{quote(round_id)}"


class _Templates(Environment):
    """Rows of the lake are dicts: ``row.code`` is their item, and need not be tried as an attribute first."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """What a template means by ``obj.attribute``."""
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
    for word in (money, cost, time, clock, iso, number, share, plural, facts, round_url, certainty_text, evidence_text):
        made.filters[word.__name__] = word
    made.globals.update(globals_, round_url=round_url)
    return made
