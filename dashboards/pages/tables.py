"""Tables: those of a day, and the day of one as a timeline."""

from datetime import UTC, date, datetime

from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards import live
from dashboards.tables.lanes import finding_url, lanes
from dashboards.tables.queries import BINS, DAY, FILES, TableDayQueries, day_rows, floor_span, strips
from dashboards.web import export
from dashboards.web.days import of_day
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit

pages = Pages()


@pages.get("/tables", Permission.SEE_FLOOR)
@of_day
def show_all(visit: Visit, day: date) -> Response:
    """The tables of a gaming day."""
    if export.wanted(visit):
        return export.file(visit, f"tables-{day}", visit.lake.marts().table(DAY, day=day))
    scope, tables = visit.lake.day(day), day_rows(visit.lake, day)
    return visit.render("tables.html", day=day, tables=tables, span=floor_span(scope), strips=strips(scope), bins=BINS)


@pages.get("/tables/{table}", Permission.SEE_FLOOR)
def show(visit: Visit) -> Response:
    """A table's day between two times: dealers, shoes, rounds, findings, reports and faults."""
    day = visit.day()
    hidden = live.hidden_shoes(visit.lake, day, visit.site.settings)
    table = TableDayQueries(visit.lake.day(day), visit.path["table"], hidden)
    span = table.span()
    if span is None:
        raise HTTPException(404, f"Table {table.table} left nothing on {day}.")
    whole = visit.link(day=day, **{"from": _written(span["since"]), "to": _written(span["until"])})
    if not {"day", "from", "to"} <= visit.query.keys():
        return visit.redirect(whole)
    since, until = _time(visit, "from"), _time(visit, "to")
    if until < span["since"] or since > span["until"]:  # another day was chosen
        return visit.redirect(whole)
    if export.wanted(visit):
        return _file(visit, table, since, until)
    rows = {name: table.rows(name, span["since"], span["until"]) for name in FILES}
    query = f"?snapshot={visit.lake.number}" if visit.is_pinned else ""
    return visit.render(
        "table.html",
        table=table.table,
        day=day,
        span=span,
        since=since,
        until=until,
        rows=rows,
        lanes=lanes(rows, hidden, span["until"], query),
        shifts=table.shifts(),
        untimed=[{**row, "url": finding_url(row, query)} for row in rows["findings"] if row["at"] is None],
        query=query,
    )


def _written(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _time(visit: Visit, name: str) -> datetime:
    text = visit.query[name]
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise HTTPException(404, f"{name}={text} is no time; expected one such as 2026-01-05T23:00:00Z.")
    return found


def _file(visit: Visit, table: TableDayQueries, since: datetime, until: datetime) -> Response:
    name = visit.query.get("rows", "rounds")
    if name not in FILES:
        raise HTTPException(404, f"{name!r} cannot be had of a table; expected one of {', '.join(FILES)}.")
    return export.file(visit, f"{name}-{table.table}-{visit.day()}", table.file(name, since, until))
