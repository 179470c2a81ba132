"""Things of every day and every page: times, searching, forms that are refused, phones, the dark."""

import re
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import PageOf
from tests.dashboards.floor import FIRST, SECOND, Floor
from tests.dashboards.server import PASSWORD, Server, serving
from warehouse.cases import activity
from warehouse.cases.activity import ActivityFilter
from warehouse.cases.sessions import MOST_PER_NAME
from warehouse.lake import Lake

ZONE = ZoneInfo("America/New_York")  # of the simulated property
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def desk(floor: Floor, tmp_path: Path) -> Iterator[Server]:
    """A server of this test's own."""
    with serving(floor.lake, tmp_path / "cases.db") as running:
        yield running


def a_round(floor: Floor) -> dict[str, Any]:
    """Return the first day's finding that cost most, which belongs to a round."""
    found = Lake.open(floor.lake).read("findings", days=[FIRST]).drop_nulls("round_id")
    return found.sort(found["variance_cents"].abs(), descending=True).row(0, named=True)


# Times.


def test_times_are_the_propertys_with_utc_under_the_pointer(page_of: PageOf, floor: Floor) -> None:
    finding = a_round(floor)
    at = finding["at"].replace(tzinfo=UTC) if finding["at"].tzinfo is None else finding["at"]
    page = page_of("ann", f"/triage?day={FIRST}")
    expect(page.get_by_role("columnheader", name="Time (EST)")).to_be_visible()
    shown = page.locator(f'tr[data-id="{finding["finding_id"]}"] time')
    expect(shown).to_have_text(f"{at.astimezone(ZONE):%H:%M:%S}")
    expect(shown).to_have_attribute("title", f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC")
    page.goto(re.sub("/triage.*", f"/rounds/{finding['round_id']}", page.url))
    expect(page.locator("#round[data-ready]")).to_be_visible()
    expect(page.locator("#step .clock")).to_contain_text(re.compile(r"^\d\d:\d\d:\d\d\.\d{3}$"))
    local = page.locator("#step .clock").inner_text()
    page.locator("details.menu summary", has_text="ann").click()
    page.get_by_role("button", name="Show times in UTC").click()
    expect(page.locator("html")).to_have_attribute("data-zone", "UTC")
    expect(page.locator("#step .clock")).not_to_have_text(local)
    page.goto(re.sub("/rounds.*", f"/triage?day={FIRST}", page.url))
    expect(shown).to_have_text(f"{at.astimezone(UTC):%H:%M:%S}")
    expect(page.get_by_role("columnheader", name="Time (UTC)")).to_be_visible()


def test_the_timeline_counts_the_propertys_hours(page_of: PageOf) -> None:
    page = page_of("ann", f"/tables/P21-01?day={FIRST}")
    expect(page.locator("#timeline[data-ready]")).to_be_visible()
    first = page.locator("#rounds time").first
    started = first.inner_text()
    assert page.locator("#window").inner_text().split(" ")[1][:4] == started[:4]
    expect(page.locator("#window")).to_contain_text("EST")


# Searching and links.


def test_a_search_finds_a_round_as_the_list_names_it(page_of: PageOf, floor: Floor) -> None:
    table, _, number = str(a_round(floor)["round_id"]).split("/", 2)
    page = page_of("ann", f"/triage?day={FIRST}&q={table}+round+{number}")
    found = Lake.open(floor.lake).read("findings", days=[FIRST])
    same = found.filter(found["round_id"] == f"{table}/{FIRST}/{number}")
    expect(page.locator("tr[data-key]")).to_have_count(same.height)


def test_the_tile_of_unresolved_findings_leads_to_them(page_of: PageOf) -> None:
    page = page_of("bob", f"/audit?day={FIRST}")
    tile = page.locator(".tile", has_text="High, unresolved")
    count = int(tile.locator(".figure").inner_text())
    query = parse_qs(urlsplit(tile.get_by_role("link").get_attribute("href") or "").query)
    assert query == {"day": [str(FIRST)], "severity": ["high"], "status": ["new", "in review"]}
    tile.get_by_role("link").click()
    expect(page.locator("tr[data-key]")).to_have_count(count)


# Forms.


def test_the_title_of_a_case_is_asked_for_a_new_case_only(page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}")
    page.locator("[data-act=escalated]").click()
    expect(page.get_by_label("Title of the new case")).to_be_hidden()
    page.locator("#escalate [name=case]").select_option("New case")
    expect(page.get_by_label("Title of the new case")).to_be_visible()


def test_a_refused_form_keeps_what_was_typed(desk: Server, page_of: PageOf) -> None:
    with desk.client("ann") as ann:
        ann.post("/cases", data={"title": "Box 3"})
    page = page_of("ann", "/cases/1", at=desk, refusals=True)
    page.get_by_text("Record a dispute").click()
    page.get_by_label("Complaint", exact=True).fill("I was paid 20 for a blackjack.")
    page.get_by_label("Box").evaluate("box => { box.type = 'text'; box.value = 'three'; }")
    page.get_by_role("button", name="Save dispute").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Complaint", exact=True)).to_have_value("I was paid 20 for a blackjack.")
    page.get_by_label("Box").fill("3")
    page.get_by_role("button", name="Save dispute").click()
    expect(page.locator("#dispute")).to_contain_text("box 3")


def test_regulators_see_no_path_of_the_server(desk: Server, floor: Floor) -> None:
    with desk.client("reg") as reg:
        for path in (f"/rounds/{a_round(floor)['round_id']}?snapshot=99", "/cases/1?snapshot=99", "/cases?snapshot=x"):
            answer = reg.get(path)
            assert str(floor.lake) not in answer.text and str(floor.lake.resolve()) not in answer.text


def test_failed_sign_ins_and_lock_outs_are_in_the_log(desk: Server) -> None:
    with desk.client() as stranger:
        stranger.get("/sign-in")
        form = {"csrf": stranger.cookies["audit21_form"], "name": "ann", "password": "wrong", "next": ""}
        for _ in range(MOST_PER_NAME + 2):
            stranger.post("/sign-in", data=form)
        stranger.post("/sign-in", data=form | {"name": PASSWORD})  # in the wrong field
    with desk.site.database.read() as session:
        rows = activity.newest(session, ActivityFilter(), 50)
    failed = [row.subject for row in rows if row.action == "sign-in failed"]
    assert sorted(failed) == ["account ann"] * MOST_PER_NAME + ["unknown account"]
    assert [row.subject for row in rows if row.action == "lock out"] == ["account ann"]
    assert PASSWORD not in "".join(f"{row.account}{row.subject}{row.details}" for row in rows)


# The sentence first.


def test_sentences_are_whole_and_the_panel_shows_clause_and_felt(page_of: PageOf, floor: Floor) -> None:
    page = page_of("ann", f"/triage?day={FIRST}")
    cut = """() => [...document.querySelectorAll(".findings .message")].filter((each) => {
      const cell = each.closest("td").getBoundingClientRect();
      return [...each.getClientRects()].some((line) => line.right > cell.right + 1);
    }).length"""
    assert page.locator(".findings .message").count() > 5
    assert page.evaluate(cut) == 0
    finding = a_round(floor)
    page.locator(f'tr[data-id="{finding["finding_id"]}"] td').first.click()
    expect(page.locator("#detail h2")).to_have_text(str(finding["message"]))
    expect(page.locator("#moment svg")).to_be_visible()
    if finding["clause"]:
        number = str(finding["clause"]).split(" ", 1)[1]
        expect(page.locator("#moment dd").first).to_have_text(re.compile(f"^{re.escape(number)}: .+"))


def test_a_round_opens_at_its_mistake(page_of: PageOf, floor: Floor) -> None:
    finding = a_round(floor)
    page = page_of("ann", f"/rounds/{finding['round_id']}")
    expect(page.locator("#round[data-ready]")).to_be_visible()
    expect(page.locator("#step .flag").first).to_be_visible()


# On a phone, and in the dark.

PAGES = [
    ("ann", f"/triage?day={FIRST}"),
    ("ann", f"/triage?day={FIRST}&group=1"),
    ("ann", "round"),
    ("ann", "finding"),
    ("ann", f"/tables?day={FIRST}"),
    ("ann", f"/tables/P21-01?day={FIRST}"),
    ("ann", f"/shoes?day={FIRST}"),
    ("bob", f"/audit?day={SECOND}"),
    ("bob", "/dealers"),
    ("bob", "/devices?kind=shoe"),
    ("ann", "/cases"),
    ("bob", "/activity"),
    ("root", "/accounts"),
    ("ann", "/cameras"),
    ("ann", "/profile"),
    (None, "/sign-in"),
]


def place(floor: Floor, path: str) -> str:
    finding = a_round(floor)
    named = {"round": f"/rounds/{finding['round_id']}", "finding": f"/findings/{finding['finding_id']}?day={FIRST}"}
    return named.get(path, path)


@pytest.mark.parametrize(("who", "path"), PAGES)
def test_no_page_is_wider_than_a_phone(page_of: PageOf, floor: Floor, who: str | None, path: str) -> None:
    page = page_of(who, place(floor, path), **PHONE)
    if path == "round":
        expect(page.locator("#round[data-ready]")).to_be_visible()
    assert not sticks_out(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(page) == []


@pytest.mark.parametrize(("who", "path"), PAGES)
def test_no_serious_barrier_in_the_dark(page_of: PageOf, floor: Floor, who: str | None, path: str) -> None:
    page = page_of(who, place(floor, path), color_scheme="dark")
    if path == "round":
        expect(page.locator("#round[data-ready]")).to_be_visible()
    assert not sticks_out(page)
    assert serious(page) == []


def test_the_first_finding_is_on_the_first_screen_of_a_phone(page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}", **PHONE)
    first = page.locator("tr[data-key]").first.bounding_box()
    assert first is not None and first["y"] < 500
    expect(page.locator(".facets")).to_be_hidden()
    page.get_by_role("button", name="Filters").click()
    expect(page.locator(".facets")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Review"))).to_be_in_viewport()
