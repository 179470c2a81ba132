"""The contents of a landing zone: its floor.toml and the files of every gaming day."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from replay.library import FOLDER
from warehouse.folders import is_inside

FLOOR: Final = "floor.toml"
LINE_SOURCES: Final = ("terminal", "shoe", "camera")
_LINES: Final = re.compile(r"(terminal|shoe|camera).*\.(ndjson|ndjson\.gz|ndjson\.zst|gz|zst|parquet)")
_SIDECAR: Final = re.compile(r"footage.*\.json")
_FOOTAGE: Final = re.compile(r"footage.*\.[A-Za-z0-9]+")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_OUTSIDE: Final = "a link out of the landing zone"


class LandingError(ValueError):
    """A landing zone that leaves nothing to do; says which place and why."""


class LandingFile(NamedTuple):
    """A file of a table's day; ``path`` is relative to the landing zone."""

    path: str
    day: date
    table: str
    source: str
    bytes: int
    mtime_ns: int


class Landing(NamedTuple):
    """Everything there is, in the order of paths."""

    root: Path
    files: list[LandingFile]
    ignored: list[str]  # what the layout has no place for
    outside: list[str]  # links that lead out of the landing zone

    def days(self) -> list[date]:
        return sorted({file.day for file in self.files})


def look(root: Path, day: date | None = None) -> Landing:
    """The files of a landing zone, of one day only where it is given."""
    if not root.is_dir():
        raise LandingError(f"{root}: no such landing zone; expected a folder with {FLOOR} and a folder for each day")
    if not (root / FLOOR).is_file():
        raise LandingError(f"{root / FLOOR}: no such file; a landing zone needs it to know its tables")
    if not is_inside(root, root / FLOOR):
        raise LandingError(f"{root / FLOOR}: {_OUTSIDE}; put a copy of the file there")
    found = Landing(root, [], [], [])
    for folder in _visible(found, root):
        this_day = _day(folder.name)
        if not folder.is_dir() or this_day is None:
            is_known = not folder.is_dir() or folder.name == FOLDER
            found.ignored.extend([] if is_known else [_name(root, folder)])
        elif day in (None, this_day):
            _look_at_day(found, folder, this_day)
    return Landing(root, sorted(found.files), sorted(found.ignored), sorted(found.outside))


@contextmanager
def opened(root: Path, path: Path) -> Iterator[BinaryIO]:
    """A regular file of a landing zone, open for reading; raises OSError where it is none, or lies outside.

    What was opened is compared with what lies at the path's end, so that a link that is put there meanwhile leads
    nowhere; a pipe is not waited for.
    """
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        state = os.fstat(file.fileno())
        if not stat.S_ISREG(state.st_mode):
            raise OSError(0, "not a regular file")
        if not is_inside(root, path) or not os.path.samestat(state, Path(os.path.realpath(path)).stat()):
            raise OSError(0, _OUTSIDE)
        yield file


def _look_at_day(found: Landing, folder: Path, day: date) -> None:
    root = found.root
    for table in _visible(found, folder):
        if not table.is_dir():
            found.ignored.append(_name(root, table))
            continue
        for path in _visible(found, table):
            name = _name(root, path)
            source = source_of(path.name)
            try:
                state = path.stat()
            except OSError:  # gone again since the folder was listed, or a link that leads nowhere
                found.ignored.extend([name] if path.is_symlink() else [])
                continue
            if source is None or not path.is_file() or name != path.relative_to(root).as_posix():
                found.ignored.append(name)
            else:
                found.files.append(LandingFile(name, day, table.name, source, state.st_size, state.st_mtime_ns))


def _name(root: Path, path: Path) -> str:
    """A path in the landing zone; bytes of it that are no text as escapes, for no table can hold them."""
    return os.fsencode(path.relative_to(root).as_posix()).decode(errors="backslashreplace")


def source_of(name: str) -> str | None:
    """Return the source of a file of that name, None where the layout has no such file."""
    if found := _LINES.fullmatch(name):
        return found[1]
    if _SIDECAR.fullmatch(name):
        return "sidecar"
    return "footage" if _FOOTAGE.fullmatch(name) else None


def _visible(found: Landing, folder: Path) -> list[Path]:
    """List a folder in the order of names; a dotted name is something unfinished."""
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:  # closed to us, or gone again
        found.ignored.append(_name(found.root, folder))
        return []
    inside = [path for path in paths if not path.is_symlink() or is_inside(found.root, path)]
    found.outside.extend(_name(found.root, path) for path in paths if path not in inside)
    return inside


def _day(name: str) -> date | None:
    if not _DAY.fullmatch(name):
        return None
    try:
        return date.fromisoformat(name)
    except ValueError:
        return None
