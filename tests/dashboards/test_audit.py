"""The audit page: figures, files, paper, and two people who sign."""

import io
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import polars as pl
import pypdfium2
import pytest
from playwright.sync_api import Page, expect

from dashboards.audit import paper
from dashboards.audit.figures import DayFigures, covered
from dashboards.audit.standing import standing
from dashboards.printable import SIGN
from pipelines.commands.verify import VerifyRequest, verify
from tests.dashboards import floor as floors
from tests.dashboards.barriers import serious, sticks_out
from tests.dashboards.conftest import ClientOf, PageOf
from tests.dashboards.floor import FIRST, SECOND, Floor
from tests.dashboards.keys import press
from tests.dashboards.server import Server, serving
from warehouse.cases import accounts, activity
from warehouse.cases.activity import ActivityFilter
from warehouse.evidence.log import EvidenceLog
from warehouse.lake import Lake

DAY = f"/audit?day={FIRST}"


@pytest.fixture
def own(floor: Floor, tmp_path: Path) -> Iterator[Server]:
    """A server of this test's own on a copy of the lake in which the second day still lacks a table."""
    shutil.copytree(floor.before, tmp_path, dirs_exist_ok=True)
    with serving(tmp_path / "lake", tmp_path / "cases.db") as running:
        yield running


def signed(server: Server) -> list[tuple[int, str, str]]:
    """The sign-offs in the evidence log."""
    entries = EvidenceLog(server.site.settings.lake / "evidence").entries("signoff")
    return [(entry["snapshot"], entry["by"], entry["note"]) for _, entry in entries]  # type: ignore[typeddict-item]


def sign(page: Page, note: str) -> None:
    press(page, "s")
    expect(page.get_by_label("Note")).to_be_focused()
    page.get_by_label("Note").fill(note)
    page.get_by_role("button", name=re.compile("^Sign ")).click()


# Who may.


@pytest.mark.parametrize(("name", "status"), [("ann", 200), ("bob", 200), ("reg", 403), ("root", 403)])
def test_who_may_look(client_of: ClientOf, name: str, status: int) -> None:
    for query in ("", "&format=csv", "&format=parquet", "&format=pdf"):
        assert client_of(name).get(DAY + query).status_code == status


@pytest.mark.parametrize("name", ["ann", "reg", "root"])
@pytest.mark.parametrize("change", ["sign", "withdraw", "log"])
def test_only_audit_signs(client_of: ClientOf, name: str, change: str) -> None:
    answer = client_of(name).post(f"/audit/{FIRST}/{change}", data={"published": "1", "note": "mine"})
    assert answer.status_code == 403


def test_surveillance_is_told_who_signs(page_of: PageOf) -> None:
    page = page_of("ann", DAY)
    expect(page.get_by_text("Two auditors sign off a gaming day.")).to_be_visible()
    assert page.get_by_role("button", name=re.compile("^Sign ")).count() == 0


# Figures.


def csv(answer: httpx.Response) -> pl.DataFrame:
    assert answer.status_code == 200
    return pl.read_csv(io.BytesIO(answer.content), infer_schema_length=None)


def test_coverage_is_the_lakes(client_of: ClientOf, floor: Floor) -> None:
    rounds = Lake.open(floor.lake).scan("rounds", days=[FIRST])
    verified = pl.col("verdict") != "undetermined"
    expected = (
        rounds.group_by("currency", "evidence")
        .agg(
            rounds=pl.len(),
            rounds_verified=verified.sum(),
            handle_cents=pl.col("handle_cents").sum(),
            handle_verified_cents=pl.col("handle_cents").filter(verified).sum(),
        )
        .sort("currency", "evidence")
        .collect()
    )
    found = csv(client_of("bob").get(f"{DAY}&format=csv&rows=coverage"))
    assert found.select(expected.columns).sort("currency", "evidence").rows() == expected.rows()


