"""The activity log: it only grows, and shows when somebody got at it."""

import threading
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.warehouse.cases.people import ANN, NOW, log
from warehouse.cases import accounts, activity
from warehouse.cases.activity import ActivityFilter
from warehouse.cases.database import Database
from warehouse.cases.errors import CasesError, Refused
from warehouse.cases.models import ActivityRecord

COLUMNS = "at, account, address, action, subject, details"


def test_the_log_is_a_chain(database: Database) -> None:
    log(database, "round 1", "round 2", "case 1")
    with database.read() as session:
        rows = activity.newest(session, ActivityFilter(), 10)
        assert [row.number for row in rows] == [3, 2, 1]
        assert [row.subject for row in activity.newest(session, ActivityFilter(subject="ROUND"), 10)] == [
            "round 2",
            "round 1",
        ]
        assert rows[0].previous == rows[1].hash and rows[2].previous == ""
        assert activity.first_break(session) is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE activity SET subject = 'nothing' WHERE number = 1",
        "DELETE FROM activity WHERE number = 2",
        f"INSERT INTO activity SELECT number + 5, {COLUMNS}, hash, 'x' FROM activity",
        f"INSERT INTO activity SELECT number + 2, {COLUMNS}, 'x', 'y' FROM activity",
    ],
)
def test_nobody_changes_the_log(database: Database, statement: str) -> None:
    log(database, "round 1", "round 2")
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(text(statement))
    with database.read() as session:
        assert [row.subject for row in activity.newest(session, ActivityFilter(), 10)] == ["round 2", "round 1"]


def test_a_row_cannot_be_replaced_or_the_log_emptied(database: Database) -> None:
    log(database, "round 1", "round 2")
    kind = database.url.get_backend_name()
    statement = "TRUNCATE activity"
    if kind == "sqlite":
        statement = f"INSERT OR REPLACE INTO activity SELECT number, {COLUMNS}, 'x', 'y' FROM activity WHERE number = 2"
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(text(statement))


def test_a_changed_row_is_found(database: Database) -> None:
    log(database, "round 1", "round 2", "round 3")
    kind = database.url.get_backend_name()
    off = (
        "ALTER TABLE activity DISABLE TRIGGER ALL" if kind == "postgresql" else "DROP TRIGGER activity_is_never_changed"
    )
    with database.write() as session:
        session.execute(text(off))
        session.execute(text("UPDATE activity SET account = 'bob' WHERE number = 2"))
    with database.read() as session:
        assert activity.first_break(session) == 2


def test_many_writers_make_one_chain(database: Database) -> None:
    threads = [threading.Thread(target=log, args=(database, *("round 1",) * 5)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        assert len(activity.newest(session, ActivityFilter(), 100)) == 30
        assert activity.first_break(session) is None


def test_what_fails_leaves_no_trace(database: Database) -> None:
    with pytest.raises(Refused), database.write() as session:
        activity.record(session, ANN, NOW, "invite", "account x")
        accounts.create(session, "no good name!", "", ["audit"], NOW)
    with database.read() as session:
        assert session.query(ActivityRecord).count() == 0


def test_it_opens_again_and_refuses_what_it_does_not_know(database: Database, tmp_path: Path) -> None:
    log(database, "round 1")
    again = Database(str(database.url.render_as_string(hide_password=False)))
    with again.read() as session:
        assert activity.first_break(session) is None
    with again.write() as session:
        session.execute(text("UPDATE meta SET form = 99"))
    again.close()
    with pytest.raises(CasesError, match="form 99"):
        Database(str(database.url.render_as_string(hide_password=False)))
    with pytest.raises(CasesError, match="expected a path"):
        Database("mysql://root@localhost/x")
    with pytest.raises(CasesError, match="cannot be used"):
        Database(tmp_path / "no" / "such" / "folder.db")


def test_only_what_need_not_wait_for_the_disk_does_not(database: Database) -> None:
    asked, (waits, does_not) = {
        "sqlite": ("PRAGMA synchronous", (2, 1)),
        "postgresql": ("SHOW synchronous_commit", ("on", "off")),
    }[database.url.get_backend_name()]
    for given, expected in ((False, does_not), (True, waits), (False, does_not)):
        with database.write(waits_for_disk=given) as session:
            assert session.execute(text(asked)).scalar_one() == expected
    with database.write() as session:
        assert session.execute(text(asked)).scalar_one() == waits
