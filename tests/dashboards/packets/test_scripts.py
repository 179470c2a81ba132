"""Papers about people, devices and rounds that are named in other scripts than Latin."""

import json
import re
from pathlib import Path

import pypdfium2
import pytest

from dashboards.packets.bundle import Packet, PacketRequest, make
from dashboards.packets.case import CaseFile, Statement
from dashboards.printable import SIGN
from tests.dashboards.floor import FIRST, audit
from tests.dashboards.packets import scripts
from tests.dashboards.packets.scripts import EMOJI, HOSTILE, ROUND, SPOKEN
from tests.dashboards.packets.tables import round_id
from tests.dashboards.packets.test_packet import files
from tests.dashboards.server import serving
from warehouse.cases import accounts
from warehouse.evidence import bundle as bundles

# What text extraction does not give back: spaces between letters of some scripts, and selectors of a look.
_UNSEEN = re.compile(r"[\s\ufe0f]")


def letters_of(text: str) -> str:
    return _UNSEEN.sub("", text)


def text_of(pdf: bytes) -> str:
    document = pypdfium2.PdfDocument(pdf)
    try:
        return letters_of("".join(page.get_textpage().get_text_bounded() for page in document))
    finally:
        document.close()


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Path:
    folder = tmp_path_factory.mktemp("scripts")
    audit(scripts.zone(folder / "zone"), folder / "lake")
    return folder / "lake"


@pytest.fixture(scope="module")
def packet(lake: Path) -> Packet:
    said = tuple(Statement(text[:12], text) for text in (*SPOKEN, EMOJI, HOSTILE))
    complaint = "\r\n".join((*SPOKEN, EMOJI, HOSTILE))
    case = CaseFile(complaint=complaint, patron_name=SPOKEN[0], requested_by=SPOKEN[3], statements=said)
    return make(PacketRequest(lake, round_id(ROUND), case=case))


def test_a_packet_prints_every_script(packet: Packet) -> None:
    said = text_of(packet.pdf)
    for text in (*SPOKEN, EMOJI):
        assert said.count(letters_of(text)) >= 2, "in the complaint and in a statement"
    assert b"pdfaid:part>2<" in packet.pdf and b"pdfaid:conformance>A<" in packet.pdf


def test_names_of_round_dealer_patrons_property_and_devices_are_printed(packet: Packet) -> None:
    said = text_of(packet.pdf)
    for text in (ROUND, scripts.DEALER, *scripts.PATRONS, scripts.PROPERTY, *scripts.DEVICES.values()):
        printed = letters_of(text).replace("ሰ", SIGN).replace("\u202e", SIGN)
        assert printed in said, text


def test_a_packet_says_which_characters_it_replaced(packet: Packet) -> None:
    said = text_of(packet.pdf)
    assert letters_of("Characters replaced in this document") in said
    assert f"Each{SIGN}replacesacharacterthatcannotbeprintedhere:U+0000,U+0007,U+001B," in said
    assert f"a{SIGN}[31mb{SIGN}c{SIGN}d{SIGN}e{SIGN}f{SIGN}g{SIGN}h" in said
    assert not {"\x1b", "ሰ", "ש", "\u202e", "\u2067"} & set(said)


def test_an_override_of_direction_reorders_nothing(packet: Packet) -> None:
    assert letters_of(f"paid {SIGN}00.52{SIGN} {SIGN}00.1{SIGN}") in text_of(packet.pdf)


def test_the_data_keep_what_the_paper_cannot_print(packet: Packet, tmp_path: Path) -> None:
    kept = json.loads(files(packet)["packet.json"])
    assert HOSTILE in kept["case"]["complaint"] and kept["round_id"] == round_id(ROUND)
    _, bundle = packet.write(tmp_path)
    assert not bundles.verify(bundle).differences


def test_the_page_of_a_gaming_day_prints_every_script(lake: Path, tmp_path: Path) -> None:
    names = {"bob": f"{SPOKEN[0]} {SPOKEN[1]} ሰ", "cyd": f"{SPOKEN[2]} {SPOKEN[4]}"}
    notes = {"bob": f"{SPOKEN[3]} {EMOJI}", "cyd": HOSTILE}
    with serving(lake, tmp_path / "cases.db") as server:
        for name, full_name in names.items():
            with server.site.database.write() as session:
                account = accounts.by_name(session, name)
                assert account is not None
                account.full_name = full_name
            with server.client(name) as client:
                signed = client.post(f"/audit/{FIRST}/sign", data={"published": "1", "note": notes[name]})
                assert signed.status_code == 303
        with server.client("bob") as client:
            pdf = client.get(f"/audit?day={FIRST}&format=pdf").content
    said = text_of(pdf)
    for text in (*SPOKEN, EMOJI, scripts.PROPERTY.replace("ሰ", SIGN), ROUND.replace("ሰ", SIGN).replace("\u202e", SIGN)):
        assert letters_of(text) in said
    assert f"Each{SIGN}replacesacharacterthatcannotbeprintedhere:" in said
    assert letters_of(f"paid {SIGN}00.52{SIGN}") in said
