"""Contents of a landing zone, and their custody."""

import hashlib
import json
import os
from datetime import date
from pathlib import Path

import pytest

from pipelines.custody.landing import LandingError, look, source_of
from pipelines.custody.store import CustodyStore
from warehouse.evidence.merkle import check_inclusion, inclusion_path, leaf_hash, line_hashes
from warehouse.lake import LakeError

DAY = date(2026, 1, 5)
FOLDER = "2026-01-05/P21-01"


@pytest.fixture
def zone(tmp_path: Path) -> Path:
    root = tmp_path / "zone"
    (root / FOLDER).mkdir(parents=True)
    (root / "floor.toml").write_text("[property]\n")
    (root / FOLDER / "terminal.ndjson").write_bytes(b'{"a":1}\n{"b":2}\nhalf')
    return root


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("terminal.ndjson", "terminal"),
        ("terminal-2.ndjson.gz", "terminal"),
        ("shoe.ndjson.zst", "shoe"),
        ("camera.parquet", "camera"),
        ("terminal~2.ndjson", "terminal"),
        ("footage-north.json", "sidecar"),
        ("footage.mp4", "footage"),
        ("notes.txt", None),
        ("terminal.ndjson.part", None),
    ],
)
def test_a_name_tells_the_source(name: str, source: str | None) -> None:
    assert source_of(name) == source


