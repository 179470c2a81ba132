"""A bundle carries the cosignatures of its checkpoint, and those who verify it can demand them, and a pinned key."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dashboards.packets.bundle import PacketRequest, make
from dashboards.packets.case import CaseFile
from pipelines.cli import app
from pipelines.commands.witness import make_key
from tests.dashboards.packets.tables import round_id
from warehouse.evidence import checkpoint, cosign, handover, keys
from warehouse.evidence.log import EvidenceLog
from warehouse.lake import Lake


@pytest.fixture(scope="module")
def folder(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two witnesses, one of which has cosigned the newest checkpoint; bundles of before and after."""
    place = tmp_path_factory.mktemp("witnessed")
    shutil.copytree(lake.path, place / "lake")
    make(PacketRequest(place / "lake", round_id("eight"))).write(place / "before")
    for name in ("w1", "w2"):
        make_key(place / f"{name}.pem", f"regulator.example/{name}")
    newest = max((place / "lake/evidence/checkpoints").iterdir())
    found = checkpoint.parse(newest.read_bytes())
    line = cosign.cosign(keys.own_key(place / "w1.pem"), "regulator.example/w1", found, 1_790_000_000)
    cosign.attach(newest, [line])
    make(PacketRequest(place / "lake", round_id("eight"))).write(place / "after")
    return place


def verified(folder: Path, when: str, *options: str) -> Result:
    (bundle,) = (folder / when).glob("*.zip")
    return CliRunner().invoke(app, ["verify", str(bundle), *options])


def test_k_of_n_witnesses_are_demanded(folder: Path) -> None:
    first, second = (("--witness", str(folder / f"{name}.vkey")) for name in ("w1", "w2"))
    assert verified(folder, "after", *first).exit_code == 0
    assert verified(folder, "after", *first, *second, "--quorum", "1").exit_code == 0
    both = verified(folder, "after", *first, *second)
    assert (both.exit_code, "cosignatures by 2 of 2 witnesses" in " ".join(both.output.split())) == (1, True)
    assert verified(folder, "after", *second).exit_code == 1
    assert verified(folder, "before", *first).exit_code == 1
    assert verified(folder, "before").exit_code == 0


def test_a_demand_without_sense_is_refused(folder: Path) -> None:
    assert verified(folder, "after", "--quorum", "1").exit_code == 2
    assert verified(folder, "after", "--witness", str(folder / "w1.vkey"), "--quorum", "2").exit_code == 2
    assert verified(folder, "after", "--witness", str(folder / "w1.pem")).exit_code == 2
    assert verified(folder, "after", "--witness", str(folder / "absent.vkey")).exit_code == 2


def test_a_pin_vouches_for_the_key_of_a_bundle(folder: Path, lake: Lake) -> None:
    pin = handover.pin_of(EvidenceLog(lake.path / "evidence"))
    assert pin is not None
    good = verified(folder, "after", "--pin", str(pin.path))
    assert (good.exit_code, "came with the bundle" in good.output) == (0, False)
    other = folder / "other.pin"
    other.write_text(pin.path.read_text().replace(pin.log, "audit21/other"))
    assert verified(folder, "after", "--pin", str(other)).exit_code == 2  # the key's hash is of the log's own name


def test_witnesses_are_asked_when_a_packet_is_issued(
    lake: Lake, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = shutil.copytree(lake.path, tmp_path / "lake")
    (tmp_path / "post").mkdir()
    key = (folder / "w1.vkey").read_text().strip().splitlines()[-1]
    (tmp_path / "witnesses.toml").write_text(f'[[witness]]\nkey = "{key}"\nfolder = "{tmp_path / "post"}"\n')
    monkeypatch.setenv("AUDIT21_WITNESSES", str(tmp_path / "witnesses.toml"))
    make(PacketRequest(own, round_id("eight"), CaseFile(number="asked")))
    (asked,) = (tmp_path / "post").glob("*/checkpoint")
    assert asked.read_bytes() == max((own / "evidence/checkpoints").iterdir()).read_bytes()
