"""Forged bundles: each is a real bundle with one thing changed, and both verifiers find it."""

import json
import random
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dashboards.packets.bundle import PacketRequest, make
from dashboards.packets.case import CaseFile
from tests.dashboards.packets.forging import (
    FORGER,
    edit,
    edit_facts,
    edit_lines,
    files,
    found_by_audit21,
    list_again,
    read_manifest,
    run_script,
    sign_all_again,
)
from tests.dashboards.packets.tables import DAY, TABLE, round_id
from tests.pipelines.lakes import now
from warehouse import issuing
from warehouse.evidence import keys
from warehouse.evidence.bundle_files import BESIDE
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.manifest import Manifest, NotKept, Unproved
from warehouse.evidence.proofs import HEADER
from warehouse.lake import Lake

TERMINAL, SHOE = (f"lines/{DAY}/{TABLE}/{source}.ndjson" for source in ("terminal", "shoe"))
PROOFS, ENTRIES = "evidence/proofs.txt", "evidence/entries.ndjson"
Forgery = Callable[[Path], object]


def unpack(content: Path, folder: Path) -> Path:
    with zipfile.ZipFile(content) as zipped:
        zipped.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def public(lake: Lake) -> Path:
    """The property's public key, from elsewhere."""
    return next((lake.path / "evidence" / "keys").iterdir())


