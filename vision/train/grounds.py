"""Backgrounds for cards, and other objects beside them."""

from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.train.spoil import Picture

_Rng = np.random.Generator
_FONTS: Final = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SCRIPT_COMPLEX)
_WORDS: Final = (
    *("PONTOON", "INSURANCE PAYS 2 TO 1", "DEALER MUST DRAW", "3 TO 2", "21", "A", "K", "Q", "100", "25", "5", "500"),
    *("10", "6", "9", "SPANISH", "8", "7", "4", "J", "2"),
)


def ground(size: int, rng: _Rng) -> Picture:
    """Felt, wood, cloth, paper or anything, with or without print."""
    base = rng.uniform(10, 245, 3) if rng.random() < 0.5 else rng.uniform((20, 40, 10), (110, 140, 90))
    found = np.full((size, size, 3), base, np.float32)
    for cells in (3, 9, 40, size):
        grain = rng.normal(0, rng.choice([0, 3, 8, 18]), (cells, cells if rng.random() < 0.7 else 2, 1))
        found += cv2.resize(grain.astype(np.float32), (size, size), interpolation=cv2.INTER_LINEAR)[..., None]
    if rng.random() < 0.4:
        found += _texture(size, rng)[..., None] * rng.normal(0, 45, 3).astype(np.float32)
    picture = np.clip(found, 0, 255).astype(np.uint8)
    for _ in range(int(rng.choice([0, 0, 1, 3, 8]))):
        _mark(picture, rng)
    if rng.random() < 0.06:
        _keys(picture, rng)
    return picture


def _texture(size: int, rng: _Rng) -> npt.NDArray[np.float32]:
    """Scratched wood, knitted cloth, blotches: from -1 to 1 and mostly sharp."""
    how = rng.random()
    if how < 0.4:  # grain, in one direction or in none
        cells = (int(rng.integers(20, 120)), int(rng.integers(3, 120)))
        found = cv2.resize(rng.normal(0, 1, cells).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
        return np.asarray(np.tanh(found * rng.uniform(0.5, 4)), np.float32)
    y, x = np.mgrid[:size, :size].astype(np.float32)
    angle = rng.uniform(0, np.pi)
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    bend = cv2.resize(rng.normal(0, 3, (6, 6)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
    waves = np.sin((along + bend) * rng.uniform(0.15, 1.2)) * np.sin((across + bend) * rng.uniform(0.05, 1.2))
    return np.asarray(np.tanh(waves * rng.uniform(1, 5)), np.float32)


def _keys(picture: Picture, rng: _Rng) -> None:
    """Rows of buttons with letters on them."""
    step = int(rng.integers(22, 60))
    body, ink = _colour(rng), _colour(rng)
    for y in range(int(rng.integers(0, 200)), picture.shape[0], step):
        for x in range(int(rng.integers(-20, 20)), picture.shape[1], step):
            cv2.rectangle(picture, (x, y), (x + step - 4, y + step - 4), body, -1)
            letter = chr(int(rng.integers(48, 91)))
            cv2.putText(picture, letter, (x + step // 4, y + step // 2), _FONTS[0], step / 60, ink, 1, cv2.LINE_AA)


def _colour(rng: _Rng) -> tuple[Any, ...]:
    return tuple(int(part) for part in rng.integers(0, 256, 3)) if rng.random() < 0.6 else (240, 245, 245)


def _mark(picture: Picture, rng: _Rng) -> None:
    """A line, a shape or some print."""
    size = picture.shape[0]
    a, b = (tuple(int(v) for v in rng.integers(0, size, 2)) for _ in range(2))
    how, thick = rng.random(), int(rng.integers(1, 6))
    if how < 0.25:
        cv2.line(picture, a, b, _colour(rng), thick, cv2.LINE_AA)
    elif how < 0.45:
        cv2.ellipse(
            picture, a, (int(rng.integers(5, size)), int(rng.integers(5, size))), 0, 0, 360, _colour(rng), thick
        )
    elif how < 0.6:
        cv2.rectangle(picture, a, b, _colour(rng), thick if rng.random() < 0.6 else -1)
    else:
        word = _WORDS[int(rng.integers(len(_WORDS)))]
        font = _FONTS[int(rng.integers(len(_FONTS)))]
        cv2.putText(picture, word, a, font, float(rng.uniform(0.4, 2)), _colour(rng), thick, cv2.LINE_AA)


def clutter(picture: Picture, rng: _Rng, px_per_mm: float, over_cards: bool = False) -> None:
    """Chips, fingers and whatever else is on a table."""
    for _ in range(int(rng.integers(1, 3 if over_cards else 5))):
        place = rng.uniform(0, picture.shape[0], 2)
        how = rng.random()
        if how < 0.55:
            _chip(picture, rng, place, 19.5 * px_per_mm * rng.uniform(0.8, 1.2))
        elif how < 0.85:
            _finger(picture, rng, place, 9 * px_per_mm)
        else:
            _mark(picture, rng)


def _chip(picture: Picture, rng: _Rng, place: Any, radius: float) -> None:
    centre, r = tuple(int(v) for v in place), max(3, int(radius))
    body, light = _colour(rng), (235, 240, 240)
    cv2.circle(picture, centre, r, body, -1, cv2.LINE_AA)
    start = rng.uniform(0, 60)
    for n in range(6):
        angle = start + 60 * n
        cv2.ellipse(picture, centre, (r - 2, r - 2), 0, angle, angle + 25, light, max(1, r // 6), cv2.LINE_AA)
    cv2.circle(picture, centre, int(0.62 * r), light if rng.random() < 0.6 else body, -1, cv2.LINE_AA)
    cv2.circle(picture, centre, int(0.62 * r), light, 1, cv2.LINE_AA)
    word = str(rng.choice(["1", "5", "25", "100", "500", "10", "2"]))
    scale = 0.022 * r
    at = (centre[0] - int(9 * scale * len(word)), centre[1] + int(10 * scale))
    cv2.putText(picture, word, at, cv2.FONT_HERSHEY_TRIPLEX, scale, _colour(rng), max(1, r // 14), cv2.LINE_AA)


def _finger(picture: Picture, rng: _Rng, place: Any, breadth: float) -> None:
    """Draw strokes in skin colours over the picture, like fingers."""
    skin = np.array([130, 165, 215]) * rng.uniform(0.35, 1.1)
    for _ in range(int(rng.integers(1, 5))):
        along = rng.normal(0, 1, 2)
        end = place + along / max(0.1, float(np.hypot(*along))) * breadth * rng.uniform(2, 9)
        thick = max(2, int(breadth * rng.uniform(0.9, 2.2)))
        shade: Any = tuple(int(v) for v in np.clip(skin + rng.normal(0, 8, 3), 0, 255))
        cv2.line(picture, tuple(int(v) for v in place), tuple(int(v) for v in end), shade, thick, cv2.LINE_AA)
