"""Cases: the list, a case with its rounds and notes, and who may see it."""

from datetime import date

from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.casework import rows_of_case
from dashboards.web import export
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.subjects import CASE, OWN_CASES
from dashboards.web.visit import Visit
from warehouse.cases import accounts, cases, statuses
from warehouse.cases.errors import Refused
from warehouse.cases.models import Account, Case
from warehouse.cases.words import FINDING, ROUND

pages = Pages()


@pages.get("/cases", Permission.SEE_CASES, about=OWN_CASES)
def show_all(visit: Visit) -> Response:
    """The cases; a regulator sees those that are shared."""
    with visit.site.database.read() as session:
        found = cases.shared_with(session, visit.account.id) if visit.is_regulator else cases.all_of(session)
    return visit.render("cases.html", cases=found)


@pages.post("/cases", Permission.EDIT_CASES)
def open_case(visit: Visit) -> Response:
    """A new case."""
    with visit.site.database.write() as session:
        case = cases.open_case(session, visit.text("title"), visit.account.name, visit.now)
        visit.record(session, "open", f"case {case.id}", title=case.title)
    return visit.redirect(f"/cases/{case.id}")


@pages.get("/cases/{case_id:int}", Permission.SEE_CASES, about=CASE)
def show(visit: Visit) -> Response:
    """A case: its rounds and findings as the lake shows them now, its notes, and who sees it."""
    with visit.site.database.read() as session:
        case = _case(visit, session)
        refs = [item.ref for item in case.items if item.kind == FINDING]
        marks = statuses.of(session, refs)
        seeing = {share.account_id for share in case.shares if not share.revoked}
        regulators = accounts.regulators(session) if visit.may(Permission.SHARE_CASES) else []
        may_join = [account for account in regulators if account.id not in seeing]
    rounds, findings = rows_of_case(visit.lake, case)
    if export.wanted(visit):
        rows = rounds if visit.query.get("rows") == ROUND else findings
        return export.file(visit, f"case-{case.id}", rows)
    return visit.render(
        "case.html", case=case, rounds=rounds.to_pylist(), findings=findings.to_pylist(), marks=marks, may_join=may_join
    )


@pages.post("/cases/{case_id:int}/notes", Permission.EDIT_CASES, about=CASE)
def add_note(visit: Visit) -> Response:
    """A note."""
    with visit.site.database.write() as session:
        case = _case(visit, session)
        cases.add_note(case, visit.text("text"), visit.account.name, visit.now)
        visit.record(session, "add note", f"case {case.id}")
    return visit.redirect(f"/cases/{case.id}")


@pages.post("/cases/{case_id:int}/items", Permission.EDIT_CASES, about=CASE)
def add_round(visit: Visit) -> Response:
    """Put a round into the case."""
    ref = visit.text("round_id").strip()
    parts = ref.split("/", 2)
    try:
        day = date.fromisoformat(parts[1])
    except (IndexError, ValueError):
        raise Refused(f"{ref!r} is no round; expected one such as P21-04/2026-01-05/17.") from None
    query = "SELECT 1 FROM rounds WHERE round_id = $round_id"
    if day not in visit.lake.days or visit.lake.day(day).row(query, round_id=ref) is None:
        raise Refused(f"There is no round {ref} in the lake.")
    with visit.site.database.write() as session:
        case = _case(visit, session)
        if cases.add_item(case, ROUND, ref, day, visit.account.name, visit.now):
            visit.record(session, "add to case", f"case {case.id}", round=ref)
    return visit.redirect(f"/cases/{case.id}")


@pages.post("/cases/{case_id:int}/shares", Permission.SHARE_CASES, about=CASE)
def share(visit: Visit) -> Response:
    """Let a regulator see the case, or no longer."""
    with visit.site.database.write() as session:
        case = _case(visit, session)
        named = visit.text("account_id")
        account = session.get(Account, int(named)) if named.isascii() and named.isdigit() else None
        if account is None:
            raise Refused("Choose the account of a regulator.")
        if visit.text("revoke"):
            cases.revoke(case, account.id, visit.now)
        else:
            cases.share(case, account, visit.account.name, visit.now)
        visit.record(session, "revoke" if visit.text("revoke") else "share", f"case {case.id}", account=account.name)
    return visit.redirect(f"/cases/{case.id}")


@pages.post("/cases/{case_id:int}/state", Permission.EDIT_CASES, about=CASE)
def set_state(visit: Visit) -> Response:
    """Close the case, or open it again."""
    with visit.site.database.write() as session:
        case = _case(visit, session)
        if visit.text("state") == "closed":
            cases.close(case, visit.now)
        else:
            cases.reopen(case)
        visit.record(session, "close" if case.closed else "reopen", f"case {case.id}")
    return visit.redirect(f"/cases/{case.id}")


def _case(visit: Visit, session: Session) -> Case:
    case = cases.find(session, visit.path["case_id"])
    if case is None:
        raise HTTPException(404, f"There is no case {visit.path['case_id']}.")
    return case
