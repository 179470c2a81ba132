"""Devices: faults, gaps and clocks as the lake has them."""

import io
import re

import polars as pl
import pytest
from playwright.sync_api import expect

from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.floor import FIRST, SECOND, Floor
from warehouse.lake import Lake

BOTH = f"/devices?from={FIRST}&to={SECOND}"


@pytest.fixture
def lake(floor: Floor) -> Lake:
    return Lake.open(floor.lake)


def rows(client_of: ClientOf, query: str) -> pl.DataFrame:
    answer = client_of("ann").get(f"{BOTH}&{query}&format=parquet")
    assert answer.status_code == 200
    return pl.read_parquet(io.BytesIO(answer.content))


@pytest.mark.parametrize(("name", "status"), [("ann", 200), ("bob", 200), ("reg", 403), ("root", 403)])
def test_who_may_look(client_of: ClientOf, name: str, status: int) -> None:
    for query in ("", "&format=csv", "&format=parquet"):
        assert client_of(name).get(BOTH + query).status_code == status


@pytest.mark.parametrize("kind", ["shoe", "camera"])
def test_clocks_are_the_lakes(client_of: ClientOf, lake: Lake, kind: str) -> None:
    clocks = lake.read("clocks").filter(source=kind)
    found = rows(client_of, f"kind={kind}").sort("table")
    summed = (
        pl.col("offset_ms").sort_by("gaming_day", "until").last(),
        pl.col("uncertainty_ms").max(),
        pl.col("offset_ms").min().alias("offset_low_ms"),
        pl.col("kept").sum().alias("bounds_kept"),
        pl.col("broken").sum().alias("bounds_broken"),
    )
    expected = clocks.group_by("table").agg(*summed)
    assert found.select(expected.columns).rows() == expected.sort("table").rows()
    table = clocks["table"][0]
    days = rows(client_of, f"kind={kind}&table={table}")
    by_day = clocks.filter(table=table).group_by("gaming_day").agg(*summed).sort("gaming_day")
    assert days.select(by_day.columns).rows() == by_day.rows()


def test_the_pieces_of_a_clock_are_a_file(client_of: ClientOf, lake: Lake) -> None:
    clocks = lake.read("clocks").filter(source="shoe")
    table = clocks["table"][0]
    found = rows(client_of, f"kind=shoe&table={table}&rows=clocks").sort("gaming_day", "piece")
    wanted = ["gaming_day", "piece", "from", "until", "offset_ms", "drift_ppm", "uncertainty_ms", "kept", "broken"]
    assert found.select(wanted).rows() == clocks.filter(table=table).sort("gaming_day", "piece").select(wanted).rows()
    for query in ("kind=shoe&rows=clocks", f"kind=shuffler&table={table}&rows=clocks"):
        assert client_of("ann").get(f"{BOTH}&{query}&format=csv").status_code == 404


def test_cameras_err_where_they_saw_another_card(client_of: ClientOf, lake: Lake) -> None:
    cards = lake.read("cards").filter(pl.col("seen_card").is_not_null() & pl.col("card").is_not_null(), source="shoe")
    expected = cards.group_by("table").agg(errors=(pl.col("seen_card") != pl.col("card")).sum(), of=pl.len())
    found = rows(client_of, "kind=camera").sort("table")
    assert found.select("table", "errors", "of").rows() == expected.sort("table").rows()
    assert found.filter((pl.col("low") > pl.col("share")) | (pl.col("high") < pl.col("share"))).is_empty()


def test_terminals_err_where_lines_were_rejected(client_of: ClientOf, lake: Lake) -> None:
    expected = (
        lake.read("files")
        .filter(source="terminal")
        .group_by("table")
        .agg(errors=pl.col("quarantined").sum(), of=pl.col("lines").sum())
    )
    assert rows(client_of, "kind=terminal").select("table", "errors", "of").rows() == expected.sort("table").rows()


@pytest.mark.parametrize("kind", ["shoe", "shuffler", "reader"])
def test_faults_are_counted_once(client_of: ClientOf, lake: Lake, kind: str) -> None:
    faults = lake.read("events").filter(type="fault", device=kind, source="shoe")
    assert rows(client_of, f"kind={kind}")["faults"].sum() == len(faults)


def test_gaps_and_missing_sources(client_of: ClientOf, lake: Lake) -> None:
    findings = lake.read("findings").filter(pl.col("code").is_in(["evidence.sequence-gap", "evidence.source-missing"]))
    found = pl.concat(
        [rows(client_of, f"kind={kind}").select("gaps", "missing") for kind in ("terminal", "shoe", "camera")]
    )
    assert found["gaps"].sum() == len(findings.filter(code="evidence.sequence-gap"))
    named = findings.filter(pl.col("message").str.contains("terminal|shoe|camera"), code="evidence.source-missing")
    assert found["missing"].sum() == len(named)


def test_kinds_tables_and_days(page_of: PageOf, client_of: ClientOf) -> None:
    page = page_of("ann", "/devices")
    expect(page).to_have_url(re.compile(f"from={FIRST}&to={SECOND}"))
    for label in ("Terminals", "Shufflers", "Card readers", "Cameras", "Shoes"):
        link = page.get_by_label("Kind of device").get_by_role("link", name=label, exact=True)
        link.click()
        expect(link).to_have_attribute("aria-current", "true")
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", name="day by day")).to_be_visible()
    for query in ("kind=kettle", "kind=shoe&table=X", "from=x&to=y"):
        assert client_of("ann").get(f"{BOTH}&{query}" if "kind" in query else f"/devices?{query}").status_code == 404


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1024)])
def test_nobody_is_kept_out(page_of: PageOf, scheme: str, width: int) -> None:
    kind = {"light": "shoe", "dark": "camera"}[scheme]
    view = {"width": width, "height": 900}
    page = page_of("ann", f"{BOTH}&kind={kind}", color_scheme=scheme, viewport=view)
    assert serious(page) == [] and not sticks_out(page)


def test_files_of_nothing_have_their_columns(client_of: ClientOf) -> None:
    nothing = rows(client_of, "kind=reader&table=nowhere")
    assert nothing.is_empty() and {"gaming_day", "table", "errors", "of", "low", "high"} <= set(nothing.columns)
    answer = client_of("ann").get(f"{BOTH}&kind=reader&table=nowhere&format=csv")
    assert answer.text.splitlines()[0].startswith('"gaming_day","table"')
