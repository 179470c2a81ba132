"""Calibration of a camera: the mapping between pixels and millimetres on the felt, and the zones of the felt."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

import cv2
import numpy as np
import numpy.typing as npt

from vision.calibration.fields import CalibrationError, card_size, numbers, outlines, points, required
from vision.calibration.table import Points

Matrix = npt.NDArray[np.float64]

_SCALES: Final = (0.05, 50.0)  # pixels per millimetre that a table's camera may have
_ASPECT_SLACK: Final = 0.01  # by which a picture's proportions may differ from the calibrated ones


@dataclass(frozen=True)
class Colour:
    """A colour in CIE Lab as OpenCV scales it to 8 bits, and how far pixels stray from it."""

    mean: tuple[float, ...]
    spread: tuple[float, ...]

    @classmethod
    def from_json(cls, data: Any, at: str) -> Self:
        mean, spread = (numbers(required(data, name, at), 3, f"{at}.{name}") for name in ("mean", "spread"))
        return cls(mean, spread)

    def to_json(self) -> dict[str, Any]:
        return {"mean": list(self.mean), "spread": list(self.spread)}


@dataclass(frozen=True)
class Felt:
    """The felt without cards on it: over all zones, and in each."""

    everywhere: Colour
    zones: Mapping[str, Colour]

    @classmethod
    def from_json(cls, data: Any, at: str) -> Self:
        everywhere = Colour.from_json(data, at)
        zones = data.get("zones", {})
        if not isinstance(zones, dict):
            raise CalibrationError(f"{at}.zones: found {zones!r}, expected colours by zone")
        return cls(everywhere, {name: Colour.from_json(each, f"{at}.zones.{name}") for name, each in zones.items()})

    def to_json(self) -> dict[str, Any]:
        return self.everywhere.to_json() | {"zones": {name: each.to_json() for name, each in self.zones.items()}}


@dataclass(frozen=True, eq=False)
class Calibration:
    """A camera's view of a table; ``marks`` are the points in millimetres by which it was found."""

    image: tuple[int, int]  # width, height
    homography: Matrix  # from pixels to millimetres
    zones: Mapping[str, Points]
    card_mm: tuple[float, float]
    marks: Points | None = None
    felt: Felt | None = None
    others: Mapping[str, Any] = field(default_factory=dict)  # what else the file says

    def __post_init__(self) -> None:
        _check_view(self.image, self.homography)

    @classmethod
    def from_json(cls, data: Any, at: str = "calibration") -> Self:
        """The ``calibration`` object of a footage sidecar. Raises ``CalibrationError``, which names the field."""
        image = numbers(required(data, "image", at), 2, f"{at}.image")
        rows = required(data, "homography", at)
        if not isinstance(rows, list) or len(rows) != 3:
            raise CalibrationError(f"{at}.homography: found {rows!r}, expected three rows of three numbers")
        marks, felt = data.get("marks"), data.get("felt")
        known = {"image", "homography", "zones", "card_mm", "card_px", "marks", "felt"}
        try:
            return cls(
                (round(image[0]), round(image[1])),
                np.array([numbers(row, 3, f"{at}.homography[{n}]") for n, row in enumerate(rows)]),
                outlines(required(data, "zones", at), f"{at}.zones"),
                card_size(required(data, "card_mm", at), f"{at}.card_mm"),
                None if marks is None else points(marks, f"{at}.marks"),
                None if felt is None else Felt.from_json(felt, f"{at}.felt"),
                {name: value for name, value in data.items() if name not in known},
            )._right_handed()
        except _ViewError as error:
            raise CalibrationError(f"{at}.{error}") from None

    def to_json(self) -> dict[str, Any]:
        """The object to write into a sidecar."""
        data: dict[str, Any] = {
            "image": list(self.image),
            "homography": self.homography.tolist(),
            "zones": {name: _rounded(outline, 1) for name, outline in self.zones.items()},
            "card_mm": list(self.card_mm),
            "card_px": _rounded(np.array(self.card_px), 1),
        }
        if self.marks is not None:
            data["marks"] = _rounded(self.marks, 1)
        if self.felt is not None:
            data["felt"] = self.felt.to_json()
        return data | dict(self.others)

    def to_mm(self, points_px: npt.ArrayLike) -> Points:
        """Pixels as millimetres on the felt."""
        return _mapped(points_px, self.homography)

    def to_px(self, points_mm: npt.ArrayLike) -> Points:
        """Millimetres on the felt as pixels."""
        return _mapped(points_mm, self.inverse)

    def zone_at(self, point_mm: npt.ArrayLike, within_mm: float = 0.0) -> str | None:
        """The zone that a point lies in, or the nearest if it lies outside by no more than ``within_mm``."""
        x, y = (float(each) for each in np.asarray(point_mm).ravel())
        inside = {
            name: cv2.pointPolygonTest(outline.astype(np.float32), (x, y), measureDist=True)
            for name, outline in self.zones.items()
        }
        name = max(inside, key=inside.__getitem__, default=None)
        return name if name is not None and inside[name] >= -within_mm else None

    def upright(self, zone: str) -> float:
        """Return the angle of a card that lies straight in a zone, in radians clockwise."""
        (_, _, degrees) = cv2.minAreaRect(self.zones[zone].astype(np.float32))
        return math.radians((degrees + 45) % 90 - 45)

    def px_per_mm_at(self, point_mm: npt.ArrayLike) -> float:
        """The scale at a point of the felt, the mean of all directions."""
        x, y = (float(each) for each in np.asarray(point_mm).ravel())
        a, b, c = self.to_px([(x, y), (x + 1, y), (x, y + 1)])
        return math.sqrt(abs(float(np.linalg.det([b - a, c - a]))))

    @property
    def inverse(self) -> Matrix:
        """Matrix from millimetres on the felt to pixels."""
        return np.linalg.inv(self.homography).astype(np.float64)

    @property
    def px_per_mm(self) -> float:
        """The scale in the middle of the picture."""
        return self.px_per_mm_at(self.to_mm([(self.image[0] / 2, self.image[1] / 2)]))

    @property
    def card_px(self) -> tuple[float, float]:
        """The size of a card in the middle of the picture."""
        return self.card_mm[0] * self.px_per_mm, self.card_mm[1] * self.px_per_mm

    def for_picture(self, width: int, height: int) -> Self:
        """Return the calibration for a picture of another size. The proportions must be the same."""
        if (width, height) == self.image:
            return self
        across, down = self.image[0] / width, self.image[1] / height
        if abs(across / down - 1) > _ASPECT_SLACK:
            raise CalibrationError(
                f"calibration.image: found {self.image[0]} x {self.image[1]}, expected the proportions of"
                f" the picture, {width} x {height}; calibrate with a still of this camera"
            )
        return replace(self, image=(width, height), homography=self.homography @ np.diag([across, down, 1.0]))

    def _right_handed(self) -> Self:
        """The view with y growing downwards, as in the picture, where a file has it growing upwards."""
        middle = np.array([self.image]) / 2 + [(0, 0), (1, 0), (0, 1)]
        a, b, c = self.to_mm(middle)
        if np.linalg.det([b - a, c - a]) > 0:
            return self
        flip = np.diag([1.0, -1.0, 1.0])
        turned = {name: outline * (1, -1) for name, outline in self.zones.items()}
        marks = None if self.marks is None else self.marks * (1, -1)
        return replace(self, homography=flip @ self.homography, zones=turned, marks=marks)


