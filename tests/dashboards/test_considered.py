"""Rounds whose events had to be inferred: what else was considered, on their pages, in packets and in the terminal."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import polars as pl
import pytest
from playwright.sync_api import Page, expect
from typer.testing import CliRunner

from dashboards.packets.bundle import PacketRequest, make
from dashboards.rounds.replay import replay
from pipelines.cli import app
from pipelines.commands.simulate import NatureOptions
from replay.narrative import candidates, words
from tests.dashboards import floor as floors
from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.server import Server, serving
from tests.pipelines.zones import made
from tests.some import some
from warehouse import rounds
from warehouse.evidence.bundle_files import schema
from warehouse.lake import Lake

Row = dict[str, Any]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    """A floor on which misdeals are not logged and the shoes' clocks step."""
    folder = tmp_path_factory.mktemp("considered")
    nature = NatureOptions(clocks="step", misdeals="unlogged:0.15")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIT21_KEY", str(folder / "key.pem"))
        floors.audit(made(folder / "zone", tables=5, rounds=50, seed=4, nature=nature), folder / "lake")
        yield Lake.open(folder / "lake")


@pytest.fixture(scope="module")
def desk(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(lake.path, tmp_path_factory.mktemp("cases") / "cases.db") as running:
        yield running


def ambiguous(lake: Lake) -> list[Row]:
    """The explanations of a round of which none is certain, with most findings."""
    found = lake.read("findings").filter(code="evidence.ambiguous")["round_id"]
    told = lake.read("stories").filter(pl.col("round_id").is_in(found.to_list()))
    several = told.filter(rank=2, round_id=told.filter(rank=2).sort(pl.col("leaves").list.len())["round_id"][-1])
    return told.filter(round_id=several["round_id"][0]).sort("rank").to_dicts()


def doubtful(lake: Lake) -> Row:
    """A finding that was inferred; where there is one, of less than full certainty."""
    return lake.read("findings").filter(evidence="inferred").sort("certainty").row(0, named=True)


def opened(page: Page) -> Page:
    expect(page.locator("#round[data-ready='1']")).to_be_visible()
    return page


def test_the_page_lists_every_explanation(lake: Lake, desk: Server, page_of: PageOf) -> None:
    stories = ambiguous(lake)
    page = opened(page_of("ann", f"/rounds/{stories[0]['round_id']}", at=desk))
    expect(page.get_by_role("status").first).to_contain_text("Several explanations are possible; none is certain.")
    cards = page.locator(".candidates li")
    expect(cards).to_have_count(len(stories))
    for story, card in zip(stories, cards.all(), strict=True):
        expect(card.get_by_role("heading")).to_have_text(f"{story['rank']}. {story['summary']}")
        expect(card.locator(".weight")).to_have_text(words.share_text(story["weight"]))
        for reason in story["against"]:
            expect(card).to_contain_text(reason)
        for left in story["leaves"]:
            expect(card).to_contain_text(left.partition(":")[0])
    expect(cards.first).to_contain_text("Most likely")


def test_an_explanation_can_be_stepped_through(lake: Lake, desk: Server, page_of: PageOf) -> None:
    story = ambiguous(lake)[1]
    page = opened(page_of("ann", f"/rounds/{story['round_id']}", at=desk))
    page.get_by_role("link", name="Step through explanation 2").click()
    opened(page)
    expect(page).to_have_url(re.compile("story=2"))
    expect(page.get_by_role("status").first).to_contain_text("Not what the audit found.")
    expect(page.locator("#panels [data-finding]")).to_have_count(len(story["leaves"]))
    expect(page.locator("[data-act]")).to_have_count(0)
    page.keyboard.press("Home")
    expect(page.locator("#place")).to_have_text(re.compile("step 1 of"))
    page.keyboard.press("n")
    expect(page.locator("#step .flag").first).to_be_visible()
    page.get_by_role("link", name="Show what the audit found").first.click()
    expect(opened(page).get_by_text("Not what the audit found.")).to_have_count(0)


def test_a_candidate_is_replayed_as_it_was_weighed(lake: Lake) -> None:
    for story in some(ambiguous(lake)):
        told = replay(rounds.find(lake.path, story["round_id"]), story["rank"])
        assert sorted(row["code"] for row in told.findings) == sorted(
            each.partition(":")[0] for each in story["leaves"]
        )
        assert sum(row["variance_cents"] for row in told.settlements) == story["variance_cents"]
        said = [step["words"] for step in told.steps if step["source"].words == words.INFERRED]
        assert len(said) == len(story["deviations"]) and all(text.startswith(words.INFERRED) for text in said)
        assert "cannot be written" not in told.notation


def test_what_is_no_explanation_is_not_found(lake: Lake, desk: Server, client_of: ClientOf) -> None:
    told = ambiguous(lake)[0]["round_id"]
    certain = next(
        name for name in lake.read("rounds")["round_id"] if name not in set(lake.read("stories")["round_id"])
    )
    client = client_of("ann", at=desk)
    for path in (f"rounds/{told}?story=9", f"rounds/{told}?story=x", f"rounds/{certain}?story=1"):
        assert client.get(f"/{path}").status_code == 404
    assert client.get(f"/replays/{told}?story=9").status_code == 404
    assert "Also considered" not in client.get(f"/rounds/{certain}").text
    rows = client.get(f"/rounds/{told}?format=csv&rows=stories").text.splitlines()
    assert len(rows) == 1 + len(ambiguous(lake))


def test_findings_say_how_certain_they_are(lake: Lake, desk: Server, page_of: PageOf) -> None:
    row = doubtful(lake)
    page = opened(page_of("ann", f"/rounds/{row['round_id']}?finding={row['finding_id']}", at=desk))
    card = page.locator(f"[data-finding='{row['finding_id']}']")
    expect(card.locator(".chips")).to_contain_text("Inferred: not logged")
    expect(card.locator(".chips")).to_contain_text(words.certainty_text(row["certainty"]))
    page.goto(f"{desk.url}/findings/{row['finding_id']}?day={row['gaming_day']}")
    expect(page.get_by_text("Inferred: not logged")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 390)])
