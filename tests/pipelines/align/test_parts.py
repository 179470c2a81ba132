"""Parts of a day: what comes after a part changes nothing in it."""

from itertools import pairwise

import numpy as np
import pytest

from pipelines.align.parts import ROUNDS, parts
from pipelines.align.streams import streams
from replay.audit import Judged
from replay.columns import I64, SHOE, SOURCES, TERMINAL, TYPE_OF, Lines
from replay.engine import layout as L
from replay.simulator.nature import Nature
from tests.pipelines.align import true_clocks, zones
from tests.pipelines.align.true_clocks import TrueDay

_ROUNDS = 270


@pytest.fixture(scope="module", params=["offset", "hostile"])
def days(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[TrueDay]:
    nature = Nature(clocks=request.param, pace="mixed")
    return true_clocks.days(true_clocks.written(tmp_path_factory.mktemp(request.param), nature, _ROUNDS, 11))


def divided(lines: Lines) -> list[I64]:
    return parts(lines.columns, streams(lines.columns))


def beginning(day: TrueDay, rounds: int) -> Lines:
    """The lines that had been logged when bets of so many rounds had been closed."""
    columns = day.lines.columns
    closes = np.flatnonzero(columns.type == TYPE_OF["bets_closed"])
    closes = closes[np.argsort(columns.number("seq")[closes])]
    moment = day.aligned.corrected[closes[rounds - 1]]
    rows = np.flatnonzero(day.aligned.corrected <= moment)
    return Lines(columns.take(rows), day.lines.words)


def said(judged: Judged, rounds: int) -> tuple[list[object], list[object]]:
    """The settlements of the first rounds, and the findings that are said of them."""
    settled, found = judged.verdicts.settlements, judged.verdicts.findings
    assert judged.certainty is not None
    own = (found[:, L.F_ROUND] < rounds) & (judged.certainty > 0)
    return settled[settled[:, L.S_ROUND] < rounds].tolist(), found[own].tolist()


def test_a_day_is_divided_at_changes_of_shoes_with_enough_rounds_between_them(days: list[TrueDay]) -> None:
    for day in days:
        columns = day.lines.columns
        found = divided(day.lines)
        assert len(found) > 1, day.table.id
        assert sorted(np.concatenate(found).tolist()) == list(range(len(day.lines)))
        for part in found:
            assert (columns.type[part] == TYPE_OF["bets_closed"]).sum() >= ROUNDS
        for pair in pairwise(found):
            shoes = [set(columns.text("shoe")[part[columns.source[part] == SHOE]].tolist()) - {0} for part in pair]
            assert not shoes[0] & shoes[1]


def test_an_audit_of_a_prefix_says_the_same_of_the_parts_that_it_closes(days: list[TrueDay]) -> None:
    for day in days:
        first = len(np.unique(day.lines.columns.text("round")[divided(day.lines)[0]])) - 1
        begun = beginning(day, first + ROUNDS)
        assert len(divided(begun)) == 2, day.table.id
        for source in (TERMINAL, SHOE):
            whole, prefix = (
                aligned.corrected[(lines.columns.source == source) & (aligned.part == 0)]
                for lines, aligned in ((day.lines, day.aligned), (begun, day.align(begun)))
            )
            assert whole.tolist() == prefix.tolist(), day.table.id
        judged = [zones.told(day.plan, day.table, lines) for lines in (day.lines, begun)]
        assert said(judged[0], first) == said(judged[1], first), day.table.id


def test_the_clocks_of_a_closed_part_are_those_of_the_whole_day(days: list[TrueDay]) -> None:
    for day in days:
        first = len(np.unique(day.lines.columns.text("round")[divided(day.lines)[0]])) - 1
        aligned = day.align(beginning(day, first + ROUNDS))
        for whole, prefix in zip(day.aligned.clocks, aligned.clocks, strict=True):
            own = (day.lines.columns.source == SOURCES.index(whole.source)) & (day.aligned.part == 0)
            last = day.lines.columns.number("seq")[own].max()
            closed = [[row for row in clock.rows if row.until_seq <= last] for clock in (whole, prefix)]
            assert closed[0] == closed[1] != [], (day.table.id, whole.source)


def test_a_missing_line_beside_a_change_of_shoes_closes_nothing(days: list[TrueDay]) -> None:
    day = days[0]
    columns = day.lines.columns
    loads = np.flatnonzero((columns.type == TYPE_OF["draw"]) & (columns.number("n") == 1))
    lines = Lines(columns.take(np.setdiff1d(np.arange(len(day.lines)), loads)), day.lines.words)
    assert len(divided(lines)) == 1


def test_a_clock_that_was_set_back_goes_on_in_the_next_part(days: list[TrueDay]) -> None:
    for day in days:
        terminal = day.aligned.order[day.lines.columns.source[day.aligned.order] == TERMINAL]
        assert (np.diff(day.aligned.corrected[terminal]) >= 0).all(), day.table.id
