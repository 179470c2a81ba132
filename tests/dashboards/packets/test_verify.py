"""A bundle is checked with nothing but itself and a public key, by audit21 and by the tools of any system."""

import hashlib
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dashboards.packets.bundle import PacketRequest, make
from dashboards.packets.paper import verify_script
from pipelines.cli import app
from tests.dashboards.packets import tables
from tests.dashboards.packets.forging import found_by_audit21, read_manifest, run_script
from tests.dashboards.packets.tables import DAY, TABLE, round_id
from tests.pipelines.lakes import audited, now
from warehouse.evidence import bundle
from warehouse.evidence.bundle_files import lines_name
from warehouse.lake import Lake


@pytest.fixture(scope="module")
def made(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A zipped bundle."""
    return make(PacketRequest(lake.path, round_id("spin"), now=now)).write(tmp_path_factory.mktemp("made"))[1]


@pytest.fixture
def unpacked(made: Path, tmp_path: Path) -> Path:
    """An unpacked bundle."""
    with zipfile.ZipFile(made) as packed:
        packed.extractall(tmp_path / "bundle")
    return tmp_path / "bundle"


def test_a_bundle_verifies_with_the_public_key_alone(lake: Lake, made: Path, tmp_path: Path) -> None:
    public = next((lake.path / "evidence" / "keys").iterdir())
    away = tmp_path / "elsewhere"
    away.mkdir()
    for path in (made, public):
        shutil.copy(path, away)
    found = CliRunner().invoke(app, ["verify", str(away / made.name), "--key", str(away / public.name)])
    assert found.exit_code == 0, found.output
    assert "All records match their recorded hashes" in found.output


def test_the_script_of_the_bundle_works_by_itself(unpacked: Path) -> None:
    """It names its interpreter, and says that the key came with the bundle."""
    script = unpacked / "verify.sh"
    assert script.read_bytes() == verify_script()
    assert script.read_text().startswith("#!/bin/sh\n")
    script.chmod(0o755)
    done = subprocess.run(["./verify.sh"], cwd=unpacked, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1].startswith("OK: as issued by the key that came with the bundle")
    assert "WRONG" not in done.stdout


@pytest.mark.parametrize("path", [".:/usr/bin:/bin", "/usr/bin::/bin"])
def test_the_script_does_not_run_commands_of_the_bundle(unpacked: Path, path: str) -> None:
    """Refuse to start if the shell would look for commands in the bundle."""
    (unpacked / "find").write_text("#!/bin/sh\n> ran\n")
    (unpacked / "find").chmod(0o755)
    done = subprocess.run(
        ["sh", "verify.sh"], cwd=unpacked, capture_output=True, text=True, check=False, env={"PATH": path}
    )
    assert done.returncode == 1 and done.stdout.splitlines()[-1].startswith("WRONG: PATH")
    assert not (unpacked / "ran").exists()


def test_another_key_is_not_taken_for_the_property(unpacked: Path, tmp_path: Path) -> None:
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", tmp_path / "k.pem"], check=True)
    subprocess.run(["openssl", "pkey", "-in", tmp_path / "k.pem", "-pubout", "-out", tmp_path / "p.pem"], check=True)
    found = CliRunner().invoke(app, ["verify", str(unpacked), "--key", str(tmp_path / "p.pem")])
    assert found.exit_code == 1
    assert "a signature by the key" in " ".join(found.output.split())
    done = run_script(unpacked, tmp_path / "p.pem", "sh", tmp_path / "elsewhere")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, b"WRONG: manifest.txt is signed by another key")


@pytest.mark.parametrize("place", ["evidence", "issued"])
def test_a_checkpoint_kept_elsewhere_is_compared(unpacked: Path, tmp_path: Path, place: str) -> None:
    kept = tmp_path / "kept.txt"
    own = unpacked / place / "checkpoint.txt"
    kept.write_bytes(own.read_bytes().replace(b"\n", b"\r\n"))
    assert not bundle.verify(unpacked, kept=(kept,)).differences
    text = own.read_text()
    root = text.splitlines()[2]
    kept.write_text(text.replace(root, f"{'A' if root[0] != 'A' else 'B'}{root[1:]}"))
    assert any("kept.txt" in difference.place for difference in bundle.verify(unpacked, kept=(kept,)).differences)
    kept.write_text("no checkpoint")
    assert any("kept.txt" in difference.place for difference in bundle.verify(unpacked, kept=(kept,)).differences)


ODD = ("shoe log 1.ndjson", "shoe -n;$(id)'\"&|*\\.ndjson", f"shoe{'é' * 120}.ndjson", "shoe%20.ndjson")


@pytest.mark.parametrize("name", ODD)
def test_landing_files_with_odd_names_verify(tmp_path: Path, key: Path, name: str) -> None:
    zone = tables.zone(tmp_path / "zone", tables.PROGRESSIVE)
    place = zone / DAY / TABLE
    (place / "shoe.ndjson").rename(place / name)
    lake = audited(zone, tmp_path / "lake")
    packed = make(PacketRequest(lake.path, round_id("spin"), now=now)).write(tmp_path)[1]
    with zipfile.ZipFile(packed) as zipped:
        zipped.extractall(tmp_path / "bundle")
    assert not found_by_audit21(packed, next((lake.path / "evidence" / "keys").iterdir()))
    assert run_script(tmp_path / "bundle", None, "dash", tmp_path / "elsewhere").returncode == 0
    assert f"{DAY}/{TABLE}/{name}" in {lines.path for lines in read_manifest(tmp_path / "bundle").lines}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("2026-01-05/P21 08/shoe.ndjson", "lines/2026-01-05/P21%2008/shoe.ndjson"),
        ("2026-01-05/P21%08/shoe.parquet", "lines/2026-01-05/P21%2508/shoe.parquet.ndjson"),
        ("2026-01-05/-\n\x1b/靴.ndjson", "lines/2026-01-05/-%0A%1B/%E9%9D%B4.ndjson"),
        ("2026-01-05/\udcff.ndjson", "lines/2026-01-05/%FF.ndjson"),
    ],
)
def test_every_landing_path_has_a_name_in_the_bundle(path: str, name: str) -> None:
    assert lines_name(path) == name


@pytest.mark.parametrize("path", ["2026-01-05/../x.ndjson", "a//b.ndjson", f"a/{'é' * 120}.ndjson"])
def test_a_path_without_a_fit_name_is_named_by_its_hash(path: str) -> None:
    assert lines_name(path) == f"lines/{hashlib.sha256(path.encode()).hexdigest()}.ndjson"
