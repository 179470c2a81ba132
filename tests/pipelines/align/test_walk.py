"""The compiled walks and votes against plain counting."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.align import votes, walk
from pipelines.align.streams import rising
from replay.columns import I64

NO_CUTS = np.zeros((0, 3), np.int64)


def array(*values: int) -> I64:
    return np.array(values, np.int64)


@given(st.lists(st.integers(0, 9), max_size=9))
def test_a_longest_rise_is_a_rise_and_as_long_as_any(values: list[int]) -> None:
    ms = array(*values)
    chosen = ms[walk.longest_rise(ms)]
    longest = max(
        size
        for size in range(len(values) + 1)
        if any(list(some) == sorted(some) for some in combinations(values, size))
    )
    assert (np.diff(chosen) >= 0).all()
    assert len(chosen) == longest


def test_times_that_go_back_get_the_time_before_them() -> None:
    assert rising(array(10, 99, 20, 30, 5, 40)).tolist() == [10, 10, 20, 30, 30, 40]
    assert rising(array(99, 20, 30)).tolist() == [20, 20, 30]


@given(
    draws=st.lists(st.integers(0, 200), max_size=8).map(sorted),
    spans=st.lists(
        st.tuples(st.integers(0, 200), st.integers(1, 80), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=4
    ),
)
def test_votes_are_the_spans_with_as_many_draws_as_they_want(
    draws: list[int], spans: list[tuple[int, int, int, int]]
) -> None:
    begins = array(*(2 * span[0] for span in spans))
    ends = begins + 2 * array(*(span[1] for span in spans))
    least = array(*(span[2] for span in spans))
    most = least + array(*(span[3] for span in spans))
    # Draws at odd moments and spans at even ones, so that even readings leave no draw on a line.
    ms, reach = 2 * array(*draws) + 1, 100
    tally = np.zeros(2 * reach + 1, np.int64)
    votes.tally(begins, ends, least, most, ms, NO_CUTS, 1, tally)
    for reading in range(-reach, reach, 2):
        moved = ms - reading
        held = [((moved > a) & (moved < b)).sum() for a, b in zip(begins, ends, strict=True)]
        assert tally[reading + reach] == ((least <= held) & (held <= most)).sum()


def test_cuts_vote_for_the_readings_that_they_allow() -> None:
    tally = np.zeros(21, np.int64)
    none = array()
    votes.tally(none, none, none, none, none, np.array([[500, -4, 6]]), 1, tally)
    assert np.flatnonzero(tally).tolist() == list(range(6, 16))


@pytest.mark.parametrize(
    ("draws", "mended"),
    [
        ([95, 250], [100, 250]),  # the hit at 100 lacks its card, the span before wants none
        ([150, 205], [150, 205]),  # nothing is lacking
        ([205], [199]),  # the card came after the next decision
        ([60], [60]),  # too far away
        ([150, 195], [150, 195]),  # one too many, but the next span wants none
    ],
)
def test_draws_are_moved_where_time_cannot_tell(draws: list[int], mended: list[int]) -> None:
    ms = array(*draws)
    walk.mend(array(0, 100, 200), array(100, 200, 300), array(0, 1, 0), array(0, 2, 0), ms, 20)
    assert ms.tolist() == mended


def test_a_draw_too_many_goes_where_no_span_knows_better() -> None:
    ms = array(150, 195)
    walk.mend(array(100), array(200), array(1), array(1), ms, 20)
    assert ms.tolist() == [150, 200]


def test_lines_are_put_before_and_out() -> None:
    ms = array(90, 105, 160)
    walk.put_before(array(100, 155), array(155, 158), ms, 20)
    assert ms.tolist() == [90, 99, 160]
    ms = array(102, 150, 195)
    walk.put_out(array(100), array(200), ms, 20)
    assert ms.tolist() == [99, 150, 200]


def test_a_round_is_in_play_from_its_beginning_to_its_end() -> None:
    does = np.array([walk.PASSES, walk.BEGINS, walk.PASSES, walk.ENDS, walk.ENDS, walk.BEGINS, walk.BEGINS], np.uint8)
    number = array(-1, 0, -1, 1, 0, 1, 2)
    assert walk.in_play(does, number).tolist() == [-1, 0, 0, 0, -1, 1, 2]
