"""Packets are issued under the lock and with the key of a run, or not at all."""

import fcntl
import shutil
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dashboards.packets.bundle import Packet, PacketRequest, make
from dashboards.packets.case import CaseFile
from pipelines.cli import app
from pipelines.custody.store import text
from tests.dashboards.packets import tables
from tests.dashboards.packets.forging import FORGER, edit_lines, found_by_audit21, read_manifest, run_script
from tests.dashboards.packets.tables import DAY, TABLE, round_id
from tests.dashboards.server import serving
from tests.pipelines.lakes import audited, now
from tests.warehouse.evidence.test_handover import take_over, write_lines
from warehouse import issuing, signing
from warehouse.cases import activity
from warehouse.cases.database import Database
from warehouse.evidence import checkpoint, keys
from warehouse.evidence import verify as evidence
from warehouse.evidence.entries import EvidenceError
from warehouse.evidence.handover import KeyRefused
from warehouse.evidence.log import EvidenceLog
from warehouse.lake import Lake, LakeError
from warehouse.retention import plan as plans
from warehouse.retention.policy import Policy
from warehouse.retention.remove import remove


@pytest.fixture
def own(lake: Lake, tmp_path: Path) -> Path:
    """A lake of the test's own."""
    shutil.copytree(lake.path, tmp_path / "lake")
    return tmp_path / "lake"


def packets(lake: Path) -> list[Any]:
    """The packets that the log has."""
    return [entry for _, entry in EvidenceLog(lake / "evidence").entries("packet")]


def unpacked(packet: Packet, folder: Path) -> Path:
    with zipfile.ZipFile(packet.write(folder)[1]) as zipped:
        zipped.extractall(folder / "bundle")
    return folder / "bundle"


def newest_key(lake: Path) -> Path:
    return lake / "evidence" / "keys" / f"{keys.introduced(EvidenceLog(lake / 'evidence'))[-1][1]}.pem"


def test_the_log_has_who_asked_for_what_and_when(own: Path, tmp_path: Path) -> None:
    before = len(packets(own))
    done = CliRunner().invoke(
        app, ["dispute", round_id("3"), "--lake", str(own), "--out", str(tmp_path / "out"), "--prepared-by", "S. Lind"]
    )
    assert done.exit_code == 0, done.output
    entry = packets(own)[before]
    assert (entry["round_id"], entry["gaming_day"], entry["snapshot"], entry["by"]) == (
        round_id("3"),
        DAY,
        1,
        "S. Lind",
    )
    assert not evidence.verify(own, text_of=text).differences
    checkpoints = sorted((own / "evidence" / "checkpoints").iterdir())
    assert checkpoint.parse(checkpoints[-1].read_bytes()).size == EvidenceLog(own / "evidence").size


def test_a_packet_of_a_snapshot_that_was_not_published_is_found_in_the_log(own: Path) -> None:
    log = EvidenceLog(own / "evidence")
    log.append(
        {
            "kind": "packet",
            "gaming_day": DAY,
            "round_id": round_id("3"),
            "snapshot": 9,
            "manifest": "0" * 64,
            "at": "2030-01-01T00:00:00.000Z",
            "by": "",
        }
    )
    assert any("packet of snapshot 9" in each.found for each in evidence.verify(own, text_of=text).differences)


# The key.


def test_without_the_key_nothing_is_issued_and_no_key_is_made(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (own / "evidence" / "log.ndjson").read_bytes()
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "nowhere.pem"))
    done = CliRunner().invoke(app, ["dispute", round_id("3"), "--lake", str(own), "--out", str(tmp_path / "out")])
    assert done.exit_code == 2 and "packets cannot be issued here" in done.output
    assert not (tmp_path / "nowhere.pem").exists() and not (tmp_path / "out").exists()
    with serving(own, tmp_path / "cases.db") as running, running.client("ann") as ann:
        answer = ann.post(f"/packets/{round_id('3')}")
    assert answer.status_code == 400
    assert "packets cannot be issued here" in answer.text and "AUDIT21_KEY" in answer.text
    assert (own / "evidence" / "log.ndjson").read_bytes() == before


