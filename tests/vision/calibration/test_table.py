"""The table's geometry in millimetres."""

import itertools

import cv2
import numpy as np
import pytest

from vision.calibration import table


@pytest.mark.parametrize("boxes", range(1, 9))
def test_zones_keep_apart_and_within_sight(boxes: int) -> None:
    zones = table.zones(boxes)
    assert list(zones) == [*(f"seat{box}" for box in range(1, boxes + 1)), "dealer", "burn", "discard"]
    for outline in [*zones.values(), table.area("shoe")]:
        assert np.abs(outline[:, 0]).max() < table.SIZE_MM[0] / 2
        assert outline[:, 1].min() > 0 and outline[:, 1].max() < table.SIZE_MM[1]
    for one, other in itertools.combinations([*zones.values(), table.area("shoe")], 2):
        hulls = [cv2.convexHull(each.astype(np.float32)) for each in (one, other)]
        shared, _ = cv2.intersectConvexConvex(hulls[0], hulls[1])
        # The hulls of neighbouring boxes share the slivers that their inner arcs cut off.
        assert shared < 150


def test_box_one_is_the_dealers_far_left() -> None:
    assert [np.sign(round(table.bearing(box, 7), 9)) for box in (1, 4, 7)] == [1, 0, -1]
    assert table.zones(7)["seat1"].mean(axis=0)[0] > 600


@pytest.mark.parametrize("boxes", [5, 6, 7, 8])
def test_a_box_takes_four_hands_side_by_side(boxes: int) -> None:
    middle = sum(table.CARDS_MM) / 2
    assert table.box_width(boxes) * middle > 230
    assert table.CARDS_MM[1] - table.CARDS_MM[0] > table.CARD_MM[1] + 7 * 12


@pytest.mark.parametrize("boxes", [0, 9])
def test_too_few_or_many_boxes(boxes: int) -> None:
    with pytest.raises(ValueError, match=f"boxes: found {boxes}, expected 1 to 8"):
        table.zones(boxes)
