"""Pictures out of films."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from pipelines.watch.watched import SeenCard
from vision.calibration.calibration import Calibration
from vision.watching.annotate import draw
from vision.watching.sightings import Sighting
from vision.watching.video import Picture, Video, VideoError

_BEFORE_MS: Final = 3000  # a film is entered so long before a frame, and read on from there
_SAME_MS: Final = 1.0
_MARGIN_PX: Final = 8
_RED: Final = (60, 60, 255)
_WHITE: Final = (255, 255, 255)
_FONT: Final = cv2.FONT_HERSHEY_SIMPLEX


def frame_at(path: Path, number: int, time_ms: int) -> Picture:
    """The frame of that number, which is shown at that time.

    A film is entered near it and told by its time, for numbers are not exact there; where that fails, it is read from
    its beginning.
    """
    capture = cv2.VideoCapture(str(path))
    capture.set(cv2.CAP_PROP_POS_MSEC, max(0, time_ms - _BEFORE_MS))
    while capture.grab() and (at_ms := capture.get(cv2.CAP_PROP_POS_MSEC)) < time_ms + _SAME_MS:
        if at_ms > time_ms - _SAME_MS:
            found, picture = capture.retrieve()
            if found:
                return picture.astype(np.uint8, copy=False)
    for frame in Video(path).samples(every_ms=0):
        if frame.number == number:
            return frame.picture.copy()
    raise VideoError(f"{path}: has no frame {number}")


def mark(picture: Picture, in_sight: Sequence[SeenCard], about: SeenCard, calibration: Mapping[str, Any]) -> None:
    """Mark all cards in sight as ``audit21 watch --annotate`` does, and one of them in red."""
    height, width = picture.shape[:2]
    view = Calibration.from_json(calibration).for_picture(width, height)
    draw(picture, [Sighting(**each._asdict()) for each in in_sight], view)
    around = np.array([*about.outline, about.box[:2], about.box[2:]])
    (x0, y0), (x1, y1) = around.min(axis=0) - _MARGIN_PX, around.max(axis=0) + _MARGIN_PX
    cv2.rectangle(picture, (round(x0), round(y0)), (round(x1), round(y1)), _RED, 3, cv2.LINE_AA)


def png(picture: Picture, caption: str) -> bytes:
    """The picture with a line of text below it."""
    height, width = picture.shape[:2]
    strip = np.zeros((max(24, height // 24), width, 3), np.uint8)
    text = caption.encode("ascii", "replace").decode()
    (wide, tall), _ = cv2.getTextSize(text, _FONT, 1.0, 1)
    scale = min(0.6 * len(strip) / tall, 0.98 * width / wide)
    place = round(0.01 * width), round((len(strip) + scale * tall) / 2)
    cv2.putText(strip, text, place, _FONT, scale, _WHITE, 1, cv2.LINE_AA)
    _, coded = cv2.imencode(".png", np.vstack([picture, strip]))
    return coded.tobytes()
