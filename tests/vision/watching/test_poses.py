"""From an index to the card that it stands on."""

import math

import numpy as np
import pytest

from tests.some import some
from vision.calibration.table import CARD_MM
from vision.faces.deck import HOUSE_DECKS, Mark, house_deck
from vision.footage.camera import CameraView
from vision.footage.layout import LOOKS, layout
from vision.footage.sprites import SpritePose as Lies
from vision.reading.index import Index
from vision.watching.poses import CardView, IndexView, Pose, Spot, card_outline, is_too_near, mean_pose

CAMERA = CameraView.at((60.0, 40.0))


def index_of(mark: Mark, lies: Lies, card_mm: tuple[float, float]) -> Index:
    """An index as a perfect reader finds it."""
    up = -1 if mark.turned else 1
    corners = np.array([(mark.x_mm, mark.y_mm), (mark.x_mm, mark.y_mm - up * mark.height_mm / 2)])
    on_felt = np.column_stack([corners, np.ones(2)]) @ lies.matrix(card_mm).T
    (x, y), (top_x, top_y) = CAMERA.pixels(on_felt[:, :2])
    half = math.hypot(top_x - x, top_y - y)
    angle = math.atan2(top_x - x, y - top_y)
    width = mark.width_mm * 2 * half / mark.height_mm
    return Index(x, y, width, 2 * half, angle, "7S", 0.99, (0.0,) * 13, (0.0,) * 4)


@pytest.mark.parametrize("deck", HOUSE_DECKS)
@pytest.mark.parametrize("seat", [1, 3, 5])
def test_both_indices_tell_where_a_card_lies(deck: str, seat: int) -> None:
    drawn, table = house_deck(deck), layout(5, LOOKS["teal"])
    view = CardView(CAMERA.calibration(table, drawn.card_mm))
    bearing = table.bearing(seat)
    for turn in (0.0, 0.03, math.pi, math.pi / 2):
        middle = np.mean(table.zones[f"seat{seat}"], axis=0)
        lies = Lies(float(middle[0]), float(middle[1]), turn - bearing)
        for mark in some(drawn.marks("8H")):
            spot = view.spot(index_of(mark, lies, drawn.card_mm))
            assert spot is not None
            assert math.hypot(spot.whole.x - lies.x_mm, spot.whole.y - lies.y_mm) < 8
            assert abs(math.remainder(spot.whole.angle - lies.angle, math.pi)) < 0.05
            other = view.other_index(spot, spot.whole)
            back = view.other_index(other, spot.whole)
            assert is_too_near(spot, back, doubtful=False) and not is_too_near(spot, other, doubtful=True)


def test_what_is_too_large_or_too_small_is_no_index() -> None:
    view = CardView(CAMERA.calibration(layout(5, LOOKS["teal"]), CARD_MM))
    index = Index(960, 600, 14, 20, 0.0, "7S", 0.99, (0.0,) * 13, (0.0,) * 4)
    assert view.spot(index) is not None
    assert view.spot(index._replace(height=4.0)) is None and view.spot(index._replace(height=90.0)) is None


def test_without_calibration_an_index_stands_for_itself() -> None:
    view = IndexView(1920, 1080)
    spot = view.spot(Index(100, 200, 14, 20, 0.0, "7S", 0.99, (0.0,) * 13, (0.0,) * 4))
    assert isinstance(spot, Spot) and spot.at == spot.whole == Pose(100, 200, 0.0)
    assert view.outline(spot) == pytest.approx(np.array([(93, 190), (107, 190), (107, 210), (93, 210)]))
    assert not view.is_same_whole(spot.whole, spot.whole)


def test_a_card_turned_by_half_is_the_same_card() -> None:
    mean = mean_pose([Pose(0, 0, 0.1), Pose(2, 4, math.pi + 0.3)])
    assert (mean.x, mean.y, mean.angle) == pytest.approx((1, 2, 0.2))
    assert card_outline(Pose(0, 0, math.pi / 2), (60, 90))[0] == pytest.approx((45, -30))
