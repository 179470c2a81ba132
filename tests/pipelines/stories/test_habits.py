"""Habits of players: known without a day, learned from one, and never certain."""

import numpy as np
import pytest

from pipelines.stories import habits
from replay import ops
from replay.columns import I64

_NONE = np.zeros(0, np.int32)
_UNSEEN: I64 = habits.learn(_NONE, np.zeros(0, np.uint8), np.zeros(0, np.bool_))


def hand(total: int, soft: bool = False, up: int = 0, two_cards: bool = True) -> int:
    """The number of a hand before a decision; ``up`` is 1 where the dealer shows 7 or more."""
    return ((23 * soft + total) * 2 + up) * 2 + two_cards


@pytest.mark.parametrize(
    ("state", "usual", "odd"),
    [
        (hand(8), ops.HIT, ops.STAND),
        (hand(19), ops.STAND, ops.HIT),
        (hand(13, soft=True), ops.HIT, ops.STAND),
        (hand(20, soft=True), ops.STAND, ops.HIT),
    ],
)
def test_without_a_day_low_totals_are_hit_and_high_ones_stood_on(state: int, usual: int, odd: int) -> None:
    assert _UNSEEN[state, usual] < 500 < 2_000 < _UNSEEN[state, odd]


def test_a_day_tells_what_its_players_do() -> None:
    """Everybody doubles 11 against a low up card, and stands on 11 against a high one."""
    state = np.array([hand(11)] * 50 + [hand(11, up=1)] * 50, np.int32)
    action = np.array([ops.DOUBLE_DOWN] * 50 + [ops.STAND] * 50, np.uint8)
    learned = habits.learn(state, action, np.ones(100, np.bool_))
    assert learned[hand(11), ops.DOUBLE_DOWN] < 300 < 2_000 < learned[hand(11), ops.STAND]
    assert learned[hand(11, up=1), ops.STAND] < 300 < 2_000 < learned[hand(11, up=1), ops.DOUBLE_DOWN]
    left_out = habits.learn(state, action, np.zeros(100, np.bool_))
    assert (left_out == _UNSEEN).all()


def test_no_decision_is_impossible() -> None:
    """A player who once does what nobody does makes no misdeal: that costs less than a misdeal supposes."""
    state = np.full(10_000, hand(20), np.int32)
    learned = habits.learn(state, np.full(10_000, ops.STAND, np.uint8), np.ones(10_000, np.bool_))
    assert 5_000 < learned[hand(20), ops.HIT] < 6_000


def test_a_decision_on_an_unknown_hand_costs_nothing() -> None:
    state, action = np.array([habits.NO_STATE, hand(20)], np.int32), np.array([ops.HIT, ops.HIT], np.uint8)
    assert habits.costs(state, action, _UNSEEN).tolist() == [0, int(_UNSEEN[hand(20), ops.HIT])]
