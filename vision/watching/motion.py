"""The gate: where the picture moves, and where it has come to rest and looks different from what was last read.

It works on a strongly reduced grey picture in tiles, so that it costs next to nothing beside decoding. A pixel has
changed when it lies outside the range of its neighbours in the other picture: that forgives a camera that shakes.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.watching.video import Picture

Tiles = npt.NDArray[np.bool_]  # one value per tile, rows from the top
Box = tuple[int, int, int, int]  # x0, y0, x1, y1 in pixels of the picture

_WIDE: Final = 480  # pixels of the reduced picture's longer side
_TILE: Final = 8  # of its pixels, each way
_MEMORY: Final = 3  # samples that a tile must look alike to be at rest
_TOLERANCE: Final = 14  # grey levels of noise
_MEAN_TOLERANCE: Final = 18  # ... in the mean of a tile, of noise and of edges that shake
_CHANGED: Final = 0.05  # share of a tile's pixels that makes it a changed one
_WAITS: Final = 1  # samples for which a place at rest waits for motion beside it
_LASTING_MS: Final = 2000.0  # a tile that stays the same for so long has not only paused
_FOLLOWS: Final = 0.1  # by which the settled picture follows slow changes of light per sample
_AROUND: Final = np.ones((3, 3), np.uint8)


class _Look(NamedTuple):
    """A reduced grey picture, the range of each pixel's neighbours, and the means of tiles."""

    grey: Picture
    darkest: Picture
    lightest: Picture
    means: Picture

    @classmethod
    def at(cls, grey: Picture, shape: tuple[int, int]) -> "_Look":
        darkest, lightest = cv2.erode(grey, _AROUND), cv2.dilate(grey, _AROUND)
        means = cv2.resize(grey, shape[::-1], interpolation=cv2.INTER_AREA)
        return cls(grey, *(each.astype(np.uint8, copy=False) for each in (darkest, lightest, means)))

    def differs(self, other: "_Look") -> Tiles:
        """The tiles that have changed, but for the light as a whole."""
        brighter = int(np.median(self.grey[::6, ::6].astype(np.int16) - other.grey[::6, ::6]))
        level = cv2.addWeighted(self.grey, 1.0, self.grey, 0.0, -brighter)
        away = cv2.max(cv2.subtract(other.darkest, level), cv2.subtract(level, other.lightest))
        _, outside = cv2.threshold(away, _TOLERANCE, 255, cv2.THRESH_BINARY)
        share = cv2.resize(outside, self.means.shape[::-1], interpolation=cv2.INTER_AREA)
        # A small index has dark and light side by side: whatever takes its place lies between them.
        shifted = np.abs(self.means.astype(np.int16) - other.means - brighter) > _MEAN_TOLERANCE
        changed: Tiles = (share > 255 * _CHANGED) | shifted
        return changed


