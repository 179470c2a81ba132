"""A table without anything on it, drawn flat in millimetres and then seen by a camera."""

import math
from functools import lru_cache
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from vision.calibration import table
from vision.calibration.table import ARC_MM, EDGE_MM, MARK_CENTRE_MM, MARK_MM, MARKS_MM
from vision.faces.design import Colour, house_font
from vision.footage.camera import CameraView, Picture, Plane
from vision.footage.layout import CIRCLE_MM, INSURANCE_MM, SPOT_MM, Arc, Layout

_PX: Final = 2  # per millimetre of the drawing
_LEFT_MM: Final = -1060.0
_TOP_MM: Final = -90.0
_SIZE_MM: Final = (2120.0, 1260.0)
_RAIL_MM: Final = 115.0
_DARK: Final[Colour] = (26, 24, 24)
_WHITE: Final[Colour] = (236, 240, 240)
_TRAY_MM: Final = (-300.0, 8.0, 300.0, 82.0)  # left, top, right, bottom
_RACK_MM: Final = (-836.0, 64.0, -768.0, 196.0)  # where played cards are put, within the discard area
TRAY_CHIPS: Final[tuple[Colour, ...]] = (
    (235, 235, 235),
    (40, 40, 190),
    (50, 120, 30),
    (30, 30, 30),
    (130, 40, 110),
    (30, 150, 220),
)


def bare_table(layout: Layout, view: CameraView, lit: Plane, softness_px: float, rng: np.random.Generator) -> Picture:
    """The picture of an empty table."""
    drawing = _drawing(layout)
    spread = _PX * math.hypot(softness_px, 0.35)
    drawing = cv2.GaussianBlur(drawing, (0, 0), spread).astype(np.uint8, copy=False)
    to_mm = np.array([[1 / _PX, 0, _LEFT_MM], [0, 1 / _PX, _TOP_MM], [0, 0, 1]])
    seen = cv2.warpPerspective(drawing, view.on_felt @ to_mm, view.image, flags=cv2.INTER_LINEAR)
    textured = seen * (_fibres(view.image, rng) * lit)[..., None]
    return np.clip(textured, 0, 255).astype(np.uint8)


def _fibres(image: tuple[int, int], rng: np.random.Generator) -> Plane:
    """Cloth is never of one brightness."""
    width, height = image
    fine = cv2.GaussianBlur(rng.standard_normal((height, width), np.float32), (0, 0), 0.8)
    coarse = cv2.resize(rng.standard_normal((9, 16), np.float32), image, interpolation=cv2.INTER_CUBIC)
    return np.asarray(1 + 0.045 * fine + 0.02 * coarse, np.float32)


def _at(x_mm: float, y_mm: float) -> tuple[int, int]:
    return round((x_mm - _LEFT_MM) * _PX), round((y_mm - _TOP_MM) * _PX)


def _along(distance_mm: float, half: float) -> npt.NDArray[np.int32]:
    """Points on an arc, as far to the left as to the right."""
    turns = np.linspace(-half, half, 720).tolist()
    return np.array([_at(*table.on_arc(turn, distance_mm)) for turn in turns], np.int32)


@lru_cache(maxsize=2)
def _drawing(layout: Layout) -> Picture:
    """The whole table."""
    width, height = (round(side * _PX) for side in _SIZE_MM)
    picture = np.full((height, width, 3), (34, 30, 38), np.uint8)
    _felt(picture, layout)
    for box in range(1, layout.boxes + 1):
        _box(picture, layout, box)
    _line(picture, layout)
    for arc in layout.arcs:
        _write_on_arc(picture, arc, layout.ink)
    _write(picture, layout.name, (0.0, 262.0), 36.0, layout.ink)
    _furniture(picture)
    for x, y in MARKS_MM:
        cv2.circle(picture, _at(x, y), round(MARK_MM / 2 * _PX), _DARK, -1, cv2.LINE_AA)
        cv2.circle(picture, _at(x, y), round(MARK_CENTRE_MM / 2 * _PX), _WHITE, -1, cv2.LINE_AA)
    return picture


def _felt(picture: Picture, layout: Layout) -> None:
    """The rail, the felt within it, and the dealer's side cut straight."""
    for beyond_mm, colour in ((_RAIL_MM, (28, 34, 48)), (80.0, (40, 50, 70)), (30.0, (24, 28, 40)), (0.0, layout.felt)):
        cv2.fillPoly(picture, [_along(EDGE_MM + beyond_mm, math.pi)], colour, cv2.LINE_AA)
    behind = picture[: _at(0, 0)[1]]
    behind[:] = (30, 28, 30)
    behind[-round(14 * _PX) :] = (40, 50, 70)


def _box(picture: Picture, layout: Layout, seat: int) -> None:
    """A box's betting circle and the places of its side wagers."""
    bearing = layout.bearing(seat)
    spots = [(layout.spot("main"), CIRCLE_MM)] + [(layout.spot(kind), SPOT_MM) for kind in layout.sides]
    for spot, radius_mm in spots:
        x, y = table.on_arc(bearing, spot.distance_mm)
        x, y = x + spot.across_mm * math.cos(bearing), y - spot.across_mm * math.sin(bearing)
        cv2.circle(picture, _at(x, y), round(radius_mm * _PX), layout.ink, round(2 * _PX), cv2.LINE_AA)
    _write(picture, str(seat), table.on_arc(bearing, table.WAGERS_MM), 26.0, layout.ink, bearing)


