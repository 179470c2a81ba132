"""Triage: what it shows, its keys, its files, and what comes while one looks."""

import io

import polars as pl
from playwright.sync_api import expect

from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.floor import FIRST, SECOND, Floor
from warehouse.lake import Lake


def findings(floor: Floor, day: object) -> pl.DataFrame:
    return Lake.open(floor.lake).read("findings", days=[day])  # type: ignore[list-item]


def test_the_start_page_of_surveillance_shows_the_newest_day_by_severity_and_cost(
    floor: Floor, page_of: PageOf
) -> None:
    page = page_of("ann", "/")
    expect(page).to_have_url(f"{page.url.partition('/triage')[0]}/triage?day={SECOND}")
    ranks = {"high": 0, "medium": 1, "low": 2}
    found = sorted(
        findings(floor, SECOND).rows(named=True), key=lambda row: (ranks[row["severity"]], -abs(row["variance_cents"]))
    )
    shown = page.locator("tr[data-key]")
    expect(shown).to_have_count(len(found))
    chips = shown.locator("td:first-child").all_inner_texts()
    assert chips == [row["severity"] for row in found]


def test_files_hold_what_the_lake_holds(floor: Floor, client_of: ClientOf) -> None:
    client = client_of("ann")
    expected = findings(floor, FIRST).filter(pl.col("severity") == "high").sort("finding_id")
    answer = client.get("/triage", params={"day": str(FIRST), "severity": "high", "format": "parquet"})
    parquet = pl.read_parquet(io.BytesIO(answer.content)).sort("finding_id")
    assert parquet.select("finding_id", "code", "variance_cents").equals(
        expected.select("finding_id", "code", "variance_cents")
    )
    answer = client.get("/triage", params={"day": str(FIRST), "severity": "high", "format": "csv"})
    csv = pl.read_csv(io.BytesIO(answer.content)).sort("finding_id")
    assert csv["message"].to_list() == expected["message"].to_list()
