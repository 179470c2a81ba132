"""The clocks that are worked out against how they really ran, by the simulator's truth."""

from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from _pytest.mark.structures import ParameterSet

from pipelines.align.devices import RESIDUAL_MS, DeviceClock, Row, skew_findings
from replay.columns import SHOE, TERMINAL, Lines
from replay.simulator.nature import Nature
from replay.simulator.pace import GAPS_MS
from tests.pipelines.align import true_clocks
from tests.pipelines.align.true_clocks import TrueDay

_ROUNDS: Final = 300
_SEED: Final = 7
_EVEN: Final = ("offset", "drift", "jitter")
_PACES: Final = ("usual", "dense", "sparse", "mixed")


@pytest.fixture(scope="module")
def floors(tmp_path_factory: pytest.TempPathFactory) -> dict[Nature, list[TrueDay]]:
    """Floors simulated so far."""
    return {}


@pytest.fixture
def floor_with(
    floors: dict[Nature, list[TrueDay]], request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[TrueDay]:
    """The table days of a floor with the clocks and the pace of the test's parameter."""
    mode, pace = request.param
    nature = Nature(clocks=mode, pace="" if pace == "usual" else pace)
    if nature not in floors:
        out = true_clocks.written(tmp_path_factory.mktemp("floor"), nature, _ROUNDS, _SEED)
        floors[nature] = true_clocks.days(out)
    return floors[nature]


def share_within(days: list[TrueDay]) -> float:
    return float(np.concatenate([day.is_within for day in days]).mean())


def told(days: list[TrueDay]) -> str:
    return "; ".join(
        f"{day.table.id}: {day.is_within.mean():.3f} within, steps {day.clock('shoe').steps} of {day.true_steps}"
        for day in days
    )


def cases(*modes: str, **defects: str) -> list[ParameterSet]:
    """Clocks at every pace; ``mode_pace="reason"`` marks a case that fails for now."""
    return [
        pytest.param((mode, pace), id=f"{mode}-{pace}", marks=_failing(defects.get(f"{mode}_{pace}")))
        for mode in modes
        for pace in _PACES
    ]


def _failing(reason: str | None) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason)] if reason else []


EVEN: Final = cases(*_EVEN)


@pytest.mark.parametrize("floor_with", EVEN, indirect=True)
def test_the_true_offset_of_an_even_clock_lies_within_the_uncertainty(floor_with: list[TrueDay]) -> None:
    assert all(day.clock("shoe").sure for day in floor_with)
    assert share_within(floor_with) >= 0.99, told(floor_with)


@pytest.mark.parametrize("floor_with", EVEN, indirect=True)
def test_no_step_is_reported_where_the_clock_ran_evenly(floor_with: list[TrueDay]) -> None:
    for day in floor_with:
        assert day.true_steps == []
        assert day.clock("shoe").steps == (), day.table.id
        assert skew_findings(day.aligned.clocks) == []
        assert day.aligned.doubt == [None] * _ROUNDS


@pytest.mark.parametrize("floor_with", EVEN, indirect=True)
def test_every_card_is_in_its_round(floor_with: list[TrueDay]) -> None:
    assert sum(day.wrong_rounds for day in floor_with) == 0


@pytest.mark.parametrize(
    "floor_with",
    [case for case in cases(*_EVEN) if str(case.id).endswith(("dense", "sparse"))],
    indirect=True,
)
def test_the_uncertainty_is_at_most_half_the_longest_gap(
    floor_with: list[TrueDay], request: pytest.FixtureRequest
) -> None:
    _, pace = request.node.callspec.params["floor_with"]
    for day in floor_with:
        assert max(row.uncertainty_ms for row in day.clock("shoe").rows) <= GAPS_MS[pace][1] // 2, day.table.id


_ROUGH: Final = "at a mixed pace the drift of a part of the day is known too roughly"
_MISSED: Final = "a step is missed, or taken for a drift of up to 200 ppm, where few rounds lie between steps"


@pytest.mark.parametrize(
    "floor_with",
    cases("restart", "step", step_usual=_MISSED),
    indirect=True,
)
def test_steps_are_found_with_their_sizes(floor_with: list[TrueDay]) -> None:
    for day in floor_with:
        steps, true = day.clock("shoe").steps, day.true_steps
        unsure = 2 * max(row.uncertainty_ms for row in day.clock("shoe").rows)
        assert len(steps) == len(true), told(floor_with)
        assert np.abs(np.array(steps) - np.array(true)).max() <= unsure, told(floor_with)
        ((clock, finding),) = skew_findings(day.aligned.clocks)
        assert (finding.code, clock.source) == ("evidence.clock-skew", "shoe")
        assert f"stepped {'once' if len(true) == 1 else f'{len(true)} times'} (" in finding.message


@pytest.mark.parametrize("floor_with", cases("restart", "step", restart_mixed=_ROUGH), indirect=True)
def test_the_true_offset_of_a_clock_that_stepped_lies_within_the_uncertainty(floor_with: list[TrueDay]) -> None:
    # The cards of the round in which a clock steps may be on either side of the step.
    assert share_within(floor_with) >= 0.99, told(floor_with)


@pytest.mark.parametrize("floor_with", cases("restart", "step"), indirect=True)
def test_only_cards_near_a_step_are_in_another_round(floor_with: list[TrueDay]) -> None:
    for day in floor_with:
        assert day.wrong_rounds <= 12 * len(day.true_steps), (day.table.id, day.wrong_rounds)