@pytest.fixture(scope="module")
def honest(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unpacked bundle, redacted, with a complaint."""
    case = CaseFile(seat=8, complaint="I stood on twenty.")
    folder = tmp_path_factory.mktemp("honest")
    made = make(PacketRequest(lake.path, round_id("eight"), case, redact=True, now=now)).write(folder)[1]
    return unpack(made, folder / "bundle")


@pytest.fixture(scope="module")
def other(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of another round of the same property."""
    folder = tmp_path_factory.mktemp("other")
    return unpack(make(PacketRequest(lake.path, round_id("spin"), now=now)).write(folder)[1], folder / "bundle")


@pytest.fixture
def folder(honest: Path, tmp_path: Path) -> Path:
    """The bundle to forge."""
    shutil.copytree(honest, tmp_path / "bundle")
    return tmp_path / "bundle"


def assert_found(folder: Path, public: Path, told: str = "", shells: tuple[str, ...] = ("dash",)) -> None:
    """Both verifiers find it, and nothing else happens."""
    found = found_by_audit21(folder, public)
    assert found and told in " ".join(found), found
    before = files(folder.parent)
    for shell in shells:
        done = run_script(folder, public, shell, folder.parent / "elsewhere")
        assert done.returncode == 1, done.stdout
        assert done.stdout.splitlines()[-1].startswith(b"WRONG: "), done.stdout
    after = files(folder.parent)
    assert {name: after[name] for name in before} == before and len(after) == len(before) + 1


@pytest.mark.parametrize("shell", ["dash", "bash", "sh"])
def test_the_honest_bundle_is_right(honest: Path, public: Path, tmp_path: Path, shell: str) -> None:
    assert not found_by_audit21(honest, public)
    done = run_script(honest, public, shell, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.splitlines()[-1] == b"OK: as issued by the holder of the key"
    assert b"WRONG" not in done.stdout
    said = read_manifest(honest)
    assert said.unproved and said.withheld_lines and said.withheld_patrons


# Somebody without the property's key.


def _first(packet: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = packet[name][0]
    return found


def _change_unproved_line(folder: Path) -> None:
    """Change a raw line, delete its proof, and list it as unproved in the packet."""
    edit_lines(folder, PROOFS, lambda lines: [line for line in lines if not line.startswith(f"{SHOE} 3 ".encode())])
    edit_lines(folder, SHOE, lambda lines: [*lines[:2], lines[2].replace(b'"seq": ', b'"seq": 1'), *lines[3:]])
    told = {"path": f"{DAY}/{TABLE}/shoe.ndjson", "line": 300, "at": 3}
    edit_facts(folder, lambda packet: packet["redaction"]["unproved"].append(told))


def _change_unproved_line_and_manifest(folder: Path) -> None:
    _change_unproved_line(folder)
    list_again(folder, unproved=(*read_manifest(folder).unproved, Unproved(SHOE, 3, 300, "guess")))


def _declare_not_kept(folder: Path) -> None:
    """Leave out the shoe's lines, and say that the lake does not keep them."""

    def change(packet: dict[str, Any]) -> None:
        row = next(row for row in packet["sources"] if row["source"] == "shoe")
        row["state"] = "not kept in the lake"

    edit_facts(folder, change)
    (folder / SHOE).unlink()
    edit_lines(folder, PROOFS, lambda lines: [line for line in lines if not line.startswith(SHOE.encode())])


def _declare_not_kept_in_manifest(folder: Path) -> None:
    _declare_not_kept(folder)
    said = read_manifest(folder)
    gone = tuple(NotKept(each.sha256, "retention", each.path) for each in said.lines if each.name == SHOE)
    kept = tuple(each for each in said.lines if each.name != SHOE)
    list_again(folder, lines=kept, not_kept=gone)


def _add(name: str, content: bytes = b"x") -> Forgery:
    def add(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)

    return add


def _replace(name: str, content: bytes) -> Forgery:
    def put(folder: Path) -> None:
        assert (folder / name).read_bytes() != content
        (folder / name).write_bytes(content)

    return put


def _link(folder: Path) -> None:
    content = (folder / "round.txt").read_bytes()
    (folder.parent / "same.txt").write_bytes(content)
    (folder / "round.txt").unlink()
    (folder / "round.txt").symlink_to(folder.parent / "same.txt")


def _list_another_paper(folder: Path) -> None:
    edit(folder, "packet.pdf", b"%PDF", b"%FDP")
    list_again(folder)


def _verdict(packet: dict[str, Any]) -> None:
    row = next(row for row in packet["settlements"] if row["verdict"] == "underpaid")
    row["verdict"], row["variance_cents"] = "correct", 0


def _proof_line(folder: Path, line: bytes) -> None:
    edit_lines(folder, PROOFS, lambda lines: [*lines, line + b"\n"])


INJECTED = b"evidence/entries.ndjson 1eid>x;# 1 8 00"
WITHOUT_KEY: dict[str, Forgery] = {
    "paper": lambda folder: edit(folder, "packet.pdf", b"%PDF", b"%FDP"),
    "verdict": lambda folder: edit_facts(folder, _verdict),
    "hands": lambda folder: edit_facts(folder, lambda p: _first(p, "hands").update(worth="none")),
    "complaint": lambda folder: edit_facts(folder, lambda p: p["case"].update(complaint="I have no complaint.")),
    "odds": lambda folder: edit_facts(folder, lambda p: p["considered"].update(forged=1)),
    "limits": lambda folder: edit_facts(folder, lambda p: p["limits"].clear()),
    "picture": lambda folder: edit(folder, "table.svg", "<svg", "<svg "),
    "sighting": _replace("sightings.ndjson", b'{"card": "AS"}\n'),
    "still": _add("stills/0.png"),
    "notation": lambda folder: edit(folder, "round.txt", "stand", "hit"),
    "rulebook": lambda folder: edit(folder, "rulebook/md-pontoon21.toml", "=", " ="),
    "floor": lambda folder: edit(folder, "floor.toml", "boxes = 8", "boxes = 7"),
    "readme": _replace("README.txt", b"Trust me.\n"),
    "schema": _replace("packet.schema.json", b"{}"),
    "verifier": _replace("verify.sh", b"#!/bin/sh\necho OK: as issued by the holder of the key\n"),
    "raw line": lambda folder: edit(folder, TERMINAL, '"seat": 8', '"seat": 7'),
    "raw line unproved": _change_unproved_line,
    "raw line unproved, listed again": _change_unproved_line_and_manifest,
    "source not kept": _declare_not_kept,
    "source not kept, listed again": _declare_not_kept_in_manifest,
    "raw line dropped": lambda folder: edit_lines(folder, TERMINAL, lambda lines: lines[:-1]),
    "raw lines swapped": lambda folder: edit_lines(folder, TERMINAL, lambda ls: [ls[1], ls[0], *ls[2:]]),
    "empty raw line": lambda folder: edit_lines(folder, TERMINAL, lambda lines: [*lines, b"\n"]),
    "raw line without newline": lambda folder: edit_lines(folder, TERMINAL, lambda ls: [*ls, b"{}"]),
    "proof dropped": lambda folder: edit_lines(folder, PROOFS, lambda lines: lines[:-1]),
    "proof twice": lambda folder: edit_lines(folder, PROOFS, lambda lines: [*lines, lines[-1]]),
    "command in a proof": lambda folder: _proof_line(folder, INJECTED),
    "command in a proof's name": lambda folder: _proof_line(folder, b"$(id>x) 1 1 1 " + b"0" * 64),
    "entry": lambda folder: edit(folder, ENTRIES, '"reason":"first"', '"reason":"other"'),
    "entry dropped": lambda folder: edit_lines(folder, ENTRIES, lambda lines: lines[1:]),
    "checkpoint day": lambda folder: edit(folder, "evidence/checkpoint.txt", "day 2026-01-05", "day 2026-01-06"),
    "checkpoint size": lambda folder: edit(folder, "evidence/checkpoint.txt", "\n3\n", "\n4\n"),
    "key": lambda folder: sign_all_again(folder, FORGER),
    "manifest listed again": _list_another_paper,
    "manifest signed by another": lambda folder: list_again(folder, FORGER, snapshot=2),
    "manifest says not redacted": lambda folder: edit(folder, "manifest.txt", "redacted yes", "redacted no"),
    "manifest of a line less": lambda folder: edit_lines(
        folder, "manifest.txt", lambda ls: [line for line in ls if not line.startswith(b"withheld-patron withheld-1")]
    ),
    "manifest of another round": lambda folder: edit(folder, "manifest.txt", "/eight", "/spin"),
    "manifest with a command": lambda folder: edit(folder, "manifest.txt", "file README.txt", "file $(id>x)"),
    "manifest that leads out": lambda folder: edit(folder, "manifest.txt", "file README.txt", "file ../README.txt"),
    "manifest with CR": lambda folder: edit(folder, "manifest.txt", "\n", "\r\n", -1),
    "manifest with NUL": lambda folder: edit(folder, "manifest.txt", "redacted", "\0redacted"),
    "manifest signed twice": lambda folder: edit_lines(folder, "manifest.txt", lambda lines: [*lines, lines[-1]]),
    "manifest without newline": lambda folder: edit_lines(folder, "manifest.txt", lambda ls: [*ls[:-1], ls[-1][:-1]]),
    "manifest with the checkpoint's signature": lambda folder: edit_lines(
        folder,
        "manifest.txt",
        lambda ls: [*ls[:-1], (folder / "evidence/checkpoint.txt").read_bytes().splitlines(keepends=True)[-1]],
    ),
    "manifest empty": _replace("manifest.txt", b""),
    "manifest gone": lambda folder: (folder / "manifest.txt").unlink(),
    "issued by another": lambda folder: edit(folder, "issued/entry.ndjson", '"by":"audit21"', '"by":"nobody"'),
    "issued at another time": lambda folder: edit(folder, "issued/entry.ndjson", '"at":"2026', '"at":"2025'),
    "issued twice": lambda folder: edit_lines(folder, "issued/entry.ndjson", lambda lines: lines * 2),
    "issued entry without newline": lambda folder: edit(folder, "issued/entry.ndjson", "}\n", "}"),
    "issued proof": lambda folder: edit(folder, "issued/proof.txt", " L", " R"),
    "issued proof with a command": _replace("issued/proof.txt", HEADER.encode() + INJECTED + b"\n"),
    "issued proof gone": lambda folder: (folder / "issued/proof.txt").unlink(),
    "issued checkpoint's root": lambda folder: edit_lines(
        folder, "issued/checkpoint.txt", lambda ls: [*ls[:2], b"A" * 43 + b"=\n", *ls[3:]]
    ),
    "issued checkpoint's key": lambda folder: edit_lines(
        folder,
        "issued/checkpoint.txt",
        lambda ls: [*ls[:-1], ls[-1].replace(b"\xe2\x80\x94 audit21", b"\xe2\x80\x94 audit22")],
    ),
    "issued checkpoint signed twice": lambda folder: edit_lines(
        folder, "issued/checkpoint.txt", lambda lines: [*lines, lines[-1]]
    ),
    "issued checkpoint is the earlier": lambda folder: shutil.copy(
        folder / "evidence/checkpoint.txt", folder / "issued/checkpoint.txt"
    ),
    "consistency empty": _replace("issued/consistency.txt", b""),
    "consistency sizes": lambda folder: edit(folder, "issued/consistency.txt", "3 ", "2 "),
    "consistency hash": lambda folder: edit_lines(
        folder, "issued/consistency.txt", lambda ls: [ls[0][:-2] + (b"0" if ls[0][-2:-1] != b"0" else b"1") + b"\n"]
    ),
    "hidden file": _add(".hidden"),
    "file with a space": _add("lines/a b.ndjson"),
    "file with a dash": _add("-rf"),
    "file with a newline": _add("a\n./README.txt"),
    "file among the issued": _add("issued/more.txt"),
    "list of hashes": _add("SHA256SUMS", b""),
    "file gone": lambda folder: (folder / "round.txt").unlink(),
    "file renamed": lambda folder: (folder / "round.txt").rename(folder / "Round.txt"),
    "link": _link,
}


@pytest.mark.parametrize("name", WITHOUT_KEY)
def test_a_forgery_without_the_key_is_found(folder: Path, public: Path, name: str) -> None:
    WITHOUT_KEY[name](folder)
    is_hostile = any(word in name for word in ("command", "file", "NUL", "CR", "leads out"))
    assert_found(folder, public, shells=("dash", "bash") if is_hostile else ("dash",))
    assert not (folder / "x").exists()


@pytest.mark.parametrize("parts", ["manifest.txt", "issued", "all but the paper"])
def test_parts_of_another_bundle_are_found(folder: Path, other: Path, public: Path, parts: str) -> None:
    """Every part is genuine, and they do not belong together."""
    if parts == "all but the paper":
        paper = (folder / "packet.pdf").read_bytes()
        shutil.rmtree(folder)
        shutil.copytree(other, folder)
        (folder / "packet.pdf").write_bytes(paper)
    elif (folder / parts).is_dir():
        shutil.copytree(other / parts, folder / parts, dirs_exist_ok=True)
    else:
        shutil.copy(other / parts, folder / parts)
    assert_found(folder, public)


def _mutate(content: bytes, chance: random.Random) -> bytes:
    """Flip a bit, put in or take out a byte or a line, exchange two lines, or cut the end off."""
    lines, at = content.splitlines(keepends=True), chance.randrange(len(content))
    line = chance.randrange(len(lines))
    mutants = [
        content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :],
        content[:at] + chance.choice([b"\0", b"\n", b"\r", b" ", b'"', b"0", b"="]) + content[at:],
        content[:at] + content[at + 1 :],
        content[:at],
        content + chance.choice([b"\n", b" ", b"\0"]),
        b"".join([*lines[:line], lines[line], *lines[line:]]),
        b"".join([*lines[:line], *lines[line + 1 :]]),
    ]
    return chance.choice([each for each in mutants if each != content])


@pytest.mark.parametrize("seed", range(30))
def test_a_random_change_of_what_the_manifest_does_not_list_is_found(folder: Path, public: Path, seed: int) -> None:
    chance = random.Random(seed)
    name = sorted(BESIDE)[seed % len(BESIDE)]
    (folder / name).write_bytes(_mutate((folder / name).read_bytes(), chance))
    assert_found(folder, public)


def test_without_the_property_s_key_the_verifiers_say_whose_signature_it_is(folder: Path, tmp_path: Path) -> None:
    """A bundle that is signed anew altogether still lacks a log that has it."""
    edit(folder, "packet.pdf", b"%PDF", b"%FDP")
    sign_all_again(folder, FORGER)
    assert_found(folder, folder / "evidence" / "key.pem", "issued/entry.ndjson")


# Somebody who has the property's key and writes no entry: a packet that was never issued.


def _with_key(folder: Path, **other: Any) -> None:
    list_again(folder, keys.keyring(folder).current, **other)


NEVER_ISSUED: dict[str, Forgery] = {
    "paper": lambda folder: edit(folder, "packet.pdf", b"%PDF", b"%FDP"),
    "complaint": lambda folder: edit_facts(folder, lambda p: p["case"].update(complaint="None.")),
    "verifier": _replace("verify.sh", b"#!/bin/sh\necho OK\n"),
    "picture": lambda folder: edit(folder, "table.svg", "<svg", "<svg "),
    "still": _add("stills/0.png"),
}


@pytest.mark.parametrize("name", NEVER_ISSUED)
def test_a_packet_that_was_never_issued_is_found(folder: Path, public: Path, name: str) -> None:
    NEVER_ISSUED[name](folder)
    _with_key(folder)
    assert_found(folder, public, "issued/entry.ndjson")


# The property itself: signs and enters whatever it likes, and the proofs do not follow.


@pytest.fixture
def own(lake: Lake, tmp_path: Path) -> Path:
    """A lake to issue packets from."""
    shutil.copytree(lake.path, tmp_path / "own")
    return tmp_path / "own"


def issue_again(lake: Path, folder: Path, **other: Any) -> None:
    """Issue the bundle as it is now in due form."""
    said = replace(list_again(folder, FORGER, **other), signatures=())
    for name, content in issuing.issue(lake, said, "the property", now()).items():
        (folder / name).write_bytes(content)


def _drop_proof(folder: Path) -> dict[str, Any]:
    edit_lines(folder, PROOFS, lambda lines: [line for line in lines if not line.startswith(f"{SHOE} 3 ".encode())])
    return {}


def _change_line(folder: Path) -> dict[str, Any]:
    edit_lines(folder, SHOE, lambda ls: [*ls[:2], ls[2].replace(b"}", b" }"), *ls[3:]])
    return {}


def _false_floor(folder: Path) -> dict[str, Any]:
    edit(folder, "floor.toml", "boxes = 8", "boxes = 7")
    return {}


def _count(said: Manifest) -> dict[str, Any]:
    return {"lines": tuple(replace_tuple(each, shown=each.shown + 1) for each in said.lines)}


def replace_tuple(each: Any, **other: Any) -> Any:
    return each._replace(**other)


def _with(change: Callable[[Manifest], dict[str, Any]]) -> Callable[[Path], dict[str, Any]]:
    return lambda folder: change(read_manifest(folder))


BY_THE_PROPERTY: dict[str, tuple[Callable[[Path], dict[str, Any]], str]] = {
    "line without proof": (_drop_proof, "a proof, or a reason in the manifest"),
    "changed line": (_change_line, "a proof that leads to its file's root"),
    "another floor": (_false_floor, "floor.toml"),
    "another count": (_with(_count), "lines, as the manifest says"),
    "no landing file": (
        _with(lambda said: {"lines": said.lines[:1], "unproved": ()}),
        "a landing file that the manifest",
    ),
    "another landing file": (
        _with(lambda said: {"lines": tuple(replace_tuple(each, path=f"{each.path}.x") for each in said.lines)}),
        "took it into custody",
    ),
    "another root": (
        _with(lambda said: {"lines": tuple(replace_tuple(each, root="0" * 64) for each in said.lines)}),
        "leads to its file's root",
    ),
    "proved and unproved": (
        _with(lambda said: {"unproved": (*said.unproved, Unproved(SHOE, 3, 9, "guess"))}),
        "a reason in the manifest",
    ),
    "unproved line that is not there": (
        _with(lambda said: {"unproved": (*said.unproved, Unproved(TERMINAL, 999, 9, "guess"))}),
        "a reason in the manifest",
    ),
    "not kept and never taken in": (
        _with(lambda said: {"not_kept": (NotKept("0" * 64, "missing", f"{DAY}/x"),)}),
        "took it into custody",
    ),
    "snapshot that was not published": (_with(lambda said: {"snapshot": 2}), "publishes snapshot 2"),
}


@pytest.mark.parametrize("name", BY_THE_PROPERTY)
def test_what_the_property_cannot_prove_is_found(own: Path, folder: Path, public: Path, name: str) -> None:
    change, told = BY_THE_PROPERTY[name]
    issue_again(own, folder, **change(folder))
    assert_found(folder, public, told)


def test_facts_that_contradict_the_lines_are_found(own: Path, folder: Path, public: Path) -> None:
    """The shell does not judge the facts; audit21 does."""

    def change(packet: dict[str, Any]) -> None:
        next(step for step in packet["steps"] if step["card"] == "KH")["card"] = "2H"
        next(row for row in packet["settlements"] if row["seat"] == 8)["actual_paid_cents"] = 2500
        packet["redaction"]["unproved"].clear()
        packet["sources"].pop()

    edit_facts(folder, change)
    issue_again(own, folder)
    found = " ".join(found_by_audit21(folder, public))
    for place in ("packet.json step", "packet.json settlement of box 8", "redaction unproved", "packet.json sources"):
        assert place in found


def test_the_reason_of_every_omission_is_signed(honest: Path) -> None:
    said, packet = read_manifest(honest), json.loads((honest / "packet.json").read_text())
    assert {each.line for each in said.withheld_lines} == {each["line"] for each in packet["redaction"]["lines"]}
    assert {each.reason for each in said.withheld_lines} == {"other-patron"}
    assert b"\nreason guess a proof would help to guess a line that is withheld\n" in said.body
    assert set(files(honest)) == {file.name for file in said.files} | BESIDE


def test_every_packet_is_in_the_log_once(lake: Lake, honest: Path) -> None:
    entries = [entry for _, entry in EvidenceLog(lake.path / "evidence").entries("packet")]
    hashes = [entry["manifest"] for entry in entries]  # type: ignore[typeddict-item]
    assert hashes.count(read_manifest(honest).sha256) == 1