@pytest.mark.parametrize(("by", "key"), [("tables", "table"), ("dealers", "dealer"), ("rulebooks", "rulebook")])
def test_variance_is_the_lakes(client_of: ClientOf, floor: Floor, by: str, key: str) -> None:
    expected = (
        Lake.open(floor.lake)
        .scan("rounds", days=[FIRST])
        .group_by(key, "currency")
        .agg(pl.len().alias("rounds"), pl.col("handle_cents", "over_cents", "under_cents").sum())
        .sort("currency", key)
        .collect()
    )
    answer = client_of("bob").get(f"{DAY}&by={by}&format=parquet")
    found = pl.read_parquet(io.BytesIO(answer.content))
    assert found.select(expected.columns).sort("currency", key).rows() == expected.rows()
    assert any(row["over_cents"] or row["under_cents"] for row in found.to_dicts()), "there is something to see"


def test_the_page_says_what_the_files_say(page_of: PageOf, client_of: ClientOf) -> None:
    page = page_of("bob", DAY)
    rows = csv(client_of("bob").get(f"{DAY}&format=csv"))
    for row in rows.to_dicts():
        cells = page.get_by_role("row").filter(has=page.get_by_role("link", name=row["table"], exact=True)).last
        expect(cells).to_contain_text(f"{row['handle_cents'] / 100:,.2f}")
    page.get_by_role("link", name="by dealer").click()
    expect(page).to_have_url(re.compile("by=dealers"))


def test_nothing_nearly_whole_is_called_whole() -> None:
    assert [covered(0, 0), covered(9, 10), covered(10_000, 10_000)] == [
        "–",
        "90.0\N{NO-BREAK SPACE}%",
        "100.0\N{NO-BREAK SPACE}%",
    ]
    assert covered(9_999, 10_000) == "> 99.9\N{NO-BREAK SPACE}%"


def test_days_by_key_and_addresses_that_are_wrong(page_of: PageOf, client_of: ClientOf) -> None:
    page = page_of("bob", "/audit")
    expect(page).to_have_url(re.compile(f"day={SECOND}"))
    press(page, "[")
    expect(page).to_have_url(re.compile(f"day={FIRST}"))
    press(page, "]")
    expect(page).to_have_url(re.compile(f"day={SECOND}"))
    for query in ("&by=colours", "&rows=colours&format=csv", "&format=xls"):
        assert client_of("bob").get(DAY + query).status_code == 404
    assert client_of("bob").get("/audit?day=2030-01-01").status_code == 404


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1024)])
def test_charts_are_drawn_and_nobody_is_kept_out(page_of: PageOf, scheme: str, width: int) -> None:
    page = page_of("bob", f"/audit?day={SECOND}", color_scheme=scheme, viewport={"width": width, "height": 900})
    charts = page.locator("figure.chart")
    for place in range(charts.count()):
        expect(charts.nth(place)).to_have_attribute("data-drawn", "1", timeout=30_000)
        assert charts.nth(place).locator("svg path").count() > 2
    assert serious(page) == [] and not sticks_out(page)


# Signing.


