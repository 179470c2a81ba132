"""A bundle is checked with nothing but itself and a public key, by audit21 and by the tools of any system."""

import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dashboards.packets.bundle import Request, make
from pipelines.cli import app
from tests.dashboards.packets.tables import DAY, TABLE, round_id
from warehouse.evidence import bundle
from warehouse.lake import Lake

LINES = f"lines/{DAY}/{TABLE}/terminal.ndjson"


@pytest.fixture(scope="module", params=["eight"])
def made(lake: Lake, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A zipped bundle."""
    return make(Request(lake.path, round_id(request.param))).write(tmp_path_factory.mktemp("made"))[1]


@pytest.fixture
def unpacked(made: Path, tmp_path: Path) -> Path:
    """An unpacked bundle."""
    with zipfile.ZipFile(made) as packed:
        packed.extractall(tmp_path / "bundle")
    return tmp_path / "bundle"


def sums_again(folder: Path) -> None:
    """What somebody would do who changed a file: write the list of hashes anew."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    listed = subprocess.run(
        ["sha256sum", *(name for name in names if name != "SHA256SUMS")], cwd=folder, capture_output=True, check=True
    )
    (folder / "SHA256SUMS").write_bytes(listed.stdout)


def test_a_bundle_verifies_with_the_public_key_alone(lake: Lake, made: Path, tmp_path: Path) -> None:
    public = next((lake.path / "evidence" / "keys").iterdir())
    away = tmp_path / "elsewhere"
    away.mkdir()
    for path in (made, public):
        shutil.copy(path, away)
    found = CliRunner().invoke(app, ["verify", str(away / made.name), "--key", str(away / public.name)])
    assert found.exit_code == 0, found.output
    assert "all is as it was recorded" in found.output


@pytest.mark.parametrize("made", ["spin"], indirect=True)
def test_the_documented_commands_work(unpacked: Path) -> None:
    done = subprocess.run(["bash", "verify.sh"], cwd=unpacked, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "files: OK" in done.stdout
    assert "Signature Verified Successfully" in done.stdout
    assert "floor.toml: OK" in done.stdout
    assert "WRONG:" not in done.stdout
    assert not bundle.verify(unpacked).differences


def _edit_line(folder: Path) -> None:
    path = folder / LINES
    path.write_bytes(path.read_bytes().replace(b'"seat": 1', b'"seat": 2', 1))


def _edit_facts(folder: Path) -> None:
    path = folder / "packet.json"
    packet = json.loads(path.read_text())
    wrong = next(row for row in packet["settlements"] if row["seat"] == 8)
    wrong["actual_paid_cents"], wrong["actual_taken_cents"] = 2500, 0
    path.write_text(json.dumps(packet))


def _edit_card(folder: Path) -> None:
    path = folder / "packet.json"
    packet = json.loads(path.read_text())
    next(step for step in packet["steps"] if step["card"] == "KH")["card"] = "2H"
    path.write_text(json.dumps(packet))


def _edit_floor(folder: Path) -> None:
    path = folder / "floor.toml"
    path.write_text(path.read_text().replace("boxes = 8", "boxes = 7"))


def _edit_entry(folder: Path) -> None:
    path = folder / "evidence" / "entries.ndjson"
    path.write_text(path.read_text().replace('"reason":"first"', '"reason":"other"'))


def _edit_checkpoint(folder: Path) -> None:
    path = folder / "evidence" / "checkpoint.txt"
    path.write_text(path.read_text().replace("day 2026-01-05", "day 2026-01-06"))


def _drop_line(folder: Path) -> None:
    path = folder / LINES
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-20]))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (_edit_line, LINES),
        (_edit_facts, "packet.json settlement of box 8"),
        (_edit_card, "packet.json step"),
        (_edit_floor, "floor.toml"),
        (_edit_entry, "evidence/entries.ndjson"),
        (_edit_checkpoint, "evidence/checkpoint.txt"),
        (_drop_line, "packet.json step"),
    ],
)
def test_whatever_is_changed_is_found_though_the_hashes_were_made_anew(
    unpacked: Path, change: Callable[[Path], None], place: str
) -> None:
    before = {path: path.read_bytes() for path in unpacked.rglob("*") if path.is_file()}
    change(unpacked)
    assert before != {path: path.read_bytes() for path in unpacked.rglob("*") if path.is_file()}
    assert bundle.verify(unpacked).first
    sums_again(unpacked)
    assert any(difference.place.startswith(place) for difference in bundle.verify(unpacked).differences)


@pytest.mark.parametrize("made", ["spin"], indirect=True)
@pytest.mark.parametrize("change", [_edit_line, _edit_floor, _edit_entry, _edit_checkpoint])
def test_the_documented_commands_find_it_too(unpacked: Path, change: Callable[[Path], None]) -> None:
    change(unpacked)
    sums_again(unpacked)
    done = subprocess.run(["bash", "verify.sh"], cwd=unpacked, capture_output=True, text=True, check=False)
    signed = "Signature Verified Successfully" in done.stdout
    assert "WRONG:" in done.stdout or not signed or "floor.toml: OK" not in done.stdout


def test_another_key_is_not_taken_for_the_property(unpacked: Path, tmp_path: Path) -> None:
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", tmp_path / "k.pem"], check=True)
    subprocess.run(["openssl", "pkey", "-in", tmp_path / "k.pem", "-pubout", "-out", tmp_path / "p.pem"], check=True)
    found = CliRunner().invoke(app, ["verify", str(unpacked), "--key", str(tmp_path / "p.pem")])
    assert found.exit_code == 1
    assert "a signature by the key" in " ".join(found.output.split())


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_bundle_is_bad_input(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    found = CliRunner().invoke(app, ["verify", str(tmp_path / "x.zip")])
    assert found.exit_code == 2
    assert "x.zip" in found.output


def test_a_checkpoint_kept_elsewhere_is_compared(unpacked: Path, lake: Lake, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_bytes((unpacked / "evidence" / "checkpoint.txt").read_bytes().replace(b"\n", b"\r\n"))
    assert not bundle.verify(unpacked, kept=(kept,)).differences
    text = (unpacked / "evidence" / "checkpoint.txt").read_text()
    root = text.splitlines()[2]
    kept.write_text(text.replace(root, f"{'A' if root[0] != 'A' else 'B'}{root[1:]}"))
    assert any("kept.txt" in difference.place for difference in bundle.verify(unpacked, kept=(kept,)).differences)


def test_a_schema_that_allows_anything_does_not_help(unpacked: Path) -> None:
    (unpacked / "packet.schema.json").write_text("{}")
    (unpacked / "packet.json").write_text('{"redaction": null}')
    sums_again(unpacked)
    report = bundle.verify(unpacked)
    assert any("what packet.schema.json describes" in difference.expected for difference in report.differences)
    assert any("not the one that this software publishes" in note for note in report.notes)
