"""Verification: an honest lake passes, and whatever is changed in it is found and named."""

import base64
import gzip
import hashlib
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.some import some
from tests.warehouse.evidence import small_lake
from tests.warehouse.evidence.trees import line_tree
from warehouse.evidence import checkpoint, keys, pins
from warehouse.evidence.entries import Custody, FileRecord
from warehouse.evidence.files import fingerprint
from warehouse.evidence.log import EvidenceLog
from warehouse.evidence.merkle import U8
from warehouse.evidence.verify import verify


def log_lines(lake: Path) -> list[bytes]:
    return (lake / "evidence" / "log.ndjson").read_bytes().splitlines(keepends=True)


def write_log(lake: Path, lines: list[bytes]) -> None:
    (lake / "evidence" / "log.ndjson").write_bytes(b"".join(lines))


def places(lake: Path, *kept: Path) -> list[str]:
    return [difference.place for difference in verify(lake, kept).differences]


def keep_newest(lake: Path, elsewhere: Path) -> Path:
    kept = elsewhere / "kept.txt"
    kept.write_bytes((lake / "evidence/checkpoints/0000000010.txt").read_bytes())
    return kept


def drop_newest_day(lake: Path) -> None:
    """Remove the newest day as a careful forger would: its entries, checkpoint, files and parts."""
    write_log(lake, log_lines(lake)[:7])
    (lake / "evidence/checkpoints/0000000010.txt").unlink()
    for content in small_lake.landing_files("2026-01-07").values():
        (lake / "raw" / hashlib.sha256(content).hexdigest()).unlink()


def test_an_honest_lake_passes(lake: Path) -> None:
    seen: list[tuple[int, int]] = []
    report = verify(lake, sorted((lake / "evidence/checkpoints").iterdir()), lambda *at: seen.append(at))
    assert (report.differences, report.notes, report.first) == ([], [], None)
    assert (report.entries, report.checkpoints, report.files, report.parts) == (10, 7, 7, 6)
    assert seen[-1] == (report.bytes, report.bytes)


def test_any_flipped_bit_is_found_and_the_file_named(lake: Path) -> None:
    rng = random.Random(21)
    for path in some(sorted(path for path in lake.rglob("*") if path.is_file())):
        content = path.read_bytes()
        for at in {0, len(content) - 1, *(rng.randrange(len(content)) for _ in range(3))}:
            forged = bytearray(content)
            forged[at] ^= 1 << rng.randrange(8)
            path.write_bytes(bytes(forged))
            first = verify(lake).first
            assert first is not None, f"{path}, byte {at}"
            if path.name != "log.ndjson":
                assert str(path.relative_to(lake)) in first.place, f"{path}, byte {at}: {first}"
            else:
                assert first.place.startswith("evidence/"), f"{path}, byte {at}: {first}"
        path.write_bytes(content)


def test_any_removed_file_is_found_and_named(lake: Path) -> None:
    for path in some(sorted(path for path in lake.rglob("*") if path.is_file())):
        content = path.read_bytes()
        path.unlink()
        first = verify(lake).first
        name = str(path.relative_to(lake))
        if path.parent.name == "checkpoints":  # named by the one after it, or by the log that is left unsigned
            assert first is not None and first.place.startswith(("evidence/checkpoints", "evidence/log.ndjson line 8"))
        else:
            assert first is not None and first.place.startswith(name) and "no such file" in first.found
        path.write_bytes(content)


def test_a_removed_line_of_a_raw_file_is_found(lake: Path) -> None:
    content = small_lake.landing_files("2026-01-06")["2026-01-06/P21-01/terminal.ndjson"]
    path = lake / "raw" / hashlib.sha256(content).hexdigest()
    path.write_bytes(b"".join(content.splitlines(keepends=True)[1:]))
    report = verify(lake)
    wrong = [difference.place.split(", ")[1] for difference in report.differences]
    assert wrong == ["sha256", "bytes", "lines", "line_root"]
    assert "2026-01-06/P21-01/terminal.ndjson" in report.differences[0].place
    assert (report.differences[2].expected, report.differences[2].found) == ("20", "19")


