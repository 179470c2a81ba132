"""A picture from a camera: a frame of its footage, or a still that was rendered for a finding."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from dashboards.cameras.sidecars import Sidecar
from dashboards.footage import Films, StoredFilm
from vision.watching.video import Picture, Video, VideoError
from warehouse import folders

LATEST_S: Final = 120  # into the footage: seeking further takes too long
_EVERY_MS: Final = 200.0
_QUALITY: Final = 85


def still(sidecar: Sidecar, films: Films, seconds: float = 0.0) -> Picture | None:
    """The frame so long after a film's beginning, or its last before; None where there is no picture at hand."""
    for film in sidecar.films:
        place = films.checked(film)
        found = _frame(place, film, seconds) if place else None
        if found is not None:
            return found
    return _of_a_finding(sidecar)


# Bytes of a hash never change, and a page asks for the same frame again and again.
@lru_cache(4)
def _frame(place: Path, _film: StoredFilm, seconds: float) -> Picture | None:
    """A frame of a film; None where it cannot be watched."""
    found = None
    try:
        for frame in Video(place).samples(_EVERY_MS):
            found = frame.picture.copy()
            if frame.time_ms >= seconds * 1000:
                break
    except VideoError:
        return None
    return found


def jpeg(picture: Picture) -> bytes:
    """A picture as browsers show it."""
    _, coded = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
    return coded.tobytes()


def _of_a_finding(sidecar: Sidecar) -> Picture | None:
    folder, hashes = sidecar.lake.lake.path / folders.STILLS, {film.sha256 for film in sidecar.films}
    for about in sorted(folder.glob("*.json")):
        if json.loads(about.read_bytes()).get("sha256") in hashes:
            coded = np.frombuffer(about.with_suffix(".png").read_bytes(), np.uint8)
            found = cv2.imdecode(coded, cv2.IMREAD_COLOR)
            return None if found is None else found.astype(np.uint8, copy=False)
    return None
