"""A stage as seen by a camera, frame by frame, and written as footage with its sidecar."""

import bisect
import json
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
import polars as pl

from vision.faces.deck import Deck
from vision.footage import camera, printing, props, stage, truth
from vision.footage.camera import CameraView, Optics, Picture, Sensor
from vision.footage.layout import Layout
from vision.footage.places import CardStay, Lain, lay_out
from vision.footage.sprites import DeckSprites, Sprite, paint, smeared
from vision.footage.stage import FilmStage, Gesture, Motion, Rest, StageWager

FPS: Final = 15.0
_LEAD_MS: Final = 2_000  # before the first card and after the last
_SHUTTER_MS: Final = 12.0


class FilmError(OSError):
    """Footage that cannot be written; says which file."""


@dataclass(frozen=True)
class Set:
    """A table with a camera above it."""

    layout: Layout
    deck: Deck
    view: CameraView
    optics: Optics
    seed: int = 0

    @classmethod
    def somewhere(cls, layout: Layout, deck: Deck, seed: int, image: tuple[int, int] = camera.FULL_HD) -> "Set":
        """A camera somewhere above a table, all from a seed."""
        rng = np.random.default_rng([seed, 1])
        return cls(layout, deck, CameraView.somewhere(rng, image), Optics.some(rng), seed)


class Take(NamedTuple):
    """Stretch to be filmed: the timeline, the card stays behind it, and its start and end."""

    stage: FilmStage
    lain: Sequence[Lain]
    from_ms: float
    until_ms: float


def take(
    on: Set, stays: Iterable[CardStay], wagers: Iterable[StageWager] = (), gestures: Iterable[Gesture] = ()
) -> Take:
    """Cards and wagers as something to be filmed, from a moment before the first to a moment after the last."""
    rng = np.random.default_rng([on.seed, 2])
    lain = lay_out(stays, on.layout, on.deck, rng)
    staged = stage.staged(lain, wagers, on.layout, rng, gestures)
    moved = [ms for reach in staged.reaches for ms in reach.times]
    first = min([rest.from_ms for rest in staged.rests] + moved, default=0.0)
    last = max([rest.until_ms for rest in staged.rests] + moved, default=0.0)
    return Take(staged, lain, first - _LEAD_MS, last + _LEAD_MS)


class Camera:
    """Sees a stage at times that grow from call to call."""

    def __init__(self, on: Set, staged: FilmStage) -> None:
        rng = np.random.default_rng([on.seed, 3])
        self.view, self.stage, self.rng = on.view, staged, rng
        self.lit = camera.light(on.view, on.optics, rng)
        self.softness_px = on.optics.softness_px
        self.stock = DeckSprites(on.deck, on.view, self.softness_px, self.lit, camera.glare(on.view, rng))
        self.bare = printing.bare_table(on.layout, on.view, self.lit, self.softness_px, rng)
        self.base = self.bare.copy()
        self.sensor = Sensor(on.view.image, on.optics, rng)
        self.resting: list[tuple[Rest, list[Sprite]]] = []
        self._next = 0  # rest to come
        self._first_motion = 0

    def frame(self, ms: float, since_ms: float) -> Picture:
        """The picture at a time; ``since_ms`` is the time since filming began."""
        self._settle(ms)
        seen = self.base.copy()
        for motion in self._moving(ms):
            self._draw_motion(seen, motion, ms)
        for reach in self.stage.reaches:
            tip = reach.tip(ms)
            if tip is not None:
                paint(seen, props.hand(reach.hand, tip, self.view, self.lit))
        for shadow in self.stage.shadows:
            if shadow.from_ms <= ms < shadow.until_ms:
                self._draw_shadow(seen, shadow, ms)
        return self.sensor.frame(seen, since_ms / 1000)

    def _settle(self, ms: float) -> None:
        """Bring the resting things up to date: gone ones leave what is below them, new ones lie where they belong."""
        gone = [(rest, sprites) for rest, sprites in self.resting if rest.until_ms <= ms]
        if gone:
            self.resting = [each for each in self.resting if each[0].until_ms > ms]
            for _, sprites in gone:
                self._uncover(_around(sprites))
        rests = self.stage.rests
        while self._next < len(rests) and rests[self._next].from_ms <= ms:
            rest = rests[self._next]
            self._next += 1
            if rest.until_ms > ms:
                sprites = self._sprites(rest)
                bisect.insort_right(self.resting, (rest, sprites), key=lambda each: each[0].depth)
                self._uncover(_around(sprites))

    def _sprites(self, rest: Rest) -> list[Sprite]:
        if rest.stack is not None:
            return [props.stack(rest.stack, self.view, self.softness_px, self.lit, self.rng)]
        assert rest.card is not None and rest.pose is not None
        return [self.stock.shadow(rest.pose), self.stock.card(rest.card, rest.pose)]

    def _uncover(self, box: tuple[int, int, int, int]) -> None:
        left, top, right, bottom = box
        self.base[top:bottom, left:right] = self.bare[top:bottom, left:right]
        for _, sprites in self.resting:
            for sprite in sprites:
                paint(self.base, sprite, box)

    def _moving(self, ms: float) -> Iterator[Motion]:
        motions = self.stage.motions
        while self._first_motion < len(motions) and motions[self._first_motion].until_ms <= ms:
            self._first_motion += 1
        for motion in motions[self._first_motion :]:
            if motion.from_ms > ms:
                return
            if motion.until_ms > ms:
                yield motion

    def _draw_motion(self, seen: Picture, motion: Motion, ms: float) -> None:
        pose, before = motion.at(ms), motion.at(ms - _SHUTTER_MS)
        here, there = self.view.pixels([(pose.x_mm, pose.y_mm), (before.x_mm, before.y_mm)]).tolist()
        paint(seen, self.stock.shadow(pose))
        paint(seen, smeared(self.stock.card(motion.card, pose), (here[0] - there[0], here[1] - there[1])))

    def _draw_shadow(self, seen: Picture, shadow: stage.Shadow, ms: float) -> None:
        share = (ms - shadow.from_ms) / (shadow.until_ms - shadow.from_ms)
        (x, y) = self.view.pixels([tuple(a + share * (b - a) for a, b in zip(shadow.start, shadow.end, strict=True))])[
            0
        ]
        fades = 8 * min(share, 1 - share)
        depth = shadow.depth * min(1.0, round(fades * 6) / 6)
        sprite = props.shade(round(shadow.size_mm[0]), round(shadow.size_mm[1]), depth)
        paint(seen, sprite._replace(x=round(x - shadow.size_mm[0] / 2), y=round(y - shadow.size_mm[1] / 2)))