Change = Callable[[list[bytes]], list[bytes]]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda lines: [*lines[:2], *lines[3:]], "0000000004.txt"),
        (lambda lines: [*lines[:4], *lines[7:], *lines[4:7]], "0000000007.txt"),
        (lambda lines: [*lines[:5], lines[6], lines[5], *lines[7:]], "0000000007.txt"),
        (lambda lines: lines[:-1], "0000000010.txt"),
        (lambda lines: [*lines, lines[-1]], "line 11"),
        (lambda lines: [*lines[:4], lines[4].replace(b'"lines":20', b'"lines":21', 1), *lines[5:]], "0000000007.txt"),
    ],
    ids=["entry removed", "days swapped", "entries swapped", "newest removed", "unsigned entry", "number changed"],
)
def test_a_changed_log_is_found(lake: Path, change: Change, where: str) -> None:
    write_log(lake, change(log_lines(lake)))
    assert any(place.endswith(where) for place in places(lake))


def test_the_entries_between_two_checkpoints_are_named(lake: Path) -> None:
    lines = log_lines(lake)
    lines[5] = lines[5].replace(b"first audit", b"other audit")
    write_log(lake, lines)
    first = verify(lake).first
    assert first is not None and "entries 5 to 7 of the log were changed" in first.found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"{}\n", "kind: found None"),
        (b"\xff\n", "no JSON"),
        (
            b'{"at":"2026-01-08T07:00:00.000Z","by":"","gaming_day":"2026-01-05","kind":"signoff","note":"","snapshot":9}\n',
            "sign-off of snapshot 9",
        ),
        (
            b'{"gaming_day":"2026-01-05","at":"2026-01-08T07:00:00.000Z","by":"","kind":"signoff","note":"","snapshot":0}\n',
            "not in canonical form",
        ),
    ],
)
def test_what_is_no_proper_entry_is_named_by_its_line(lake: Path, line: bytes, found: str) -> None:
    write_log(lake, [*log_lines(lake), line])
    first = verify(lake).first
    assert first is not None and first.place == "evidence/log.ndjson line 11" and found in first.found


def test_an_unfinished_entry_is_told_from_a_changed_one(lake: Path) -> None:
    write_log(lake, [*log_lines(lake), b'{"kind'])
    report = verify(lake)
    assert report.differences == []
    assert [each.partition(":")[0] for each in report.unfinished] == ["evidence/log.ndjson line 11"]
    write_log(lake, [*log_lines(lake)[:9], log_lines(lake)[9][:-1]])
    assert places(lake) == ["evidence/checkpoints/0000000010.txt", str(pins.head_path(lake))]


def test_dropping_the_newest_day_is_found_with_a_checkpoint_kept_elsewhere(lake: Path, tmp_path: Path) -> None:
    kept = keep_newest(lake, tmp_path)
    drop_newest_day(lake)
    assert places(lake) == [str(pins.head_path(lake))]
    pins.head_path(lake).unlink()
    assert places(lake) == []
    report = verify(lake, [kept])
    assert [difference.place for difference in report.differences] == [str(kept)]
    assert "7: the newest were removed" in report.differences[0].found


def test_a_history_forged_with_the_same_key_is_found_with_a_checkpoint_kept_elsewhere(
    lake: Path, tmp_path: Path
) -> None:
    kept = keep_newest(lake, tmp_path)
    shutil.rmtree(lake)
    for snapshot, day in enumerate(("2026-01-05", "2026-01-07", "2026-01-06")):
        small_lake.add_day(lake, day, snapshot)
    assert places(lake) == []
    first = verify(lake, [kept]).first
    assert first is not None and (first.place, first.expected.split()[0]) == (str(kept), "a")


def test_a_history_forged_with_another_key_is_found_with_a_checkpoint_kept_elsewhere(
    lake: Path, tmp_path: Path, key_path: Path
) -> None:
    kept = keep_newest(lake, tmp_path)
    shutil.rmtree(lake)
    key_path.unlink()
    small_lake.make(lake)
    assert places(lake) == []
    assert "none" in [difference.found for difference in verify(lake, [kept]).differences]


