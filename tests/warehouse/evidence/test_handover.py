"""Attacks by someone who can write every file of a lake without a private key: the log is never signed for them."""

import base64
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.warehouse.evidence import small_lake
from warehouse.evidence import ahead, checkpoint, handover, keys, pins
from warehouse.evidence.checkpoint import Checkpoint, path_of
from warehouse.evidence.entries import EvidenceError, canonical
from warehouse.evidence.handover import KeyRefused
from warehouse.evidence.keys import Signer
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.verify import Trust, verify

AT = "2026-01-08"
SIGNOFF = {
    "kind": "signoff",
    "at": small_lake.AT,
    "gaming_day": "2026-01-07",
    "snapshot": 2,
    "by": "nobody",
    "note": "forged",
}


def refused(lake: Path) -> str:
    """Why the next run refuses to continue the log; nothing is written."""
    before = {path: path.read_bytes() for path in (lake / "evidence").rglob("*") if path.is_file()}
    with pytest.raises(KeyRefused) as error:
        keys.announce(EvidenceLog(lake / "evidence"), keys.keyring(lake))
    assert before == {path: path.read_bytes() for path in (lake / "evidence").rglob("*") if path.is_file()}
    return str(error.value)


def goes_on(lake: Path, day: str = "2026-01-08", snapshot: int = 3) -> None:
    small_lake.add_day(lake, day, snapshot)
    assert verify(lake).differences == []


def write_lines(lake: Path, *entries: dict[str, object]) -> None:
    with (lake / "evidence/log.ndjson").open("ab") as log:
        log.writelines(canonical(entry) + b"\n" for entry in entries)


def sign_all(lake: Path, signer: Signer) -> None:
    """A checkpoint over the whole log by any key, in the form of an honest one."""
    log = EvidenceLog(lake / "evidence")
    before = max(int(path.stem) for path in (lake / "evidence/checkpoints").iterdir())
    extensions = ("day 2026-01-07", "time 2026-01-08T07:00:00Z", f"previous {before}")
    unsigned = Checkpoint(checkpoint.origin(log), log.size, log.root(), extensions)
    path_of(log.folder, log.size).write_bytes(checkpoint.signed(unsigned, [signer]).note)


def take_over(lake: Path, *more: dict[str, object]) -> Signer:
    """A foreign key takes over, and signs a forged entry."""
    stranger = Signer(Ed25519PrivateKey.generate())
    public = base64.b64encode(stranger.public).decode()
    previous = keys.introduced(EvidenceLog(lake / "evidence"))[-1][1]
    entry: dict[str, object] = {"kind": "key", "key_id": stranger.key_id, "public": public, "previous": previous}
    write_lines(lake, entry, SIGNOFF, *more)
    (lake / f"evidence/keys/{stranger.key_id}.pem").write_bytes(keys.public_pem(stranger.public))
    sign_all(lake, stranger)
    return stranger


def test_a_foreign_key_is_a_difference_and_stops_the_next_run(lake: Path) -> None:
    owner = keys.keyring(lake).current.key_id
    stranger = take_over(lake).key_id
    told = [str(each) for each in verify(lake).differences]
    assert len(told) == 1 and f"key {stranger} took over from {owner}, which did not sign the handover" in told[0]
    assert f"audit21 keys accept {lake} {stranger} --by NAME --reason TEXT" in refused(lake)


def test_an_acceptance_in_the_log_alone_counts_for_nothing(lake: Path) -> None:
    accepted = {"kind": "accepted", "at": small_lake.AT, "by": "the director", "reason": "key lost"}
    stranger = Signer(Ed25519PrivateKey.generate())
    public = base64.b64encode(stranger.public).decode()
    previous = keys.keyring(lake).current.key_id
    write_lines(
        lake,
        {"kind": "key", "key_id": stranger.key_id, "public": public, "previous": previous},
        {**accepted, "key_id": stranger.key_id},
    )
    (lake / f"evidence/keys/{stranger.key_id}.pem").write_bytes(keys.public_pem(stranger.public))
    sign_all(lake, stranger)
    assert "did not sign the handover" in str(verify(lake).first)
    assert "did not sign the handover" in refused(lake)


def test_a_foreign_key_that_a_person_accepted_is_pinned(lake: Path) -> None:
    stranger = take_over(lake)
    log, ring = EvidenceLog(lake / "evidence"), keys.keyring(lake)
    with pytest.raises(KeyRefused, match=f"expected {stranger.key_id}, the next one"):
        handover.accept(log, ring, ring.current.key_id, "A. Auditor", AT)
    handover.accept(log, ring, stranger.key_id, "A. Auditor", AT)
    goes_on(lake)
    assert [each.state for each in handover.handovers(EvidenceLog(log.folder), handover.pin_of(log))] == [
        handover.PINNED,
        handover.PINNED,
    ]


