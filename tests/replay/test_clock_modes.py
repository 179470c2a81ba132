"""Clocks that are worse than usual are so in the way and to the extent that the truth tells."""

import numpy as np
import pytest

from replay.simulator.clock_modes import MODES, MOST_DRIFT_PPM, MOST_OFFSET_MS, STEP_MS
from replay.simulator.clocks import ClockPiece
from replay.simulator.nature import CLOCKS, Nature
from replay.simulator.simulate import SimulatedDay
from replay.simulator.truth import SOURCES
from replay.tape import I64
from tests.replay.nature_days import lines, played, shown_ms, true_ms
from tests.some import some

NEVER = 1 << 60


def pieces(each: SimulatedDay, source: str) -> list[ClockPiece]:
    clocks = each.material.clocks
    found: list[ClockPiece] = getattr(clocks, source).pieces(clocks.day_starts_ms, NEVER)
    return found


def expected_ms(each: SimulatedDay, source: str, true: I64) -> I64:
    """Return what a clock shows by the truth about it, but for jitter."""
    shown = np.zeros(len(true))
    for piece in pieces(each, source):
        inside = (true >= piece.from_ms) & (true < piece.until_ms)
        offset = piece.offset_ms + piece.drift_ppm * (true - piece.from_ms) / 1e6
        shown = np.where(inside, true + offset, shown)
    return np.rint(shown).astype(np.int64)


@pytest.mark.parametrize("pace", ["", "dense"])
@pytest.mark.parametrize("mode", CLOCKS)
def test_stamps_of_a_device_never_run_backwards(mode: str, pace: str) -> None:
    for each in some(played(Nature(clocks=mode, pace=pace))):
        for source in SOURCES:
            assert (np.diff(shown_ms(each, source)) > 0).all()
            assert [event["seq"] for event in lines(each, source)] == list(range(1, len(lines(each, source)) + 1))


@pytest.mark.parametrize("mode", CLOCKS)
def test_stamps_are_off_by_what_the_truth_tells(mode: str) -> None:
    latest = 0
    for each in played(Nature(clocks=mode)):
        for source in ("terminal", "shoe"):
            true = true_ms(each, source)
            late = shown_ms(each, source) - expected_ms(each, source, true)
            assert late.min() >= -1  # rounding
            assert late.max() <= pieces(each, source)[0].jitter_ms + 1
            latest = max(latest, int(late.max()))
    assert latest >= 0.9 * MODES[mode].jitter_ms


@pytest.mark.parametrize("mode", CLOCKS)
def test_clocks_stay_within_what_is_tolerated(mode: str) -> None:
    offsets: list[int] = []
    for each in played(Nature(clocks=mode)):
        true = true_ms(each, "shoe")
        for source in ("shoe", "camera"):
            off = expected_ms(each, source, true) - true
            assert np.abs(off).max() <= MOST_OFFSET_MS
            offsets += off[:1].tolist()
    assert max(np.abs(offsets)) > MOST_OFFSET_MS // 2, "hardly off"


@pytest.mark.parametrize("mode", CLOCKS)
def test_drift(mode: str) -> None:
    drifts = [pieces(each, source)[0].drift_ppm for each in played(Nature(clocks=mode)) for source in SOURCES[1:]]
    assert max(map(abs, drifts)) <= MODES[mode].drift_ppm <= MOST_DRIFT_PPM
    assert max(map(abs, drifts)) > MODES[mode].drift_ppm / 2 or mode == "offset"


@pytest.mark.parametrize("mode", CLOCKS)
def test_only_a_hostile_day_has_a_terminal_that_is_off(mode: str) -> None:
    for each in some(played(Nature(clocks=mode))):
        clock = each.material.clocks.terminal
        assert (clock.offset_ms, clock.drift_ppm) == (0, 0.0)
        assert bool(clock.steps) == bool(clock.jitter_ms) == (mode == "hostile")


def test_steps() -> None:
    sizes = []
    for each in played(Nature(clocks="step"), tables=10):
        for source in SOURCES[1:]:
            steps = getattr(each.material.clocks, source).steps
            assert 1 <= len(steps) <= 3
            assert sorted(step.at_ms for step in steps) == [step.at_ms for step in steps]
            sizes += [step.by_ms for step in steps]
    assert all(STEP_MS[0] <= abs(size) <= STEP_MS[1] for size in sizes)
    assert min(sizes) < 0 < max(sizes)


def test_a_restart_falls_into_minutes_of_silence() -> None:
    restarts = 0
    for each in played(Nature(clocks="restart", pace="dense")):
        assert each.material.clocks.shoe.steps
        logged = np.sort(np.concatenate([true_ms(each, source) for source in ("terminal", "shoe")]))
        for source in SOURCES[1:]:
            for step in getattr(each.material.clocks, source).steps:
                at = int(np.searchsorted(logged, step.at_ms))
                assert logged[at] - logged[at - 1] > 2 * 60_000
                assert abs(step.by_ms) >= 3_000
                restarts += 1
    assert restarts


@pytest.mark.parametrize("mode", CLOCKS)
def test_clocks_that_step_are_findings_about_their_files(mode: str) -> None:
    for each in some(played(Nature(clocks=mode))):
        stepping = {each.material.path(source) for source in SOURCES if getattr(each.material.clocks, source).steps}
        assert {truth.path for truth in each.truth} == stepping
        assert {truth.code for truth in each.truth} <= {"evidence.clock-skew"}
        assert bool(stepping) == (mode in ("step", "restart", "hostile"))
