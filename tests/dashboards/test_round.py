"""The page of a round: the table, its steps and keys, what it rests on, and what can be done from it."""

import io
import json
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import polars as pl
import pytest
from playwright.sync_api import Page, expect

from dashboards.rounds import queries
from dashboards.rounds.queries import DATASETS
from dashboards.rounds.replay import replay
from replay import floor as floors
from replay import notation
from replay.audit import audit
from replay.wording import card_text
from tests.dashboards import filmed
from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.filmed import filmed_lake as filmed_lake
from tests.dashboards.floor import FIRST, Floor
from tests.dashboards.keys import press
from tests.dashboards.server import Server, serving
from tests.pipelines.footage.test_stills import FPS, grey
from warehouse import rounds
from warehouse.cases import accounts, activity, cases, statuses
from warehouse.lake import Lake

Row = dict[str, Any]


def rows(lake: Path, dataset: str, round_id: str) -> pl.DataFrame:
    found = Lake.open(lake).read(dataset)
    return found.filter(pl.col("round_id") == round_id)


def wrong(floor: Floor) -> Row:
    """A round of the first day that was settled wrongly, with most boxes."""
    found = Lake.open(floor.lake).read("rounds", days=[FIRST]).filter(verdict="wrong", findings=1)
    return found.sort("boxes", "round_id").row(-1, named=True)


def opened(page: Page) -> Page:
    expect(page.locator("#round[data-ready='1']")).to_be_visible()
    return page


def steps(page: Page) -> tuple[int, int]:
    found = re.fullmatch(r"step (\d+) of (\d+)", page.locator("#place").inner_text())
    assert found
    return int(found[1]), int(found[2])


@pytest.fixture
def desk(floor: Floor, tmp_path: Path) -> Iterator[Server]:
    """A server of this test's own, on which nothing has been handled yet."""
    with serving(floor.lake, tmp_path / "cases.db") as running:
        yield running


# The table and its steps.


def test_the_table_lies_as_it_was_dealt(floor: Floor, page_of: PageOf) -> None:
    row = wrong(floor)
    page = opened(page_of("ann", f"/rounds/{row['round_id']}"))
    press(page, "End")
    now, last = steps(page)
    assert now == last
    hands = rows(floor.lake, "hands", row["round_id"])
    dealt = Counter([*row["dealer_cards"], *(card for cards in hands["cards"] for card in cards)])
    aside = Counter(rows(floor.lake, "cards", row["round_id"])["card"].to_list()) - dealt
    ranks = Counter(card[0].replace("T", "10") for card in (dealt + aside).elements())
    shown = Counter(page.locator("#felt g > text:first-of-type").all_text_contents())
    assert shown - ranks == Counter() and ranks - shown == Counter()
    boxes = page.locator("#felt").get_by_text(re.compile(r"^Box \d$")).count()
    assert boxes >= row["boxes"]
    settled = rows(floor.lake, "settlements", row["round_id"])
    expect(page.locator("tr[data-settled]")).to_have_count(len(settled))
    total = sum(settled["variance_cents"])
    assert f"{abs(total) / 100:,.2f}" in page.locator("tfoot").inner_text()


def test_every_key_steps_and_the_address_keeps_the_step(floor: Floor, page_of: PageOf) -> None:
    row = wrong(floor)
    page = opened(page_of("ann", f"/rounds/{row['round_id']}?step=4"))
    _, last = steps(page)
    assert steps(page) == (4, last)
    for key, expected in (("ArrowRight", 5), ("ArrowLeft", 4), ("Home", 1), ("ArrowLeft", 1), ("End", last)):
        press(page, key)
        assert steps(page)[0] == expected, key
        assert f"step={expected}" in page.url
        assert page.locator("#moves [aria-current]").get_attribute("data-step") == str(expected)
    press(page, "n")
    at = steps(page)[0]
    sentence = rows(floor.lake, "findings", row["round_id"])["message"][0]
    expect(page.locator("#step .flag")).to_have_text(sentence)
    press(page, "Home")
    press(page, "N")
    assert steps(page)[0] == at, "one finding is both the next and the last"
    permalink = page.locator("a[data-copies]").get_attribute("href") or ""
    assert "snapshot=3" in permalink and f"step={at}" in permalink
    page.goto(permalink)
    assert steps(opened(page))[0] == at


