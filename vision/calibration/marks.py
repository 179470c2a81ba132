"""The marks on a layout's corners, dark rings with a white centre: finding them in a still, finding them again.

Chips are round and have white print too. What tells marks from them is the ring around the white, and that
four of them span a rectangle which fits their own size.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration.table import MARK_CENTRE_MM, MARK_MM, Points

Picture = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float64]

ALIKE: Final = 0.6  # correlation with the drawing from which on a place shows a mark

_MM_ACROSS: Final = (900.0, 4500.0)  # how much of a table a picture may show
_CANDIDATES: Final = 32
_ROUGHLY: Final = 1.5  # factor within which four discs' distances go with their sizes at first sight
_SEEMS: Final = 0.95  # as how large a disc is measured
_SIZES: Final = 1.18  # factor within which each goes with the others' distances
_TILT: Final = 1.35  # factor by which a picture may be longer one way than the other
_PX_PER_MM: Final = 2  # of a mark that is looked at closely
_TEMPLATE_MM: Final = 38.0


class Disc(NamedTuple):
    """White disc on a darker background."""

    x: float
    y: float
    width: float  # px
    likeness: float


class FoundMark(NamedTuple):
    """A mark looked for around the place where it should be."""

    x: float
    y: float
    likeness: float  # correlation with the drawing of a mark


def to_grey(picture: Picture) -> Picture:
    """A colour picture's brightness."""
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.uint8, copy=False)


def find_marks(grey: Picture, marks_mm: Points) -> Points | None:
    """Find the four marks in a picture; returns their pixels in order, None unless all four are visible."""
    best, found = 0.0, None
    for centres, widths in _quadrilaterals(find_discs(grey), marks_mm):
        misfit = _misfit(centres, widths, marks_mm)
        if misfit is not None:
            seen = look_for(grey, _view(centres, marks_mm), marks_mm, 4.0)
            likeness = min(each.likeness for each in seen)
            if likeness > ALIKE and likeness - misfit > best:
                best, found = likeness - misfit, np.array([(each.x, each.y) for each in seen])
    return found


def look_for(grey: Picture, to_px: Matrix, marks_mm: Points, within_mm: float) -> list[FoundMark]:
    """The most mark-like place around each mark's place; ``to_px`` leads from millimetres to pixels."""
    drawing = _drawing()
    side = round(2 * within_mm * _PX_PER_MM) + drawing.shape[0]
    found = []
    for x, y in marks_mm.tolist():
        # Pixels of a close-up, which has the mark in its middle, to millimetres.
        to_mm = np.array([[1, 0, -(side - 1) / 2], [0, 1, -(side - 1) / 2], [0, 0, 1]]) / _PX_PER_MM
        to_mm[:2, 2] += x, y
        to_mm[2, 2] = 1.0
        closeup = cv2.warpPerspective(
            grey,
            to_px @ to_mm,
            (side, side),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT,
        )
        fits = cv2.matchTemplate(closeup, drawing, cv2.TM_CCOEFF_NORMED)
        _, likeness, _, (left, top) = cv2.minMaxLoc(fits)
        middle = np.array([left, top], np.float64) + (drawing.shape[0] - 1) / 2 + _fraction(fits, left, top)
        place = cv2.perspectiveTransform(middle.reshape(1, 1, 2), to_px @ to_mm).ravel()
        found.append(FoundMark(float(place[0]), float(place[1]), float(likeness)))
    return found


def find_discs(grey: Picture) -> list[Disc]:
    """White discs with a dark ring around them, those most like a mark first."""
    width = grey.shape[1]
    small, large = (MARK_CENTRE_MM * width / across for across in reversed(_MM_ACROSS))
    wanted = cv2.SimpleBlobDetector.Params()
    wanted.minThreshold, wanted.maxThreshold, wanted.thresholdStep = 20, 250, 10
    wanted.filterByColor, wanted.blobColor = True, 255
    wanted.filterByArea, wanted.minArea, wanted.maxArea = True, 0.5 * small**2, 1.2 * large**2
    wanted.filterByCircularity, wanted.minCircularity = True, 0.65
    wanted.filterByInertia, wanted.minInertiaRatio = True, 0.3
    wanted.filterByConvexity, wanted.minConvexity = True, 0.85
    wanted.minDistBetweenBlobs = small
    blobs = cv2.SimpleBlobDetector.create(wanted).detect(grey)
    discs = [Disc(x, y, blob.size, _likeness(grey, x, y, blob.size)) for blob in blobs for x, y in [blob.pt]]
    return sorted((disc for disc in discs if disc.likeness > ALIKE), key=lambda disc: -disc.likeness)[:_CANDIDATES]


