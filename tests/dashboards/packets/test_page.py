"""packet.html in a browser, opened from a file: an honest bundle passes, a forged one fails with a clear sentence."""

import base64
import hashlib
import html
import json
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from playwright.sync_api import Browser, Page, expect

from dashboards.packets.bundle import PacketRequest, make
from dashboards.packets.case import CaseFile
from tests.dashboards import barriers
from tests.dashboards.filmed import filmed_lake as filmed_lake
from tests.dashboards.packets import test_forgeries
from tests.dashboards.packets.browsing import (
    FAILED,
    VERIFIED,
    WITH_OWN_KEY,
    OpenPage,
    give,
    give_key,
    page_row,
    states,
    zipped,
)
from tests.dashboards.packets.browsing import context as context
from tests.dashboards.packets.browsing import open_page as open_page
from tests.dashboards.packets.forging import FORGER, edit
from tests.dashboards.packets.tables import round_id
from tests.dashboards.packets.test_forgeries import folder as folder
from tests.dashboards.packets.test_forgeries import honest as honest
from tests.dashboards.packets.test_forgeries import other as other
from tests.dashboards.packets.test_forgeries import own as own
from tests.dashboards.packets.test_forgeries import public as public
from tests.dashboards.packets.test_packet import text_of
from tests.pipelines.lakes import now
from warehouse.evidence import bundle, checkpoint
from warehouse.evidence.checkpoint import Signature
from warehouse.evidence.cosign import cosign as made_cosignature
from warehouse.evidence.cosign import demand
from warehouse.evidence.keys import Signer, key_id
from warehouse.lake import Lake

# Honest bundles.


def test_an_honest_bundle_is_verified(open_page: OpenPage, honest: Path, public: Path) -> None:
    page = open_page()
    expect(page.locator("#status")).to_contain_text("Not verified yet.")
    expect(page.locator("#shown")).to_contain_text("Not verified: shown from the copy that is embedded")
    give_key(page, public)
    assert VERIFIED in give(page, zipped(honest))
    assert {name for name, state in states(page).items() if state != "passed"} == {"witnesses", "kept"}
    assert set(states(page).values()) == {"passed", "none"}
    expect(page.locator("#shown")).to_contain_text("Shown from the files of the bundle")


def test_without_a_key_from_elsewhere_the_page_says_whose_key_it_was(open_page: OpenPage, honest: Path) -> None:
    page = open_page()
    said = give(page, zipped(honest))
    assert WITH_OWN_KEY in said and "Compare the fingerprint" in said
    own = base64.b64decode((honest / "evidence/key.pem").read_text().splitlines()[1])[-32:]
    expect(page.locator("#key-id")).to_have_text(key_id(own))
    assert page.locator("#fingerprint").inner_text().replace(" ", "").startswith(key_id(own))


def test_an_unpacked_folder_is_verified(open_page: OpenPage, honest: Path, public: Path) -> None:
    page = open_page()
    give_key(page, public)
    page.locator("#choose-folder").set_input_files(honest)
    page.locator("body[data-checked]").wait_for()
    expect(page.locator("#status")).to_contain_text(VERIFIED)


def test_the_page_of_one_packet_checks_another(open_page: OpenPage, honest: Path, other: Path, public: Path) -> None:
    page = open_page(other / "packet.html")
    expect(page.locator("h1")).to_have_text(f"Round {round_id('spin')}")
    give_key(page, public)
    said = give(page, zipped(honest))
    assert VERIFIED in said and "The copy embedded in this page differs from the bundle" in said
    expect(page.locator("h1")).to_have_text(f"Round {round_id('eight')}")


NO_ED25519 = """
const known = SubtleCrypto.prototype.importKey;
SubtleCrypto.prototype.importKey = function (form, key, kind, ...rest) {
  if ((kind.name ?? kind) === "Ed25519") throw new DOMException("Unrecognized name.", "NotSupportedError");
  return known.call(this, form, key, kind, ...rest);
};
"""


def test_a_browser_without_ed25519_checks_signatures_too(
    open_page: OpenPage, honest: Path, folder: Path, public: Path
) -> None:
    page = open_page(script=NO_ED25519)
    give_key(page, public)
    assert VERIFIED in give(page, zipped(honest))
    edit(folder, "manifest.txt", "redacted yes", "redacted no")
    assert "The signature of manifest.txt is not valid" in give(page, zipped(folder))


# Witnesses.

