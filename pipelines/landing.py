"""What lies in a landing zone: its floor.toml and the files of every gaming day."""

import os
import re
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

FLOOR: Final = "floor.toml"
LINE_SOURCES: Final = ("terminal", "shoe", "camera")
_LINES: Final = re.compile(r"(terminal|shoe|camera).*\.(ndjson|ndjson\.gz|ndjson\.zst|gz|zst|parquet)")
_SIDECAR: Final = re.compile(r"footage.*\.json")
_FOOTAGE: Final = re.compile(r"footage.*\.[A-Za-z0-9]+")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


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

    def days(self) -> list[date]:
        return sorted({file.day for file in self.files})


def look(root: Path, day: date | None = None) -> Landing:
    """The files of a landing zone, of one day only where it is given."""
    if not root.is_dir():
        raise LandingError(f"{root}: no such landing zone; expected a folder with {FLOOR} and a folder for each day")
    if not (root / FLOOR).is_file():
        raise LandingError(f"{root / FLOOR}: no such file; a landing zone needs it to know its tables")
    files: list[LandingFile] = []
    ignored: list[str] = []
    for folder in _visible(root, root, ignored):
        this_day = _day(folder.name)
        if not folder.is_dir() or this_day is None:
            ignored += [_name(root, folder)] if folder.is_dir() else []
        elif day in (None, this_day):
            _look_at_day(root, folder, this_day, files, ignored)
    return Landing(root, sorted(files), sorted(ignored))


def _look_at_day(root: Path, folder: Path, day: date, files: list[LandingFile], ignored: list[str]) -> None:
    for table in _visible(root, folder, ignored):
        if not table.is_dir():
            ignored.append(_name(root, table))
            continue
        for path in _visible(root, table, ignored):
            name = _name(root, path)
            source = source_of(path.name)
            try:
                state = path.stat()
            except OSError:  # gone again since the folder was listed, or a link that leads nowhere
                ignored += [name] if path.is_symlink() else []
                continue
            if source is None or not path.is_file() or name != path.relative_to(root).as_posix():
                ignored.append(name)
            else:
                files.append(LandingFile(name, day, table.name, source, state.st_size, state.st_mtime_ns))


def _name(root: Path, path: Path) -> str:
    """A path in the landing zone; bytes of it that are no text as escapes, for no table can hold them."""
    return os.fsencode(path.relative_to(root).as_posix()).decode(errors="backslashreplace")


def source_of(name: str) -> str | None:
    """What a file of that name comes from, None where the layout has no such file."""
    if found := _LINES.fullmatch(name):
        return found[1]
    if _SIDECAR.fullmatch(name):
        return "sidecar"
    return "footage" if _FOOTAGE.fullmatch(name) else None


def _visible(root: Path, folder: Path, ignored: list[str]) -> list[Path]:
    """What a folder holds, in the order of names; a dotted name is something unfinished."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:  # closed to us, or gone again
        ignored.append(_name(root, folder))
        return []


def _day(name: str) -> date | None:
    if not _DAY.fullmatch(name):
        return None
    try:
        return date.fromisoformat(name)
    except ValueError:
        return None
