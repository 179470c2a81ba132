"""Accounts, sessions, one-time links, and the limit to guessing."""

from datetime import timedelta

import pytest

from tests.warehouse.cases.people import GOOD, NOW, account
from warehouse.cases import accounts, sessions
from warehouse.cases.database import Database
from warehouse.cases.errors import Refused
from warehouse.cases.models import Attempt


def test_names_roles_and_passwords_are_checked(database: Database) -> None:
    account(database, "ann", "surveillance")
    bad = [
        ("Ann ", ["audit"], "already"),
        ("x", ["audit"], "no account name"),
        ("bob", [], "Choose"),
        ("bob", ["king"], "Choose"),
    ]
    for name, roles, why in [*bad, ("bob", ["regulator", "audit"], "no other")]:
        with pytest.raises(Refused, match=why), database.write() as session:
            accounts.create(session, name, "", roles, NOW)
    for password in ("short", "aaaaaaaaaaaaaaaa", "my name is ann, so"):
        with pytest.raises(Refused, match="password"), database.write() as session:
            found = accounts.by_name(session, "ann")
            assert found is not None
            accounts.set_password(session, found, password)


def test_sessions_end_when_idle_and_after_a_shift(database: Database) -> None:
    ann_id = account(database, "ann", "surveillance")
    with database.write() as session:
        found = accounts.by_name(session, "ANN ")
        assert found is not None and found.id == ann_id
        begun = sessions.begin(session, found, "127.0.0.1", NOW)
    with database.read() as session:
        assert sessions.find(session, begun.id, NOW + timedelta(minutes=30)) is not None
        assert sessions.find(session, begun.id, NOW + timedelta(minutes=30, seconds=1)) is None
        assert sessions.find(session, begun.id + "x", NOW) is None
    when = NOW
    while when - NOW < timedelta(hours=12):
        when += timedelta(minutes=20)
        with database.write() as session:
            row = sessions.find(session, begun.id, when)
            assert row is not None
            sessions.touch(session, row, when)
    with database.read() as session:
        assert sessions.find(session, begun.id, when + timedelta(minutes=1)) is None


def test_a_disabled_account_is_out_at_once(database: Database) -> None:
    account(database, "ann", "surveillance", password=GOOD)
    account(database, "root", "admin")
    with database.write() as session:
        assert sessions.authenticate(session, "Ann", GOOD) is not None
        assert sessions.authenticate(session, "ann", GOOD + ".") is None
        ann, root = accounts.by_name(session, "ann"), accounts.by_name(session, "root")
        assert ann is not None and root is not None
        begun = sessions.begin(session, ann, "", NOW)
        accounts.disable(session, ann)
        assert sessions.find(session, begun.id, NOW) is None
        assert sessions.authenticate(session, "ann", GOOD) is None
        with pytest.raises(Refused, match="only administrator"):
            accounts.disable(session, root)


def test_guessing_is_limited_by_account_and_by_address(database: Database) -> None:
    with database.write() as session:
        for n in range(sessions.MOST_PER_NAME):
            sessions.check_rate(session, "ann", f"10.0.0.{n}", NOW)
            sessions.failed(session, "Ann", f"10.0.0.{n}", NOW)
        with pytest.raises(sessions.TooMany) as refused:
            sessions.check_rate(session, "ann", "10.9.9.9", NOW + timedelta(minutes=5))
        assert refused.value.wait == timedelta(minutes=10)
        sessions.check_rate(session, "bob", "10.9.9.9", NOW)
        sessions.check_rate(session, "ann", "10.9.9.9", NOW + sessions.WINDOW)
        for n in range(sessions.MOST_PER_ADDRESS):
            sessions.failed(session, f"guess{n}", "10.1.1.1", NOW)
        with pytest.raises(sessions.TooMany):
            sessions.check_rate(session, "somebody else", "10.1.1.1", NOW)
        sessions.failed(session, "zoe", "10.2.2.2", NOW + sessions.WINDOW)
        assert session.query(Attempt).count() == 1


def test_links_work_once_and_not_for_ever(database: Database) -> None:
    ann_id = account(database, "ann", "surveillance")
    with database.write() as session:
        found = accounts.by_name(session, "ann")
        first, second = accounts.invite(session, found, NOW), accounts.invite(session, found, NOW)
        set_up = accounts.invite(session, None, NOW)
    with database.write() as session:
        assert accounts.invited(session, first, NOW) is None
        invitation = accounts.invited(session, second, NOW)
        assert invitation is not None and invitation.account_id == ann_id
        assert accounts.invited(session, second, NOW + accounts.INVITATION_VALID) is None
        invitation.used = NOW
        assert accounts.invited(session, second, NOW) is None
        assert accounts.invited(session, set_up, NOW) is None, "somebody has an account already"