def test_four_eyes(own: Server, page_of: PageOf, client_of: ClientOf) -> None:
    bob, day = client_of("bob", at=own), SECOND
    refused = bob.post(f"/audit/{day}/sign", data={"published": "2", "note": " "})
    assert refused.status_code == 400 and "without a note" in refused.text
    assert bob.post(f"/audit/{day}/sign", data={"published": "1", "note": "x"}).status_code == 400, "an old state"

    page = page_of("bob", f"/audit?day={day}", at=own)
    sign(page, "all of it")
    page.get_by_role("button", name="Withdraw my signature").click()
    expect(page.get_by_text("first signature")).to_be_visible()
    sign(page, "sampled twelve rounds")
    expect(page.get_by_text("A second person must sign.")).to_be_visible()
    refused = bob.post(f"/audit/{day}/sign", data={"published": "2", "note": "again"})
    assert refused.status_code == 400 and "another person" in refused.text
    assert client_of("cyd", at=own).post(f"/audit/{day}/withdraw", data={"published": "2"}).status_code == 400
    assert signed(own) == []

    second = page_of("cyd", f"/audit?day={day}", at=own)
    sign(second, "and the shoe of P21-01")
    expect(second.locator(".title")).to_contain_text("signed off")
    expect(second.get_by_text("of the evidence log. A later change")).to_be_visible()
    by = "Bob of the test (bob) and Cyd of the test (cyd)"
    assert signed(own) == [(2, by, "bob: sampled twelve rounds; cyd: and the shoe of P21-01")]
    assert bob.post(f"/audit/{day}/withdraw", data={"published": "2"}).status_code == 400, "too late"
    assert verify(VerifyRequest(own.site.settings.lake)).differences == []
    with own.site.database.read() as session:
        rows = activity.newest(session, ActivityFilter(subject=f"day {day}"), 10)
        done = [(row.account, row.action) for row in reversed(rows)]
    assert done == [
        ("bob", "sign off"),
        ("bob", "withdraw signature"),
        ("bob", "sign off"),
        ("cyd", "sign off"),
        ("cyd", "write into evidence log"),
    ]


def test_one_person_with_two_accounts_is_not_two(own: Server, client_of: ClientOf) -> None:
    with own.site.database.write() as session:
        root = accounts.by_name(session, "root")
        assert root is not None
        for name in ("bob", "cyd"):
            account = accounts.by_name(session, name)
            assert account is not None
            account.invited_by, account.confirmed_by = root.id, None
        assert account is not None
    data = {"published": "2", "note": "seen"}
    bob, cyd = client_of("bob", at=own), client_of("cyd", at=own)
    assert bob.post(f"/audit/{SECOND}/sign", data=data).status_code == 303
    refused = cyd.post(f"/audit/{SECOND}/sign", data=data)
    assert refused.status_code == 400 and "rest on one person" in refused.text and signed(own) == []
    assert client_of("root", at=own).post(f"/accounts/{account.id}/confirm").status_code == 400
    page = client_of("rosa", at=own)
    assert f"/accounts/{account.id}/confirm" in page.get("/accounts").text
    assert page.post(f"/accounts/{account.id}/confirm").status_code == 303
    assert cyd.post(f"/audit/{SECOND}/sign", data=data).status_code == 303
    assert len(signed(own)) == 1


def test_a_change_after_the_sign_off_is_told(own: Server, floor: Floor, page_of: PageOf, client_of: ClientOf) -> None:
    for name in ("bob", "cyd"):
        data = {"published": "2", "note": "seen"}
        assert client_of(name, at=own).post(f"/audit/{SECOND}/sign", data=data).status_code == 303
    folder = own.site.settings.lake.parent
    floors.arrive(floor.zone.parent / "late", folder / "zone")
    floors.audit(folder / "zone", folder / "lake")
    page = page_of("bob", f"/audit?day={SECOND}", at=own)
    expect(page.locator(".title")).to_contain_text("restated")
    expect(page.get_by_text("Snapshot 3 restates 2")).to_be_visible()
    aside = page.locator("aside.side")
    assert aside.evaluate("each => each.scrollWidth - each.clientWidth") <= 0, "nothing of the sidebar is cut off"
    expect(page.get_by_text("Signatures on earlier versions")).to_be_visible()
    expect(page.get_by_role("button", name=f"Sign {SECOND}")).to_be_visible()
    found = csv(client_of("bob", at=own).get(f"/audit?day={SECOND}&format=csv&rows=restatements"))
    told = Lake.open(folder / "lake").read("restatements", days=[SECOND])
    assert len(found) == len(told) > 0
    assert found["variance_after"].sum() == told["variance_after"].sum()
    earlier = page_of("bob", f"/audit?day={SECOND}&snapshot=2", at=own)
    expect(earlier.locator(".title")).to_contain_text("signed off")
    expect(earlier.get_by_text("A newer version has been published")).to_be_visible()


