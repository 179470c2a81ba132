"""The dispute of a case: entered and read in the browser, due by its deadlines, printed in the packet."""

import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import Page, expect

from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import PageOf
from tests.dashboards.floor import FIRST, Floor
from tests.dashboards.packets.test_packet import text_of
from tests.dashboards.server import Server, serving
from warehouse.cases import activity, cases
from warehouse.cases.activity import ActivityFilter
from warehouse.lake import Lake
from warehouse.retention import holds

COMPLAINT = "I stood on twenty, and my wager was taken."
SAID = "I thought the box was over."


@pytest.fixture
def row(floor: Floor) -> dict[str, Any]:
    """A round that was settled wrongly."""
    return Lake.open(floor.lake).read("rounds", days=[FIRST]).filter(verdict="wrong").row(0, named=True)


@pytest.fixture
def desk(floor: Floor, row: dict[str, Any], tmp_path: Path) -> Iterator[Server]:
    """A server with deadlines, and case 1 of the round."""
    rules = {row["rulebook"]: {"answer in writing": 10, "acknowledge": 3, "report to the state": 30}}
    with serving(floor.lake, tmp_path / "cases.db", deadlines=rules) as running:
        with running.client("ann") as ann:
            form = {"case": "new", "title": "Box 1 was not paid"}
            assert ann.post(f"/rounds/{row['round_id']}", data=form).status_code == 303
        yield running


def ago(desk: Server, days: int) -> str:
    return str(desk.clock().date() - timedelta(days=days))


def enter(page: Page, desk: Server) -> None:
    """Enter the dispute as of ten days ago, and a statement."""
    page.get_by_text("Record a dispute").click()
    page.get_by_label("Received").fill(ago(desk, 10))
    page.get_by_label("Complainant's name").fill("J. Doe")
    page.get_by_label("Card, as logged").fill("P100777")
    page.get_by_label("Box").fill("1")
    page.get_by_label("Requested by").fill("State Gaming Agency")
    page.get_by_label("Complaint", exact=True).fill(COMPLAINT)
    page.get_by_role("button", name="Save dispute").click()
    page.get_by_text("Add a statement").click()
    page.get_by_label("Witness").fill("Dana, dealer")
    page.get_by_label("Date", exact=True).fill(ago(desk, 9))
    page.get_by_label("Statement", exact=True).fill(SAID)
    page.get_by_role("button", name="Add statement").click()
    expect(page.get_by_text(SAID)).to_be_visible()


def end(page: Page, desk: Server) -> None:
    """Enter the outcome."""
    page.get_by_text("Edit dispute").click()
    page.get_by_label("Outcome", exact=True).fill("Paid in full.")
    page.get_by_label("Date of outcome").fill(ago(desk, 1))
    page.get_by_role("button", name="Save dispute").click()
    expect(page.locator("#dispute dd", has_text="Paid in full.")).to_be_visible()


def logged(desk: Server, who: str) -> list[tuple[str, str, str]]:
    with desk.site.database.read() as session:
        rows = activity.newest(session, ActivityFilter(account=who), 20)
        assert activity.first_break(session) is None
        shown = [each for each in reversed(rows) if each.action not in ("view", "hold")]
        return [(each.action, each.subject, each.details) for each in shown]


def test_a_dispute_is_entered_and_ended(desk: Server, page_of: PageOf) -> None:
    page = page_of("ann", "/cases/1", at=desk)
    enter(page, desk)
    shown = page.locator("#dispute")
    for text in (COMPLAINT, ago(desk, 10), "J. Doe, card P100777, box 1", "State Gaming Agency", "none yet"):
        expect(shown).to_contain_text(text)
    expect(page.locator("#statements article")).to_contain_text(f"Dana, dealer on {ago(desk, 9)}")
    expect(page.locator("#statements article")).to_contain_text("entered by ann")
    end(page, desk)
    expect(shown).to_contain_text(f"Paid in full. ({ago(desk, 1)})")
    fields = ["received", "complaint", "patron", "patron_name", "seat", "requested_by"]
    assert logged(desk, "ann")[2:] == [
        ("enter dispute", "case 1", json.dumps({"changed": fields})),
        ("add statement", "case 1", json.dumps({"who": "Dana, dealer"})),
        ("enter dispute", "case 1", json.dumps({"changed": ["outcome", "outcome_on"]})),
    ]


