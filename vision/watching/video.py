"""Videos and stills as frames with their number and presentation time, decoded ahead of the work."""

import os
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

# FFmpeg writes its complaints about damaged streams to standard error: they are reported in our words.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

import cv2
import numpy as np
import numpy.typing as npt

cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
cv2.setNumThreads(1)  # what is done with a frame is soon done: more threads only stand in the way of decoding

Picture = npt.NDArray[np.uint8]

STILLS: Final = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff"})
SAMPLE_MS: Final = 100.0
_EARLY: Final = 0.9  # a frame that comes after this share of the time between two samples will do
_AHEAD: Final = 4  # frames decoded before they are asked for
_LONGEST_MS: Final = 1e10  # some four months


class VideoError(Exception):
    """A file that cannot be watched: the message names it and says why, in one line."""


class Frame(NamedTuple):
    """A frame that was decoded. ``picture`` is valid until the next frame is asked for."""

    number: int
    time_ms: float
    picture: Picture


class VideoFacts(NamedTuple):
    """Properties of a video file, from its header; ``frames`` is 0 if the header does not give it."""

    width: int
    height: int
    fps: float
    frames: int


class Video:
    """A video or still opened for watching; ``read`` is how many frames were decoded so far."""

    def __init__(self, path: Path) -> None:
        _check(path)
        self.path = path
        self.read = 0
        self._still: Picture | None = None
        self._capture: cv2.VideoCapture | None = None
        if _is_still(path):
            self._still = _picture(path)
            height, width = self._still.shape[:2]
            self.facts = VideoFacts(width, height, 0.0, 1)
        else:
            self._capture, self.facts = _opened(path)

    @property
    def is_still(self) -> bool:
        """Return whether the file is a single picture."""
        return self._still is not None

    @property
    def cut_short(self) -> bool:
        """After the last frame: whether the file announced many more frames than it has."""
        return self.read < 0.98 * self.facts.frames - 1

    def samples(self, every_ms: float = SAMPLE_MS) -> Iterator[Frame]:
        """Frames at least about ``every_ms`` apart; those between are decoded but not converted."""
        if self._still is not None:
            self.read = 1
            yield Frame(0, 0.0, self._still)
            return
        with _ahead(self._sampled(every_ms)) as frames:
            yield from frames

    def _sampled(self, every_ms: float) -> Iterator[Frame]:
        assert self._capture is not None
        pool = [np.empty((self.facts.height, self.facts.width, 3), np.uint8) for _ in range(_AHEAD + 3)]
        last_ms, due_ms = -1.0, 0.0
        while self._capture.grab():
            time_ms = _presented(self._capture, last_ms, self.facts.fps)
            number, last_ms = self.read, time_ms
            self.read += 1
            if time_ms < due_ms:
                continue
            got, picture = self._capture.retrieve(pool[0])
            if not got or picture is None:
                continue
            pool.append(pool.pop(0))
            due_ms = time_ms + _EARLY * every_ms
            yield Frame(number, time_ms, picture.astype(np.uint8, copy=False))
        self._capture.release()


def stills(folder: Path) -> list[Path]:
    """The pictures in a folder, by name."""
    found = sorted(path for path in folder.iterdir() if path.suffix.lower() in STILLS)
    if not found:
        raise VideoError(f"{folder}: no pictures in this folder, expected files ending in {', '.join(sorted(STILLS))}")
    return found


def _check(path: Path) -> None:
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise VideoError(f"{path}: the file is empty, expected a video or a picture")
    except OSError as error:
        raise VideoError(f"{path}: cannot be read, {error.strerror}") from None


def _is_still(path: Path) -> bool:
    return path.suffix.lower() in STILLS or bool(cv2.haveImageReader(str(path)))


def _picture(path: Path) -> Picture:
    found = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if found is None:
        raise VideoError(f"{path}: cannot be decoded as a picture; the file is damaged or in another format")
    return found.astype(np.uint8, copy=False)


def _opened(path: Path) -> tuple[cv2.VideoCapture, VideoFacts]:
    capture = cv2.VideoCapture(str(path))
    if not capture.isOpened():
        raise VideoError(f"{path}: cannot be opened as a video; the file is damaged, cut off or not a video")
    width, height = (int(capture.get(what)) for what in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
    if width <= 0 or height <= 0:
        raise VideoError(f"{path}: no pictures in this file")
    fps, frames = capture.get(cv2.CAP_PROP_FPS), capture.get(cv2.CAP_PROP_FRAME_COUNT)
    return capture, VideoFacts(width, height, fps if 0 < fps < 1000 else 25.0, int(frames) if 0 < frames < 1e9 else 0)


def _presented(capture: cv2.VideoCapture, last_ms: float, fps: float) -> float:
    """Return a frame's time in ms; if the file has none, or time goes back, one frame after the last."""
    time_ms = float(capture.get(cv2.CAP_PROP_POS_MSEC))
    return time_ms if last_ms < time_ms < _LONGEST_MS else last_ms + 1000 / fps if last_ms >= 0 else 0.0


@contextmanager
def _ahead(frames: Iterator[Frame]) -> Iterator[Iterator[Frame]]:
    """Decode the frames in a thread that runs some frames ahead."""
    made: queue.Queue[Frame | BaseException | None] = queue.Queue(_AHEAD)
    stopped = threading.Event()

    def make() -> None:
        end: BaseException | None = None
        try:
            for frame in frames:
                made.put(frame)
                if stopped.is_set():
                    return
        except BaseException as error:  # raised again where the frames are used
            end = error
        made.put(end)

    def taken() -> Iterator[Frame]:
        while (got := made.get()) is not None:
            if isinstance(got, BaseException):
                raise got
            yield got

    worker = threading.Thread(target=make, name="decoder", daemon=True)
    worker.start()
    try:
        yield taken()
    finally:
        stopped.set()
        while worker.is_alive():
            with suppress(queue.Empty):
                made.get(timeout=0.01)
        worker.join()
