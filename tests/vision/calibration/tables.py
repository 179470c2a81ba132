"""Pictures of tables to calibrate with, as a camera sees them."""

from functools import cache, cached_property

import cv2
import numpy as np

from vision.calibration import Calibration
from vision.calibration.marks import Picture
from vision.calibration.table import MARK_CENTRE_MM, MARK_MM, MARKS_MM
from vision.faces.deck import house_deck
from vision.footage import film
from vision.footage.drill import hurried
from vision.footage.layout import LOOKS, layout
from vision.footage.places import CardStay

HALF_HD = (1280, 720)
MIDDLE_OF_PLAY = 0.4  # of a round's time


class Table:
    """A camera over one of the tables, and what it sees."""

    def __init__(self, on: film.Set) -> None:
        self.on, self.layout, self.view, self.deck = on, on.layout, on.view, on.deck

    @cached_property
    def empty(self) -> Picture:
        """Nothing on the felt, and no noise yet."""
        return film.Camera(self.on, film.take(self.on, []).stage).bare

    @cached_property
    def in_play(self) -> Picture:
        """Cards and chips on the felt."""
        stays, wagers = hurried(self.layout, 1, np.random.default_rng(self.on.seed))
        filmed = film.take(self.on, stays, wagers)
        return film.still(self.on, filmed, filmed.from_ms + MIDDLE_OF_PLAY * (filmed.until_ms - filmed.from_ms))

    @cached_property
    def with_single_cards(self) -> Picture:
        """A card in each of three boxes."""
        zones = ("seat2.hand1", "seat4.hand1", "seat5.hand1")
        stays = [
            CardStay(card, zone, 1, "up", False, 0, 9_000) for card, zone in zip(("7S", "KH", "AD"), zones, strict=True)
        ]
        return film.still(self.on, film.take(self.on, stays), 6_000)

    @property
    def truth(self) -> Calibration:
        """The calibration that should be found."""
        return self.view.calibration(self.layout, self.deck.card_mm)


@cache
def table(seed: int = 0, boxes: int = 7, deck: str = "harbour", image: tuple[int, int] = HALF_HD) -> Table:
    """One of the tables."""
    made = layout(boxes, list(LOOKS.values())[seed % len(LOOKS)])
    return Table(film.Set.somewhere(made, house_deck(deck), seed, image))


class Frames:
    """Frames that a camera makes of a picture: no two have the same noise."""

    def __init__(self, of: Table) -> None:
        width, height = of.view.image
        self._rng = np.random.default_rng(5)
        self._noise = np.rint(self._rng.normal(20, 2, (height, width, 3))).astype(np.uint8)

    def of(self, picture: Picture) -> Picture:
        """The next frame."""
        noise = np.roll(self._noise, self._rng.integers(1, 500, 2).tolist(), axis=(0, 1))
        return np.asarray(cv2.addWeighted(picture, 1.0, noise, 1.0, -20), np.uint8)


def shifted(picture: Picture, x_px: float, y_px: float = 0.0, turn_degrees: float = 0.0, zoom: float = 1.0) -> Picture:
    """Return the picture of a camera that was shifted, turned or zoomed."""
    height, width = picture.shape[:2]
    moved = cv2.getRotationMatrix2D((width / 2, height / 2), turn_degrees, zoom)
    moved[0, 2] += x_px
    moved[1, 2] += y_px
    return np.asarray(cv2.warpAffine(picture, moved, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def with_hidden_marks(on: Table, picture: Picture, which: tuple[int, ...]) -> Picture:
    """Marks painted over with felt."""
    hidden = picture.copy()
    for x, y in on.view.pixels([MARKS_MM[mark] for mark in which]).tolist():
        cv2.circle(hidden, (round(x), round(y)), 26, on.layout.felt, -1)
    return hidden


def with_ring_chips(on: Table, picture: Picture, count: int, seed: int) -> Picture:
    """Chips that look much like marks: dark with a white centre, but of other sizes and in no rectangle."""
    rng, busy = np.random.default_rng(seed), picture.copy()
    for _ in range(count):
        at = rng.uniform((-800, 80), (800, 850))
        scale = on.view.px_per_mm((float(at[0]), float(at[1])))
        (x, y), size = on.view.pixels([at])[0].tolist(), rng.uniform(0.7, 1.4) * scale
        for across, shade in ((39.0, rng.integers(40, 220)), (MARK_MM * 0.9, 25), (MARK_CENTRE_MM, 235)):
            cv2.circle(busy, (round(x), round(y)), round(across * size / 2), (int(shade),) * 3, -1, cv2.LINE_AA)
    return busy
