"""A witness cosigns what continues what it has seen, and nothing else."""

import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.warehouse.evidence import small_lake
from warehouse.evidence import checkpoint, cosign, keys, merkle, vkeys, witness
from warehouse.evidence.checkpoint import Checkpoint
from warehouse.evidence.files import write_whole
from warehouse.evidence.keys import Keyring, Signer
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.vkeys import VerifierKey
from warehouse.evidence.witness import Refused, Witness

NOW = datetime(2026, 1, 8, 8, tzinfo=UTC)
SIGNER = Signer(Ed25519PrivateKey.generate())


def opened(tmp_path: Path) -> Witness:
    return Witness(tmp_path / "witness", SIGNER, "regulator.example/w1", lambda: NOW)


@pytest.fixture
def seen(lake: Path, tmp_path: Path) -> Witness:
    """A witness that knows the lake's log and has cosigned its first four entries."""
    log = EvidenceLog(lake / "evidence")
    found = opened(tmp_path)
    found.trust([VerifierKey(checkpoint.origin(log), vkeys.LOG, keys.keyring(lake).current.public)])
    found.add(0, [], note(lake, 4))
    return found


def note(lake: Path, size: int) -> bytes:
    return (lake / f"evidence/checkpoints/{size:010}.txt").read_bytes()


def forged(lake: Path, size: int, root: bytes = bytes(32), ring: Keyring | None = None) -> bytes:
    """Whatever the property's own key signs."""
    ring = ring or keys.keyring(lake)
    unsigned = Checkpoint(checkpoint.origin(EvidenceLog(lake / "evidence")), size, root, ())
    return checkpoint.signed(unsigned, [ring.current]).note


def refusal(found: Witness, old: int, proof: list[bytes], text: bytes) -> Refused:
    with pytest.raises(Refused) as error:
        found.add(old, proof, text)
    return error.value


