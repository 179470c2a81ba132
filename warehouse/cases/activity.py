"""The activity log: every view of a case and every change, each row chained to the one before by its hash."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from warehouse.cases.database import LOG_LOCK
from warehouse.cases.models import Activity


@dataclass(frozen=True)
class Actor:
    """Who did something, and from where."""

    name: str
    address: str


def record(
    session: Session,
    actor: Actor,
    now: datetime,
    action: str,
    subject: str = "",
    details: Mapping[str, object] | None = None,
) -> Activity:
    """Add a row at the end of the log, in the transaction of what it tells."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOG_LOCK})
    last = session.execute(select(Activity.number, Activity.hash).order_by(Activity.number.desc()).limit(1)).first()
    number, previous = (last.number + 1, last.hash) if last else (1, "")
    row = Activity(
        number=number,
        at=now.astimezone(UTC).replace(microsecond=now.microsecond // 1000 * 1000),
        account=actor.name,
        address=actor.address,
        action=action,
        subject=subject,
        details=json.dumps(details or {}, sort_keys=True, ensure_ascii=False, default=str),
        previous=previous,
    )
    row.hash = fingerprint(row)
    session.add(row)
    session.flush()
    return row


def fingerprint(row: Activity) -> str:
    """The hash of a row and, through it, of all before it."""
    fields = (row.number, row.at.isoformat(), row.account, row.address, row.action, row.subject, row.details)
    return hashlib.sha256(json.dumps([row.previous, *fields], ensure_ascii=False).encode()).hexdigest()


def first_break(session: Session) -> int | None:
    """The number of the first row that is not as it was written, or that does not follow the one before."""
    previous, expected = "", 1
    query = select(Activity).order_by(Activity.number).execution_options(yield_per=1000)
    with closing(session.scalars(query)) as rows:
        for row in rows:
            if row.number != expected or row.previous != previous or row.hash != fingerprint(row):
                return expected
            previous, expected = row.hash, expected + 1
    return None


@dataclass(frozen=True)
class Wanted:
    """Which rows of the log to show."""

    account: str = ""
    action: str = ""
    subject: str = ""
    before: int | None = None


def newest(session: Session, wanted: Wanted, limit: int) -> list[Activity]:
    """Rows of the log, the newest first."""
    query = select(Activity).order_by(Activity.number.desc()).limit(limit)
    if wanted.account:
        query = query.where(Activity.account == wanted.account)
    if wanted.action:
        query = query.where(Activity.action == wanted.action)
    if wanted.subject:
        query = query.where(func.lower(Activity.subject).contains(wanted.subject.lower(), autoescape=True))
    if wanted.before is not None:
        query = query.where(Activity.number < wanted.before)
    return list(session.scalars(query))
