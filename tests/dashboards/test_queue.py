"""Open findings: what nobody has resolved, over all gaming days."""

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import expect

from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import PageOf
from tests.dashboards.floor import FIRST, SECOND, Floor
from tests.dashboards.keys import press
from tests.dashboards.server import Server, serving
from warehouse.cases import statuses
from warehouse.lake import Lake


@pytest.fixture
def desk(floor: Floor, tmp_path: Path) -> Iterator[Server]:
    """A server of this test's own, on which nothing has been handled yet."""
    with serving(floor.lake, tmp_path / "cases.db") as running:
        yield running


def everything(floor: Floor) -> pl.DataFrame:
    return Lake.open(floor.lake).read("findings")


def test_surveillance_begins_with_what_is_open_on_all_days(desk: Server, floor: Floor, page_of: PageOf) -> None:
    page = page_of("ann", "/", at=desk)
    expect(page).to_have_url(re.compile(r"/open\?status=new&status=in\+review$"))
    found = everything(floor)
    assert found["gaming_day"].n_unique() == 2
    shown = page.locator("tr[data-key]")
    expect(shown).to_have_count(min(found.height, 100))
    expect(page.locator(".summary strong")).to_have_text(f"{found.height} findings")
    days = [row.get_attribute("data-day") or "" for row in shown.all()]
    assert days == sorted(days, reverse=True), "the newest day first"
    ranks = {"high": 0, "medium": 1, "low": 2}
    chips = page.locator("tr td:first-child").all_inner_texts()
    newest = [ranks[chip] for chip, day in zip(chips, days, strict=True) if day == days[0]]
    assert newest == sorted(newest), "within a day the gravest first"
    assert serious(page) == []


def test_what_is_resolved_leaves_the_queue_and_undo_brings_it_back(desk: Server, floor: Floor, page_of: PageOf) -> None:
    page = page_of("ann", "/open", at=desk)
    count = everything(floor).height
    first, second = (page.locator("tr[data-key]").nth(n).get_attribute("data-id") for n in range(2))
    press(page, "d")
    page.locator("#dismiss textarea").fill("Corrected at the table")
    page.get_by_role("dialog", name="Dismiss").get_by_role("button", name="Dismiss").click()
    expect(page.locator(f'tr[data-id="{first}"]')).to_have_count(0)
    expect(page.locator(".summary strong")).to_have_text(f"{count - 1} findings")
    expect(page.locator("tr[aria-selected=true]")).to_have_attribute("data-id", second or "")  # the next one is open
    press(page, "x")
    expect(page.locator(f'tr[data-id="{second}"] td:nth-child(2)')).to_have_text("in review")  # unresolved still
    page.locator(".toast", has_text="dismissed").get_by_role("button", name="Undo").click()
    expect(page.locator(f'tr[data-id="{first}"]')).to_have_count(1)


def test_several_findings_of_several_days_are_handled_at_once(desk: Server, floor: Floor, page_of: PageOf) -> None:
    page = page_of("ann", "/open?sort=severity", at=desk)
    shown = page.locator("tr[data-key]")
    days = [row.get_attribute("data-day") for row in shown.all()]
    last = next(n for n, day in enumerate(days) if day != days[0])  # the first row of another day
    shown.first.locator("td").first.click()
    shown.nth(last).locator("td").first.click(modifiers=["Shift"])
    expect(page.locator("[data-picked]")).to_have_text(f"{last + 1} selected")
    press(page, "x")
    expect(page.locator(".toast", has_text=f"{last + 1} findings: in review")).to_be_visible()
    with desk.site.database.read() as session:
        changed = statuses.of_all_days(session)
    assert {row.gaming_day for row in changed} == {FIRST, SECOND} and len(changed) == last + 1
    press(page, "u")
    expect(page.locator(".status-in-review")).to_have_count(0)


def test_the_queue_fits_a_phone(page_of: PageOf) -> None:
    page = page_of("ann", "/open", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    expect(page.locator("tr[data-key]").first).to_be_visible()
    assert not sticks_out(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(page) == []