def test_what_continues_is_cosigned_and_kept(lake: Path, seen: Witness, tmp_path: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    line = seen.add(4, log.consistency(4, 10), note(lake, 10))
    latest = opened(tmp_path).latest(checkpoint.origin(log))  # as after a restart
    assert latest is not None and latest.size == 10 and line in latest.signatures
    assert cosign.cosigned(latest, [seen.key])[0] == {seen.key: int(NOW.timestamp())}
    assert checkpoint.check(latest, [keys.keyring(lake).current.public])[0]
    again = opened(tmp_path).add(10, [], note(lake, 10))
    assert again == line


def test_a_rollback_is_refused(lake: Path, seen: Witness) -> None:
    seen.add(4, EvidenceLog(lake / "evidence").consistency(4, 10), note(lake, 10))
    wrong = refusal(seen, 7, [], note(lake, 7))
    assert (wrong.status, wrong.size) == (409, 10) and "entries were removed" in str(wrong)
    assert refusal(seen, 10, [], note(lake, 7)).status == 400
    assert seen.forks(checkpoint.origin(EvidenceLog(lake / "evidence"))) == []


def test_another_root_of_the_same_size_is_a_fork_and_kept(lake: Path, seen: Witness) -> None:
    contradicting = forged(lake, 4)
    wrong = refusal(seen, 4, [], contradicting)
    assert wrong.status == 422 and str(wrong).startswith("FORK of audit21/")
    (where,) = seen.forks(checkpoint.parse(contradicting).origin)
    both = [checkpoint.parse((where / name).read_bytes()) for name in ("cosigned.txt", "contradicting.txt")]
    owner = keys.keyring(lake).current.public
    assert both[0].size == both[1].size and both[0].root != both[1].root
    assert all(checkpoint.check(each, [owner])[0] == [owner] for each in both)
    seen.add(4, EvidenceLog(lake / "evidence").consistency(4, 10), note(lake, 10))  # the log that it knows goes on


def test_a_fork_of_an_earlier_size_is_kept_too(lake: Path, seen: Witness) -> None:
    seen.add(4, EvidenceLog(lake / "evidence").consistency(4, 10), note(lake, 10))
    wrong = refusal(seen, 4, [], forged(lake, 4))
    assert (wrong.status, wrong.size) == (409, 10) and "FORK" in str(wrong)


def test_a_history_written_anew_is_not_cosigned(lake: Path, seen: Witness, tmp_path: Path) -> None:
    other = EvidenceLog(lake / "evidence")
    leaves = [merkle.leaf_hash(b"%d" % at) for at in range(10)]
    text = forged(lake, 10, merkle.root(leaves))
    assert refusal(seen, 4, merkle.consistency_path(leaves, 4), text).status == 422
    with pytest.raises(Refused, match="FORK"):
        seen.add_with_hashes(text, b"".join(leaves))
    (where,) = seen.forks(checkpoint.origin(other))
    assert merkle.root(merkle.hashes((where / "contradicting.hashes").read_bytes())) == merkle.root(leaves)
    latest = seen.latest(checkpoint.origin(other))
    assert latest is not None and latest.size == 4


def test_stale_missing_and_surplus_proofs_are_refused(lake: Path, seen: Witness) -> None:
    log = EvidenceLog(lake / "evidence")
    good = log.consistency(4, 10)
    for proof in ([], good[:-1], [*good, bytes(32)], log.consistency(4, 7), [bytes(32)] * len(good)):
        assert refusal(seen, 4, proof, note(lake, 10)).status == 422
    assert (refusal(seen, 0, [], note(lake, 10)).status, refusal(seen, 7, good, note(lake, 10)).status) == (409, 409)
    assert refusal(seen, 4, good, note(lake, 4)).status == 422


def test_a_first_checkpoint_needs_no_proof(lake: Path, tmp_path: Path) -> None:
    found = opened(tmp_path)
    found.trust([VerifierKey(checkpoint.parse(note(lake, 7)).origin, vkeys.LOG, keys.keyring(lake).current.public)])
    assert refusal(found, 0, [bytes(32)], note(lake, 7)).status == 422
    assert refusal(found, 4, [], note(lake, 7)).status == 409
    assert refusal(found, 0, [], forged(lake, 0)).status == 422
    found.add(0, [], note(lake, 7))


def test_only_known_logs_and_keys_are_cosigned(lake: Path, seen: Witness, tmp_path: Path) -> None:
    stranger = Keyring(Signer(Ed25519PrivateKey.generate()), None)
    assert refusal(seen, 4, [], forged(lake, 4, ring=stranger)).status == 403
    unknown = small_lake.make(tmp_path / "unknown")
    assert refusal(seen, 0, [], note(unknown, 4)).status == 404
    text = note(lake, 10)
    last = checkpoint.parse(text)
    broken = replace(last, signatures=(last.signatures[0]._replace(signature=bytes(64)), *last.signatures)).note
    assert refusal(seen, 4, [], broken).status == 403
    for bad in (b"", b"\n", b"what\n", text[:-1], text + b"\n", text.replace(b"10\n", b"010\n", 1), b"\xff" * 100):
        assert refusal(seen, 4, [], bad).status == 400


def test_signatures_of_strangers_beside_the_logs_own_are_ignored(lake: Path, seen: Witness) -> None:
    log, found = EvidenceLog(lake / "evidence"), checkpoint.parse(note(lake, 10))
    other = cosign.cosign(Signer(Ed25519PrivateKey.generate()), "somebody.example", found, 1)
    seen.add(4, log.consistency(4, 10), replace(found, signatures=(other, *found.signatures)).note)
    latest = seen.latest(found.origin)
    assert latest is not None and other not in latest.signatures


def test_a_key_that_took_over_is_cosigned_once_it_is_trusted(lake: Path, seen: Witness, key_path: Path) -> None:
    seen.add(4, EvidenceLog(lake / "evidence").consistency(4, 10), note(lake, 10))
    key_path.rename(key_path.with_name("signing-key.previous.pem"))
    small_lake.add_day(lake, "2026-01-08", 3)
    small_lake.add_day(lake, "2026-01-09", 4)
    log = EvidenceLog(lake / "evidence")
    seen.add(10, log.consistency(10, 14), note(lake, 14))  # both keys signed it
    assert refusal(seen, 14, log.consistency(14, 17), note(lake, 17)).status == 403
    seen.trust([VerifierKey(checkpoint.origin(log), vkeys.LOG, keys.keyring(lake).current.public)])
    seen.add(14, log.consistency(14, 17), note(lake, 17))
    assert len(seen.logs()[checkpoint.origin(log)]) == 2


@pytest.mark.parametrize("killed_at", [0, 1])
def test_killed_before_an_answer_it_goes_on_from_what_is_on_the_disk(
    lake: Path, seen: Witness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed_at: int
) -> None:
    """No cosignature leaves before it is on the disk; the same request can be made again."""
    log = EvidenceLog(lake / "evidence")
    written: list[Path] = []

    def killed(path: Path, content: bytes) -> None:
        if len(written) == killed_at:
            raise KeyboardInterrupt
        written.append(path)
        write_whole(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(witness, "write_whole", killed)
        with pytest.raises(KeyboardInterrupt):
            seen.add(4, log.consistency(4, 10), note(lake, 10))
    after = opened(tmp_path)
    latest = after.latest(checkpoint.origin(log))
    assert latest is not None and latest.size == 4
    after.add(4, log.consistency(4, 10), note(lake, 10))


def test_hashes_of_all_entries_stand_for_a_proof(lake: Path, seen: Witness) -> None:
    log = EvidenceLog(lake / "evidence")
    with pytest.raises(Refused, match="do not give the signed root"):
        seen.add_with_hashes(note(lake, 10), log.leaf_hashes(10)[:-1])
    with pytest.raises(Refused, match="do not give the signed root"):
        seen.add_with_hashes(note(lake, 10), bytes(320))
    seen.add_with_hashes(note(lake, 10), log.leaf_hashes(10) + b"a later entry")
    with pytest.raises(Refused, match="entries were removed"):
        seen.add_with_hashes(note(lake, 7), log.leaf_hashes(7))


def test_two_witnesses_on_one_folder_do_not_take_it_back(lake: Path, seen: Witness, tmp_path: Path) -> None:
    log, other = EvidenceLog(lake / "evidence"), opened(tmp_path)
    seen.add(4, log.consistency(4, 10), note(lake, 10))
    assert refusal(other, 4, log.consistency(4, 7), note(lake, 7)).status == 409
    shutil.rmtree(tmp_path / "witness")
    assert refusal(other, 0, [], note(lake, 10)).status == 404


def test_no_file_is_written_through_a_link_in_a_shared_folder(tmp_path: Path) -> None:
    (tmp_path / "private").write_text("kept")
    (tmp_path / f".answer.txt.{os.getpid()}").symlink_to(tmp_path / "private")
    (tmp_path / "answer.txt").symlink_to(tmp_path / "private")
    write_whole(tmp_path / "answer.txt", b"new")
    assert (tmp_path / "private").read_text() == "kept"
    assert (tmp_path / "answer.txt").read_bytes() == b"new"
