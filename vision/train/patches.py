"""Upright patches of indices, and of what is none, cut from scenes."""

from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.reading.cut import UPRIGHT, patch
from vision.train.pool import Shard
from vision.train.spoil import Picture

NONE: Final = -1
NEAR, FAR = 0.35, 0.9  # heights of an index: what is found nearer is that index, what is found further is none
_Rng = np.random.Generator
_Rows = npt.NDArray[np.float32]


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


def cut(shard: Shard, found: _Rows, rng: _Rng) -> list[Cut]:
    """Patches of indices, cut as a finder would and worse, and of what it took for one.

    ``found`` has what the finder says of the shard: rows of scene, x, y, height, angle.
    """
    return [*_of_labels(shard, rng), *_of_found(shard, found, rng)]


def _of_labels(shard: Shard, rng: _Rng) -> list[Cut]:
    """For each index a patch, and for every other one a patch of no index beside it."""
    cuts = []
    for row in shard.labels[shard.labels[:, 6] >= 0]:
        picture, place = shard.scenes[int(row[0])], _labelled(row)
        cuts.append(_astray(picture, rng, place, int(row[6])))
        if rng.random() < 0.5:
            cuts.append(_astray(picture, rng, _beside(rng, place), NONE))
    return cuts


def _of_found(shard: Shard, found: _Rows, rng: _Rng) -> list[Cut]:
    """Cut training patches at the finder's results, each turned either way up at random."""
    cuts = []
    for row in found:
        away, label = nearest(shard.labels[shard.labels[:, 0] == row[0]], float(row[1]), float(row[2]))
        place = _Place(float(row[1]), float(row[2]), float(row[3]), float(row[4]) + np.pi * int(rng.integers(2)))
        picture = shard.scenes[int(row[0])]
        if label is None or away > FAR:
            cuts.append(_taken(picture, rng, place, place, NONE))
        elif away < NEAR and label[6] >= 0:
            cuts.append(_of_index(picture, rng, place, label))
    return cuts


def nearest(labels: _Rows, x: float, y: float) -> tuple[float, _Rows | None]:
    """The label of a scene that is nearest to a place, and how many of its heights it is away."""
    if not len(labels):
        return np.inf, None
    away = np.hypot(labels[:, 1] - x, labels[:, 2] - y) / np.maximum(labels[:, 4], 1)
    return float(away.min()), labels[int(away.argmin())]


def _of_index(picture: Picture, rng: _Rng, place: _Place, label: _Rows) -> Cut:
    """A found index, which is none where it was taken upside down."""
    true = _labelled(label)
    turn = (true.angle - place.angle + np.pi) % (2 * np.pi) - np.pi
    upright = abs(turn) < np.pi / 3
    return _taken(picture, rng, place, true, int(label[6]) if upright else NONE)


def _labelled(row: _Rows) -> _Place:
    return _Place(float(row[1]), float(row[2]), float(row[4]), float(row[5]))


def _towards(place: _Place, true: _Place) -> tuple[float, float]:
    """Return the offset to the true place, right and down in the place's directions, in heights of the index."""
    x, y = (true.x - place.x) / place.height, (true.y - place.y) / place.height
    cos, sin = np.cos(place.angle), np.sin(place.angle)
    return float(x * cos + y * sin), float(y * cos - x * sin)


def _astray(picture: Picture, rng: _Rng, true: _Place, card: int) -> Cut:
    """A patch taken a little wrong."""
    much = 0.35 if rng.random() < 0.5 else 1.0  # as if cut again, or for the first time
    away, turn, size = much * rng.normal(0, (0.12, 0.12)), much * rng.normal(0, 0.2), much * rng.normal(0, 0.16)
    x, y = np.array([true.x, true.y]) + true.height * away
    place = _Place(float(x), float(y), float(true.height * np.exp(size)), float(true.angle + turn))
    return _taken(picture, rng, place, true, card)


def _taken(picture: Picture, rng: _Rng, place: _Place, true: _Place, card: int) -> Cut:
    """The patch of a place, as if seen from one side half of the time, and how far it is off the true one."""
    skew = _skew(rng) if rng.random() < 0.5 else UPRIGHT
    cutting = patch(picture, (place.x, place.y), place.height, place.angle, skew)
    turn = true.angle - place.angle
    right, down = skew @ _towards(place, true)
    up_x, up_y = skew @ (np.sin(turn), -np.cos(turn)) * true.height / place.height
    off = (float(right), float(down), float(np.log(np.hypot(up_x, up_y))), float(np.arctan2(up_x, -up_y)))
    return Cut(_spoilt(_recoloured(cutting, rng), rng), card, off)


def _skew(rng: _Rng) -> npt.NDArray[np.float64]:
    """Return a random distortion of an index seen from one side: leaning, rising or falling, narrower or wider."""
    lean, rise = rng.normal(0, 0.22), rng.normal(0, 0.12)
    return np.array([[float(np.exp(rng.normal(-0.05, 0.2))), lean], [rise, 1.0]])


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
    """Lighter, darker, paler, of another tint, more or less contrast."""
    found = cutting.astype(np.float32) * rng.uniform(0.6, 1.25) * (1 + rng.normal(0, 0.06, 3)).astype(np.float32)
    pale = rng.uniform(0, 0.6) if rng.random() < 0.4 else 0.0
    found += np.float32(pale) * (found.mean(axis=2, keepdims=True) - found) + np.float32(rng.uniform(-20, 20))
    if rng.random() < 0.2:
        cv2.GaussianBlur(found, (0, 0), rng.uniform(0.4, 1.8), found)
    return np.asarray(np.clip(found, 0, 255), np.uint8)


def _spoilt(cutting: Picture, rng: _Rng) -> Picture:
    """Now and then as of fewer pixels, now and then with some that failed."""
    if rng.random() < 0.2:
        share = rng.uniform(0.3, 0.8)
        small = cv2.resize(cutting, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        cutting = cv2.resize(small, cutting.shape[1::-1], interpolation=cv2.INTER_LINEAR).astype(np.uint8)
    if rng.random() < 0.15:
        failed = rng.random(cutting.shape[:2]) < rng.uniform(0, 0.02)
        cutting[failed] = 255 * rng.integers(0, 2, (int(failed.sum()), 1), np.uint8)
    return cutting
