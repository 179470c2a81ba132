"""Databases of older forms are brought forward: nothing that they hold is lost, and they are as new ones are."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from tests.warehouse.cases.conftest import emptied
from tests.warehouse.cases.people import ANN, NOW
from warehouse.cases import accounts, activity, cases, disputes, forms
from warehouse.cases.activity import Actor
from warehouse.cases.database import Database
from warehouse.cases.dispute import Dispute
from warehouse.cases.errors import CasesError

# Written by audit21 when its tables had form 1: an account, a case with a round and a note, three rows of the log.
FORM_1 = Path(__file__).parent / "form1"


@pytest.fixture(params=["sqlite", "postgresql"])
def older(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database of form 1."""
    script = (FORM_1 / f"{request.param}.sql").read_text(encoding="utf-8")
    if request.param == "sqlite":
        with closing(sqlite3.connect(tmp_path / "old.db")) as con:
            con.executescript(script)
        yield f"sqlite:///{tmp_path / 'old.db'}"
    else:
        url = emptied(request.getfixturevalue("postgres"))
        with psycopg.connect(url, autocommit=True) as con:
            con.execute(script.encode())
        yield url


def described(database: Database) -> dict[str, Any]:
    """The tables of a database, with their columns, keys and indexes, and its triggers."""
    engine = create_engine(database.url)
    try:
        with engine.connect() as con:
            look = inspect(con)
            tables = {
                name: (
                    [(each["name"], str(each["type"]), each["nullable"]) for each in look.get_columns(name)],
                    look.get_pk_constraint(name)["constrained_columns"],
                    sorted(str(each["constrained_columns"]) for each in look.get_foreign_keys(name)),
                    sorted(str(each["name"]) for each in look.get_indexes(name)),
                )
                for name in look.get_table_names()
            }
            query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            if con.dialect.name == "postgresql":
                query = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
            return {**tables, "triggers": sorted(con.scalars(text(query)))}
    finally:
        engine.dispose()


def test_what_it_holds_is_there_and_takes_a_dispute(older: str) -> None:
    database = Database(older)
    with database.write() as session:
        assert session.scalar(text("SELECT form FROM meta")) == forms.FORM
        case = cases.find(session, 1)
        assert case is not None and case.title == "A late wager" and case.dispute is None and case.statements == []
        assert [item.ref for item in case.items] == ["P21-04/2026-01-05/17"]
        assert [note.text for note in case.notes] == ["Called the shift manager."]
        disputes.keep(case, Dispute(complaint="Mine!"), None, "ann", NOW)
        activity.record(session, ANN, NOW, "enter dispute", "case 1")
    database.close()
    again = Database(older)
    with again.read() as session:
        case = cases.find(session, 1)
        assert case is not None and case.dispute is not None and case.dispute.complaint == "Mine!"
        assert activity.first_break(session) is None
    with pytest.raises(DBAPIError, match="append-only"), again.write() as session:
        session.execute(text("DELETE FROM case_disputes"))
    again.close()


def test_it_is_as_a_new_one(older: str, tmp_path: Path) -> None:
    database = Database(older)
    brought = described(database)
    database.close()
    new = Database(emptied(older) if older.startswith("postgresql") else tmp_path / "new.db")
    assert described(new) == brought
    new.close()


def test_who_invited_an_account_is_taken_from_the_log(older: str) -> None:
    engine = create_engine(older.replace("postgresql://", "postgresql+psycopg://"))
    with Session(engine) as session, session.begin():
        for number, name in enumerate(("root", "rosa", "bob"), 101):
            row = {"id": number, "name": name, "no": False, "at": NOW.replace(tzinfo=None)}
            columns = "id, name, full_name, disabled, created"
            session.execute(text(f"INSERT INTO accounts ({columns}) VALUES (:id, :name, :name, :no, :at)"), row)
        activity.record(session, Actor("root", ""), NOW, "invite", "account bob")
        activity.record(session, Actor("rosa", ""), NOW, "reset password", "account bob")
    engine.dispose()
    database = Database(older)
    with database.read() as session:
        found = {account.name: account.invited_by for account in accounts.everyone(session)}
    database.close()
    assert (found["root"], found["rosa"], found["bob"]) == (None, None, 102)


def test_a_step_that_fails_leaves_the_older_form(older: str, monkeypatch: pytest.MonkeyPatch) -> None:
    step = forms.OLDER[1]

    def fails(con: Connection) -> None:
        step(con)
        con.execute(text("SELECT * FROM nowhere"))

    with monkeypatch.context() as patch:
        patch.setattr(forms, "OLDER", {1: fails})
        with pytest.raises(CasesError, match="cannot be used"):
            Database(older)
    database = Database(older)
    with database.read() as session:
        assert session.scalar(text("SELECT form FROM meta")) == forms.FORM
    database.close()


def test_only_what_is_asked_for_is_made(tmp_path: Path, postgres: str) -> None:
    for url in (tmp_path / "none.db", emptied(postgres)):
        with pytest.raises(CasesError, match="has no cases; expected the database that audit21 serve keeps"):
            Database(url, create=False)
    assert not (tmp_path / "none.db").exists()
    Database(tmp_path / "made.db").close()
    Database(tmp_path / "made.db", create=False).close()


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_nobody_else_reads_it(tmp_path: Path, umask: int) -> None:
    def modes() -> set[int]:
        return {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}

    before = os.umask(umask)
    try:
        database = Database(tmp_path / "cases.db")
        with database.write() as session:
            activity.record(session, ANN, NOW, "view", "case 1")
            assert {each.name for each in tmp_path.iterdir()} == {"cases.db", "cases.db-wal", "cases.db-shm"}
            assert modes() == {0o600}
        for each in tmp_path.iterdir():
            each.chmod(0o644)  # as an older audit21 left them
        Database(tmp_path / "cases.db").close()
        assert modes() == {0o600}
        database.close()
    finally:
        os.umask(before)