def test_deadlines_count_from_the_day_of_receipt_until_there_is_an_outcome(desk: Server, page_of: PageOf) -> None:
    page = page_of("ann", "/cases/1", at=desk)
    expect(page.get_by_role("heading", name="Deadlines")).to_have_count(0)
    enter(page, desk)
    rows = page.locator("section[aria-labelledby=deadlines-title] tbody tr")
    by = [str(desk.clock().date() + timedelta(days=days)) for days in (-7, 0, 20)]
    states = ["overdue by 7 days", "today", "20 days left"]
    for each, what, day, state in zip(
        range(3), ("acknowledge", "answer in writing", "report to the state"), by, states, strict=True
    ):
        expect(rows.nth(each).locator("td").nth(0)).to_have_text(what)
        expect(rows.nth(each).locator("td").nth(1)).to_have_text(day)
        expect(rows.nth(each).locator("td").nth(2)).to_have_text(state)
    expect(page.locator(".title .severity-high")).to_have_text("overdue")
    end(page, desk)
    expect(page.locator(".severity-high")).to_have_count(0)
    expect(rows.nth(0)).to_contain_text("outcome recorded")


def test_a_regulator_reads_it_and_changes_nothing(desk: Server, page_of: PageOf) -> None:
    enter(page_of("ann", "/cases/1", at=desk), desk)
    with desk.client("reg") as reg, desk.client("bob") as bob:
        assert reg.get("/cases/1").status_code == 404
        assert bob.post("/cases/1/shares", data={"account_id": "4"}).status_code == 303
        page = page_of("reg", "/cases/1", at=desk)
        for text in (COMPLAINT, SAID, "J. Doe", "overdue by 7 days"):
            expect(page.get_by_text(text).first).to_be_visible()
        expect(page.locator("main form, main summary, main input, main textarea")).to_have_count(0)
        said = pl.read_csv(io.BytesIO(reg.get("/cases/1?format=csv&rows=statement").content))
        assert said.select("who", "said").rows() == [("Dana, dealer", SAID)]
        assert reg.post("/cases/1/dispute", data={"complaint": "x"}).status_code == 403
        assert reg.post("/cases/1/statements", data={"who": "x", "said": "y"}).status_code == 403


def test_a_closed_case_and_a_stale_form_are_refused(desk: Server) -> None:
    with desk.client("ann") as ann, desk.client("bob") as bob:
        assert bob.post("/cases/1/dispute", data={"complaint": "first"}).status_code == 303
        stale = ann.post("/cases/1/dispute", data={"complaint": "second"})
        assert stale.status_code == 400 and "bob has changed the dispute meanwhile" in stale.text
        for field, given in (("received", "yesterday"), ("seat", "two"), ("seat", "9" * 5000)):
            assert ann.post("/cases/1/dispute", data={"seen": "1", field: given}).status_code == 400
        assert bob.post("/cases/1/state", data={"state": "closed"}).status_code == 303
        assert bob.post("/cases/1/dispute", data={"seen": "1", "complaint": "third"}).status_code == 400
        assert bob.post("/cases/1/statements", data={"who": "Dana", "said": SAID}).status_code == 400
        assert "Record a dispute" not in (text := bob.get("/cases/1").text) and "Edit dispute" not in text
        assert ann.post("/cases/999/dispute").status_code == 404
    assert [action for action, _, _ in logged(desk, "bob")] == ["enter dispute", "close"]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("light", 1024), ("dark", 1440), ("dark", 1024)])
def test_no_serious_barrier(desk: Server, page_of: PageOf, scheme: str, width: int) -> None:
    page = page_of("bob", "/cases/1", at=desk, color_scheme=scheme, viewport={"width": width, "height": 900})
    enter(page, desk)
    for summary in page.locator("main summary").all():
        summary.click()
    assert serious(page) == [] and not sticks_out(page)
    page.goto(f"{desk.url}/cases?state=open&q=box")
    assert serious(page) == [] and not sticks_out(page)


def test_rounds_in_dispute_are_held(floor: Floor, tmp_path: Path) -> None:
    lake = shutil.copytree(floor.lake, tmp_path / "lake")
    before = holds.in_force(lake)
    rounds = Lake.open(lake).read("rounds", days=[FIRST])["round_id"]
    first, second, third = [each for each in rounds if each not in before][:3]
    with serving(lake, tmp_path / "cases.db") as running, running.client("ann") as ann:
        ann.post(f"/rounds/{first}", data={"case": "new", "title": "Mine"})
        assert holds.in_force(lake) == before, "a case without a dispute holds nothing"
        ann.post("/cases/1/dispute", data={"complaint": COMPLAINT})
        ann.post("/cases/1/items", data={"round_id": second})
        assert ann.post(f"/packets/{third}", data={"number": "D-17"}).status_code == 200
        why = {name: (hold.by, hold.why) for name, hold in holds.in_force(lake).items() if name not in before}
        with running.site.database.read() as session:
            logged = [row.subject for row in activity.newest(session, ActivityFilter(action="hold"), 10)]
    ann_is = "Ann of the test"
    assert why == {
        first: (ann_is, "dispute, case 1"),
        second: (ann_is, "dispute, case 1"),
        third: (ann_is, "dispute D-17"),
    }
    assert logged == [f"round {each}" for each in (third, second, first)]


# On paper.


