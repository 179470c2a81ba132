"""The dispute of a case: its entry form and its statements."""

from datetime import date

from starlette.responses import Response

from dashboards.casework import case_of, hold_rounds_in_dispute
from dashboards.web.numbers import whole
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.subjects import CASE
from dashboards.web.visit import Visit
from warehouse.cases import disputes
from warehouse.cases.dispute import Dispute
from warehouse.cases.errors import Refused

pages = Pages()


@pages.post("/cases/{case_id:number}/dispute", Permission.EDIT_CASES, about=CASE)
def enter(visit: Visit) -> Response:
    """Enter or change the dispute. The activity log has the names of the changed fields, not their text."""
    wanted = Dispute(
        received=_day(visit, "received"),
        complaint=visit.text("complaint"),
        patron=visit.text("patron"),
        patron_name=visit.text("patron_name"),
        seat=_number(visit, "seat"),
        requested_by=visit.text("requested_by"),
        outcome=visit.text("outcome"),
        outcome_on=_day(visit, "outcome_on"),
    )
    with visit.site.database.write() as session:
        case = case_of(visit, session)
        changed = disputes.keep(case, wanted, _number(visit, "seen"), visit.account.name, visit.now)
        if changed:
            visit.record(session, "enter dispute", f"case {case.id}", changed=changed)
            hold_rounds_in_dispute(visit, session, case)
    return visit.redirect(f"/cases/{case.id}#dispute")


@pages.post("/cases/{case_id:number}/statements", Permission.EDIT_CASES, about=CASE)
def add_statement(visit: Visit) -> Response:
    """Add a person's statement to the dispute."""
    said_on = _day(visit, "said_on")
    with visit.site.database.write() as session:
        case = case_of(visit, session)
        disputes.add_statement(case, visit.text("who"), visit.text("said"), said_on, visit.account.name, visit.now)
        visit.record(session, "add statement", f"case {case.id}", who=visit.text("who").strip())
    return visit.redirect(f"/cases/{case.id}#statements")


def _day(visit: Visit, name: str) -> date | None:
    given = visit.text(name).strip()
    try:
        return date.fromisoformat(given) if given else None
    except ValueError:
        raise Refused(f"{given!r} is no day; expected one such as 2026-01-05.") from None


def _number(visit: Visit, name: str) -> int | None:
    given = visit.text(name).strip()
    number = whole(given)
    if given and number is None:
        raise Refused(f"{given!r} is no number; expected one such as 3.")
    return number
