"""A camera that is moved, covered, in the dark, frozen, and one that is not."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from tests.vision.calibration import tables
from vision.calibration import Calibration, Event, Watchdog
from vision.calibration.marks import Picture
from vision.footage import film
from vision.footage.drill import idle

SMALL = (960, 540)


def small() -> tables.Table:
    return tables.table(1, image=SMALL)


class Camera(NamedTuple):
    table: tables.Table
    calibration: Calibration | None

    def watched(self, *scenes: tuple[int, Picture], reference: Picture | None = None) -> list[Event]:
        """The events in frames a second apart, so many of each picture."""
        frames, dog = tables.Frames(self.table), Watchdog(self.calibration, reference)
        pictures = [picture for seconds, picture in scenes for _ in range(seconds)]
        for second, picture in enumerate(pictures):
            dog.look(frames.of(picture), 1000.0 * second)
        return dog.events


@pytest.fixture(params=["marks", "no marks", "no calibration"])
def camera(request: pytest.FixtureRequest) -> Camera:
    on = small()
    known = {"marks": on.truth, "no marks": replace(on.truth, marks=None), "no calibration": None}
    return Camera(on, known[request.param])


def test_cards_chips_light_and_knocks_are_no_trouble(camera: Camera) -> None:
    on = camera.table
    dim = np.asarray(on.in_play * 0.35, np.uint8)
    assert camera.watched((3, on.empty), (4, on.in_play), (4, dim), (4, tables.shifted(on.empty, 1.0))) == []


@pytest.mark.parametrize(
    ("x_px", "turn", "zoom", "told_px"), [(8, 0, 1, 8), (110, 0, 1, 110), (0, 1.2, 1, 9), (0, 0, 1.03, 16)]
)
def test_moved(camera: Camera, x_px: float, turn: float, zoom: float, told_px: float) -> None:
    on = camera.table
    [event] = camera.watched((3, on.empty), (9, tables.shifted(on.empty, x_px, 0, turn, zoom)), (6, on.in_play))
    assert event.kind == "moved" and 3_000 <= event.from_ms <= 8_000 and 11_000 <= event.until_ms <= 16_000
    told = float(event.words.removeprefix("the camera was moved: the table is ").partition(" px")[0])
    assert told == pytest.approx(told_px, rel=0.4)


def test_moved_while_nobody_looked() -> None:
    on = small()
    moved = tables.shifted(on.empty, 10)
    for camera, reference in ((Camera(on, on.truth), None), (Camera(on, None), on.empty)):
        [event] = camera.watched((4, moved), reference=reference)
        assert (event.kind, event.from_ms) == ("moved", 0)


def test_another_tables_calibration() -> None:
    on = small()
    [event] = Camera(on, tables.table(2, image=SMALL).truth).watched((4, on.empty))
    assert event.kind == "moved"
    unmarked = tables.with_hidden_marks(on, on.empty, (0, 1, 2, 3))
    [event] = Camera(on, on.truth).watched((21, unmarked))
    assert event.kind == "moved" and "none of the layout's marks" in event.words


def test_covered(camera: Camera) -> None:
    on = camera.table
    palm = np.full_like(on.empty, (90, 110, 160))
    [event] = camera.watched((4, on.empty), (4, palm), (4, on.in_play))
    assert event[:3] == ("covered", 4_000, 7_000)
    [event] = camera.watched((4, palm), (4, on.in_play))
    assert event[:3] == ("covered", 0, 3_000)


def test_something_large_in_front_of_the_lens(camera: Camera) -> None:
    on = camera.table
    blocked = on.empty.copy()
    blocked[:, 70:] = (40, 40, 60)
    [event] = camera.watched((4, on.empty), (4, blocked), (4, on.empty))
    assert event[:3] == ("covered", 4_000, 7_000)


def test_dark(camera: Camera) -> None:
    on = camera.table
    night = np.asarray(on.empty * 0.03, np.uint8)
    [event] = camera.watched((3, on.empty), (5, night), (3, on.empty))
    assert event[:3] == ("dark", 3_000, 7_000) and "no light" in event.words


def test_a_moment_is_not_told(camera: Camera) -> None:
    on = camera.table
    palm = np.full_like(on.empty, (90, 110, 160))
    assert camera.watched((3, on.empty), (1, palm), (3, on.empty), (1, np.zeros_like(palm)), (3, on.empty)) == []


def test_frozen(camera: Camera) -> None:
    on = camera.table
    dog, frames = Watchdog(camera.calibration), tables.Frames(on)
    told = [dog.look(frames.of(on.empty), 1000.0 * second) for second in range(2)]
    stuck = frames.of(on.empty)
    told += [dog.look(stuck, 1000.0 * second) for second in range(2, 15)]
    told += [dog.look(frames.of(on.empty), 1000.0 * second) for second in range(15, 17)]
    assert told == [None] * 12 + ["frozen"] * 3 + [None] * 2
    assert [event[:3] for event in dog.events] == [("frozen", 2_000, 14_000)]


def test_hands_over_the_table_are_no_trouble() -> None:
    on = small()
    filmed = film.take(on.on, [], *idle(on.layout, 12, np.random.default_rng(3)))
    for calibration in (on.truth, None):
        dog, seen_by = Watchdog(calibration), film.Camera(on.on, filmed.stage)
        for ms in range(0, 12_000, 1000):
            dog.look(seen_by.frame(float(ms), float(ms)), float(ms))
        assert dog.events == []
