"""Triage: what it shows, its keys, its files, and what comes while one looks."""

import io
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import polars as pl
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.floor import FIRST, LATE, SECOND, Floor, arrive, audit
from tests.dashboards.keys import press
from tests.dashboards.server import Server, serving
from warehouse.cases import activity, cases, statuses
from warehouse.cases.activity import ActivityFilter
from warehouse.lake import Lake

RANKS = {"high": 0, "medium": 1, "low": 2}


def findings(floor: Floor, day: date, snapshot: int | None = None) -> pl.DataFrame:
    lake = Lake.open(floor.lake)
    return lake.read("findings", None if snapshot is None else lake.snapshot(snapshot), [day])


@pytest.fixture
def desk(floor: Floor, tmp_path: Path) -> Iterator[Server]:
    """A server of this test's own, on which nothing has been handled yet."""
    with serving(floor.lake, tmp_path / "cases.db") as running:
        yield running


def rows(page: Page) -> Locator:
    return page.locator("tr[data-key]")


def selected(page: Page) -> Locator:
    return page.locator("tr[aria-selected=true]")


def status_of(page: Page, finding_id: str) -> Locator:
    return page.locator(f'tr[data-id="{finding_id}"] td:nth-child(2)')


# What is shown.


def test_triage_shows_the_newest_day_by_severity_and_variance(floor: Floor, page_of: PageOf) -> None:
    page = page_of("ann", "/triage")
    expect(page).to_have_url(re.compile(f"/triage\\?day={SECOND}$"))
    found = findings(floor, SECOND).rows(named=True)
    found.sort(key=lambda row: (RANKS[row["severity"]], -abs(row["variance_cents"])))
    expect(rows(page)).to_have_count(len(found))
    assert rows(page).locator("td:first-child").all_inner_texts() == [row["severity"] for row in found]
    costs = [text.strip() for text in rows(page).locator("td:last-child").all_inner_texts()]
    sign = {True: "\N{MINUS SIGN}", False: "+"}
    assert costs == [
        f"{row['currency']}\xa0{sign[row['variance_cents'] < 0]}{abs(row['variance_cents']) / 100:,.2f}"
        if row["variance_cents"]
        else "–"
        for row in found
    ]


def test_money_is_added_by_currency_only(floor: Floor, page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}")
    over = Counter[str]()
    for row in findings(floor, FIRST).rows(named=True):
        over[row["currency"]] += max(row["variance_cents"], 0)
    shown = page.locator(".summary .over").all_inner_texts()
    assert len(shown) > 1, "the floor has several currencies"
    assert shown == [f"{name}\xa0+{cents / 100:,.2f}" for name, cents in sorted(over.items()) if cents]


def facet(page: Page, name: str) -> Locator:
    return page.locator(".facets section").filter(has=page.get_by_role("heading", name=name, exact=True))


def test_facets_count_and_narrow(floor: Floor, page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}")
    found = findings(floor, FIRST)
    table, count = found["table"].value_counts(sort=True).row(0)
    expect(facet(page, "Table").get_by_role("link", name=table)).to_contain_text(str(count))
    facet(page, "Table").get_by_role("link", name=table).click()
    expect(rows(page)).to_have_count(count)
    high = found.filter(pl.col("table") == table, pl.col("severity") == "high").height
    expect(facet(page, "Severity").get_by_role("link", name="high")).to_contain_text(str(high))
    other = next(name for name in found["table"].unique() if name and name != table)
    in_other = found.filter(table=other).height
    expect(facet(page, "Table").get_by_role("link", name=other)).to_contain_text(str(in_other))
    facet(page, "Severity").get_by_role("link", name="high").click()
    expect(rows(page)).to_have_count(high)
    page.get_by_role("link", name="Show all findings of the day").click()
    expect(rows(page)).to_have_count(found.height)


def test_search_needs_every_word(floor: Floor, page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}")
    found = findings(floor, FIRST).filter(pl.col("code").str.starts_with("settlement."), pl.col("table") == "P21-01")
    press(page, "/")
    page.keyboard.type("SETTLEMENT p21-01/")
    press(page, "Enter")
    expect(rows(page)).to_have_count(found.height)
    page.goto(page.url.partition("?")[0] + f"?day={FIRST}&q=no+such+words")
    expect(page.get_by_text("No matches")).to_be_visible()


def test_repeated_findings_in_groups(floor: Floor, page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}")
    press(page, "g")
    expect(page).to_have_url(re.compile("group=1"))
    groups = Counter(findings(floor, FIRST).select("code", "table", "currency").rows())
    expect(rows(page)).to_have_count(len(groups))
    assert sorted(map(int, rows(page).locator("td:nth-child(2)").all_inner_texts())) == sorted(groups.values())