def test_a_round_plays_by_itself(floor: Floor, page_of: PageOf) -> None:
    page = page_of("ann", f"/rounds/{wrong(floor)['round_id']}?step=1")
    opened(page)
    for key in ("p", " "):
        before = steps(page)[0]
        press(page, key)
        expect(page.locator("#play")).to_have_text("Stop")
        expect(page.locator("#place")).not_to_contain_text(f"step {before} of")
        press(page, key)
        expect(page.locator("#play")).to_have_text("Play")


def test_steps_tell_the_arithmetic_and_the_clause(floor: Floor, page_of: PageOf, client_of: ClientOf) -> None:
    row = wrong(floor)
    told = client_of("ann").get(f"/replays/{row['round_id']}").json()["steps"]
    sums = [text for step in told for name, text in step["rows"] if name == "Hand"]
    for hand in rows(floor.lake, "hands", row["round_id"]).filter(hand=1).iter_rows(named=True):
        sum_ = " + ".join(card_text(card) for card in hand["cards"])
        assert any(text.startswith(f"{sum_} = ") and text.endswith(str(hand["total"])) for text in sums), sum_
    page = opened(page_of("ann", f"/rounds/{row['round_id']}?step={len(told) - 1}"))
    for name, text in told[-2]["rows"]:
        expect(page.locator("#step dl")).to_contain_text(f"{name}{text}")
    wrong_one = (
        rows(floor.lake, "settlements", row["round_id"]).filter(pl.col("variance_cents") != 0).row(0, named=True)
    )
    number = wrong_one["clause"].removeprefix(f"{row['rulebook']} ")
    key = "-".join(str(wrong_one[name]) for name in ("seat", "bettor", "hand", "kind"))
    line = page.locator(f'tr[data-settled="{key}"]')
    line.locator("[data-why]").click()
    expect(line.locator("+ tr.why")).to_contain_text(f"{number}: ")


def test_the_notation_tells_the_same_round(floor: Floor, page_of: PageOf) -> None:
    row = wrong(floor)
    page = page_of("ann", f"/rounds/{row['round_id']}", permissions=["clipboard-read", "clipboard-write"])
    opened(page).keyboard.press("c")
    expect(page.locator(".toast")).to_have_text("Copied")
    script = notation.load(page.evaluate("navigator.clipboard.readText()"))
    plan = floors.parse(script.floor)
    judged = audit(plan, plan.tables[0].id, FIRST, script.events)
    again = sorted((s.seat, s.bettor, s.hand, s.kind, s.variance_cents) for s in judged.settlements)
    names = ("seat", "bettor", "hand", "kind", "variance_cents")
    assert again == sorted(rows(floor.lake, "settlements", row["round_id"]).select(names).rows())


def test_neighbours_in_the_shoe(floor: Floor, page_of: PageOf) -> None:
    row = wrong(floor)
    played = Lake.open(floor.lake).read("rounds", days=[FIRST]).filter(table=row["table"])["round_id"].to_list()
    own = Lake.open(floor.lake).read("rounds", days=[FIRST]).filter(shoe=row["shoe"])["round"].to_list()
    here = played.index(row["round_id"])
    page = opened(page_of("ann", f"/rounds/{row['round_id']}"))
    assert page.locator(".bead").all_inner_texts() == own
    for key, place in (("]", here + 1), ("[", here), ("[", here - 1)):
        press(page, key)
        page.wait_for_url(re.compile(f"/rounds/{played[place]}(\\?|$)"))
        opened(page)


def test_of_an_endless_shoe_the_rounds_next_to_it(
    floor: Floor, page_of: PageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "REACH", 2)
    played = Lake.open(floor.lake).read("rounds", days=[FIRST]).filter(table=wrong(floor)["table"])
    own = played.filter(pl.col("shoe") == played["shoe"].mode()[0]).sort("started", "round_id")
    numbers, ids = own["round"].to_list(), own["round_id"].to_list()
    assert len(ids) > 6
    beads = opened(page_of("ann", f"/rounds/{ids[0]}")).locator(".bead")
    assert beads.all_inner_texts() == [*numbers[:3], "…"]
    beads = opened(page_of("ann", f"/rounds/{ids[3]}")).locator(".bead")
    assert beads.all_inner_texts() == ["…", *numbers[1:6], "…"]
    assert [beads.nth(place).get_attribute("href") for place in (0, 6)] == [f"/rounds/{ids[0]}", f"/rounds/{ids[6]}"]


