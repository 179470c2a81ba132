"""Finds where corner indices stand, at any size and turned any way."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]

STRIDE: Final = 4
BEST_PX: Final = 36.0  # the height of index that the network finds best
_LONG_SIDES: Final = (2560, 1280, 640, 320, 160)  # sizes in which a picture of unknown scale is looked at
_MOST_ENLARGED: Final = 2.0
_HEIGHTS: Final = (15.0, 72.0)  # px; what is found at other heights is left to another size of the picture
_HEAT: Final = 0.25
_MULTIPLE: Final = 16  # of which the network wants sides


class Found(NamedTuple):
    """A place that looks like an index."""

    x: float
    y: float
    width: float
    height: float
    angle: float
    heat: float


def find(network: Any, picture: Picture, index_px: float | None) -> list[Found]:
    """Places of indices, the likeliest first; ``index_px`` is their height where it is known."""
    found = [place for scale in _scales(picture, index_px) for place in at_scale(network, picture, scale)]
    return _apart(sorted(found, key=lambda place: -place.heat))


def _scales(picture: Picture, index_px: float | None) -> Iterator[float]:
    if index_px:
        yield BEST_PX / index_px
        return
    longest = max(picture.shape[:2])
    for side in _LONG_SIDES:
        if side / longest <= _MOST_ENLARGED and (side <= 1280 or longest > 1280):
            yield side / longest


def at_scale(network: Any, picture: Picture, scale: float) -> list[Found]:
    """Places of indices, looked for in the picture made larger or smaller."""
    height, width = (max(_MULTIPLE, round(side * scale)) for side in picture.shape[:2])
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    resized = cv2.resize(picture, (width, height), interpolation=how)
    below, right = -height % _MULTIPLE, -width % _MULTIPLE
    resized = cv2.copyMakeBorder(resized, 0, below, 0, right, cv2.BORDER_REPLICATE)
    maps = network.run(None, {"picture": resized.transpose(2, 0, 1)[None].astype(np.float32)})[0][0]
    factor = (width / picture.shape[1], height / picture.shape[0])
    return _decoded(maps, factor)


def _decoded(maps: npt.NDArray[np.float32], factor: tuple[float, float]) -> list[Found]:
    """The peaks of the heat, in the picture's own pixels."""
    heat = 1 / (1 + np.exp(-maps[0]))
    peaks = (heat >= _HEAT) & (heat == cv2.dilate(heat, np.ones((3, 3), np.uint8)))
    found = []
    for row, column in np.argwhere(peaks).tolist():
        off_x, off_y, log_height, log_width, up_x, up_y = (float(value) for value in maps[1:, row, column])
        height = 32 * np.exp(log_height)
        if not _HEIGHTS[0] <= height <= _HEIGHTS[1]:
            continue
        x, y = (column + 0.5 + off_x) * STRIDE / factor[0], (row + 0.5 + off_y) * STRIDE / factor[1]
        found.append(
            Found(
                x=float(x),
                y=float(y),
                width=float(20 * np.exp(log_width) / factor[0]),
                height=float(height / factor[1]),
                angle=float(np.arctan2(up_x, -up_y)),
                heat=float(heat[row, column]),
            )
        )
    return found


def _apart(found: Sequence[Found]) -> list[Found]:
    """Of places that are too close for two indices the likelier one."""
    kept: list[Found] = []
    for place in found:
        near = (min(place.height, other.height) * 0.4 for other in kept)
        away = (np.hypot(place.x - other.x, place.y - other.y) for other in kept)
        if all(distance > least for distance, least in zip(away, near, strict=True)):
            kept.append(place)
    return kept
