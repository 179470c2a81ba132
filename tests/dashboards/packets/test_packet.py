"""Contents of a packet, and that they are the same every time."""

import json
import zipfile
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import jsonschema
import pypdfium2
import pytest

from dashboards.packets import bundle
from dashboards.packets.bundle import Packet, PacketRequest, make
from dashboards.packets.case import CaseError, CaseFile, Deadline, read_deadlines
from replay import notation
from tests.dashboards.packets import tables
from tests.dashboards.packets.tables import round_id
from warehouse.evidence.bundle_files import schema
from warehouse.lake import Lake, LakeError


def files(packet: Packet) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(packet.bundle)) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def text_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)
    finally:
        document.close()


def settled(packet: Packet) -> dict[tuple[int, int, str], dict[str, Any]]:
    return {(row["seat"], row["hand"], row["kind"]): row for row in packet.data["settlements"]}


def test_the_same_lake_gives_the_same_bytes(lake: Lake) -> None:
    one, other = (make(PacketRequest(lake.path, round_id("eight"))) for _ in range(2))
    assert one.pdf == other.pdf
    assert one.bundle == other.bundle
    assert str(lake.path).encode() not in one.bundle + one.pdf + files(one)["packet.json"]


def test_eight_boxes_are_settled_as_the_rule_text_says(lake: Lake) -> None:
    found = settled(make(PacketRequest(lake.path, round_id("eight"))))
    due = {key: row["expected_paid_cents"] - row["expected_taken_cents"] for key, row in found.items()}
    assert due == {
        (1, 1, "main"): 2500,
        (1, 1, "double"): 2500,
        (1, 2, "split"): 2500,  # 21 and 20 against 17
        (2, 1, "main"): 3750,  # blackjack at 3:2
        (3, 1, "main"): 2500,
        (3, 1, "double"): 2500,
        (4, 1, "main"): 0,
        (4, 2, "split"): -2500,
        (4, 2, "double"): -2500,
        (4, 3, "split"): 2500,
        (5, 1, "main"): 3750,  # 7-7-7 of mixed suits at 3:2
        (6, 1, "main"): 0,
        (7, 1, "main"): 2500,
        (8, 1, "main"): 2500,
    }
    wrong = found[8, 1, "main"]
    assert (wrong["verdict"], wrong["variance_cents"], wrong["clause"]["number"]) == ("underpaid", -5000, "12.A(1)")
    assert wrong["arithmetic"] == "25.00 at 1:1 = 25.00"


def test_the_paper_is_a_pdf_a_and_says_what_counts(lake: Lake) -> None:
    packet = make(PacketRequest(lake.path, round_id("eight"), CaseFile(number="2026-017", complaint="I had twenty.")))
    assert b"pdfaid:part>2<" in packet.pdf and b"pdfaid:conformance>A<" in packet.pdf
    said = " ".join(text_of(packet.pdf).split())
    for expected in (
        *("Harbour Casino", "2026-017", "I had twenty.", "Maryland Pontoon 21", "dana", "P100008", "not recorded"),
        "Box 8, main wager: underpaid 50.00 USD (clause 12.A(1)).",
        *("No camera saw this round", "openssl pkeyutl -verify", "+11.700 s"),
    ):
        assert expected in said, expected
    assert "Characters replaced" not in said


def test_every_card_has_its_ordinal_and_its_times(lake: Lake) -> None:
    cards = make(PacketRequest(lake.path, round_id("spin"))).data["cards"]
    assert [card["card"] for card in cards] == ["AS", "9H", "8H", "KD", "9C", "9D"]
    assert [card["n"] for card in cards] == list(range(cards[0]["n"], cards[0]["n"] + 6))
    for card in cards:
        own, common = (datetime.fromisoformat(card[name]) for name in ("shoe_time", "corrected"))
        assert own - common == timedelta(milliseconds=11_700)  # the shoe's clock is that far ahead
        assert (card["agreement"], card["sightings"]) == ("one source", [])


def test_a_progressive_dispute_names_prize_and_clause(lake: Lake) -> None:
    packet = make(PacketRequest(lake.path, round_id("spin")))
    wheel = settled(packet)[1, 1, "bonus-spin"]
    assert (wheel["expected_paid_cents"], wheel["actual_paid_cents"]) == (35000, 3500)
    assert wheel["clause"]["number"] == "12.D(1)(c)"
    assert [row["code"] for row in packet.data["findings"]] == ["progressive.wrong-prize"]


def test_a_void_round_gives_every_wager_back(lake: Lake) -> None:
    packet = make(PacketRequest(lake.path, round_id("void")))
    assert packet.data["round"]["void"]
    assert all(row["expected_paid_cents"] == row["expected_taken_cents"] == 0 for row in packet.data["settlements"])
    codes = {row["code"]: row for row in packet.data["findings"]}
    assert codes["shoe.tens-multiple"]["handling"] == "as-prescribed"
    assert codes["shoe.tens-multiple"]["ruled"] == ["void the round and withdraw the decks (by ito)"]
    assert "By the rulebook in force this round is void" in " ".join(text_of(packet.pdf).split())


def test_a_round_without_a_shoe_says_what_is_not_known(shoeless: Lake) -> None:
    packet = make(PacketRequest(shoeless.path, round_id("spin")))
    assert packet.data["cards"] == []
    assert settled(packet)[2, 1, "main"]["verdict"] == "undetermined"
    limits = " ".join(packet.data["limits"])
    assert "The cards dealt are not known" in limits
    assert "No lines received from the shoe" in limits


