"""Declaration and guard of routes. There is no other way to add a route, and none without a permission."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeVar
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from dashboards.web import cookies
from dashboards.web.permissions import NARROWED, Permission
from dashboards.web.recognise import signed_in
from dashboards.web.site import Site
from dashboards.web.subjects import Subject
from dashboards.web.visit import Visit
from dashboards.web.words import times_in

Handler = Callable[[Visit], Response]
_H = TypeVar("_H", bound=Handler)
MOST_BYTES: Final = 1 << 20
SAFE: Final = ("GET", "HEAD")


@dataclass(frozen=True)
class Guarded:
    """A handler behind its permission: the ASGI application of a route."""

    handler: Handler
    method: str
    permission: Permission
    about: Subject | None
    quiet: bool  # requested by the page's script: no sign of activity, and not logged

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, in a thread as databases block."""
        request = Request(scope, _limited(receive))
        form = FormData() if self.method in SAFE else await request.form(max_files=0)
        response = await run_in_threadpool(self._answer, request, form)
        await response(scope, receive, send)

    def _answer(self, request: Request, form: FormData) -> Response:
        site: Site = request.app.state.site
        visit = Visit(request, site, signed_in(request, site, quiet=self.quiet), form)
        request.state.visit = visit
        if self.permission not in visit.permissions:
            return _refuse(visit)
        if self.method not in SAFE:
            given = visit.text(cookies.FIELD) or request.headers.get(cookies.HEADER, "")
            if not cookies.is_ours(request, visit.expected_token, given):
                raise HTTPException(403, "The form is too old or not from this page; go back, reload and try again.")
        self._check_shared(visit)
        with times_in(visit.zone):
            response = self.handler(visit)
        if self.method in SAFE and response.status_code < 300:
            self._record_view(visit)
        return response

    def _record_view(self, visit: Visit) -> None:
        """Log the view of a subject, and every export."""
        is_file = "format" in visit.query
        if self.quiet or not (is_file or self.about):
            return
        subject = self.about.label(visit.path) if self.about else visit.request.url.path
        with visit.site.database.write(waits_for_disk=False) as session:  # nobody waits for it to see a page
            visit.record(session, "export" if is_file else "view", subject, query=visit.request.url.query)

    def _check_shared(self, visit: Visit) -> None:
        """Answer 404 to a regulator for a subject that is not shared, whether or not it exists."""
        if self.about is None or not visit.is_regulator:
            return
        with visit.site.database.read() as session:
            if not self.about.is_shared(visit, session):
                raise HTTPException(404)


def _refuse(visit: Visit) -> Response:
    """Redirect a visitor who is not signed in to the sign-in page; answer 403 to others."""
    if visit.signed_in is not None:
        raise HTTPException(403, "Your account does not have the role for this page.")
    if visit.wants_json or visit.request.method not in SAFE:
        raise HTTPException(401, "You are signed out; sign in again.")
    url = visit.request.url
    wanted = url.path + (f"?{url.query}" if url.query else "")
    return RedirectResponse("/sign-in" if wanted == "/" else f"/sign-in?next={quote(wanted)}", 303)


def _limited(receive: Receive) -> Receive:
    """Wrap a request's receiver so that it refuses bodies larger than a form that a person fills in."""
    received = 0

    async def receive_some() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MOST_BYTES:
            raise HTTPException(413, f"The form has more than {MOST_BYTES:,} bytes.")
        return message

    return receive_some


@dataclass(frozen=True)
class Pages:
    """The routes of one module of pages."""

    routes: list[Route] = field(default_factory=list)

    def get(
        self, path: str, permission: Permission, *, about: Subject | None = None, quiet: bool = False
    ) -> Callable[[_H], _H]:
        """A page to look at. With ``about``, its views are logged and a regulator sees it only where it is shared."""
        return self._add("GET", path, permission, about, quiet)

    def post(self, path: str, permission: Permission, *, about: Subject | None = None) -> Callable[[_H], _H]:
        """A change, with the token of our own forms; the handler writes it into the log."""
        return self._add("POST", path, permission, about, False)

    def _add(
        self, method: str, path: str, permission: Permission, about: Subject | None, quiet: bool
    ) -> Callable[[_H], _H]:
        if permission in NARROWED and about is None:
            raise TypeError(f"{method} {path}: regulators have {permission.name}, so say what the page is about")

        def add(handler: _H) -> _H:
            guarded = Guarded(handler, method, permission, about, quiet)
            self.routes.append(Route(path, guarded, methods=[method], name=f"{method} {path}"))
            return handler

        return add
