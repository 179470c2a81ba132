"""One card on the felt, followed from first to last sight."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from vision.reading.index import Index, fused
from vision.watching.motion import Box
from vision.watching.poses import Points, Pose, Spot, mean_pose
from vision.watching.video import Picture

CLEAR: Final = 0.9  # a single reading that may tell others to be mistakes
_PICTURE: Final = 0.75  # up to here a part of a card's picture may be read ...
_ACROSS: Final = 0.96  # ... and where it would lie across that card
_DIFFERS: Final = 0.8  # a reading of a place that was out of sight which tells that another card lies there
_READINGS: Final = 6  # kept of a card: the best
_MISSED: Final = 3  # looks in vain after which a card counts as lost
_LOOK_AGAIN_MS: Final = 300.0
_RETURNS_MS: Final = 3000.0  # a card that is found again so soon was only hidden
_HIDDEN_MS: Final = 30_000.0  # the longest that a hand may lie over a card
_ALIKE: Final = 0.9  # correlation of a place's pixels with what they were
_SHAKE_PX: Final = 4


@dataclass(eq=False)
class SeenPlace:
    """Visible part of a card, an index or the back, with its pixels when it was last read."""

    box: Box
    patch: Picture
    spot: Spot | None = None
    readings: int = 1
    visible: bool = True

    @classmethod
    def of(cls, picture: Picture, box: tuple[float, float, float, float], spot: Spot | None = None) -> "SeenPlace":
        """Create a place from a picture."""
        around = whole_pixels(box)
        return cls(around, _grey(picture, around, 0), spot)

    def is_unchanged(self, picture: Picture) -> bool:
        """Return whether the pixels are unchanged, apart from camera shake and changes of light."""
        around = _grey(picture, self.box, _SHAKE_PX)
        if around.shape[0] < self.patch.shape[0] or around.shape[1] < self.patch.shape[1]:
            return False
        return float(cv2.matchTemplate(around, self.patch, cv2.TM_CCOEFF_NORMED).max()) >= _ALIKE


@dataclass(eq=False)
class CardTrack:
    """A card, or without calibration an index."""

    frame: int
    since_ms: float  # when it was not yet there
    first_ms: float
    seen_ms: float
    whole: Pose
    outline: Points
    face: str = "up"
    places: list[SeenPlace] = field(default_factory=list)
    readings: list[Index] = field(default_factory=list)
    card: str | None = None  # by all readings, None where that is not sure
    sure: float = 0.0
    looks: int = 0  # at which it was found
    next_ms: float = 0.0  # when to look at it again
    missed: int = 0
    lost_ms: float | None = None
    is_gone: bool = False  # whether felt was to be seen where it lay
    missed_ms: float = math.inf  # since when it was looked for in vain
    on_card: bool = False  # whether it came to be seen upon a card that was read clearly ...
    across: bool = False  # ... and lies across it

    @property
    def visible(self) -> bool:
        return any(place.visible for place in self.places)

    @property
    def is_blank(self) -> bool:
        """Return whether the card shows no index: face down, or unreadable."""
        return not self.readings

    @property
    def is_picture(self) -> bool:
        """Return whether the track is probably part of a court card's picture that resembles an index."""
        if self.is_blank or not self.on_card:
            return False
        return self.readings[0].confidence < (_ACROSS if self.across else _PICTURE)

    @property
    def was_clear(self) -> bool:
        """Return whether the card was read clearly at least once; a card without an index counts as clear."""
        return self.is_blank or self.readings[0].confidence >= CLEAR

    def spots(self) -> Iterator[Spot]:
        """Its indices."""
        return (place.spot for place in self.places if place.spot is not None)

    def box(self) -> Box:
        """Around the index that was read best, or the whole."""
        if self.is_blank:
            return whole_pixels((*self.outline.min(axis=0).tolist(), *self.outline.max(axis=0).tolist()))
        return whole_pixels(self.readings[0].box)

    def add(self, picture: Picture, spot: Spot, known: SeenPlace | None) -> None:
        """Add a reading of a known place or of a new one."""
        place = SeenPlace.of(picture, spot.found.box, spot)
        if known is not None and known.spot is not None:
            place.readings = known.readings + 1
            place.spot = _between(known.spot, spot, 1 / place.readings)
        self.places = [*(each for each in self.places if each is not known), place]
        self.readings = sorted([*self.readings, spot.found], key=lambda each: -each.confidence)[:_READINGS]
        self.card, self.sure = fused(self.readings)
        self.whole = mean_pose([each.whole for each in self.spots()])

    def lose(self, place: SeenPlace) -> None:
        """Remove a place that belonged to another card, with all readings taken there."""
        self.places.remove(place)
        x0, y0, x1, y1 = place.box
        own = [each for each in self.readings if not (x0 <= each.x <= x1 and y0 <= each.y <= y1)]
        self.readings = own or self.readings
        self.card, self.sure = fused(self.readings)
        self.whole = mean_pose([each.whole for each in self.spots()])

    def is_replaced_by(self, index: Index) -> bool:
        """Return whether a reading at the track's place, after the card was hidden, is of another card."""
        if self.visible or index.confidence < _DIFFERS:
            return False
        return self.is_gone or self.readings[0].card != index.card

    def saw(self, time_ms: float) -> None:
        """Note that the card was visible."""
        self.seen_ms, self.missed, self.missed_ms, self.lost_ms = time_ms, 0, math.inf, None

    def miss(self, time_ms: float, for_good: bool = False) -> None:
        """Note that the card was not visible; ``for_good`` if it has left and is not just hidden."""
        self.missed += 1
        self.missed_ms = min(self.missed_ms, time_ms)
        self.is_gone |= for_good
        self.next_ms = time_ms + _LOOK_AGAIN_MS
        if self.missed >= _MISSED and self.lost_ms is None:
            self.lost_ms = time_ms - (_RETURNS_MS if for_good else 0.0)

    def is_over(self, time_ms: float) -> bool:
        """Return whether the card is gone for good: lost or hidden for too long."""
        if self.lost_ms is not None and time_ms >= self.lost_ms + _RETURNS_MS:
            return True
        return time_ms >= self.seen_ms + _HIDDEN_MS

    def covers(self, box: Box) -> bool:
        """Return whether the middle of a box lies within the card's outline."""
        middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        return cv2.pointPolygonTest(self.outline.astype(np.float32), middle, measureDist=False) >= 0


def whole_pixels(box: tuple[float, float, float, float]) -> Box:
    """The pixels that a box touches."""
    return math.floor(box[0]), math.floor(box[1]), math.ceil(box[2]), math.ceil(box[3])


def _between(one: Spot, other: Spot, share: float) -> Spot:
    """The newer of two readings of an index, its pose moved from the older one's by a share of the way."""
    at, whole = _moved(one.at, other.at, share), _moved(one.whole, other.whole, share)
    return other._replace(at=at, whole=whole, height=one.height + share * (other.height - one.height))


def _moved(one: Pose, other: Pose, share: float) -> Pose:
    turn = math.remainder(other.angle - one.angle, 2 * math.pi)
    return Pose(one.x + share * (other.x - one.x), one.y + share * (other.y - one.y), one.angle + share * turn)


def _grey(picture: Picture, box: Box, margin_px: int) -> Picture:
    """The pixels in a box, as far as it lies in the picture."""
    x0, y0, x1, y1 = box
    cut = picture[max(0, y0 - margin_px) : y1 + margin_px, max(0, x0 - margin_px) : x1 + margin_px]
    return cv2.cvtColor(cut, cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)
