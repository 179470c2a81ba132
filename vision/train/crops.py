"""Parts of scenes, of which the finder learns."""

import math
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.train.spoil import Picture

CROP: Final = 192
_NARROWEST: Final = 0.7
_LOWEST_PX: Final = 13.0  # an index that is lower than this need not be found
_QUARTERS: Final = tuple(
    np.array(rows, np.float64) for rows in ([[1, 0], [0, 1]], [[0, -1], [1, 0]], [[-1, 0], [0, -1]], [[0, 1], [-1, 0]])
)
Rows = npt.NDArray[np.float32]


def askew(scene: Picture, labels: Rows, rng: np.random.Generator) -> tuple[Picture, Rows]:
    """Part of a scene in another light, narrower one way and longer the other, as from one side, and on any edge.

    ``labels`` are rows of x, y, width, height, angle, card.
    """
    along, narrow = rng.uniform(0, np.pi), max(_NARROWEST, math.exp(-abs(rng.normal(0, 0.18))))
    lean = np.array([np.cos(along), np.sin(along)])
    squeeze = np.eye(2) / narrow + (narrow - 1 / narrow) * np.outer(lean, lean)
    matrix = math.exp(rng.normal(0, 0.08)) * _QUARTERS[int(rng.integers(4))] @ squeeze
    room = scene.shape[0] - CROP
    shift = CROP / 2 - matrix @ (CROP / 2 + rng.uniform(0, room, 2))
    warp = np.column_stack([matrix, shift])
    picture = cv2.warpAffine(scene, warp, (CROP, CROP), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    light = rng.uniform(0.75, 1.2) * (1 + rng.normal(0, 0.05, 3))
    picture = np.clip(picture * light.astype(np.float32), 0, 255)
    moved = labels.copy()
    moved[:, :2] = labels[:, :2] @ matrix.T + shift
    cos, sin = np.cos(labels[:, 4]), np.sin(labels[:, 4])
    right, up = np.column_stack([cos, sin]) @ matrix.T, np.column_stack([sin, -cos]) @ matrix.T
    moved[:, 2] = labels[:, 2] * np.linalg.norm(right, axis=1)
    moved[:, 3] = labels[:, 3] * np.linalg.norm(up, axis=1)
    moved[:, 4] = np.arctan2(up[:, 0], -up[:, 1])
    moved[moved[:, 3] < _LOWEST_PX, 5] = -1
    return picture.astype(np.uint8), moved