def packet(page: Page, case: str = "") -> bytes:
    """The bundle that the dialog makes as it comes up, or for the case that is chosen."""
    page.get_by_role("button", name="Create packet …").click()
    if case:
        page.locator("#packet-dialog [name=case]").select_option(case)
    with page.expect_download(timeout=60_000) as download:
        page.locator("#packet-dialog .primary").click()
    return download.value.path().read_bytes()


def test_the_packet_prints_the_newest_open_case(desk: Server, row: dict[str, Any], page_of: PageOf) -> None:
    page = page_of("ann", "/cases/1", at=desk)
    enter(page, desk)
    end(page, desk)
    with desk.client("ann") as ann:
        for title in ("Another", "Done with"):
            ann.post(f"/rounds/{row['round_id']}", data={"case": "new", "title": title})
        ann.post("/cases/2/state", data={"state": "closed"})
        ann.post("/cases/3/state", data={"state": "closed"})
        ann.post("/cases", data={"title": "Not about it"})
        refused = ann.post(f"/packets/{row['round_id']}", data={"case": "4"})
        assert refused.status_code == 400 and "Case 4 is not about this round" in refused.text
    page.goto(f"{desk.url}/rounds/{row['round_id']}")
    options = page.locator("#packet-dialog [name=case] option")
    titles = ["1 · Box 1 was not paid", "3 · Done with (closed)", "2 · Another (closed)", "No case"]
    expect(options).to_have_text(titles)
    made = packet(page)
    assert packet(page) == made, "the same case and lake give the same bytes"
    with zipfile.ZipFile(io.BytesIO(made)) as bundle:
        case = json.loads(bundle.read("packet.json"))["case"]
        said = " ".join(text_of(bundle.read("packet.pdf")).split())
    assert (case["number"], case["prepared_by"], case["prepared_on"]) == ("1", "Ann of the test", None)
    assert [each["by"] for each in case["deadlines"]] == [ago(desk, days) for days in (7, 0, -20)]
    for text in (COMPLAINT, SAID, "Dana, dealer", "J. Doe, card P100777, box 1", "answer in writing", "Paid in full."):
        assert text in said, text
    with zipfile.ZipFile(io.BytesIO(packet(page, "No case"))) as bundle:
        case = json.loads(bundle.read("packet.json"))["case"]
    assert (case["number"], case["complaint"], case["statements"]) == (None, None, [])


# The list.


def test_the_list_is_filtered_without_a_script_and_kept_in_its_address(
    desk: Server, row: dict[str, Any], page_of: PageOf
) -> None:
    with desk.client("ann") as ann, desk.client("bob") as bob:
        for title in ("Box 3 was late", "=Wheel"):
            ann.post("/cases", data={"title": title})
        ann.post("/cases/1/dispute", data={"received": ago(desk, 5)})
        ann.post("/cases/2/state", data={"state": "closed"})
        bob.post("/cases/1/shares", data={"account_id": "4"})
    page = page_of("ann", "/cases", at=desk, java_script_enabled=False)
    titles = page.locator("tbody tr td:nth-child(2)")
    expect(titles).to_have_text(["=Wheel", "Box 3 was late", "Box 1 was not paid"])
    page.get_by_label("State").select_option("open")
    page.get_by_label("Title", exact=True).first.fill("BOX")
    page.get_by_role("button", name="Filter").click()
    expect(titles).to_have_text(["Box 1 was not paid"])
    permalink = page.get_by_role("link", name="Permalink").get_attribute("href")
    assert permalink == "/cases?state=open&q=BOX"
    with desk.client("ann") as ann, desk.client("reg") as reg:
        found = pl.read_parquet(io.BytesIO(ann.get(f"{permalink}&format=parquet").content))
        with desk.site.database.read() as session:
            case = cases.find(session, 1)
        assert case is not None and case.dispute is not None
        assert found.rows(named=True) == [
            {
                "case": 1,
                "title": "Box 1 was not paid",
                "state": "open",
                "opened": case.opened.replace(microsecond=case.opened.microsecond // 1000 * 1000),
                "closed": None,
                "rounds": [row["round_id"]],
                "findings": [],
                "received": case.dispute.received,
                "outcome_on": None,
                "opened_by": "ann",
                "shared_with": ["reg"],
            }
        ]
        listed = pl.read_csv(io.BytesIO(ann.get("/cases?format=csv").content), infer_schema=False)
        assert listed["title"].to_list() == ["'=Wheel", "Box 3 was late", "Box 1 was not paid"]
        assert listed["state"].to_list() == ["open", "closed", "open"]
        shared = pl.read_parquet(io.BytesIO(reg.get("/cases?format=parquet").content))
        assert shared["case"].to_list() == [1] and not {"opened_by", "shared_with"} & set(shared.columns)
        assert reg.get("/cases?state=closed").text.count("<tr>") == 0
        assert ann.get("/cases?state=gone").status_code == 404
    assert ("export", "cases") in [(action, subject) for action, subject, _ in logged(desk, "ann")]
