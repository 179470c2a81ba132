"""Clocks set forward or back in mid-day: cards stay in their rounds, and the step is reported of the right device."""

from pathlib import Path
from typing import Final

import numpy as np
import pytest
from _pytest.mark.structures import ParameterSet

from pipelines.align.align import Alignment
from pipelines.align.devices import DeviceClock, skew_findings
from pipelines.stories import prices
from replay.columns import CAMERA, I64, NUMBER_OF, SHOE, SOURCES, TERMINAL, Lines
from replay.engine import layout as L
from replay.simulator.nature import Nature
from tests.pipelines.align import true_clocks, zones
from tests.pipelines.align.true_clocks import TrueDay

_ROUND: Final = 60  # of 120: the clock steps before it, or inside it
_SIZES: Final = (-8_000, -3_000, 3_000, 8_000)


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[TrueDay]:
    """Tables of all rulebooks with constant offsets and a camera."""
    out = true_clocks.written(tmp_path_factory.mktemp("even"), Nature(clocks="offset"), 120, 3, camera=True)
    return true_clocks.days(out)


def stepped(day: TrueDay, source: int, by: int, inside: bool) -> Lines:
    """The day's lines with the clock of a source set anew: before the round, or halfway through it."""
    columns = day.lines.columns
    rows = np.flatnonzero(columns.source == source)
    number = day.aligned.round[rows]
    if inside:
        own = np.flatnonzero(number == _ROUND)
        first = own[len(own) // 2]
    else:
        first = np.flatnonzero((number >= 0) & (number < _ROUND))[-1] + 1
    numbers = columns.numbers.copy()
    numbers[NUMBER_OF["ts"], rows[first:]] += by
    return Lines(columns._replace(numbers=numbers), day.lines.words)


def without_camera(lines: Lines) -> Lines:
    return Lines(lines.columns.take(lines.columns.source != CAMERA), lines.words)


def moved_rounds(day: TrueDay, aligned: Alignment, sources: tuple[int, ...]) -> list[int]:
    """Rounds of which lines were put elsewhere than without the step; the round of the step does not count."""
    rows = np.flatnonzero(np.isin(day.lines.columns.source, sources))
    before: I64 = day.aligned.round[rows]
    moved = rows[(before != aligned.round[rows]) & (before != _ROUND)]
    return [int(number) for number in np.unique(day.aligned.round[moved])]


def the(clocks: list[DeviceClock], source: int) -> DeviceClock:
    (found,) = [clock for clock in clocks if clock.source == SOURCES[source]]
    return found


_BETWEEN, _INSIDE = False, True


def each_step(source: int, reason: str = "", *failing: tuple[int, bool]) -> list[ParameterSet]:
    """Steps of a device forward and back, between rounds and inside one; some fail for now, for a reason."""
    reasons = dict.fromkeys(failing, reason)
    return [
        pytest.param(
            source,
            by,
            inside,
            id=f"{SOURCES[source]}{by:+}-{'inside' if inside else 'between'}",
            marks=[pytest.mark.xfail(raises=AssertionError, reason=reasons[by, inside])]
            if (by, inside) in reasons
            else [],
        )
        for by in _SIZES
        for inside in (_BETWEEN, _INSIDE)
    ]


@pytest.mark.parametrize(
    ("source", "by", "inside"),
    [*each_step(SHOE), *each_step(TERMINAL)],
)
def test_cards_of_other_rounds_stay_in_their_rounds(days: list[TrueDay], source: int, by: int, inside: bool) -> None:
    for day in days:
        aligned = day.align(stepped(day, source, by, inside))
        assert moved_rounds(day, aligned, (TERMINAL, SHOE)) == [], day.table.id


@pytest.mark.parametrize(("source", "by", "inside"), each_step(SHOE))
def test_a_step_of_the_shoe_is_said_of_the_shoe_alone(days: list[TrueDay], source: int, by: int, inside: bool) -> None:
    for day in days:
        aligned = day.align(stepped(day, source, by, inside))
        clock = the(aligned.clocks, SHOE)
        assert len(clock.steps) == 1, (day.table.id, clock.rows)
        unsure = sum(row.uncertainty_ms for row in clock.rows)
        assert abs(clock.steps[0] - by) <= unsure, (day.table.id, clock.steps)
        assert [clock.source for clock, _ in skew_findings(aligned.clocks)] == ["shoe"], day.table.id


_GUESSED: Final = "a step back is undone by a guess, and the rest of it said of the shoe too"


@pytest.mark.parametrize(
    ("source", "by", "inside"), each_step(TERMINAL, _GUESSED, (-8_000, _BETWEEN), (-8_000, _INSIDE))
)
def test_a_step_of_the_terminal_is_one_finding(days: list[TrueDay], source: int, by: int, inside: bool) -> None:
    """Between two devices only the difference shows, whichever of them stepped."""
    for day in days:
        aligned = day.align(without_camera(stepped(day, source, by, inside)))
        assert len(skew_findings(aligned.clocks)) == 1, (day.table.id, skew_findings(aligned.clocks))


_BLAMED: Final = "a step of the terminal is two findings, about the shoe and the camera, and none about the terminal"
_EVERY: Final = [(by, inside) for by in _SIZES for inside in (_BETWEEN, _INSIDE)]


@pytest.mark.parametrize(("source", "by", "inside"), each_step(TERMINAL, _BLAMED, *_EVERY))
def test_a_step_that_shoe_and_camera_agree_on_is_the_terminals(
    days: list[TrueDay], source: int, by: int, inside: bool
) -> None:
    for day in days:
        aligned = day.align(stepped(day, source, by, inside))
        assert [clock.source for clock, _ in skew_findings(aligned.clocks)] == ["terminal"], day.table.id


@pytest.mark.parametrize(("source", "by", "inside"), each_step(CAMERA))
def test_a_step_of_the_camera_is_found(days: list[TrueDay], source: int, by: int, inside: bool) -> None:
    for day in days:
        aligned = day.align(stepped(day, source, by, inside))
        clock = the(aligned.clocks, CAMERA)
        assert len(clock.steps) == 1, (day.table.id, clock.steps)
        assert abs(clock.steps[0] - by) <= sum(row.uncertainty_ms for row in clock.rows), (day.table.id, clock.steps)
        assert [clock.source for clock, _ in skew_findings(aligned.clocks)] == ["camera"]


_COARSE: Final = "a camera's pieces begin at windows of 200 sightings: those of about five rounds are moved"


@pytest.mark.parametrize(
    ("source", "by", "inside"),
    each_step(
        CAMERA,
        _COARSE,
        *((-8_000, _BETWEEN), (3_000, _BETWEEN), (3_000, _INSIDE), (8_000, _BETWEEN), (8_000, _INSIDE)),
    ),
)
def test_sightings_stay_in_their_rounds_when_the_camera_steps(
    days: list[TrueDay], source: int, by: int, inside: bool
) -> None:
    for day in days:
        aligned = day.align(stepped(day, source, by, inside))
        moved = moved_rounds(day, aligned, (CAMERA,))
        assert set(moved) <= {_ROUND - 1, _ROUND + 1}, (day.table.id, moved)


def test_a_camera_has_its_own_clock(days: list[TrueDay]) -> None:
    for day in days:
        (piece,) = day.pieces["camera"]
        rows = np.flatnonzero(day.lines.columns.source == CAMERA)
        stated = (day.lines.columns.number("ts") - day.aligned.corrected)[rows]
        # The camera is set by the shoe's corrected times, so it is as unsure as both.
        said = zones.uncertainty(day.lines, day.aligned)
        unsure = said[rows] + said[day.draws].max()
        assert (np.abs(stated - piece.offset_ms) <= unsure).all(), (day.table.id, stated[:3], piece)
        assert the(day.aligned.clocks, CAMERA).steps == ()


def test_a_stray_time_is_no_step(days: list[TrueDay]) -> None:
    for day in days:
        for source in (TERMINAL, SHOE):
            rows = np.flatnonzero(day.lines.columns.source == source)
            for by in (-40_000_000, -5_000, 5_000, 40_000_000):
                numbers = day.lines.columns.numbers.copy()
                numbers[NUMBER_OF["ts"], rows[200]] += by
                aligned = day.align(Lines(day.lines.columns._replace(numbers=numbers), day.lines.words))
                assert [clock.steps for clock in aligned.clocks] == [()] * 3
                assert (aligned.round != day.aligned.round).sum() <= 1


@pytest.mark.parametrize("by", _SIZES)
def test_rounds_that_no_clock_times_are_accused_of_no_order(days: list[TrueDay], by: int) -> None:
    """Two rounds are too few to tell of steps, there and back, but their cards contradict the clock."""
    for day in days:
        columns = day.lines.columns
        own = (columns.source == SHOE) & np.isin(day.aligned.round, (_ROUND, _ROUND + 1))
        numbers = columns.numbers.copy()
        numbers[NUMBER_OF["ts"], own] += by
        lines = Lines(columns._replace(numbers=numbers), day.lines.words)
        untimed = day.align(lines).untimed
        assert untimed & {day.aligned.rounds[_ROUND], day.aligned.rounds[_ROUND + 1]}, day.table.id
        assert len(untimed) < 20
        judged = zones.told(day.plan, day.table, lines)
        assert judged.certainty is not None
        said = judged.verdicts.findings[judged.certainty > 0, L.F_SLOT]
        assert not prices.BY_CLOCK[said].any(), day.table.id


def test_where_a_row_of_a_clock_ends_the_next_begins(days: list[TrueDay], tmp_path: Path) -> None:
    for day in days:
        clock = the(day.align(stepped(day, SHOE, -8_000, True)).clocks, SHOE)
        for before, after in zip(clock.rows, clock.rows[1:], strict=False):
            assert after.since_seq == before.until_seq + 1
