"""Suit signs as outlines in a square from -1 to 1, y downwards."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Outline = npt.NDArray[np.float64]

_STEPS: Final = 24  # points of a curve


class PipShape(NamedTuple):
    """Proportions of a deck's suit signs, 0 to 1; 0.5 is average."""

    heart_notch: float = 0.5  # how deep a heart is cut in
    heart_belly: float = 0.5  # how full its sides are
    diamond_waist: float = 0.5  # how far a diamond's sides bend inwards
    diamond_width: float = 0.5
    club_lobe: float = 0.5  # how large a club's leaves are
    club_spread: float = 0.5  # how far apart they stand
    stem: float = 0.5  # how broad stems end
    height: float = 0.5  # how long signs are for their width


def outlines(suit: str, shape: PipShape) -> list[Outline]:
    """The outlines whose union is a suit's sign."""
    drawn = {"H": _heart, "S": _spade, "D": _diamond, "C": _club}[suit](shape)
    tall = 0.85 + 0.3 * shape.height
    scale = np.array([min(1.0, 1 / tall), min(1.0, tall)])
    return [outline * scale for outline in drawn]


def _curve(*points: tuple[float, float]) -> Outline:
    """A cubic Bézier curve."""
    t = np.linspace(0, 1, _STEPS)[:, None]
    a, b, c, d = (np.array(point) for point in points)
    found: Outline = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
    return found


def _mirrored(right: Outline) -> Outline:
    """A shape from its right half, which runs from top to bottom."""
    return np.concatenate([right, right[::-1] * (-1, 1)])


def _heart(shape: PipShape) -> list[Outline]:
    notch, belly = -0.75 + 0.45 * shape.heart_notch, 0.75 + 0.35 * shape.heart_belly
    upper = _curve((0, notch), (0.15, -1.15), (1.0, -1.2), (0.95, -0.35))
    lower = _curve((0.95, -0.35), (0.93, -0.35 + 0.6 * belly), (0.25, 0.35 + 0.25 * belly), (0, 1))
    return [_mirrored(np.concatenate([upper, lower]))]


def _stem(shape: PipShape, top: float) -> Outline:
    half = 0.28 + 0.3 * shape.stem
    return _mirrored(np.concatenate([_curve((0.06, top), (0.08, 0.6), (0.5 * half, 0.92), (half, 1)), [[0, 1]]]))


def _spade(shape: PipShape) -> list[Outline]:
    leaf = _heart(shape)[0] * (1, -1)
    leaf[:, 1] = (leaf[:, 1] + 1) * 0.83 - 1
    return [leaf, _stem(shape, 0.1)]


def _diamond(shape: PipShape) -> list[Outline]:
    half, bend = 0.62 + 0.3 * shape.diamond_width, 0.3 * shape.diamond_waist
    inner, outer = half * (0.33 - bend * 0.5), half * (0.67 - bend)
    upper = _curve((0, -1), (inner, -0.67 + bend), (outer, -0.33 + bend * 0.5), (half, 0))
    return [_mirrored(np.concatenate([upper, upper[::-1] * (1, -1)]))]


def _club(shape: PipShape) -> list[Outline]:
    radius, apart = 0.36 + 0.16 * shape.club_lobe, 0.42 + 0.14 * shape.club_spread
    turn = np.linspace(0, 2 * np.pi, 2 * _STEPS)
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    leaves = [(0.0, -1 + radius), (-apart, 0.12), (apart, 0.12)]
    drawn = [ring * min(radius, 1 - abs(x)) + (x, y) for x, y in leaves]
    middle = np.array([(0.0, -0.45), (0.3, 0.2), (0.0, 0.35), (-0.3, 0.2)])
    return [*drawn, middle, _stem(shape, 0.0)]
