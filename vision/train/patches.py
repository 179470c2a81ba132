"""Upright patches of indices, and of what is none, cut from scenes."""

from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.reading.cut import patch
from vision.train.pool import Shard
from vision.train.spoil import Picture

NONE: Final = -1
_Rng = np.random.Generator


class Cut(NamedTuple):
    """A patch, its card, and by how much it was cut wrong."""

    patch: Picture
    card: int
    off: tuple[float, float, float, float]  # right and down in heights of an index, log of the size, angle


class _Place(NamedTuple):
    x: float
    y: float
    height: float
    angle: float


def cut(shard: Shard, rng: _Rng) -> list[Cut]:
    """For each index a patch, taken a little wrong as a finder would, and half as often one of no index."""
    found = []
    for row in shard.labels[shard.labels[:, 6] >= 0]:
        picture = shard.scenes[int(row[0])]
        place = _Place(float(row[1]), float(row[2]), float(row[4]), float(row[5]))
        found.append(_taken(picture, rng, place, int(row[6])))
        if rng.random() < 0.5:
            found.append(_taken(picture, rng, _beside(rng, place), NONE))
    return found


def _taken(picture: Picture, rng: _Rng, place: _Place, card: int) -> Cut:
    much = 0.35 if rng.random() < 0.5 else 1.0  # as if cut again, or for the first time
    right, down, size, turn = much * rng.normal(0, (0.09, 0.09, 0.13, 0.2))
    height, angle = place.height * np.exp(size), place.angle + turn
    # From what is cut, the index lies to the right and below: in the patch's own directions.
    x = place.x - height * (right * np.cos(angle) - down * np.sin(angle))
    y = place.y - height * (right * np.sin(angle) + down * np.cos(angle))
    patched = patch(picture, (float(x), float(y)), float(height), float(angle))
    return Cut(_recoloured(patched, rng), card, (right, down, -size, -turn))


def _beside(rng: _Rng, place: _Place) -> _Place:
    """Upside down, askew, off the mark or anywhere."""
    how = rng.random()
    if how < 0.35:
        return place._replace(angle=place.angle + np.pi)
    if how < 0.45:
        return place._replace(angle=place.angle + float(rng.choice([-1, 1])) * np.pi / 2)
    away = (rng.uniform(0.6, 1.6) if how < 0.7 else rng.uniform(1, 6)) * place.height
    turn = rng.uniform(0, 2 * np.pi)
    x, y = place.x + away * np.cos(turn), place.y + away * np.sin(turn)
    return _Place(x, y, place.height * rng.uniform(0.7, 1.4), place.angle + rng.normal(0, 0.5))


def _recoloured(cutting: Picture, rng: _Rng) -> Picture:
    """Lighter, darker, of another tint, more or less contrast."""
    found = cutting.astype(np.float32) * rng.uniform(0.7, 1.25) * (1 + rng.normal(0, 0.04, 3))
    found += rng.uniform(-20, 20)
    if rng.random() < 0.15:
        cv2.GaussianBlur(found, (0, 0), rng.uniform(0.4, 1.3), found)
    return np.clip(found, 0, 255).astype(np.uint8)
