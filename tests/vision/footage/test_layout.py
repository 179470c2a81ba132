"""Layouts: what is printed where."""

import cv2
import numpy as np
import pytest

from vision.calibration.table import MARKS_MM
from vision.faces.deck import house_deck
from vision.footage import film
from vision.footage.layout import LOOKS, layout
from vision.footage.props import chips_of


@pytest.mark.parametrize("look", LOOKS)
def test_every_look_has_a_table_with_marks(look: str) -> None:
    on = film.Set.somewhere(layout(7, LOOKS[look]), house_deck("harbour"), 2)
    bare = film.Camera(on, film.take(on, []).stage).bare
    assert bare.shape == (1080, 1920, 3)
    grey = cv2.cvtColor(bare, cv2.COLOR_BGR2GRAY)
    for (x, y), (beside, _) in zip(
        on.view.pixels(MARKS_MM), on.view.pixels([(x + 10.5, y) for x, y in MARKS_MM]), strict=True
    ):
        assert grey[round(y), round(x)] > 130 > 60 > grey[round(y), round(beside)]


def test_layouts_differ() -> None:
    looks = [layout(boxes, look) for look in LOOKS.values() for boxes in (5, 8)]
    assert len({(look.felt, look.boxes) for look in looks}) == len(looks)
    assert any("PONTOON PAYS 3 TO 2" in arc.text for arc in layout(7, LOOKS["teal"]).arcs)


def test_a_table_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="boxes: found 9, expected 1 to 8"):
        layout(9, LOOKS["teal"])


def test_an_amount_in_chips() -> None:
    assert chips_of(3_600) == [2_500, 500, 500, 100]
    assert len(chips_of(90_000_000)) == 12
    assert np.sum(chips_of(61_100)) == 61_100
