"""Keys and checkpoints: who may sign, what is signed, and that openssl agrees."""

import base64
import shutil
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.warehouse.evidence import small_lake
from warehouse.evidence import checkpoint, keys
from warehouse.evidence.checkpoint import CheckpointError
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.verify import verify

DAY = date(2026, 1, 7)


def newest(lake: Path) -> Path:
    return max((lake / "evidence" / "checkpoints").iterdir())


def rotate(key_path: Path, keep: bool = True) -> None:
    if keep:
        key_path.rename(key_path.with_name("signing-key.previous.pem"))
    else:
        key_path.unlink()


def test_the_key_is_made_once_and_is_its_owners_alone(tmp_path: Path, key_path: Path) -> None:
    first = keys.keyring(tmp_path / "lake").current
    assert keys.keyring(tmp_path / "lake").current.key_id == first.key_id
    assert (key_path.stat().st_mode & 0o777, key_path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [path.name for path in key_path.parent.iterdir()] == [key_path.name]


def test_the_key_is_looked_for_among_the_users_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUDIT21_KEY")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/settings")
    assert keys.private_path() == Path("/settings/audit21/signing-key.pem")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    assert keys.private_path() == Path.home() / ".config/audit21/signing-key.pem"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_key_that_others_can_use_is_refused(tmp_path: Path, key_path: Path, mode: int) -> None:
    keys.keyring(tmp_path / "lake")
    key_path.chmod(mode)
    with pytest.raises(EvidenceError, match=f"mode {mode:o}, expected 600"):
        keys.keyring(tmp_path / "lake")


def test_a_key_inside_the_lake_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "lake" / "evidence" / "key.pem"))
    with pytest.raises(EvidenceError, match="inside the lake"):
        keys.keyring(tmp_path / "lake")
    assert not (tmp_path / "lake").exists()


def test_what_is_no_ed25519_key_is_refused(tmp_path: Path, key_path: Path) -> None:
    keys.keyring(tmp_path / "lake")
    key_path.write_bytes(b"not a key")
    with pytest.raises(EvidenceError, match="expected an Ed25519 private key in PEM"):
        keys.keyring(tmp_path / "lake")
    other = ec.generate_private_key(ec.SECP256R1())
    no_password = serialization.NoEncryption()
    pem = other.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, no_password)
    key_path.write_bytes(pem)
    with pytest.raises(EvidenceError, match="expected an Ed25519 private key"):
        keys.keyring(tmp_path / "lake")


def test_a_checkpoint_is_a_few_lines_of_text(lake: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    assert newest(lake).name == "0000000010.txt"
    origin, size, root, *rest = newest(lake).read_text().split("\n")
    assert (origin, size, root) == (checkpoint.origin(log), "10", base64.b64encode(log.root()).decode())
    assert rest[:4] == ["day 2026-01-07", "time 2026-01-08T07:00:00Z", "previous 7", ""]
    assert rest[4].startswith(f"— {origin} ")
    assert len(rest) == 6


def test_issuing_again_changes_nothing(lake: Path) -> None:
    log, before = EvidenceLog(lake / "evidence"), newest(lake).read_bytes()
    later = datetime(2026, 2, 1, tzinfo=UTC)
    assert checkpoint.issue(log, keys.keyring(lake), DAY, later) == newest(lake)
    assert newest(lake).read_bytes() == before


def test_nothing_is_signed_that_does_not_continue_the_newest_checkpoint(lake: Path) -> None:
    path = lake / "evidence" / "log.ndjson"
    lines = path.read_bytes().splitlines(keepends=True)
    for changed in (lines[:-1], [*lines[:4], *lines[7:], *lines[4:7]]):
        path.write_bytes(b"".join(changed))
        with pytest.raises(CheckpointError, match="does not continue the checkpoint 0000000010"):
            checkpoint.issue(EvidenceLog(lake / "evidence"), keys.keyring(lake), DAY, small_lake.TIME)


def test_any_changed_character_of_a_checkpoint_shows(lake: Path) -> None:
    note = newest(lake).read_bytes()
    public = [keys.keyring(lake).current.public]
    assert checkpoint.check(checkpoint.parse(note), public) == (public, [])
    for at in range(len(note)):
        forged = bytearray(note)
        forged[at] ^= 1
        try:
            assert checkpoint.check(checkpoint.parse(bytes(forged)), public)[0] == []
        except CheckpointError:
            continue


def test_a_checkpoint_survives_mail(lake: Path) -> None:
    note = newest(lake).read_bytes()
    mailed = b"\xef\xbb\xbf" + note.replace(b"\n", b" \r\n") + b"\r\n\r\n"
    assert checkpoint.parse(checkpoint.tidied(mailed)) == checkpoint.parse(note)


def test_a_new_key_is_vouched_for_by_the_old_one(lake: Path, key_path: Path) -> None:
    old = keys.keyring(lake).current
    rotate(key_path)
    path = small_lake.add_day(lake, "2026-01-08", 3)
    new = keys.keyring(lake).current
    found = checkpoint.parse(path.read_bytes())
    assert checkpoint.check(found, [new.public, old.public]) == ([old.public, new.public], [])
    assert found.origin.startswith(f"audit21/{old.key_id}-")
    after = checkpoint.parse(small_lake.add_day(lake, "2026-01-09", 4).read_bytes())
    assert checkpoint.check(after, [new.public, old.public]) == ([new.public], [])
    report = verify(lake)
    assert (report.differences, report.notes) == ([], [])


def test_only_the_announced_key_signs(lake: Path, key_path: Path) -> None:
    rotate(key_path)
    with pytest.raises(CheckpointError, match="does not introduce the key"):
        checkpoint.issue(EvidenceLog(lake / "evidence"), keys.keyring(lake), DAY, small_lake.TIME)
    with pytest.raises(CheckpointError, match="introduces no signing key"):
        checkpoint.issue(EvidenceLog(lake / "elsewhere"), keys.keyring(lake), DAY, small_lake.TIME)


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")
def test_the_documented_commands_check_a_signature(lake: Path, tmp_path: Path) -> None:
    page = (Path(checkpoint.__file__).parents[1] / "EVIDENCE.md").read_text()
    commands = page.split("<!-- signature -->\n```sh\n")[1].split("```")[0]
    commands = commands.replace("CHECKPOINT", str(newest(lake))).replace("LAKE", str(lake))
    commands = commands.replace("KEY_ID", keys.keyring(lake).current.key_id)

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", "-ec", commands], cwd=tmp_path, capture_output=True, text=True, check=False)

    good = run()
    assert (good.returncode, "Verified Successfully" in good.stdout) == (0, True), good.stderr
    newest(lake).write_text(newest(lake).read_text().replace("day 2026-01-07", "day 2026-01-08"))
    assert run().returncode != 0


def test_the_documented_program_gives_the_signed_root(lake: Path) -> None:
    page = (Path(checkpoint.__file__).parents[1] / "EVIDENCE.md").read_text()
    program = page.split("```python\n")[1].split("```")[0]
    command = [sys.executable, "-c", program, str(lake / "evidence" / "log.ndjson"), "7"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == (lake / "evidence/checkpoints/0000000007.txt").read_text().split("\n")[2] + "\n"
