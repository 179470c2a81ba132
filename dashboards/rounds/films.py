"""Footage that shows a round: at which time of which film each step lies, and the frame as a picture."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import cv2

from dashboards.footage import Films, StoredFilm
from dashboards.packets.gather import Dossier
from warehouse.folders import WATCHED

_BEFORE_MS: Final = 3000  # a film is entered so long before a frame, and read on from there
_LONGEST_SHOWN_MS: Final = 500  # that a frame stays before the next one comes
_WIDEST_PX: Final = 1280
_QUALITY: Final = 82


class Moment(NamedTuple):
    """A time in a film."""

    film: StoredFilm
    time_ms: int

    @property
    def clock(self) -> str:
        """Minutes, seconds and milliseconds from its beginning."""
        minutes, rest = divmod(self.time_ms, 60_000)
        return f"{minutes}:{rest // 1000:02}.{rest % 1000:03}"


class _Reel(NamedTuple):
    film: StoredFilm
    start: datetime  # of the first frame, on the camera's clock
    ahead: timedelta  # of the common clock, in this round
    duration_ms: int


def moments(dossier: Dossier) -> list[Moment | None]:
    """For every step the moment of the film that shows it; None where no film does."""
    reels = list(_reels(dossier))
    return [_moment(reels, step.time) for step in dossier.account.steps]


def _moment(reels: list[_Reel], time: str | None) -> Moment | None:
    for reel in reels if time else ():
        into = datetime.fromisoformat(time or "") + reel.ahead - reel.start
        time_ms = round(into / timedelta(milliseconds=1))
        if 0 <= time_ms <= reel.duration_ms:
            return Moment(reel.film, time_ms)
    return None


def _reels(dossier: Dossier) -> Iterator[_Reel]:
    """The films in which cards of the round were seen, with how far their clock was off then."""
    filmed: dict[str, list[dict[str, Any]]] = {}
    for row in dossier.sightings:
        if row["frame"] is not None:
            filmed.setdefault(row["file_sha256"], []).append(row)
    sizes = {row["sha256"]: row["bytes"] for row in dossier.files}
    for sha256, rows in filmed.items():
        ahead = sorted(row["ts"] - row["corrected"] for row in rows)[len(rows) // 2]
        for kept in sorted((dossier.place.lake.path / WATCHED).glob(f"{sha256}-*.json")):
            shown = json.loads(kept.read_bytes())
            if shown["start"]:
                start = datetime.fromisoformat(shown["start"])
                film = StoredFilm(rows[0]["path"], sha256, sizes[sha256])
                yield _Reel(film, start, ahead, shown["duration_ms"])
                break


def jpeg(films: Films, moment: Moment) -> bytes | None:
    """The frame that is shown at a moment, as JPEG; None where no film that is at hand has one there."""
    place = films.checked(moment.film)
    if place is None:
        return None
    capture, frame = cv2.VideoCapture(str(place)), None
    try:
        capture.set(cv2.CAP_PROP_POS_MSEC, max(0, moment.time_ms - _BEFORE_MS))
        while capture.grab() and (at_ms := capture.get(cv2.CAP_PROP_POS_MSEC)) <= moment.time_ms:
            if at_ms >= moment.time_ms - _LONGEST_SHOWN_MS:
                frame = capture.retrieve()[1]
    finally:
        capture.release()
    if frame is None:
        return None
    height, width = frame.shape[:2]
    if width > _WIDEST_PX:
        frame = cv2.resize(frame, (_WIDEST_PX, round(height * _WIDEST_PX / width)), interpolation=cv2.INTER_AREA)
    _, coded = cv2.imencode(".jpg", frame, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
    return coded.tobytes()
