"""Signing in and out: sessions that expire, and a limit to guessing."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.orm import Session

from warehouse.cases import accounts, passwords
from warehouse.cases.models import Account, AccountRole, Attempt, SignedIn

IDLE: Final = timedelta(minutes=30)
LONGEST: Final = timedelta(hours=12)
# How often a session's last use is written down.
STEP: Final = timedelta(minutes=1)

WINDOW: Final = timedelta(minutes=15)
MOST_PER_NAME: Final = 6
MOST_PER_ADDRESS: Final = 30

# Every request begins with it, so it is one query for columns, a row for each role.
_FIND: Final = (
    select(SignedIn.id_hash, SignedIn.csrf, SignedIn.began, SignedIn.last_seen)
    .add_columns(Account.id, Account.name, Account.full_name, Account.disabled, AccountRole.role)
    .join(Account, Account.id == SignedIn.account_id)
    .outerjoin(AccountRole, AccountRole.account_id == Account.id)
    .where(SignedIn.id_hash == bindparam("id_hash"))
)


@dataclass(frozen=True)
class Start:
    """A session that has begun: the id for the cookie is known only here."""

    id: str
    account: Account


@dataclass(frozen=True)
class Person:
    """An account as every request needs it."""

    id: int
    name: str
    full_name: str
    roles: frozenset[str]


@dataclass(frozen=True)
class Running:
    """A session that holds, and whose it is."""

    id_hash: str
    csrf: str
    last_seen: datetime
    account: Person


class TooMany(Exception):
    """Too many failed attempts to sign in, by account or address."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__(f"too many attempts; wait {wait}")
        self.wait = wait


def check_rate(session: Session, name: str, address: str, now: datetime) -> None:
    """``TooMany`` where an account or an address has failed too often of late."""
    for _, wait in reached(session, name, address, now):
        raise TooMany(wait)


def reached(session: Session, name: str, address: str, now: datetime) -> list[tuple[str, timedelta]]:
    """Return the limits, ``name`` and ``address``, that failed attempts have reached, and how long each still holds."""
    limits = (
        ("name", Attempt.name == name.strip().lower()[:80], MOST_PER_NAME),
        ("address", Attempt.address == address, MOST_PER_ADDRESS),
    )
    found = []
    for limit, which, most in limits:
        query = select(func.count(), func.min(Attempt.at)).where(which, Attempt.at > now - WINDOW)
        count, first = session.execute(query).one()
        if count >= most:
            found.append((limit, first + WINDOW - now))
    return found


def failed(session: Session, name: str, address: str, now: datetime) -> None:
    """Remember a failed attempt, and forget those that no longer count."""
    session.execute(delete(Attempt).where(Attempt.at <= now - WINDOW))
    session.add(Attempt(at=now, name=name.strip().lower()[:80], address=address))


def authenticate(session: Session, name: str, password: str) -> Account | None:
    """The account that name and password belong to."""
    account = accounts.by_name(session, name)
    usable = account is not None and not account.disabled
    if passwords.matches(account.password if account else None, password) and usable:
        return account
    return None


def begin(session: Session, account: Account, address: str, now: datetime) -> Start:
    """A new session with an id of its own; failed attempts with the account's name are forgiven."""
    session.execute(delete(SignedIn).where(SignedIn.began <= now - LONGEST))
    session.execute(delete(Attempt).where(Attempt.name == account.name))
    session_id = secrets.token_urlsafe(32)
    row = SignedIn(id_hash=accounts.digest(session_id), account_id=account.id, address=address)
    row.csrf, row.began, row.last_seen = secrets.token_urlsafe(32), now, now
    session.add(row)
    return Start(session_id, account)


def find(session: Session, session_id: str, now: datetime) -> Running | None:
    """The session of an id, unless it has expired or its account was disabled."""
    rows = session.execute(_FIND, {"id_hash": accounts.digest(session_id)}).all()
    if not rows or rows[0].disabled:
        return None
    row = rows[0]
    if now - row.last_seen > IDLE or now - row.began > LONGEST:
        return None
    roles = frozenset(each.role for each in rows if each.role is not None)
    return Running(row.id_hash, row.csrf, row.last_seen, Person(row.id, row.name, row.full_name, roles))


def touch(session: Session, running: Running, now: datetime) -> None:
    """Write down that a session was used."""
    session.execute(update(SignedIn).where(SignedIn.id_hash == running.id_hash).values(last_seen=now))


def end(session: Session, session_id: str) -> None:
    """Sign out."""
    session.execute(delete(SignedIn).where(SignedIn.id_hash == accounts.digest(session_id)))
