"""Tables of a day, and the timeline of one: what it shows, its keys, its files."""

import io
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

import polars as pl
import pytest
from playwright.sync_api import Page, expect

from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.floor import FIRST, IN_PLAY, SECOND, Floor
from tests.dashboards.keys import press
from warehouse.lake import Lake

TABLE = "S21-02"  # its card reader fails on the second day


def rows(floor: Floor, dataset: str, table: str = TABLE) -> pl.DataFrame:
    return Lake.open(floor.lake).read(dataset, days=[SECOND]).filter(table=table)


def opened(page: Page) -> Page:
    expect(page.locator("#timeline[data-ready='1']")).to_be_visible()
    return page


def window(page: Page) -> tuple[datetime, datetime]:
    """From when to when, as the address has it: the page's own, which ``page.url`` hears of later."""
    query = parse_qs(page.evaluate("location.search.slice(1)"))
    return datetime.fromisoformat(query["from"][0]), datetime.fromisoformat(query["to"][0])


def links(page: Page, lane: str) -> list[str]:
    found: list[str] = page.evaluate(
        """(name) => [...document.querySelectorAll(".lane")]
            .filter((lane) => lane.querySelector(".name").textContent === name)
            .flatMap((lane) => [...lane.querySelectorAll("a")].map((link) => link.getAttribute("href")))""",
        lane,
    )
    return found


def test_the_tables_of_the_newest_day(floor: Floor, page_of: PageOf, client_of: ClientOf) -> None:
    page = page_of("ann", "/tables")
    expect(page).to_have_url(re.compile(f"/tables\\?day={SECOND}$"))
    rounds = Lake.open(floor.lake).read("rounds", days=[SECOND])
    counts = dict(rounds.group_by("table").len().sort("table").iter_rows())
    assert page.locator("tr[data-open] td:first-child").all_inner_texts() == list(counts)
    assert page.locator("tr[data-open] td:nth-child(3)").all_inner_texts() == [str(each) for each in counts.values()]
    press(page, "j")
    press(page, "j")
    press(page, "k")
    press(page, "Enter")
    page.wait_for_url(re.compile(f"/tables/{next(iter(counts))}\\?day={SECOND}"))
    answer = client_of("bob").get("/tables", params={"day": str(SECOND), "format": "parquet"})
    file = pl.read_parquet(io.BytesIO(answer.content))
    assert dict(file.select("table", "rounds").iter_rows()) == counts
    assert sum(file["over_cents"]) == sum(rounds["over_cents"])


def test_every_mark_stands_for_something_and_leads_to_it(floor: Floor, page_of: PageOf) -> None:
    page = opened(page_of("ann", f"/tables/{TABLE}?day={SECOND}"))
    rounds, findings = rows(floor, "rounds"), rows(floor, "findings")
    assert links(page, "Rounds") == [f"/rounds/{each}" for each in rounds["round_id"]]
    for severity in ("high", "medium", "low"):
        own = findings.filter(pl.col("at").is_not_null(), severity=severity)
        expected = [
            f"/rounds/{row['round_id']}?finding={row['finding_id']}"
            if row["round_id"]
            else f"/findings/{row['finding_id']}?day={SECOND}"
            for row in own.iter_rows(named=True)
        ]
        assert sorted(links(page, severity.title())) == sorted(expected)
    shoes = rows(floor, "shoes")["shoe"]
    assert links(page, "Shoes") == [f"/shoes/{shoe}?day={SECOND}" for shoe in shoes]
    stints = rounds["dealer"].rle_id().max()
    assert isinstance(stints, int) and len(links(page, "Dealers")) == stints + 1
    fault = page.locator(".lane a", has=page.locator("rect.fault"))
    expect(fault).to_have_count(1)
    words = fault.get_attribute("aria-label") or ""
    assert re.search(r"reader: .*repaired \d\d:\d\d:\d\d", words), words
    fault.locator("rect").click()
    page.wait_for_url(re.compile(r"/rounds/S21-02/"))