def test_a_permalink_shows_what_was_known_then(floor: Floor, page_of: PageOf) -> None:
    before, after = findings(floor, SECOND, 2), findings(floor, SECOND, 3)
    assert before.height < after.height, "the late table brings findings"
    page = page_of("ann", f"/triage?day={SECOND}&snapshot=2")
    expect(rows(page)).to_have_count(before.height)
    expect(page.locator(".snapshot.pinned")).to_contain_text("pinned · snapshot 2")
    page.get_by_role("link", name="newest").click()
    expect(rows(page)).to_have_count(after.height)
    link = page.get_by_role("link", name="Permalink").get_attribute("href")
    assert parse_qs(urlsplit(link or "").query) == {"day": [str(SECOND)], "snapshot": ["3"]}


@pytest.mark.parametrize(
    "query",
    ["day=2026-13-40", "day=2031-01-01", "snapshot=99", "snapshot=x", "page=0", "sort=luck", "format=exe", "page=٣"],
)
def test_what_is_not_there_is_not_found(client_of: ClientOf, query: str) -> None:
    path = query if query.startswith("day") else f"day={FIRST}&{query}"
    answer = client_of("ann").get(f"/triage?{path}")
    assert answer.status_code == 404 and "Traceback" not in answer.text


# Files.


def test_files_hold_what_the_lake_holds(floor: Floor, client_of: ClientOf) -> None:
    client = client_of("ann")
    expected = findings(floor, FIRST).filter(severity="high").sort("finding_id")
    view = {"day": str(FIRST), "severity": "high", "snapshot": "3"}
    answer = client.get("/triage", params=view | {"format": "parquet"})
    assert answer.headers["Content-Disposition"] == f'attachment; filename="findings-{FIRST}-snapshot-3.parquet"'
    parquet = pl.read_parquet(io.BytesIO(answer.content)).sort("finding_id")
    assert parquet.select(expected.columns).cast(expected.schema).equals(expected)
    answer = client.get("/triage", params=view | {"format": "csv"})
    csv = pl.read_csv(io.BytesIO(answer.content), infer_schema=False).sort("finding_id")
    for column in ("code", "message", "round_id", "variance_cents", "currency"):
        assert csv[column].to_list() == expected[column].cast(pl.String).to_list()


# Keys.


def test_keys_move_and_open(page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}")
    ids = [row.get_attribute("data-key") for row in rows(page).all()]
    expect(selected(page)).to_have_attribute("data-key", ids[0] or "")
    press(page, "j")
    press(page, "j")
    press(page, "k")
    expect(selected(page)).to_have_attribute("data-key", ids[1] or "")
    expect(page.locator("#detail h2")).to_have_text(selected(page).locator(".message").inner_text())
    for _ in range(3):
        press(page, "k")
    expect(selected(page)).to_have_attribute("data-key", ids[0] or "")
    press(page, "?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    press(page, "j")
    press(page, "Escape")
    expect(selected(page)).to_have_attribute("data-key", ids[0] or "")
    opens = selected(page).get_attribute("data-open") or ""
    with page.expect_request(re.compile(re.escape(opens.partition("?")[0]))):
        press(page, "Enter")


def test_keys_act_with_note_and_author_and_undo(desk: Server, page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}", at=desk)
    first, second = (rows(page).nth(n).get_attribute("data-id") or "" for n in range(2))
    press(page, "x")
    expect(status_of(page, first)).to_have_text("in review")
    press(page, "j")
    press(page, "d")
    press(page, "Enter")
    expect(page.get_by_role("dialog", name="Dismiss")).to_be_visible()  # not without a note
    page.keyboard.type("The dealer corrected it at once")
    press(page, "Enter")
    expect(status_of(page, second)).to_have_text("dismissed")
    expect(page.locator("#detail blockquote")).to_contain_text("The dealer corrected it at once")
    expect(page.locator("#detail blockquote")).to_contain_text("dismissed by ann")
    press(page, "u")
    expect(status_of(page, second)).to_have_text("new")
    with desk.site.database.read() as session:
        assert {row.finding_id: row.status for row in statuses.of_day(session, FIRST)} == {
            first: "in review",
            second: "new",
        }
        done = [row.action for row in activity.newest(session, ActivityFilter(account="ann"), 10)]
        assert done == ["undo", "set dismissed", "set in review"]


def test_e_escalates_into_a_new_case(desk: Server, page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}", at=desk)
    finding_id = rows(page).first.get_attribute("data-id") or ""
    press(page, "e")
    dialog = page.get_by_role("dialog", name="Escalate")
    dialog.locator("[name=case]").select_option("New case")
    dialog.get_by_label("Title of the new case").fill("A prize too high")
    dialog.get_by_label("Note").fill("see the film")
    dialog.get_by_role("button", name="Escalate").click()
    expect(status_of(page, finding_id)).to_have_text("escalated")
    expect(page.get_by_text("case 1")).to_be_visible()
    with desk.site.database.read() as session:
        case = cases.find(session, 1)
        assert case is not None and case.title == "A prize too high"
        assert ("finding", finding_id) in [(item.kind, item.ref) for item in case.items]
        assert {item.kind for item in case.items} == {"finding", "round"}


def test_a_group_is_handled_at_one_stroke(desk: Server, page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}&group=1&sort=time", at=desk)
    counts = [int(text) for text in rows(page).locator("td:nth-child(2)").all_inner_texts()]
    largest = counts.index(max(counts))
    rows(page).nth(largest).locator("td").first.click()
    press(page, "x")
    expect(page.get_by_text(f"{max(counts)} findings: in review")).to_be_visible()
    with desk.site.database.read() as session:
        assert len(statuses.of_day(session, FIRST)) == max(counts) > 1
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text(f"{max(counts)} findings: undone")).to_be_visible()


