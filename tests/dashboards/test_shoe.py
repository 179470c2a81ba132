"""Shoes of a day, and one as it was dealt: what it held, in which order, and what is kept back while it is in play."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import expect

from replay.cards import RANKS, SUITS
from replay.wording import card_text
from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.filmed import filmed_lake as filmed_lake
from tests.dashboards.floor import FIRST, SECOND, Floor
from tests.dashboards.keys import press
from tests.dashboards.server import Server, serving
from warehouse.lake import Lake

DECK = 48  # cards of a Spanish deck


def shoes(lake: Path, day: object) -> pl.DataFrame:
    return Lake.open(lake).read("shoes", days=[day])  # type: ignore[list-item]


def drawn(lake: Path, shoe: str) -> pl.DataFrame:
    return Lake.open(lake).read("cards").filter(shoe=shoe).sort("n")


@pytest.fixture(scope="module")
def odd(filmed_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of a table in whose shoes a ten was found and cards were missing."""
    with serving(filmed_lake, tmp_path_factory.mktemp("odd") / "cases.db") as running:
        yield running


def test_the_shoes_of_a_day(floor: Floor, page_of: PageOf, client_of: ClientOf) -> None:
    expected = shoes(floor.lake, FIRST)
    page = page_of("ann", f"/shoes?day={FIRST}")
    assert page.locator("tr[data-open] td:first-child").all_inner_texts() == expected["shoe"].to_list()
    assert page.locator("tr[data-open] td:nth-child(6)").all_inner_texts() == [str(n) for n in expected["cards_drawn"]]
    answer = client_of("ann").get("/shoes", params={"day": str(FIRST), "format": "csv"})
    assert pl.read_csv(io.BytesIO(answer.content))["cards_drawn"].to_list() == expected["cards_drawn"].to_list()
    press(page, "j")
    press(page, "Enter")
    page.wait_for_url(re.compile(f"/shoes/{expected['shoe'][0]}\\?day={FIRST}"))


def test_a_shoe_by_rank_and_suit_and_in_order(floor: Floor, page_of: PageOf, client_of: ClientOf) -> None:
    row = shoes(floor.lake, FIRST).row(0, named=True)
    cards = drawn(floor.lake, row["shoe"])
    page = page_of("ann", f"/shoes/{row['shoe']}?day={FIRST}")
    cells = [int(each) for each in page.locator(".composition td:not(.sum) strong").all_inner_texts()]
    counts = dict(cards.group_by("card").len().iter_rows())
    assert cells == [counts.get(rank + suit, 0) for suit in SUITS for rank in RANKS]
    due = page.locator(".composition td:not(.sum) span").all_inner_texts()
    assert due == [f"of {0 if rank == 'T' else row['decks']}" for _ in SUITS for rank in RANKS]
    assert page.locator(".order .card-name").all_inner_texts() == [card_text(card) for card in cards["card"]]
    rounds = cards["round_id"].drop_nulls().unique(maintain_order=True)
    assert [link.get_attribute("href") for link in page.locator(".order a").all()] == [f"/rounds/{r}" for r in rounds]
    client = client_of("ann")
    query = {"day": str(FIRST), "format": "parquet"}
    file = pl.read_parquet(io.BytesIO(client.get(f"/shoes/{row['shoe']}", params=query).content))
    assert file["card"].to_list() == cards["card"].to_list()
    answer = client.get(f"/shoes/{row['shoe']}", params={**query, "rows": "composition"})
    composition = pl.read_parquet(io.BytesIO(answer.content))
    assert sum(composition["drawn"]) == len(cards) and sum(composition["should_hold"]) == row["decks"] * DECK


def test_the_cut_card_lies_where_it_came_out(floor: Floor, page_of: PageOf) -> None:
    row = shoes(floor.lake, FIRST).filter(pl.col("cut_card_n").is_not_null()).row(0, named=True)
    page = page_of("ann", f"/shoes/{row['shoe']}?day={FIRST}")
    before = page.evaluate(
        """() => {
            const pieces = [...document.querySelectorAll(".order .drawn > *")];
            const cut = pieces.findIndex((piece) => piece.className === "cut");
            return pieces.slice(0, cut).filter((piece) => piece.classList.contains("card-name")).length;
        }"""
    )
    assert before == row["cut_card_n"]


