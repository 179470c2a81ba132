"""A film through the eyes of ``vision``."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from pipelines.watch.pictures import spread_pictures
from pipelines.watch.sidecar import INSPECTION, FilmSidecar
from pipelines.watch.watched import SeenCard, Trouble, Watched
from vision.calibration.calibration import Calibration
from vision.calibration.fields import CalibrationError
from vision.enrolment import inspect
from vision.reading.reader import Reader
from vision.watching.sightings import Sighting
from vision.watching.video import Video, VideoError
from vision.watching.watch import Watch


def length(path: Path) -> int:
    """About how many frames a film has, 0 where it does not say."""
    try:
        return Video(path).facts.frames
    except VideoError:
        return 0


def look(path: Path, sidecar: FilmSidecar, reader: str, progress: Callable[[int], object]) -> Watched:
    """Watch a film; ``progress`` is told of every number of frames more."""
    begun = Watched(reader, sidecar.start, sidecar.camera)
    if sidecar.shows == INSPECTION:
        return _inspect(path, begun, progress)
    try:
        watch = Watch(path, Calibration.from_json(sidecar.calibration), _reader())
        sightings = list(watch.sightings(_by_steps(progress)))
    except CalibrationError as error:
        return replace(begun, problem=f"its sidecar's {error}")
    except VideoError as error:
        return replace(begun, problem=str(error).removeprefix(f"{path}: "))
    footage = watch.footage
    return replace(
        begun,
        frames=footage.read,
        duration_ms=round(footage.read * 1000 / footage.facts.fps) if footage.facts.fps else 0,
        seen=tuple(_seen(each) for each in sightings),
        troubles=tuple(Trouble(each.kind, each.from_ms, each.until_ms, each.words) for each in watch.troubles),
        problem=_shortfall(footage),
    )


def _inspect(path: Path, begun: Watched, progress: Callable[[int], object]) -> Watched:
    """The decks that a film of the opening inspection shows."""
    try:
        facts = Video(path).facts
        decks = inspect(spread_pictures(path), _reader()).inspection.decks
    except VideoError as error:
        return replace(begun, problem=str(error).removeprefix(f"{path}: "))
    progress(facts.frames)
    lasts_ms = round(facts.frames * 1000 / facts.fps) if facts.fps else 0
    problem = None if decks else "it should show the opening inspection, and no spread cards are to be seen"
    inspected = tuple(deck.to_json() for deck in decks)
    return replace(begun, frames=facts.frames, duration_ms=lasts_ms, inspected=inspected, problem=problem)


def _shortfall(footage: Video) -> str | None:
    """Say what is wrong with a film that was watched to its end."""
    if not footage.read:
        return "no frame of it could be decoded"
    if footage.cut_short:
        return f"it has {footage.read:,} of the {footage.facts.frames:,} frames that it announces"
    return None


def _seen(each: Sighting) -> SeenCard:
    return SeenCard(
        time_ms=round(each.time_ms),
        until_ms=max(round(each.until_ms), round(each.time_ms)),
        frame=each.frame,
        zone=each.zone,
        order=each.order or 1,  # outside of all zones nothing has an order
        face=each.face,
        card=each.card,
        confidence=each.confidence,
        sideways=each.sideways,
        box=each.box,
        outline=each.outline,
    )


def _by_steps(progress: Callable[[int], object]) -> Callable[[int], None]:
    """Progress in frames more, from frames in all."""
    told = 0

    def tell(frames: int) -> None:
        nonlocal told
        progress(frames - told)
        told = frames

    return tell


@cache
def _reader() -> Reader:
    return Reader()
