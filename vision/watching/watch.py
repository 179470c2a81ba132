"""Watches a video or still: frames in, sightings out."""

import math
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.calibration.calibration import Calibration
from vision.calibration.watchdog import Event, Watchdog
from vision.reading.reader import Reader
from vision.watching import quads
from vision.watching.ground import Ground
from vision.watching.motion import Box, Gate, Tiles, united
from vision.watching.poses import CardView, IndexView, Spot, TableView, card_outline
from vision.watching.sightings import Register, Sighting, Stay
from vision.watching.track import CardTrack, whole_pixels
from vision.watching.tracking import Question, Sample, Tracker
from vision.watching.video import Frame, Video

_PATIENCE_MS: Final = 1_800_000.0  # a card that lies longer does not keep back those that were laid after it
_ALONE: Final = 0.98  # a card of a video that was read only once must be read so well
_DOUBTFUL: Final = 0.5  # ... and one that was read more often
_BLANK_SURE: Final = 0.9  # of a card that lies face down
_KNOWN: Final = 6  # clear readings from which the size of indices is known
_CLEAR: Final = 0.95
_OTHER_SIZE: Final = 1.4  # by which an index may be larger or smaller than others
_AROUND_ZONES_MM: Final = 60.0  # cards are looked for so far outside the zones
_DOG_MS: Final = 1000.0  # between looks at the camera itself

Progress = Callable[[int], None]  # is told how many frames have been decoded


class Watch:
    """The cards that lie in a video or still.

    ``troubles`` tells when the camera was moved, covered, dark or frozen, and ``footage.cut_short`` whether the file is
    incomplete, as far as it has been watched. Raises ``VideoError`` for a file that cannot be watched, and
    ``CalibrationError`` for a calibration that is not of such a picture.
    """

    def __init__(self, path: Path, calibration: Calibration | None, reader: Reader) -> None:
        self.footage = Video(path)
        size = self.footage.facts.width, self.footage.facts.height
        self.calibration = None if calibration is None else calibration.for_picture(*size)
        self._watcher = Watcher(size, self.calibration, reader)
        self._dog = None if self.calibration is None else Watchdog(self.calibration)

    def sightings(self, progress: Progress = lambda _: None) -> Iterator[Sighting]:
        """Watch it to its end; the sightings come in order of first sight, each when its card has been picked up."""
        if self.footage.is_still:
            for frame in self.footage.samples():
                self._watcher.look_at_still(frame)
        else:
            yield from self._film(progress)
        yield from self._watcher.end()
        progress(self.footage.read)

    @property
    def troubles(self) -> list[Event]:
        """Return the periods in which the camera was not usable."""
        return [] if self._dog is None else self._dog.events

    def _film(self, progress: Progress) -> Iterator[Sighting]:
        due_ms, trouble = 0.0, None
        for frame in self.footage.samples():
            if self._dog is not None and frame.time_ms >= due_ms:
                trouble = self._dog.look(frame.picture, frame.time_ms)
                due_ms = frame.time_ms + _DOG_MS
            if trouble is None:
                yield from self._watcher.take(frame)
            progress(self.footage.read)


def watch(path: Path, calibration: Calibration | None, reader: Reader) -> Iterator[Sighting]:
    """The sightings in a video or still; ``Watch`` tells more."""
    return Watch(path, calibration, reader).sightings()