def load(path: Path) -> Calibration:
    """Load a calibration from a calibration file or a footage sidecar. Raises ``CalibrationError``."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CalibrationError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CalibrationError(f"{path}: expected JSON: {error}") from None
    is_sidecar = isinstance(data, dict) and "calibration" in data
    try:
        return Calibration.from_json(data["calibration"] if is_sidecar else data)
    except CalibrationError as error:
        raise CalibrationError(f"{path}: {error}") from None


class _ViewError(CalibrationError):
    """A camera that cannot look at the table like this."""


def _check_view(image: tuple[int, int], homography: Matrix) -> None:
    width, height = image
    if width < 1 or height < 1:
        raise _ViewError(f"image: found {width} x {height}, expected a width and height in pixels")
    if homography.shape != (3, 3) or not np.isfinite(homography).all():
        raise _ViewError("homography: expected 3 x 3 numbers")
    corners = np.array([(0, 0, 1), (width, 0, 1), (width, height, 1), (0, height, 1), (width / 2, height / 2, 1)])
    depths = corners @ homography[2]
    if abs(np.linalg.det(homography)) < 1e-12 * max(1e-9, float(np.abs(homography).max())) ** 3:
        raise _ViewError("homography: cannot be inverted, so it maps no picture to a table")
    if depths.min() <= 0 < depths.max() or (depths == 0).any():
        raise _ViewError("homography: has the horizon within the picture, expected a view from above")
    a, b, c = _mapped([(width / 2, height / 2), (width / 2 + 1, height / 2), (width / 2, height / 2 + 1)], homography)
    area = abs(float(np.linalg.det([b - a, c - a])))
    scale = 1 / math.sqrt(area) if area else math.inf
    if not _SCALES[0] <= scale <= _SCALES[1]:
        low, high = _SCALES
        raise _ViewError(f"homography: a millimetre is {scale:.3g} pixels, expected {low} to {high}: pixels to mm")


def _mapped(given: npt.ArrayLike, matrix: Matrix) -> Points:
    flat = np.asarray(given, dtype=np.float64).reshape(-1, 1, 2)
    found: Points = cv2.perspectiveTransform(flat, matrix).reshape(-1, 2).astype(np.float64)
    return found


def _rounded(values: npt.NDArray[np.float64], digits: int) -> Any:
    return np.round(values, digits).tolist()