def _likeness(grey: Picture, x: float, y: float, width: float) -> float:
    scale = width / MARK_CENTRE_MM
    view = np.array([[scale, 0, x], [0, scale, y], [0, 0, 1]])
    return look_for(grey, view, np.zeros((1, 2)), 1.0)[0].likeness


def _quadrilaterals(discs: Sequence[Disc], marks_mm: Points) -> Iterator[tuple[Points, npt.NDArray[np.float64]]]:
    """Centres and widths of every four discs whose distances go roughly with their sizes, clockwise from upper left."""
    if len(discs) < 4:
        return
    fours = np.array(list(combinations(range(len(discs)), 4)))
    centres = np.array([(disc.x, disc.y) for disc in discs])[fours]
    away = centres - centres.mean(axis=1, keepdims=True)
    around = np.argsort(np.arctan2(away[..., 1], away[..., 0]), axis=1)
    first = np.argmin(np.take_along_axis(away.sum(axis=2), around, axis=1), axis=1)
    order = np.take_along_axis(around, (first[:, None] + np.arange(4)) % 4, axis=1)
    centres = np.take_along_axis(centres, order[..., None], axis=1)
    widths = np.take_along_axis(np.array([disc.width for disc in discs])[fours], order, axis=1)
    sides_px, sides_mm = (np.linalg.norm(each - np.roll(each, -1, axis=-2), axis=-1) for each in (centres, marks_mm))
    sizes = (widths + np.roll(widths, -1, axis=1)) / 2 / MARK_CENTRE_MM
    fits = (np.abs(np.log(sides_px / sides_mm / sizes)) < math.log(_ROUGHLY)).all(axis=1)
    yield from zip(centres[fits], widths[fits], strict=True)


def _misfit(centres: Points, widths: npt.NDArray[np.float64], marks_mm: Points) -> float | None:
    """By how much the discs' sizes differ from what their distances ask for, None if it is out of the question."""
    if not cv2.isContourConvex(centres.astype(np.float32)):
        return None
    view = _view(centres, marks_mm)
    ratios = []
    for width, (x, y) in zip(widths.tolist(), marks_mm.tolist(), strict=True):
        a, b, c = cv2.perspectiveTransform(np.array([[(x, y), (x + 1, y), (x, y + 1)]]), view)[0]
        longer, shorter = np.linalg.svd(np.array([b - a, c - a]), compute_uv=False).tolist()
        if shorter * _TILT < longer:
            return None
        ratios.append(math.log(width / (_SEEMS * MARK_CENTRE_MM * math.sqrt(longer * shorter))))
    worst = max(abs(each) for each in ratios)
    return None if worst > math.log(_SIZES) else worst


def _view(centres_px: Points, marks_mm: Points) -> Matrix:
    found = cv2.getPerspectiveTransform(marks_mm.astype(np.float32), centres_px.astype(np.float32))
    return found.astype(np.float64)


def _drawing() -> Picture:
    """A mark as it is printed, on felt."""
    side = round(_TEMPLATE_MM * _PX_PER_MM) | 1
    drawing = np.full((side, side), 110, np.uint8)
    middle = (side // 2, side // 2)
    cv2.circle(drawing, middle, round(MARK_MM / 2 * _PX_PER_MM), 30, -1, cv2.LINE_AA)
    cv2.circle(drawing, middle, round(MARK_CENTRE_MM / 2 * _PX_PER_MM), 230, -1, cv2.LINE_AA)
    return drawing


def _fraction(fits: npt.NDArray[Any], left: int, top: int) -> Points:
    """Return the offset of the peak from its pixel, in fractions of a pixel, by a parabola through its neighbours."""
    height, width = fits.shape
    if not (0 < left < width - 1 and 0 < top < height - 1):
        return np.zeros(2)
    shifts = []
    for low, mid, high in (
        fits[top, left - 1 : left + 2].tolist(),
        fits[top - 1 : top + 2, left].tolist(),
    ):
        curve = low - 2 * mid + high
        shifts.append(0.5 * (low - high) / curve if curve < 0 else 0.0)
    return np.array(shifts)
