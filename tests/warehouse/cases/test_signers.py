"""Accounts that may sign a day off: older than the day, and not both in one person's hands."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy.orm import Session

from tests.warehouse.cases.people import DAY, NOW
from warehouse.cases import accounts, signoffs
from warehouse.cases.database import Database
from warehouse.cases.errors import Refused
from warehouse.cases.models import Account

LONG_AGO = NOW - timedelta(days=60)


def person(session: Session, name: str, by: Account | None = None, made: datetime = LONG_AGO) -> Account:
    """An account that has used the link of the one who invited it; without one, the first account of a server."""
    account = accounts.create(session, name, name.title(), ["admin", "audit"], made)
    if by is not None:
        accounts.send_link(session, account, by.id, made)
    account.password = "not the hash of any password"
    session.flush()
    return account


def sign(session: Session, account: Account) -> bool:
    signoffs.check_signer(session, DAY, 3, account.id)
    return signoffs.sign(session, DAY, 3, account.id, "seen", NOW)


def test_two_invitations_of_one_admin_make_no_two_people(database: Database) -> None:
    with database.write() as session:
        root = person(session, "root")
        rosa, bob, cyd = (person(session, name, root) for name in ("rosa", "bob", "cyd"))
        assert not sign(session, bob)
        with pytest.raises(Refused, match="that of Bob rest on one person"):
            sign(session, cyd)
        accounts.confirm(cyd, rosa.id)
        assert sign(session, cyd)


def test_nobody_signs_with_an_account_of_ones_own_making(database: Database) -> None:
    with database.write() as session:
        root = person(session, "root")
        bob, rosa = person(session, "bob", root), person(session, "rosa", root)
        with pytest.raises(Refused, match="has to confirm your account"):
            sign(session, root)
        accounts.confirm(root, rosa.id)
        assert not sign(session, root)
        with pytest.raises(Refused, match="that of Root rest on one person"):
            sign(session, bob)
        accounts.confirm(bob, rosa.id)
        assert sign(session, bob)


def test_an_account_that_is_younger_than_the_day_cannot_sign_it(database: Database) -> None:
    with database.write() as session:
        root = person(session, "root")
        midnight = datetime(DAY.year, DAY.month, DAY.day, tzinfo=NOW.tzinfo)
        with pytest.raises(Refused, match="older than the day"):
            sign(session, person(session, "bob", root, midnight))
        assert not sign(session, person(session, "cyd", root, midnight - timedelta(seconds=1)))


def test_a_new_link_takes_the_confirmation_back(database: Database) -> None:
    with database.write() as session:
        root = person(session, "root")
        rosa, bob, cyd = (person(session, name, root) for name in ("rosa", "bob", "cyd"))
        accounts.confirm(bob, rosa.id)
        accounts.send_link(session, bob, root.id, NOW)
        assert not sign(session, cyd)
        with pytest.raises(Refused, match="rest on one person"):
            sign(session, bob)


def test_only_another_admin_confirms(database: Database) -> None:
    with database.write() as session:
        root = person(session, "root")
        bob = person(session, "bob", root)
        for admin in (root, bob):
            with pytest.raises(Refused, match="Another administrator"):
                accounts.confirm(bob, admin.id)
        rosa = person(session, "rosa", root)
        bob.password = None
        with pytest.raises(Refused, match="has not set a password"):
            accounts.confirm(bob, rosa.id)