def test_a_lost_key_is_replaced_on_a_persons_word_only(lake: Path, key_path: Path, tmp_path: Path) -> None:
    first = keys.keyring(lake).current.key_id
    key_path.unlink()
    new = keys.keyring(lake).current.key_id
    assert f"expected {first}" in (told := refused(lake))
    assert f"audit21 keys accept {lake} {new}" in told
    handover.accept(EvidenceLog(lake / "evidence"), keys.keyring(lake), new, "A. Auditor", AT)
    goes_on(lake)
    goes_on(lake, "2026-01-09", 4)
    moved = pins.path_of(checkpoint.origin(EvidenceLog(lake / "evidence"))).rename(tmp_path / "paper.pin")
    assert "did not sign the handover" in str(verify(lake).first)
    assert verify(lake, trust=Trust(pin=moved)).differences == []


def test_a_key_that_was_replaced_cannot_come_back(lake: Path, key_path: Path) -> None:
    stolen = keys.keyring(lake).current
    key_path.rename(key_path.with_name("signing-key.previous.pem"))
    goes_on(lake)
    key_path.with_name("signing-key.previous.pem").unlink()
    previous = keys.keyring(lake).current.key_id
    public = base64.b64encode(stolen.public).decode()
    write_lines(lake, {"kind": "key", "key_id": stolen.key_id, "public": public, "previous": previous}, SIGNOFF)
    sign_all(lake, stolen)
    assert "did not sign the handover" in str(verify(lake).first)
    assert "did not sign the handover" in refused(lake)


def test_entries_that_the_key_did_not_sign_are_not_signed_later(lake: Path) -> None:
    write_lines(lake, SIGNOFF)
    assert "no key of the log signed entries 11 to 11" in refused(lake)


def test_a_history_without_its_checkpoints_is_not_signed_again(lake: Path) -> None:
    path = lake / "evidence/log.ndjson"
    path.write_bytes(path.read_bytes().replace(b"A. Auditor", b"B. Auditor"))
    shutil.rmtree(lake / "evidence/checkpoints")
    assert "does not continue the checkpoint of 10 entries" in refused(lake)
    pins.head_path(lake).unlink()
    assert "no key of the log signed entries 1 to 10" in refused(lake)


def test_a_lake_taken_back_to_an_earlier_state_is_not_continued(lake: Path, tmp_path: Path) -> None:
    shutil.copytree(lake, tmp_path / "before")
    goes_on(lake)
    shutil.rmtree(lake)
    shutil.copytree(tmp_path / "before", lake)
    assert "the newest 3 were removed" in refused(lake)


def test_another_log_of_the_same_key_does_not_pass_for_this_one(lake: Path, tmp_path: Path) -> None:
    other = small_lake.make(tmp_path / "other")
    shutil.rmtree(lake / "evidence")
    shutil.copytree(other / "evidence", lake / "evidence")
    assert "it is the log audit21/" in refused(lake)


@pytest.mark.parametrize("name", [None, "audit21/{}-0123456789abcdef\n", "audit22/{}\n", "\xff"])
def test_a_log_under_another_name_is_not_continued(lake: Path, name: str | None) -> None:
    key_id, path = keys.keyring(lake).current.key_id, lake / "evidence/name.txt"
    path.unlink()
    if name is not None:
        path.write_text(name.format(key_id))
    assert verify(lake).differences != []
    with pytest.raises(EvidenceError):
        keys.announce(EvidenceLog(lake / "evidence"), keys.keyring(lake))
    pins.head_path(lake).unlink()
    with pytest.raises(EvidenceError):
        keys.announce(EvidenceLog(lake / "evidence"), keys.keyring(lake))


def test_a_log_that_begins_with_a_foreign_key_is_not_continued(
    lake: Path, tmp_path: Path, key_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "elsewhere" / "key.pem"))
    forged = small_lake.make(tmp_path / "forged")
    monkeypatch.setenv("AUDIT21_KEY", str(key_path))
    shutil.rmtree(lake / "evidence")
    shutil.copytree(forged / "evidence", lake / "evidence")
    assert "no pin of the log" in refused(lake)


def test_a_key_under_anothers_name_is_refused(lake: Path) -> None:
    ring = keys.keyring(lake)
    stranger = Signer(Ed25519PrivateKey.generate())
    public = base64.b64encode(stranger.public).decode()
    owner = ring.current.key_id
    write_lines(lake, {"kind": "key", "key_id": owner, "public": public, "previous": owner}, SIGNOFF)
    sign_all(lake, stranger)
    assert f"found the key {stranger.key_id} under the name {owner}" in refused(lake)


