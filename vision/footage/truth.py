"""Ground truth of rendered footage: when and where each card lay, and how much of it and its indices was visible."""

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
import polars as pl

from vision.calibration.table import Points
from vision.faces.deck import Deck, Mark
from vision.footage.camera import CameraView
from vision.footage.places import Lain
from vision.footage.sprites import SpritePose
from vision.footage.stage import Settled

_PX: Final = 2  # per millimetre of a card on which it is counted what is covered

SCHEMA: Final[dict[str, Any]] = {
    "round": pl.Int64,
    "shoe": pl.String,
    "n": pl.Int64,
    "card": pl.String,
    "zone": pl.String,
    "order": pl.Int64,
    "face": pl.String,
    "sideways": pl.Boolean,
    "laid_ms": pl.Int64,  # since the first frame, as all times
    "settled_ms": pl.Int64,  # when the card came to rest
    "clear_ms": pl.Int64,  # when the hand that laid it had left
    "until_ms": pl.Int64,
    "settled_frame": pl.Int64,  # the first that shows it at rest
    "until_frame": pl.Int64,  # the last
    "x": pl.Float64,  # its middle, in pixels
    "y": pl.Float64,
    "angle": pl.Float64,  # radians, clockwise from the picture's up to the card's
    "index_boxes": pl.List(pl.List(pl.Float64)),  # left, top, right, bottom
    "index_visible": pl.List(pl.Float64),  # the least share of each that other cards left to be seen
    "visible": pl.Float64,  # ... and of the whole card
}


class _Cover(NamedTuple):
    """Visible shares, 0 to 1, of a partly covered card and of its indices."""

    card: float
    indices: list[float]


def rows(
    lain: Sequence[Lain],
    settled: Sequence[Settled],
    view: CameraView,
    deck: Deck,
    start_ms: float,
    fps: float,
    frames: int,
) -> pl.DataFrame:
    """A row for each stay that the footage shows to its end or from its beginning, in the order of the stays."""
    covers = _covers(lain, settled, deck)
    found = []
    for (stay, pose, _), when, cover in zip(lain, settled, covers, strict=True):
        from_ms, until_ms = when.settled_ms - start_ms, when.lifted_ms - start_ms
        first, last = math.ceil(from_ms * fps / 1000), min(frames, math.ceil(until_ms * fps / 1000)) - 1
        if last < max(0, first):
            continue
        middle = view.pixels([(pose.x_mm, pose.y_mm)])[0]
        marks = deck.marks(stay.card) if stay.face == "up" else []
        boxes = [index_box(mark, pose, view, deck.card_mm) for mark in marks]
        times = (stay.laid_ms - start_ms, from_ms, when.clear_ms - start_ms, until_ms)
        key = (stay.round, stay.shoe, stay.n, stay.card, stay.zone, stay.order, stay.face, stay.sideways)
        lies = (float(middle[0]), float(middle[1]), math.remainder(pose.angle, 2 * math.pi))
        seen = (boxes, cover.indices if stay.face == "up" else [], cover.card)
        found.append((*key, *(round(ms) for ms in times), max(0, first), last, *lies, *seen))
    return pl.DataFrame(found, schema=SCHEMA, orient="row")


def index_box(mark: Mark, pose: SpritePose, view: CameraView, card_mm: tuple[float, float]) -> list[float]:
    """The upright box around an index, in pixels."""
    half_width, half_height = mark.width_mm / 2, mark.height_mm / 2
    corners = [(mark.x_mm + x * half_width, mark.y_mm + y * half_height) for x in (-1, 1) for y in (-1, 1)]
    seen = view.pixels(_moved(corners, pose.matrix(card_mm)))
    return [round(edge, 1) for edge in (*seen.min(axis=0).tolist(), *seen.max(axis=0).tolist())]


def _moved(points: npt.ArrayLike, matrix: npt.NDArray[np.float64]) -> Points:
    return np.asarray(cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(1, -1, 2), matrix)[0])


def _covers(lain: Sequence[Lain], settled: Sequence[Settled], deck: Deck) -> list[_Cover]:
    """For each card what the cards upon it left, when least."""
    reach = math.hypot(*deck.card_mm)
    upon: dict[int, list[int]] = {number: [] for number in range(len(lain))}
    present: list[int] = []
    for number in sorted(upon, key=lambda each: settled[each].settled_ms):
        present = [other for other in present if settled[other].lifted_ms > settled[number].settled_ms]
        for other in present:
            a, b = lain[number].pose, lain[other].pose
            if math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < reach:
                below, above = sorted((number, other), key=lambda each: lain[each].depth)
                upon[below].append(above)
        present.append(number)
    return [_least(number, upon[number], lain, settled, deck) for number in range(len(lain))]


def _least(number: int, upon: Sequence[int], lain: Sequence[Lain], settled: Sequence[Settled], deck: Deck) -> _Cover:
    marks = deck.marks(lain[number].stay.card)
    least = _Cover(1.0, [1.0] * len(marks))
    for newest in upon:
        at = max(settled[newest].settled_ms, settled[number].settled_ms)
        lying = [other for other in upon if settled[other].settled_ms <= at < settled[other].lifted_ms]
        now = _left_by([lain[other].pose for other in lying], lain[number].pose, marks, deck.card_mm)
        least = _Cover(min(least.card, now.card), [min(pair) for pair in zip(least.indices, now.indices, strict=True)])
    return least


def _left_by(
    others: Sequence[SpritePose], pose: SpritePose, marks: Sequence[Mark], card_mm: tuple[float, float]
) -> _Cover:
    """Return the visible shares of a card and its indices under other cards, measured on the card itself."""
    width, height = (round(side * _PX) for side in card_mm)
    free = np.ones((height, width), np.uint8)
    corners = [(0.0, 0.0), (card_mm[0], 0.0), card_mm, (0.0, card_mm[1])]
    to_card = np.linalg.inv(pose.matrix(card_mm))
    for other in others:
        outline = _moved(corners, to_card @ other.matrix(card_mm)) * _PX
        cv2.fillConvexPoly(free, np.rint(outline).astype(np.int32), 0)
    shares = []
    for mark in marks:
        left, top = (mark.x_mm - mark.width_mm / 2) * _PX, (mark.y_mm - mark.height_mm / 2) * _PX
        right, bottom = left + mark.width_mm * _PX, top + mark.height_mm * _PX
        shares.append(round(float(free[round(top) : round(bottom), round(left) : round(right)].mean()), 3))
    return _Cover(round(float(free.mean()), 3), shares)
