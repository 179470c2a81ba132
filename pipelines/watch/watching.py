"""Analysis of a gaming day's footage that was not analysed yet, or by another reader."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from pipelines.custody.floors import parsed
from pipelines.custody.store import CustodyStore
from pipelines.progress import Progress
from pipelines.version import hashed, reader_version
from pipelines.watch import sidecar as sidecars
from pipelines.watch import watched as results
from pipelines.watch.films import FilmFile, films
from pipelines.watch.sidecar import SidecarError
from pipelines.watch.watched import Watched
from warehouse import folders
from warehouse.evidence.files import file_sha256
from warehouse.lake import LakeError
from warehouse.signing import Recorder

STAGE: Final = "watch"


class Eyes(Protocol):
    """The interface of what watches films: ``pipelines.watch.look``."""

    def length(self, path: Path) -> int:
        """About how many frames a film has, 0 where it does not say."""

    def look(
        self, path: Path, sidecar: sidecars.FilmSidecar, reader: str, progress: Callable[[int], object]
    ) -> Watched:
        """Watch a film; ``progress`` is told of every number of frames more."""


@dataclass
class Watching:
    """Totals of a day's films."""

    day: date
    films: int = 0
    watched: int = 0  # by this run
    frames: int = 0
    seconds: float = 0.0  # that this run took to watch
    fresh_frames: int = 0  # ... of so many frames
    cards: int = 0
    abstained: int = 0
    problems: list[str] = field(default_factory=list)  # of films that could not be watched, or not to their end
    failed: list[str] = field(default_factory=list)  # films to be tried again

    @property
    def frames_per_second(self) -> float:
        return self.fresh_frames / self.seconds if self.seconds else 0.0


def films_of(custody: CustodyStore, day: date) -> list[FilmFile]:
    """A day's films in custody, of tables that floor.toml knows."""
    floor_sha256, found = custody.floor(day), films(custody.records(day))
    if not found or floor_sha256 is None:
        return []
    known = {table.id for table in parsed(custody.raw(floor_sha256), custody.books(day)).tables if table.since <= day}
    return [film for film in found if film.table in known]


def fingerprint(lake: Path, found: Iterable[FilmFile]) -> str:
    """A hash of what the lake keeps of some films, empty where there are none."""
    prints = [(film.path, results.fingerprint(lake, film)) for film in found]
    return hashed(prints) if prints else ""


class _Stopped(BaseException):
    """The run ends: no further frame is worth decoding."""


class FootageStore:
    """Footage of a landing zone, and the results of its analysis in the lake."""

    def __init__(self, landing: Path, lake: Path, eyes: Eyes | None = None, recorder: Recorder | None = None) -> None:
        self.landing = landing
        self.lake = lake
        self.recorder = recorder
        self._eyes = eyes
        self._failed: set[str] = set()  # paths of films that this run need not try again
        self._stopped = threading.Event()

    def place(self, film: FilmFile) -> Path | None:
        """Find a film's bytes."""
        record = film.footage
        return folders.find_footage(self.lake, self.landing, record.path, record.sha256, record.bytes)

    def due(self, some: Iterable[FilmFile]) -> list[tuple[FilmFile, Path]]:
        """Films to be watched, and where they are; what is not at hand stands as it was seen before."""
        found = []
        for film in some:
            known, path = results.kept(self.lake, film), self.place(film)
            is_current = known is not None and known.reader == reader_version() and self._is_recorded(film)
            if not is_current and path is not None and film.path not in self._failed:
                found.append((film, path))
        return found

    def check(self, some: Iterable[FilmFile]) -> None:
        """``LakeError`` where what the lake keeps of a film is not what was recorded, and it cannot be watched anew."""
        for film in some:
            if results.fingerprint(self.lake, film) is not None and not self._is_recorded(film):
                raise LakeError(
                    f"{self.lake / results.path_of(film)}: not as the evidence log records it; restore the file, or "
                    f"put {film.path} back into the landing zone so that it is watched again"
                )

    def _is_recorded(self, film: FilmFile) -> bool:
        return self.recorder is None or self.recorder.is_recorded("watched", results.path_of(film))

    def watch(self, day: date, some: Sequence[FilmFile], watcher: Progress) -> Watching:
        """Watch what is due. A film that cannot be watched stops no other; killed, the next call goes on."""
        tally = Watching(day, len(some))
        results.sweep(self.lake)
        due = self.due(some)
        if due:
            began = time.monotonic()
            watcher.begins(day, STAGE, sum(self._open_eyes().length(path) for _, path in due))
            tally.failed = [problem for problem in self._all(due, watcher) if problem]
            tally.seconds = time.monotonic() - began
            tally.watched = len(due) - len(tally.failed)
        fresh = {film.path for film, _ in due}
        for film in some:
            _count(tally, film, results.kept(self.lake, film), film.path in fresh)
        return tally

    def _all(self, due: Sequence[tuple[FilmFile, Path]], watcher: Progress) -> list[str | None]:
        """Some films side by side: each needs a core to decode and one to read."""
        at_once = min(len(due), (os.cpu_count() or 1) // 2)
        if at_once <= 1:
            return [self._one(film, path, watcher) for film, path in due]
        with ThreadPoolExecutor(at_once) as pool:
            try:
                return list(pool.map(lambda each: self._one(each[0], each[1], watcher), due))
            except BaseException:
                self._stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _one(self, film: FilmFile, path: Path, watcher: Progress) -> str | None:
        """Watch a film and keep what it shows; says why where that has to be tried again."""
        try:
            if file_sha256(path)[0] != film.footage.sha256:
                raise OSError("its bytes changed after it was taken into custody")
            results.keep(self.lake, film, self._watched(film, path, partial(self._goes_on, watcher, film.path)))
            if self.recorder:
                self.recorder.record("watched", film.day, [results.path_of(film)])
        except Exception as error:  # a fault of ours, or of a disk, at one film
            self._failed.add(film.path)
            return f"{film.path}: {type(error).__name__}: {' '.join(str(error).split())}"
        return None

    def _watched(self, film: FilmFile, path: Path, progress: Callable[[int], object]) -> Watched:
        reader = reader_version()
        if film.sidecar is None:
            name = f"{path.stem}.json"
            return Watched(reader, problem=f"no sidecar {name} beside it says when it begins and what its pixels are")
        try:
            sidecar = sidecars.parse(folders.raw(self.lake, film.sidecar.sha256).read_bytes())
        except SidecarError as error:
            return Watched(reader, problem=f"its sidecar {film.sidecar.name} {error}")
        return self._open_eyes().look(path, sidecar, reader, progress)

    def _open_eyes(self) -> Eyes:
        """Only a day with films pays for loading OpenCV and the network."""
        if self._eyes is None:
            from pipelines.watch import look

            self._eyes = look
        return self._eyes

    def _goes_on(self, watcher: Progress, path: str, frames: int) -> None:
        if self._stopped.is_set():
            raise _Stopped
        watcher.goes_on(frames, path)


def _count(tally: Watching, film: FilmFile, known: Watched | None, is_fresh: bool) -> None:
    if known is None:
        return
    tally.frames += known.frames
    tally.fresh_frames += known.frames if is_fresh else 0
    tally.cards += len(known.seen)
    tally.abstained += known.abstained
    tally.problems += [f"{film.path}: {known.problem}"] if known.problem else []
