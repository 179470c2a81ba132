"""A picture of the table made small, to compare it with another: how bright, which edges it has, how far shifted."""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration.marks import Picture

_ACROSS: Final = 640  # pixels of the small picture
_BRIGHT: Final = 220.0  # what the brightest parts are raised to before edges are looked for
_NEAR: Final = np.ones((5, 5), np.uint8)  # an edge this close is the same edge


class StillScene:
    """Reduced copy of a picture: its edges, brightness and detail, for comparison with later pictures."""

    def __init__(self, grey: Picture) -> None:
        height, width = grey.shape
        self.scale = width / _ACROSS
        self._small = cv2.resize(grey, (_ACROSS, round(height / self.scale)), interpolation=cv2.INTER_AREA)
        self.brightness = float(np.percentile(self._small[::4, ::4], 98))
        # In relation to the brightest parts, so that a change of light is no change of edges.
        even = cv2.convertScaleAbs(self._small, alpha=_BRIGHT / max(self.brightness, 30.0))
        self._edges = cv2.Canny(cv2.GaussianBlur(even, (0, 0), 1.0), 30, 90)
        self.detail = float(np.count_nonzero(self._edges) / self._edges.size)

    def kept(self, earlier: "StillScene") -> float:
        """Return the share, 0 to 1, of an earlier picture's edges that this picture shows at the same places."""
        there = earlier._edges > 0
        return float(np.mean(cv2.dilate(self._edges, _NEAR)[there] > 0)) if there.any() else 1.0

    def shift(self, earlier: "StillScene") -> tuple[float, float]:
        """By how many pixels of the full picture this one is shifted as a whole, and how sure that is, 0..1."""
        before, now = earlier._small.astype(np.float32), self._small.astype(np.float32)
        (x, y), sure = cv2.phaseCorrelate(before, now, _window(before.shape))
        return float(np.hypot(x, y)) * self.scale, float(sure)


def _window(shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    return cv2.createHanningWindow((shape[1], shape[0]), cv2.CV_32F).astype(np.float32, copy=False)