def test_a_filter_is_saved_and_used_on_another_day(desk: Server, floor: Floor, page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}&severity=high", at=desk)
    page.get_by_label("Name of the filter").fill("Grave")
    page.get_by_role("button", name="Save").click()
    page.goto(f"{desk.url}/triage?day={SECOND}")
    page.get_by_role("link", name="Grave").click()
    expect(rows(page)).to_have_count(findings(floor, SECOND).filter(severity="high").height)
    page.get_by_label("Remove the filter Grave").click()
    expect(page.get_by_role("link", name="Grave")).to_have_count(0)


def test_a_status_survives_a_new_audit_and_shows_to_others(desk: Server, floor: Floor, page_of: PageOf) -> None:
    kept = findings(floor, SECOND, 2)["finding_id"][0]
    with desk.client("bob") as client:
        form = {"finding_id": kept, "day": str(SECOND), "status": "escalated", "note": ""}
        assert client.post("/findings/status", data=form).status_code == 303
        gone = client.post("/findings/status", data=form | {"finding_id": "no such finding"})
        assert gone.status_code == 400 and "not in the lake" in gone.text
    for snapshot in (2, 3):
        page = page_of("ann", f"/triage?day={SECOND}&snapshot={snapshot}&status=escalated", at=desk)
        expect(rows(page)).to_have_count(1)
        expect(rows(page).first).to_have_attribute("data-id", kept)


# While the pipeline runs.


def test_new_findings_come_without_a_reload(floor: Floor, tmp_path: Path, page_of: PageOf) -> None:
    copy = shutil.copytree(floor.before, tmp_path / "copy")
    with serving(copy / "lake", tmp_path / "cases.db") as server:
        page = page_of("ann", f"/triage?day={SECOND}", at=server)
        before, after = (set(findings(floor, SECOND, number)["finding_id"]) for number in (2, 3))
        expect(rows(page)).to_have_count(len(before))
        press(page, "j")
        chosen = selected(page).get_attribute("data-key") or ""
        page.evaluate("window.loadedOnce = true")
        arrive(floor.zone / str(SECOND) / LATE, copy / "zone")
        audit(copy / "zone", copy / "lake")
        fresh = len(after - before)
        expect(page.locator(".toast", has_text=f"{fresh} new findings")).to_be_visible(timeout=30_000)
        expect(rows(page)).to_have_count(len(after))
        expect(page.locator("tr.fresh")).to_have_count(fresh)
        expect(page.locator("#snapshot")).to_have_text("3")
        expect(page.get_by_role("link", name="CSV")).to_have_attribute("href", re.compile("snapshot=3"))
        expect(selected(page)).to_have_attribute("data-key", chosen)
        page.get_by_role("button", name="Show first").click()
        expect(page.locator("tr.fresh[aria-selected=true]")).to_have_count(1)
        assert page.evaluate("window.loadedOnce") is True
        page.close()  # before its server, for which it would ask


def test_an_undo_belongs_to_its_own_action(desk: Server, page_of: PageOf) -> None:
    page = page_of("ann", f"/triage?day={FIRST}", at=desk)
    first, second = (rows(page).nth(n).get_attribute("data-id") or "" for n in range(2))
    for finding_id in (first, second):
        page.locator(f'tr[data-id="{finding_id}"] td').first.click()
        press(page, "x")
        expect(status_of(page, finding_id)).to_have_text("in review")
    page.locator(".toast", has_text="in review").first.get_by_role("button", name="Undo").click()
    expect(status_of(page, first)).to_have_text("new")
    expect(status_of(page, second)).to_have_text("in review")  # the newer action stands
    press(page, "u")
    expect(status_of(page, second)).to_have_text("new")
    expect(page.locator(".toast", has_text="in review")).to_have_count(0)  # no toast offers to undo what is undone