def _line(picture: Picture, layout: Layout) -> None:
    """The insurance line."""
    half = table.bearing(1, layout.boxes) + table.box_width(layout.boxes) / 2
    for distance_mm in INSURANCE_MM:
        cv2.polylines(picture, [_along(distance_mm, half)], False, layout.ink, round(1.5 * _PX), cv2.LINE_AA)


def _words(text: str, height_mm: float) -> Picture:
    """Words in capitals of a height, as coverage."""
    font = ImageFont.truetype(
        str(house_font("font_source_serif_pro", "SourceSerifPro-Bold")), round(height_mm * _PX * 1.45)
    )
    left, top, right, bottom = (round(edge) for edge in font.getbbox(text))
    canvas = Image.new("L", (right - left + 2, bottom - top + 2))
    ImageDraw.Draw(canvas).text((1 - left, 1 - top), text, 255, font=font)
    return np.asarray(canvas, np.uint8)


def _ink(picture: Picture, coverage: npt.NDArray[Any], ink: Colour) -> None:
    share = coverage[..., None].astype(np.float32) / 255 * 0.92
    picture[:] = (picture * (1 - share) + np.array(ink, np.float32) * share).astype(np.uint8)


def _write(
    picture: Picture, text: str, middle_mm: tuple[float, float], height_mm: float, ink: Colour, bearing: float = 0.0
) -> None:
    words = _words(text, height_mm)
    reach = math.ceil(math.hypot(*words.shape) / 2) + 1
    turn = cv2.getRotationMatrix2D((words.shape[1] / 2, words.shape[0] / 2), math.degrees(bearing), 1.0)
    turn[:, 2] += reach - words.shape[1] / 2, reach - words.shape[0] / 2
    turned = cv2.warpAffine(words, turn, (2 * reach, 2 * reach))
    x, y = _at(*middle_mm)
    _ink(picture[y - reach : y + reach, x - reach : x + reach], turned, ink)


def _write_on_arc(picture: Picture, arc: Arc, ink: Colour) -> None:
    """Words that follow the arc: each pixel around it looks up its bearing and distance."""
    words = _words(arc.text, arc.height_mm)
    half = words.shape[1] / 2 / _PX / arc.distance_mm  # radians
    reach = arc.distance_mm + arc.height_mm
    (left, top) = _at(-reach * math.sin(half), ARC_MM[1] + (arc.distance_mm - arc.height_mm) * math.cos(half))
    (right, bottom) = _at(reach * math.sin(half), ARC_MM[1] + reach)
    y, x = np.mgrid[top:bottom, left:right].astype(np.float32)
    x, y = x / _PX + (_LEFT_MM - ARC_MM[0]), y / _PX + (_TOP_MM - ARC_MM[1])
    along = np.arctan2(x, y) * (arc.distance_mm * _PX) + words.shape[1] / 2
    across = (np.hypot(x, y) - arc.distance_mm) * _PX + words.shape[0] / 2
    bent = cv2.remap(words, along, across, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    _ink(picture[top:bottom, left:right], bent, ink)


def _furniture(picture: Picture) -> None:
    """Chip tray, shoe and discard rack."""
    left, top, right, bottom = _TRAY_MM
    cv2.rectangle(picture, _at(left, top), _at(right, bottom), (44, 46, 50), -1)
    tubes = 14
    for n in range(tubes):
        x = left + (n + 0.5) * (right - left) / tubes
        colour = TRAY_CHIPS[abs(2 * n - tubes + 1) // 2 % len(TRAY_CHIPS)]
        cv2.line(picture, _at(x, top + 14), _at(x, bottom - 14 - (n * 7) % 20), colour, round(36 * _PX))
        for y in np.arange(top + 2, bottom - 8 - (n * 7) % 20, 3.3).tolist():
            cv2.line(
                picture, _at(x - 17, y), _at(x + 17, y), tuple(int(0.75 * part) for part in colour), 1, cv2.LINE_AA
            )
    left, top, right, bottom = _RACK_MM
    cv2.rectangle(picture, _at(left, top), _at(right, bottom), (30, 30, 74), -1)
    cv2.rectangle(picture, _at(left + 5, top + 5), _at(right - 5, bottom - 5), (24, 24, 52), -1)
    _shoe(picture)


def _shoe(picture: Picture) -> None:
    """The shoe: a black box with its mouth towards the dealer's hands."""
    (left, top), (right, bottom) = table.area("shoe")[0], table.area("shoe")[2]
    middle = (top + bottom) / 2
    body = [(left + 60, middle - 48), (right, middle - 48), (right, middle + 48), (left + 60, middle + 48)]
    mouth = [(left + 60, middle - 40), (left + 60, middle + 40), (left + 14, middle + 34), (left + 14, middle - 34)]
    for outline, colour in ((body, (38, 36, 36)), (mouth, (58, 56, 56))):
        cv2.fillConvexPoly(picture, np.array([_at(x, y) for x, y in outline]), colour, cv2.LINE_AA)
    cv2.rectangle(picture, _at(left + 72, middle - 38), _at(right - 10, middle + 38), (54, 52, 52), round(2 * _PX))
