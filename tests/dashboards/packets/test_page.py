"""packet.html in a browser, opened from a file: an honest bundle passes, a forged one fails with a clear sentence."""

import base64
import hashlib
import html
import io
import json
import random
import shutil
import stat
import warnings
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from dashboards.packets.bundle import Request, make
from tests.dashboards import barriers
from tests.dashboards.filmed import filmed_lake as filmed_lake
from tests.dashboards.packets import test_forgeries
from tests.dashboards.packets.forging import FORGER, edit, edit_facts
from tests.dashboards.packets.tables import round_id
from tests.dashboards.packets.test_forgeries import folder as folder
from tests.dashboards.packets.test_forgeries import honest as honest
from tests.dashboards.packets.test_forgeries import other as other
from tests.dashboards.packets.test_forgeries import own as own
from tests.dashboards.packets.test_forgeries import public as public
from tests.dashboards.packets.test_packet import text_of
from tests.pipelines.lakes import now
from warehouse.evidence import checkpoint
from warehouse.evidence.bundle_files import BESIDE
from warehouse.evidence.checkpoint import Signature
from warehouse.evidence.keys import key_id
from warehouse.lake import Lake

OpenPage = Callable[..., Page]
VERIFIED = "Verified: the holder of the key issued this packet, and nothing in it was changed."
WITH_OWN_KEY = "All checks passed, with the key that came with the bundle."
FAILED = "Verification failed"


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser without a network, in which nothing but files can be opened."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    yield context
    context.close()


@pytest.fixture
def open_page(context: BrowserContext, honest: Path) -> Iterator[OpenPage]:
    """``open_page()``: the page of the honest bundle. What the browser complains of fails the test.

    With ``refusals``, it may be that the page's policy refuses something.
    """
    complaints: list[str] = []
    asked: list[str] = []
    pages = []

    def on_console(message: ConsoleMessage, refusals: bool) -> None:
        is_refusal = refusals and message.text.endswith("The action has been blocked.")
        if message.type in ("error", "warning") and not is_refusal:
            complaints.append(message.text)

    def open_(path: Path = honest / "packet.html", script: str = "", refusals: bool = False) -> Page:
        page = context.new_page()
        pages.append(page)
        if script:
            page.add_init_script(script)
        page.on("console", lambda message: on_console(message, refusals))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        expect(page.locator("body")).to_have_attribute("data-ready", "1")
        return page

    yield open_
    for page in pages:
        page.close()
    assert complaints == []
    assert all(url.startswith(("file:", "blob:")) for url in asked)


def zipped(folder: Path) -> bytes:
    """The folder as a zip, links as links."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        for path in sorted(each for each in folder.rglob("*") if not each.is_dir()):
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix())
            if path.is_symlink():
                info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
            bundle.writestr(info, str(path.readlink()) if path.is_symlink() else path.read_bytes())
    return out.getvalue()


def give_key(page: Page, key: Path) -> None:
    page.locator("#choose-key").set_input_files(key)
    expect(page.locator("#key-from")).to_contain_text("the key that you gave")


def give(page: Page, content: bytes, name: str = "bundle.zip") -> str:
    """Give a zip to the page; what it says of it at last."""
    page.evaluate("delete document.body.dataset.checked")
    file: Any = {"name": name, "mimeType": "application/zip", "buffer": content}
    page.locator("#choose-zip").set_input_files(file)
    page.locator("body[data-checked]").wait_for()
    return page.locator("#status").inner_text()


def page_row(check: str) -> str:
    return f'[data-check="{check}"]'


def states(page: Page) -> dict[str, str]:
    rows = page.locator("#checks > li").all()
    return {row.get_attribute("data-check") or "": row.get_attribute("class") or "" for row in rows}


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


def verifier_key(public: bytes) -> str:
    hashed = hashlib.sha256(WITNESS.encode() + b"\n\x04" + public).hexdigest()[:8]
    return f"{WITNESS}+{hashed}+{base64.b64encode(bytes([4]) + public).decode()}"


def cosign(folder: Path, message: str = "cosignature/v1\ntime {time}\n") -> None:
    """Put a witness's line above the property's own."""
    path = folder / "issued/checkpoint.txt"
    note, time = checkpoint.parse(path.read_bytes()), 1_769_904_600
    made = FORGER.sign(message.format(time=time).encode() + note.body)
    key_hash = bytes.fromhex(verifier_key(FORGER.public).split("+")[1])
    line = Signature(WITNESS, key_hash, time.to_bytes(8, "big") + made)
    path.write_bytes(replace(note, signatures=(line, *note.signatures)).note)


def test_cosignatures_of_witnesses_are_checked(open_page: OpenPage, folder: Path, public: Path, tmp_path: Path) -> None:
    page, row = open_page(), page_row("witnesses")
    give_key(page, public)
    honest = zipped(folder)
    cosign(folder)
    assert VERIFIED in give(page, zipped(folder))
    expect(page.locator(row)).to_contain_text("1 cosignature not checked")
    key = tmp_path / "witness.txt"
    key.write_text(f"# the regulator's\n{verifier_key(FORGER.public)}\n")
    page.locator("#choose-key").set_input_files(key)
    expect(page.locator(row)).to_contain_text(f"Cosigned by {WITNESS} on 2026-02-01 00:10:00 UTC")
    assert VERIFIED in give(page, zipped(folder))
    assert f"The witness {WITNESS} did not cosign" in give(page, honest)


def test_a_forged_cosignature_is_found(open_page: OpenPage, folder: Path, public: Path, tmp_path: Path) -> None:
    page = open_page()
    give_key(page, public)
    key = tmp_path / "witness.txt"
    key.write_text(f"{verifier_key(FORGER.public)}\n")
    page.locator("#choose-key").set_input_files(key)
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


# Forged bundles.


@pytest.fixture(scope="module")
def verifier(context: BrowserContext, honest: Path, public: Path, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """An untouched packet.html, obtained elsewhere, that has the property's key."""
    place = tmp_path_factory.mktemp("elsewhere") / "packet.html"
    shutil.copy(honest / "packet.html", place)
    page = context.new_page()
    page.goto(place.as_uri())
    give_key(page, public)
    return page


