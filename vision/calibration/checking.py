"""Check of a calibration against a picture: how far the table has moved in the picture."""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np

from vision.calibration.calibration import Calibration, Colour
from vision.calibration.fields import CalibrationError
from vision.calibration.making import felt_of
from vision.calibration.marks import ALIKE, Matrix, Picture, find_marks, look_for, to_grey
from vision.calibration.table import Points

MOVED_MM: Final = 5.0  # from here on a card may be given to the wrong place
NEAR_MM: Final = 30.0  # how far around its place a mark is looked for

_MARKS: Final = 2  # that have to be seen
_FEATURES: Final = 1500
_WORK_WIDTH: Final = 960  # pixels across the pictures that are compared
_NEAREST: Final = 0.8  # how much nearer than the next best a match has to be
_AGREEING: Final = 25  # matches that have to agree on one movement
_COLOUR_CHANGE: Final = (60.0, 15.0, 15.0)  # in L, a and b, by which felt may differ from the calibrated


@dataclass(frozen=True)
class Check:
    """Result of checking a calibration against a still; ``problems`` are sentences, empty if the calibration fits."""

    shifts_px: tuple[float, ...]  # of the marks that were found
    shift_mm: float | None  # the largest; None if nothing could be compared
    problems: tuple[str, ...]


def check(calibration: Calibration, still: Picture, reference: Picture | None = None) -> Check:
    """Compare a still with its calibration by the layout's marks, or with the still that the calibration is from."""
    height, width = still.shape[:2]
    try:
        view = calibration.for_picture(width, height)
    except CalibrationError as error:
        return Check((), None, (str(error),))
    marks = mark_shifts(view, to_grey(still), enough=0 if view.marks is None else len(view.marks))
    shifts = marks
    if not shifts and reference is not None:
        moved = picture_shift(to_grey(reference), to_grey(still))
        shifts = [] if moved is None else [moved]
    shift_mm = max(shifts) / view.px_per_mm if shifts else None
    said = (*_said_of_place(view, shifts, shift_mm), *_said_of_marks(view, marks), *_said_of_felt(view, still))
    return Check(tuple(shifts), shift_mm, said)


def outside(calibration: Calibration) -> list[str]:
    """Zones that the picture does not show in full, in words."""
    width, height = calibration.image
    places = {name: calibration.to_px(outline) for name, outline in calibration.zones.items()}
    partly = [name for name, each in places.items() if (each < 0).any() or (each > (width, height)).any()]
    return [f"{name}: not all of this zone is within the picture" for name in partly]


def mark_shifts(view: Calibration, grey: Picture, anywhere: bool = True, enough: int = _MARKS) -> list[float]:
    """Return the distance in pixels of each visible mark from its place; empty if fewer than two marks are visible.

    If fewer than ``enough`` marks are near their places, all marks are searched for in the whole picture.
    """
    if view.marks is None:
        return []
    should = view.to_px(view.marks)
    near = look_for(grey, view.inverse, view.marks, NEAR_MM)
    seen = [
        (each.x, each.y, *place) for each, place in zip(near, should.tolist(), strict=True) if each.likeness > ALIKE
    ]
    found = find_marks(grey, view.marks) if anywhere and len(seen) < enough else None
    if found is not None:
        seen = np.hstack([found, should]).tolist()
    return [float(np.hypot(x - x0, y - y0)) for x, y, x0, y0 in seen] if len(seen) >= _MARKS else []


def picture_shift(reference: Picture, grey: Picture) -> float | None:
    """Return the largest shift in pixels between two pictures of a camera; None if the pictures share too little."""
    matrix = _movement(reference, grey)
    if matrix is None:
        return None
    height, width = grey.shape
    inner = np.array([[(x * width, y * height) for x in (0.1, 0.9) for y in (0.1, 0.9)]])
    return float(np.linalg.norm(cv2.perspectiveTransform(inner, matrix) - inner, axis=2).max())


def _movement(reference: Picture, grey: Picture) -> Matrix | None:
    """The homography from one picture to another, from the details that both show."""
    scale = min(1.0, _WORK_WIDTH / grey.shape[1])
    finder = cv2.ORB.create(nfeatures=_FEATURES, fastThreshold=10)
    size = (round(grey.shape[1] * scale), round(grey.shape[0] * scale))
    pairs = [finder.detectAndCompute(cv2.resize(each, size), None) for each in (reference, grey)]
    (points_a, told_a), (points_b, told_b) = pairs
    if min(len(points_a), len(points_b)) < _AGREEING:
        return None
    nearest = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(told_a, told_b, k=2)
    pairs_of_two = [(pair[0], pair[1]) for pair in nearest if len(pair) == 2]
    good = [best for best, second in pairs_of_two if best.distance < _NEAREST * second.distance]
    if len(good) < _AGREEING:
        return None
    a: Points = np.array([points_a[match.queryIdx].pt for match in good]) / scale
    b: Points = np.array([points_b[match.trainIdx].pt for match in good]) / scale
    found: Any = cv2.findHomography(a, b, cv2.RANSAC, 3.0)  # None where points are degenerate
    matrix, agree = found
    return None if matrix is None or int(agree.sum()) < _AGREEING else np.asarray(matrix, np.float64)


def _said_of_place(view: Calibration, shifts: list[float], shift_mm: float | None) -> list[str]:
    if shift_mm is None:
        if view.marks is None:
            return ["the calibration has no marks to compare; give the still that it was made from"]
        return ["the layout's marks are not to be seen: the camera is covered or shows something else"]
    if shift_mm <= MOVED_MM:
        return []
    return [f"the table is {max(shifts):.0f} px ({shift_mm:.0f} mm) from where the calibration has it; calibrate again"]


def _said_of_marks(view: Calibration, shifts: list[float]) -> list[str]:
    """Report missing marks: the other marks prove little about a corner without one."""
    missing = 0 if view.marks is None or not shifts else len(view.marks) - len(shifts)
    if not missing:
        return []
    return [
        f"{missing} of the layout's {len(shifts) + missing} marks not to be seen within {NEAR_MM:.0f} mm of where the "
        "calibration has them: uncover the table's corners, or calibrate again"
    ]


def _said_of_felt(view: Calibration, still: Picture) -> list[str]:
    if view.felt is None:
        return []
    now = felt_of(view, still)
    others = [name for name, was in view.felt.zones.items() if name in now.zones and _differs(was, now.zones[name])]
    if not others:
        return []
    return [f"{', '.join(others)}: the felt has another colour than calibrated; is it covered, or the light another?"]


def _differs(was: Colour, now: Colour) -> bool:
    return any(abs(a - b) > most for a, b, most in zip(was.mean, now.mean, _COLOUR_CHANGE, strict=True))
