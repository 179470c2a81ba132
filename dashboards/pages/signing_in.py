"""Signing in and out."""

import math
from datetime import timedelta
from urllib.parse import urlsplit

from sqlalchemy.orm import Session
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.web import cookies
from dashboards.web.navigation import start
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit
from warehouse.cases import accounts, sessions
from warehouse.cases.activity import Actor, record
from warehouse.cases.models import Account

pages = Pages()


@pages.get("/", Permission.SIGNED_IN)
def begin(visit: Visit) -> Response:
    """The page that this visitor begins with."""
    return visit.redirect(start(visit))


@pages.get("/sign-in", Permission.PUBLIC)
def show(visit: Visit) -> Response:
    """The form; who is signed in already goes on."""
    if visit.signed_in is not None:
        return visit.redirect(_next(visit.query.get("next", "")))
    with visit.site.database.read() as session:
        waiting = accounts.none_yet(session)
    return visit.render("sign_in.html", next=visit.query.get("next", ""), name="", error="", waiting=waiting)


@pages.post("/sign-in", Permission.PUBLIC)
def sign_in(visit: Visit) -> Response:
    """Check name and password; a new session with a new id."""
    name, password = visit.text("name"), visit.text("password")
    _count_attempt(visit, name)
    with visit.site.database.read() as session:
        account = sessions.authenticate(session, name, password)
    if account is None:
        _record_failure(visit, name)
        error = "Incorrect name or password."
        return visit.render("sign_in.html", 401, next=visit.text("next"), name=name, error=error, waiting=False)
    response = visit.redirect(_next(visit.text("next")))
    begin_session(visit, account, response, "sign in")
    return response


def _count_attempt(visit: Visit, name: str) -> None:
    """Every attempt counts as failed until it succeeds, so that many at a time gain nothing."""
    with visit.site.database.write() as session:
        try:
            sessions.check_rate(session, name, visit.address, visit.now)
        except sessions.TooMany as error:
            minutes = _minutes(error.wait)
            wait = {"Retry-After": str(minutes * 60)}
            message = f"Too many attempts to sign in; try again in {minutes} min."
            raise HTTPException(429, message, headers=wait) from None
        sessions.failed(session, name, visit.address, visit.now)


def _record_failure(visit: Visit, name: str) -> None:
    """Write a failed attempt into the log, and that it was the last for a while.

    A name that no account has is not kept: people type their password there.
    """
    with visit.site.database.write() as session:
        known = accounts.by_name(session, name)
        subject = f"account {known.name}" if known else "unknown account"
        record(session, Actor("", visit.address), visit.now, "sign-in failed", subject)
        for limit, minutes in _locked(session, name, visit):
            what = subject if limit == "name" else f"address {visit.address}"
            record(session, Actor("", visit.address), visit.now, "lock out", what, {"minutes": minutes})


def _locked(session: Session, name: str, visit: Visit) -> list[tuple[str, int]]:
    """Return the limits that are reached, each with the minutes until it opens."""
    found = sessions.reached(session, name, visit.address, visit.now)
    return [(limit, _minutes(wait)) for limit, wait in found]


def _minutes(wait: timedelta) -> int:
    return max(1, math.ceil(wait.total_seconds() / 60))


def begin_session(visit: Visit, account: Account, response: Response, action: str) -> None:
    """Sign somebody in; the session that the browser had before ends."""
    with visit.site.database.write() as session:
        if before := cookies.session_id(visit.request):
            sessions.end(session, before)
        begun = sessions.begin(session, account, visit.address, visit.now)
        record(session, Actor(account.name, visit.address), visit.now, action, f"account {account.name}")
    cookies.set_session(visit.request, response, begun.id)


@pages.post("/sign-out", Permission.SIGNED_IN)
def sign_out(visit: Visit) -> Response:
    """End the session."""
    with visit.site.database.write() as session:
        sessions.end(session, cookies.session_id(visit.request) or "")
        visit.record(session, "sign out", f"account {visit.account.name}")
    response = visit.redirect("/sign-in")
    cookies.clear_session(visit.request, response)
    return response


def _next(url: str) -> str:
    """Return the page to open after sign-in: the address given if it is on this server, else the start page."""
    parts = urlsplit(url)
    ours = url.startswith("/") and not url.startswith(("//", "/\\")) and not parts.netloc and not parts.scheme
    return url if ours else "/"