WITNESS = "regulator.example/witness"
OTHER = Signer(Ed25519PrivateKey.from_private_bytes(b"w" * 32))
ABSENT = Signer(Ed25519PrivateKey.from_private_bytes(b"a" * 32))


def verifier_key(public: bytes, name: str = WITNESS) -> str:
    hashed = hashlib.sha256(name.encode() + b"\n\x04" + public).hexdigest()[:8]
    return f"{name}+{hashed}+{base64.b64encode(bytes([4]) + public).decode()}"


def cosign(
    folder: Path, message: str = "cosignature/v1\ntime {time}\n", witness: Signer = FORGER, name: str = WITNESS
) -> None:
    """Put a witness's line above the property's own."""
    path = folder / "issued/checkpoint.txt"
    note, time = checkpoint.parse(path.read_bytes()), 1_769_904_600
    made = witness.sign(message.format(time=time).encode() + note.body)
    key_hash = bytes.fromhex(verifier_key(witness.public, name).split("+")[1])
    line = Signature(name, key_hash, time.to_bytes(8, "big") + made)
    path.write_bytes(replace(note, signatures=(line, *note.signatures)).note)


def give_witness(page: Page, folder: Path, public: bytes, name: str = WITNESS) -> None:
    key = folder / "witness.txt"
    key.write_text(f"# the regulator's\n{verifier_key(public, name)}\n")
    page.locator("#choose-key").set_input_files(key)
    expect(page.locator("#witnesses")).to_be_visible()


def test_cosignatures_of_witnesses_are_checked(open_page: OpenPage, folder: Path, public: Path, tmp_path: Path) -> None:
    page, row = open_page(), page_row("witnesses")
    give_key(page, public)
    honest = zipped(folder)
    cosign(folder)
    assert VERIFIED in give(page, zipped(folder))
    expect(page.locator(row)).to_contain_text("1 cosignature not checked")
    give_witness(page, tmp_path, FORGER.public)
    expect(page.locator(row)).to_contain_text(f"Cosigned by {WITNESS} on 2026-02-01 00:10:00 UTC: 1 of 1 witness")
    assert VERIFIED in give(page, zipped(folder))
    assert f"0 of 1 witness cosigned issued/checkpoint.txt, 1 required: {WITNESS} did not." in give(page, honest)


def test_so_many_of_the_witnesses_are_demanded(open_page: OpenPage, folder: Path, public: Path, tmp_path: Path) -> None:
    """Keys add up when they come in several files, and all have to have cosigned until somebody says otherwise."""
    page, row = open_page(), page_row("witnesses")
    give_key(page, public)
    cosign(folder)
    cosign(folder, witness=OTHER, name="auditor.example/w")
    for signer, name in ((FORGER, WITNESS), (OTHER, "auditor.example/w"), (ABSENT, "press.example/w")):
        give_witness(page, tmp_path, signer.public, name)
    assert "2 of 3 witnesses cosigned issued/checkpoint.txt, 3 required: press.example/w did not." in give(
        page, zipped(folder)
    )
    page.locator("#quorum").fill("2")
    page.locator("#quorum").blur()
    expect(page.locator("#status")).to_contain_text(VERIFIED)
    expect(page.locator(row)).to_contain_text("2 of 3 witnesses, 2 required")
    for nonsense in ("0", "4", "-1", "1.5", ""):
        page.locator("#quorum").fill(nonsense)
        page.locator("#quorum").blur()
        expect(page.locator("#quorum")).to_have_value("3")
        expect(page.locator("#status")).to_contain_text(FAILED)


def test_a_key_counts_once_whatever_names_it_goes_by(
    open_page: OpenPage, folder: Path, public: Path, tmp_path: Path
) -> None:
    page = open_page()
    give_key(page, public)
    for name in (WITNESS, "alias.example/w"):
        cosign(folder, name=name)
        give_witness(page, tmp_path, FORGER.public, name)
    give_witness(page, tmp_path, ABSENT.public, WITNESS)  # another witness of the same name
    assert "1 of 2 witnesses cosigned issued/checkpoint.txt, 2 required" in give(page, zipped(folder))


