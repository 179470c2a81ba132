"""A day is replaced as a whole and published at one moment, whenever the writer is killed."""

from datetime import timedelta
from itertools import islice
from pathlib import Path

import pytest

from tests.warehouse.lake.days import MONDAY, NOON, TUESDAY, cards, carry, meta, stage
from tests.warehouse.lake.test_stage import full_disk
from warehouse.lake import Lake, LakeError, SnapshotMeta, Staged, delta, publications, snapshots
from warehouse.schemas import DATASETS, SNAPSHOTS

STEPS = len(DATASETS) + 5  # the entry, the tables, two commits, the row of the snapshot


def monday(lake: Lake, number: int = 1) -> Staged:
    return stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", number))), ("cards", cards(MONDAY, "A", "7S", "AD")))


def tuesday(lake: Lake) -> Staged:
    return stage(lake, TUESDAY, ("carry", carry(TUESDAY, ("A", "m", 9))))


def test_every_dataset_is_there_from_the_first_commit_on(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    with pytest.raises(LakeError, match="is no lake"):
        Lake.open(tmp_path)
    assert lake.commit(tuesday(lake), meta()) == 1
    assert {name for name in DATASETS if (tmp_path / name / "_delta_log").is_dir()} == set(DATASETS)
    assert set(Lake.open(tmp_path).snapshot().versions) == set(DATASETS)
    assert lake.read("events").schema == DATASETS["events"].types


def test_a_day_is_replaced_and_the_others_stay(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    lake.commit(monday(lake, 1), meta("a"))
    lake.commit(tuesday(lake), meta("b"))
    assert lake.commit(monday(lake, 2), meta("c", restates=True, reason="late file")) == 3
    assert lake.read("carry")["a"].to_list() == [2, 9]
    assert lake.read("carry", days=[MONDAY])["a"].to_list() == [2]
    state = lake.day_state(MONDAY)
    assert state is not None
    assert (state.snapshot, state.inputs, state.restates, state.reason) == (3, "c", True, "late file")


def test_a_day_without_rows_loses_its_old_ones(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    lake.commit(monday(lake), meta("a"))
    lake.commit(tuesday(lake), meta("b"))
    lake.commit(stage(lake, MONDAY), meta("c"))
    assert lake.read("carry")["gaming_day"].to_list() == [TUESDAY]
    assert lake.read("cards").is_empty()


def test_only_what_changes_gets_a_new_version(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    lake.commit(monday(lake, 1), meta("a"))
    before = lake.snapshot().versions
    lake.commit(monday(lake, 2), meta("b"))
    after = lake.snapshot().versions
    assert {name for name in DATASETS if after[name] != before[name]} == {"carry"}


def test_the_same_again_publishes_nothing(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    assert lake.commit(monday(lake), meta("a")) == 1
    assert lake.commit(tuesday(lake), meta("b")) == 2
    assert lake.commit(monday(lake), meta("a", hours=5, run_id="another")) == 1
    assert lake.commit(monday(lake), meta("other files")) == 3
    assert lake.snapshot().number == 3


def rows(lake: Lake) -> tuple[list[int], list[str]]:
    """Return the values that a reader finds in two datasets."""
    newest = lake.snapshot()
    return lake.read("carry", newest)["a"].to_list(), lake.read("cards", newest)["card"].to_list()


def kill(lake: Lake, staged: Staged, about: SnapshotMeta, done: int) -> None:
    """Do so many steps of a commit and no more."""
    log = publications.log_of(lake.path)
    for step in islice(lake.steps(staged, about, publications.newest(log), log.append), done):
        step()


def test_a_commit_killed_anywhere_is_not_seen_and_ends_the_same_when_repeated(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    lake.commit(monday(lake, 0), meta("0"))
    for done in range(3):  # the entry in the log, a version of carry, the row of the snapshot
        before, staged = rows(lake), monday(lake, done + 1)
        kill(lake, staged, meta(str(done + 1)), done)
        assert rows(lake) == before == ([done], ["7S", "AD"])
        assert lake.commit(staged, meta(str(done + 1), hours=1)) == done + 2
        assert rows(lake) == ([done + 1], ["7S", "AD"])
    kill(lake, monday(lake, 99), meta("99"), 3)
    assert rows(lake) == ([99], ["7S", "AD"])


@pytest.mark.parametrize("done", [0, 1, 2, len(DATASETS), STEPS - 1])
def test_a_killed_lake_equals_an_undisturbed_one_in_the_end(tmp_path: Path, done: int) -> None:
    undisturbed, lake = Lake.create(tmp_path / "undisturbed"), Lake.create(tmp_path / "killed")
    kill(lake, monday(lake), meta("a"), done)
    assert lake.snapshot().number == 0
    assert rows(lake) == ([], [])
    for each in (undisturbed, lake):
        assert each.commit(monday(each), meta("a")) == 1
    assert lake.snapshot() == undisturbed.snapshot()
    files = [
        sorted((p.relative_to(e.path), p.read_bytes()) for p in e.path.rglob("*.json")) for e in (lake, undisturbed)
    ]
    assert files[0] == files[1], "the tables' commits follow from the log alone"
    for name in DATASETS:
        assert lake.read(name).equals(undisturbed.read(name))


@pytest.mark.parametrize("done", [0, 1, 2, 3])
def test_another_day_completes_what_was_published_and_nothing_else(tmp_path: Path, done: int) -> None:
    lake = Lake.create(tmp_path)
    lake.commit(monday(lake, 1), meta("a"))
    kill(lake, monday(lake, 2), meta("b"), done)
    lake.commit(tuesday(lake), meta("c"))
    assert rows(lake) == ([2 if done else 1, 9], ["7S", "AD"])


def test_parts_that_are_gone_are_missed_before_anything_happens(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    staged = monday(lake)
    lake.sweep()
    with pytest.raises(LakeError, match=r"is not there with .* stage the day again"):
        lake.commit(staged, meta())
    assert not (tmp_path / "events").exists()


def test_a_full_disk_while_committing_leaves_the_lake_as_it_was(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    lake.commit(monday(lake, 1), meta("a"))
    staged = monday(lake, 2)
    with full_disk(100), pytest.raises((LakeError, OSError)):
        lake.commit(staged, meta("b"))
    assert lake.read("carry")["a"].to_list() == [1]
    assert lake.commit(staged, meta("b")) == 2
    assert lake.read("carry")["a"].to_list() == [2]


@pytest.mark.parametrize("boundary", ["os.fsync", "pathlib.Path.rename"])
def test_killed_before_a_part_has_its_name_nothing_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, boundary: str
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    lake = Lake.create(tmp_path)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(boundary, killed)
        monday(lake)
    assert not list(tmp_path.rglob("*part*"))
    lake.commit(monday(lake), meta())
    assert rows(lake) == ([1], ["7S", "AD"])


def test_long_histories_stay_quick_to_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MOST_FILES", 4)
    monkeypatch.setattr(delta, "CHECKPOINT_INTERVAL", 5)
    lake = Lake.create(tmp_path)
    for number in range(1, 13):
        assert lake.commit(monday(lake, number), meta(str(number), hours=number)) == number
    assert list((tmp_path / "carry" / "_delta_log").glob("*.checkpoint.parquet"))
    assert len(delta.parts(tmp_path, SNAPSHOTS)) <= 4
    assert snapshots.rows(tmp_path)["snapshot"].to_list() == list(range(1, 13))
    for number in (1, 6, 12):
        assert lake.read("carry", lake.snapshot(number))["a"].to_list() == [number]
        assert lake.snapshot(as_of=NOON + timedelta(hours=number, minutes=30)).number == number
