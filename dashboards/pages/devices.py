"""Devices: faults, gaps, clocks and error rates, over a range of days, or of one table day by day."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.devices.clocks import WIDEST_OFFSET_MS, WIDEST_UNCERTAINTY_MS, ClockPieces
from dashboards.devices.figures import KINDS, Devices
from dashboards.rates.compared import Compared, against, compare
from dashboards.rates.span import Span, over_days
from dashboards.rates.wilson import SMALLEST, Rate
from dashboards.web import export
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit

pages = Pages()


@pages.get("/devices", Permission.SEE_FLOOR)
@over_days
def show(visit: Visit, chosen: Span) -> Response:
    """The devices of a kind, by table; with ``table``, that table's days."""
    kind, table = visit.query.get("kind", "shoe"), visit.query.get("table")
    if kind not in KINDS:
        raise HTTPException(404, f"{kind!r} is no kind of device; expected one of {', '.join(KINDS)}.")
    devices = Devices(visit.lake, chosen, kind)
    pieces = ClockPieces(visit.lake, chosen, kind, table) if table is not None and devices.has_clock else None
    if export.wanted(visit):
        if visit.query.get("rows") == "clocks":
            return _clock_file(visit, chosen, kind, pieces)
        return export.file(visit, f"{kind}-{chosen.words.replace(' ', '-')}", devices.table(table))
    rows = _whole(devices.rows())
    if table is not None and table not in {row["table"] for row in rows}:
        raise HTTPException(404, f"There is no {kind} at {table} on {chosen.words}.")
    compared = compare(rows, "errors", "of", lambda row: row["table"])
    return visit.render(
        "devices.html",
        span=chosen,
        kind=kind,
        kinds=KINDS,
        devices=devices,
        table=table,
        compared=compared,
        days=_days(devices, table, compared.floor) if table else [],
        clocks_by_day=pieces.by_clock() if pieces else [],
        smallest=SMALLEST,
        widest_offset_ms=WIDEST_OFFSET_MS,
        widest_uncertainty_ms=WIDEST_UNCERTAINTY_MS,
    )


def _clock_file(visit: Visit, chosen: Span, kind: str, pieces: ClockPieces | None) -> Response:
    if pieces is None:
        raise HTTPException(404, "Clock pieces are those of one table's terminal, shoe or camera; name a table.")
    return export.file(visit, f"clocks-{kind}-{chosen.words.replace(' ', '-')}", pieces.table())


def _days(devices: Devices, table: str, floor: Rate) -> list[Compared]:
    """The days of one table against all tables, the newest first."""
    return against(floor, reversed(_whole(devices.rows(table))), "errors", "of")


def _whole(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of a shuffler that failed more often than it shuffled, all failed."""
    return [{**row, "errors": min(row["errors"], row["of"])} for row in rows]
