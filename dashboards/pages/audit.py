"""Audit: the gaming day closed, signed by two people, and on paper."""

from datetime import date
from typing import Any, Final

from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.audit import paper
from dashboards.audit.figures import MOST_ROWS, QUERIES, DayFigures, by_currency, covered
from dashboards.audit.ledger import ledger
from dashboards.audit.standing import Standing, standing, write_into_log
from dashboards.audit.trend import trend
from dashboards.web import export
from dashboards.web.attachments import disposition
from dashboards.web.days import of_day
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit
from warehouse.cases import signoffs, statuses
from warehouse.cases.errors import Refused
from warehouse.cases.words import DISMISSED, ESCALATED, STATUSES

pages = Pages()
BY: Final = {"tables": "table", "dealers": "dealer", "rulebooks": "rulebook"}
PDF: Final = "pdf"
_HANDLED: Final = (ESCALATED, DISMISSED)


@pages.get("/audit", Permission.SEE_AUDIT)
@of_day
def show(visit: Visit, day: date) -> Response:
    """A gaming day: coverage, variance, trend, missing sources, restatements and sign-off."""
    figures = DayFigures(visit.lake, day)
    by = _one_of(visit, "by", BY, "tables")
    with visit.site.database.read() as session:
        stands = standing(session, visit.lake, day)
        handled = [row.finding_id for row in statuses.of_day(session, day) if row.status in _HANDLED]
    if visit.query.get("format") == PDF:
        return _paper(visit, figures, stands)
    if export.wanted(visit):
        part = _one_of(visit, "rows", QUERIES, by)
        return export.file(visit, f"{part}-{day}", figures.table(part))
    newest = visit.site.lake.newest().days.get(day)
    return visit.render(
        "audit.html",
        day=day,
        by=by,
        kinds=BY,
        stands=stands,
        published=visit.lake.snapshot.days[day],
        outdated=newest is not None and newest.snapshot != stands.snapshot,
        checkpoint=ledger(visit.lake.lake.path).covering(stands.entry) if stands.entry else None,
        unhandled=figures.unhandled(handled),
        statuses=STATUSES,
        handled_statuses=_HANDLED,
        **_figures(figures, by),
    )


def _figures(figures: DayFigures, by: str) -> dict[str, Any]:
    trend_rows = figures.rows("trend")
    return {
        "summary": [row for row in figures.summary if row["currency"] and row["rounds"]],
        "quiet_tables": sum(row["tables"] for row in figures.summary if not row["currency"]),
        "coverage": figures.rows("coverage"),
        "variance": by_currency(figures.rows(by)),
        "trend": trend(trend_rows),
        "trend_days": sorted({row["gaming_day"] for row in trend_rows}),
        "quarantine": figures.rows("quarantine"),
        "sources": figures.rows("sources"),
        "missing": figures.rows("missing"),
        "restatements": figures.rows("restatements"),
        "top": figures.top(8),
        "most_rows": MOST_ROWS,
        "covered": covered,
    }


def _paper(visit: Visit, figures: DayFigures, stands: Standing) -> Response:
    name = f"gaming-day-{figures.day}-snapshot-{stands.snapshot}.pdf"
    pdf = paper.print_day(figures, stands)
    return Response(pdf, media_type="application/pdf", headers=disposition(name, "inline"))


def _one_of(visit: Visit, name: str, known: Any, default: str) -> str:
    value = visit.query.get(name, default)
    if value not in known:
        raise HTTPException(404, f"{name}={value} is not known here; expected one of {', '.join(known)}.")
    return value


# Signing off.


@pages.post("/audit/{day}/sign", Permission.SIGN_OFF)
def sign(visit: Visit) -> Response:
    """Sign a day as it is published. The second signature also reaches the evidence log, now or later."""
    day = visit.day(visit.path["day"])
    note = visit.text("note").strip()
    if not note:
        raise Refused("Write what you looked at and what you found; a signature without a note is not taken.")
    with visit.site.database.write() as session:
        snapshot = _looked_at(visit, day)
        if not visit.site.settings.is_demo:
            signoffs.check_signer(session, day, snapshot, visit.account.id)
        complete = signoffs.sign(session, day, snapshot, visit.account.id, note, visit.now)
        visit.record(session, "sign off", f"day {day}", snapshot=snapshot, note=note, complete=complete)
    if complete:
        _complete(visit, day)
    return _back(visit, day)


@pages.post("/audit/{day}/withdraw", Permission.SIGN_OFF)
def withdraw(visit: Visit) -> Response:
    """Take one's signature back, as long as it is the only one."""
    day = visit.day(visit.path["day"])
    with visit.site.database.write() as session:
        snapshot = _looked_at(visit, day)
        signoffs.withdraw(session, day, snapshot, visit.account.id)
        visit.record(session, "withdraw signature", f"day {day}", snapshot=snapshot)
    return _back(visit, day)


@pages.post("/audit/{day}/log", Permission.SIGN_OFF)
def log(visit: Visit) -> Response:
    """Write a sign-off into the evidence log that could not be written when the second person signed."""
    day = visit.day(visit.path["day"])
    problem = _complete(visit, day)
    if problem:
        raise Refused(f"The sign-off could not be written into the evidence log: {problem}. Try again later.")
    return _back(visit, day)


def _looked_at(visit: Visit, day: date) -> int:
    """The snapshot that last published the day, which must be the one that the person looked at."""
    published = visit.site.lake.newest().days[day].snapshot
    if visit.text("published") != str(published):
        raise Refused(f"{day} was published anew as snapshot {published}. Look at it before you sign.")
    return published


def _complete(visit: Visit, day: date) -> str | None:
    """Bring a complete sign-off into the evidence log; why that could not be done now."""
    with visit.site.database.read() as session:
        stands = _standing_now(visit, session, day)
    if not stands.is_pending:
        return None
    problem = write_into_log(visit.site.settings, stands)
    with visit.site.database.write() as session:
        about = {"snapshot": stands.snapshot} | ({"problem": problem} if problem else {})
        visit.record(
            session, "evidence log not written" if problem else "write into evidence log", f"day {day}", **about
        )
    return problem


def _standing_now(visit: Visit, session: Session, day: date) -> Standing:
    return standing(session, visit.site.lake.pin(), day)


def _back(visit: Visit, day: date) -> Response:
    return visit.redirect(f"/audit?day={day}")
