"""The activity log: who did or looked at what."""

from typing import Final

import pyarrow as pa
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.web import export
from dashboards.web.numbers import whole
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit
from warehouse.cases import activity
from warehouse.cases.activity import ActivityFilter
from warehouse.cases.models import ActivityRecord

pages = Pages()
PAGE_ROWS: Final = 200
MOST_IN_FILE: Final = 1_000_000
COLUMNS: Final = ("number", "at", "account", "address", "action", "subject", "details", "previous", "hash")


@pages.get("/activity", Permission.SEE_ACTIVITY)
def show(visit: Visit) -> Response:
    """The newest rows, and older ones page by page; whether the chain is whole."""
    wanted = _wanted(visit)
    most = MOST_IN_FILE if export.wanted(visit) else PAGE_ROWS + 1
    with visit.site.database.read() as session:
        rows = activity.newest(session, wanted, most)
        if export.wanted(visit):
            return export.file(visit, "activity", _table(rows))
        broken = activity.first_break(session) if "check" in visit.query else None
    older = rows[PAGE_ROWS - 1].number if len(rows) > PAGE_ROWS else None
    checked = "check" in visit.query
    return visit.render(
        "activity.html", rows=rows[:PAGE_ROWS], wanted=wanted, older=older, checked=checked, broken=broken
    )


def _wanted(visit: Visit) -> ActivityFilter:
    given = visit.query.get("before")
    before = None if given is None else whole(given)
    if given is not None and before is None:
        raise HTTPException(404, f"{given!r} is no row of the log; expected a number.")
    words = {name: visit.query.get(name, "").strip() for name in ("account", "action", "subject")}
    return ActivityFilter(**words, before=before)


def _table(rows: list[ActivityRecord]) -> pa.Table:
    kinds = {"number": pa.int64(), "at": pa.timestamp("ms", "UTC")}
    columns = {name: pa.array([getattr(row, name) for row in rows], kinds.get(name, pa.string())) for name in COLUMNS}
    return pa.table(columns)
