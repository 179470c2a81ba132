"""Entries are signed before they are written: a kill leaves nothing that looks forged, a forger nothing that passes."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.warehouse.evidence.test_handover import write_lines
from warehouse.evidence import ahead, checkpoint, keys, writer
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.log import EvidenceLog, stamp
from warehouse.evidence.verify import intact, verify

NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)


def hold(number: int, hours: int = 0) -> dict[str, Any]:
    about = {"gaming_day": "2026-01-05", "round_id": f"P21-01/2026-01-05/{number}", "by": "J. Doe", "why": "case"}
    return {"kind": "hold", "at": stamp(NOON + timedelta(hours=hours)), **about}


def opened(lake: Path) -> EvidenceLog:
    return EvidenceLog(lake / "evidence")


class Killed(BaseException):
    """The process ends here."""


def killed(*_: object) -> None:
    raise Killed


def test_every_entry_has_a_checkpoint_of_its_own(lake: Path) -> None:
    log, ring = opened(lake), keys.keyring(lake)
    for number in range(3):
        assert writer.append(log, ring, hold(number, number)) == 10 + number
        newest = checkpoint.newest(opened(lake))
        assert newest is not None and newest.size == 11 + number
    assert verify(lake).differences == []


def test_killed_before_the_checkpoint_the_next_writer_goes_on(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = keys.keyring(lake)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(checkpoint, "write_whole", killed)
        writer.append(opened(lake), ring, hold(1))
    assert verify(lake).differences == []
    intact(lake)
    writer.append(opened(lake), ring, hold(2))
    assert verify(lake).differences == [] and verify(lake).notes == []
    assert not (lake / "evidence/next.txt").exists()


def test_killed_before_the_entry_is_written_the_next_writer_goes_on(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring, sign = keys.keyring(lake), ahead.sign
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(ahead, "sign", lambda *about: killed(sign(*about)))
        writer.append(opened(lake), ring, hold(1))
    assert opened(lake).size == 10 and verify(lake).differences == []
    assert writer.append(opened(lake), ring, hold(2)) == 10
    assert verify(lake).differences == []


def test_an_entry_that_nobody_signed_is_never_signed_afterwards(lake: Path) -> None:
    write_lines(lake, hold(1))
    first = verify(lake).first
    assert first is not None and (first.place, first.found) == (
        "evidence/log.ndjson line 11",
        "none: nobody signed them",
    )
    for act in (lambda: writer.append(opened(lake), keys.keyring(lake), hold(2)), lambda: intact(lake)):
        with pytest.raises(EvidenceError):
            act()
    with pytest.raises(EvidenceError, match="no key of the log signed entries 11 to 11"):
        writer.sign(opened(lake), keys.keyring(lake), NOON)
    assert opened(lake).size == 11


def test_a_note_of_somebody_else_on_the_last_entry_does_not_count(lake: Path, key_path: Path) -> None:
    write_lines(lake, hold(1))
    key_path.rename(key_path.with_name("kept"))
    stranger = keys.keyring(lake)
    log = opened(lake)
    found = checkpoint.Checkpoint(checkpoint.origin(log) + "/next", log.size, log.root(), ())
    (lake / "evidence/next.txt").write_bytes(checkpoint.signed(found, [stranger.current]).note)
    assert verify(lake).differences
    with pytest.raises(EvidenceError, match="found the key"):
        writer.sign(opened(lake), stranger, NOON)


def test_a_clock_that_was_set_back_is_told_in_the_entry(lake: Path) -> None:
    log, ring = opened(lake), keys.keyring(lake)
    writer.append(log, ring, hold(1, 5))
    index = writer.append(log, ring, hold(2, 3))
    assert log.entry(index)["set_back_ms"] == 2 * 3_600_000  # type: ignore[typeddict-item]
    report = verify(lake)
    assert report.differences == [] and "the clock was set back by 7,200.0 s" in report.notes[0]


HOLD = """
import sys
from pathlib import Path
from tests.warehouse.evidence.test_writer import hold, opened
from warehouse.evidence import keys, writer
lake = Path(sys.argv[1])
for number in range(8):
    writer.append(opened(lake), keys.keyring(lake), hold(100 + number))
"""


def test_several_processes_write_one_log(lake: Path) -> None:
    log, ring = opened(lake), keys.keyring(lake)
    with subprocess.Popen([sys.executable, "-c", HOLD, str(lake)]) as other:
        for number in range(8):
            writer.append(log, ring, hold(number))
        assert other.wait() == 0
    assert opened(lake).size == 26
    assert verify(lake).differences == []


def test_nothing_is_signed_under_another_name_of_the_log(lake: Path) -> None:
    name = lake / "evidence" / "name.txt"
    other = name.read_text()[:-2] + ("0" if name.read_text()[-2] != "0" else "1") + "\n"
    name.write_text(other)
    before = (lake / "evidence" / "log.ndjson").read_bytes()
    with pytest.raises(EvidenceError, match=r"name.txt: found .*, expected .*, as in the checkpoint"):
        writer.append(opened(lake), keys.keyring(lake), hold(1))
    assert (lake / "evidence" / "log.ndjson").read_bytes() == before
