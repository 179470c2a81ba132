"""One process writes at a time, and what a killed one left is swept."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.warehouse.lake.days import MONDAY, TUESDAY, carry, meta, stage
from warehouse.lake import Lake, LakeBusy, LakeError, lock

HOLD = "import sys; from warehouse.lake import Lake\nwith Lake(sys.argv[1]).lock(): print('held', flush=True); input()"


def test_a_second_writer_is_told_who_the_first_is_until_that_is_killed(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(LakeBusy, match=f"being written by process {other.pid}: wait"), lake.lock():
            pass
        assert lock.is_held(tmp_path)
        staged = stage(lake, MONDAY)
        with pytest.raises(LakeBusy):
            lake.commit(staged, meta())
        other.send_signal(signal.SIGKILL)
    assert lake.commit(staged, meta()) == 1


def test_who_looks_whether_a_lake_is_written_turns_no_writer_away(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    assert not lock.is_held(tmp_path)
    with lake.lock():
        assert not lock.is_held(tmp_path), "held by this process"
    looking = os.open(tmp_path / lock.FILE, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    threading.Timer(0.03, os.close, [looking]).start()
    with lake.lock():
        pass


def test_the_writing_process_may_hold_the_lake_many_times_over(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    with lake.lock(), Lake(tmp_path).lock():
        assert lake.commit(stage(lake, MONDAY), meta()) == 1
    with lake.lock():
        assert (tmp_path / ".lock").read_text() == f"{os.getpid()}\n"


def test_the_sweep_takes_what_no_version_holds_and_nothing_else(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    assert lake.sweep() == []
    lake.commit(stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", 1)))), meta("a"))
    lake.commit(stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", 2)))), meta("b"))
    staged = stage(lake, TUESDAY, ("carry", carry(TUESDAY, ("A", "m", 3))))
    folder = tmp_path / "carry" / "gaming_day=2026-01-06"
    left = [folder / staged.parts["carry"][0].path.rpartition("/")[2], folder / ".part-00000-ab.parquet.tmp"]
    left.append(tmp_path / "cards" / "_delta_log" / "00000000000000000001.json#1")
    for file in left[1:]:
        file.touch()
    assert sorted(lake.sweep()) == sorted(left)
    assert not any(file.exists() for file in left)
    assert lake.read("carry", lake.snapshot(1))["a"].to_list() == [1]
    assert lake.read("carry")["a"].to_list() == [2]
    assert lake.sweep() == []


@pytest.mark.parametrize("name", ["00000000000000000001.json", "00000000000000000000.json"])
def test_a_changed_commit_makes_no_run_delete_what_was_published(tmp_path: Path, name: str) -> None:
    lake = Lake.create(tmp_path)
    for number in (1, 2, 3):
        lake.commit(stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", number)))), meta(str(number)))
    published = sorted((tmp_path / "carry").rglob("part-*"))
    commit = tmp_path / "carry" / "_delta_log" / name
    whole = commit.read_bytes()
    for changed in (whole.replace(b'"add"', b'"adf"').replace(b"part-", b"pbrt-"), None):
        commit.write_bytes(changed) if changed is not None else commit.unlink()
        assert lake.sweep() == []
        assert sorted((tmp_path / "carry").rglob("part-*")) == published


def test_what_is_built_upon_is_compared_with_the_log_first(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    lake.commit(stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", 1)))), meta("a"))
    commit = tmp_path / "carry" / "_delta_log" / f"{1:020d}.json"
    whole = commit.read_bytes()
    staged = stage(lake, TUESDAY, ("carry", carry(TUESDAY, ("A", "m", 2))))
    for forged in (whole.replace(rb"\"A\"", rb"\"B\""), whole.replace(b'"size":', b'"size":1'), b""):
        commit.write_bytes(forged)
        with pytest.raises(LakeError, match=r"as the evidence log says\. Nothing was changed\. Run audit21 verify"):
            lake.commit(staged, meta("b"))
        assert not (tmp_path / "carry" / "_delta_log" / f"{2:020d}.json").exists()
    commit.write_bytes(whole)
    assert lake.commit(staged, meta("b")) == 2
