"""Pictures of cards lying about, with what is to be found in them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, Protocol

import cv2
import numpy as np
import numpy.typing as npt

from vision.faces.deck import ALL_CARDS, PX_PER_MM, Mark
from vision.train.grounds import clutter, ground
from vision.train.spoil import Picture, spoiled

SIZE: Final = 256
_HEIGHTS: Final = (20.0, 64.0)  # of indices, px
_VISIBLE, _HIDDEN = 0.8, 0.3  # shares of an index that make it one to find, or none


class Faces(Protocol):
    """A deck to draw from."""

    card_mm: tuple[float, float]

    def face(self, card: str) -> Picture: ...
    def marks(self, card: str) -> list[Mark]: ...
    def back(self) -> Picture: ...
    def __hash__(self) -> int: ...


class Label(NamedTuple):
    """An index in a scene; ``card`` is -1 where too little of it shows to ask for it, yet too much to deny it."""

    x: float
    y: float
    width: float
    height: float
    angle: float  # clockwise from up: where its top points
    card: int  # in ALL_CARDS


class _Laid(NamedTuple):
    card: int
    matrix: npt.NDArray[np.float64]  # from the card's picture to the scene
    turned_over: bool


def scene(decks: Sequence[Faces], rng: np.random.Generator) -> tuple[Picture, list[Label]]:
    """A square picture and its indices."""
    deck = decks[int(rng.integers(len(decks)))]
    picture = ground(SIZE, rng)
    owner = np.full((SIZE, SIZE), -1, np.int16)
    marks = deck.marks(ALL_CARDS[int(rng.integers(52))])
    index_px = float(np.exp(rng.uniform(*np.log(_HEIGHTS))))
    px_per_mm = index_px / marks[0].height_mm
    if rng.random() < 0.35:
        clutter(picture, rng, px_per_mm)
    laid = _arranged(deck, rng, px_per_mm) if rng.random() < 0.93 else []
    for number, card in enumerate(laid):
        _draw(picture, owner, deck, card, number, rng)
    if rng.random() < 0.35:
        over = picture.copy()
        clutter(over, rng, px_per_mm, over_cards=True)
        owner[np.any(over != picture, axis=2)] = -1
        picture = over
    labels = [label for number, card in enumerate(laid) for label in _labels(deck, card, number, owner)]
    return spoiled(picture, rng, index_px), labels


def _arranged(deck: Faces, rng: np.random.Generator, px_per_mm: float) -> list[_Laid]:
    """Cards in a cascade, a fan, a row or anyhow, so that some of their corners are in the picture."""
    scale = px_per_mm / PX_PER_MM
    size = np.array(deck.card_mm) * px_per_mm
    tilt = rng.uniform(0, 2 * np.pi)
    middle = rng.uniform(0.1 * SIZE, 0.9 * SIZE, 2)
    how = rng.random()
    count = int(rng.integers(1, 4)) if how < 0.35 else int(rng.integers(2, 8))
    step = rng.uniform((0.15, -0.1), (0.55, 0.35)) * size * (1 if rng.random() < 0.5 else -1)
    fan = rng.uniform(0.05, 0.3)
    bend = rng.normal(0, 0.35 / max(size[1], 1), 2) if rng.random() < 0.6 else np.zeros(2)
    squash = _squash(rng) if rng.random() < 0.4 else np.eye(3)
    laid = []
    for n in range(count):
        angle, place = tilt, middle
        if how < 0.35:
            angle, place = rng.uniform(0, 2 * np.pi), rng.uniform(-0.2 * SIZE, 1.2 * SIZE, 2)
        elif how < 0.7:
            place = middle + _turn(tilt) @ (step * (n - count / 2))
            angle = tilt + rng.normal(0, 0.06) + (np.pi / 2 if rng.random() < 0.08 else 0)
        else:
            angle = tilt + fan * (n - count / 2)
            pivot = middle + _turn(tilt) @ np.array([0, 0.9 * size[1]])
            place = pivot - _turn(angle) @ np.array([0, 0.9 * size[1]])
        angle += np.pi if rng.random() < 0.5 else 0
        matrix = _pose(place, angle, scale, np.array(deck.card_mm) * PX_PER_MM / 2, bend)
        laid.append(_Laid(int(rng.integers(52)), squash @ matrix, bool(rng.random() < 0.06)))
    return laid


def _squash(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return a random distortion, as of pictures saved in another shape or taken from one side."""
    x, y = rng.uniform(0.55, 1, 2)
    scale = np.diag([x, y, np.sqrt(x * y)])
    scale[:2, 2] = SIZE / 2 * (scale[2, 2] - np.array([x, y]))
    found: npt.NDArray[np.float64] = scale / scale[2, 2]
    return found