def test_the_facts_keep_to_the_published_schema(lake: Lake, shoeless: Lake) -> None:
    described = json.loads(schema())
    jsonschema.Draft202012Validator.check_schema(described)
    check = jsonschema.Draft202012Validator(described)
    for where, name, redact in (
        (lake, "eight", True),
        (lake, "void", False),
        (shoeless, "spin", False),
        (lake, "3", False),
    ):
        inside = files(make(PacketRequest(where.path, round_id(name), redact=redact)))
        check.validate(json.loads(inside["packet.json"]))
        assert inside["packet.schema.json"] == schema()


def test_raw_lines_are_there_byte_for_byte_with_a_margin(lake: Lake) -> None:
    inside = files(make(PacketRequest(lake.path, round_id("spin"))))
    came = (lake.path.parent / "zone" / tables.DAY / tables.TABLE / "terminal.ndjson").read_bytes().splitlines()
    shown = inside[f"lines/{tables.DAY}/{tables.TABLE}/terminal.ndjson"].splitlines()
    own = [number for number, line in enumerate(came) if json.loads(line).get("round") == "spin"]
    assert shown == came[own[0] - 12 : own[-1] + 1 + 12]
    assert inside["floor.toml"] == (lake.path.parent / "zone" / "floor.toml").read_bytes()


def test_the_notation_tells_the_round_again(lake: Lake) -> None:
    told = files(make(PacketRequest(lake.path, round_id("eight"))))["round.txt"].decode()
    script = notation.load(told)
    cards = [event["card"] for event in script.events if event["type"] == "draw"]
    wanted = notation.load(f"rulebook md-pontoon21\ndecks 6\n{tables.EIGHT_BOXES}")
    assert cards == [event["card"] for event in wanted.events if event["type"] == "draw"]


def test_an_earlier_state_of_the_lake_can_be_asked_for(tmp_path: Path, key: Path) -> None:
    from tests.pipelines.lakes import audited, now

    zone = tables.zone(tmp_path / "zone", tables.PROGRESSIVE, shoe=False)
    lake = audited(zone, tmp_path / "lake")
    between = now()
    whole = tables.zone(tmp_path / "whole", tables.PROGRESSIVE)
    late = f"{tables.DAY}/{tables.TABLE}/shoe.ndjson"
    (zone / late).write_bytes((whole / late).read_bytes())
    audited(zone, lake.path)
    then, today = (make(PacketRequest(lake.path, round_id("spin"), as_of=at)) for at in (between, None))
    assert (len(then.data["cards"]), len(today.data["cards"])) == (0, 6)
    assert (then.data["published"]["snapshot"], today.data["published"]["snapshot"]) == (1, 2)
    assert make(PacketRequest(lake.path, round_id("spin"), as_of=between)).bundle == then.bundle
    with pytest.raises(LakeError, match="has no snapshot 2020-01-01"):
        make(PacketRequest(lake.path, round_id("spin"), as_of=datetime(2020, 1, 1, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("P21-08", "expected <table>/<gaming_day>/<round>"),
        (round_id("none"), "has no round none"),
        ("P21-08/2030-01-01/1", "2030-01-01 is not in the lake"),
    ],
)
def test_an_unknown_round_is_refused(lake: Lake, asked: str, said: str) -> None:
    with pytest.raises(bundle.Failed, match=said):
        make(PacketRequest(lake.path, asked))


# The case.


def test_a_case_file_is_read_and_its_deadlines_are_counted(tmp_path: Path) -> None:
    (tmp_path / "case.toml").write_text(
        'number = "7"\nreceived = 2026-01-06\nseat = 8\n[[statement]]\nwho = "dana"\nsaid = "so it was"\n'
    )
    days = '[md-pontoon21]\n"answer in writing" = 10\nacknowledge = 3\n[mbs-pontoon]\nanswer = 5\n'
    (tmp_path / "days.toml").write_text(days)
    case = CaseFile.read(tmp_path / "case.toml")
    case = case.with_deadlines(read_deadlines(tmp_path / "days.toml"), "md-pontoon21")
    assert (case.number, case.seat, case.statements[0].who) == ("7", 8, "dana")
    assert case.deadlines == (
        Deadline("acknowledge", date(2026, 1, 9), "settings for md-pontoon21"),
        Deadline("answer in writing", date(2026, 1, 16), "settings for md-pontoon21"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[md-pontoon]\nanswer = 10", "md-pontoon: expected tables of rulebooks"),
        ("md-pontoon21 = 10", "md-pontoon21: expected tables of rulebooks"),
        ("[md-pontoon21]\nanswer = -1", "md-pontoon21.answer: found -1, expected a number of days"),
        ("[md-pontoon21]\nanswer = true", "found True, expected a number of days"),
        ("[md-pontoon21]\nanswer = 4000000", "found 4000000, expected a number of days"),
    ],
)
def test_wrong_deadlines_are_refused_with_their_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "days.toml").write_text(text)
    with pytest.raises(CaseError, match=said):
        read_deadlines(tmp_path / "days.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense = 1", "nonsense: expected one of .*number"),
        ('seat = "three"', "seat: found 'three', expected int"),
        ('[[statement]]\nwho = "dana"', "statement: .*said"),
        ("number = ", "case.toml"),
        ("number = " + "[" * 100_000, "case.toml: maximum recursion depth"),
    ],
)
def test_a_wrong_case_file_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "case.toml").write_text(text)
    with pytest.raises(CaseError, match=said):
        CaseFile.read(tmp_path / "case.toml")
