"""``audit21 watch``: from videos and stills to sightings as lines, with a progress bar and, on request, pictures."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from pipelines.watch.sidecar import FilmSidecar, SidecarError, moment, parse
from vision.calibration import Calibration, CalibrationError, load
from vision.reading.reader import Reader
from vision.watching import annotate
from vision.watching.sightings import Sighting
from vision.watching.video import VideoError, stills
from vision.watching.watch import Watch

BadRequest = (VideoError, CalibrationError, SidecarError)
Say = Callable[[str], object]


@dataclass(frozen=True)
class WatchRequest:
    """The command's options."""

    files: tuple[Path, ...]
    calibration: Path | None = None
    annotate: Path | None = None
    frames: Path | None = None
    quiet: bool = False


class WatchSource(NamedTuple):
    """A file to watch, and what is known of it."""

    path: Path
    calibration: Calibration | None
    sidecar: FilmSidecar | None


def run(request: WatchRequest, write: Say, complain: Say) -> tuple[int, int]:
    """Watch all files: ``write`` gets a line per sighting, ``complain`` what is wrong with files and cameras.

    Says how many files were watched and how many could not be.
    """
    files = [path for each in request.files for path in (stills(each) if each.is_dir() else [each])]
    given = None if request.calibration is None else load(request.calibration)
    _check_out(request.annotate, files)
    reader, watched = Reader(), 0
    with _bar(request.quiet) as bar:
        for path in files:
            try:
                _watch(source_of(path, given), request, reader, bar, write, complain)
                watched += 1
            except BadRequest as error:
                complain(_located(path, error))
    return watched, len(files) - watched


def source_of(path: Path, given: Calibration | None) -> WatchSource:
    """A file with its sidecar, if it has one: not every JSON file beside a picture is a sidecar."""
    beside = path.with_suffix(".json")
    try:
        raw = beside.read_bytes()
        data = json.loads(raw)
    except (OSError, ValueError):
        data = None
    if not isinstance(data, dict) or "calibration" not in data:
        return WatchSource(path, given, None)
    try:
        sidecar = parse(raw)
        return WatchSource(path, given or Calibration.from_json(sidecar.calibration), sidecar)
    except (SidecarError, CalibrationError) as error:
        raise SidecarError(f"{beside}: {error}") from None


def line(source: WatchSource, seen: Sighting) -> dict[str, Any]:
    """A sighting as it is written."""
    sidecar, times = source.sidecar, (seen.time_ms, seen.until_ms)
    ts, until = (None, None) if sidecar is None else (moment(sidecar.start, round(ms)) for ms in times)
    return {
        "type": "seen",
        "file": str(source.path),
        "frame": seen.frame,
        "time_ms": round(seen.time_ms),
        "ts": ts,
        "camera": None if sidecar is None else sidecar.camera,
        "zone": seen.zone,
        "order": seen.order,
        "face": seen.face,
        "card": seen.card,
        "confidence": seen.confidence,
        "sideways": seen.sideways,
        "until": until,
        "until_ms": round(seen.until_ms),
        "box": list(seen.box),
    }


def _watch(source: WatchSource, request: WatchRequest, reader: Reader, bar: "_Bar", write: Say, complain: Say) -> None:
    watch = Watch(source.path, source.calibration, reader)
    frames, seen = watch.footage.facts.frames, []
    for sighting in watch.sightings(bar.begins(f"watching {source.path.name}", frames)):
        write(json.dumps(line(source, sighting)))
        seen.append(sighting)
    for trouble in watch.troubles:
        complain(f"{source.path}: from {_clock(trouble.from_ms)} to {_clock(trouble.until_ms)}, {trouble.words}")
    if watch.footage.cut_short:
        complain(f"{source.path}: ends after {watch.footage.read:,} of the {frames:,} frames that it announces")
    if request.annotate is not None:
        out = _picture_name(request.annotate, source.path, watch.footage.is_still)
        annotate.annotate(source.path, seen, watch.calibration, out, bar.begins(f"drawing {out.name}", frames))
    if request.frames is not None:
        done = bar.begins(f"frames of {source.path.name}", frames)
        annotate.save_frames(source.path, seen, watch.calibration, request.frames, done)


def _check_out(out: Path | None, files: list[Path]) -> None:
    if out is None:
        return
    if out.exists() and any(path.exists() and out.samefile(path) for path in files):
        raise VideoError(f"{out}: --annotate would overwrite the footage, expected another name")
    if len(files) > 1 and out.suffix:
        raise VideoError(f"{out}: expected a folder for --annotate, as there are {len(files)} files to watch")


def _picture_name(out: Path, path: Path, is_still: bool) -> Path:
    """Return the file to draw to: the name as given, or in a folder the footage's own name."""
    if out.suffix and not out.is_dir():
        return out
    out.mkdir(parents=True, exist_ok=True)
    return out / f"{path.stem}{'.png' if is_still else '.mp4'}"


def _located(path: Path, error: Exception) -> str:
    text = str(error)
    return text if text.startswith(str(path.with_suffix(""))) else f"{path}: {text}"


def _clock(ms: float) -> str:
    minutes, seconds = divmod(ms / 1000, 60)
    return f"{int(minutes)}:{seconds:04.1f}"


class _Rate(ProgressColumn):
    """Frames per second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f} frames/s" if task.speed else "", style="dim")


class _Bar:
    """One bar for all files, one after another; or none."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._task = None if progress is None else progress.add_task("", total=None)

    def begins(self, what: str, frames: int) -> Callable[[int], None]:
        """Start anew; the frames that are done are told to what is returned."""
        progress, task = self._progress, self._task
        if progress is None or task is None:
            return lambda _: None
        progress.reset(task, description=what, total=frames or None)
        return lambda done: progress.update(task, completed=done)


@contextmanager
def _bar(quiet: bool) -> Iterator[_Bar]:
    if quiet or not sys.stderr.isatty():
        yield _Bar(None)
        return
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), _Rate(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(progress)
