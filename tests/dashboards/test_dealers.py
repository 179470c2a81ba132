"""Dealers: intervals that are right, and no ranking that they do not bear."""

import io
import re

import polars as pl
import pytest
from playwright.sync_api import expect

from dashboards.rates.compared import compare
from dashboards.rates.wilson import ABOVE, BELOW, SMALL, WITHIN, rate
from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.floor import FIRST, SECOND, Floor
from warehouse.lake import Lake

BOTH = f"/dealers?from={FIRST}&to={SECOND}"


# Newcombe 1998, table I, method 3: the score method without continuity correction.
@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_as_published(count: int, of: int, low: float, high: float) -> None:
    found = rate(count, of)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    other = rate(of - count, of)
    assert (round(1 - other.high, 4), round(1 - other.low, 4)) == (low, high)


def test_rates_at_the_ends() -> None:
    assert (rate(0, 0).share, rate(0, 0).low, rate(0, 0).high) == (None, 0.0, 1.0)
    assert rate(7, 7).high == 1.0 and rate(0, 7).low == 0.0
    with pytest.raises(ValueError, match="found 3 of 2"):
        rate(3, 2)


def test_order_is_what_the_intervals_show() -> None:
    rows = [
        {"name": "busy and fine", "wrong": 2, "dealt": 2_000},
        {"name": "unlucky", "wrong": 2, "dealt": 5},
        {"name": "worst", "wrong": 60, "dealt": 600},
        {"name": "like all", "wrong": 10, "dealt": 500},
        {"name": "bad", "wrong": 40, "dealt": 600},
        {"name": "also like all", "wrong": 1, "dealt": 60},
    ]
    found = compare(rows, "wrong", "dealt", lambda row: row["name"])
    assert found.floor == rate(115, 3_765)
    assert [(each.row["name"], each.standing) for each in found.rows] == [
        ("worst", ABOVE),
        ("bad", ABOVE),
        ("also like all", WITHIN),
        ("like all", WITHIN),
        ("busy and fine", BELOW),
        ("unlucky", SMALL),
    ]


def test_one_rare_error_is_no_stigma() -> None:
    floor = rate(2, 100_000)
    assert rate(1, 2_400).low > 2 / 100_000 and rate(1, 2_400).against(floor) == WITHIN
    assert rate(3, 2_400).against(floor) == ABOVE


@pytest.mark.parametrize(("name", "status"), [("ann", 200), ("bob", 200), ("reg", 403), ("root", 403)])
def test_who_may_look(client_of: ClientOf, name: str, status: int) -> None:
    for query in ("", "&format=csv", "&format=parquet"):
        assert client_of(name).get(BOTH + query).status_code == status


def test_rates_are_the_lakes(client_of: ClientOf, floor: Floor) -> None:
    rounds = Lake.open(floor.lake).scan("rounds").filter(pl.col("dealer").is_not_null())
    expected = (
        rounds.group_by("dealer")
        .agg(
            rounds=pl.len(),
            errors=(pl.col("verdict") == "wrong").sum(),
            of=(pl.col("verdict") != "undetermined").sum(),
        )
        .sort("dealer")
        .collect()
    )
    answer = client_of("ann").get(f"{BOTH}&format=parquet")
    found = pl.read_parquet(io.BytesIO(answer.content))
    assert found.select(expected.columns).unique().sort("dealer").rows() == expected.rows()
    money = rounds.group_by("dealer", "currency").agg(pl.col("over_cents", "under_cents").sum())
    money_rows = money.sort("dealer", "currency").collect()
    assert found.select(money_rows.columns).sort("dealer", "currency").rows() == money_rows.rows()


def test_dealing_errors_are_rounds_with_such_a_finding(client_of: ClientOf, floor: Floor) -> None:
    findings = Lake.open(floor.lake).read("findings")
    dealt = findings.filter(pl.col("code").str.contains(r"^(deal|dealer)\.") & pl.col("round_id").is_not_null())
    expected = dict(dealt.group_by("dealer").agg(pl.col("round_id").n_unique()).iter_rows())
    answer = client_of("ann").get(f"{BOTH}&measure=dealt&format=csv")
    found = dict(pl.read_csv(io.BytesIO(answer.content)).select("dealer", "errors").unique().iter_rows())
    assert expected and {dealer: count for dealer, count in found.items() if count} == expected


def test_one_dealer_day_by_day(page_of: PageOf, client_of: ClientOf) -> None:
    page = page_of("ann", "/dealers")
    expect(page).to_have_url(re.compile(f"from={FIRST}&to={SECOND}"))
    expect(page.get_by_text("Wilson score intervals at 95 %")).to_be_visible()
    dealer = page.locator("tbody a").first.inner_text()
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", name=f"{dealer}, day by day")).to_be_visible()
    days = pl.read_csv(io.BytesIO(client_of("ann").get(f"{BOTH}&dealer={dealer}&format=csv").content))
    assert set(days["dealer"]) == {dealer} and set(days["gaming_day"]) <= {str(FIRST), str(SECOND)}
    page.get_by_label("First gaming day").select_option(str(SECOND))
    expect(page).to_have_url(re.compile(f"from={SECOND}&to={SECOND}"))


@pytest.mark.parametrize("query", ["from=x&to=y", f"from={SECOND}&to={FIRST}", f"from={FIRST}&to={FIRST}&measure=x"])
def test_addresses_that_are_wrong(client_of: ClientOf, query: str) -> None:
    assert client_of("ann").get(f"/dealers?{query}").status_code == 404
    assert client_of("ann").get(f"{BOTH}&dealer=Nobody").status_code == 404


def test_small_samples_are_said_to_be_small(page_of: PageOf) -> None:
    page = page_of("ann", f"/dealers?from={FIRST}&to={FIRST}")
    small = page.locator("tr.small-sample")
    assert small.count() > 0
    for row in small.all():
        expect(row).to_contain_text("small sample")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1024)])
def test_nobody_is_kept_out(page_of: PageOf, scheme: str, width: int) -> None:
    page = page_of("ann", BOTH, color_scheme=scheme, viewport={"width": width, "height": 900})
    assert serious(page) == [] and not sticks_out(page)