def assert_failed(page: Page, content: bytes, told: str = "") -> None:
    said = give(page, content)
    headline, sentence = said.split("\n", 1)
    assert headline.startswith(FAILED) and sentence.strip().endswith("."), said
    assert told in page.locator(".verify").inner_text()
    assert not {"undefined", "null", "TypeError"} & set(said.split())
    expect(page.locator("#shown")).to_contain_text("Not verified: the bundle failed the checks above.")


FORGERIES: dict[str, test_forgeries.Forgery] = {
    **test_forgeries.WITHOUT_KEY,
    "page": lambda folder: edit(folder, "packet.html", "Verification", "Verified"),
    "replay": lambda folder: edit(folder, "replay.json", "Box 8", "Box 7"),
    "replay gone": lambda folder: (folder / "replay.json").unlink(),
}
TOLD = {
    "paper": "packet.pdf was changed: its SHA-256 is not the one in the list.",
    "verdict": "packet.json was changed",
    "verifier": "verify.sh was changed",
    "page": "packet.html was changed",
    "replay": "replay.json was changed",
    "raw line": "terminal.ndjson was changed",
    "proof dropped": "evidence/proofs.txt was changed",
    "issued proof gone": "issued/proof.txt is missing.",
    "hidden file": ".hidden is not in the list: it was added to the bundle.",
    "file gone": "round.txt is missing.",
    "file with a newline": "a name that no bundle has",
    "manifest gone": "manifest.txt is missing.",
    "manifest signed by another": "manifest.txt is not signed by the key",
    "manifest listed again": "The signature of manifest.txt is not valid",
    "key": "The key inside the bundle signed it: that is another key than the one you gave.",
    "issued checkpoint's root": "The signature of issued/checkpoint.txt is not valid",
    "issued by another": "does not lead to the root in issued/checkpoint.txt",
    "consistency hash": "does not continue the log that it rests on",
    "link": "round.txt is a link or a device",
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery_without_the_key_is_found(verifier: Page, folder: Path, name: str) -> None:
    FORGERIES[name](folder)
    assert_failed(verifier, zipped(folder), TOLD.get(name, ""))


@pytest.mark.parametrize("name", test_forgeries.NEVER_ISSUED)
def test_a_packet_that_was_never_issued_is_found(verifier: Page, folder: Path, name: str) -> None:
    test_forgeries.NEVER_ISSUED[name](folder)
    test_forgeries._with_key(folder)
    assert_failed(verifier, zipped(folder), "the property did not issue this packet")


PROPERTY = {
    "line without proof": "has no proof, and the signed list gives no reason",
    "changed line": "does not stand in",
    "another floor": "No log entry took this floor.toml into custody.",
    "another count": "the list says",
    "no landing file": "the list names no source of its lines",
    "another landing file": "into custody with this hash",
    "another root": "does not stand in",
    "proved and unproved": "both a proof and an excuse",
    "unproved line that is not there": "has no line 999",
    "not kept and never taken in": "into custody with this hash",
    "snapshot that was not published": "No log entry publishes snapshot 2",
}


@pytest.mark.parametrize("name", test_forgeries.BY_THE_PROPERTY)
def test_what_the_property_cannot_prove_is_found(verifier: Page, own: Path, folder: Path, name: str) -> None:
    test_forgeries.issue_again(own, folder, **test_forgeries.BY_THE_PROPERTY[name][0](folder))
    assert_failed(verifier, zipped(folder), PROPERTY[name])


@pytest.mark.parametrize("seed", range(20))
def test_a_random_change_of_what_the_manifest_does_not_list_is_found(verifier: Page, folder: Path, seed: int) -> None:
    name = sorted(BESIDE)[seed % len(BESIDE)]
    (folder / name).write_bytes(test_forgeries._mutate((folder / name).read_bytes(), random.Random(seed)))
    assert_failed(verifier, zipped(folder))


def test_a_replay_that_differs_from_the_facts_is_found(verifier: Page, own: Path, folder: Path) -> None:
    edit_facts(folder, lambda packet: packet["steps"][0].update(words="Box 1 bets nothing"))
    test_forgeries.issue_again(own, folder)
    assert_failed(verifier, zipped(folder), "replay.json does not tell the same round and steps as packet.json.")


def test_a_replay_that_cannot_be_shown_is_named(verifier: Page, own: Path, folder: Path) -> None:
    replay = json.loads((folder / "replay.json").read_text())
    del replay["steps"][-1]["rows"]
    (folder / "replay.json").write_text(json.dumps(replay))
    test_forgeries.issue_again(own, folder)
    assert_failed(verifier, zipped(folder), "replay.json cannot be shown")


# Archives.


def _patched(content: bytes, name: bytes, signature: bytes, at: int, value: bytes) -> bytes:
    """A zip with bytes changed in the header of a file, local or in the directory."""
    header = 30 if signature == b"PK\3\4" else 46
    place = content.index(signature, content.index(name) - header if header == 30 else content.rindex(name) - header)
    return content[: place + at] + value + content[place + at + len(value) :]


def _twice(content: bytes) -> bytes:
    out = io.BytesIO(content)
    with warnings.catch_warnings(), zipfile.ZipFile(out, "a") as bundle:
        warnings.simplefilter("ignore")
        bundle.writestr("README.txt", "Trust me.\n")
    return out.getvalue()


def _with_file(name: str) -> Callable[[bytes], bytes]:
    def add(content: bytes) -> bytes:
        out = io.BytesIO(content)
        with zipfile.ZipFile(out, "a") as bundle:
            bundle.writestr(name, "x")
        return out.getvalue()

    return add


ARCHIVES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda content: b"", "is not a zip"),
    "cut off": (lambda content: content[:-100], "The zip is cut off"),
    "cut in half": (lambda content: content[: len(content) // 2], "The zip is cut off"),
    "something behind it": (lambda content: content + b"x", "has something behind its end"),
    "something before it": (lambda content: b"x" + content, "not where the zip says it is"),
    "two of one name": (_twice, "The zip has two files named README.txt"),
    "name that leads out": (_with_file("../x"), "a name that no bundle has"),
    "absolute name": (_with_file("/x"), "a name that no bundle has"),
    "encrypted": (lambda c: _patched(c, b"README.txt", b"PK\1\2", 8, b"\1"), "README.txt is encrypted"),
    "other packing": (lambda c: _patched(c, b"README.txt", b"PK\1\2", 10, b"\x0c"), "packed in another way"),
    "two names of one file": (lambda c: _patched(c, b"README.txt", b"PK\3\4", 30, b"r"), "The zip names one file both"),
    "longer than it says": (lambda c: _patched(c, b"README.txt", b"PK\1\2", 24, b"\1\0\0\0"), "cannot be unpacked"),
    "more than fits": (lambda c: _patched(c, b"README.txt", b"PK\1\2", 24, b"\xff" * 4), "MB unpacked"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_that_no_bundle_is_gets_refused(verifier: Page, honest: Path, name: str) -> None:
    change, told = ARCHIVES[name]
    assert_failed(verifier, change(zipped(honest)), told)


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
    made = make(Request(lake, found["round_id"][0], now=now)).write(tmp_path)[1]
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


def drop(page: Page, path: Path) -> None:
    """Drop a file or folder onto the page as a hand does."""
    session = page.context.new_cdp_session(page)
    dragged = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": dragged})