def _turn(angle: float) -> npt.NDArray[np.float64]:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _pose(
    place: npt.NDArray[np.float64],
    angle: float,
    scale: float,
    half_px: npt.NDArray[np.float64],
    bend: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return the matrix from a card's picture to the scene, with some perspective around its place."""
    turned = _turn(angle) * scale
    shift = -turned @ half_px
    flat = np.array([[*turned[0], shift[0]], [*turned[1], shift[1]], [0, 0, 1]])
    seen = np.array([[1, 0, 0], [0, 1, 0], [bend[0], bend[1], 1]])
    moved = np.array([[1, 0, place[0]], [0, 1, place[1]], [0, 0, 1]])
    found: npt.NDArray[np.float64] = moved @ seen @ flat
    return found


def _draw(
    picture: Picture, owner: npt.NDArray[np.int16], deck: Faces, card: _Laid, number: int, rng: np.random.Generator
) -> None:
    scale = float(np.sqrt(abs(np.linalg.det(card.matrix[:2, :2]))))
    halvings = max(0, int(np.floor(np.log2(1 / scale))))
    face = _reduced(deck, None if card.turned_over else ALL_CARDS[card.card], halvings)
    matrix = card.matrix @ np.diag([2.0**halvings, 2.0**halvings, 1])
    height, width = face.shape[:2]
    edges = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
    corners = cv2.perspectiveTransform(edges, matrix)[0]
    margin = 12  # for the shadow
    x0, y0 = np.clip(np.floor(corners.min(axis=0)).astype(int) - margin, 0, SIZE)
    x1, y1 = np.clip(np.ceil(corners.max(axis=0)).astype(int) + margin, 0, SIZE)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    moved = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]]) @ matrix
    warped = cv2.warpPerspective(face, moved, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR)
    alpha = warped[..., 3:].astype(np.float32) / 255
    part = picture[y0:y1, x0:x1].astype(np.float32)
    if rng.random() < 0.7:
        size = 1 + 2 * int(rng.integers(1, 8))
        shadow = np.roll(cv2.blur(alpha, (size, size)), rng.integers(-4, 5, 2), (0, 1))
        part *= 1 - shadow[..., None] * np.float32(rng.uniform(0.1, 0.5))
    picture[y0:y1, x0:x1] = part + alpha * (warped[..., :3] - part)
    owner[y0:y1, x0:x1][alpha[..., 0] > 0.5] = number


@lru_cache(maxsize=1024)  # some more than the faces of a shard's decks
def _reduced(deck: Faces, card: str | None, halvings: int) -> Picture:
    """A face, or the back, not much larger than it will be drawn, or thin lines would be lost between the pixels."""
    face, factor = deck.back() if card is None else deck.face(card), 0.5**halvings
    return cv2.resize(face, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA).astype(np.uint8)


def _labels(deck: Faces, card: _Laid, number: int, owner: npt.NDArray[np.int16]) -> list[Label]:
    if card.turned_over:
        return []
    found = []
    for mark in deck.marks(ALL_CARDS[card.card]):
        corners = _outline(mark, card.matrix)
        share = _share(corners, number, owner)
        if share < _HIDDEN:
            continue
        top, right, bottom, left = ((corners[a] + corners[b]) / 2 for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)))
        up = top - bottom
        middle = corners.mean(axis=0)
        found.append(
            Label(
                x=float(middle[0]),
                y=float(middle[1]),
                width=float(np.linalg.norm(right - left)),
                height=float(np.linalg.norm(up)),
                angle=float(np.arctan2(up[0], -up[1])),
                card=card.card if share >= _VISIBLE else -1,
            )
        )
    return found


def _outline(mark: Mark, matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Corners of an index in the scene, from its own top left clockwise."""
    sign = -1 if mark.turned else 1
    half = np.array([mark.width_mm, mark.height_mm]) / 2 * sign
    centre = np.array([mark.x_mm, mark.y_mm])
    corners = (centre + half * [[-1, -1], [1, -1], [1, 1], [-1, 1]]) * PX_PER_MM
    found: npt.NDArray[np.float64] = cv2.perspectiveTransform(corners[None], matrix)[0]
    return found


def _share(corners: npt.NDArray[np.float64], number: int, owner: npt.NDArray[np.int16]) -> float:
    """Return the visible share of an index, 0 to 1."""
    mask = np.zeros(owner.shape, np.uint8)
    cv2.fillConvexPoly(mask, corners.round().astype(np.int32), 1)
    area = cv2.contourArea(corners.astype(np.float32))
    return float(((mask == 1) & (owner == number)).sum() / max(area, 1))
