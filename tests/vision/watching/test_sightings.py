"""Cards that were tracked, put into zones, hands and order."""

import math

import numpy as np
import pytest

from vision.calibration import Calibration
from vision.calibration.table import CARD_MM
from vision.footage.camera import CameraView
from vision.footage.layout import LOOKS, layout
from vision.watching.poses import Pose
from vision.watching.sightings import Register, Stay

TABLE = layout(5, LOOKS["teal"])
STEP_MM = (14.0, -12.0)  # of a hand that is not split
DOWN_MM = (0.0, 24.0)  # of a split one


@pytest.fixture
def calibration() -> Calibration:
    return CameraView.at().calibration(TABLE, CARD_MM)


def stay(
    card: str | None,
    at: tuple[float, float],
    first_ms: float,
    since_ms: float | None = None,
    until_ms: float = 60_000,
    missed_ms: float | None = None,
) -> Stay:
    """A card in box 3, which stands straight before the dealer; ``at`` is from the middle of the box."""
    x, y = np.mean(TABLE.zones["seat3"], axis=0) + at
    outline = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    began = first_ms - 500 if since_ms is None else since_ms
    times = began, first_ms, until_ms, until_ms + 1 if missed_ms is None else missed_ms
    return Stay(0, *times, Pose(float(x), float(y), 0.0), outline, (0, 0, 1, 1), "up", card, 0.99)


def told(calibration: Calibration | None, *stays: Stay) -> dict[str | None, tuple[str | None, int | None]]:
    register = Register(calibration)
    for each in stays:
        register.add(each)
    return {seen.card: (seen.zone, seen.order) for seen in register.ready(math.inf)}


def hand(cards: str, first: tuple[float, float], step: tuple[float, float], *times_ms: float) -> list[Stay]:
    """Cards one after another, each first seen at a time, and none of them before."""
    where = [(first[0] + n * step[0], first[1] + n * step[1]) for n in range(len(times_ms))]
    return [stay(card, at, ms, 500) for card, at, ms in zip(cards.split(), where, times_ms, strict=True)]


def test_in_the_order_of_first_sight(calibration: Calibration) -> None:
    seen = told(calibration, *hand("7S AD 3C", (-30, 40), STEP_MM, 2000, 4000, 6000))
    assert seen == {"7S": ("seat3.hand1", 1), "AD": ("seat3.hand1", 2), "3C": ("seat3.hand1", 3)}


@pytest.mark.parametrize("step", [STEP_MM, DOWN_MM])
@pytest.mark.parametrize("times_ms", [(4000, 4000, 4000, 4000), (4000, 4300, 4100, 4000)])
def test_cards_that_a_hand_hid_come_in_the_order_in_which_hands_grow(
    calibration: Calibration, step: tuple[float, float], times_ms: tuple[float, ...]
) -> None:
    seen = told(calibration, *reversed(hand("7S AD 3C KH", (-30, -20), step, *times_ms)))
    assert [seen[card][1] for card in ("7S", "AD", "3C", "KH")] == [1, 2, 3, 4]
    assert {zone for zone, _ in seen.values()} == {"seat3.hand1"}


def test_time_decides_where_it_is_known(calibration: Calibration) -> None:
    """A hand that grows the other way."""
    cards = hand("7S AD 3C", (-30, 40), STEP_MM, 6000, 4000, 2000)
    seen = told(calibration, *(stay(each.card, _at(each), each.first_ms) for each in cards))
    assert [seen[card][1] for card in ("3C", "AD", "7S")] == [1, 2, 3]


def _at(of: Stay) -> tuple[float, float]:
    x, y = np.array([of.whole.x, of.whole.y]) - np.mean(TABLE.zones["seat3"], axis=0)
    return float(x), float(y)


def test_hands_of_a_split_lie_side_by_side(calibration: Calibration) -> None:
    """The second card of a pair is moved to a hand of its own; both hands grow while nobody sees it."""
    pair = [stay("8S", (-40, -60), 1000), stay("8D", (-40, -36), 2000, until_ms=5000)]
    moved = stay("8D", (40, -60), 6000)
    left = hand("2C 3C", (-40, -36), DOWN_MM, 9000, 9000)
    right = hand("4H 5H", (40, -36), DOWN_MM, 9500, 9000)
    register = Register(calibration)
    for each in (*pair, moved, *left, *right):
        register.add(each)
    seen = [(each.card, each.zone, each.order) for each in register.ready(math.inf)]
    assert sorted(seen) == [
        ("2C", "seat3.hand1", 2),
        ("3C", "seat3.hand1", 3),
        ("4H", "seat3.hand2", 2),
        ("5H", "seat3.hand2", 3),
        ("8D", "seat3.hand1", 2),
        ("8D", "seat3.hand2", 1),
        ("8S", "seat3.hand1", 1),
    ]


def test_a_card_in_the_place_of_one_that_is_gone_came_after_it(calibration: Calibration) -> None:
    before = stay("6D", (0, 0), 39_000, 38_500, until_ms=39_400)
    after = stay("5C", (0, 0), 41_100, 37_400)
    seen = told(calibration, stay("AC", (0, -24), 30_000), before, after)
    assert seen == {"AC": ("seat3.hand1", 1), "6D": ("seat3.hand1", 2), "5C": ("seat3.hand1", 2)}


def test_sightings_wait_for_cards_that_were_laid_before(calibration: Calibration) -> None:
    register = Register(calibration)
    register.add(stay("3C", (0, 0), 6000))
    assert list(register.ready(open_since_ms=2000.0)) == []
    assert [seen.card for seen in register.ready(open_since_ms=6500.0)] == ["3C"]


def test_a_card_lying_across_its_hand(calibration: Calibration) -> None:
    register = Register(calibration)
    straight, across = hand("7S AD", (-30, 0), STEP_MM, 1000, 3000)
    register.add(straight)
    turned = Stay(**{**vars(across), "whole": across.whole._replace(angle=math.pi / 2)})
    register.add(turned)
    assert [(seen.card, seen.sideways) for seen in register.ready(math.inf)] == [("7S", False), ("AD", True)]


def test_without_calibration_there_is_no_zone() -> None:
    register = Register(None)
    register.add(stay("7S", (0, 0), 1000))
    [seen] = register.ready(math.inf)
    assert (seen.zone, seen.order, seen.sideways) == (None, None, None)


@pytest.mark.parametrize(("missed_ms", "hand"), [(7_500, ("seat3.hand2", 3)), (6_400, ("seat3.hand3", 1))])
def test_a_card_that_is_laid_while_a_hand_hides_the_others(
    calibration: Calibration, missed_ms: float, hand: tuple[str, int]
) -> None:
    """The last card of a hand that is then taken up as a whole; it is a hand of its own where they had gone before."""
    first = stay("8S", (-45, -30), 1_000)
    others = [
        stay(card, (45, -30 + 24 * n), 3_000 + 1_000 * n, until_ms=6_000, missed_ms=missed_ms)
        for n, card in enumerate(("8H", "9C"))
    ]
    seen = told(calibration, first, *others, stay("KD", (45, 18), 6_500, until_ms=7_000, missed_ms=7_500))
    assert seen["KD"] == hand
