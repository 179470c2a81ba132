"""Signing off a gaming day: two different people stand by the same snapshot of it."""

from datetime import date, datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from warehouse.cases import accounts
from warehouse.cases.errors import Refused
from warehouse.cases.models import Account, SignOffRecord

NEEDED: Final = 2


def of_day(session: Session, day: date) -> list[SignOffRecord]:
    """All signatures under a day, the oldest first, whatever its snapshot."""
    return list(
        session.scalars(select(SignOffRecord).where(SignOffRecord.gaming_day == day).order_by(SignOffRecord.id))
    )


def sign(session: Session, day: date, snapshot: int, account_id: int, note: str, now: datetime) -> bool:
    """Sign a day as a snapshot shows it, ``snapshot`` being the one that last published the day.

    Whether the signature was the one that completes the sign-off. ``Refused`` for a second one by the same person.
    Whether somebody may sign at all is for ``check_signer`` to say.
    """
    signed = [row.account_id for row in of_day(session, day) if row.snapshot == snapshot]
    if account_id in signed:
        raise Refused("You have signed this day already; the second signature must be another person's.")
    if len(signed) >= NEEDED:
        raise Refused("Two people have signed this day already.")
    session.add(
        SignOffRecord(gaming_day=day, snapshot=snapshot, account_id=account_id, at=now, note=note.strip()[:2000])
    )
    session.flush()
    return len(signed) + 1 == NEEDED


def check_signer(session: Session, day: date, snapshot: int, account_id: int) -> None:
    """``Refused`` for accounts that were made for the day, or that may be in one person's hands.

    Who sends an invitation could use its link too. So an account that signs is older than the day, an admin other than
    its owner stands for it, and no single person made both of the accounts that sign a day.
    """
    account = session.get_one(Account, account_id)
    if account.created.date() >= day:
        made = f"{account.created:%Y-%m-%d}"
        raise Refused(
            f"Your account was made on {made}; {day} has to be signed by accounts that are older than the day."
        )
    if not accounts.backers(account):
        raise Refused("Another administrator has to confirm your account before you sign.")
    for row in of_day(session, day):
        if (
            row.snapshot == snapshot
            and row.account_id != account_id
            and _in_hands_of(row.account) & _in_hands_of(account)
        ):
            who = row.account.full_name or row.account.name
            raise Refused(f"Your account and that of {who} rest on one person; another admin has to confirm yours.")


def _in_hands_of(account: Account) -> frozenset[int]:
    """List who may act as an account: its owner, and an admin who alone represents it."""
    behind = accounts.backers(account)
    return frozenset({account.id}) | (behind if len(behind) == 1 else frozenset())


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
