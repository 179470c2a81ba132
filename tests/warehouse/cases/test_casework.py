"""Statuses of findings, cases, sign-offs, filters and drafts."""

import pytest

from tests.warehouse.cases.people import DAY, NOW, account
from warehouse.cases import accounts, cases, drafts, filters, signoffs, statuses
from warehouse.cases.database import Database
from warehouse.cases.errors import Refused


def test_statuses_have_a_history_and_can_be_undone(database: Database) -> None:
    with database.write() as session:
        statuses.change(session, {"f1": DAY, "f2": DAY}, "in review", "", "ann", NOW)
        batch = statuses.change(session, {"f1": DAY}, "dismissed", "a typing error", "ann", NOW)
    with database.write() as session:
        assert {row.finding_id: row.status for row in statuses.of_day(session, DAY)} == {
            "f1": "dismissed",
            "f2": "in review",
        }
        with pytest.raises(Refused, match="nothing of yours"):
            statuses.undo(session, batch, "bob", NOW)
        statuses.undo(session, batch, "ann", NOW)
    with database.write() as session:
        assert {row.finding_id: row.status for row in statuses.of_day(session, DAY)} == {
            "f1": "in review",
            "f2": "in review",
        }
        assert [row.status for row in statuses.history(session, "f1")] == ["in review", "dismissed", "in review"]
        with pytest.raises(Refused, match="undone already"):
            statuses.undo(session, batch, "ann", NOW)


def test_undoing_the_first_status_makes_a_finding_new_again(database: Database) -> None:
    with database.write() as session:
        batch = statuses.change(session, {"f1": DAY, "f2": DAY}, "escalated", "", "ann", NOW)
        assert {row.status for row in statuses.undo(session, batch, "ann", NOW)} == {"new"}


def test_what_another_changed_since_is_not_undone(database: Database) -> None:
    with database.write() as session:
        batch = statuses.change(session, {"f1": DAY}, "in review", "", "ann", NOW)
        statuses.change(session, {"f1": DAY}, "escalated", "", "bob", NOW)
        with pytest.raises(Refused, match="changed again"):
            statuses.undo(session, batch, "ann", NOW)


def test_a_dismissal_needs_a_reason(database: Database) -> None:
    with pytest.raises(Refused, match="why"), database.write() as session:
        statuses.change(session, {"f1": DAY}, "dismissed", "  ", "ann", NOW)
    with pytest.raises(Refused, match="no status"), database.write() as session:
        statuses.change(session, {"f1": DAY}, "done", "", "ann", NOW)


def test_a_regulator_sees_what_is_shared_until_it_is_revoked(database: Database) -> None:
    reg, bob = account(database, "reg", "regulator"), account(database, "bob", "audit")
    with database.write() as session:
        case = cases.open_case(session, "A late wager", "ann", NOW)
        assert cases.add_item(case, "round", "T/2026-01-05/1", DAY, "ann", NOW)
        assert not cases.add_item(case, "round", "T/2026-01-05/1", DAY, "ann", NOW)
        session.flush()
        assert not cases.may_see_item(session, reg, "round", "T/2026-01-05/1")
        found = accounts.by_name(session, "reg")
        assert found is not None
        cases.share(case, found, "bob", NOW)
        session.flush()
        assert cases.may_see_case(session, reg, case.id) and not cases.may_see_case(session, bob, case.id)
        assert cases.may_see_item(session, reg, "round", "T/2026-01-05/1")
        assert not cases.may_see_item(session, reg, "round", "T/2026-01-05/2")
        assert [each.id for each in cases.shared_with(session, reg)] == [case.id]
        cases.revoke(case, reg, NOW)
        session.flush()
        assert not cases.may_see_case(session, reg, case.id) and cases.shared_with(session, reg) == []
        auditor = accounts.by_name(session, "bob")
        assert auditor is not None
        with pytest.raises(Refused, match="not the account of a regulator"):
            cases.share(case, auditor, "bob", NOW)


def test_nothing_is_added_to_a_closed_case(database: Database) -> None:
    with database.write() as session:
        case = cases.open_case(session, "A late wager", "ann", NOW)
        cases.close(case, NOW)
        with pytest.raises(Refused, match="closed"):
            cases.add_note(case, "one more", "ann", NOW)
        cases.reopen(case)
        cases.add_note(case, "one more", "ann", NOW)


def test_a_day_is_signed_off_by_two_people(database: Database) -> None:
    bob, cyd, dan = (account(database, name, "audit") for name in ("bob", "cyd", "dan"))
    with database.write() as session:
        assert not signoffs.sign(session, DAY, 3, bob, "", NOW)
        with pytest.raises(Refused, match="another person"):
            signoffs.sign(session, DAY, 3, bob, "", NOW)
        assert not signoffs.sign(session, DAY, 4, cyd, "", NOW), "another snapshot is another sign-off"
        assert signoffs.sign(session, DAY, 3, cyd, "seen with Bob", NOW)
        with pytest.raises(Refused, match="Two people"):
            signoffs.sign(session, DAY, 3, dan, "", NOW)
        assert [row.account.name for row in signoffs.of_day(session, DAY)] == ["bob", "cyd", "cyd"]


def test_filters_are_ones_own(database: Database) -> None:
    ann, bob = account(database, "ann", "surveillance"), account(database, "bob", "audit")
    with database.write() as session:
        mine = filters.save(session, ann, "triage", "Grave", "severity=high")
        filters.save(session, ann, "triage", "Grave", "severity=high&status=new")
        filters.remove(session, bob, mine.id)
        assert [each.query for each in filters.of(session, ann, "triage")] == ["severity=high&status=new"]
        assert filters.of(session, bob, "triage") == []
        filters.remove(session, ann, mine.id)
        assert filters.of(session, ann, "triage") == []


def test_the_newest_draft_of_a_camera_counts(database: Database) -> None:
    with database.write() as session:
        drafts.keep(session, "P21-01", "c1", {"image": [1280, 720]}, "ann", NOW)
        drafts.keep(session, "P21-01", "c1", {"image": [1920, 1080]}, "bob", NOW)
        newest = drafts.newest(session, "P21-01", "c1")
        assert newest is not None and newest.calibration == {"image": [1920, 1080]} and newest.at == NOW
        assert drafts.newest(session, "P21-02", "c1") is None
