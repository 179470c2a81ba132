"""Cases, and what a regulator sees of them: the rounds of shared cases and nothing else, by whatever address."""

import io
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import expect

from dashboards.web.pages import Pages
from dashboards.web.permissions import Permission
from dashboards.web.subjects import A_ROUND, round_id
from tests.dashboards.conftest import PageOf
from tests.dashboards.floor import FIRST, Floor
from tests.dashboards.server import Server, serving
from warehouse.cases import activity
from warehouse.cases.activity import ActivityFilter
from warehouse.lake import Lake


@pytest.fixture
def desk(floor: Floor, tmp_path: Path) -> Iterator[Server]:
    """A server of this test's own."""
    with serving(floor.lake, tmp_path / "cases.db") as running:
        yield running


@pytest.fixture
def finding(floor: Floor) -> dict[str, str]:
    """A finding of a round."""
    found = Lake.open(floor.lake).read("findings", days=[FIRST]).filter(pl.col("round_id").is_not_null())
    return found.row(0, named=True)


def open_case(desk: Server, finding: dict[str, str]) -> None:
    """Ann escalates the finding into case 1."""
    form = {"finding_id": finding["finding_id"], "day": str(FIRST), "status": "escalated", "note": "for the regulator"}
    with desk.client("ann") as ann:
        assert (
            ann.post("/findings/status", data=form | {"case": "new", "title": "For the regulator"}).status_code == 303
        )


def share(desk: Server, **fields: str) -> None:
    """Bob shares case 1 with reg, who has the fourth account."""
    with desk.client("bob") as bob:
        assert bob.post("/cases/1/shares", data={"account_id": "4", **fields}).status_code == 303


def test_a_case_is_worked_on_in_the_browser(desk: Server, finding: dict[str, str], page_of: PageOf) -> None:
    open_case(desk, finding)
    page = page_of("bob", "/cases", at=desk)
    page.get_by_role("link", name="For the regulator").click()
    of_round, of_finding = page.get_by_role("link", name=finding["round_id"], exact=True).all()
    assert of_finding.get_attribute("href") == f"{of_round.get_attribute('href')}?finding={finding['finding_id']}"
    page.get_by_label("New note").fill("Called the shift manager.")
    page.get_by_role("button", name="Add note").click()
    expect(page.get_by_text("Called the shift manager.")).to_be_visible()
    page.get_by_label("Share with").select_option("Reg of the test")
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.get_by_role("button", name="No longer share with Reg of the test")).to_be_visible()
    expect(page.get_by_label("Share with").get_by_role("option")).to_have_text(["Roy of the test"])
    page.get_by_role("button", name="Close case").click()
    expect(page.get_by_label("New note")).to_have_count(0)
    page.get_by_role("button", name="Reopen case").click()
    expect(page.get_by_label("New note")).to_be_visible()


def test_a_finding_leads_to_its_table_and_shoe_whoever_may_see_them(
    desk: Server, floor: Floor, page_of: PageOf
) -> None:
    found = Lake.open(floor.lake).read("findings", days=[FIRST])
    finding = found.filter(pl.col("round_id").is_not_null(), pl.col("shoe").is_not_null()).row(0, named=True)
    open_case(desk, finding)
    share(desk)
    page = page_of("ann", f"/findings/{finding['finding_id']}?day={FIRST}", at=desk)
    expect(page.get_by_role("navigation").locator("[aria-current]")).to_have_text("Triage")
    for name, title in ((finding["shoe"], finding["shoe"]), (finding["table"], finding["table"])):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(title)
        expect(page.get_by_role("navigation", name="Pages").locator("[aria-current]")).to_have_text("Tables")
        page.go_back()
    page = page_of("reg", f"/findings/{finding['finding_id']}?day={FIRST}", at=desk)
    expect(page.get_by_role("navigation").locator("[aria-current]")).to_have_text("Cases")
    expect(page.get_by_text(finding["shoe"], exact=True)).to_be_visible()
    expect(page.get_by_role("link", name=finding["shoe"])).to_have_count(0)


def test_a_regulator_sees_the_shared_case_only(desk: Server, finding: dict[str, str], page_of: PageOf) -> None:
    open_case(desk, finding)
    with desk.client("ann") as ann:
        ann.post("/cases", data={"title": "An inner matter"})
    share(desk)
    page = page_of("reg", "/", at=desk)
    expect(page.get_by_role("link", name="For the regulator")).to_be_visible()
    expect(page.get_by_text("An inner matter")).to_have_count(0)
    expect(page.get_by_role("link", name="Triage")).to_have_count(0)
    page.get_by_role("link", name="For the regulator").click()
    expect(page.get_by_text(finding["message"])).to_be_visible()
    page.get_by_role("link", name=finding["message"]).click()
    expect(page.get_by_role("heading", name=finding["message"])).to_be_visible()
    expect(page.get_by_text("for the regulator")).to_have_count(0)  # the note is the house's own


def test_nothing_else_by_whatever_address(desk: Server, floor: Floor, finding: dict[str, str]) -> None:
    others = Lake.open(floor.lake).read("findings", days=[FIRST])
    other = others.filter(pl.col("round_id") != finding["round_id"])["finding_id"][0]
    open_case(desk, finding)
    shared = f"/findings/{finding['finding_id']}?day={FIRST}"
    closed = ["/cases/1", "/cases/1?format=csv", "/cases/1?format=parquet&rows=round", shared, f"{shared}&format=csv"]
    with desk.client("reg") as reg:
        assert [reg.get(path).status_code for path in closed] == [404] * 5
        share(desk)
        assert [reg.get(path).status_code for path in closed] == [200] * 5
        rounds = pl.read_parquet(io.BytesIO(reg.get(closed[2]).content))
        assert rounds["round_id"].to_list() == [finding["round_id"]]
        never = [f"/findings/{other}", f"/findings/{other}?day={FIRST}", f"/findings/{other}?day={FIRST}&format=csv"]
        assert [reg.get(path).status_code for path in [*never, "/cases/2", "/cases/999"]] == [404] * 5
        for path in ("/triage", f"/triage?day={FIRST}&format=csv", "/triage/news", "/activity", "/accounts"):
            assert reg.get(path).status_code == 403
        for path in ("/cases/1/notes", "/cases/1/items", "/cases/1/state", "/cases/1/shares", "/findings/status"):
            assert reg.post(path).status_code == 403
        with desk.client("roy") as roy:
            assert roy.get("/cases/1").status_code == 404
        share(desk, revoke="1")
        assert [reg.get(path).status_code for path in closed] == [404] * 5


def test_every_view_of_it_is_in_the_log(desk: Server, finding: dict[str, str]) -> None:
    open_case(desk, finding)
    share(desk)
    with desk.client("reg") as reg:
        reg.get("/cases/1")
        reg.get("/cases/1?format=csv")
        reg.get("/cases/7")
    with desk.site.database.read() as session:
        rows = activity.newest(session, ActivityFilter(account="reg"), 10)
        assert [(row.action, row.subject) for row in rows] == [("export", "case 1"), ("view", "case 1")]


def test_a_round_is_named_as_in_the_lake() -> None:
    pages = Pages()
    pages.get("/rounds/{table}/{day}/{round:rest}", Permission.SEE_ROUNDS, about=A_ROUND)(lambda visit: visit.json({}))
    _, path = pages.routes[0].matches({"type": "http", "method": "GET", "path": "/rounds/P21-04/2026-01-05/a/17"})
    assert round_id(path["path_params"]) == "P21-04/2026-01-05/a/17"
