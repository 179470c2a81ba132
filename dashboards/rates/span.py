"""A range of gaming days that an address names: ``from=2026-01-05&to=2026-01-11``."""

from collections.abc import Callable
from datetime import date, timedelta
from functools import wraps
from typing import Final, NamedTuple

from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.web.visit import Visit

USUAL: Final = 7  # days, where nothing is said


class Span(NamedTuple):
    """From a gaming day to another, both included."""

    first: date
    last: date

    @property
    def words(self) -> str:
        """For titles and names of files."""
        return f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"

    @property
    def params(self) -> dict[str, object]:
        """For queries."""
        return {"first": self.first, "last": self.last}


def over_days(handler: Callable[[Visit, Span], Response]) -> Callable[[Visit], Response]:
    """Call a page with the range of its address; one that names none goes to that of the last days."""

    @wraps(handler)
    def show(visit: Visit) -> Response:
        if not visit.lake.days:
            return visit.render("no_day.html")
        if {"from", "to"} <= visit.query.keys():
            return handler(visit, _named(visit))
        first, last = _usual(visit)
        return visit.redirect(visit.link(**{"from": first, "to": last}))

    return show


def _named(visit: Visit) -> Span:
    first, last = _day(visit.query["from"]), _day(visit.query["to"])
    if first > last:
        raise HTTPException(404, f"The days {first} to {last} run backwards; the first must not be after the last.")
    return Span(first, last)


def _usual(visit: Visit) -> Span:
    """The last days of the snapshot."""
    last = visit.day()
    return Span(max(visit.lake.days[0], last - timedelta(days=USUAL - 1)), last)


def _day(named: str) -> date:
    try:
        return date.fromisoformat(named)
    except ValueError:
        raise HTTPException(404, f"{named!r} is no gaming day; expected one such as 2026-01-05.") from None
