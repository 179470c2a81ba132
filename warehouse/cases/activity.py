"""The activity log: every view of a case and every change, each row chained to the one before by its hash."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

from sqlalchemy import func, insert, select, text
from sqlalchemy.orm import Session

from warehouse.cases.database import LOG_LOCK
from warehouse.cases.models import ActivityRecord

_LAST: Final = select(ActivityRecord.number, ActivityRecord.hash).order_by(ActivityRecord.number.desc()).limit(1)


@dataclass(frozen=True)
class Actor:
    """The account behind an action, and its address."""

    name: str
    address: str


class _New(NamedTuple):
    """A row before it has its hash."""

    number: int
    at: datetime
    account: str
    address: str
    action: str
    subject: str
    details: str
    previous: str


def record(
    session: Session,
    actor: Actor,
    now: datetime,
    action: str,
    subject: str = "",
    details: Mapping[str, object] | None = None,
) -> None:
    """Add a row at the end of the log, in the transaction of what it tells."""
    connection = session.connection()
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOG_LOCK})
    last = connection.execute(_LAST).first()
    number, previous = (last.number + 1, last.hash) if last else (1, "")
    at = now.astimezone(UTC).replace(microsecond=now.microsecond // 1000 * 1000)
    told = json.dumps(details or {}, sort_keys=True, ensure_ascii=False, default=str)
    row = _New(number, at, actor.name, actor.address, action, subject, told, previous)
    connection.execute(insert(ActivityRecord), {**row._asdict(), "hash": fingerprint(row)})


def fingerprint(row: ActivityRecord | _New) -> str:
    """The hash of a row and, through it, of all before it."""
    fields = (row.number, row.at.isoformat(), row.account, row.address, row.action, row.subject, row.details)
    return hashlib.sha256(json.dumps([row.previous, *fields], ensure_ascii=False).encode()).hexdigest()


def first_break(session: Session) -> int | None:
    """The number of the first row that is not as it was written, or that does not follow the one before."""
    previous, expected = "", 1
    query = select(ActivityRecord).order_by(ActivityRecord.number).execution_options(yield_per=1000)
    with closing(session.scalars(query)) as rows:
        for row in rows:
            if row.number != expected or row.previous != previous or row.hash != fingerprint(row):
                return expected
            previous, expected = row.hash, expected + 1
    return None


@dataclass(frozen=True)
class ActivityFilter:
    """A filter of the log's rows."""

    account: str = ""
    action: str = ""
    subject: str = ""
    before: int | None = None


def newest(session: Session, wanted: ActivityFilter, limit: int) -> list[ActivityRecord]:
    """Rows of the log, the newest first."""
    query = select(ActivityRecord).order_by(ActivityRecord.number.desc()).limit(limit)
    if wanted.account:
        query = query.where(ActivityRecord.account == wanted.account)
    if wanted.action:
        query = query.where(ActivityRecord.action == wanted.action)
    if wanted.subject:
        query = query.where(func.lower(ActivityRecord.subject).contains(wanted.subject.lower(), autoescape=True))
    if wanted.before is not None:
        query = query.where(ActivityRecord.number < wanted.before)
    return list(session.scalars(query))
