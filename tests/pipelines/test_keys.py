"""``audit21 keys``, and what ``run`` and ``verify`` do where somebody took over a lake's signing key."""

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.pipelines.zones import made
from tests.warehouse.evidence.test_handover import take_over, write_lines
from warehouse.evidence.log import stamp

SCRIPT = Path(sys.executable).with_name("audit21")


def call(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "AUDIT21_KEY": str(folder / "key" / "key.pem")}
    return subprocess.run(
        [SCRIPT, *arguments], capture_output=True, text=True, check=False, cwd=folder, env=environment
    )


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    made(folder / "zone", tables=1, rounds=5)
    done = call(folder, "run", "zone", "--lake", "lake")
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "first.txt").write_text(done.stdout)
    return folder


@pytest.fixture
def place(audited: Path, tmp_path: Path) -> Path:
    return shutil.copytree(audited, tmp_path / "place")


def test_the_first_run_pins_its_key_and_says_so_once(place: Path) -> None:
    pin = next((place / "key" / "pins").iterdir())
    said = " ".join((place / "first.txt").read_text().split())
    shown = json.loads(call(place, "keys", "show", "lake", "--json").stdout)
    assert [(key["state"], key["pinned"]) for key in shown["keys"]] == [("the first key", True)]
    assert shown["keys"][0]["fingerprint"] in said and "keep it in the safe" in said
    assert "safe" not in call(place, "run", "zone", "--lake", "lake").stdout
    assert call(place, "verify", "lake", "--pin", str(pin)).returncode == 0
    pin.rename(place / "elsewhere.pin")
    assert call(place, "run", "zone", "--lake", "lake", "--pin", "elsewhere.pin").returncode == 0
    assert not pin.exists()


def test_a_foreign_key_stops_every_writer_until_a_person_accepts_it(place: Path) -> None:
    stranger = take_over(place / "lake").key_id
    day = "2026-01-05"
    assert call(place, "verify", "lake").returncode == 1
    commands = (("run", "zone", "--lake", "lake"), ("signoff", day, "--lake", "lake", "--by", "A. Auditor"))
    for command in commands:
        done = call(place, *command)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert f"keys accept {place}/lake {stranger} --by NAME --reason TEXT" in done.stderr
    done = call(place, "keys", "accept", "lake", stranger, "--by", "A. Auditor", "--reason", "confirmed by telephone")
    assert (done.returncode, done.stderr) == (0, "")
    assert call(place, "run", "zone", "--lake", "lake").returncode == 0
    report = json.loads(call(place, "verify", "lake", "--json").stdout)
    assert not [each for each in report["differences"] if "handover" in each["found"]]
    shown = call(place, "keys", "show", "lake").stdout
    assert "accepted by A. Auditor" in shown and "confirmed by telephone" in shown


def test_a_lost_key_is_replaced_with_a_persons_word(place: Path) -> None:
    (place / "key" / "key.pem").unlink()
    done = call(place, "run", "zone", "--lake", "lake")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    key = done.stderr.partition("found the key ")[2].partition(",")[0]
    none = call(place, "keys", "accept", "lake", key, "--by", " ", "--reason", "lost")
    assert (none.returncode, "--by: found nothing" in none.stderr) == (2, True)
    assert call(place, "keys", "accept", "lake", key, "--by", "A. Auditor", "--reason", "lost").returncode == 0
    assert call(place, "run", "zone", "--lake", "lake").returncode == 0
    verified = call(place, "verify", "lake")
    assert (verified.returncode, "did not sign the handover" in verified.stdout) == (0, True)


def test_a_log_that_nobody_signed_is_confirmed_by_a_person(place: Path) -> None:
    about = {"gaming_day": "2026-01-05", "snapshot": 1, "by": "nobody", "note": ""}
    forged = {"kind": "signoff", "at": stamp(datetime.now(UTC)), **about}
    write_lines(place / "lake", forged)
    assert call(place, "verify", "lake").returncode == 1
    assert call(place, "run", "zone", "--lake", "lake").returncode == 2
    done = call(place, "keys", "pin", "lake")
    assert (done.returncode, "no key of the log signed entries" in done.stderr) == (2, True)
    done = call(place, "keys", "pin", "lake", "--by", "A. Auditor", "--reason", "written by hand")
    assert done.returncode == 0
    assert call(place, "run", "zone", "--lake", "lake").returncode == 0
    assert call(place, "verify", "lake").returncode == 0


def test_a_lake_whose_log_is_gone_is_not_continued(place: Path) -> None:
    shutil.rmtree(place / "lake" / "evidence")
    done = call(place, "run", "zone", "--lake", "lake")
    assert (done.returncode, "it was removed" in done.stderr) == (2, True)


def test_rotation_is_signed_by_the_key_before(place: Path) -> None:
    assert call(place, "keys", "rotate", "lake").returncode == 0
    assert call(place, "verify", "lake").returncode == 0
    states = [key["state"] for key in json.loads(call(place, "keys", "show", "lake", "--json").stdout)["keys"]]
    assert states == ["the first key", "signed by the key before it"]
    assert call(place, "keys", "rotate", "lake").returncode == 2
    (place / "key" / "key.previous.pem").unlink()
    assert call(place, "run", "zone", "--lake", "lake").returncode == 0
    assert call(place, "keys", "show", "zone").returncode == 2
