"""Draws sightings over the footage that they come from: outlines, readings, zones and confidence."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.calibration.calibration import Calibration
from vision.watching.sightings import Sighting
from vision.watching.video import Frame, Picture, Video, VideoError

_SURE: Final = (90, 220, 60)  # blue, green, red
_UNSURE: Final = (40, 170, 255)
_DOWN: Final = (235, 160, 60)
_ZONE: Final = (200, 200, 200)
_SHADOW: Final = (0, 0, 0)
_FONT: Final = cv2.FONT_HERSHEY_SIMPLEX

Progress = Callable[[int], None]


def draw(picture: Picture, sightings: Sequence[Sighting], calibration: Calibration | None) -> None:
    """Draw what was seen onto a picture."""
    thick = max(1, round(picture.shape[1] / 1200))
    if calibration is not None:
        for name, outline in calibration.zones.items():
            corners = calibration.to_px(outline)
            cv2.polylines(picture, [np.round(corners).astype(np.int32)], True, _ZONE, 1, cv2.LINE_AA)
            write(picture, name, (corners[:, 0].mean(), corners[:, 1].max() - 6), _ZONE, 0.8)
    for seen in sightings:
        colour = _DOWN if seen.face == "down" else _UNSURE if seen.card is None else _SURE
        corners = np.array(seen.outline)
        cv2.polylines(picture, [np.round(corners).astype(np.int32)], True, colour, thick, cv2.LINE_AA)
        cv2.rectangle(picture, seen.box[:2], seen.box[2:], colour, thick, cv2.LINE_AA)
    for seen in sightings:
        colour = _DOWN if seen.face == "down" else _UNSURE if seen.card is None else _SURE
        write(picture, label(seen), (seen.box[0], seen.box[1] - 4), colour, 1.0)


def label(seen: Sighting) -> str:
    """A sighting in a few letters, such as ``7S 99%``, ``? 62%`` or ``down``."""
    if seen.face == "down":
        return "down"
    return f"{seen.card or '?'} {100 * seen.confidence:.0f}%{' side' if seen.sideways else ''}"


def annotate(
    path: Path, sightings: Sequence[Sighting], calibration: Calibration | None, out: Path, progress: Progress
) -> None:
    """Write a copy of a video or still with its sightings drawn onto it."""
    footage = Video(path)
    if footage.is_still:
        for frame in footage.samples():
            picture = frame.picture.copy()
            draw(picture, sightings, calibration)
            _save(out, picture)
        return
    facts = footage.facts
    writer = cv2.VideoWriter(str(out), cv2.VideoWriter.fourcc(*"mp4v"), facts.fps, (facts.width, facts.height))
    if not writer.isOpened():
        raise VideoError(
            f"{out}: cannot be written as a video; expected a name ending in .mp4 in a folder that is there"
        )
    try:
        for frame, shown in _with_sightings(footage, sightings):
            draw(frame.picture, shown, calibration)
            writer.write(frame.picture)
            progress(footage.read)
    finally:
        writer.release()


def save_frames(
    path: Path, sightings: Sequence[Sighting], calibration: Calibration | None, folder: Path, progress: Progress
) -> int:
    """Write the frames in which a card was first read as PNG files into a folder; says how many."""
    wanted = {seen.frame for seen in sightings}
    footage = Video(path)
    folder.mkdir(parents=True, exist_ok=True)
    for frame, shown in _with_sightings(footage, sightings):
        if frame.number in wanted:
            picture = frame.picture.copy()
            draw(picture, shown, calibration)
            _save(folder / f"{path.stem}-{frame.number:07d}.png", picture)
        progress(footage.read)
    return len(wanted)


def _with_sightings(footage: Video, sightings: Sequence[Sighting]) -> Iterator[tuple[Frame, list[Sighting]]]:
    """Yield every frame with the sightings visible in it."""
    coming = sorted(sightings, key=lambda seen: seen.time_ms)
    shown: list[Sighting] = []
    for frame in footage.samples(every_ms=0):
        while coming and coming[0].time_ms <= frame.time_ms:
            shown.append(coming.pop(0))
        shown = [seen for seen in shown if seen.until_ms >= frame.time_ms]
        yield frame, shown


def _save(out: Path, picture: Picture) -> None:
    try:
        saved = cv2.imwrite(str(out), picture)
    except cv2.error:
        saved = False
    if not saved:
        raise VideoError(
            f"{out}: cannot be written as a picture; expected a name ending in .png in a folder that is there"
        )


def write(picture: Picture, text: str, at: tuple[float, float], colour: tuple[int, int, int], size: float) -> None:
    """Put text onto a picture, with a dark edge around its letters; ``size`` is 1 for what is read."""
    scale = size * max(0.45, picture.shape[1] / 3600)
    x, y = round(at[0]), round(at[1])
    # A wider stroke would make the letters wider as well: the edge is the same letters, moved.
    for right, down in ((-1, -1), (1, -1), (-1, 1), (1, 1)):
        cv2.putText(picture, text, (x + right, y + down), _FONT, scale, _SHADOW, 1, cv2.LINE_AA)
    cv2.putText(picture, text, (x, y), _FONT, scale, colour, 1, cv2.LINE_AA)
