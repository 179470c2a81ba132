"""People and moments of the tests."""

from datetime import UTC, date, datetime

from warehouse.cases import accounts, activity
from warehouse.cases.activity import Actor
from warehouse.cases.database import Database

NOW = datetime(2026, 1, 7, 12, 0, tzinfo=UTC)
DAY = date(2026, 1, 5)
ANN = Actor("ann", "127.0.0.1")
GOOD = "seven of hearts, suited"


def account(database: Database, name: str, *roles: str, password: str | None = None) -> int:
    """A new account; without a password that can be used, because hashing one takes a while."""
    with database.write() as session:
        made = accounts.create(session, name, name.title(), roles, NOW)
        if password is None:
            made.password = "not the hash of any password"
        else:
            accounts.set_password(session, made, password)
        return made.id


def log(database: Database, *subjects: str) -> None:
    """Rows of the activity log."""
    with database.write() as session:
        for subject in subjects:
            activity.record(session, ANN, NOW, "view", subject, {"query": "day=2026-01-05"})
