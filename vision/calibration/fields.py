"""Fields of a calibration file, with errors that name them."""

import math
from typing import Any, Final

import cv2
import numpy as np

from vision.calibration.table import Points

_CARDS_MM: Final = (20.0, 200.0)


class CalibrationError(ValueError):
    """A calibration that cannot be used; says where and what was expected."""


def required(data: Any, name: str, at: str) -> Any:
    """A field that has to be there."""
    if not isinstance(data, dict):
        raise CalibrationError(f"{at}: found {_short(data)}, expected an object")
    if name not in data:
        raise CalibrationError(f"{at}.{name}: missing")
    return data[name]


def number(value: Any, at: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CalibrationError(f"{at}: found {_short(value)}, expected a number")
    return float(value)


def numbers(value: Any, count: int, at: str) -> tuple[float, ...]:
    """So many numbers."""
    if not isinstance(value, list | tuple) or len(value) != count:
        raise CalibrationError(f"{at}: found {_short(value)}, expected {count} numbers")
    return tuple(number(each, f"{at}[{n}]") for n, each in enumerate(value))


def points(value: Any, at: str) -> Points:
    """A list of points."""
    if not isinstance(value, list | tuple) or not value:
        raise CalibrationError(f"{at}: found {_short(value)}, expected a list of points")
    return np.array([numbers(each, 2, f"{at}[{n}]") for n, each in enumerate(value)])


def outlines(value: Any, at: str) -> dict[str, Points]:
    """Zones by name, each of some extent."""
    if not isinstance(value, dict) or not value:
        raise CalibrationError(f"{at}: found {_short(value)}, expected outlines in millimetres by name of zone")
    found = {name: points(outline, f"{at}.{name}") for name, outline in value.items()}
    for name, outline in found.items():
        if len(outline) < 3 or cv2.contourArea(outline.astype(np.float32)) < 1:
            raise CalibrationError(f"{at}.{name}: expected at least three points around an area")
    return found


def card_size(value: Any, at: str) -> tuple[float, float]:
    """A card's width and height in millimetres."""
    width, height = numbers(value, 2, at)
    low, high = _CARDS_MM
    if not low <= width <= height <= high:
        raise CalibrationError(f"{at}: found {width:g} x {height:g}, expected width and height, {low:g} to {high:g} mm")
    return width, height


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
