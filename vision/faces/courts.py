"""Figures of court cards: not art, but as full of colour, lines and frames as art is."""

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.pips import outlines

if TYPE_CHECKING:
    from vision.faces.design import Design

_PAINTS = ((40, 190, 235), (40, 28, 200), (150, 60, 20), (25, 25, 25), (250, 250, 250), (60, 130, 40))


def figure(picture: npt.NDArray[np.uint8], design: "Design", rank: str, suit: str) -> None:
    """Fill a card with a framed figure that looks the same upside down."""
    height, width = picture.shape[:2]
    index = design.index
    px = height / design.card_mm[1]
    left = round(px * (index.inset_mm[0] + 0.9 * index.rank_mm * index.squeeze + 2))
    top = round(px * 6)
    left = min(left, width // 3)
    rng = np.random.default_rng([design.court, "JQK".index(rank), "SHDC".index(suit)])
    half = picture[top : height // 2, left : width - left]
    _garment(half, rng)
    _head(half, rng, rank)
    _sign(half, design, suit)
    lower = half[::-1, ::-1].copy()
    picture[height - height // 2 : height - top, left : width - left] = lower[-(height // 2 - top) :]
    if design.court % 3:
        corner = (width - left - 1, height - top - 1)
        cv2.rectangle(picture, (left, top), corner, _PAINTS[design.court % 4], 3, cv2.LINE_AA)


def _garment(half: npt.NDArray[np.uint8], rng: np.random.Generator) -> None:
    height, width = half.shape[:2]
    for _ in range(14):
        centre = rng.uniform((0.1 * width, 0.45 * height), (0.9 * width, height))
        spread = rng.uniform(0.08, 0.35) * width
        corners = centre + rng.normal(0, spread, (int(rng.integers(3, 6)), 2))
        paint: Any = _PAINTS[int(rng.integers(len(_PAINTS)))]
        cv2.fillConvexPoly(half, cv2.convexHull(corners.astype(np.int32)), paint, cv2.LINE_AA)
    for _ in range(10):
        ends = rng.uniform((0, 0.35 * height), (width, height), (2, 2)).astype(int)
        thickness = int(rng.integers(2, 7))
        cv2.line(half, ends[0].tolist(), ends[1].tolist(), _PAINTS[int(rng.integers(4))], thickness, cv2.LINE_AA)


def _head(half: npt.NDArray[np.uint8], rng: np.random.Generator, rank: str) -> None:
    height, width = half.shape[:2]
    centre, size = (width // 2, round(0.36 * height)), round(0.14 * width)
    cv2.ellipse(half, centre, (round(1.5 * size), round(1.5 * size)), 0, 0, 360, _PAINTS[0], -1, cv2.LINE_AA)
    cv2.ellipse(half, centre, (size, round(1.25 * size)), 0, 0, 360, (190, 215, 240), -1, cv2.LINE_AA)
    for side in (-1, 1):
        cv2.circle(half, (centre[0] + side * size // 2, centre[1]), max(2, size // 8), _PAINTS[3], -1, cv2.LINE_AA)
    points = {"J": 1, "Q": 3, "K": 5}[rank]
    crown = [(centre[0] - 2 * size, centre[1] - size)]
    for n in range(points):
        x = centre[0] - 2 * size + 4 * size * (n + 0.5) / points
        crown += [(round(x), max(2, centre[1] - round(size * rng.uniform(2.2, 2.8))))]
        crown += [(round(centre[0] - 2 * size + 4 * size * (n + 1) / points), centre[1] - size)]
    cv2.fillPoly(half, [np.array(crown, np.int32)], _PAINTS[int(rng.integers(3))], cv2.LINE_AA)


def _sign(half: npt.NDArray[np.uint8], design: "Design", suit: str) -> None:
    """The suit beside the head, as most figures have it."""
    size = 0.13 * half.shape[1]
    for sign in outlines(suit, design.pips):
        points = (sign * size + (1.25 * size, 1.4 * size)) * 64
        cv2.fillPoly(half, [points.astype(np.int32)], design.colours[suit], cv2.LINE_AA, 6)