def _around(sprites: Sequence[Sprite]) -> tuple[int, int, int, int]:
    lefts, tops, rights, bottoms = zip(*(sprite.box for sprite in sprites), strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def frames(on: Set, filmed: Take, fps: float = FPS) -> Iterator[Picture]:
    """The frames of a take, one after another."""
    seen_by = Camera(on, filmed.stage)
    for number in range(count(filmed, fps)):
        since_ms = number * 1000 / fps
        yield seen_by.frame(filmed.from_ms + since_ms, since_ms)


def count(filmed: Take, fps: float = FPS) -> int:
    """Return the number of frames of a take."""
    return max(1, round((filmed.until_ms - filmed.from_ms) * fps / 1000))


def still(on: Set, filmed: Take, at_ms: float) -> Picture:
    """Render one frame of a take."""
    return Camera(on, filmed.stage).frame(at_ms, 0.0)


def shoot(
    path: Path, on: Set, filmed: Take, fps: float = FPS, progress: Callable[[int], object] = lambda frames: None
) -> pl.DataFrame:
    """Write a take as video; returns the truth about it. ``progress`` is told of frames as they are written."""
    with Writer(path, on.view.image, fps) as writer:
        for frame in frames(on, filmed, fps):
            writer.write(frame)
            progress(1)
    return truth.rows(filmed.lain, filmed.stage.settled, on.view, on.deck, filmed.from_ms, fps, count(filmed, fps))


def write_sidecar(path: Path, on: Set, start: datetime, camera_id: str) -> None:
    """The sidecar of a footage file: its start by the camera's clock, and the camera's calibration."""
    calibration = on.view.calibration(on.layout, on.deck.card_mm)
    start_text = start.isoformat(timespec="milliseconds")
    text = json.dumps({"start": start_text, "camera": camera_id, "calibration": calibration.to_json()}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


class Writer:
    """Compresses frames beside the drawing of the next."""

    def __init__(self, path: Path, image: tuple[int, int], fps: float) -> None:
        self.path = path
        self._video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, image)
        if not self._video.isOpened():
            raise FilmError(f"{path} cannot be written as video")
        self._frames: queue.Queue[Picture | None] = queue.Queue(maxsize=4)
        self._thread = threading.Thread(target=self._compress, name="footage")
        self._thread.start()

    def __enter__(self) -> "Writer":
        return self

    def write(self, frame: Picture) -> None:
        self._frames.put(frame)

    def __exit__(self, *_: object) -> None:
        self._frames.put(None)
        self._thread.join()
        self._video.release()

    def _compress(self) -> None:
        while (frame := self._frames.get()) is not None:
            self._video.write(frame)
