"""One-time links: the first account of a server, and the password of an invited one."""

from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.pages.signing_in import begin_session
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit
from warehouse.cases import accounts, passwords
from warehouse.cases.errors import Refused
from warehouse.cases.models import Account

pages = Pages()


@pages.get("/welcome/{token}", Permission.PUBLIC)
def show(visit: Visit) -> Response:
    """The form behind a link that still holds."""
    return _form(visit, "")


@pages.post("/welcome/{token}", Permission.PUBLIC)
def set_up(visit: Visit) -> Response:
    """Set the password, use the link up, and sign in."""
    try:
        account = _use(visit)
    except Refused as error:
        return _form(visit, str(error), 400)
    response = visit.redirect("/")
    begin_session(visit, account, response, "set password")
    return response


def _use(visit: Visit) -> Account:
    password = visit.text("password")
    if password != visit.text("again"):
        raise Refused("The two passwords differ.")
    with visit.site.database.write() as session:
        invitation = accounts.invited(session, visit.path["token"], visit.now)
        if invitation is None:
            raise HTTPException(404, "This link was used already or is too old; ask for a new one.")
        if invitation.account_id is None:
            roles = accounts.FOUNDER_ROLES
            account = accounts.create(session, visit.text("name"), visit.text("full_name"), roles, visit.now)
        else:
            account = session.get_one(Account, invitation.account_id)
        accounts.set_password(session, account, password)
        invitation.used = visit.now
    return account


def _form(visit: Visit, error: str, status: int = 200) -> Response:
    with visit.site.database.read() as session:
        invitation = accounts.invited(session, visit.path["token"], visit.now)
        if invitation is None:
            raise HTTPException(404, "This link was used already or is too old; ask for a new one.")
        account = session.get(Account, invitation.account_id) if invitation.account_id else None
    given = {"name": visit.text("name"), "full_name": visit.text("full_name")}
    return visit.render("welcome.html", status, account=account, error=error, given=given, shortest=passwords.SHORTEST)
