"""Triage: the findings of a gaming day, the start page of surveillance."""

from datetime import date
from typing import Any, Final, NamedTuple
from urllib.parse import quote_plus

from starlette.responses import Response

from dashboards.triage.queries import Findings, Marks, fresh
from dashboards.triage.wanted import FACETS, PAGE_ROWS, SORTS, Wanted
from dashboards.web import export
from dashboards.web.days import of_day
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit
from warehouse.cases import cases, filters, statuses
from warehouse.cases.words import STATUSES, UNRESOLVED

pages = Pages()
AT_ONCE: Final = 8  # values of a facet; the others are folded away


class Facet(NamedTuple):
    """A facet as the page shows it."""

    choices: list[dict[str, Any]]
    folded: int  # values that are not shown
    fold: str  # the address that shows them, or no longer does


@pages.get("/triage", Permission.SEE_FLOOR)
@of_day
def show(visit: Visit, day: date) -> Response:
    """The findings that are wanted; with ``fragment``, only the part that changes when new ones come."""
    with visit.site.database.read() as session:
        changes = statuses.of_day(session, day)
        saved = filters.of(session, visit.account.id, "triage")
        open_cases = cases.open_titles(session)
    wanted = Wanted.of(visit.request.query_params)
    findings = Findings(visit.lake.day(day), Marks.of(changes), wanted)
    if export.wanted(visit):
        return export.file(visit, f"findings-{day}", findings.table())
    template = "triage_rows.html" if "fragment" in visit.query else "triage.html"
    return visit.render(
        template,
        **_found(visit, findings),
        day=day,
        wanted=wanted,
        last_change=max((row.number for row in changes), default=0),
        saved=saved,
        cases=open_cases,
    )


@pages.get("/open", Permission.SEE_FLOOR)
def show_open(visit: Visit) -> Response:
    """The queue: unresolved findings over all gaming days, the newest day first."""
    if not visit.lake.days:
        return visit.render("no_day.html")
    if "status" not in visit.query:
        return visit.redirect(visit.link(status=UNRESOLVED))
    with visit.site.database.read() as session:
        changes = statuses.of_all_days(session)
        open_cases = cases.open_titles(session)
    wanted = Wanted.of(visit.request.query_params, "newest")
    findings = Findings(visit.lake.every_day(), Marks.of(changes), wanted)
    if export.wanted(visit):
        return export.file(visit, "open-findings", findings.table())
    template = "triage_rows.html" if "fragment" in visit.query else "open.html"
    last_change = max((row.number for row in changes), default=0)
    found = _found(visit, findings)
    return visit.render(template, **found, day=None, wanted=wanted, last_change=last_change, saved=[], cases=open_cases)


def _found(visit: Visit, findings: Findings) -> dict[str, object]:
    wanted = findings.wanted
    counts = findings.counts()
    rows = findings.groups() if wanted.grouped else findings.rows()
    return {
        "rows": rows,
        "facets": {facet: _facet(visit, wanted, facet, values) for facet, values in counts.facets.items()},
        "totals": counts.totals,
        "count": counts.findings,
        "more": len(rows) == PAGE_ROWS,
        "facet_names": FACETS,
        "at_once": AT_ONCE,
        "sorts": SORTS,
        "statuses": STATUSES,
    }


def _facet(visit: Visit, wanted: Wanted, facet: str, values: list[dict[str, Any]]) -> Facet:
    """The values of a facet, each with the address that chooses it, or that no longer does."""
    chosen, unfolded = wanted.chosen.get(facet, []), visit.request.query_params.getlist("all")
    without = {on: [value for value in chosen if value != on] for on in chosen}
    links = {on: visit.link(page=None, fragment=None, **{facet: others}) for on, others in without.items()}
    as_now = visit.link(page=None, fragment=None, **{facet: chosen})  # it names the day, so that one more can follow
    choices = []
    for place, row in enumerate(values):
        link = links.get(row["value"])
        if facet in unfolded or place < AT_ONCE or link:
            href = link or f"{as_now}&{facet}={quote_plus(row['value'])}"
            choices.append({**row, "on": link is not None, "href": href})
    others = [each for each in unfolded if each != facet]
    fold = visit.link(fragment=None, all=others if facet in unfolded else [*others, facet])
    return Facet(choices, len(values) - len(choices), fold)


@pages.get("/triage/news", Permission.SEE_FLOOR, quiet=True)
def news(visit: Visit) -> Response:
    """Tell an open page whether there is a newer snapshot than its own, and how many new findings it has."""
    newest = visit.site.lake.pin()
    day = visit.day()
    with visit.site.database.read() as session:
        last_change = statuses.last_change(session, day)
    count = 0 if newest.number == visit.lake.number else fresh(visit.lake, newest, day)
    later = newest.days[-1].isoformat() if newest.days and newest.days[-1] > day else None
    return visit.json({"snapshot": newest.number, "fresh": count, "change": last_change, "later_day": later})


@pages.post("/triage/filters", Permission.SEE_FLOOR)
def save_filter(visit: Visit) -> Response:
    """Keep the view, without its day, under a name."""
    with visit.site.database.write() as session:
        saved = filters.save(session, visit.account.id, "triage", visit.text("name"), visit.text("query"))
        visit.record(session, "save filter", f"filter {saved.name}", query=saved.query)
    return visit.redirect(f"/triage?{visit.text('query')}&day={visit.text('day')}")


@pages.post("/triage/filters/{filter_id:number}/remove", Permission.SEE_FLOOR)
def remove_filter(visit: Visit) -> Response:
    """Forget a filter of one's own."""
    with visit.site.database.write() as session:
        filters.remove(session, visit.account.id, visit.path["filter_id"])
        visit.record(session, "remove filter", f"filter {visit.path['filter_id']}")
    return visit.redirect(visit.text("back") if visit.text("back").startswith("/triage") else "/triage")