def test_another_key_than_the_lake_s_is_refused(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "other.pem"))
    keys.keyring(own)
    before = (own / "evidence" / "log.ndjson").read_bytes()
    with pytest.raises(EvidenceError, match="which signs this lake"):
        make(PacketRequest(own, round_id("3")))
    assert (own / "evidence" / "log.ndjson").read_bytes() == before


def test_serve_issues_what_dispute_issues(own: Path, tmp_path: Path) -> None:
    with serving(own, tmp_path / "cases.db") as running, running.client("ann") as ann:
        answer = ann.post(f"/packets/{round_id('void')}", data={"number": "7"})
        full = "Ann of the test"
    assert answer.status_code == 200
    (tmp_path / "served.zip").write_bytes(answer.content)
    assert not found_by_audit21(tmp_path / "served.zip", newest_key(own))
    assert packets(own)[-1]["by"] == f"{full} (ann)"
    (state,) = Lake.open(own).snapshot().days.values()
    case = CaseFile(number="7", prepared_by=full)
    again = make(PacketRequest(own, round_id("void"), case, as_of=state.published, text_of=text, by="somebody else"))
    assert again.bundle == answer.content


def test_packets_after_each_change_of_keys(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is signed by the key in force and rests on a checkpoint of that key, in logs of many sizes."""
    current = tmp_path / "key.pem"
    shutil.copy(keys.private_path(), current)
    monkeypatch.setenv("AUDIT21_KEY", str(current))
    sizes = set()
    for number in range(6):
        current.rename(tmp_path / "key.previous.pem")
        log = EvidenceLog(own / "evidence")
        with Lake.open(own).lock():
            signing.mend(Lake.open(own), log, now)
        for filler in range(number):
            make(PacketRequest(own, round_id("3"), CaseFile(number=f"{number}.{filler}"), now=now))
        packet = make(PacketRequest(own, round_id("spin"), redact=True, now=now))
        folder = unpacked(packet, tmp_path / str(number))
        said = read_manifest(folder)
        sizes.add((said.size, checkpoint.parse((folder / "issued" / "checkpoint.txt").read_bytes()).size))
        assert not found_by_audit21(folder, newest_key(own))
        assert run_script(folder, newest_key(own), "dash", tmp_path / "elsewhere").returncode == 0
    assert len(sizes) == 6
    assert not evidence.verify(own, text_of=text).differences


def test_signatures_of_witnesses_do_no_harm(own: Path, tmp_path: Path) -> None:
    """They stand below the property's in a checkpoint; the packet stays the same."""
    first = unpacked(make(PacketRequest(own, round_id("spin"), now=now)), tmp_path / "first")
    for path in (own / "evidence" / "checkpoints").iterdir():
        note = checkpoint.parse(path.read_bytes())
        cosigned = checkpoint.signature_of(FORGER, "witness.example/w1", note.body)
        path.write_bytes(replace(note, signatures=(*note.signatures, cosigned)).note)
    again = unpacked(make(PacketRequest(own, round_id("spin"), now=now)), tmp_path / "again")
    assert (first / "manifest.txt").read_bytes() == (again / "manifest.txt").read_bytes()
    assert b"witness.example" in (again / "issued" / "checkpoint.txt").read_bytes()
    assert not found_by_audit21(again, newest_key(own))
    assert run_script(again, newest_key(own), "dash", tmp_path / "elsewhere").returncode == 0


def test_an_entry_with_the_head_of_the_activity_log_and_a_clock_set_back(own: Path, tmp_path: Path) -> None:
    make(PacketRequest(own, round_id("3"), CaseFile(number="earlier"), now=lambda: now() + timedelta(days=900)))
    cases = Database(own / signing.CASES)
    with cases.write() as session:
        activity.record(session, activity.Actor("ann", "here"), now(), "view", "case 1")
    cases.close()
    folder = unpacked(make(PacketRequest(own, round_id("3"), CaseFile(number="later"), now=now)), tmp_path / "out")
    assert {"activity", "set_back_ms"} <= set(packets(own)[-1])
    assert not found_by_audit21(folder, newest_key(own))
    assert run_script(folder, newest_key(own), "dash", tmp_path / "elsewhere").returncode == 0


def test_the_key_that_signs_is_in_the_bundle_where_it_came_back(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    current, previous = tmp_path / "key.pem", tmp_path / "key.previous.pem"
    shutil.copy(keys.private_path(), current)
    monkeypatch.setenv("AUDIT21_KEY", str(current))
    lake, log = Lake.open(own), EvidenceLog(own / "evidence")
    with lake.lock():
        second = signing.rotate_key(lake, log, now)
        current.rename(tmp_path / "second.pem")
        previous.rename(current)
        (tmp_path / "second.pem").rename(previous)
        signing.mend(lake, log, now)
    folder = unpacked(make(PacketRequest(own, round_id("3"), now=now)), tmp_path / "out")
    assert second not in (newest := newest_key(own)).name
    assert (folder / "evidence" / "key.pem").read_bytes() == newest.read_bytes()
    assert not found_by_audit21(folder, newest)
    assert run_script(folder, newest, "dash", tmp_path / "elsewhere").returncode == 0


def test_no_packet_is_issued_on_a_log_that_a_stranger_continued(own: Path) -> None:
    whole = (own / "evidence" / "log.ndjson").read_bytes()
    about = {"gaming_day": DAY, "snapshot": 1, "by": "nobody", "note": "forged"}
    write_lines(own, {"kind": "signoff", "at": "2030-01-01T00:00:00.000Z", **about})
    with pytest.raises(KeyRefused, match="no key of the log signed entries"):
        make(PacketRequest(own, round_id("3")))
    (own / "evidence" / "log.ndjson").write_bytes(whole)
    take_over(own)
    with pytest.raises(KeyRefused, match="did not sign the handover"):
        make(PacketRequest(own, round_id("3")))


# The lock.


def test_nothing_is_issued_while_another_process_writes(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(issuing, "_WAIT_S", 0.0)
    with (own / ".lock").open("a+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(LakeError, match="is being written by process"):
            make(PacketRequest(own, round_id("3"), CaseFile(number="busy")))
    assert make(PacketRequest(own, round_id("3"), CaseFile(number="busy"))).bundle


def test_many_requests_at_once_are_entered_one_by_one(own: Path, tmp_path: Path) -> None:
    before, start = len(packets(own)), threading.Barrier(4)

    def ask(number: int) -> Packet:
        start.wait()
        return make(PacketRequest(own, round_id("3"), CaseFile(number=str(number)), now=now))

    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(ask, range(4)))
    assert len(packets(own)) == before + 4
    for number, packet in enumerate(made):
        assert not found_by_audit21(unpacked(packet, tmp_path / str(number)), newest_key(own))


# Evidence that is damaged or gone.


def test_a_packet_is_not_issued_on_damaged_lines(own: Path) -> None:
    log = EvidenceLog(own / "evidence")
    raw = own / "raw" / log.held(DAY)[f"{DAY}/{TABLE}/shoe.ndjson"].record["sha256"]
    edit_lines(own, raw.relative_to(own).as_posix(), lambda lines: [lines[0].replace(b"}", b" }"), *lines[1:]])
    with pytest.raises(EvidenceError, match="not those that were taken in; run audit21 verify"):
        make(PacketRequest(own, round_id("3"), CaseFile(number="damaged")))


@pytest.mark.parametrize("reason", ["retention", "missing"])
def test_lines_that_are_gone_are_declared_with_the_reason(tmp_path: Path, key: Path, reason: str) -> None:
    zone = tables.zone(tmp_path / "zone", tables.PROGRESSIVE)
    lake = audited(zone, tmp_path / "lake").path
    if reason == "retention":
        (tmp_path / "policy.toml").write_text('name = "House"\nraw_days = 1\n')
        wanted = plans.plan(zone, lake, Policy.read(tmp_path / "policy.toml"), now().date())
        assert remove(wanted, zone, lake, "ann", now())
    else:
        for path in (lake / "raw").iterdir():
            if b'"seq"' in path.read_bytes():
                path.unlink()
    folder = unpacked(make(PacketRequest(lake, round_id("spin"), now=now)), tmp_path / "out")
    assert {each.reason for each in read_manifest(folder).not_kept} == {reason}
    assert not found_by_audit21(folder, newest_key(lake))
    assert run_script(folder, newest_key(lake), "dash", tmp_path / "elsewhere").returncode == 0
