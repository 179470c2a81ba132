"""The gate: what moves, what has come to rest, and what only shakes or gets darker."""

import numpy as np
import pytest

from vision.watching.motion import Gate, united
from vision.watching.video import Picture

SIZE = (480, 272)
CARD = (slice(96, 160), slice(200, 248))  # rows and columns


def felt(seed: int) -> Picture:
    """Green with noise, another for each seed, and print that stays."""
    rng = np.random.default_rng(seed)
    picture = np.clip(rng.normal((40, 100, 30), 2.0, (SIZE[1], SIZE[0], 3)), 0, 255).astype(np.uint8)
    picture[40:44, 60:400] = (120, 200, 220)
    return picture


def with_card(seed: int, shift: int = 0) -> Picture:
    picture = felt(seed)
    picture[CARD[0], slice(CARD[1].start + shift, CARD[1].stop + shift)] = 245
    return picture


class Camera:
    """Shows pictures to a gate, ten a second."""

    def __init__(self) -> None:
        self.gate, self.shown = Gate(*SIZE), 0

    def show(self, picture: Picture) -> int:
        """Show a picture; return the number of tiles that are ready to be read."""
        ready = self.gate.see(picture, 100.0 * self.shown)
        self.shown += 1
        self.gate.accept(ready)
        return int(ready.sum())


@pytest.fixture
def camera() -> Camera:
    """A camera that knows the empty table."""
    camera = Camera()
    for seed in range(8):
        camera.show(felt(seed))
    return camera


def test_nothing_is_ready_before_there_is_something_to_compare_with() -> None:
    camera = Camera()
    assert [camera.show(felt(seed)) for seed in range(3)] == [0, 0, 0]
    assert camera.show(felt(3)) == camera.gate.shape[0] * camera.gate.shape[1]


def test_a_card_is_read_once_where_it_came_to_rest(camera: Camera) -> None:
    ready = [camera.gate.see(with_card(20 + n), 800.0 + 100 * n) for n in range(4)]
    assert not any(tiles.any() for tiles in ready[:3])
    boxes = camera.gate.boxes(ready[3], margin_px=0)
    assert boxes == [(200, 96, 248, 160)]
    camera.gate.accept(ready[3])
    assert not any(camera.gate.see(with_card(30 + n), 1200.0 + 100 * n).any() for n in range(4))


def test_what_moves_is_not_read(camera: Camera) -> None:
    assert sum(camera.show(with_card(40 + n, shift=12 * n)) for n in range(8)) == 0
    assert camera.gate.moves([(200, 96, 340, 160), (0, 200, 40, 272)]) == [True, False]


@pytest.mark.parametrize("change", ["shake", "light"])
def test_a_camera_that_shakes_and_light_that_fades_are_no_change(camera: Camera, change: str) -> None:
    for n in range(12):
        picture = felt(60 + n)
        shaken = np.roll(picture, n % 2, axis=1) if change == "shake" else (picture * (1 - 0.006 * n)).astype(np.uint8)
        assert camera.show(shaken) == 0


def test_since_when_a_place_has_changed(camera: Camera) -> None:
    for n in range(22):
        camera.show(felt(80 + n))
    for n in range(6):
        camera.show(with_card(110 + n))
    assert camera.gate.since_ms(224, 128) == pytest.approx(2900.0)
    assert not camera.gate.is_same(224, 128) and camera.gate.is_same(20, 260)


def test_boxes_that_overlap_are_made_one() -> None:
    apart = [(0, 0, 10, 10), (50, 50, 60, 60)]
    assert united(apart) == apart
    assert united([*apart, (8, 8, 55, 55)]) == [(0, 0, 60, 60)]
