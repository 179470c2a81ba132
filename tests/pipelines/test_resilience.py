"""The short form of ``python -m tests.torture``: kills, damaged landing zones, a full disk, a slice of the campaign."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.torture import world
from tests.torture.case import Case
from tests.torture.forked import Forked
from tests.torture.full import Filler, can_mount
from tests.torture.fuzz import Fuzzer
from tests.torture.kills import Torturer, grown
from tests.torture.phase import GROWING
from tests.torture.tally import Tally

# What to wait for before the kill, by how much it grows, and in which phases that may be.
MOMENTS = (
    ("versions", 9, {"commit"}),
    ("snapshots", 2, {"log", "checkpoint", "tidying", "between days"}),
)


def test_killed_while_it_publishes_and_run_again_the_lake_is_as_if_nobody_had_killed_anything(tmp_path: Path) -> None:
    torturer = Torturer(tmp_path, rounds=4, days=1)
    stage = torturer.stages[0]
    lake = tmp_path / "lake"
    torturer.reader.turn_to(lake)
    try:
        for what, by, phases in MOMENTS:
            assert torturer.kill(stage, lake, grown(GROWING[what][0], lake, by), 0) in phases
        torturer.complete(stage, lake, "after the kills")
    finally:
        torturer.close()
    assert torturer.tally.problems == []
    assert torturer.reader.looks


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzer]:
    made = Fuzzer(tmp_path_factory.mktemp("fuzz"), rounds=4, tables=8, most=7, forms=("none",))
    yield made
    made.close()


@pytest.mark.parametrize("seed", [0, 11])  # of six tables, and of seven
def test_damaged_files_crash_nothing_lose_no_line_and_leave_other_tables_alone(fuzzer: Fuzzer, seed: int) -> None:
    fuzzer.case(seed)
    assert fuzzer.tally.problems == []
    assert fuzzer.tally.lines


def test_a_full_disk_is_told_in_a_line_and_nothing_is_lost_by_it(tmp_path: Path) -> None:
    filler = Filler(tmp_path, rounds=4, days=1)
    try:
        filler.case(0.6, is_history_apart=True)
    except PermissionError as error:
        pytest.skip(str(error))
    finally:
        filler.close()
    assert filler.tally.problems == []
    assert filler.tally.sizes


def test_faults_at_drawn_moments_lose_nothing_and_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIT21_KEY", str(tmp_path / "key.pem"))  # each case sets its own
    tally = Tally(has_small_disk=can_mount(tmp_path))
    with Forked(tmp_path) as forked:
        Case(world.made(tmp_path, 1, forked, rounds=3, days=1), 0, forked, tally, acts=8).play()
    assert tally.problems == []
    assert tally.named and tally.harmless