def test_cards_found_face_up_are_marked(floor: Floor, page_of: PageOf) -> None:
    found = Lake.open(floor.lake).read("cards").filter(face="up")
    shoe, day = found.select("shoe", "gaming_day").row(0)
    page = page_of("ann", f"/shoes/{shoe}?day={day}")
    marked = page.locator(".order .is-up").all_inner_texts()
    assert marked == [card_text(card) for card in found.filter(shoe=shoe).sort("n")["card"]]


def test_tens_and_missing_cards_are_marked(odd: Server, page_of: PageOf) -> None:
    lake = odd.site.settings.lake
    findings = Lake.open(lake).read("findings")
    ten = Lake.open(lake).read("cards").filter(pl.col("card").str.starts_with("T")).row(0, named=True)
    page = page_of("ann", f"/shoes/{ten['shoe']}?day={FIRST}", at=odd)
    expect(page.locator(".composition .ten")).to_have_count(1)
    assert page.locator(".order .is-ten").all_inner_texts() == [card_text(ten["card"])]
    expect(page.locator(".title")).to_contain_text("1 ten")
    short = findings.filter(code="shoe.composition").row(0, named=True)
    row = shoes(lake, FIRST).filter(shoe=short["shoe"]).row(0, named=True)
    missing = row["decks"] * DECK - row["cards_drawn"] - row["remaining"]
    page.goto(f"{odd.url}/shoes/{short['shoe']}?day={FIRST}")
    expect(page.locator(".title")).to_contain_text(f"{missing} missing")
    expect(page.locator(".side")).to_contain_text("shoe.composition")


def test_keys_go_to_the_shoes_before_and_after(floor: Floor, page_of: PageOf) -> None:
    first, second = shoes(floor.lake, FIRST)["shoe"][:2]
    page = page_of("ann", f"/shoes/{first}?day={FIRST}")
    press(page, "]")
    page.wait_for_url(re.compile(f"/shoes/{second}\\?"))
    press(page, "[")
    page.wait_for_url(re.compile(f"/shoes/{first}\\?"))


def test_a_shoe_in_play_is_kept_back(floor: Floor, page_of: PageOf, client_of: ClientOf, tmp_path: Path) -> None:
    shoe = shoes(floor.lake, SECOND).filter(pl.col("ended").is_null())["shoe"][0]
    page = page_of("ann", f"/shoes/{shoe}?day={SECOND}")
    expect(page.locator("main")).to_contain_text("This shoe is in play")
    assert page.locator(".card-name, .composition").count() == 0
    page.goto(re.sub("/shoes/.*", f"/shoes?day={SECOND}", page.url))
    assert shoe not in page.locator("tbody").inner_text()
    client = client_of("bob")
    for form in ("csv", "parquet"):
        assert client.get(f"/shoes/{shoe}", params={"day": str(SECOND), "format": form}).status_code == 403
        assert shoe.encode() not in client.get("/shoes", params={"day": str(SECOND), "format": form}).content
    with serving(floor.lake, tmp_path / "cases.db", show_live_shoes=True) as open_handed:
        shown = client_of("bob", at=open_handed).get(f"/shoes/{shoe}", params={"day": str(SECOND)})
        assert 'class="composition"' in shown.text


def test_a_shoe_that_is_not_there(client_of: ClientOf) -> None:
    client = client_of("ann")
    assert client.get(f"/shoes/nowhere?day={FIRST}").status_code == 404
    assert client.get("/shoes?day=someday").status_code == 404


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1024)])
def test_no_serious_barrier(floor: Floor, page_of: PageOf, scheme: str, width: int) -> None:
    shoe = shoes(floor.lake, FIRST)["shoe"][0]
    size = {"width": width, "height": 900}
    page = page_of("ann", f"/shoes/{shoe}?day={FIRST}", color_scheme=scheme, viewport=size)
    assert serious(page) == [] and not sticks_out(page)
    page.goto(re.sub("/shoes/.*", f"/shoes?day={SECOND}", page.url))
    assert serious(page) == [] and not sticks_out(page)
