"""The app on PostgreSQL: the same pages, statuses and log as on SQLite."""

import psycopg
import pytest
from playwright.sync_api import expect

from tests.dashboards.conftest import PageOf
from tests.dashboards.floor import FIRST, Floor
from tests.dashboards.keys import press
from tests.dashboards.server import serving
from warehouse.cases import activity, statuses
from warehouse.cases.activity import ActivityFilter


def test_a_finding_is_handled_and_logged(floor: Floor, postgres: str, page_of: PageOf) -> None:
    with serving(floor.lake, postgres) as server:
        page = page_of("ann", f"/triage?day={FIRST}", at=server)
        finding_id = page.locator("tr[data-key]").first.get_attribute("data-id") or ""
        press(page, "x")
        expect(page.locator(f'tr[data-id="{finding_id}"] td:nth-child(2)')).to_have_text("in review")
        page.goto(f"{server.url}/findings/{finding_id}?day={FIRST}")
        expect(page.locator(".history")).to_contain_text("in review")
        page.close()
        with server.site.database.read() as session:
            assert [row.status for row in statuses.of_day(session, FIRST)] == ["in review"]
            logged = [
                (row.action, row.subject) for row in activity.newest(session, ActivityFilter(subject=finding_id), 5)
            ]
            assert logged == [("view", f"finding {finding_id}"), ("set in review", f"finding {finding_id}")]
            assert activity.first_break(session) is None
    with psycopg.connect(postgres) as con, pytest.raises(psycopg.Error, match="append-only"):
        con.execute("DELETE FROM activity")
