"""Cases: the list, a case with its dispute, rounds and notes, and who may see it."""

from datetime import date
from typing import Any, Final

import pyarrow as pa
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.casework import case_of, due_dates, hold_rounds_in_dispute, rows_of_case
from dashboards.lake.gravity import gravity
from dashboards.web import export
from dashboards.web.numbers import whole
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.subjects import CASE, OWN_CASES
from dashboards.web.visit import Visit
from warehouse.cases import accounts, cases, statuses
from warehouse.cases.cases import CaseFilter
from warehouse.cases.errors import Refused
from warehouse.cases.models import Account, Case
from warehouse.cases.words import CLOSED, FINDING, OPEN, ROUND

pages = Pages()
ALL: Final = "all"
STATES: Final = (ALL, OPEN, CLOSED)
STATEMENT: Final = "statement"
_TIME: Final = pa.timestamp("ms", "UTC")
_LIST: Final = pa.schema(
    {
        "case": pa.int64(),
        "title": pa.string(),
        "state": pa.string(),
        "opened": _TIME,
        "closed": _TIME,
        "rounds": pa.list_(pa.string()),
        "findings": pa.list_(pa.string()),
        "received": pa.date32(),
        "outcome_on": pa.date32(),
        "opened_by": pa.string(),
        "shared_with": pa.list_(pa.string()),
    }
)
_STATEMENTS: Final = pa.schema(
    {"who": pa.string(), "said": pa.string(), "said_on": pa.date32(), "author": pa.string(), "at": _TIME}
)


@pages.get("/cases", Permission.SEE_CASES, about=OWN_CASES)
def show_all(visit: Visit) -> Response:
    """The cases; a regulator sees those that are shared."""
    wanted = _wanted(visit)
    with visit.site.database.read() as session:
        if visit.is_regulator:
            found = cases.shared_with(session, visit.account.id, wanted)
        else:
            found = cases.all_of(session, wanted)
    if export.wanted(visit):
        return export.file(visit, "cases", _list(visit, found))
    return visit.render("cases.html", cases=found, wanted=wanted, states=STATES)


@pages.post("/cases", Permission.EDIT_CASES)
def open_case(visit: Visit) -> Response:
    """A new case."""
    with visit.site.database.write() as session:
        case = cases.open_case(session, visit.text("title"), visit.account.name, visit.now)
        visit.record(session, "open", f"case {case.id}", title=case.title)
    return visit.redirect(f"/cases/{case.id}")


@pages.get("/cases/{case_id:number}", Permission.SEE_CASES, about=CASE)
def show(visit: Visit) -> Response:
    """A case: its dispute, its rounds and findings as the lake shows them now, its notes, and who sees it."""
    with visit.site.database.read() as session:
        case = case_of(visit, session)
        refs = [item.ref for item in case.items if item.kind == FINDING]
        marks = statuses.of(session, refs)
        seeing = {share.account_id for share in case.shares if not share.revoked}
        regulators = accounts.regulators(session) if visit.may(Permission.SHARE_CASES) else []
        may_join = [account for account in regulators if account.id not in seeing]
    rounds, findings = rows_of_case(visit.lake, case)
    if export.wanted(visit):
        files = {ROUND: rounds, STATEMENT: _statements(case)}
        return export.file(visit, f"case-{case.id}", files.get(visit.query.get("rows", FINDING), findings))
    rulebooks = rounds.column("rulebook").unique().to_pylist()
    return visit.render(
        "case.html",
        case=case,
        dispute=case.dispute,
        rulebooks=rulebooks,
        due=due_dates(case, rulebooks, visit.site.settings.deadlines, visit.now.date()),
        rounds=rounds.to_pylist(),
        findings=sorted(findings.to_pylist(), key=gravity),
        marks=marks,
        may_join=may_join,
    )


@pages.post("/cases/{case_id:number}/notes", Permission.EDIT_CASES, about=CASE)
def add_note(visit: Visit) -> Response:
    """A note."""
    with visit.site.database.write() as session:
        case = case_of(visit, session)
        cases.add_note(case, visit.text("text"), visit.account.name, visit.now)
        visit.record(session, "add note", f"case {case.id}")
    return visit.redirect(f"/cases/{case.id}")


@pages.post("/cases/{case_id:number}/items", Permission.EDIT_CASES, about=CASE)
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
        case = case_of(visit, session)
        if cases.add_item(case, ROUND, ref, day, visit.account.name, visit.now):
            visit.record(session, "add to case", f"case {case.id}", round=ref)
            hold_rounds_in_dispute(visit, session, case)
    return visit.redirect(f"/cases/{case.id}")


@pages.post("/cases/{case_id:number}/shares", Permission.SHARE_CASES, about=CASE)
def share(visit: Visit) -> Response:
    """Let a regulator see the case, or no longer."""
    with visit.site.database.write() as session:
        case = case_of(visit, session)
        named = whole(visit.text("account_id"))
        account = None if named is None else session.get(Account, named)
        if account is None:
            raise Refused("Choose the account of a regulator.")
        if visit.text("revoke"):
            cases.revoke(case, account.id, visit.now)
        else:
            cases.share(case, account, visit.account.name, visit.now)
        visit.record(session, "revoke" if visit.text("revoke") else "share", f"case {case.id}", account=account.name)
    return visit.redirect(f"/cases/{case.id}")


@pages.post("/cases/{case_id:number}/state", Permission.EDIT_CASES, about=CASE)
def set_state(visit: Visit) -> Response:
    """Close the case, or open it again."""
    with visit.site.database.write() as session:
        case = case_of(visit, session)
        if visit.text("state") == CLOSED:
            cases.close(case, visit.now)
        else:
            cases.reopen(case)
        visit.record(session, "close" if case.closed else "reopen", f"case {case.id}")
    return visit.redirect(f"/cases/{case.id}")


def _wanted(visit: Visit) -> CaseFilter:
    state = visit.query.get("state", ALL)
    if state not in STATES:
        raise HTTPException(404, f"{state!r} is no state of a case; expected one of {', '.join(STATES)}.")
    return CaseFilter("" if state == ALL else state, visit.query.get("q", "").strip()[:200])


def _list(visit: Visit, found: list[Case]) -> pa.Table:
    """The cases as rows of a file; who opened a case and who sees it is for the house only."""
    rows = [_row(case) for case in found]
    return pa.Table.from_pylist(rows, _LIST if not visit.is_regulator else pa.schema(list(_LIST)[:-2]))


def _statements(case: Case) -> pa.Table:
    rows = [{name: getattr(each, name) for name in _STATEMENTS.names} for each in case.statements]
    return pa.Table.from_pylist(rows, _STATEMENTS)


def _row(case: Case) -> dict[str, Any]:
    dispute = case.dispute
    return {
        "case": case.id,
        "title": case.title,
        "state": CLOSED if case.closed else OPEN,
        "opened": case.opened,
        "closed": case.closed,
        "rounds": [item.ref for item in case.items if item.kind == ROUND],
        "findings": [item.ref for item in case.items if item.kind == FINDING],
        "received": dispute.received if dispute else None,
        "outcome_on": dispute.outcome_on if dispute else None,
        "opened_by": case.opened_by,
        "shared_with": [each.account.name for each in case.shares if not each.revoked],
    }
