"""Pages of one gaming day: the address always names it, and a lake without one is told instead."""

from collections.abc import Callable
from datetime import date
from functools import wraps

from starlette.responses import Response

from dashboards.web.visit import Visit


def of_day(handler: Callable[[Visit, date], Response]) -> Callable[[Visit], Response]:
    """Call a page with the gaming day of its address; one that names none goes to that of the newest."""

    @wraps(handler)
    def show(visit: Visit) -> Response:
        if not visit.lake.days:
            return visit.render("no_day.html")
        day = visit.day()
        return handler(visit, day) if "day" in visit.query else visit.redirect(visit.link(day=day))

    return show
