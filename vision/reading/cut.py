"""Upright patches of pictures: what the reading network looks at."""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

HEIGHT: Final = 64
WIDTH: Final = 52
UPRIGHT: Final = np.eye(2)  # seen from right above
_FILLS: Final = 46.0  # pixels of a patch that an index is high


def patch(
    picture: npt.NDArray[np.uint8],
    centre: tuple[float, float],
    height: float,
    angle: float,
    skew: npt.NDArray[np.float64] = UPRIGHT,
) -> npt.NDArray[np.uint8]:
    """The surroundings of an index whose top points to ``angle``, clockwise from up, turned upright, then skewed."""
    scale = _FILLS / height
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    x, y = centre
    turned = skew @ np.array([[cos, sin], [-sin, cos]])
    matrix = np.column_stack([turned, np.array([WIDTH / 2, HEIGHT / 2]) - turned @ (x, y)])
    if scale < 0.6:  # of large indices only a part of the pixels would be looked at
        margin = int(0.8 * height) + 2
        x0, y0 = max(0, int(x) - margin), max(0, int(y) - margin)
        part = picture[y0 : int(y) + margin, x0 : int(x) + margin]
        if min(part.shape[:2]) * scale >= 1:
            small = cv2.resize(part, None, fx=1.2 * scale, fy=1.2 * scale, interpolation=cv2.INTER_AREA)
            factor = (small.shape[1] / part.shape[1], small.shape[0] / part.shape[0])
            at = ((x - x0 + 0.5) * factor[0] - 0.5, (y - y0 + 0.5) * factor[1] - 0.5)
            return patch(small.astype(np.uint8), at, height * factor[1], angle, skew)
    found = cv2.warpAffine(picture, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return found.astype(np.uint8)