# Findings, cases, packets.


def test_findings_are_handled_by_keys(floor: Floor, desk: Server, page_of: PageOf) -> None:
    row = wrong(floor)
    finding = rows(floor.lake, "findings", row["round_id"])["finding_id"][0]
    page = opened(page_of("ann", f"/rounds/{row['round_id']}?finding={finding}", at=desk))
    chip = page.locator("[data-status]")

    def status() -> str:
        with desk.site.database.read() as session:
            return statuses.of(session, [finding])[finding].status

    press(page, "x")
    expect(chip).to_have_text("in review")
    assert status() == "in review"
    press(page, "d")
    page.locator("#dismiss textarea").fill("the shoe was being tested")
    page.locator("#dismiss .primary").click()
    expect(chip).to_have_text("dismissed")
    press(page, "u")
    expect(chip).to_have_text("in review")
    assert status() == "in review"
    press(page, "e")
    page.locator("#escalate select").select_option("new")
    page.locator("#escalate .primary").click()
    expect(chip).to_have_text("escalated")
    with desk.site.database.read() as session:
        case = cases.all_of(session)[0]
        assert {item.ref for item in case.items} == {finding, row["round_id"]}


def test_a_round_goes_into_a_case(floor: Floor, desk: Server, page_of: PageOf) -> None:
    row = wrong(floor)
    page = opened(page_of("ann", f"/rounds/{row['round_id']}", at=desk))
    page.get_by_role("button", name="Add to case …").click()
    page.locator("#case-dialog input[name=title]").fill("A dispute")
    page.locator("#case-dialog .primary").click()
    page.wait_for_url(re.compile(r"/cases/\d+$"))
    with desk.site.database.read() as session:
        (case,) = cases.all_of(session)
        assert (case.title, [item.ref for item in case.items]) == ("A dispute", [row["round_id"]])


def test_a_packet_is_made_and_logged(floor: Floor, desk: Server, page_of: PageOf) -> None:
    row = wrong(floor)
    page = opened(page_of("ann", f"/rounds/{row['round_id']}", at=desk))
    page.get_by_role("button", name="Create packet …").click()
    page.locator("#packet-dialog [name=number]").fill("D-17")
    with page.expect_download(timeout=60_000) as download:
        page.locator("#packet-dialog .primary").click()
    with zipfile.ZipFile(download.value.path()) as bundle:
        packet = json.loads(bundle.read("packet.json"))
        assert bundle.read("packet.pdf").startswith(b"%PDF-")
    assert (packet["round_id"], packet["case"]["number"]) == (row["round_id"], "D-17")
    assert packet["case"]["prepared_by"] == "Ann of the test"
    with desk.site.database.read() as session:
        made = activity.newest(session, activity.ActivityFilter(action="make packet"), 10)
        assert [entry.subject for entry in made] == [f"round {row['round_id']}"]


# Files and who may see what.


@pytest.mark.parametrize("dataset", DATASETS)
def test_files_hold_the_rows_of_the_lake(floor: Floor, client_of: ClientOf, dataset: str) -> None:
    row = wrong(floor)
    client, url = client_of("ann"), f"/rounds/{row['round_id']}"
    answer = client.get(url, params={"format": "parquet", "rows": dataset})
    found = pl.read_parquet(io.BytesIO(answer.content))
    expected = rows(floor.lake, dataset, row["round_id"]).select(found.columns)
    assert len(expected) == len(found)
    assert len(found) > 0 or dataset == "stories"  # most rounds need not be inferred
    names = ("source", "seq", "seat", "bettor", "hand", "kind", "n", "finding_id")
    key = [name for name in names if name in found.columns]
    left, right = (each.cast(expected.schema).sort(key) for each in (found, expected))
    assert left.equals(right)
    answer = client.get(url, params={"format": "csv", "rows": dataset})
    assert len(pl.read_csv(io.BytesIO(answer.content), infer_schema=False)) == len(expected)
    assert client.get(url, params={"format": "csv", "rows": "carry"}).status_code == 404


