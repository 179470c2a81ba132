"""Cases: rounds and findings that somebody looks into, and who may see them."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, selectinload

from warehouse.cases import accounts
from warehouse.cases.errors import Refused
from warehouse.cases.models import Account, Case, CaseItem, CaseNote, CaseShare
from warehouse.cases.words import CLOSED, ITEM_KINDS, OPEN, REGULATOR

LONGEST_NOTE: Final = 10_000


@dataclass(frozen=True)
class CaseFilter:
    """A filter of cases: ``state`` is open, closed, or empty for both."""

    state: str = ""
    title: str = ""


EVERY: Final = CaseFilter()


def all_of(session: Session, wanted: CaseFilter = EVERY) -> list[Case]:
    """The cases, the newest first."""
    return list(session.scalars(_listed(wanted)))


def shared_with(session: Session, account_id: int, wanted: CaseFilter = EVERY) -> list[Case]:
    """The cases that a regulator may see, the newest first."""
    shared = select(CaseShare.case_id).where(CaseShare.account_id == account_id, CaseShare.revoked.is_(None))
    return list(session.scalars(_listed(wanted).where(Case.id.in_(shared))))


def _listed(wanted: CaseFilter) -> Select[Case]:
    query = _whole().order_by(Case.id.desc())
    if wanted.state in (OPEN, CLOSED):
        query = query.where(Case.closed.is_(None) if wanted.state == OPEN else Case.closed.is_not(None))
    if wanted.title:
        query = query.where(func.lower(Case.title).contains(wanted.title.lower(), autoescape=True))
    return query


def open_titles(session: Session) -> list[tuple[int, str]]:
    """Numbers and titles of the cases that things can be put into, the newest first."""
    rows = session.execute(select(Case.id, Case.title).where(Case.closed.is_(None)).order_by(Case.id.desc()))
    return [(row.id, row.title) for row in rows]


def find(session: Session, case_id: int) -> Case | None:
    """A case with all that is in it."""
    return session.scalar(_whole().where(Case.id == case_id))


def _whole() -> Select[Case]:
    parts = (Case.items, Case.notes, Case.shares, Case.disputes, Case.statements)
    return select(Case).options(*(selectinload(each) for each in parts))


def having(session: Session, kind: str, ref: str) -> list[Case]:
    """The cases that a round or finding is in: open ones first, the newest first."""
    held = select(CaseItem.case_id).where(CaseItem.kind == kind, CaseItem.ref == ref)
    query = select(Case).where(Case.id.in_(held)).order_by(Case.closed.is_not(None), Case.id.desc())
    return list(session.scalars(query))


def may_see_case(session: Session, account_id: int, case_id: int) -> bool:
    """Tell whether a case is shared with a regulator."""
    query = select(CaseShare.id).where(CaseShare.case_id == case_id, CaseShare.account_id == account_id)
    return session.scalar(query.where(CaseShare.revoked.is_(None)).limit(1)) is not None


def may_see_item(session: Session, account_id: int, kind: str, ref: str) -> bool:
    """Tell whether a round or finding is in a case that is shared with a regulator."""
    query = select(CaseItem.id).join(CaseShare, CaseShare.case_id == CaseItem.case_id)
    query = query.where(CaseItem.kind == kind, CaseItem.ref == ref)
    query = query.where(CaseShare.account_id == account_id, CaseShare.revoked.is_(None))
    return session.scalar(query.limit(1)) is not None


def open_case(session: Session, title: str, author: str, now: datetime) -> Case:
    """A new case."""
    title = title.strip()
    if not 0 < len(title) <= 200:
        raise Refused("A case needs a title of up to 200 characters.")
    case = Case(title=title, opened_by=author, opened=now, items=[], notes=[], shares=[], disputes=[], statements=[])
    session.add(case)
    session.flush()
    return case


def add_item(case: Case, kind: str, ref: str, day: date, author: str, now: datetime) -> bool:
    """Put a round or finding into a case; whether it was not there yet."""
    if kind not in ITEM_KINDS:
        raise Refused(f"{kind!r} cannot be put into a case: expected one of {', '.join(ITEM_KINDS)}.")
    must_be_open(case)
    if any((item.kind, item.ref) == (kind, ref) for item in case.items):
        return False
    case.items.append(CaseItem(kind=kind, ref=ref, gaming_day=day, added_by=author, added=now))
    return True


def add_note(case: Case, text: str, author: str, now: datetime) -> None:
    """Write a note into a case."""
    text = text.strip()
    if not 0 < len(text) <= LONGEST_NOTE:
        raise Refused(f"A note has 1 to {LONGEST_NOTE} characters, this one {len(text)}.")
    must_be_open(case)
    case.notes.append(CaseNote(text=text, author=author, at=now))


def share(case: Case, account: Account, author: str, now: datetime) -> None:
    """Let a regulator see a case; ``Refused`` for accounts that are none."""
    if REGULATOR not in accounts.roles_of(account) or account.disabled:
        raise Refused(f"{account.name} is not the account of a regulator who can sign in.")
    if not any(each.account_id == account.id and each.revoked is None for each in case.shares):
        case.shares.append(CaseShare(account_id=account.id, account=account, shared_by=author, shared=now))


def revoke(case: Case, account_id: int, now: datetime) -> None:
    """A regulator may no longer see a case."""
    for each in case.shares:
        if each.account_id == account_id and each.revoked is None:
            each.revoked = now


def close(case: Case, now: datetime) -> None:
    """Nothing is added to a closed case."""
    must_be_open(case)
    case.closed = now


def reopen(case: Case) -> None:
    """Go on with a case."""
    case.closed = None


def must_be_open(case: Case) -> None:
    """``Refused`` for a closed case."""
    if case.closed is not None:
        raise Refused(f"Case {case.id} is closed; open it again first.")
