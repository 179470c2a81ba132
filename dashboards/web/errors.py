"""Answers where something went wrong, as pages for people and as JSON for scripts."""

from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from dashboards.settings import Settings
from dashboards.web.recognise import signed_in
from dashboards.web.site import Site
from dashboards.web.visit import Visit
from warehouse.cases.errors import Refused

_TITLES = {
    400: "Not possible",
    401: "Signed out",
    403: "Access denied",
    404: "Not found",
    405: "Not found",
    413: "Too large",
    429: "Too many attempts",
    500: "Server error",
}
_MESSAGES = {
    404: "This page does not exist, or this account may not see it.",
    405: "This page does not exist, or this account may not see it.",
    500: "The server could not answer; nothing was changed. The cause is in the server log.",
}


def _visit(request: Request) -> Visit:
    """The visit, also where no page was found for it."""
    site: Site = request.app.state.site
    found = getattr(request.state, "visit", None)
    return found if isinstance(found, Visit) else Visit(request, site, signed_in(request, site, quiet=True))


def _without_paths(settings: Settings, message: str) -> str:
    """A message that names no folder of the server."""
    for folder, name in ((settings.lake, "the lake"), (settings.landing, "the landing zone")):
        for path in dict.fromkeys((str(folder.resolve()), str(folder.absolute()), str(folder))) if folder else ():
            if len(path) > 1:  # not a bare / or .
                message = message.replace(f"{path}/", "").replace(path, name)
    return message


def _answer(request: Request, status: int, message: str) -> Response:
    visit = _visit(request)
    message = _MESSAGES[404] if status == 404 and visit.is_regulator else _without_paths(visit.site.settings, message)
    title = _TITLES.get(status, HTTPStatus(status).phrase)
    if visit.wants_json or visit.keeps_form:
        return visit.json({"error": message or title}, status)
    return visit.render("error.html", status, status=status, title=title, message=message)


def refused(request: Request, error: Exception) -> Response:
    """Answer a request that the rules of the case database refuse, with status 400."""
    assert isinstance(error, Refused)
    return _answer(request, 400, str(error))


def http(request: Request, error: Exception) -> Response:
    """Answer an HTTP error: no such page, not allowed, or too large."""
    assert isinstance(error, HTTPException)
    usual = error.detail == HTTPStatus(error.status_code).phrase
    message = _MESSAGES.get(error.status_code, "") if usual else error.detail
    response = _answer(request, error.status_code, message)
    response.headers.update(error.headers or {})
    return response


def broken(request: Request, error: Exception) -> Response:
    """A mistake of ours: the server prints it."""
    return _answer(request, 500, _MESSAGES[500])


def gone(_request: Request, _error: Exception) -> Response:
    """The client left, or was given up, before all of its request was here: nobody reads the answer."""
    return Response(status_code=400)