def test_nobody_is_kept_out(lake: Lake, desk: Server, page_of: PageOf, scheme: str, width: int) -> None:
    view, round_id = {"width": width, "height": 900}, ambiguous(lake)[0]["round_id"]
    for query in ("", "?story=2"):
        page = opened(page_of("ann", f"/rounds/{round_id}{query}", at=desk, color_scheme=scheme, viewport=view))
        assert serious(page) == [] and not sticks_out(page)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_steps_of_a_clock_stand_out(lake: Lake, desk: Server, page_of: PageOf, scheme: str, width: int) -> None:
    clocks = lake.read("clocks").filter(source="shoe")
    table = clocks.sort("piece")["table"][-1]
    pieces = clocks.filter(table=table).sort("piece")
    where = f"/devices?from={floors.FIRST}&to={floors.FIRST}&kind=shoe&table={table}"
    page = page_of("ann", where, at=desk, color_scheme=scheme, viewport={"width": width, "height": 900})
    shown = page.locator(".clock-pieces")
    expect(shown.locator("tbody tr:not(.group):not(.clock-step)")).to_have_count(len(pieces))
    skewed = lake.read("findings").filter(
        pl.col("message").str.contains("stepped"), code="evidence.clock-skew", table=table
    )
    said = re.findall(r"[+-]\d+\.\d s", skewed["message"][0])
    steps = [each.replace("−", "-") for each in shown.locator(".clock-step strong").all_inner_texts()]  # noqa: RUF001
    assert steps == said != []
    assert serious(page) == [] and not sticks_out(page)


def test_a_packet_lists_every_explanation(lake: Lake) -> None:
    stories = ambiguous(lake)
    packet = make(PacketRequest(lake.path, stories[0]["round_id"]))
    found = packet.data["considered"]
    assert found["is_ambiguous"] and found["lead"] == candidates.AMBIGUOUS
    assert [(each["rank"], each["weight"], each["against"]) for each in found["candidates"]] == [
        (story["rank"], story["weight"], story["against"]) for story in stories
    ]
    jsonschema.Draft202012Validator(json.loads(schema())).validate(json.loads(json.dumps(packet.data)))
    sure = make(PacketRequest(lake.path, doubtful(lake)["round_id"])).data
    assert any(row["evidence"] == "inferred" for row in sure["findings"])
    assert {each["standing"] for each in sure["considered"]["candidates"]} <= {"Chosen", ""}


def test_the_terminal_lists_every_explanation(lake: Lake) -> None:
    stories = ambiguous(lake)
    wanted = ["explain", stories[0]["round_id"], "--lake", str(lake.path)]
    said = " ".join(CliRunner().invoke(app, wanted).output.split())
    assert said.index("Several explanations are possible") < said.index("Round ") < said.index("Also considered")
    for story in stories:
        assert f"{story['rank']}. {story['summary']}" in said
    told = json.loads(CliRunner().invoke(app, [*wanted, "--json"]).output)
    assert [each["rank"] for each in told["considered"]["candidates"]] == [story["rank"] for story in stories]
    row = doubtful(lake)
    out = CliRunner().invoke(app, ["explain", row["round_id"], "--lake", str(lake.path)]).output
    assert words.INFERRED in out and words.certainty_text(row["certainty"]) in out


@pytest.mark.parametrize(
    ("share", "said"),
    [(1.0, "100 %"), (0.99999, "over 99.9 %"), (0.994, "99.4 %"), (0.2, "20.0 %"), (0.0001, "under 0.1 %")],
)
def test_shares_in_words(share: float, said: str) -> None:
    assert words.share_text(share) == said
    assert words.certainty_text(share) == ("" if share == 1 else f"{said} certain")
