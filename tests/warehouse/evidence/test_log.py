"""The log: what is appended stays, in canonical form, through kills; and its proofs hold."""

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tests.some import some
from tests.warehouse.evidence.trees import line_tree
from warehouse.evidence import merkle
from warehouse.evidence.entries import EvidenceError, canonical, problem
from warehouse.evidence.log import EvidenceLog


def signoff(number: int) -> dict[str, Any]:
    about = {"gaming_day": f"2026-01-{number + 1:02}", "snapshot": number, "by": "Zoë", "note": ""}
    return {"kind": "signoff", "at": f"2026-01-{number + 1:02}T07:00:00.000Z", **about}


def filled(folder: Path, count: int) -> EvidenceLog:
    log = EvidenceLog(folder)
    assert [log.append(signoff(i)) for i in range(count)] == list(range(count))
    return log


def test_entries_come_back_in_canonical_form(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    assert [entry for _, entry in EvidenceLog(tmp_path).entries()] == [signoff(i) for i in range(3)]
    first = (tmp_path / "log.ndjson").read_bytes().split(b"\n")[0]
    when = rb'{"at":"2026-01-01T07:00:00.000Z","by":"Zo\u00eb","gaming_day":"2026-01-01",'
    assert first == when + rb'"kind":"signoff","note":"","snapshot":0}'


def test_root_is_that_of_the_files_lines_as_it_grows(tmp_path: Path) -> None:
    log = EvidenceLog(tmp_path)
    assert log.root() == hashlib.sha256(b"").digest()
    for i in range(9):
        log.append(signoff(i))
        assert (log.size, log.root()) == line_tree((tmp_path / "log.ndjson").read_bytes())
    again = EvidenceLog(tmp_path)
    assert [again.root(size) for size in range(10)] == [log.root(size) for size in range(10)]


def test_proofs_of_the_log(tmp_path: Path) -> None:
    log = filled(tmp_path, 7)
    leaf = merkle.leaf_hash(canonical(signoff(4)))
    assert merkle.check_inclusion(leaf, 4, 6, log.inclusion(4, 6), log.root(6))
    assert merkle.check_consistency(3, log.root(3), 7, log.root(), log.consistency(3))
    with pytest.raises(ValueError, match="found a size of 8, expected 0 to 7"):
        log.root(8)


def test_an_unfinished_line_is_no_entry_and_is_cut_off_before_the_next(tmp_path: Path) -> None:
    filled(tmp_path, 2)
    path = tmp_path / "log.ndjson"
    whole = path.read_bytes()
    for length in some(range(1, len(canonical(signoff(2))), 20)):
        path.write_bytes(whole + canonical(signoff(2))[:length])
        log = EvidenceLog(tmp_path)
        assert log.size == 2
        assert path.stat().st_size == len(whole) + length
        log.append(signoff(2))
        assert path.read_bytes() == whole + canonical(signoff(2)) + b"\n"
        path.write_bytes(whole)


def test_a_log_that_grew_meanwhile_is_read_on_before_the_next_entry(tmp_path: Path) -> None:
    log = filled(tmp_path, 1)
    EvidenceLog(tmp_path).append(signoff(1))
    assert log.append(signoff(2)) == 2
    assert [entry["snapshot"] for _, entry in EvidenceLog(tmp_path).entries()] == [0, 1, 2]  # type: ignore[typeddict-item]
    assert log.root() == EvidenceLog(tmp_path).root()


def test_a_log_that_shrank_meanwhile_is_not_written(tmp_path: Path) -> None:
    log = filled(tmp_path, 2)
    log.path.write_bytes(log.path.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(EvidenceError, match="was changed meanwhile"):
        log.append(signoff(2))


def test_a_last_line_that_was_signed_is_never_taken_for_an_unfinished_one(lake: Path) -> None:
    path = lake / "evidence" / "log.ndjson"
    changed = path.read_bytes()[:-1] + b"\x0b"
    path.write_bytes(changed)
    with pytest.raises(EvidenceError, match="has 9 whole entries, but a checkpoint of 10 was signed"):
        EvidenceLog(lake / "evidence").append(signoff(3))
    assert path.read_bytes() == changed


def test_a_torn_write_by_the_same_writer_is_mended(tmp_path: Path) -> None:
    log = filled(tmp_path, 1)
    with log.path.open("ab") as file:
        file.write(b'{"by":')
    log.append(signoff(1))
    assert [index for index, _ in EvidenceLog(tmp_path).entries()] == [0, 1]


def test_a_line_that_is_nested_too_deep_is_named(tmp_path: Path) -> None:
    filled(tmp_path, 2)
    with (tmp_path / "log.ndjson").open("ab") as file:
        file.write(b'{"kind":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")
    with pytest.raises(EvidenceError, match=r"line 3: .*run audit21 verify"):
        list(EvidenceLog(tmp_path).entries())


def test_entries_of_one_kind_and_day(lake: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    assert [index for index, _ in log.entries("custody")] == [1, 4, 7]
    assert [index for index, _ in log.entries(gaming_day="2026-01-06")] == [4, 5, 6]
    assert [index for index, _ in log.entries("published", "2026-01-07")] == [8]


def test_files_in_custody_know_their_entry_and_the_chain(lake: Path) -> None:
    log = EvidenceLog(lake / "evidence")
    held = log.held("2026-01-06")
    assert sorted(held) == ["2026-01-06/P21-01/shoe.ndjson.gz", "2026-01-06/P21-01/terminal.ndjson"]
    terminal = held["2026-01-06/P21-01/terminal.ndjson"]
    assert (terminal.log_index, terminal.chain) == (4, log.root(5).hex())
    raw = (lake / "raw" / terminal.record["sha256"]).read_bytes()
    assert (terminal.record["lines"], terminal.record["line_root"]) == (20, line_tree(raw).root.hex())


RECORD = {"path": "2026-01-05/T/a.ndjson", "sha256": "0" * 64, "bytes": 1, "lines": 1, "line_root": "1" * 64}
FLOOR = {**RECORD, "path": "floor.toml"}
CUSTODY = {"kind": "custody", "gaming_day": "2026-01-05", "floor": FLOOR, "files": [RECORD]}


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ([], "kind: found None"),
        ({"kind": ["key"]}, "kind: found"),
        ({"kind": "other"}, "found 'other', expected one of custody, published, signoff, packet,"),
        ({**signoff(0), "snapshot": "1"}, "snapshot: found '1', expected a whole number"),
        ({**signoff(0), "snapshot": True}, "snapshot: found True"),
        ({**signoff(0), "more": 1}, "found fields at, by, gaming_day, kind, more"),
        ({**signoff(0), "gaming_day": "2026-1-5"}, "gaming_day: found '2026-1-5', expected a day"),
        ({**CUSTODY, "gaming_day": "2026-01-06"}, "expected paths below 2026-01-06/"),
        ({**CUSTODY, "files": [RECORD, RECORD]}, "out of order or twice"),
        ({**CUSTODY, "files": [{**RECORD, "sha256": "0"}]}, "files: sha256: found '0', expected 64 hexadecimal"),
        ({**CUSTODY, "files": [{**RECORD, "kept": 0}]}, "kept: found 0, expected true or false"),
    ],
)
def test_what_is_no_entry(tmp_path: Path, entry: Any, wrong: str) -> None:
    assert wrong in str(problem(entry))
    with pytest.raises(EvidenceError, match="no entry for the log"):
        EvidenceLog(tmp_path).append(entry)
    assert not (tmp_path / "log.ndjson").exists()


def test_file_names_that_are_not_utf8_survive(tmp_path: Path) -> None:
    odd = {**CUSTODY, "files": [{**RECORD, "path": "2026-01-05/T/\udcff.ndjson"}]}
    EvidenceLog(tmp_path).append(odd)
    assert list(EvidenceLog(tmp_path).entries()) == [(0, odd)]


def test_a_lake_of_an_older_audit21_is_told_apart() -> None:
    old = {
        "kind": "published",
        "gaming_day": "2026-01-05",
        "snapshot": 1,
        "inputs": "",
        "reason": "",
        "restates": False,
    }
    assert "made by an older audit21; audit it anew" in str(problem({**old, "parts": {}}))
