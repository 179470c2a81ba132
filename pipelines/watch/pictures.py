"""Pictures that commands read and write."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import cv2

from vision.calibration.marks import Picture
from vision.watching.video import SAMPLE_MS, Video, VideoError

_SPREAD_FRAMES: Final = 8  # of a video of spread decks
_SPREAD_MS: Final = 500.0  # between them


class PictureError(ValueError):
    """A picture that cannot be written; says which and why."""


def first_picture(path: Path) -> Picture:
    """A still, or the first frame of a video."""
    return first_pictures(path, 1)[0]


def first_pictures(path: Path, count: int, every_ms: float = SAMPLE_MS) -> list[Picture]:
    """A still, or some frames of a video. Raises ``VideoError``."""
    frames: Iterator[Picture] = (frame.picture.copy() for frame in Video(path).samples(every_ms))
    found = list(islice(frames, count))
    if not found:
        raise VideoError(f"{path}: no frame of it can be decoded")
    return found


def spread_pictures(path: Path) -> list[Picture]:
    """Return a still, or the frames of a video, in which decks are counted."""
    return first_pictures(path, _SPREAD_FRAMES, _SPREAD_MS)


def write_picture(path: Path, picture: Picture, option: str) -> None:
    """Write a picture where an option says, in the format of its name."""
    known, data = cv2.imencode(path.suffix, picture) if cv2.haveImageWriter(path.name) else (False, None)
    if not known or data is None:
        raise PictureError(f"{option}: found {path.name}, expected a picture's name such as drawn.png")
    try:
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise PictureError(f"{path}: cannot be written, {error.strerror}") from None
