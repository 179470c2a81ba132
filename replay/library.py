"""Libraries of rulebooks: in the package, in named folders, and in a lake's custody; by id, and by version."""

import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

from replay import rulebook_file
from replay.rulebook_file import Rulebook, RulebookError

FOLDERS_VARIABLE: Final = "AUDIT21_RULEBOOKS"  # folders, separated as in PATH
FOLDER: Final = "rulebooks"  # beside floor.toml
OF_THE_PACKAGE: Final = Path(__file__).parent / "rulebooks"
PRESENTATION: Final = "presentation.toml"
_OTHERS: Final = frozenset({PRESENTATION, "profiles.toml"})  # files of such a folder that are no rulebooks
_HEAD: Final = re.compile(r"""^(id|version)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.MULTILINE)
_MOST_BYTES: Final = 1 << 24


class Books(Protocol):
    """The library of a floor.toml's rulebooks."""

    def find(self, wanted: str) -> Rulebook:
        """The rulebook of a name such as ``mbs-pontoon`` or ``mbs-pontoon@7``."""


@dataclass(frozen=True)
class Library:
    """Rulebook files; of one id there may be several versions."""

    files: tuple[Path, ...]

    def ids(self) -> tuple[str, ...]:
        """The ids of its rulebooks, in the order of the files."""
        return tuple(dict.fromkeys(_head(path)[0] for path in self.files))

    def versions(self, book_id: str) -> list[Rulebook]:
        """Every version of a rulebook, the oldest first."""
        found: dict[str, Rulebook] = {}
        for path in self.files:
            if _head(path)[0] == book_id:
                book = _loaded(*_look_of(path))
                known = found.setdefault(book.version, book)
                if known.sha256 != book.sha256:
                    raise RulebookError(
                        f"{path}: {book_id} has the version {book.version!r} in {known.file} already, "
                        "with another text; give one of them another version"
                    )
        return sorted(found.values(), key=lambda book: _age(book.version))

    def newest(self) -> list[Rulebook]:
        """The newest version of each."""
        return [self.find(book_id) for book_id in self.ids()]

    def find(self, wanted: str) -> Rulebook:
        """The rulebook of an id such as ``mbs-pontoon``, the newest version, or that of ``mbs-pontoon@7``."""
        book_id, at, version = wanted.partition("@")
        known = self.versions(book_id)
        if not known:
            raise RulebookError(f"rulebook is {wanted!r}, expected one of {', '.join(self.ids())}")
        if not at:
            return known[-1]
        for book in known:
            if version in (book.version, book.version.split(" ")[0]):
                return book
        there = ", ".join(f"{book_id}@{book.version.split(' ')[0]}" for book in known)
        raise RulebookError(f"rulebook is {wanted!r}, expected one of {there}")


def library(folders: Sequence[Path] = ()) -> Library:
    """The rulebooks of the package, of the folders of ``AUDIT21_RULEBOOKS``, and of folders."""
    named = [Path(each) for each in os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep) if each]
    found = list(PACKAGE.files)
    for folder in dict.fromkeys((*named, *folders)):
        if not folder.is_dir():
            raise RulebookError(f"{folder}: no such folder, expected one with rulebooks")
        found += _in(folder)
    return Library(tuple(dict.fromkeys(found)))


def beside(floor_toml: Path, folders: Sequence[Path] = ()) -> Library:
    """The same with the folder of rulebooks beside a floor.toml, where there is one."""
    own = floor_toml.parent / FOLDER
    if not own.is_dir():
        return library(folders)
    root = os.path.realpath(floor_toml.parent)
    for path in (own, *_in(own)):
        if not Path(os.path.realpath(path)).is_relative_to(root):
            raise RulebookError(f"{path}: leads out of {floor_toml.parent}; put a copy of the file there")
    return library((*folders, own))


def load(name: str) -> Rulebook:
    """A rulebook of the package, by its id."""
    return PACKAGE.find(name)


def file_name(book: Rulebook) -> str:
    """A name for a copy of a rulebook's file that tells its version."""
    return f"{book.id}@{re.sub(r'[^A-Za-z0-9.]+', '-', book.version).strip('-')}.toml"


def _in(folder: Path) -> list[Path]:
    """The rulebooks of a folder, in the order of its presentation, then by name."""
    listed = folder / PRESENTATION
    order = list(tomllib.loads(listed.read_text(encoding="utf-8"))) if listed.is_file() else []
    found = sorted(path for path in folder.glob("*.toml") if path.name not in _OTHERS)
    return sorted(found, key=lambda path: order.index(path.stem) if path.stem in order else len(order))


def _look_of(path: Path) -> tuple[Path, int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise RulebookError(f"{path}: cannot be read, {error.strerror}") from None
    return path, found.st_mtime_ns, found.st_size


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise RulebookError(f"{path}: {path.stat().st_size} bytes, expected at most {_MOST_BYTES}")
        return path.read_bytes()
    except OSError as error:
        raise RulebookError(f"{path}: cannot be read, {error.strerror}") from None


def _head(path: Path) -> tuple[str, str]:
    """Id and version, without reading the whole rulebook."""
    return _head_of(*_look_of(path))


@lru_cache(maxsize=1024)
def _head_of(path: Path, mtime_ns: int, size: int) -> tuple[str, str]:
    text = _read(path).decode("utf-8", errors="replace").partition("\n[")[0]
    found = {match[1]: match[2] or match[3] or "" for match in _HEAD.finditer(text)}
    if {"id", "version"} <= set(found):
        return found["id"], found["version"]
    book = _loaded(path, mtime_ns, size)  # written in another way, or wrong: then it says what is
    return book.id, book.version


@lru_cache(maxsize=256)
def _loaded(path: Path, mtime_ns: int, size: int) -> Rulebook:
    return rulebook_file.read_bytes(_read(path), str(path))


def _age(version: str) -> tuple[tuple[int, int, str], ...]:
    """Return the key that sorts versions: numbers in them by size, and text before any number."""
    parts = re.findall(r"\d+|[^\d.]+", version)
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts)


PACKAGE: Final = Library(tuple(_in(OF_THE_PACKAGE)))
