"""A disk that is full, at whatever point: one clear line, and all is well once there is room."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from rich.progress import Progress

from tests.pipelines import zones
from tests.torture.lakes import differences
from tests.torture.reader import Reader, published
from tests.torture.worker import Worker

ENOUGH: Final = "256m"
NOT_PERMITTED: Final = "mounting a small disk is not permitted here: nothing was tried"


@dataclass
class Tally:
    """Result of the trials with small disks."""

    sizes: list[int] = field(default_factory=list)  # in bytes, that were too small
    is_permitted: bool = True
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.is_permitted:
            return NOT_PERMITTED
        end = f"{len(self.problems)} problems" if self.problems else "each told in a line, and complete with more room"
        return f"{len(self.sizes)} disks too small, {end} ({', '.join(f'{size >> 10:,} KB' for size in self.sizes)})"


@contextmanager
def disk(place: Path, size: int | str) -> Iterator[None]:
    """A disk in memory of so many bytes, or a text such as ``256m``; ``PermissionError`` where one cannot be had."""
    place.mkdir()
    if not mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)):
        place.rmdir()
        raise PermissionError(NOT_PERMITTED)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)  # readers here may still have files open
        place.rmdir()


def mount(*arguments: str) -> bool:
    """Mount something, or mount it anew with other options; whether that was possible."""
    try:
        return subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode == 0
    except OSError:
        return False


def can_mount(folder: Path) -> bool:
    """Return whether a small disk can be mounted here."""
    try:
        with disk(folder / "tried", 1 << 20):
            return True
    except PermissionError:
        return False


class Filler:
    """A floor audited on disks of several sizes."""

    def __init__(self, folder: Path, rounds: int = 15, days: int = 2) -> None:
        self.folder = folder
        self.tally = Tally()
        self.landing = zones.made(folder / "zone", tables=2, rounds=rounds, days=days, parts=2, camera=True)
        self.undisturbed = folder / "lake"
        with Worker(folder) as worker:
            ended = worker.run("run", self.landing, "--lake", self.undisturbed)
        assert ended.exit_code == 0, ended
        self.reader = Reader(published([self.undisturbed]))

    def close(self) -> None:
        self.reader.stop()

    def case(self, share: float, is_history_apart: bool) -> None:
        """A disk that has so much of the room that it takes, then one with enough. The history fills most of it."""
        place, size = self.folder / "disk", int(self._used(is_history_apart) * share)
        history = self.folder / f"history-{len(self.tally.sizes)}" if is_history_apart else None
        with disk(place, size), Worker(self.folder, history) as worker:
            self.tally.problems += [f"{size} bytes: {problem}" for problem in self._problems(worker, place, size)]

    def _used(self, is_history_apart: bool) -> int:
        files = [Path(folder, name) for folder, _, names in os.walk(self.undisturbed) for name in names]
        counted = [file for file in files if not is_history_apart or ".dagster" not in file.parts]
        return sum(-(-file.stat().st_size // 4096) * 4096 for file in counted)

    def _problems(self, worker: Worker, place: Path, size: int) -> Iterator[str]:
        command = ("run", self.landing, "--lake", place / "lake", "--quiet")
        ended = worker.run(*command)
        if ended.exit_code == 1:
            self.tally.sizes.append(size)
            lines = ended.errors.splitlines()
            if not lines or not all(line.startswith("audit21: ") for line in lines) or not is_told(ended.errors):
                yield f"not a clear line: {ended.errors}"
        elif ended.exit_code:
            yield f"exit code {ended.exit_code}: {ended.errors}"
        self.reader.look(place / "lake")
        yield from self.reader.problems
        self.reader.problems = []
        mount("-o", f"remount,size={ENOUGH}", str(place))
        again = worker.run(*command)
        if again.exit_code:
            yield f"with more room: {again}"
        else:
            yield from differences(place / "lake", self.undisturbed)


def is_told(errors: str) -> bool:
    """Return whether an error says that the disk is full."""
    return any(word in errors.lower() for word in ("no space left", "disk is full", "disk full", "not enough space"))


def torture(folder: Path, times: int, seed: int, progress: Progress) -> Tally:
    """Disks from almost nothing to almost enough."""
    task = progress.add_task("full disks", total=times)
    filler, chance = Filler(folder), Random(seed)
    try:
        for number in range(times):
            filler.case((number + chance.random()) / times, number % 3 > 0)
            progress.advance(task)
    except PermissionError:
        filler.tally.is_permitted = False
    finally:
        filler.close()
    return filler.tally
