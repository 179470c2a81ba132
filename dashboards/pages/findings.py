"""A finding: its history of comments, and its status."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.casework import chosen_case, hold_rounds_in_dispute
from dashboards.triage.queries import days_anywhere, days_of
from dashboards.web import export
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.subjects import A_FINDING
from dashboards.web.visit import Visit
from warehouse.cases import cases, statuses
from warehouse.cases.errors import Refused
from warehouse.cases.models import Case
from warehouse.cases.words import ESCALATED, FINDING, ROUND, STATUSES
from warehouse.rounds import RoundError

pages = Pages()
_TO_KNOW: Final = ("By clause", "Prescribed", "Ruled")  # of all that a round's page says of a finding


@pages.get("/findings/{finding_id}", Permission.SEE_ROUNDS, about=A_FINDING)
def show(visit: Visit) -> Response:
    """A finding with its evidence and its history."""
    finding_id = visit.path["finding_id"]
    with visit.site.database.read() as session:
        history = statuses.history(session, finding_id)
        held = cases.having(session, FINDING, finding_id)
    days = [history[-1].gaming_day] if history else [visit.day()] if "day" in visit.query else visit.lake.days
    day = days_of(visit.lake, [finding_id], [each for each in days if each in visit.lake.days]).get(finding_id)
    if day is None:
        raise HTTPException(404, f"Snapshot {visit.lake.number} has no finding {finding_id}.")
    query = "FROM findings WHERE finding_id = $finding_id"
    if export.wanted(visit):
        return export.file(visit, f"finding-{finding_id[:12]}", visit.lake.day(day).table(query, finding_id=finding_id))
    finding = visit.lake.day(day).row(query, finding_id=finding_id)
    if visit.is_regulator:  # the house's assessment is not shared with the case
        history, held = [], []
    return visit.render("finding.html", finding=finding, day=day, history=history, held=held, statuses=STATUSES)


@pages.get("/findings/{finding_id}/panel", Permission.SEE_FLOOR, quiet=True)
def panel(visit: Visit) -> Response:
    """A finding in short, beside the list that it is chosen in."""
    finding_id, day = visit.path["finding_id"], visit.day()
    row = visit.lake.day(day).row("FROM findings WHERE finding_id = $finding_id", finding_id=finding_id)
    if row is None:
        raise HTTPException(404, f"Snapshot {visit.lake.number} has no finding {finding_id} on {day}.")
    with visit.site.database.read() as session:
        mark = statuses.of(session, [finding_id]).get(finding_id)
    return visit.render("triage_panel.html", row=row, day=day, mark=mark)


@pages.get("/findings/{finding_id}/moment", Permission.SEE_FLOOR, quiet=True)
def moment(visit: Visit) -> Response:
    """Show the clause of a round's finding, the prescribed handling, and the layout at that moment."""
    finding_id, day = visit.path["finding_id"], visit.day()
    query = "SELECT round_id FROM findings WHERE finding_id = $finding_id AND round_id IS NOT NULL"
    row = visit.lake.day(day).row(query, finding_id=finding_id)
    if row is None:
        raise HTTPException(404, f"Snapshot {visit.lake.number} has no round with the finding {finding_id} on {day}.")
    try:
        made = visit.site.replays.replay(visit.lake.lake, visit.lake.snapshot, row["round_id"])
    except RoundError as error:
        raise HTTPException(404, str(error)) from error
    found = next((each for each in made.findings if each["finding_id"] == finding_id), None)
    step = made.steps[found["step"] - 1] if found and found["step"] else None
    rows = [pair for pair in found["rows"] if pair[0] in _TO_KNOW] if found else []
    return visit.render("triage_moment.html", rows=rows, step=step)


@pages.post("/findings/status", Permission.HANDLE_FINDINGS)
def set_status(visit: Visit) -> Response:
    """Give findings of a day, or of several, a status, and put them into a case where that is asked for."""
    ids = list(dict.fromkeys(visit.texts("finding_id")))
    day = visit.day(visit.text("day")) if visit.text("day") else None
    known = days_of(visit.lake, ids, [day]) if day else days_anywhere(visit.lake, ids)
    if set(known) != set(ids):
        where = f"in the lake on {day}" if day else "in the lake"
        raise Refused(f"{len(set(ids) - set(known))} of the findings are not {where}; reload the page.")
    status, note = visit.text("status"), visit.text("note")
    with visit.site.database.write() as session:
        batch = statuses.change(session, known, status, note, visit.account.name, visit.now)
        for finding_id in ids:
            visit.record(session, f"set {status}", f"finding {finding_id}", note=note, batch=batch)
        case = _file(visit, session, known) if status == ESCALATED else None
    if visit.wants_json:
        return visit.json({"batch": batch, "status": status, "count": len(ids), "case": case.id if case else None})
    return visit.redirect(f"/findings/{ids[0]}?day={known[ids[0]]}")


@pages.post("/findings/undo", Permission.HANDLE_FINDINGS)
def undo(visit: Visit) -> Response:
    """Undo one's own last change to these findings."""
    with visit.site.database.write() as session:
        undone = statuses.undo(session, visit.text("batch"), visit.account.name, visit.now)
        for row in undone:
            visit.record(session, "undo", f"finding {row.finding_id}", status=row.status, batch=row.undoes)
    return visit.json({"count": len(undone), "status": undone[0].status})


def _file(visit: Visit, session: Session, days: Mapping[str, date]) -> Case | None:
    """Put findings with their rounds into the case that the form names, a new one or none."""
    if not visit.text("case"):
        return None
    case = chosen_case(visit, session)
    query = "SELECT finding_id, round_id FROM findings WHERE finding_id IN (SELECT unnest($ids::VARCHAR[]))"
    rows = [(day, row) for day in sorted(set(days.values())) for row in visit.lake.day(day).rows(query, ids=list(days))]
    for day, row in rows:
        for kind, ref in ((FINDING, row["finding_id"]), (ROUND, row["round_id"])):
            if ref and cases.add_item(case, kind, ref, day, visit.account.name, visit.now):
                visit.record(session, "add to case", f"case {case.id}", **{kind: ref})
    hold_rounds_in_dispute(visit, session, case)
    return case
