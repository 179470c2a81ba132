"""Making a calibration from a still: the plan of the table, four points of it in the picture, the felt's colour."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration import table
from vision.calibration.calibration import Calibration, Colour, Felt
from vision.calibration.fields import CalibrationError, card_size, outlines, points, required
from vision.calibration.marks import Picture, find_marks, to_grey
from vision.calibration.table import Points

CARD_SIZES_MM: Final = (table.CARD_MM, (57.0, 89.0))  # poker and bridge

_COLOURLESS: Final = 22  # in a and b
_LIGHTER: Final = 30  # below the middle between felt and white, paper in the shade
_FILLED: Final = 0.93
_OFF_MM: Final = 3.0
_FELT_SHARE: Final = 0.5  # of a zone's pixels, those nearest to its middling colour, are taken for felt


@dataclass(frozen=True, eq=False)
class TableLayout:
    """A table's layout: zones, and the four points in millimetres by which a picture of it is placed."""

    zones: Mapping[str, Points]
    corners: Points
    card_mm: tuple[float, float] = table.CARD_MM

    @classmethod
    def of_boxes(cls, boxes: int) -> Self:
        """The usual layout with so many boxes."""
        return cls(table.zones(boxes), np.array(table.MARKS_MM))

    @classmethod
    def from_json(cls, data: Any, at: str = "layout") -> Self:
        """A layout as ``zones`` and optionally ``marks`` and ``card_mm``, written as in a calibration."""
        zones = outlines(required(data, "zones", at), f"{at}.zones")
        corners = points(data.get("marks", table.MARKS_MM), f"{at}.marks")
        if len(corners) != 4:
            raise CalibrationError(f"{at}.marks: found {len(corners)}, expected 4 points")
        return cls(zones, corners, card_size(data.get("card_mm", table.CARD_MM), f"{at}.card_mm"))

    @classmethod
    def load(cls, path: Path) -> Self:
        """A layout from a JSON file. Raises ``CalibrationError``."""
        try:
            return cls.from_json(json.loads(path.read_text(encoding="utf-8")))
        except CalibrationError as error:
            raise CalibrationError(f"{path}: {error}") from None
        except (OSError, ValueError) as error:
            raise CalibrationError(f"{path}: expected a layout as JSON: {error}") from None


def find(still: Picture, plan: TableLayout) -> Calibration:
    """The view of a still in which the layout's four marks are to be seen. Raises ``CalibrationError``."""
    corners_px = find_marks(to_grey(still), plan.corners)
    if corners_px is None:
        raise CalibrationError(
            "the layout's four corner marks are not all to be seen; clear them and take another still,"
            " or give the corners by hand, clockwise from the upper left"
        )
    return _measured(still, corners_px, plan, plan.corners)


def from_corners(still: Picture, corners_px: npt.ArrayLike, plan: TableLayout) -> Calibration:
    """The view of a still in which somebody has pointed out the layout's four corners, in the plan's order."""
    corners = np.asarray(corners_px, np.float64).reshape(-1, 2)
    if len(corners) != 4:
        raise CalibrationError(f"corners: found {len(corners)}, expected 4 points, clockwise from the upper left")
    height, width = still.shape[:2]
    for x, y in corners.tolist():
        if not (0 <= x < width and 0 <= y < height):
            raise CalibrationError(f"corners: found {x:g},{y:g}, expected a point of the picture, {width} x {height}")
    if not cv2.isContourConvex(corners.astype(np.float32)) or cv2.contourArea(corners.astype(np.float32), True) <= 0:
        raise CalibrationError("corners: expected them clockwise from the upper left, as the picture shows them")
    return _measured(still, corners, plan, None)


def felt_of(view: Calibration, still: Picture) -> Felt:
    """The felt's colour in each zone as a still shows it, cards and print left out."""
    lab = cv2.cvtColor(still, cv2.COLOR_BGR2LAB)
    pixels = {name: _inside(lab, view.to_px(outline)) for name, outline in view.zones.items()}
    colours = {name: _colour(each) for name, each in pixels.items() if len(each)}
    if not colours:
        raise CalibrationError("none of the zones lies within the picture; is this the table's still and layout?")
    return Felt(_colour(np.concatenate(list(pixels.values()))), colours)


def _measured(still: Picture, corners_px: Points, plan: TableLayout, marks: Points | None) -> Calibration:
    homography = cv2.getPerspectiveTransform(corners_px.astype(np.float32), plan.corners.astype(np.float32))
    height, width = still.shape[:2]
    view = Calibration((width, height), homography.astype(np.float64), plan.zones, plan.card_mm, marks)
    return replace(view, felt=felt_of(view, still))


def _inside(lab: npt.NDArray[Any], outline_px: Points) -> npt.NDArray[np.float64]:
    mask = np.zeros(lab.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(outline_px).astype(np.int32)], 1)
    found: npt.NDArray[np.float64] = lab[mask > 0].astype(np.float64)
    return found


def _colour(pixels: npt.NDArray[np.float64]) -> Colour:
    """The colour that most of the pixels have, and its spread."""
    strangeness = np.abs(pixels - np.median(pixels, axis=0)).sum(axis=1)
    felt = pixels[strangeness <= np.quantile(strangeness, _FELT_SHARE)]
    # Half of a normal distribution around its middle strays 0.38 times as far as the whole.
    spread = felt.std(axis=0) / 0.38
    mean = felt.mean(axis=0)
    return Colour(tuple(np.round(mean, 1).tolist()), tuple(np.round(spread, 1).tolist()))


def card_size_seen(view: Calibration, still: Picture) -> tuple[float, float] | None:
    """The size of the cards that lie by themselves on the felt of a still, as one of the two that cards have."""
    seen = [size for outline in _light_shapes(view, still) if (size := _card_like(view.to_mm(outline))) is not None]
    if not seen:
        return None
    width, height = np.median(seen, axis=0).tolist()
    return min(CARD_SIZES_MM, key=lambda size: abs(size[0] - width) + abs(size[1] - height))


def _light_shapes(view: Calibration, still: Picture) -> list[Points]:
    """Outlines of what is much lighter than the felt and without colour."""
    felt = (view.felt or felt_of(view, still)).everywhere
    light, *colours = cv2.split(cv2.cvtColor(still, cv2.COLOR_BGR2LAB))
    grey = [np.abs(each.astype(np.int16) - 128) < _COLOURLESS for each in colours]
    paper = (light > (felt.mean[0] + 255) / 2 - _LIGHTER) & grey[0] & grey[1]
    mask = cv2.morphologyEx(paper.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    outlines_px, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    smallest = 0.5 * view.card_px[0] * view.card_px[1]
    return [each.reshape(-1, 2).astype(np.float64) for each in outlines_px if cv2.contourArea(each) > smallest]


def _card_like(outline_mm: Points) -> tuple[float, float] | None:
    """Width and height of a shape, if it is as large as a card and fills its frame."""
    outline = outline_mm.astype(np.float32)
    width, height = sorted(cv2.minAreaRect(outline)[1])
    fills = cv2.contourArea(outline) > _FILLED * width * height
    near = any(abs(width - w) < _OFF_MM and abs(height - h) < _OFF_MM for w, h in CARD_SIZES_MM)
    return (width, height) if fills and near else None