def test_the_pin_is_made_by_the_first_run_and_checked(lake: Path, tmp_path: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    path = pins.path_of(checkpoint.origin(log))
    assert pins.read(path).keys == (keys.keyring(lake).current.public,)
    assert pins.fingerprint(keys.keyring(lake).current.public) in path.read_text()
    other = small_lake.make(tmp_path / "other")
    report = verify(other, trust=Trust(pin=path))
    assert report.first is not None and path.name in report.first.expected


def test_without_the_pin_the_holder_of_the_first_key_goes_on(lake: Path) -> None:
    path = pins.path_of(checkpoint.origin(EvidenceLog(lake / "evidence")))
    path.unlink()
    goes_on(lake)
    assert path.exists()


def test_without_the_pin_nobody_else_goes_on(lake: Path, key_path: Path) -> None:
    key_path.rename(key_path.with_name("signing-key.previous.pem"))
    goes_on(lake)
    key_path.with_name("signing-key.previous.pem").unlink()
    log = EvidenceLog(lake / "evidence")
    pinned = pins.path_of(checkpoint.origin(log))
    assert len(pins.read(pinned).keys) == 2
    pinned.unlink()
    assert f"then run audit21 keys pin {lake}" in refused(lake)
    handover.pin_first(log)
    assert len(pins.read(pinned).keys) == 2
    goes_on(lake, "2026-01-09", 4)


def test_a_pin_inside_the_lake_is_refused(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT21_PIN", str(lake / "evidence" / "pin"))
    with pytest.raises(EvidenceError, match="lies inside the lake"):
        keys.announce(EvidenceLog(lake / "evidence"), keys.keyring(lake))


def test_a_run_killed_after_an_entry_is_continued(lake: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    log.append({**SIGNOFF, "note": "genuine"})
    assert ahead.read(log.folder, checkpoint.origin(log)) is not None
    report = verify(lake)
    assert (report.differences, len(report.unfinished)) == ([], 1) and "the next run" in report.unfinished[0]
    goes_on(lake)
    assert not (lake / "evidence/next.txt").exists()


def test_a_run_killed_before_an_entry_is_continued(lake: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    ahead.sign(log, canonical(SIGNOFF) + b"\n", bytes(32))
    assert verify(lake).differences == []
    goes_on(lake)


def test_the_note_on_the_next_entry_is_no_checkpoint(lake: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    log.append({**SIGNOFF, "note": "genuine"})
    note = checkpoint.parse((lake / "evidence/next.txt").read_bytes())
    assert note.origin == checkpoint.origin(log) + "/next"
    path_of(log.folder, log.size).write_bytes(note.note)
    assert any("a checkpoint of" in each.expected for each in verify(lake).differences)


def test_a_run_killed_in_the_midst_of_a_handover_is_continued(lake: Path, key_path: Path) -> None:
    key_path.rename(key_path.with_name("signing-key.previous.pem"))
    keys.announce(EvidenceLog(lake / "evidence"), keys.keyring(lake))
    goes_on(lake)
    assert [each.state for each in handover.handovers(EvidenceLog(lake / "evidence"), None)] == [handover.SIGNED]


def test_a_new_lake_at_the_same_place_begins_a_new_log(lake: Path) -> None:
    before = checkpoint.origin(EvidenceLog(lake / "evidence"))
    shutil.rmtree(lake)
    small_lake.make(lake)
    assert checkpoint.origin(EvidenceLog(lake / "evidence")) != before
    assert verify(lake).differences == []
    kept = [path for path in pins.head_path(lake).parent.iterdir() if path != pins.head_path(lake)]
    assert [checkpoint.parse(path.read_bytes()).origin for path in kept] == [before]


def test_a_lake_of_before_this_rule_goes_on(lake: Path) -> None:
    """Its log has no name of its own, and nothing is kept outside the lake."""
    shutil.rmtree(lake / "evidence")
    log, ring = EvidenceLog(lake / "evidence"), keys.keyring(lake)
    public = base64.b64encode(ring.current.public).decode()
    log.append({"kind": "key", "key_id": ring.current.key_id, "public": public, "previous": None})
    (lake / "evidence/keys").mkdir()
    (lake / f"evidence/keys/{ring.current.key_id}.pem").write_bytes(keys.public_pem(ring.current.public))
    pins.head_path(lake).unlink()
    checkpoint.issue(log, ring, datetime(2026, 1, 7, tzinfo=UTC).date(), small_lake.TIME)
    assert checkpoint.origin(log) == f"audit21/{ring.current.key_id}"
    keys.announce(log, ring)
    assert handover.pin_of(log) is not None


def test_a_key_that_is_not_pinned_here_is_named(lake: Path) -> None:
    public = keys.keyring(lake).current.public
    pins.path_of(checkpoint.origin(EvidenceLog(lake / "evidence"))).unlink()
    report = verify(lake)
    assert report.differences == [] and pins.fingerprint(public) in report.notes[0]
