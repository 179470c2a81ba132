"""From a still to a calibration."""

import cv2
import numpy as np
import pytest

from tests.vision.calibration import tables
from tests.vision.calibration.tables import HALF_HD
from vision.calibration import CalibrationError, TableLayout, card_size_seen, draw, find, from_corners
from vision.calibration.table import CARD_MM, MARKS_MM
from vision.footage.camera import FULL_HD

# Points of the felt far apart from each other.
EVERYWHERE = [(x, y) for x in (-850.0, 0.0, 850.0) for y in (30.0, 400.0)] + [(0.0, 980.0)]


@pytest.mark.parametrize(
    ("seed", "boxes", "image"),
    [(0, 7, FULL_HD), (1, 7, HALF_HD), (2, 5, HALF_HD), (3, 8, HALF_HD), (4, 6, HALF_HD), (5, 7, (960, 540))],
)
def test_marks_are_found_among_cards_and_chips(seed: int, boxes: int, image: tuple[int, int]) -> None:
    on = tables.table(seed, boxes, image=image)
    found = find(on.in_play, TableLayout.of_boxes(boxes))
    assert np.abs(found.to_px(EVERYWHERE) - on.view.pixels(EVERYWHERE)).max() < 0.5
    assert found.image == image and list(found.zones) == list(on.layout.zones)


@pytest.mark.parametrize("seed", range(2))
def test_chips_like_marks_are_not_taken_for_them(seed: int) -> None:
    on = tables.table(seed)
    still = tables.with_ring_chips(on, on.in_play, 25, seed)
    found = find(still, TableLayout.of_boxes(7))
    assert np.abs(found.to_px(MARKS_MM) - on.view.pixels(MARKS_MM)).max() < 0.5


@pytest.mark.parametrize("hidden", [(0,), (1, 2), (0, 1, 2, 3)])
def test_without_all_four_marks_nothing_is_made_up(hidden: tuple[int, ...]) -> None:
    on = tables.table(1)
    still = tables.with_hidden_marks(on, on.in_play, hidden)
    for seed in range(2):
        with pytest.raises(CalibrationError, match="corner marks are not all to be seen"):
            find(tables.with_ring_chips(on, still, 25, seed), TableLayout.of_boxes(7))


def test_the_camera_may_be_rolled() -> None:
    on = tables.table()
    still = tables.shifted(on.empty, 10, 5, turn_degrees=6, zoom=0.8)
    turned = find(still, TableLayout.of_boxes(7))
    across = turned.to_px([(-500, 300), (500, 300)])
    assert np.degrees(np.arctan2(*(across[1] - across[0])[::-1])) == pytest.approx(-6, abs=1.5)
    assert turned.px_per_mm == pytest.approx(0.8 * on.truth.px_per_mm, rel=0.02)


def test_corners_by_hand() -> None:
    on = tables.table(1)
    found = from_corners(on.empty, on.view.pixels(MARKS_MM), TableLayout.of_boxes(7))
    assert np.abs(found.to_px(EVERYWHERE) - on.view.pixels(EVERYWHERE)).max() < 0.1
    assert found.marks is None


@pytest.mark.parametrize(
    ("corners", "said"),
    [
        ([(10, 10), (900, 10), (900, 500)], "found 3, expected 4 points"),
        ([(10, 10), (900, 10), (900, 500), (10, 5000)], "found 10,5000, expected a point of the picture"),
        ([(10, 10), (10, 500), (900, 500), (900, 10)], "clockwise from the upper left"),
        ([(10, 10), (900, 500), (900, 10), (10, 500)], "clockwise from the upper left"),
        ([(10, 10), (10, 10), (10, 10), (10, 10)], "clockwise from the upper left"),
    ],
)
def test_corners_that_cannot_be(corners: list[tuple[float, float]], said: str) -> None:
    with pytest.raises(CalibrationError, match=said):
        from_corners(np.zeros((1080, 1920, 3), np.uint8), corners, TableLayout.of_boxes(7))


def test_felt_is_measured_without_what_lies_on_it() -> None:
    on = tables.table(1)
    felt = find(on.in_play, TableLayout.of_boxes(7)).felt
    bare = find(on.empty, TableLayout.of_boxes(7)).felt
    printed = cv2.cvtColor(np.full((1, 1, 3), on.layout.felt, np.uint8), cv2.COLOR_BGR2LAB).ravel()
    assert felt is not None and bare is not None and set(felt.zones) == set(on.layout.zones)
    for name, colour in felt.zones.items():
        assert np.abs(np.array(colour.mean) - bare.zones[name].mean).max() < 6, name
        assert np.abs(np.array(colour.mean)[1:] - printed[1:]).max() < 15, name
        assert max(colour.spread) < 15, name


@pytest.mark.parametrize("deck", ["harbour", "lantern"])
def test_size_of_the_cards_on_the_felt(deck: str) -> None:
    on = tables.table(1, deck=deck)
    still = on.with_single_cards
    assert card_size_seen(find(still, TableLayout.of_boxes(7)), still) == on.deck.card_mm


def test_no_cards_have_no_size() -> None:
    on = tables.table(1)
    made = find(on.empty, TableLayout.of_boxes(7))
    assert card_size_seen(made, on.empty) is None and made.card_mm == CARD_MM


def test_another_layout() -> None:
    on = tables.table(1)
    square = [[0, 0], [100, 0], [100, 100], [0, 100]]
    plan = TableLayout.from_json({"zones": {"seat1": square}, "card_mm": [57, 89]})
    made = find(on.empty, plan)
    assert (made.zone_at((50, 50)), made.card_mm) == ("seat1", (57, 89))
    with pytest.raises(CalibrationError, match=r"layout\.marks: found 1, expected 4"):
        TableLayout.from_json({"zones": {"seat1": square}, "marks": [[0, 0]]})


def test_drawn_for_checking() -> None:
    on = tables.table()
    still = on.empty
    drawn = draw(still, on.truth)
    changed = np.abs(drawn.astype(int) - still).max(axis=2) > 20
    assert drawn.shape == still.shape and 0.02 < changed.mean() < 0.3
    corner = on.truth.to_px(on.layout.zones["dealer"])[0].round().astype(int)
    assert changed[corner[1] - 3 : corner[1] + 4, corner[0] - 3 : corner[0] + 4].any()