def test_cosignatures_of_another_checkpoint_are_found(
    open_page: OpenPage, folder: Path, public: Path, tmp_path: Path
) -> None:
    """A genuine cosignature of the checkpoint that the packet rests on, put under the later one."""
    page = open_page()
    give_key(page, public)
    earlier, later = folder / "evidence/checkpoint.txt", folder / "issued/checkpoint.txt"
    found = checkpoint.parse(earlier.read_bytes())
    line = made_cosignature(FORGER, WITNESS, found, 1_769_904_600)
    note = checkpoint.parse(later.read_bytes())
    later.write_bytes(replace(note, signatures=(line, *note.signatures)).note)
    give_witness(page, tmp_path, FORGER.public)
    assert f"The cosignature in the name of {WITNESS}" in give(page, zipped(folder))
    key = tmp_path / "w.vkey"
    key.write_text(f"{verifier_key(FORGER.public)}\n")
    assert bundle.verify(folder, public, (), demand([key], None)).differences


def test_a_forged_cosignature_is_found(open_page: OpenPage, folder: Path, public: Path, tmp_path: Path) -> None:
    page = open_page()
    give_key(page, public)
    give_witness(page, tmp_path, FORGER.public)
    cosign(folder, "cosignature/v1\ntime 1\n")
    assert f"The cosignature in the name of {WITNESS}" in give(page, zipped(folder))


def test_a_checkpoint_kept_elsewhere_is_compared(open_page: OpenPage, honest: Path, tmp_path: Path) -> None:
    page, row = open_page(), page_row("kept")
    assert WITH_OWN_KEY in give(page, zipped(honest))
    expect(page.locator(row)).to_contain_text("None was given.")
    lines = (honest / "evidence/checkpoint.txt").read_text().splitlines()
    for name, change, told in (
        ("mailed.txt", {}, "mailed.txt has the same root for the log of 3 entries."),
        ("later.txt", {1: "99"}, "later.txt covers 99 entries, those in the bundle"),
        ("other.txt", {2: "A" * 43 + "="}, "the log was rewritten."),
    ):
        kept = tmp_path / name
        kept.write_bytes("\r\n".join(change.get(n, line) for n, line in enumerate(lines)).encode())
        page.locator("#choose-key").set_input_files(kept)
        expect(page.locator(row)).to_contain_text(told)
    expect(page.locator("#status")).to_contain_text(FAILED)


def test_a_file_that_is_no_bundle_is_named(open_page: OpenPage, honest: Path) -> None:
    page = open_page()
    page.locator("#choose-key").set_input_files(honest / "round.txt")
    expect(page.locator("#given-wrong")).to_contain_text("round.txt is neither a bundle")


# The replay.


def test_the_round_is_replayed_with_clause_and_raw_line(open_page: OpenPage, honest: Path, public: Path) -> None:
    page = open_page()
    steps = json.loads((honest / "packet.json").read_text())["steps"]
    expect(page.locator("#place")).to_have_text(f"step {len(steps)} of {len(steps)}")
    drawn = next(step for step in steps if step["card"] == "QD")
    page.locator(f'#moves [data-step="{drawn["step"]}"]').click()
    expect(page.locator("#raw")).to_contain_text("From the copy in this page; not verified.")
    give_key(page, public)
    give(page, zipped(honest))
    expect(page.locator("#step strong")).to_have_text(drawn["words"])
    line = next(
        line for line in (honest / test_forgeries.SHOE).read_text().splitlines() if f'"n": {drawn["n"]},' in line
    )
    expect(page.locator("#raw pre")).to_have_text(line)
    page.keyboard.press("Home")
    expect(page.locator("#place")).to_have_text(f"step 1 of {len(steps)}")
    expect(page.locator("#raw")).to_contain_text("Withheld: it identifies a patron who is not the complainant.")
    page.keyboard.press("n")
    expect(page.locator("#step .flag")).to_contain_text("Box 8")
    expect(page.locator("#step .facts")).to_contain_text("12.A(1): Main win pays even money")
    assert page.locator("#felt svg rect").count() > 20


def test_hostile_texts_are_shown_and_not_obeyed(open_page: OpenPage, own: Path, folder: Path) -> None:
    """Even the property's own key gets no script into the page."""
    hostile = "<img src=x onerror=\"document.title='obeyed'\">"

    def change(replay: dict[str, Any]) -> None:
        replay["result"] = replay["limits"] = [hostile]
        replay["steps"][-1]["rows"] = [[hostile, hostile]]
        replay["pieces"] = [
            piece.replace("<svg ", "<svg onload=\"document.title='obeyed'\" ") for piece in replay["pieces"]
        ]
        replay["pieces"].append(
            "<script>document.title='obeyed'</script><a href='http://x'/><image href='http://x/y'/>"
        )
        replay["steps"][-1]["picture"].insert(-1, len(replay["pieces"]) - 1)

    replay = json.loads((folder / "replay.json").read_text())
    change(replay)
    (folder / "replay.json").write_text(json.dumps(replay))
    test_forgeries.issue_again(own, folder)
    page = open_page(refusals=True)
    assert WITH_OWN_KEY in give(page, zipped(folder))
    expect(page.locator("#result")).to_have_text(hostile)
    assert page.locator("#felt :is(script, a, image), #result img").count() == 0
    assert page.title() != "obeyed"


