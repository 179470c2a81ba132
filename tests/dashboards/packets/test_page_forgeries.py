"""Forged bundles, given to an untouched packet.html in a browser: each fails with a clear sentence."""

import io
import json
import random
import shutil
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.dashboards.packets import test_forgeries
from tests.dashboards.packets.ambiguous import AMBIGUOUS
from tests.dashboards.packets.browsing import FAILED, give, give_key, zipped
from tests.dashboards.packets.browsing import context as context
from tests.dashboards.packets.forging import edit, edit_facts
from tests.dashboards.packets.test_forgeries import folder as folder
from tests.dashboards.packets.test_forgeries import honest as honest
from tests.dashboards.packets.test_forgeries import own as own
from tests.dashboards.packets.test_forgeries import public as public
from warehouse.evidence.bundle_files import BESIDE

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


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_an_archive_that_can_be_read_in_two_ways_is_refused(verifier: Page, honest: Path, name: str) -> None:
    assert_failed(verifier, AMBIGUOUS[name](zipped(honest)))
