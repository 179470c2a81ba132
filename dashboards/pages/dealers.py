"""Dealers: error rates with their intervals, over a range of days, or one dealer day by day."""

from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.rates.compared import against, compare
from dashboards.rates.dealers import MEASURES, Dealers
from dashboards.rates.span import Span, over_days
from dashboards.rates.wilson import SMALLEST
from dashboards.web import export
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit

pages = Pages()


@pages.get("/dealers", Permission.SEE_FLOOR)
@over_days
def show(visit: Visit, chosen: Span) -> Response:
    """All dealers against the floor; with ``dealer``, that one's days."""
    measure, dealer = visit.query.get("measure", "settled"), visit.query.get("dealer")
    if measure not in MEASURES:
        raise HTTPException(404, f"{measure!r} is no measure; expected one of {', '.join(MEASURES)}.")
    dealers = Dealers(visit.lake, chosen, measure, dealer)
    if export.wanted(visit):
        return export.file(visit, f"dealers-{measure}-{chosen.words.replace(' ', '-')}", dealers.table())
    rows = dealers.rows()
    if dealer is not None and dealer not in {row["dealer"] for row in rows}:
        raise HTTPException(404, f"{dealer} dealt nothing on {chosen.words}.")
    compared = compare(rows, "errors", "of", lambda row: row["dealer"])
    return visit.render(
        "dealers.html",
        span=chosen,
        measure=measure,
        measures=MEASURES,
        dealer=dealer,
        compared=compared,
        days=against(compared.floor, reversed(dealers.days()), "errors", "of") if dealer else [],
        smallest=SMALLEST,
    )
