"""Accounts, for administrators: invite, confirm, disable, enable, reset."""

from starlette.exceptions import HTTPException
from starlette.responses import Response

from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.visit import Visit
from warehouse.cases import accounts
from warehouse.cases.errors import Refused
from warehouse.cases.models import Account
from warehouse.cases.words import ROLES

pages = Pages()
_MANAGE = Permission.MANAGE_ACCOUNTS


@pages.get("/accounts", _MANAGE)
def show(visit: Visit) -> Response:
    """All accounts and the form to invite somebody."""
    return _page(visit)


@pages.post("/accounts", _MANAGE)
def invite(visit: Visit) -> Response:
    """A new account, and the one-time link for whoever is invited."""
    try:
        with visit.site.database.write() as session:
            roles = visit.texts("roles")
            account = accounts.create(session, visit.text("name"), visit.text("full_name"), roles, visit.now)
            token = accounts.send_link(session, account, visit.account.id, visit.now)
            visit.record(session, "invite", f"account {account.name}", roles=sorted(roles))
    except Refused as error:
        return _page(visit, error=str(error), status=400)
    return _page(visit, link=_link(visit, token), invited=account.name)


@pages.post("/accounts/{account_id:number}/reset", _MANAGE)
def reset(visit: Visit) -> Response:
    """A new one-time link; the old password holds no longer."""
    with visit.site.database.write() as session:
        account = _account(visit, session.get(Account, visit.path["account_id"]))
        if account.id == visit.account.id:
            raise Refused("Change your own password under your name.")
        account.password = None
        accounts.end_sessions(session, account)
        token = accounts.send_link(session, account, visit.account.id, visit.now)
        visit.record(session, "reset password", f"account {account.name}")
    return _page(visit, link=_link(visit, token), invited=account.name)


@pages.post("/accounts/{account_id:number}/disable", _MANAGE)
def disable(visit: Visit) -> Response:
    """Nobody may sign in with the account; its sessions end at once."""
    with visit.site.database.write() as session:
        account = _account(visit, session.get(Account, visit.path["account_id"]))
        accounts.disable(session, account)
        visit.record(session, "disable", f"account {account.name}")
    return visit.redirect("/accounts")


@pages.post("/accounts/{account_id:number}/enable", _MANAGE)
def enable(visit: Visit) -> Response:
    """The account can be used again."""
    with visit.site.database.write() as session:
        account = _account(visit, session.get(Account, visit.path["account_id"]))
        account.disabled = False
        visit.record(session, "enable", f"account {account.name}")
    return visit.redirect("/accounts")


@pages.post("/accounts/{account_id:number}/confirm", _MANAGE)
def confirm(visit: Visit) -> Response:
    """Say that an account is a person's own, as an admin who did not invite it."""
    with visit.site.database.write() as session:
        account = _account(visit, session.get(Account, visit.path["account_id"]))
        accounts.confirm(account, visit.account.id)
        visit.record(session, "confirm", f"account {account.name}")
    return visit.redirect("/accounts")


@pages.post("/accounts/{account_id:number}/roles", _MANAGE)
def set_roles(visit: Visit) -> Response:
    """Other roles, in force from the next request on."""
    with visit.site.database.write() as session:
        account = _account(visit, session.get(Account, visit.path["account_id"]))
        if account.id == visit.account.id:
            raise Refused("Another administrator has to change your roles.")
        before = sorted(accounts.roles_of(account))
        accounts.set_roles(account, visit.texts("roles"))
        visit.record(session, "set roles", f"account {account.name}", before=before, after=visit.texts("roles"))
    return visit.redirect("/accounts")


def _account(visit: Visit, found: Account | None) -> Account:
    if found is None:
        raise HTTPException(404, f"There is no account {visit.path['account_id']}.")
    return found


def _link(visit: Visit, token: str) -> str:
    return f"{visit.request.url.scheme}://{visit.request.url.netloc}/welcome/{token}"


def _page(visit: Visit, *, error: str = "", link: str = "", invited: str = "", status: int = 200) -> Response:
    with visit.site.database.read() as session:
        everyone = accounts.everyone(session)
        outstanding = accounts.outstanding(session, visit.now)
    given = {"name": visit.text("name"), "full_name": visit.text("full_name"), "roles": visit.texts("roles")}
    return visit.render(
        "accounts.html",
        status,
        accounts=everyone,
        outstanding=outstanding,
        roles=ROLES,
        error=error,
        link=link,
        invited=invited,
        given=given if error else {"name": "", "full_name": "", "roles": []},
    )