def test_regulators_see_shared_rounds_and_no_other(
    floor: Floor, desk: Server, page_of: PageOf, client_of: ClientOf
) -> None:
    row = wrong(floor)
    other = Lake.open(floor.lake).read("rounds", days=[FIRST]).filter(shoe=row["shoe"])["round_id"].to_list()
    other.remove(row["round_id"])
    client = client_of("reg", at=desk)
    kinds = ("rounds", "replays", "frames", "stills")
    assert {client.get(f"/{kind}/{row['round_id']}").status_code for kind in kinds} == {404}
    with desk.site.database.write() as session:
        case = cases.open_case(session, "Shared", "bob", desk.clock())
        cases.add_item(case, "round", row["round_id"], FIRST, "bob", desk.clock())
        regulator = accounts.by_name(session, "reg")
        assert regulator is not None
        cases.share(case, regulator, "bob", desk.clock())
    page = opened(page_of("reg", f"/rounds/{row['round_id']}", at=desk))
    expect(page.locator("tr[data-settled]").first).to_be_visible()
    assert page.locator(".bead, #before, #after, [data-act], [data-status], #packet").count() == 0
    assert [each for each in other if f"/rounds/{each}" in page.content()] == []
    assert client.get(f"/rounds/{other[0]}").status_code == client.get(f"/replays/{other[0]}").status_code == 404
    assert client.post(f"/packets/{row['round_id']}").status_code == 403
    assert client.post(f"/rounds/{row['round_id']}", data={"case": "new", "title": "mine"}).status_code == 403
    assert client_of("root", at=desk).get(f"/rounds/{row['round_id']}").status_code == 403


def test_a_round_that_is_not_there(client_of: ClientOf) -> None:
    client = client_of("ann")
    for path in (f"P21-01/{FIRST}/nowhere", "P21-01/2001-01-01/1", "P21-01/someday/1", f"P21-99/{FIRST}/1"):
        assert client.get(f"/rounds/{path}").status_code == 404, path
        assert client.get(f"/replays/{path}").status_code == 404, path
        assert client.post(f"/rounds/{path}", data={"case": "new", "title": "x"}).status_code in (400, 404), path


# What shows it.


@pytest.mark.parametrize(
    "code", ["evidence.card-disagreement", "evidence.sideways-disagreement", "evidence.zone-disagreement"]
)
def test_sources_stand_side_by_side_where_they_disagree(floor: Floor, page_of: PageOf, code: str) -> None:
    found = Lake.open(floor.lake).read("findings").filter(code=code).row(0, named=True)
    page = opened(page_of("ann", f"/rounds/{found['round_id']}?finding={found['finding_id']}"))
    odd = page.locator("tr.odd-one")
    expect(odd).to_have_count(1)
    expect(page.locator("tr.even").first).to_be_hidden()
    if code == "evidence.card-disagreement":
        cards = rows(floor.lake, "cards", found["round_id"])
        card = cards.filter(pl.col("card") != pl.col("seen_card")).row(0, named=True)
        expect(odd.locator("td").nth(2)).to_contain_text(card_text(card["card"]))
        expect(odd.locator("td").nth(3)).to_contain_text(card_text(card["seen_card"]))
    assert odd.locator("[data-step]").inner_text() == str(steps(page)[0]), "the finding shows at its card"
    page.locator("#all-cards").click()
    expect(page.locator("tr.even").first).to_be_visible()


def test_cards_that_moved_at_a_split_are_no_disagreement(floor: Floor) -> None:
    lake = Lake.open(floor.lake)
    seen = lake.read("rounds").filter(pl.col("evidence").str.contains("camera"))
    odd = lake.read("findings").filter(pl.col("code").str.ends_with("disagreement"))["round_id"]
    split = lake.read("hands").filter(pl.col("hand") > 2, pl.col("round_id").is_in(seen["round_id"].to_list()))
    asked = sorted(set(split["round_id"]) - set(odd))[:3]
    assert asked
    for round_id in asked:
        told = replay(rounds.find(floor.lake, round_id))
        assert {card["agreement"] for card in told.cards} <= {"agree", "one source"}, round_id