def test_a_checkpoint_signed_by_a_strange_key_is_found(lake: Path, tmp_path: Path, key_path: Path) -> None:
    key_path.unlink()
    stranger = keys.keyring(lake).current
    path = lake / "evidence/checkpoints/0000000010.txt"
    found = checkpoint.parse(path.read_bytes())
    blob = checkpoint.key_hash(found.origin, stranger.public) + stranger.sign(found.body)
    path.write_bytes(found.body + f"\n— {found.origin} {base64.b64encode(blob).decode()}\n".encode())
    assert places(lake) == ["evidence/checkpoints/0000000010.txt"] * 2


def test_what_the_log_does_not_name_is_found(lake: Path) -> None:
    (lake / "raw" / ("0" * 64)).write_bytes(b"planted")
    (lake / "evidence/keys/more.pem").write_bytes(b"planted")
    (lake / "evidence/more").write_bytes(b"planted")
    assert places(lake) == ["evidence/keys/more.pem", "evidence/more", f"raw/{'0' * 64}"]


def test_a_kept_checkpoint_that_is_none_is_named(lake: Path, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("nothing of the kind")
    assert places(lake, tmp_path / "kept.txt", tmp_path / "absent.txt") == [
        str(tmp_path / "kept.txt"),
        str(tmp_path / "absent.txt"),
    ]


def test_a_folder_without_a_log_has_one_difference(tmp_path: Path) -> None:
    assert places(tmp_path) == ["evidence/log.ndjson"]


def test_a_first_run_before_its_first_entry_is_unfinished(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "log.ndjson").write_bytes(b"")
    report = verify(tmp_path)
    assert report.differences == [] and "no entry yet" in report.unfinished[0]
    (tmp_path / "rounds" / "_delta_log").mkdir(parents=True)
    assert places(tmp_path)


def add_custody(lake: Path, record: FileRecord) -> None:
    log = EvidenceLog(lake / "evidence")
    floor = small_lake.take(lake, "floor.toml", small_lake.FLOOR)
    log.append(Custody(kind="custody", gaming_day="2026-01-07", floor=floor, files=[record]))
    checkpoint.issue(log, keys.keyring(lake), small_lake.TIME.date(), small_lake.TIME)


def test_footage_is_checked_where_it_still_is(lake: Path, tmp_path: Path) -> None:
    name = "2026-01-07/P21-01/footage.mp4"
    footage = tmp_path / "landing" / name
    footage.parent.mkdir(parents=True)
    footage.write_bytes(b"frames\n" * 100)
    found = fingerprint(footage, name)
    assert found.lines is None
    record = FileRecord(path=name, sha256=found.sha256, bytes=700, lines=None, line_root=None, kept=False)
    add_custody(lake, record)
    assert verify(lake, landing=tmp_path / "landing").notes == []
    assert verify(lake, landing=tmp_path / "landing").differences == verify(lake).differences == []
    assert verify(lake).notes == [f"1 files are kept outside the lake and were not at hand, the first is {name}"]
    footage.write_bytes(b"framed\n" * 100)
    first = verify(lake, landing=tmp_path / "landing").first
    assert first is not None and first.place == f"{name}, sha256"


def test_lines_of_parquet_are_checked_by_whoever_can_read_it(lake: Path) -> None:
    def text_of(path: Path, name: str) -> U8 | None:
        return np.frombuffer(path.read_bytes().replace(b";", b"\n"), np.uint8) if name.endswith(".parquet") else None

    name, content = "2026-01-07/P21-01/shoe.parquet", b"a;b;c"
    record = small_lake.take(lake, name, content)
    assert record["line_root"] is None
    tree = line_tree(b"a\nb\nc")
    add_custody(lake, {**record, "lines": tree.lines, "line_root": tree.root.hex()})
    report = verify(lake, text_of=text_of)
    assert (report.differences, report.notes) == ([], [])
    report = verify(lake)
    assert report.differences == [] and "its lines were not counted again" in report.notes[0]


def test_fingerprints_of_compressed_files(tmp_path: Path) -> None:
    lines = b"".join(b"line %d\n" % i for i in range(1000))
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(lines))
    found = fingerprint(path, "terminal.ndjson.gz")
    assert (found.lines, found.line_root) == (1000, line_tree(lines).root.hex())
    path.write_bytes(gzip.compress(lines)[:-9])
    assert fingerprint(path, "terminal.ndjson.gz")[1:] == (path.stat().st_size, None, None)
    path.write_bytes(b"")
    assert fingerprint(path, "terminal.ndjson")[1:3] == (0, 0)
