"""Footage among a table's files, each video with its sidecar."""

from collections.abc import Iterable
from datetime import date
from pathlib import PurePath
from typing import Final, NamedTuple

from pipelines.custody.store import Record
from warehouse.folders import landing_path, turn

_STILLS: Final = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp"})  # for calibration


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
            sidecars[landing_path(_stem(record.path))] = record
        elif record.source == "footage" and PurePath(record.name).suffix.lower() not in _STILLS:
            footage[landing_path(record.path)] = record
    distinct: dict[tuple[str, str], FilmFile] = {}
    for record in footage.values():
        film = FilmFile(record, sidecars.get(landing_path(_stem(record.path))))
        known = distinct.get((record.table, record.sha256))
        if known is None or (known.sidecar is None and film.sidecar is not None):
            distinct[record.table, record.sha256] = film
    return sorted(distinct.values(), key=lambda film: film.path)


def _turn(record: Record) -> tuple[str, int, str]:
    return landing_path(record.path), turn(record.path), record.path


def _stem(path: str) -> str:
    return path[: -len(PurePath(path).suffix) or None]