class Gate:
    """Compares the samples of one video."""

    def __init__(self, width: int, height: int) -> None:
        scale = min(1.0, _WIDE / max(width, height))
        self._columns, self._rows = (max(1, round(side * scale / _TILE)) for side in (width, height))
        self._size = (width, height)
        self._recent: deque[_Look] = deque(maxlen=_MEMORY)
        self._settled = np.zeros((self._rows * _TILE, self._columns * _TILE), np.float32)
        self._time_ms = -np.inf
        self._moving: Tiles = np.zeros((self._rows, self._columns), bool)
        self._known: Tiles = np.zeros((self._rows, self._columns), bool)
        self._quiet_ms = np.full((self._rows, self._columns), -np.inf)  # when a tile last looked as accepted
        self._accepted_ms = self._quiet_ms.copy()
        self._before_ms = self._quiet_ms.copy()  # when it last was quiet before it began to change
        self._waited = np.zeros((self._rows, self._columns), np.int32)  # samples since a fresh tile came to rest
        self.small: Picture = np.zeros((self._rows * _TILE, self._columns * _TILE, 3), np.uint8)  # the last sample

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of tiles."""
        return self._rows, self._columns

    def see(self, picture: Picture, time_ms: float) -> Tiles:
        """Take a sample; gives the tiles that have come to rest and do not look as they did when last accepted.

        Nothing is at rest before there are samples to compare with.
        """
        self.small = self._reduced(picture)
        grey = cv2.cvtColor(self.small, cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)
        if not self._recent:
            self._settled[:] = grey
        now, moving = _Look.at(grey, self.shape), np.ones_like(self._known)
        if len(self._recent) == _MEMORY:
            moving = now.differs(self._recent[-1]) | now.differs(self._recent[0])
        self._recent.append(now)
        self._moving, self._time_ms = moving, time_ms
        unlike = now.differs(_Look.at(self._settled.astype(np.uint8), self.shape)) | ~self._known
        self._follow(grey, ~(moving | unlike))
        self._quiet_ms[~(moving | unlike)] = time_ms
        fresh = unlike & ~cv2.dilate(moving.astype(np.uint8), _AROUND).astype(bool)
        self._waited = np.where(fresh, self._waited + 1, 0)
        ready: Tiles = fresh & (~_joined(unlike, moving) | (self._waited > _WAITS))
        return ready

    def since_ms(self, x: float, y: float) -> float:
        """Return when a place was last quiet before it changed to its present look, in ms."""
        return float(self._before_ms[self._tile(x, y)])

    def is_same(self, x: float, y: float) -> bool:
        """Return whether a place has looked the same for a long time."""
        tile = self._tile(x, y)
        lasts = self._time_ms - self._accepted_ms[tile] >= _LASTING_MS
        return bool(lasts and self._quiet_ms[tile] >= self._time_ms)

    def _tile(self, x: float, y: float) -> tuple[int, int]:
        column, row = int(x * self._columns / self._size[0]), int(y * self._rows / self._size[1])
        return min(max(row, 0), self._rows - 1), min(max(column, 0), self._columns - 1)

    def accept(self, tiles: Tiles) -> None:
        """The tiles have been read as the last sample shows them."""
        pixels = self._pixels(tiles)
        self._settled[pixels] = self._recent[-1].grey[pixels]
        self._known |= tiles
        began = tiles & (self._time_ms - self._accepted_ms >= _LASTING_MS)
        self._before_ms[began] = self._quiet_ms[began]
        self._accepted_ms[tiles] = self._time_ms

    def boxes(self, tiles: Tiles, margin_px: float) -> list[Box]:
        """Boxes around groups of tiles, with a margin; boxes that overlap are made one."""
        count, _, stats, _ = cv2.connectedComponentsWithStats(tiles.astype(np.uint8), connectivity=8)
        found = []
        for left, top, wide, high in stats[1:count, :4].tolist():
            x0, y0 = self._at(left, top)
            x1, y1 = self._at(left + wide, top + high)
            found.append((x0 - margin_px, y0 - margin_px, x1 + margin_px, y1 + margin_px))
        return united([self._inside(box) for box in found])

    def moves(self, boxes: Sequence[Box]) -> list[bool]:
        """Return for each box whether anything moves in it in the last sample."""
        if not boxes or not self._moving.any():
            return [False] * len(boxes)
        scale = np.array([self._columns / self._size[0], self._rows / self._size[1]] * 2)
        tiles, most = np.array(boxes) * scale, [self._columns, self._rows]
        x0, y0 = np.clip(np.floor(tiles[:, :2]), 0, most).astype(int).T
        x1, y1 = np.clip(np.ceil(tiles[:, 2:]), 0, most).astype(int).T
        sums = np.asarray(cv2.integral(self._moving.astype(np.uint8)))
        moving: list[bool] = (sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0] > 0).tolist()
        return moving

    def _reduced(self, picture: Picture) -> Picture:
        size = (self._columns * _TILE, self._rows * _TILE)
        return cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR).astype(np.uint8, copy=False)

    def _follow(self, grey: Picture, tiles: Tiles) -> None:
        cv2.accumulateWeighted(grey, self._settled, _FOLLOWS, self._pixels(tiles).astype(np.uint8))

    def _pixels(self, tiles: Tiles) -> Tiles:
        size = (self._columns * _TILE, self._rows * _TILE)
        return cv2.resize(tiles.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST).astype(bool)

    def _at(self, column: int, row: int) -> tuple[float, float]:
        return column * self._size[0] / self._columns, row * self._size[1] / self._rows

    def _inside(self, box: tuple[float, float, float, float]) -> Box:
        width, height = self._size
        return max(0, int(box[0])), max(0, int(box[1])), min(width, round(box[2])), min(height, round(box[3]))


def _joined(tiles: Tiles, moving: Tiles) -> Tiles:
    """The tiles that are connected with moving ones: a hand that lays a card covers both."""
    _, labels = cv2.connectedComponents((tiles | moving).astype(np.uint8), connectivity=8)
    joined: Tiles = np.isin(labels, np.unique(labels[moving]))
    return joined


def united(boxes: list[Box]) -> list[Box]:
    """Boxes of which no two overlap: those that do are put into one around both."""
    done: list[Box] = []
    for box in boxes:
        while touched := [other for other in done if _overlap(box, other)]:
            done = [other for other in done if other not in touched]
            sides = [box, *touched]
            box = (
                min(side[0] for side in sides),
                min(side[1] for side in sides),
                max(side[2] for side in sides),
                max(side[3] for side in sides),
            )
        done.append(box)
    return done


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
