"""A calibration drawn over a picture, for people to check."""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration.calibration import Calibration
from vision.calibration.marks import Picture
from vision.calibration.table import MARK_MM, Points

GRID_MM: Final = 100

_GRID: Final = (150, 150, 150)
_ZONE: Final = (80, 220, 255)
_CARD: Final = (255, 255, 255)
_MARK: Final = (80, 80, 255)


def draw(still: Picture, calibration: Calibration) -> Picture:
    """The still with the grid of 100 mm, zones and their names, a card's outline in each, and the marks."""
    height, width = still.shape[:2]
    view = calibration.for_picture(width, height)
    thin = max(1, round(width / 1200))
    picture = _with_grid(still, view, thin)
    for name, outline in view.zones.items():
        cv2.polylines(picture, [_pixels(view, outline)], True, _ZONE, thin + 1, cv2.LINE_AA)
        middle = outline.mean(axis=0)
        cv2.polylines(picture, [_pixels(view, card_outline(view, name))], True, _CARD, thin, cv2.LINE_AA)
        _write(picture, name, view.to_px(middle)[0], thin)
    for mark in () if view.marks is None else view.marks:
        around = [mark + MARK_MM / 2 * np.array([np.cos(turn), np.sin(turn)]) for turn in np.linspace(0, 2 * np.pi, 24)]
        cv2.polylines(picture, [_pixels(view, np.array(around))], True, _MARK, thin, cv2.LINE_AA)
    return picture


def card_outline(view: Calibration, zone: str) -> Points:
    """A card in the middle of a zone, straight in it, in millimetres."""
    width, height = view.card_mm
    corners = np.array([(-width, -height), (width, -height), (width, height), (-width, height)]) / 2
    turn = view.upright(zone)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    placed: Points = corners @ rotation + view.zones[zone].mean(axis=0)
    return placed


def _with_grid(still: Picture, view: Calibration, thin: int) -> Picture:
    width, height = view.image
    seen = view.to_mm([(0, 0), (width, 0), (width, height), (0, height)])
    (left, top), (right, bottom) = np.floor(seen.min(axis=0) / GRID_MM), np.ceil(seen.max(axis=0) / GRID_MM)
    lines = [[(x, top), (x, bottom)] for x in np.arange(left, right + 1)]
    lines += [[(left, y), (right, y)] for y in np.arange(top, bottom + 1)]
    grid = still.copy()
    for line in lines:
        cv2.polylines(grid, [_pixels(view, np.array(line) * GRID_MM)], False, _GRID, thin, cv2.LINE_AA)
    return cv2.addWeighted(still, 0.6, grid, 0.4, 0).astype(np.uint8, copy=False)


def _pixels(view: Calibration, points_mm: Points) -> npt.NDArray[np.int32]:
    return np.round(view.to_px(points_mm)).astype(np.int32)


def _write(picture: Picture, text: str, middle_px: Points, thin: int) -> None:
    """Text around a point, light on dark."""
    scale = 0.45 * (thin + 1) / 2
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thin)
    place = (round(float(middle_px[0])) - width // 2, round(float(middle_px[1])) + height // 2)
    cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, (0, 0, 0), thin + 3, cv2.LINE_AA)
    cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, _CARD, thin, cv2.LINE_AA)
