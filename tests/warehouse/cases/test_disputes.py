"""The dispute of a case: entered, changed, never edited away."""

from datetime import date, timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.warehouse.cases.people import NOW
from warehouse.cases import cases, disputes
from warehouse.cases.database import Database
from warehouse.cases.dispute import Dispute
from warehouse.cases.errors import Refused
from warehouse.cases.models import Case

RECEIVED = date(2026, 1, 6)
FIRST = Dispute(received=RECEIVED, complaint="I stood on twenty.", patron="P100008", seat=8)


@pytest.fixture
def case_id(database: Database) -> int:
    """A case of which a dispute is entered."""
    with database.write() as session:
        case = cases.open_case(session, "Box 8 was not paid", "ann", NOW)
        assert disputes.keep(case, FIRST, None, "ann", NOW) == ["received", "complaint", "patron", "seat"]
        disputes.add_statement(case, " Dana, dealer ", "I thought\r\nit was over.", RECEIVED, "ann", NOW)
        session.flush()
        return case.id


def found(database: Database, case_id: int) -> Case:
    with database.read() as session:
        case = cases.find(session, case_id)
        assert case is not None
        return case


def test_a_dispute_is_kept_as_it_was_entered(database: Database, case_id: int) -> None:
    case = found(database, case_id)
    assert disputes.told(case.dispute) == FIRST
    assert case.dispute is not None and (case.dispute.author, case.dispute.at) == ("ann", NOW)
    (said,) = case.statements
    assert (said.who, said.said, said.said_on) == ("Dana, dealer", "I thought\nit was over.", RECEIVED)
    assert (said.author, said.at) == ("ann", NOW)


def test_what_was_entered_before_stays_on_record(database: Database, case_id: int) -> None:
    ended = Dispute(received=RECEIVED, complaint="I stood on twenty.", outcome=" Paid. ", outcome_on=date(2026, 1, 7))
    with database.write() as session:
        case = cases.find(session, case_id)
        assert case is not None and case.dispute is not None
        seen = case.dispute.id
        assert disputes.keep(case, ended, seen, "bob", NOW) == ["patron", "seat", "outcome", "outcome_on"]
        session.flush()
        with pytest.raises(Refused, match="bob has changed the dispute meanwhile"):
            disputes.keep(case, FIRST, seen, "ann", NOW)
        assert disputes.keep(case, ended, case.dispute.id, "bob", NOW) == [], "nothing new, so no new row"
    case = found(database, case_id)
    assert [(row.seat, row.outcome, row.author) for row in case.disputes] == [(8, None, "ann"), (None, "Paid.", "bob")]
    assert case.dispute is case.disputes[-1]


@pytest.mark.parametrize("table", ["case_disputes", "case_statements"])
@pytest.mark.parametrize("statement", ["UPDATE {table} SET author = 'eve'", "DELETE FROM {table}"])
def test_nobody_edits_it_away(database: Database, case_id: int, table: str, statement: str) -> None:
    with pytest.raises(DBAPIError, match=f"{table} is append-only"), database.write() as session:
        session.execute(text(statement.format(table=table)))
    case = found(database, case_id)
    assert len(case.disputes) == len(case.statements) == 1


def test_a_row_cannot_be_replaced_or_the_table_emptied(database: Database, case_id: int) -> None:
    statement = "TRUNCATE case_statements"
    if database.url.get_backend_name() == "sqlite":
        columns = "id, case_id, who, 'nothing', said_on, author, at"
        statement = f"INSERT OR REPLACE INTO case_statements SELECT {columns} FROM case_statements"
    with pytest.raises(DBAPIError, match="append-only"), database.write() as session:
        session.execute(text(statement))
    assert found(database, case_id).statements[0].said == "I thought\nit was over."


def test_a_closed_case_takes_none_of_it(database: Database, case_id: int) -> None:
    with database.write() as session:
        case = cases.find(session, case_id)
        assert case is not None and case.dispute is not None
        cases.close(case, NOW)
        with pytest.raises(Refused, match="closed"):
            disputes.keep(case, Dispute(), case.dispute.id, "ann", NOW)
        with pytest.raises(Refused, match="closed"):
            disputes.add_statement(case, "Dana", "More.", None, "ann", NOW)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (Dispute(seat=0), "no box 0"),
        (Dispute(complaint="x" * 10_001), "complaint has 10001 characters"),
        (Dispute(patron="x" * 81), "number of the card has 81"),
        (Dispute(received=NOW.date() + timedelta(days=2)), "still to come"),
        (Dispute(outcome_on=RECEIVED), "say what it was"),
        (Dispute(received=RECEIVED, outcome="Paid.", outcome_on=RECEIVED - timedelta(days=1)), "before the complaint"),
    ],
)
def test_what_cannot_be_is_refused(database: Database, wanted: Dispute, said: str) -> None:
    with pytest.raises(Refused, match=said), database.write() as session:
        case = cases.open_case(session, "A late wager", "ann", NOW)
        disputes.keep(case, wanted, None, "ann", NOW)


@pytest.mark.parametrize(("who", "words"), [(" ", "So it was."), ("Dana", " \r\n"), ("Dana", "x" * 10_001)])
def test_a_statement_is_somebody_s_and_says_something(database: Database, who: str, words: str) -> None:
    with pytest.raises(Refused, match="characters"), database.write() as session:
        case = cases.open_case(session, "A late wager", "ann", NOW)
        disputes.add_statement(case, who, words, None, "ann", NOW)


def test_cases_are_listed_by_state_and_title(database: Database) -> None:
    with database.write() as session:
        for title in ("Late wager", "100% wrong", "A LATE double"):
            case = cases.open_case(session, title, "ann", NOW)
        cases.close(case, NOW)

    def titles(state: str, title: str) -> list[str]:
        with database.read() as session:
            return [each.title for each in cases.all_of(session, cases.CaseFilter(state, title))]

    assert titles("", "late") == ["A LATE double", "Late wager"]
    assert titles("open", "late") == ["Late wager"]
    assert titles("closed", "") == ["A LATE double"]
    assert titles("", "%") == ["100% wrong"]
