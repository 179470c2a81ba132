"""Noticing that a camera no longer shows the table as calibrated: moved, covered, in the dark, frozen.

Meant for a sample of the frames, one or two a second: a look costs some milliseconds, more only where
something seems wrong.
"""

from typing import Final, Literal, NamedTuple

import numpy as np

from vision.calibration.calibration import Calibration
from vision.calibration.checking import MOVED_MM, mark_shifts, picture_shift
from vision.calibration.marks import Picture, to_grey
from vision.calibration.scene import StillScene
from vision.calibration.table import SIZE_MM

Kind = Literal["moved", "covered", "dark", "frozen"]

# For how long something has to be so before it is told.
LASTS_MS: Final[dict[Kind, int]] = {"moved": 2_000, "covered": 1_500, "dark": 1_500, "frozen": 10_000}

_DARK: Final = 20.0  # of 255: brightness that hardly a pixel of a dark picture exceeds
_BLANK: Final = 0.006  # share of edges in a picture that shows nothing
_FADED: Final = 0.5  # share of the edges that are left of a picture when the view is blocked
_GONE: Final = 0.45  # share of the edges that are then still at their places
_UNCHANGED: Final = 0.8  # share of the edges that are at their places when all is well
_SURE: Final = 0.3  # of a shift
_CLOSELY_EVERY: Final = 5  # looks, where a close look costs more
_IN_VAIN: Final = 4  # searches for marks after which a calibration is doubted


class Event(NamedTuple):
    """A time in which a camera was of no use, with words for people."""

    kind: Kind
    from_ms: int
    until_ms: int
    words: str


class Watchdog:
    """Follows one camera. ``reference`` is a still from when it was calibrated; without it the first picture counts."""

    def __init__(self, calibration: Calibration | None = None, reference: Picture | None = None) -> None:
        self._place = _Place(calibration, reference)
        self._last: Picture | None = None
        self._still_since_ms = 0
        self._now: Event | None = None
        self._past: list[Event] = []

    def look(self, frame: Picture, time_ms: float) -> Kind | None:
        """Look at a frame; what is wrong with the camera by now, if anything is."""
        at_ms = round(time_ms)
        found = self._trouble(to_grey(frame), at_ms)
        if found is None:
            self._end()
            return None
        kind, since_ms, words = found
        if self._now is None or self._now.kind != kind:
            self._end()
            self._now = Event(kind, since_ms, at_ms, words)
        self._now = self._now._replace(until_ms=at_ms)
        return kind if _lasts(self._now) else None

    @property
    def events(self) -> list[Event]:
        """Return the problems so far, in order of time; the last may still continue."""
        return [*self._past, *([self._now] if self._now is not None and _lasts(self._now) else [])]

    def _end(self) -> None:
        self._past, self._now = self.events, None

    def _trouble(self, grey: Picture, at_ms: int) -> tuple[Kind, int, str] | None:
        seen = grey[::8, ::8]
        if self._last is None or not np.array_equal(self._last, seen):
            self._last, self._still_since_ms = seen.copy(), at_ms
        scene = StillScene(grey)
        if scene.brightness < _DARK:
            return "dark", at_ms, f"the picture is dark, {scene.brightness:.0f} of 255: no light, or a covered lens"
        if self._place.is_hidden(scene):
            return (
                "covered",
                at_ms,
                "the lens is covered or the view blocked: hardly anything of the table is to be seen",
            )
        if at_ms - self._still_since_ms >= LASTS_MS["frozen"]:
            return "frozen", self._still_since_ms, "the picture is frozen: not a pixel of it changes"
        words = self._place.moved(grey, scene)
        return None if words is None else ("moved", at_ms, words)


def _lasts(event: Event) -> bool:
    return event.until_ms - event.from_ms >= LASTS_MS[event.kind]


class _Place:
    """Comparison of the table's place in the picture with its calibration or reference picture."""

    def __init__(self, calibration: Calibration | None, reference: Picture | None) -> None:
        self._calibration = calibration
        self._reference = None if reference is None else to_grey(reference)
        self._scene = None if self._reference is None else StillScene(self._reference)
        self._looks = 0
        self._searches = 0  # for marks, in vain, as long as none was ever seen
        self._words: str | None = None  # how it was moved, by the last look

    def is_hidden(self, scene: StillScene) -> bool:
        if scene.detail < _BLANK:
            return True
        return self._scene is not None and (
            scene.detail < _FADED * self._scene.detail and scene.kept(self._scene) < _GONE
        )

    def moved(self, grey: Picture, scene: StillScene) -> str | None:
        """Return a sentence on how the camera was moved; None if it was not moved."""
        self._looks += 1
        shift_px = self._shift_px(grey, scene)
        if shift_px is not None:
            limit_px = MOVED_MM * self._px_per_mm(grey)
            words = f"the camera was moved: the table is {shift_px:.0f} px from where it should be"
            self._words = words if shift_px > limit_px else None
        if self._searches >= _IN_VAIN:
            return "none of the layout's marks is where the calibration has them: it is of another camera or table"
        return self._words

    def _shift_px(self, grey: Picture, scene: StillScene) -> float | None:
        """Return how far the table is from its place, in pixels; None if this picture does not show it."""
        closely = self._words is not None or self._looks % _CLOSELY_EVERY == 1
        if self._calibration is not None:
            height, width = grey.shape
            shifts = mark_shifts(self._calibration.for_picture(width, height), grey, anywhere=closely)
            if shifts:
                self._searches = -1
                self._remember(grey, scene)
                return float(np.median(shifts))
            self._searches += closely and self._searches >= 0 and self._calibration.marks is not None
        if self._scene is None or self._reference is None:
            self._remember(grey, scene)
            return None
        shift_px, sure = scene.shift(self._scene)
        if sure > _SURE and scene.kept(self._scene) > _UNCHANGED:
            return shift_px
        return picture_shift(self._reference, grey) if closely else None

    def _remember(self, grey: Picture, scene: StillScene) -> None:
        if self._scene is None:
            self._reference, self._scene = grey, scene

    def _px_per_mm(self, grey: Picture) -> float:
        width = int(grey.shape[1])
        if self._calibration is None:
            return width / SIZE_MM[0]
        return self._calibration.px_per_mm * width / self._calibration.image[0]
