"""One's own account."""

from starlette.responses import Response

from dashboards.pages.signing_in import begin_session
from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit
from warehouse.cases import accounts, passwords, sessions
from warehouse.cases.errors import Refused
from warehouse.cases.models import Account

pages = Pages()


@pages.get("/profile", Permission.SIGNED_IN)
def show(visit: Visit) -> Response:
    """Name, roles, and the form to change the password."""
    return _form(visit, "")


@pages.post("/profile/password", Permission.SIGNED_IN)
def change_password(visit: Visit) -> Response:
    """A new password; all other sessions of the account end."""
    try:
        account = _change(visit)
    except Refused as error:
        return _form(visit, str(error), 400)
    response = visit.redirect("/profile?changed=1")
    begin_session(visit, account, response, "change password")
    return response


def _change(visit: Visit) -> Account:
    if visit.text("password") != visit.text("again"):
        raise Refused("The two new passwords differ.")
    with visit.site.database.read() as session:
        if sessions.authenticate(session, visit.account.name, visit.text("old")) is None:
            raise Refused("Incorrect old password.")
    with visit.site.database.write() as session:
        account = session.get_one(Account, visit.account.id)
        accounts.set_password(session, account, visit.text("password"))
    return account


def _form(visit: Visit, error: str, status: int = 200) -> Response:
    changed = "changed" in visit.query and not error
    return visit.render("profile.html", status, error=error, changed=changed, shortest=passwords.SHORTEST)