@pytest.fixture(scope="module")
def reel(filmed_lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of a table that was filmed."""
    with serving(filmed_lake, tmp_path_factory.mktemp("reel") / "cases.db") as running:
        yield running


def test_the_frame_of_the_moment_stands_beside_the_table(reel: Server, page_of: PageOf, client_of: ClientOf) -> None:
    client = client_of("ann", at=reel)
    url = f"{filmed.TABLE}/{FIRST}/1"
    replayed = client.get(f"/replays/{url}").json()["steps"]
    shown = [step for step in replayed if step["frame"]["url"]]
    assert len(shown) > 5 and not replayed[0]["frame"]["url"], "the film begins with the first card"
    for step in shown[:: len(shown) // 3]:
        answer = client.get(step["frame"]["url"])
        assert answer.headers["Content-Type"] == "image/jpeg"
        picture = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
        minutes, seconds = re.findall(r"(\d+):([\d.]+) into it", step["frame"]["text"])[0]
        frame = int((int(minutes) * 60 + float(seconds)) * FPS)
        assert picture is not None and abs(float(picture.mean()) - grey(frame)) < 4
    page = opened(page_of("ann", f"/rounds/{url}?step={shown[0]['step']}", at=reel))
    expect(page.locator("#frame img")).to_have_js_property("naturalWidth", 160)
    press(page, "Home")
    expect(page.locator("#frame")).to_have_text("No footage shows this moment.")
    assert client.get(f"/frames/{url}?step=1").status_code == client.get(f"/frames/{url}?step=x").status_code == 404
    found = Lake.open(reel.site.settings.lake).read("findings").filter(code="evidence.card-disagreement")
    finding = found.row(0, named=True)
    page.goto(f"{reel.url}/rounds/{finding['round_id']}?finding={finding['finding_id']}")
    expect(opened(page).locator("#frame img")).to_have_js_property("naturalWidth", 160)
    expect(page.locator("#frame")).to_contain_text("still of the finding")
    assert client.get(f"/stills/{url}?finding={finding['finding_id']}").status_code == 404, "of another round"


@pytest.fixture
def not_kept(filmed_lake: Path) -> Iterator[None]:
    """The lake has path and hash of the film only."""
    raw = filmed_lake / "raw"
    film = max(raw.iterdir(), key=lambda path: path.read_bytes()[4:8] == b"ftyp")
    away = film.rename(raw.parent / "away.mp4")
    yield
    away.rename(film)


@pytest.mark.usefixtures("not_kept")
def test_a_film_that_is_not_kept_is_named(reel: Server, page_of: PageOf) -> None:
    page = opened(page_of("ann", f"/rounds/{filmed.TABLE}/{FIRST}/1", at=reel))
    while "shows this moment, " not in page.locator("#frame").inner_text():
        assert steps(page)[0] > 1
        press(page, "ArrowLeft")
    expect(page.locator("#frame")).to_contain_text("footage-1.mp4")
    expect(page.locator("#frame")).to_contain_text(
        "the lake keeps no copy of the footage. Start audit21 serve with --landing"
    )


@pytest.mark.usefixtures("not_kept")
def test_a_film_in_the_landing_zone_is_shown_as_long_as_it_is_the_one_that_was_audited(
    filmed_lake: Path, tmp_path: Path, client_of: ClientOf
) -> None:
    shutil.copytree(filmed_lake.parent / "zone", tmp_path / "zone")
    film = next((tmp_path / "zone").glob("2*/*/footage-1.mp4"))
    url = f"/replays/{filmed.TABLE}/{FIRST}/1"
    with serving(filmed_lake, tmp_path / "cases.db", landing=tmp_path / "zone") as server:
        client = client_of("ann", at=server)
        frame = next(step["frame"]["url"] for step in client.get(url).json()["steps"] if step["frame"]["url"])
        assert client.get(frame).headers["Content-Type"] == "image/jpeg"
        content = film.read_bytes()
        film.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        assert client.get(frame).status_code == 404, "other bytes of the same length"
        film.write_bytes(content)
        assert client.get(frame).status_code == 200
        film.unlink()
        told = {step["frame"]["text"] for step in client.get(url).json()["steps"] if not step["frame"]["url"]}
        assert any("the landing zone no longer has the audited file" in text for text in told)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1024)])
def test_no_serious_barrier(floor: Floor, page_of: PageOf, scheme: str, width: int) -> None:
    found = Lake.open(floor.lake).read("findings").filter(code="evidence.card-disagreement").row(0, named=True)
    size = {"width": width, "height": 900}
    page = opened(page_of("ann", f"/rounds/{found['round_id']}", color_scheme=scheme, viewport=size))
    page.locator("[data-why]").first.click()
    assert serious(page) == []
    assert not sticks_out(page)