def test_a_complaint_cannot_end_the_script_that_it_is_embedded_in(
    open_page: OpenPage, lake: Lake, tmp_path: Path
) -> None:
    complaint = "</script><script>document.title='obeyed'</script><!-- {{ round_id }}"
    made = make(PacketRequest(lake.path, round_id("spin"), CaseFile(complaint=complaint), now=now)).write(tmp_path)[1]
    with zipfile.ZipFile(made) as bundle:
        (tmp_path / "packet.html").write_bytes(bundle.read("packet.html"))
    page = open_page(tmp_path / "packet.html")
    expect(page.locator("#case")).to_contain_text(complaint)
    assert page.title() != "obeyed"


def test_the_paper_prints_the_hash_of_the_page(honest: Path) -> None:
    digest = hashlib.sha256((honest / "packet.html").read_bytes()).hexdigest()
    assert digest in text_of((honest / "packet.pdf").read_bytes()).replace("\N{ZERO WIDTH SPACE}", "")


def test_the_page_asks_nothing_of_a_network(honest: Path) -> None:
    text = html.unescape((honest / "packet.html").read_text(encoding="utf-8"))
    assert "default-src 'none'; script-src 'sha256-" in text and "unsafe" not in text.split("</head>")[0]
    assert "innerHTML" not in text and "eval(" not in text and "fetch(" not in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_people_from_using_the_page(browser: Browser, honest: Path, public: Path, scheme: Any) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    page.goto((honest / "packet.html").as_uri())
    assert not barriers.sticks_out(page)
    give_key(page, public)
    give(page, zipped(honest))
    assert not barriers.sticks_out(page)
    assert barriers.serious(page) == []
    context.close()


def test_the_stills_of_a_step_are_shown_from_the_bundle(
    open_page: OpenPage, filmed_lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Path(shutil.copytree(filmed_lake, tmp_path / "lake"))
    monkeypatch.setenv("AUDIT21_KEY", str(filmed_lake.parent / "key" / "signing-key.pem"))
    pictured = {path.stem for path in (lake / "stills").glob("*.png")}
    found = Lake(lake).read("findings").filter(pl.col("finding_id").is_in(pictured), pl.col("round_id").is_not_null())
    made = make(PacketRequest(lake, found["round_id"][0], now=now)).write(tmp_path)[1]
    with zipfile.ZipFile(made) as bundle:
        (tmp_path / "packet.html").write_bytes(bundle.read("packet.html"))
    page = open_page(tmp_path / "packet.html")
    page.locator("#next-finding").click()
    expect(page.locator("#frame")).to_contain_text("The still is shown once the bundle is given.")
    assert WITH_OWN_KEY in give(page, made.read_bytes())
    expect(page.locator("#frame img").first).to_be_visible()
    assert page.locator("#frame img").first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100


@pytest.mark.parametrize("form", ["zip", "folder"])
def test_a_bundle_and_a_key_are_dropped_onto_the_page(
    open_page: OpenPage, honest: Path, public: Path, tmp_path: Path, form: str
) -> None:
    page = open_page()
    (tmp_path / "packet.zip").write_bytes(zipped(honest))
    drop(page, tmp_path / "packet.zip" if form == "zip" else honest)
    expect(page.locator("#status")).to_contain_text(WITH_OWN_KEY)
    drop(page, public)
    expect(page.locator("#status")).to_contain_text(VERIFIED)


def test_folder_and_key_are_dropped_at_once(open_page: OpenPage, honest: Path, public: Path) -> None:
    page = open_page()
    drop(page, honest, public)
    expect(page.locator("#status")).to_contain_text(VERIFIED)


def drop(page: Page, *paths: Path) -> None:
    """Drop files or folders onto the page as a hand does."""
    session = page.context.new_cdp_session(page)
    dragged = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": dragged})
