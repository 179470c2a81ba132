"""The compiled walks and votes against plain counting."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.align import votes, walk
from pipelines.align.streams import unwrapped
from replay.columns import I64


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


@pytest.mark.parametrize(
    ("shown", "rising"),
    [
        ([10, 20, 30], [10, 20, 30]),
        ([10, 99, 20, 30, 5, 40], [10, 10, 20, 30, 30, 40]),  # stray times get the time before them
        ([99, 20, 30], [20, 20, 30]),
    ],
)
def test_stray_times_are_flattened(shown: list[int], rising: list[int]) -> None:
    ms, steps = unwrapped(array(*shown))
    assert ms.tolist() == rising
    assert steps.tolist() == []


def test_a_step_back_is_undone() -> None:
    ms, steps = unwrapped(array(1000, 1100, 1200, 500, 600, 700))
    assert steps.tolist() == [3]
    # After it, time goes on by the usual gap.
    assert ms.tolist() == [1000, 1100, 1200, 1300, 1400, 1500]


@given(st.lists(st.integers(0, 1000), max_size=30))
def test_unwrapped_times_never_go_back(values: list[int]) -> None:
    ms, steps = unwrapped(array(*values))
    assert len(ms) == len(values)
    assert (np.diff(ms) >= 0).all()
    if (np.diff(values) >= 0).all():
        assert ms.tolist() == values
        assert steps.tolist() == []


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
    votes.tally(begins, ends, least, most, ms, 1, tally)
    for reading in range(-reach, reach, 2):
        moved = ms - reading
        held = [((moved > a) & (moved < b)).sum() for a, b in zip(begins, ends, strict=True)]
        assert tally[reading + reach] == ((least <= held) & (held <= most)).sum()


@pytest.mark.parametrize(
    ("draws", "kept"),
    [
        ([105, 150, 290], [105, 150, 290]),  # all on their side
        ([95, 150, 290], [100, 150, 290]),  # the round's first card before bets were closed
        ([105, 150, 305], [105, 150, 299]),  # its last card within the uncertainty after the end
        ([105, 150, 325], [105, 150, 325]),  # too far behind the end for that
    ],
)
def test_draws_keep_to_their_side_of_closing_and_end(draws: list[int], kept: list[int]) -> None:
    ms = array(*draws)
    walk.keep_sides(array(100), array(300), array(50), array(0), array(20), ms)
    assert ms.tolist() == kept


def test_the_card_before_a_rounds_first_stays_before_it() -> None:
    ms = array(40, 103, 150)
    walk.keep_sides(array(0, 100), array(30, 300), array(0, 100), array(0, 2), array(20, 20), ms)
    assert ms.tolist() == [40, 99, 150]


def first_draw(draws: list[int], tolerance: int = 50, cards: int = 3, fresh: int | None = None) -> int:
    """Find the first draw of a round closed at 1000 and dealt by 2000, after one that ended at 500."""
    firsts = array(0)
    marks = np.array([n == fresh for n in range(len(draws))], np.uint8)
    times = (array(1000), array(2000), array(500), array(cards))
    votes.first_draws(*times, array(*draws), marks, array(0), array(tolerance), firsts)
    return int(firsts[0])


@pytest.mark.parametrize(
    ("draws", "first"),
    [
        ([400, 1100, 1500, 1900], 1),
        ([400, 990, 1500, 1900, 2500], 1),  # just too early, but needed before the first decision
        ([400, 940, 1500, 1900, 2500], 2),  # too early by more than the tolerance
    ],
)
def test_a_rounds_first_draw(draws: list[int], first: int) -> None:
    assert first_draw(draws) == first


def test_a_round_is_in_play_from_its_beginning_to_its_end() -> None:
    does = np.array([walk.PASSES, walk.BEGINS, walk.PASSES, walk.ENDS, walk.ENDS, walk.BEGINS, walk.BEGINS], np.uint8)
    number = array(-1, 0, -1, 1, 0, 1, 2)
    assert walk.in_play(does, number).tolist() == [-1, 0, 0, 0, -1, 1, 2]


@pytest.mark.parametrize(
    ("draws", "kept"),
    [
        ([5, 22, 45], [5, 30, 45]),  # one card burned for a new dealer
        ([5, 21, 22, 23, 24, 45], [5, 21, 22, 23, 24, 45]),  # rounds that the terminal did not log
    ],
)
def test_a_new_dealer_burns_a_card_but_draws_no_rounds(draws: list[int], kept: list[int]) -> None:
    closed, ended, changes = array(0, 40), array(20, 60), array(30)
    assert walk.keep_burns(closed, ended, changes, array(*draws)).tolist() == kept


def test_levels_step_where_three_deals_tell_of_it() -> None:
    """Two deals at another offset contradict the clock, three show that it stepped."""
    high = np.full(20, 100.0)
    for odd in (2, 3):
        shifted = high.copy()
        shifted[8 : 8 + odd] -= 5_000
        level = walk.levels(shifted - 200, shifted, 50.0, 3)
        assert len(np.unique(level)) == 1
        shifted[8 + odd :] -= 5_000
        level = walk.levels(shifted - 200, shifted, 50.0, 3)
        assert np.flatnonzero(np.diff(level)).tolist() == [7]
