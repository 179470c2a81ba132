"""Sessions of requests."""

from starlette.requests import Request

from dashboards.web import cookies
from dashboards.web.site import Site
from warehouse.cases import sessions
from warehouse.cases.sessions import Running


def signed_in(request: Request, site: Site, *, quiet: bool) -> Running | None:
    """Return the request's session, None if there is none or it has expired; a quiet request does not prolong it."""
    session_id = cookies.session_id(request)
    if session_id is None:
        return None
    now = site.now()
    with site.database.read() as session:
        found = sessions.find(session, session_id, now)
    if found is not None and not quiet and now - found.last_seen > sessions.STEP:
        with site.database.write() as session:
            sessions.touch(session, found, now)
    return found
