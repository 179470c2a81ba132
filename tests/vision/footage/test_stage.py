"""The timeline: cards fly, lie long enough to be seen, and move on from where they lay."""

import math

import numpy as np
import pytest

from tests.some import some
from vision.faces.deck import house_deck
from vision.footage import film
from vision.footage.drill import hurried
from vision.footage.layout import LOOKS, layout
from vision.footage.places import CardStay
from vision.footage.sprites import SpritePose
from vision.footage.stage import HandMove, Motion, Reach, StageWager

SET = film.Set.somewhere(layout(7, LOOKS["red"]), house_deck("lantern"), 3, (480, 270))


def drilled() -> film.Take:
    return film.take(SET, *hurried(SET.layout, 3, np.random.default_rng(8)))


def test_every_card_comes_to_rest_and_lies_a_while() -> None:
    filmed = drilled()
    for each, when in some(zip(filmed.lain, filmed.stage.settled, strict=True)):
        assert 60 <= when.settled_ms - each.stay.laid_ms <= 400
        assert when.lifted_ms - when.settled_ms >= 500
        assert filmed.from_ms <= each.stay.laid_ms and when.lifted_ms <= filmed.until_ms


def test_a_card_that_is_taken_at_once_is_shown_all_the_same() -> None:
    """A hand is settled a moment after its last card came: the dealer's hands need a moment more."""
    early, late = (
        CardStay("9S", "seat2.hand1", 1, "up", False, 0, 5_300),
        CardStay("KS", "seat2.hand1", 2, "up", False, 5_000, 5_300),
    )
    filmed = film.take(SET, [early, late._replace(n=1)])
    lifted = {when.lifted_ms for when in filmed.stage.settled}
    assert len(lifted) == 1 and lifted.pop() >= 6_000


def test_cards_go_on_from_where_they_lay() -> None:
    filmed = drilled()
    moves = {(motion.card, motion.from_ms): motion for motion in filmed.stage.motions}
    poses: dict[tuple[str, int], SpritePose] = {}
    for each in some(filmed.lain):
        key = each.stay.shoe, each.stay.n
        motion = moves[each.stay.card, each.stay.laid_ms]
        assert motion.at(motion.until_ms)[:4] == pytest.approx(each.pose[:4])
        if key in poses:
            assert motion.at(motion.from_ms)[:4] == pytest.approx(poses[key][:4])
        poses[key] = each.pose


def test_a_card_turns_over_on_its_way() -> None:
    lain = drilled().lain[0].pose
    motion = Motion(0, 300, "7S", lain._replace(facing=-1.0), lain, 20.0)
    facing = [motion.at(ms).facing for ms in range(0, 301, 30)]
    assert facing == sorted(facing) and facing[0] == -1 and facing[-1] == 1 and 0 not in facing


def test_a_hand_goes_home_when_there_is_time() -> None:
    reach = Reach(drilled().stage.reaches[0].hand, (0.0, -300.0))
    reach.do(HandMove(1_000, 1_300, (100.0, 100.0), (200.0, 500.0)))
    reach.do(HandMove(1_500, 1_800, (100.0, 100.0), (300.0, 500.0)))
    reach.do(HandMove(9_000, 9_300, (100.0, 100.0), (400.0, 500.0)))
    reach.leave()
    assert reach.tip(0) is None and reach.tip(5_000) is None and reach.tip(20_000) is None
    assert reach.tip(1_300) == (200.0, 500.0) and reach.tip(1_800) == (300.0, 500.0)
    assert reach.tip(1_400) == pytest.approx((150.0, 300.0))
    x, y = reach.tip(8_800) or (math.nan, math.nan)
    assert 0 < x < 100 and -300 < y < 100


def test_wagers_lie_in_their_box_and_are_paid_beside() -> None:
    stake = StageWager(2, "main", 5_000, 1_000, 9_000)
    filmed = film.take(SET, [], [stake, stake._replace(is_paid=True, laid_ms=8_000), stake._replace(kind="match")])
    stacks = [rest.stack for rest in filmed.stage.rests if rest.stack is not None]
    assert len(stacks) == 3 and len({(stack.x_mm, stack.y_mm) for stack in stacks}) == 3
    assert all(math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) > 35 for a in stacks for b in stacks if a is not b)
