"""Finds where corner indices stand, at any size and turned any way."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]

STRIDE: Final = 4
BEST_PX: Final = 33.0  # the height of index that is looked for: more costs more, and from 30 down some are missed
_LONG_SIDES: Final = (2560, 1280, 640, 320, 160)  # sizes in which a picture of unknown scale is looked at
_MOST_ENLARGED: Final = 2.0
_HEIGHTS: Final = (15.0, 72.0)  # px; what is found at other heights is left to another size of the picture
_HEAT: Final = 0.25
_HEAT_ANY_SIZE: Final = 0.15  # where the size is not known, and an index may be between two that are looked at
_APART: Final = 0.3  # of their height, from one index to another: in a fan they stand close
_MULTIPLE: Final = 16  # of which the network wants sides


class IndexCandidate(NamedTuple):
    """A place that looks like an index."""

    x: float
    y: float
    width: float
    height: float
    angle: float
    heat: float


def find(network: Any, picture: Picture, index_px: float | None) -> list[IndexCandidate]:
    """Places of indices; ``index_px`` is their height where it is known, otherwise some are found in several sizes."""
    least = _HEAT if index_px else _HEAT_ANY_SIZE
    return [place for scale in _scales(picture, index_px) for place in at_scale(network, picture, scale, least)]


def _scales(picture: Picture, index_px: float | None) -> Iterator[float]:
    if index_px:
        yield BEST_PX / index_px
        return
    longest = max(picture.shape[:2])
    for side in _LONG_SIDES:
        if side / longest <= _MOST_ENLARGED and (side <= 1280 or longest > 1280):
            yield side / longest


def at_scale(network: Any, picture: Picture, scale: float, least: float = _HEAT) -> list[IndexCandidate]:
    """Places of indices that have at least so much heat, looked for in the picture made larger or smaller."""
    height, width = (max(_MULTIPLE, round(side * scale)) for side in picture.shape[:2])
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    resized = cv2.resize(picture, (width, height), interpolation=how)
    below, right = -height % _MULTIPLE, -width % _MULTIPLE
    resized = cv2.copyMakeBorder(resized, 0, below, 0, right, cv2.BORDER_REPLICATE)
    maps = network.run(None, {"picture": resized.transpose(2, 0, 1)[None].astype(np.float32)})[0][0]
    factor = (width / picture.shape[1], height / picture.shape[0])
    return apart(sorted(_decoded(maps, factor, least), key=lambda place: -place.heat))


def _decoded(maps: npt.NDArray[np.float32], factor: tuple[float, float], least: float) -> list[IndexCandidate]:
    """The peaks of the heat, in the picture's own pixels."""
    heat = 1 / (1 + np.exp(-maps[0]))
    peaks = (heat >= least) & (heat == cv2.dilate(heat, np.ones((3, 3), np.uint8)))
    found = []
    for row, column in np.argwhere(peaks).tolist():
        off_x, off_y, log_height, log_width, up_x, up_y = (float(value) for value in maps[1:, row, column])
        height = 32 * np.exp(log_height)
        if not _HEIGHTS[0] <= height <= _HEIGHTS[1]:
            continue
        x, y = (column + 0.5 + off_x) * STRIDE / factor[0], (row + 0.5 + off_y) * STRIDE / factor[1]
        found.append(
            IndexCandidate(
                x=float(x),
                y=float(y),
                width=float(20 * np.exp(log_width) / factor[0]),
                height=float(height / factor[1]),
                angle=float(np.arctan2(up_x, -up_y)),
                heat=float(heat[row, column]),
            )
        )
    return found


class _Placed(Protocol):
    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def height(self) -> float: ...


_Any = TypeVar("_Any", bound=_Placed)


def apart(found: Sequence[_Any]) -> list[_Any]:
    """Remove results that are too close to an earlier one to be a separate index."""
    kept: list[_Any] = []
    for one in found:
        least = (min(one.height, other.height) * _APART for other in kept)
        away = (np.hypot(one.x - other.x, one.y - other.y) for other in kept)
        if all(distance > enough for distance, enough in zip(away, least, strict=True)):
            kept.append(one)
    return kept
