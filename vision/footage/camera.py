"""The camera above a table: how it projects, what light and lens do to its picture, how it shakes."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration.calibration import Calibration
from vision.calibration.table import MARKS_MM, SIZE_MM, Points
from vision.footage.layout import Layout

Matrix = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]
Plane = npt.NDArray[np.float32]

FULL_HD: Final = (1920, 1080)
_MIDDLE_MM: Final = (0.0, SIZE_MM[1] / 2)
_NOISE_MORE_PX: Final = 96  # that the drawn noise is larger than a picture: each frame has another part of it
_NO_NOISE: Final = 40  # what stands for none, so that noise may take away
_SHAKE_S: Final = 0.6  # in which a knock dies away


@dataclass(frozen=True)
class CameraView:
    """A camera's place over a table. Millimetres as on the felt, with z upwards from it."""

    image: tuple[int, int]
    projection: Matrix  # 3 × 4, millimetres to pixels

    @classmethod
    def at(
        cls,
        foot_mm: tuple[float, float] = (0.0, 0.0),
        height_mm: float = 2300.0,
        roll: float = 0.0,
        image: tuple[int, int] = FULL_HD,
    ) -> "CameraView":
        """A camera at that height, ``foot_mm`` off the table's middle, that looks at the middle and sees all of it."""
        eye = np.array([_MIDDLE_MM[0] + foot_mm[0], _MIDDLE_MM[1] + foot_mm[1], height_mm])
        ahead = np.array([*_MIDDLE_MM, 0.0]) - eye
        ahead /= np.linalg.norm(ahead)
        right = np.array([math.cos(roll), math.sin(roll), 0.0])
        right -= ahead * (right @ ahead)
        right /= np.linalg.norm(right)
        turn = np.array([right, np.cross(ahead, right), ahead])
        # Millimetres have y down the picture and z towards the eye: a left-handed system.
        turn[1] *= np.sign(turn[1, 1])
        outside = np.column_stack([turn, -turn @ eye])
        return cls(image, _fitted(outside, image) @ outside)

    @classmethod
    def somewhere(cls, rng: np.random.Generator, image: tuple[int, int] = FULL_HD) -> "CameraView":
        """A camera that hangs about where cameras hang."""
        foot = float(rng.uniform(-260, 260)), float(rng.uniform(-140, 240))
        return cls.at(foot, float(rng.uniform(2000, 2700)), math.radians(rng.uniform(-1.2, 1.2)), image)

    def plane(self, height_mm: float) -> Matrix:
        """Return the matrix from millimetres in the plane at a height above the felt to pixels."""
        right, down, up, origin = self.projection.T
        return np.column_stack([right, down, up * height_mm + origin])

    @cached_property
    def on_felt(self) -> Matrix:
        """Matrix from millimetres on the felt to pixels."""
        felt = self.plane(0)
        return np.asarray(felt / felt[2, 2])

    @cached_property
    def to_mm(self) -> Matrix:
        """Matrix from pixels to millimetres on the felt."""
        inverse = np.linalg.inv(self.on_felt)
        return np.asarray(inverse / inverse[2, 2])

    def pixels(self, points_mm: npt.ArrayLike, height_mm: float = 0.0) -> Points:
        """Points at a height above the felt as pixels."""
        flat = np.asarray(points_mm, np.float64).reshape(-1, 2)
        seen = np.column_stack([flat, np.full(len(flat), height_mm), np.ones(len(flat))]) @ self.projection.T
        return np.asarray(seen[:, :2] / seen[:, 2:])

    def px_per_mm(self, point_mm: tuple[float, float]) -> float:
        """Return the pixels per millimetre at a point of the felt."""
        here = self.pixels([point_mm, (point_mm[0] + 1, point_mm[1]), (point_mm[0], point_mm[1] + 1)])
        return math.sqrt(abs(float(np.linalg.det(here[1:] - here[0]))))

    def calibration(self, layout: Layout, card_mm: tuple[float, float]) -> Calibration:
        """Return the exact calibration of this camera."""
        return Calibration(self.image, self.to_mm, layout.zones, card_mm, np.array(MARKS_MM))


def _fitted(outside: Matrix, image: tuple[int, int]) -> Matrix:
    """The lens and the crop with which the whole table fills the picture."""
    half = SIZE_MM[0] / 2
    corners = np.array([(x, y, 0.0, 1.0) for x in (-half, half) for y in (0.0, SIZE_MM[1])])
    seen = corners @ outside.T
    flat = seen[:, :2] / seen[:, 2:]
    low, high = flat.min(axis=0), flat.max(axis=0)
    focus = float((np.array(image) / (high - low)).min())
    middle = np.array(image) / 2 - focus * (low + high) / 2
    return np.array([[focus, 0, middle[0]], [0, focus, middle[1]], [0, 0, 1]])


