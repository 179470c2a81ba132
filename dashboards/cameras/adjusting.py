"""A calibration as somebody moved it about: four corners in pixels, zones in millimetres."""

from dataclasses import replace
from typing import Any, Final

import cv2
import numpy as np

from dashboards.cameras.nested import parse
from vision.calibration import Calibration, CalibrationError, check, outside
from vision.calibration.checking import MOVED_MM
from vision.calibration.fields import outlines, points, required
from vision.calibration.marks import find_marks, to_grey
from vision.calibration.table import MARKS_MM, Points
from vision.watching.video import Picture
from warehouse.cases.errors import Refused

CORNER_NAMES: Final = ("top left", "top right", "bottom right", "bottom left")


def corners_mm(calibration: Calibration) -> Points:
    """The four points by which a view is placed: the layout's marks."""
    marks = calibration.marks
    return marks if marks is not None and len(marks) == 4 else np.array(MARKS_MM)


def view(calibration: Calibration) -> dict[str, Any]:
    """Return the calibration as the page's script needs it: corners and zones in mm and pixels."""
    corners = corners_mm(calibration)
    return {
        "image": list(calibration.image),
        "corners_mm": corners.tolist(),
        "corners": np.round(calibration.to_px(corners), 2).tolist(),
        "names": list(CORNER_NAMES),
        "order": list(calibration.zones),
        "zones": {name: outline.tolist() for name, outline in calibration.zones.items()},
        "turns": {name: calibration.upright(name) for name in calibration.zones},
        "card_mm": list(calibration.card_mm),
    }


def adjusted(calibration: Calibration, text: str) -> Calibration:
    """The calibration with corners and zones as the page sends them; ``Refused`` where that is no view of a table."""
    try:
        data = parse(text)
        placed = points(required(data, "corners", "adjusted"), "corners")
        zones = outlines(required(data, "zones", "adjusted"), "zones")
        if len(placed) != 4 or set(zones) != set(calibration.zones):
            raise CalibrationError("expected four corners and the same zones as before")
        _check_corners(placed)
        known = corners_mm(calibration)
        matrix = cv2.getPerspectiveTransform(placed.astype(np.float32), known.astype(np.float32)).astype(np.float64)
        ordered = {name: zones[name] for name in calibration.zones}
        # Through JSON as from a file, so that a draft is checked as strictly as a sidecar.
        made = replace(calibration, homography=matrix, zones=ordered).to_json()
        return Calibration.from_json(made)
    except (CalibrationError, ValueError) as error:
        raise Refused(f"This is no calibration: {error}.") from None


def _check_corners(placed: Points) -> None:
    flat = placed.astype(np.float32)
    if not cv2.isContourConvex(flat) or cv2.contourArea(flat, True) <= 0:
        raise CalibrationError("corners: expected them clockwise from the upper left, as the picture shows them")


def verdict(calibration: Calibration, picture: Picture | None) -> dict[str, Any]:
    """Check a calibration against a picture: how far its four marks are off, and which zones are cut off.

    ``marks`` are the positions of all four marks where all were found, so that the corners can be set to them.
    """
    if picture is None:
        told = "There is no picture to compare with; only the form was checked."
        return {"told": told, "problems": outside(calibration), "fits": False, "marks": None}
    height, width = picture.shape[:2]
    marks = find_marks(to_grey(picture), corners_mm(calibration)) if (width, height) == calibration.image else None
    found = check(calibration, picture)
    problems = [*found.problems, *outside(calibration)]
    if marks is None:
        seen = len(found.shifts_px)
        told = f"{seen} of the layout's 4 marks are where they should be; the others are hidden, or elsewhere."
    else:
        shifts = np.hypot(*(marks - calibration.to_px(corners_mm(calibration))).T)
        told = f"The layout's marks are off by {', '.join(f'{shift:.1f}' for shift in shifts)} px."
        far = shifts > MOVED_MM * calibration.px_per_mm
        named = [name for name, is_far in zip(CORNER_NAMES, far, strict=True) if is_far]
        problems += [f"{name}: the corner is not where its mark is" for name in named]
    return {
        "told": told,
        "problems": problems,
        "fits": not problems and bool(found.shifts_px),
        "marks": None if marks is None else np.round(marks, 2).tolist(),
    }


def rows(calibration: Calibration) -> list[dict[str, Any]]:
    """Every point of every zone, in millimetres and in pixels, for a file."""
    return [
        {"zone": name, "point": place + 1, "x_mm": mm[0], "y_mm": mm[1], "x_px": px[0], "y_px": px[1]}
        for name, outline in calibration.zones.items()
        for place, (mm, px) in enumerate(zip(outline.tolist(), calibration.to_px(outline).tolist(), strict=True))
    ]
