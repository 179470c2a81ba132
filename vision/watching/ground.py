"""The bare felt: its colour, as it is now, where the picture shows nothing else, and where it shows cards."""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration.calibration import Calibration
from vision.watching.motion import Box, Tiles
from vision.watching.video import Picture

# By how much a pixel of bare felt may differ in lightness and in either colour axis (CIE Lab, 8 bits).
_STRAYS: Final = np.array([48.0, 13.0, 13.0])
_FOLLOWS: Final = 0.5  # by which the colour follows the light ...
_EVERY: Final = 10  # ... once in so many looks
_BARE: Final = 0.85  # share of felt in a bare place
_LIGHTER: Final = 45.0  # by which paper is lighter than felt
_COLOUR: Final = 18  # that paper has at most in either colour axis
_PAPER: Final = 0.4  # share of paper in a place that shows a card


class Ground:
    """Learns the felt's colour from the zones, most of which is never covered."""

    def __init__(self, calibration: Calibration) -> None:
        self._calibration = calibration
        self._colour: npt.NDArray[np.float64] | None = None
        if calibration.felt is not None:
            self._colour = np.array(calibration.felt.everywhere.mean)
        self._lab: Picture = np.zeros((1, 1, 3), np.uint8)
        self._felt: Picture = np.zeros((1, 1), np.uint8)
        self._zones: Tiles | None = None
        self._looks = 0

    def look(self, small: Picture) -> None:
        """Take a reduced picture of the table."""
        self._lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.uint8, copy=False)
        if self._zones is None:
            self._zones = self._in_zones(small)
        if self._colour is None:
            self._colour = np.median(self._lab[self._zones], axis=0)
        self._felt = self.mask(self._lab)
        self._looks += 1
        if self._looks % _EVERY == 1 and (around := self._felt.astype(bool) & self._zones).any():
            self._colour += _FOLLOWS * (self._lab[around].mean(axis=0) - self._colour)

    def mask(self, lab: Picture) -> Picture:
        """255 for felt, of a picture in Lab."""
        assert self._colour is not None, "no picture was looked at"
        low, high = np.clip(self._colour - _STRAYS, 0, 255), np.clip(self._colour + _STRAYS, 0, 255)
        return cv2.inRange(lab, low, high).astype(np.uint8, copy=False)

    def is_bare(self, box: Box) -> bool:
        """Return whether a box of the full picture shows felt in the last picture."""
        part = self._felt[self._part(box)]
        return part.size > 0 and float(part.mean()) >= 255 * _BARE

    def is_paper(self, box: Box) -> bool:
        """Return whether a box shows the paper of a card, with or without an index."""
        assert self._colour is not None, "no picture was looked at"
        part = self._lab[self._part(box)].reshape(-1, 3).astype(np.int16)
        paper = (part[:, 0] > self._colour[0] + _LIGHTER) & (np.abs(part[:, 1:] - 128).max(axis=1) < _COLOUR)
        return part.size > 0 and float(paper.mean()) >= _PAPER

    def bare_tiles(self, shape: tuple[int, ...]) -> Tiles:
        """Return which tiles show felt, as a grid of the given rows and columns."""
        rows, columns = shape
        share = cv2.resize(self._felt, (columns, rows), interpolation=cv2.INTER_AREA)
        bare: Tiles = share >= 255 * _BARE
        return bare

    def _part(self, box: Box) -> tuple[slice, slice]:
        """A box of the full picture in the one that was looked at."""
        across, down = np.array(self._felt.shape[::-1]) / self._calibration.image
        x0, y0 = max(0, int(box[0] * across)), max(0, int(box[1] * down))
        return slice(y0, max(y0 + 1, round(box[3] * down))), slice(x0, max(x0 + 1, round(box[2] * across)))

    def _in_zones(self, small: Picture) -> Tiles:
        inside = np.zeros(small.shape[:2], np.uint8)
        scale = np.array(inside.shape[::-1]) / self._calibration.image
        for outline in self._calibration.zones.values():
            cv2.fillPoly(inside, [np.round(self._calibration.to_px(outline) * scale).astype(np.int32)], 1)
        return inside.astype(bool)