def test_keys_zoom_and_the_address_keeps_the_times(floor: Floor, page_of: PageOf) -> None:
    page = opened(page_of("ann", f"/tables/{TABLE}?day={SECOND}"))
    whole = window(page)
    long = whole[1] - whole[0]
    press(page, "+")
    first = window(page)
    assert abs((first[1] - first[0]) / long - 0.5) < 0.01
    inside = rows(floor, "rounds").filter(pl.col("started").is_between(*first))
    expect(page.locator("#rounds tr[data-at]:visible")).to_have_count(len(inside))
    expect(page.locator("#window-sum")).to_contain_text(f"{len(inside)} rounds")
    press(page, "ArrowRight")
    assert window(page)[0] > first[0]
    press(page, "ArrowLeft")
    assert window(page) == first
    press(page, "-")
    assert window(page) == whole
    press(page, "1")
    shift = rows(floor, "rounds").sort("started")
    own = shift.filter(shift=shift["shift"][0])
    assert window(page) == (own["started"].min(), own["ended"].max())
    press(page, "0")
    assert window(page) == whole
    box = page.locator("#timeline svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] - 3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] - 3, steps=3)
    page.mouse.up()
    dragged = window(page)
    assert 0.1 < (dragged[1] - dragged[0]) / long < 0.3
    page.reload()
    assert window(opened(page)) == dragged
    assert f"from={dragged[0]:%Y-%m-%dT%H}" in (page.locator("a[data-copies]").get_attribute("href") or "")


def test_rounds_are_gone_through_by_keys(floor: Floor, page_of: PageOf) -> None:
    page = opened(page_of("ann", f"/tables/{TABLE}?day={SECOND}"))
    played = rows(floor, "rounds").sort("started")
    chosen = page.locator("#rounds tr[aria-selected=true]")
    for key, place in (("j", 0), ("j", 1), ("k", 0)):
        press(page, key)
        expect(chosen).to_have_attribute("data-open", f"/rounds/{played['round_id'][place]}")
    press(page, "n")
    found = played[1:].filter(pl.col("findings") > 0)["round_id"][0]
    expect(chosen).to_have_attribute("data-open", f"/rounds/{found}")
    press(page, "Enter")
    page.wait_for_url(re.compile(f"/rounds/{found}"))


def test_files_hold_what_the_window_shows(floor: Floor, client_of: ClientOf) -> None:
    rounds = rows(floor, "rounds").sort("started")
    since, until = rounds["started"][4], rounds["started"][11]
    times = {name: time.isoformat() for name, time in (("from", since), ("to", until))}
    client = client_of("ann")

    def file(**more: Any) -> pl.DataFrame:
        query = {"day": str(SECOND), "format": "parquet", **times, **more}
        return pl.read_parquet(io.BytesIO(client.get(f"/tables/{TABLE}", params=query).content))

    assert file()["round_id"].to_list() == rounds["round_id"][4:12].to_list()
    expected = rows(floor, "findings").filter(pl.col("at").is_null() | pl.col("at").is_between(since, until))
    assert set(file(rows="findings")["finding_id"]) == set(expected["finding_id"])
    assert set(file(rows="shoes")["shoe"]) == set(rounds["shoe"][4:12])
    csv = client.get(f"/tables/{TABLE}", params={"day": str(SECOND), "format": "csv", **times}).content
    assert pl.read_csv(io.BytesIO(csv))["round_id"].to_list() == rounds["round_id"][4:12].to_list()
    bad = {"day": str(SECOND), "from": "yesterday", "to": until.isoformat()}
    assert client.get(f"/tables/{TABLE}", params=bad).status_code == 404
    assert (
        client.get(f"/tables/{TABLE}", params={"day": str(SECOND), "format": "csv", "rows": "x", **times}).status_code
        == 404
    )
    assert client.get(f"/tables/P21-99?day={SECOND}").status_code == 404


def test_counts_of_a_shoe_in_play_are_not_shown(floor: Floor, page_of: PageOf, client_of: ClientOf) -> None:
    shoe = rows(floor, "shoes", IN_PLAY).filter(pl.col("ended").is_null()).row(0, named=True)
    page = opened(page_of("ann", f"/tables/{IN_PLAY}?day={SECOND}"))
    words = page.locator(f'.lane a[href="/shoes/{shoe["shoe"]}?day={SECOND}"]').get_attribute("aria-label")
    assert words == f"Shoe {shoe['shoe']} is in play"
    times = {"from": datetime(2026, 1, 1, tzinfo=UTC).isoformat(), "to": datetime(2026, 2, 1, tzinfo=UTC).isoformat()}
    query = {"day": str(SECOND), "format": "parquet", "rows": "shoes", **times}
    file = pl.read_parquet(io.BytesIO(client_of("ann").get(f"/tables/{IN_PLAY}", params=query).content))
    assert len(file) and shoe["shoe"] not in file["shoe"].to_list()


def test_another_day_begins_with_its_own_times(page_of: PageOf) -> None:
    page = opened(page_of("ann", f"/tables/{TABLE}?day={SECOND}"))
    before = window(page)
    press(page, "[")
    page.wait_for_url(re.compile(f"day={FIRST}"))
    assert window(opened(page))[1] < before[0]


@pytest.mark.parametrize("name", ["reg", "root"])
def test_only_staff_see_tables(client_of: ClientOf, name: str) -> None:
    for path in ("/tables", f"/tables/{TABLE}?day={SECOND}", "/shoes", f"/shoes/x?day={SECOND}"):
        assert client_of(name).get(path).status_code == 403, path


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1024)])
def test_no_serious_barrier(page_of: PageOf, scheme: str, width: int) -> None:
    size = {"width": width, "height": 900}
    page = opened(page_of("ann", f"/tables/{TABLE}?day={SECOND}", color_scheme=scheme, viewport=size))
    assert serious(page) == [] and not sticks_out(page)
    page.goto(re.sub("/tables/.*", f"/tables?day={SECOND}", page.url))
    assert serious(page) == [] and not sticks_out(page)
