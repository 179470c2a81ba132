"""Saved filters: views that somebody kept under a name."""

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from warehouse.cases.errors import Refused
from warehouse.cases.models import SavedFilter


def of(session: Session, account_id: int, page: str) -> list[SavedFilter]:
    """An account's filters for a page, by name."""
    query = select(SavedFilter).where(SavedFilter.account_id == account_id, SavedFilter.page == page)
    return list(session.scalars(query.order_by(SavedFilter.name)))


def save(session: Session, account_id: int, page: str, name: str, query: str) -> SavedFilter:
    """Keep a view's query under a name, in place of an older one of that name."""
    name = name.strip()
    if not 0 < len(name) <= 80 or len(query) > 2000:
        raise Refused("A saved filter needs a name of up to 80 characters.")
    found = next((each for each in of(session, account_id, page) if each.name == name), None)
    if found is None:
        found = SavedFilter(account_id=account_id, page=page, name=name)
        session.add(found)
    found.query = query
    session.flush()
    return found


def remove(session: Session, account_id: int, filter_id: int) -> None:
    """Forget one of the account's own filters."""
    session.execute(delete(SavedFilter).where(SavedFilter.account_id == account_id, SavedFilter.id == filter_id))