def test_what_has_no_place_is_named_and_left_alone(zone: Path) -> None:
    (zone / "2026-13-01").mkdir()
    (zone / FOLDER / "notes.txt").write_text("hello")
    (zone / FOLDER / ".terminal-2.ndjson").write_text("unfinished")
    (zone / "2026-01-05" / "stray").write_text("")
    landing = look(zone)
    assert [file.path for file in landing.files] == [f"{FOLDER}/terminal.ndjson"]
    assert landing.ignored == ["2026-01-05/P21-01/notes.txt", "2026-01-05/stray", "2026-13-01"]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that only its owner may read, beside the landing zone."""
    path = tmp_path / "elsewhere" / "shoe.ndjson"
    path.parent.mkdir()
    path.write_bytes(b"secret\n")
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("link", [f"{FOLDER}/shoe.ndjson", "2026-01-05/P21-02", "2026-01-06", f"{FOLDER}/footage.mp4"])
def test_links_out_of_the_zone_are_named_and_left_alone(zone: Path, secret: Path, tmp_path: Path, link: str) -> None:
    (secret.parent / "P21-01").mkdir()
    (zone / link).symlink_to(secret if "." in link else secret.parent)
    landing = look(zone)
    assert [file.path for file in landing.files] == [f"{FOLDER}/terminal.ndjson"]
    assert (landing.outside, landing.ignored) == ([link], [])
    CustodyStore(tmp_path / "lake").take(landing, DAY)
    assert not any(b"secret" in path.read_bytes() for path in (tmp_path / "lake" / "raw").iterdir())


def test_a_link_within_the_zone_is_followed_and_so_is_the_zone_itself(zone: Path, tmp_path: Path) -> None:
    (zone / FOLDER / "shoe.ndjson").symlink_to("terminal.ndjson")
    (tmp_path / "linked").symlink_to(zone)
    landing = look(tmp_path / "linked")
    assert [file.path for file in landing.files] == [f"{FOLDER}/shoe.ndjson", f"{FOLDER}/terminal.ndjson"]
    assert CustodyStore(tmp_path / "lake").take(landing, DAY).files == 2


def test_a_floor_that_is_a_link_out_of_the_zone_is_refused(zone: Path, secret: Path) -> None:
    (zone / "floor.toml").unlink()
    (zone / "floor.toml").symlink_to(secret)
    with pytest.raises(LandingError, match=r"floor\.toml: a link out of the landing zone"):
        look(zone)


@pytest.mark.parametrize("swap", ["link", "linked folder", "pipe"])
def test_what_is_put_in_a_file_s_place_after_the_look_is_not_read(
    zone: Path, secret: Path, tmp_path: Path, swap: str
) -> None:
    path = zone / FOLDER / "shoe.ndjson"
    path.write_bytes(b"{}\n")
    landing = look(zone)
    if swap == "linked folder":
        path.parent.rename(tmp_path / "moved")
        path.parent.symlink_to(secret.parent)
    else:
        path.unlink()
        path.symlink_to(secret) if swap == "link" else os.mkfifo(path)
    taken = CustodyStore(tmp_path / "lake").take(landing, DAY)
    why = "not a regular file" if swap == "pipe" else "a link out of the landing zone"
    assert f"{FOLDER}/shoe.ndjson: {why}" in taken.unreadable
    assert not any(b"secret" in path.read_bytes() for path in (tmp_path / "lake" / "raw").iterdir())


def test_no_landing_zone_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(LandingError, match=r"nowhere: no such landing zone"):
        look(tmp_path / "nowhere")
    with pytest.raises(LandingError, match=r"floor\.toml: no such file"):
        look(tmp_path)


def test_bytes_are_kept_as_they_came_and_every_line_can_be_proved(zone: Path, tmp_path: Path) -> None:
    custody = CustodyStore(tmp_path / "lake")
    taken = custody.take(look(zone), DAY)
    data = (zone / FOLDER / "terminal.ndjson").read_bytes()
    (record,) = taken.records
    assert record.sha256 == hashlib.sha256(data).hexdigest()
    assert custody.raw(record.sha256).read_bytes() == data
    assert (record.table, record.source, record.bytes, record.lines) == ("P21-01", "terminal", len(data), 3)
    assert record.line_root is not None
    leaf = leaf_hash(b'{"b":2}')
    assert check_inclusion(leaf, 1, 3, inclusion_path(line_hashes(data), 1), bytes.fromhex(record.line_root))


def test_a_second_look_takes_nothing_and_a_late_file_only_itself(zone: Path, tmp_path: Path) -> None:
    CustodyStore(tmp_path / "lake").take(look(zone), DAY)
    again = CustodyStore(tmp_path / "lake")
    assert again.take(look(zone), DAY).new == ()
    assert again.log.size == 1
    (zone / FOLDER / "shoe.ndjson").write_bytes(b"{}\n")
    late = again.take(look(zone), DAY)
    assert [record.path for record in late.new] == [f"{FOLDER}/shoe.ndjson"]
    assert late.files == 2


def test_a_file_that_changes_is_taken_once_more_under_a_number(zone: Path, tmp_path: Path) -> None:
    custody = CustodyStore(tmp_path / "lake")
    custody.take(look(zone), DAY)
    path = zone / FOLDER / "terminal.ndjson"
    path.write_bytes(b'{"a":1}\n{"b":3}\n')
    os.utime(path, ns=(1, 1))
    taken = custody.take(look(zone), DAY)
    assert [record.path for record in taken.records] == [f"{FOLDER}/terminal.ndjson", f"{FOLDER}/terminal~2.ndjson"]
    assert taken.records[1].source == "terminal"
    assert CustodyStore(tmp_path / "lake").take(look(zone), DAY).new == ()


def test_footage_is_known_by_its_hash_unless_a_copy_is_asked_for(zone: Path, tmp_path: Path) -> None:
    (zone / FOLDER / "footage.mp4").write_bytes(b"frames")
    taken = CustodyStore(tmp_path / "a").take(look(zone), DAY)
    film = next(record for record in taken.records if record.source == "footage")
    assert not film.kept and film.lines is None
    assert not (tmp_path / "a" / "raw" / film.sha256).exists()
    CustodyStore(tmp_path / "b", copy_footage=True).take(look(zone), DAY)
    assert (tmp_path / "b" / "raw" / film.sha256).read_bytes() == b"frames"


def test_a_file_that_cannot_be_read_is_named_and_tried_again(zone: Path, tmp_path: Path) -> None:
    gone = zone / FOLDER / "shoe.ndjson"
    gone.write_bytes(b"{}\n")
    landing = look(zone)
    gone.unlink()
    custody = CustodyStore(tmp_path / "lake")
    taken = custody.take(landing, DAY)
    assert taken.unreadable == (f"{FOLDER}/shoe.ndjson: No such file or directory",)
    gone.write_bytes(b"{}\n")
    assert [record.path for record in custody.take(look(zone), DAY).new] == [f"{FOLDER}/shoe.ndjson"]


def test_what_a_killed_run_left_is_removed(zone: Path, tmp_path: Path) -> None:
    (tmp_path / "lake" / "raw").mkdir(parents=True)
    (tmp_path / "lake" / "raw" / ".77-123").write_bytes(b"half")
    CustodyStore(tmp_path / "lake").take(look(zone), DAY)
    assert not list((tmp_path / "lake" / "raw").glob(".*"))


def test_a_day_copied_ahead_is_in_custody_once_it_is_taken(zone: Path, tmp_path: Path) -> None:
    landing = look(zone)
    custody, plain = CustodyStore(tmp_path / "lake"), CustodyStore(tmp_path / "plain")
    (custody.lake / "raw").mkdir(parents=True)
    custody.copy_ahead(landing, DAY)
    assert not custody.records(DAY) and not custody.log.size
    assert custody.take(landing, DAY).new == plain.take(landing, DAY).new
    assert [path.name for path in sorted((custody.lake / "raw").iterdir())] == sorted(
        path.name for path in (plain.lake / "raw").iterdir()
    )


def test_what_could_not_be_copied_ahead_is_copied_when_it_is_taken(zone: Path, tmp_path: Path) -> None:
    landing, custody = look(zone), CustodyStore(tmp_path / "lake")
    custody.copy_ahead(landing, DAY)  # the lake has no folder for it yet
    assert [record.path for record in custody.take(landing, DAY).new] == [f"{FOLDER}/terminal.ndjson"]


def test_a_forged_list_of_files_seen_hides_no_file(zone: Path, tmp_path: Path) -> None:
    (file,) = look(zone).files
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / ".seen.json").write_text(json.dumps({file.path: [file.bytes, file.mtime_ns]}))
    custody = CustodyStore(tmp_path / "lake")
    assert custody.unseen(look(zone), DAY) == [file]
    custody.take(look(zone), DAY)
    assert custody.unseen(look(zone), DAY) == []


def test_what_was_changed_in_custody_is_not_audited(zone: Path, tmp_path: Path) -> None:
    custody = CustodyStore(tmp_path / "lake")
    (taken,) = custody.take(look(zone), DAY).new
    path = custody.raw(taken.sha256)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b"1", b"2"))
    with pytest.raises(LakeError, match=r"terminal\.ndjson\): found bytes with the hash .*; restore the file"):
        CustodyStore(tmp_path / "lake").check(DAY)
    path.unlink()
    with pytest.raises(LakeError, match="cannot be read: No such file"):
        CustodyStore(tmp_path / "lake").check(DAY)
