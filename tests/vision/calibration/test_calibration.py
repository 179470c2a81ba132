"""Calibrations as files, and what they say of places."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vision.calibration import Calibration, CalibrationError, Colour, Felt, load
from vision.calibration.table import CARD_MM, zones

SQUARE = [[0, 0], [100, 0], [100, 100], [0, 100]]
PLAIN: dict[str, Any] = {
    "image": [1000, 500],
    "homography": [[2, 0, -1000], [0, 2, 0], [0, 0, 1]],
    "zones": {"seat1": SQUARE, "dealer": [[-100, 0], [0, 0], [0, 100]]},
    "card_mm": [63, 88],
}
# Looks from the players' side, and has the table turned a little.
TILTED = np.array([[1.1, 0.03, -1020.0], [-0.02, 1.2, -40.0], [1e-5, 1.5e-4, 1.0]])


def tilted() -> Calibration:
    return Calibration((1920, 1080), TILTED, zones(7), CARD_MM)


def test_there_and_back() -> None:
    places = np.array([(0, 0), (1920, 0), (960, 540), (1920, 1080)], np.float64)
    assert np.abs(tilted().to_px(tilted().to_mm(places)) - places).max() < 1e-6
    plain = Calibration.from_json(PLAIN)
    assert plain.to_mm([(500, 100)]).tolist() == [[0, 200]]
    assert plain.to_px((0, 200)).tolist() == [[500, 100]]
    assert plain.px_per_mm == pytest.approx(0.5) and plain.card_px == pytest.approx((31.5, 44))


def test_scale_grows_towards_the_camera() -> None:
    view = tilted()
    assert view.px_per_mm_at((0, 900)) != pytest.approx(view.px_per_mm_at((0, 100)), rel=0.05)


def test_zone_of_a_point() -> None:
    plain = Calibration.from_json(PLAIN)
    assert plain.zone_at((50, 50)) == "seat1"
    assert plain.zone_at((50, 110)) is None
    assert plain.zone_at((50, 110), within_mm=15) == "seat1"
    assert plain.zone_at([[-10, 50]]) == "dealer"


@pytest.mark.parametrize(("zone", "degrees"), [("seat1", -42.0), ("seat4", 0.0), ("seat7", 42.0), ("dealer", 0.0)])
def test_cards_lie_straight_towards_the_dealer(zone: str, degrees: float) -> None:
    assert math.degrees(tilted().upright(zone)) == pytest.approx(degrees, abs=0.5)


def test_json_there_and_back() -> None:
    felt = Felt(Colour((100, 90, 150), (8, 3, 3)), {"seat1": Colour((99, 90, 150), (7, 3, 3))})
    before = Calibration.from_json(PLAIN | {"lens": "8 mm", "marks": SQUARE, "felt": felt.to_json()})
    after = Calibration.from_json(json.loads(json.dumps(before.to_json())))
    assert after.to_json() == before.to_json()
    assert after.to_json()["lens"] == "8 mm" and after.to_json()["card_px"] == [31.5, 44.0]
    assert after.felt == felt
    assert after.marks is not None and after.marks.tolist() == SQUARE


def test_y_that_grows_upwards_is_turned_round() -> None:
    upwards = PLAIN | {
        "homography": [[2, 0, -1000], [0, -2, 0], [0, 0, 1]],
        "zones": {name: [[x, -y] for x, y in outline] for name, outline in PLAIN["zones"].items()},
        "marks": [[0, -10]],
    }
    turned = Calibration.from_json(upwards)
    assert turned.to_mm([(500, 100)]).tolist() == [[0, 200]] and turned.zone_at((50, 50)) == "seat1"
    assert turned.marks is not None and turned.marks.tolist() == [[0, 10]]


def test_other_sizes_of_the_same_picture() -> None:
    full, half = tilted(), tilted().for_picture(960, 540)
    assert np.abs(half.to_px([(100, 300)]) * 2 - full.to_px([(100, 300)])).max() < 1e-6
    assert full.for_picture(1920, 1080) is full
    with pytest.raises(CalibrationError, match="found 1920 x 1080, expected the proportions of the picture, 640 x 480"):
        full.for_picture(640, 480)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"image": [1000]}, r"calibration\.image: found \[1000\], expected 2 numbers"),
        ({"image": [1000, "x"]}, r"calibration\.image\[1\]: found 'x', expected a number"),
        ({"image": [0, 500]}, "image: found 0 x 500, expected a width and height"),
        ({"homography": None}, "homography: found None, expected three rows"),
        ({"homography": [[1, 0, 0], [0, 1], [0, 0, 1]]}, r"homography\[1\]: found \[0, 1\], expected 3 numbers"),
        ({"homography": [[1, 0, math.nan], [0, 1, 0], [0, 0, 1]]}, r"homography\[0\]\[2\]: found nan"),
        ({"homography": [[1, 0, 0], [2, 0, 0], [0, 0, 1]]}, "homography: cannot be inverted"),
        ({"homography": [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}, "homography: cannot be inverted"),
        ({"homography": [[1, 0, 0], [0, 1, 0], [0.01, 0, -1]]}, "horizon within the picture"),
        ({"homography": [[900, 0, 0], [0, 900, 0], [0, 0, 1]]}, "a millimetre is 0.00111 pixels, expected 0.05 to 50"),
        ({"zones": {}}, "zones: found {}, expected outlines"),
        ({"zones": {"seat1": [[0, 0], [1, 1]]}}, r"zones\.seat1: expected at least three points around an area"),
        ({"zones": {"seat1": 5}}, r"zones\.seat1: found 5, expected a list of points"),
        ({"card_mm": [88, 63]}, "card_mm: found 88 x 63, expected width and height"),
        ({"card_mm": [True, 63]}, r"card_mm\[0\]: found True, expected a number"),
        ({"marks": "none"}, "marks: found 'none', expected a list of points"),
        ({"felt": {"mean": [1, 2, 3]}}, r"felt\.spread: missing"),
        ({"felt": {"mean": [1, 2, 3], "spread": [1, 2, 3], "zones": 4}}, r"felt\.zones: found 4"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(CalibrationError, match=said):
        Calibration.from_json(PLAIN | change)


@pytest.mark.parametrize("field", PLAIN)
def test_what_is_missing_is_named(field: str) -> None:
    with pytest.raises(CalibrationError, match=rf"calibration\.{field}: missing"):
        Calibration.from_json({name: value for name, value in PLAIN.items() if name != field})


def test_from_a_file_or_a_sidecar(tmp_path: Path) -> None:
    path = tmp_path / "camera.json"
    path.write_text(json.dumps(PLAIN))
    alone = load(path)
    path.write_text(json.dumps({"start": "2026-01-05T09:00:00.000-05:00", "camera": "eye", "calibration": PLAIN}))
    assert load(path).to_json() == alone.to_json()


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "expected JSON"), ("[]", r"calibration: found \[\], expected an object"), ('{"image": 1}', "image: found 1")],
)
def test_files_that_are_none(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "camera.json"
    path.write_text(text)
    with pytest.raises(CalibrationError, match=rf"camera\.json: .*{said}"):
        load(path)
    with pytest.raises(CalibrationError, match=r"nowhere\.json: no such file"):
        load(tmp_path / "nowhere.json")
