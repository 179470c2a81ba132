"""The films among a table's files, each with its sidecar."""

import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from pipelines.custody.landing import is_inside
from pipelines.custody.store import Record

_STILLS: Final = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp"})  # for calibration
_AGAIN: Final = re.compile(r"~(\d+)")  # bytes that came under a name that other bytes had


class FilmFile(NamedTuple):
    """Footage, and what says when it begins and what its pixels are."""

    footage: Record
    sidecar: Record | None

    @property
    def path(self) -> str:
        return self.footage.path

    @property
    def table(self) -> str:
        return self.footage.table

    @property
    def day(self) -> date:
        return date.fromisoformat(self.path.partition("/")[0])


def films(records: Iterable[Record]) -> list[FilmFile]:
    """The films that count, in the order of paths.

    What was replaced under its name counts as it came last; of films with the same bytes, one with a sidecar counts.
    """
    footage, sidecars = dict[str, Record](), dict[str, Record]()
    for record in sorted((record for record in records if record.name.startswith("footage")), key=_turn):
        if record.source == "sidecar":
            sidecars[_plain(_stem(record.path))] = record
        elif record.source == "footage" and PurePath(record.name).suffix.lower() not in _STILLS:
            footage[_plain(record.path)] = record
    distinct: dict[tuple[str, str], FilmFile] = {}
    for record in footage.values():
        film = FilmFile(record, sidecars.get(_plain(_stem(record.path))))
        known = distinct.get((record.table, record.sha256))
        if known is None or (known.sidecar is None and film.sidecar is not None):
            distinct[record.table, record.sha256] = film
    return sorted(distinct.values(), key=lambda film: film.path)


def place(film: FilmFile, landing: Path, raw: Path) -> Path | None:
    """Where a film's bytes are at hand, as far as names and size tell: a copy in custody, or the landing file."""
    record = film.footage
    landed = [path for path in (landing / record.path, landing / _plain(record.path)) if is_inside(landing, path)]
    for path in (raw, *landed):
        if path.is_file() and path.stat().st_size == record.bytes:
            return path
    return None


def _turn(record: Record) -> tuple[str, int, str]:
    found = _AGAIN.search(record.name)
    return _plain(record.path), int(found[1]) if found else 1, record.path


def _plain(path: str) -> str:
    """A path as it was in the landing zone."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/{_AGAIN.sub('', name, count=1)}"


def _stem(path: str) -> str:
    return path[: -len(PurePath(path).suffix) or None]
