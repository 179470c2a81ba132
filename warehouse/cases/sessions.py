"""Signing in and out: sessions that expire, and a limit to guessing."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from warehouse.cases import accounts, passwords
from warehouse.cases.models import Account, Attempt, SignedIn

IDLE: Final = timedelta(minutes=30)
LONGEST: Final = timedelta(hours=12)
# How often a session's last use is written down.
STEP: Final = timedelta(minutes=1)

WINDOW: Final = timedelta(minutes=15)
MOST_PER_NAME: Final = 6
MOST_PER_ADDRESS: Final = 30


@dataclass(frozen=True)
class Start:
    """A session that has begun: the id for the cookie is known only here."""

    id: str
    account: Account


class TooMany(Exception):
    """Too many failed attempts to sign in, by account or address."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__(f"too many attempts; wait {wait}")
        self.wait = wait


def check_rate(session: Session, name: str, address: str, now: datetime) -> None:
    """``TooMany`` where an account or an address has failed too often of late."""
    limits = (
        (Attempt.name == name.strip().lower()[:80], MOST_PER_NAME),
        (Attempt.address == address, MOST_PER_ADDRESS),
    )
    for which, most in limits:
        query = select(func.count(), func.min(Attempt.at)).where(which, Attempt.at > now - WINDOW)
        count, first = session.execute(query).one()
        if count >= most:
            raise TooMany(first + WINDOW - now)


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


def find(session: Session, session_id: str, now: datetime) -> SignedIn | None:
    """The session of an id, unless it has expired or its account was disabled."""
    row = session.get(SignedIn, accounts.digest(session_id))
    if row is None or row.account.disabled:
        return None
    expired = now - row.last_seen > IDLE or now - row.began > LONGEST
    return None if expired else row


def touch(session: Session, row: SignedIn, now: datetime) -> None:
    """Write down that a session was used."""
    found = session.get(SignedIn, row.id_hash)
    if found is not None:
        found.last_seen = now


def end(session: Session, session_id: str) -> None:
    """Sign out."""
    session.execute(delete(SignedIn).where(SignedIn.id_hash == accounts.digest(session_id)))