@pytest.mark.parametrize(
    "floor_with",
    cases("hostile", hostile_dense=_MISSED, hostile_sparse=_MISSED),
    indirect=True,
)
def test_the_true_offset_lies_within_the_uncertainty_when_both_clocks_step(floor_with: list[TrueDay]) -> None:
    assert share_within(floor_with) >= 0.99, told(floor_with)


def test_pieces_count_all_bounds_and_hardly_break_any(tmp_path: Path) -> None:
    for day in true_clocks.days(true_clocks.written(tmp_path, Nature(clocks="offset"), 60, 5)):
        (row,) = day.clock("shoe").rows
        # Each round's first card bounds it from above, and in most of them a decision from below.
        assert 90 <= row.kept + row.broken <= 2 * 60
        assert row.broken <= row.kept // 20


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
def test_misdealt_rounds_do_not_mislead_a_clock(rate: float, tmp_path: Path) -> None:
    days = true_clocks.days(true_clocks.written(tmp_path, Nature(clocks="jitter", misdeals=rate), 80, 4))
    assert share_within(days) >= 0.99, told(days)


# A clock without an offset.


def of_source(lines: Lines, source: int) -> Lines:
    return Lines(lines.columns.take(lines.columns.source == source), lines.words)


def without_offset(tmp_path: Path, pace: str) -> list[TrueDay]:
    """Table days whose clocks all show true time: the stamps of the shoe less its offset."""
    found = []
    for day in true_clocks.days(
        true_clocks.written(tmp_path, Nature(clocks="offset", pace="" if pace == "usual" else pace), 60, 5)
    ):
        (piece,) = day.pieces["shoe"]
        ts = day.lines.columns.number("ts")
        ts[day.lines.columns.source == SHOE] -= piece.offset_ms
        found.append(day)
    return found


@pytest.mark.parametrize("pace", _PACES)
def test_a_clock_without_offset_is_left_alone(pace: str, tmp_path: Path) -> None:
    for day in without_offset(tmp_path, pace):
        clock = day.clock("shoe")
        assert [(row.offset_ms, row.drift_ppm) for row in clock.rows] == [(0, 0.0)] * len(clock.rows), day.table.id
        assert (day.aligned.corrected == day.lines.columns.number("ts")).all()
        assert day.wrong_rounds == 0


# Days of few rounds.


def short_days(out: Path, rounds: int) -> list[TrueDay]:
    return [
        day
        for seed in range(4)
        for day in true_clocks.days(true_clocks.written(out / str(seed), Nature(clocks="jitter"), rounds, seed))
    ]


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 8])
def test_a_day_of_few_rounds_has_its_cards_in_their_rounds(rounds: int, tmp_path: Path) -> None:
    for day in short_days(tmp_path, rounds):
        assert day.clock("shoe").steps == ()
        assert day.wrong_rounds == 0, day.table.id


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 8])
def test_a_day_of_few_rounds_is_as_unsure_as_it_says(rounds: int, tmp_path: Path) -> None:
    for day in short_days(tmp_path, rounds):
        assert not day.clock("shoe").sure or day.is_within.all(), (day.table.id, day.clock("shoe").rows)


# What is said of clocks.


def stated(*offsets: int, uncertainty_ms: int = 100, lines: int = 500, sure: bool = True) -> DeviceClock:
    rows = tuple(Row(1, 2, 0, 1, offset, 0.0, uncertainty_ms, 10, 0) for offset in offsets)
    steps = tuple(after - before for before, after in pairwise(offsets))
    return DeviceClock("shoe", None, lines, sure, rows, steps)


@pytest.mark.parametrize(
    ("clock", "message"),
    [
        (stated(29_999), None),
        (stated(30_001), "Clock of the shoe has an offset of +30.0 s; expected at most 30 s"),
        (stated(-41_000), "Clock of the shoe has an offset of -41.0 s; expected at most 30 s"),
        (stated(0, 8_000), "Clock of the shoe stepped once (+8.0 s); expected to run evenly"),
        (
            stated(0, 8_000, 5_000),
            "Clock of the shoe stepped 2 times (+8.0 s, -3.0 s); expected to run evenly",
        ),
        (
            stated(0, uncertainty_ms=RESIDUAL_MS + 500),
            "Clock of the shoe is uncertain by 2.5 s for part of the day; expected at most 2 s",
        ),
        (stated(0, sure=False, lines=99), None),  # too few lines to work a clock out
        (
            stated(0, sure=False),
            "Clock of the shoe could not be determined: its lines fit those of the table's other devices at no offset "
            "within 15 minutes",
        ),
    ],
)
def test_what_is_said_of_a_clock(clock: DeviceClock, message: str | None) -> None:
    assert [finding.message for _, finding in skew_findings([clock])] == ([message] if message else [])


def test_a_device_without_the_others_keeps_its_time(tmp_path: Path) -> None:
    (day, *_) = true_clocks.days(true_clocks.written(tmp_path, Nature(clocks="offset"), 5, 5))
    for source in (TERMINAL, SHOE):
        lines = of_source(day.lines, source)
        aligned = day.align(lines)
        assert (aligned.corrected == lines.columns.number("ts")).all()
        assert [row.offset_ms for clock in aligned.clocks for row in clock.rows] == [0]
