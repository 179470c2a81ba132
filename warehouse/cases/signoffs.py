"""Signing off a gaming day: two different people stand by the same snapshot of it."""

from datetime import date, datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.cases.errors import Refused
from warehouse.cases.models import SignOff

NEEDED: Final = 2


def of_day(session: Session, day: date) -> list[SignOff]:
    """All signatures under a day, the oldest first, whatever its snapshot."""
    return list(session.scalars(select(SignOff).where(SignOff.gaming_day == day).order_by(SignOff.id)))


def of_days(session: Session) -> dict[date, list[SignOff]]:
    """All signatures, by day."""
    found: dict[date, list[SignOff]] = {}
    for row in session.scalars(select(SignOff).order_by(SignOff.id)):
        found.setdefault(row.gaming_day, []).append(row)
    return found


def sign(session: Session, day: date, snapshot: int, account_id: int, note: str, now: datetime) -> bool:
    """Sign a day as a snapshot shows it, ``snapshot`` being the one that last published the day.

    Whether the signature was the one that completes the sign-off. ``Refused`` for a second one by the same person.
    """
    signed = [row.account_id for row in of_day(session, day) if row.snapshot == snapshot]
    if account_id in signed:
        raise Refused("You have signed this day already; the second signature must be another person's.")
    if len(signed) >= NEEDED:
        raise Refused("Two people have signed this day already.")
    session.add(SignOff(gaming_day=day, snapshot=snapshot, account_id=account_id, at=now, note=note.strip()[:2000]))
    session.flush()
    return len(signed) + 1 == NEEDED


def withdraw(session: Session, day: date, snapshot: int, account_id: int) -> None:
    """Take one's own signature back; ``Refused`` once two people have signed, or where there is none."""
    signed = [row for row in of_day(session, day) if row.snapshot == snapshot]
    if len(signed) >= NEEDED:
        raise Refused("Two people have signed this day; that can no longer be taken back.")
    own = next((row for row in signed if row.account_id == account_id), None)
    if own is None:
        raise Refused("You have not signed this day as it is published now.")
    session.delete(own)
    session.flush()
