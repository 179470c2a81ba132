"""Accounts: made by invitation, disabled, never deleted."""

import hashlib
import re
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from warehouse.cases import passwords
from warehouse.cases.errors import Refused
from warehouse.cases.models import Account, AccountRole, Invitation, SignedIn
from warehouse.cases.words import ADMIN, AUDIT, REGULATOR, ROLES, SURVEILLANCE

INVITATION_VALID: Final = timedelta(hours=72)
SET_UP_VALID: Final = timedelta(hours=24)
# Who sets audit21 up may do everything but look at it as a regulator would.
FOUNDER_ROLES: Final = (ADMIN, AUDIT, SURVEILLANCE)
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{1,39}")


def none_yet(session: Session) -> bool:
    """Tell whether there is no account yet."""
    return session.scalar(select(Account.id).where(Account.password.is_not(None)).limit(1)) is None


def everyone(session: Session) -> list[Account]:
    """All accounts by name."""
    return list(session.scalars(select(Account).order_by(Account.name)))


def regulators(session: Session) -> list[Account]:
    """The accounts that cases can be shared with."""
    return [each for each in everyone(session) if REGULATOR in roles_of(each) and not each.disabled]


def by_name(session: Session, name: str) -> Account | None:
    """The account of a name, in whatever case it is typed."""
    return session.scalar(select(Account).where(Account.name == name.strip().lower()))


def roles_of(account: Account) -> frozenset[str]:
    """The roles of an account."""
    return frozenset(each.role for each in account.roles)


def create(session: Session, name: str, full_name: str, roles: Collection[str], now: datetime) -> Account:
    """A new account, without a password yet; ``Refused`` where the name or the roles will not do."""
    name = name.strip().lower()
    if not _NAME.fullmatch(name):
        raise Refused(f"{name!r} is no account name: 2 to 40 letters, digits, dots, dashes or underscores are.")
    if by_name(session, name) is not None:
        raise Refused(f"There is an account {name} already; choose another name.")
    account = Account(name=name, full_name=full_name.strip()[:200] or name, created=now)
    session.add(account)
    session.flush()
    set_roles(account, roles)
    return account


def set_roles(account: Account, roles: Collection[str]) -> None:
    """Give an account its roles; ``Refused`` for none, unknown ones, or a regulator with others."""
    wanted = set(roles)
    if not wanted or not wanted <= set(ROLES):
        raise Refused(f"Choose one or more of the roles {', '.join(ROLES)}.")
    if REGULATOR in wanted and len(wanted) > 1:
        raise Refused("A regulator sees shared cases only, so the role goes with no other.")
    account.roles = [AccountRole(account_id=account.id, role=role) for role in sorted(wanted)]


def set_password(session: Session, account: Account, password: str) -> None:
    """A new password, which ends all sessions of the account."""
    passwords.check(password, account.name)
    account.password = passwords.kept(password)
    end_sessions(session, account)


def disable(session: Session, account: Account) -> None:
    """Nobody may sign in with the account any more; ``Refused`` for the last administrator."""
    if ADMIN in roles_of(account) and len(_administrators(session)) == 1 and not account.disabled:
        raise Refused(f"{account.name} is the only administrator; make another one first.")
    account.disabled = True
    end_sessions(session, account)


def end_sessions(session: Session, account: Account) -> None:
    """Sign an account out everywhere."""
    session.execute(delete(SignedIn).where(SignedIn.account_id == account.id))


def _administrators(session: Session) -> list[Account]:
    query = select(Account).join(AccountRole).where(AccountRole.role == ADMIN, Account.disabled.is_(False))
    return list(session.scalars(query.where(Account.password.is_not(None))))


# One-time links.


def send_link(session: Session, account: Account, admin_id: int, now: datetime) -> str:
    """The token of a one-time link that an admin hands on, and could use too: an earlier confirmation ends."""
    account.invited_by, account.confirmed_by = admin_id, None
    return invite(session, account, now)


def confirm(account: Account, admin_id: int) -> None:
    """Say that an account is a person's own; ``Refused`` for one's own, one's own invitation, and unused links."""
    if account.id == admin_id or account.invited_by == admin_id:
        raise Refused(f"Another administrator has to confirm {account.name}: not its owner, nor who invited it.")
    if account.password is None:
        raise Refused(f"{account.name} has not set a password yet; confirm the account when its owner has.")
    account.confirmed_by = admin_id


def backers(account: Account) -> frozenset[int]:
    """The admins who stand for an account: who invited it, and who confirmed it."""
    named = (account.invited_by, account.confirmed_by)
    return frozenset(each for each in named if each is not None and each != account.id)


def digest(token: str) -> str:
    """Return the hash of a token, which is stored in its place."""
    return hashlib.sha256(token.encode()).hexdigest()


def invite(session: Session, account: Account | None, now: datetime, valid: timedelta = INVITATION_VALID) -> str:
    """The token of a one-time link that sets an account's password, or makes the first account; older ones end."""
    used = Invitation.account_id == account.id if account else Invitation.account_id.is_(None)
    session.execute(delete(Invitation).where(used, Invitation.used.is_(None)))
    token = secrets.token_urlsafe(32)
    invitation = Invitation(token_hash=digest(token), account_id=account.id if account else None, made=now)
    invitation.expires = now + valid
    session.add(invitation)
    return token


def invited(session: Session, token: str, now: datetime) -> Invitation | None:
    """The invitation of a link that still holds."""
    found = session.get(Invitation, digest(token))
    if found is None or found.used is not None or found.expires <= now:
        return None
    if found.account_id is None and not none_yet(session):
        return None
    return found


def outstanding(session: Session, now: datetime) -> dict[int, datetime]:
    """Until when the links of accounts hold that were not used yet."""
    query = select(Invitation.account_id, func.max(Invitation.expires)).group_by(Invitation.account_id)
    rows = session.execute(query.where(Invitation.used.is_(None), Invitation.expires > now))
    return {account_id: expires for account_id, expires in rows if account_id is not None}
