"""The statuses of findings. They belong to the finding_id, which survives every new audit of the day."""

import secrets
from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Final

from sqlalchemy import ColumnElement, Select, func, select, true
from sqlalchemy.orm import Session, aliased

from warehouse.cases.errors import Refused
from warehouse.cases.models import FindingChange
from warehouse.cases.words import DISMISSED, NEW, STATUSES

LONGEST_NOTE: Final = 2000
MOST_AT_ONCE: Final = 1000


def of_day(session: Session, day: date) -> list[FindingChange]:
    """The newest status of every finding of a day that somebody has given one."""
    return list(session.scalars(_newest(FindingChange.gaming_day == day)))


def of_all_days(session: Session) -> list[FindingChange]:
    """The newest status of every finding that somebody has given one."""
    return list(session.scalars(_newest(true())))


def of(session: Session, finding_ids: Collection[str]) -> dict[str, FindingChange]:
    """The newest status of these findings, where they have one."""
    if not finding_ids:
        return {}
    rows = session.scalars(_newest(FindingChange.finding_id.in_(list(finding_ids))))
    return {row.finding_id: row for row in rows}


def _newest(which: ColumnElement[bool]) -> Select[FindingChange]:
    last = select(func.max(FindingChange.number)).where(which).group_by(FindingChange.finding_id)
    return select(FindingChange).where(FindingChange.number.in_(last))


def history(session: Session, finding_id: str) -> list[FindingChange]:
    """List the statuses of a finding, the oldest first."""
    query = select(FindingChange).where(FindingChange.finding_id == finding_id)
    return list(session.scalars(query.order_by(FindingChange.number)))


def last_change(session: Session, day: date) -> int:
    """A number that grows with every change to a day's findings."""
    return session.scalar(select(func.max(FindingChange.number)).where(FindingChange.gaming_day == day)) or 0


def change(session: Session, days: Mapping[str, date], status: str, note: str, author: str, now: datetime) -> str:
    """Give findings, each with its gaming day, a status at one stroke; the batch, by which it can be undone."""
    note = note.strip()
    if status not in STATUSES:
        raise Refused(f"{status!r} is no status: expected one of {', '.join(STATUSES)}.")
    if not 0 < len(days) <= MOST_AT_ONCE:
        raise Refused(f"{len(days)} findings cannot be changed at once: expected 1 to {MOST_AT_ONCE}.")
    if status == DISMISSED and not note:
        raise Refused("Say in a note why it is dismissed.")
    if len(note) > LONGEST_NOTE:
        raise Refused(f"The note has {len(note)} characters; {LONGEST_NOTE} is the most.")
    batch = secrets.token_hex(16)
    for finding_id, day in days.items():
        row = FindingChange(finding_id=finding_id, gaming_day=day, status=status, note=note, author=author)
        row.at, row.batch = now, batch
        session.add(row)
    session.flush()
    return batch


def undo(session: Session, batch: str, author: str, now: datetime) -> list[FindingChange]:
    """Give every finding of a batch the status that it had before; the rows added.

    ``Refused`` for another's batch, one that was undone, or where a finding has been changed since.
    """
    done = list(session.scalars(select(FindingChange).where(FindingChange.batch == batch)))
    if not done or done[0].author != author:
        raise Refused("There is nothing of yours to undo here.")
    if session.scalar(select(FindingChange.number).where(FindingChange.undoes == batch).limit(1)):
        raise Refused("That has been undone already.")
    newest = of(session, [row.finding_id for row in done])
    if any(newest[row.finding_id].batch != batch for row in done):
        raise Refused("It was changed again since; change it by hand.")
    before = _before(session, batch)
    undone = [_restored(row, before.get(row.finding_id), author, now) for row in done]
    session.add_all(undone)
    session.flush()
    return undone


def _before(session: Session, batch: str) -> dict[str, FindingChange]:
    """Return the statuses that the findings of a batch had before it."""
    mine, earlier = aliased(FindingChange), aliased(FindingChange)
    last = (
        select(func.max(earlier.number))
        .join(mine, (mine.finding_id == earlier.finding_id) & (earlier.number < mine.number))
        .where(mine.batch == batch)
        .group_by(earlier.finding_id)
    )
    rows = session.scalars(select(FindingChange).where(FindingChange.number.in_(last)))
    return {row.finding_id: row for row in rows}


def _restored(row: FindingChange, before: FindingChange | None, author: str, now: datetime) -> FindingChange:
    restored = FindingChange(finding_id=row.finding_id, gaming_day=row.gaming_day, author=author, at=now)
    restored.status, restored.note = (before.status, before.note) if before else (NEW, "")
    restored.batch, restored.undoes = secrets.token_hex(16), row.batch
    return restored