_HOLD = "import sys; from pathlib import Path; from warehouse.lake import Lake\n"
_HOLD += "with Lake.open(sys.argv[1]).lock():\n    print('held', flush=True)\n    sys.stdin.read()"


def test_a_running_pipeline_blocks_nobody(own: Server, page_of: PageOf, client_of: ClientOf) -> None:
    lake = own.site.settings.lake
    client_of("bob", at=own).post(f"/audit/{FIRST}/sign", data={"published": "1", "note": "seen"})
    command = [sys.executable, "-c", _HOLD, str(lake)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout and other.stdout.readline() == "held\n"
        page = page_of("cyd", f"/audit?day={FIRST}", at=own, refusals=True)
        sign(page, "seen too")
        expect(page.locator(".title")).to_contain_text("signed, not yet in the log")
        assert signed(own) == []
        page.get_by_role("button", name="Write to the evidence log").click()
        expect(page.get_by_text("is being written by process")).to_be_visible()
        other.stdin.close()
        other.wait(10)
    page.goto(f"{own.url}/audit?day={FIRST}")
    page.get_by_role("button", name="Write to the evidence log").click()
    expect(page.locator(".title")).to_contain_text("signed off")
    client_of("bob", at=own).post(f"/audit/{FIRST}/log")
    assert [snapshot for snapshot, _, _ in signed(own)] == [1], "once, however often it is asked for"


# Paper.


def text_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    assert len(document) == 1, "one page"
    return str(document[0].get_textpage().get_text_range())


@pytest.mark.parametrize("letter", ["x", "輸", "க்ஷ", "😀", "ሰ"])
def test_a_long_day_stays_on_one_page(server: Server, letter: str) -> None:
    lake = server.site.lake.pin()
    with server.site.database.read() as session:
        words = paper.view(DayFigures(lake, FIRST), standing(session, lake, FIRST))
    full = {"floor": paper.MOST_CURRENCIES, "coverage": 2 * paper.MOST_CURRENCIES, "tables": paper.MOST_TABLES}
    for part, most in full.items():
        words[part] = (words[part] * most)[:most]
    message, note = (letter * (most // len(letter)) for most in (paper.LONGEST_MESSAGE, paper.LONGEST_NOTE))
    words["findings"] = [["high", "settlement.overpaid", message, "P21-01/1", "USD +1.00"]] * 7
    words["signatures"] = [["Somebody", "2026-01-07", note]] * 2
    said = "".join(text_of(paper.printed(words, server.clock())).split())
    assert said.count(message.replace("ሰ", SIGN)) >= 7 and note.replace("ሰ", SIGN) in said


def test_the_paper(own: Server, client_of: ClientOf) -> None:
    bob = client_of("bob", at=own)
    address = f"/audit?day={FIRST}&format=pdf"
    first, again = bob.get(address).content, bob.get(address).content
    assert first == again
    words = text_of(first)
    rows = csv(bob.get(f"{DAY}&format=csv")).to_dicts()
    for row in rows:
        assert row["table"] in words
    assert f"Gaming day {FIRST}" in words and "No signatures yet" in words and "Checkpoint" in words
    for name, note in (("bob", "seen " + "very long " * 150), ("cyd", "seen\ntoo")):
        bob = client_of(name, at=own)
        assert bob.post(f"/audit/{FIRST}/sign", data={"published": "1", "note": note}).status_code == 303
    signed_paper = bob.get(address).content
    assert signed_paper == bob.get(f"{address}&snapshot=2").content, "later snapshots of other days change nothing"
    assert "Bob of the test" in text_of(signed_paper) and "sign-off" in text_of(signed_paper)
