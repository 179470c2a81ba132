"""Films: the same from the same seed, as long as they should be, true to what they are made of."""

import json
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.calibration import Calibration
from vision.calibration.table import MARKS_MM
from vision.faces.deck import house_deck
from vision.footage import film, truth
from vision.footage.camera import FULL_HD, CameraView, Optics, Picture
from vision.footage.drill import hurried, idle
from vision.footage.layout import LOOKS, layout
from vision.footage.places import CardStay
from vision.footage.stage import StageWager

SMALL = (480, 270)
PLAIN = Optics(noise=0.0, drift=0.0, knocks_per_minute=0.0)


def a_set(image: tuple[int, int] = SMALL, seed: int = 1, optics: Optics | None = None) -> film.Set:
    on = film.Set.somewhere(layout(7, LOOKS["teal"]), house_deck("pier"), seed, image)
    return on if optics is None else film.Set(on.layout, on.deck, on.view, optics, seed)


def one_card(card: str = "2H") -> list[CardStay]:
    return [CardStay(card, "seat3.hand1", 1, "up", False, 1_000, 4_000)]


def seen(on: film.Set, filmed: film.Take, *at_ms: float) -> list[Picture]:
    camera = film.Camera(on, filmed.stage)
    return [camera.frame(ms, ms - filmed.from_ms) for ms in at_ms]


def read(path: Path) -> tuple[list[Picture], list[float]]:
    video = cv2.VideoCapture(str(path))
    frames: list[Picture] = []
    times: list[float] = []
    while True:
        more, frame = video.read()
        if not more:
            return frames, times
        frames.append(frame.astype(np.uint8, copy=False))
        times.append(video.get(cv2.CAP_PROP_POS_MSEC))


def test_a_film_on_disk(tmp_path: Path) -> None:
    on, told = a_set(), list[int]()
    filmed = film.take(on, one_card(), [StageWager(3, "main", 5_500, 500, 4_500)])
    shown = film.shoot(tmp_path / "a.mp4", on, filmed, fps=10, progress=told.append)
    frames, times = read(tmp_path / "a.mp4")
    assert len(frames) == film.count(filmed, 10) == sum(told)
    assert np.diff(times) == pytest.approx(100.0)
    assert shown.height == 1
    row = shown.row(0, named=True)
    assert row["laid_ms"] == 1_000 - filmed.from_ms
    assert row["laid_ms"] + 250 <= row["settled_ms"] <= row["laid_ms"] + 400 < row["clear_ms"]
    assert row["settled_frame"] == int(np.ceil(row["settled_ms"] / 100)) and row["until_ms"] == 4_000 - filmed.from_ms


def test_the_same_seed_gives_the_same_frames() -> None:
    takes = []
    for seed in (1, 1, 2):
        on = a_set(seed=seed)
        filmed = film.take(on, *hurried(on.layout, 1, np.random.default_rng(5)))
        takes.append(seen(on, filmed, *np.arange(3_000, 9_000, 400)))
    one, again, other = (np.array(frames) for frames in takes)
    assert np.array_equal(one, again) and not np.array_equal(one, other)


def test_the_truth_is_where_the_card_is() -> None:
    """Against the empty table, a card changes just its own pixels, and its index has just its box's."""
    on = a_set(FULL_HD, optics=PLAIN._replace(softness_px=0.3))
    filmed = film.take(on, one_card())
    empty, card = (frame.astype(int) for frame in seen(on, filmed, 0, 3_000))
    row = truth.rows(filmed.lain, filmed.stage.settled, on.view, on.deck, filmed.from_ms, 15, 99).row(0, named=True)
    y, x = np.nonzero((card - empty).max(axis=2) > 80)
    assert ((x.min() + x.max()) / 2, (y.min() + y.max()) / 2) == pytest.approx((row["x"], row["y"]), abs=1.0)
    for left, top, right, bottom in row["index_boxes"]:
        part = card[round(top) - 3 : round(bottom) + 3, round(left) - 3 : round(right) + 3]
        y, x = np.nonzero(part[..., 2] - part[..., 1] > 60)
        assert x.min() >= 1 and y.min() >= 1 and x.max() <= part.shape[1] - 2 and y.max() <= part.shape[0] - 2
        assert x.max() - x.min() > 0.6 * (right - left) and y.max() - y.min() > 0.8 * (bottom - top)


def test_what_is_picked_up_leaves_nothing_behind() -> None:
    on = a_set(optics=PLAIN)
    filmed = film.take(on, *hurried(on.layout, 1, np.random.default_rng(3)))
    camera = film.Camera(on, filmed.stage)
    for ms in np.arange(filmed.from_ms, filmed.until_ms, 900):
        camera.frame(float(ms), 0.0)
    assert np.array_equal(camera.base, camera.bare) and not camera.resting


def test_a_face_down_card_shows_its_back() -> None:
    on = a_set(FULL_HD, optics=PLAIN)
    down = one_card()[0]._replace(face="down")
    two, king = (seen(on, film.take(on, [down._replace(card=card)]), 3_000)[0] for card in ("2H", "KS"))
    assert np.array_equal(two, king)


def test_a_table_without_cards_is_not_still() -> None:
    on = a_set()
    filmed = film.take(on, [], *idle(on.layout, 20, np.random.default_rng(1)))
    assert not filmed.lain and filmed.until_ms - filmed.from_ms > 15_000
    first, later = seen(on, filmed, 5_000, 9_000)
    assert np.abs(first.astype(int) - later).max() > 60


def test_the_sidecar_has_the_calibration(tmp_path: Path) -> None:
    on = a_set(FULL_HD)
    start = datetime(2026, 1, 5, 20, 15, 1, 250_000, UTC)
    film.write_sidecar(tmp_path / "footage-1.json", on, start, "P21-01-CAM")
    data = json.loads((tmp_path / "footage-1.json").read_text())
    assert data["start"] == "2026-01-05T20:15:01.250+00:00" and data["camera"] == "P21-01-CAM"
    calibration = Calibration.from_json(data["calibration"])
    assert calibration.image == FULL_HD and calibration.card_mm == (63.0, 88.0)
    assert calibration.to_px(MARKS_MM) == pytest.approx(on.view.pixels(MARKS_MM), abs=0.01)
    assert {"seat1", "seat7", "dealer", "burn", "discard"} <= set(calibration.zones)


def test_a_film_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(film.FilmError, match=r"nowhere/a\.mp4 cannot be written"):
        film.Writer(tmp_path / "nowhere" / "a.mp4", SMALL, 15)


@pytest.mark.parametrize("seed", range(5))
def test_a_camera_sees_the_whole_table(seed: int) -> None:
    view = CameraView.somewhere(np.random.default_rng(seed))
    corners = view.pixels([(x, y) for x in (-950, 950) for y in (0, 1050)])
    assert (corners > -0.5).all() and (corners < np.array(FULL_HD) + 0.5).all()
    assert 0.9 < view.px_per_mm((0, 525)) < 1.1
    assert view.pixels([(500.0, 300.0)], 40.0) != pytest.approx(view.pixels([(500.0, 300.0)]), abs=1.0)
