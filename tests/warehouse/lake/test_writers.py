"""One process writes at a time, and what a killed one left is swept."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.warehouse.lake.days import MONDAY, TUESDAY, carry, meta, stage
from warehouse.lake import Lake, LakeBusy, LakeError

HOLD = "import sys; from warehouse.lake import Lake\nwith Lake(sys.argv[1]).lock(): print('held', flush=True); input()"


def test_a_second_writer_is_told_who_the_first_is_until_that_is_killed(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(LakeBusy, match=f"being written by process {other.pid}: wait"), lake.lock():
            pass
        staged = stage(lake, MONDAY)
        with pytest.raises(LakeBusy):
            lake.commit(staged, meta())
        other.send_signal(signal.SIGKILL)
    assert lake.commit(staged, meta()) == 1


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


def test_a_log_with_holes_is_not_swept_by(tmp_path: Path) -> None:
    lake = Lake.create(tmp_path)
    for number in (1, 2, 3):
        lake.commit(stage(lake, MONDAY, ("carry", carry(MONDAY, ("A", "m", number)))), meta(str(number)))
    before = lake.read("carry")
    (tmp_path / "carry" / "_delta_log" / f"{1:020d}.json").rename(tmp_path / "kept.json")
    with pytest.raises(LakeError, match="lacks versions"):
        lake.sweep()
    (tmp_path / "kept.json").rename(tmp_path / "carry" / "_delta_log" / f"{1:020d}.json")
    assert lake.read("carry").equals(before)