class Watcher:
    """State of the analysis of one video: the cards tracked so far."""

    def __init__(self, size: tuple[int, int], calibration: Calibration | None, reader: Reader) -> None:
        self._size, self._calibration, self._reader = size, calibration, reader
        self._gate = Gate(*size)
        self._view: TableView = IndexView(*size) if calibration is None else CardView(calibration)
        self._ground = None if calibration is None else Ground(calibration)
        self._tracker = Tracker(self._view)
        self._register = Register(calibration)
        self._heights: deque[float] = deque(maxlen=200)
        self._within = self._tiles_of_zones()
        self._is_still = False

    def look_at_still(self, frame: Frame) -> None:
        """Read a single picture that is not followed by others."""
        self._is_still = True
        bare: Question = _no
        if self._ground is not None:
            self._gate.see(frame.picture, frame.time_ms)
            self._ground.look(self._gate.small)
            bare = self._ground.is_bare
        sample = Sample(
            frame, lambda boxes: [False] * len(boxes), bare, _no, lambda x, y: -math.inf, lambda x, y: False
        )
        self._tracker.take(sample, self._read(frame, [(0, 0, *self._size)]), _no)
        self._look_for_blanks(sample, self._boxes_of_zones())

    def take(self, frame: Frame) -> Iterator[Sighting]:
        """Take the next frame of a video; gives the sightings that are complete."""
        fresh = self._gate.see(frame.picture, frame.time_ms)
        bare, paper = (_no, _yes) if self._ground is None else (self._ground.is_bare, self._ground.is_paper)
        sample = Sample(frame, self._gate.moves, bare, paper, self._gate.since_ms, self._gate.is_same)
        self._tracker.see(sample)
        if (fresh & self._within).any() or self._tracker.has_work(frame.time_ms):
            self._look(sample, fresh & self._within)
        self._gate.accept(fresh)
        return self._told(frame.time_ms)

    def end(self) -> Iterator[Sighting]:
        """The sightings of cards that lie there to the end."""
        return self._told(math.inf)

    def _look(self, sample: Sample, fresh: Tiles) -> None:
        """Read places that have come to rest, and cards that are still uncertain."""
        dressed = fresh
        if self._ground is not None:
            self._ground.look(self._gate.small)
            dressed = fresh & ~self._ground.bare_tiles(fresh.shape)
        changed = self._gate.boxes(dressed, self._view.reach)
        boxes = united([*changed, *(self._grown(box) for box in self._tracker.wanted(sample))])
        spots = list(self._read(sample.frame, boxes))
        moving = sample.moves([whole_pixels(spot.found.box) for spot in spots])
        at_rest = [spot for spot, moves in zip(spots, moving, strict=True) if not moves]

        def was_read(box: Box) -> bool:
            return any(_holds(outer, box) for outer in boxes) and not sample.moves([box])[0]

        self._tracker.take(sample, at_rest, was_read)
        self._look_for_blanks(sample, [*changed, *self._tracker.blanks(sample.frame.time_ms)])

    def _read(self, frame: Frame, boxes: list[Box]) -> Iterator[Spot]:
        """The indices in parts of a frame that have the size of indices."""
        usual = float(np.median(self._heights)) if len(self._heights) >= _KNOWN else None
        index_px = None if usual is None else self._view.index_px(usual)
        for x0, y0, x1, y1 in boxes:
            for index in self._reader.read(frame.picture[y0:y1, x0:x1], index_px, partial(self._is_known, x0, y0)):
                spot = self._view.spot(index.moved(x0, y0))
                if spot is None or (usual and not usual / _OTHER_SIZE < spot.height < usual * _OTHER_SIZE):
                    continue
                if index.confidence >= _CLEAR:
                    self._heights.append(spot.height)
                yield spot

    def _is_known(self, x0: int, y0: int, x: float, y: float) -> bool:
        """Return whether a point in a part of the picture is at an index that need not be read again."""
        return self._tracker.is_known(x0 + x, y0 + y)

    def _look_for_blanks(self, sample: Sample, boxes: list[Box]) -> None:
        """Find cards that show no index. In the discard rack they mean nothing."""
        calibration, picture = self._calibration, sample.frame.picture
        if calibration is None or self._ground is None:
            return
        for box in boxes:
            known = [card_outline(track.whole, calibration.card_mm) for track in self._tracker.shown()]
            for card in quads.find(picture, box, calibration, self._ground, known):
                outline = calibration.to_px(card_outline(card, calibration.card_mm))
                around = whole_pixels((*outline.min(axis=0).tolist(), *outline.max(axis=0).tolist()))
                if calibration.zone_at((card.x, card.y)) not in (None, "discard") and not sample.moves([around])[0]:
                    face = "up" if quads.is_face(picture, card, calibration) else "down"
                    self._tracker.take_blank(sample, card, outline, face)

    def _told(self, time_ms: float) -> Iterator[Sighting]:
        for track in self._tracker.close(time_ms):
            if (stay := self._stay(track)) is not None:
                self._register.add(stay)
        lying = [track.since_ms for track in self._tracker.unfinished() if track.first_ms > time_ms - _PATIENCE_MS]
        return self._register.ready(min(lying, default=math.inf))

    def _stay(self, track: CardTrack) -> Stay | None:
        """A track that has ended; None for what was seen too shortly to be told from a mistake."""
        card, sure = (None, _BLANK_SURE) if track.is_blank else (track.card, track.sure)
        least = 0.0 if self._is_still else _ALONE if track.looks < 2 else _DOUBTFUL
        if sure < least or track.is_picture or (track.is_blank and track.looks < 2 and not self._is_still):
            return None
        times = track.since_ms, track.first_ms, track.seen_ms, track.missed_ms
        return Stay(track.frame, *times, track.whole, track.outline, track.box(), track.face, card, sure)

    def _grown(self, box: Box) -> Box:
        """A box with a margin, within the picture."""
        margin, (width, height) = round(self._view.reach), self._size
        x0, y0, x1, y1 = box
        return max(0, x0 - margin), max(0, y0 - margin), min(width, x1 + margin), min(height, y1 + margin)

    def _boxes_of_zones(self) -> list[Box]:
        """A box around each zone: the table's edge around all of them would be one large shape."""
        zones = {} if self._calibration is None else self._calibration.zones
        corners = [self._calibration.to_px(outline) for outline in zones.values() if self._calibration is not None]
        return [self._grown(whole_pixels((*each.min(axis=0).tolist(), *each.max(axis=0).tolist()))) for each in corners]

    def _tiles_of_zones(self) -> Tiles:
        """The tiles in which cards may lie; all where that is not known."""
        rows, columns = self._gate.shape
        if self._calibration is None:
            return np.ones((rows, columns), bool)
        area = np.zeros((rows, columns), np.uint8)
        scale = np.array([columns, rows]) / self._size
        for outline in self._calibration.zones.values():
            away = outline - outline.mean(axis=0)
            wider = outline + away * _AROUND_ZONES_MM / np.linalg.norm(away, axis=1, keepdims=True).clip(1)
            cv2.fillPoly(area, [np.floor(self._calibration.to_px(wider) * scale).astype(np.int32)], 1)
        return area.astype(bool)


def _holds(outer: Box, inner: Box) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def _no(_: Box) -> bool:
    return False


def _yes(_: Box) -> bool:
    return True