class Optics(NamedTuple):
    """Imperfections of lens, sensor and lighting."""

    softness_px: float = 0.55  # spread of a point
    vignette: float = 0.22  # how much darker the corners are
    noise: float = 2.2  # spread in steps of brightness
    drift: float = 0.05  # share by which brightness wanders
    knocks_per_minute: float = 1.0
    knock_px: float = 1.6

    @classmethod
    def some(cls, rng: np.random.Generator) -> "Optics":
        """A camera of middling quality."""
        return cls(
            softness_px=float(rng.uniform(0.4, 0.75)),
            vignette=float(rng.uniform(0.1, 0.3)),
            noise=float(rng.uniform(1.2, 3.2)),
            drift=float(rng.uniform(0.02, 0.08)),
            knocks_per_minute=float(rng.uniform(0.3, 2.0)),
            knock_px=float(rng.uniform(0.5, 2.0)),
        )


class Sensor:
    """Turns what there is to see into frames: exposure that wanders, knocks that shake the picture, noise."""

    def __init__(self, image: tuple[int, int], optics: Optics, rng: np.random.Generator) -> None:
        self.optics = optics
        width, height = image
        self._noise = _noise(width + _NOISE_MORE_PX, height + _NOISE_MORE_PX, optics.noise, rng)
        self._phases = rng.uniform(0, 2 * np.pi, 3)
        self._rng = rng
        self._next_knock_s = self._wait_s()
        self._knock_s, self._knock = -1.0, np.zeros(2)

    def frame(self, seen: Picture, at_s: float) -> Picture:
        """The frame at a time; times grow from call to call."""
        shift = self._shift(at_s)
        height, width = seen.shape[:2]
        if np.abs(shift).max() > 0.05:
            moved = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
            seen = cv2.warpAffine(
                seen, moved, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            ).astype(np.uint8, copy=False)
        left, top = self._rng.integers(_NOISE_MORE_PX, size=2).tolist()
        noise = self._noise[top : top + height, left : left + width]
        return np.asarray(cv2.addWeighted(seen, self.exposure(at_s), noise, 1.0, -_NO_NOISE), np.uint8)

    def exposure(self, at_s: float) -> float:
        """Return the brightness of the picture at a time, relative to its usual brightness."""
        waves = np.sin(2 * np.pi * at_s / np.array([97.0, 31.0, 7.3]) + self._phases)
        return 1.0 + self.optics.drift * float(waves @ (0.6, 0.3, 0.1))

    def _shift(self, at_s: float) -> npt.NDArray[np.float64]:
        """By how much a knock displaces the picture, in pixels."""
        if at_s >= self._next_knock_s:
            self._knock_s, self._knock = at_s, self._rng.normal(0, self.optics.knock_px, 2)
            self._next_knock_s = at_s + self._wait_s()
        since = at_s - self._knock_s
        if self._knock_s < 0 or since > _SHAKE_S:
            return np.zeros(2)
        swing: npt.NDArray[np.float64] = self._knock * math.cos(40 * since) * (1 - since / _SHAKE_S) ** 2
        return swing

    def _wait_s(self) -> float:
        return float(self._rng.exponential(60 / max(self.optics.knocks_per_minute, 1e-6)))


def _noise(width: int, height: int, spread: float, rng: np.random.Generator) -> Picture:
    """Noise around a mean, with more of it in brightness than in colour."""
    grey = rng.standard_normal((height, width, 1), np.float32)
    colour = rng.standard_normal((height, width, 3), np.float32)
    return np.clip(np.rint(_NO_NOISE + spread * (0.85 * grey + 0.5 * colour)), 0, 255).astype(np.uint8)


def light(view: CameraView, optics: Optics, rng: np.random.Generator) -> Plane:
    """Return the light on each pixel, at most 1: lamps over the table, less the lens's falloff towards the corners."""
    width, height = view.image
    y, x = np.mgrid[:height, :width].astype(np.float32)
    across, down = (x - width / 2) / (width / 2), (y - height / 2) / (width / 2)
    lit = 1.0 - optics.vignette * (across**2 + down**2)
    for _ in range(2):
        at, reach = rng.uniform((-0.8, -0.4), (0.8, 0.4)), float(rng.uniform(0.35, 0.7))
        lit += float(rng.uniform(0.02, 0.1)) * np.exp(-((across - at[0]) ** 2 + (down - at[1]) ** 2) / reach**2)
    return np.asarray(lit / lit.max(), np.float32)


def glare(view: CameraView, rng: np.random.Generator) -> Plane:
    """Return the share of lamp light, 0 to 1, that glossy cards reflect at each pixel."""
    width, height = view.image
    y, x = np.mgrid[:height, :width].astype(np.float32)
    thrown = np.zeros((height, width))
    for _ in range(2):
        at = rng.uniform((0.15 * width, 0.2 * height), (0.85 * width, 0.9 * height))
        reach = rng.uniform(0.04, 0.1, 2) * width
        spot = np.exp(-(((x - at[0]) / reach[0]) ** 2) - ((y - at[1]) / reach[1]) ** 2)
        thrown = np.maximum(thrown, float(rng.uniform(0.1, 0.35)) * spot)
    return thrown.astype(np.float32)
