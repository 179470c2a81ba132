"""Where the bytes of films are: the lake has path and hash of each, and a copy only where it was told to keep one."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from warehouse.evidence.files import file_sha256

RAW: Final = "raw"
_AGAIN: Final = re.compile(r"~\d+")  # bytes that came under a name that other bytes had


class StoredFilm(NamedTuple):
    """A film, or a still, as it was taken into custody."""

    path: str  # in the landing zone
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Films:
    """The films of a lake, and of the landing zone that they came from, where the server knows it."""

    lake: Path
    landing: Path | None = None

    def place(self, film: StoredFilm) -> Path | None:
        """Where a film is at hand, as far as names and size tell: the lake's copy, or the landing file."""
        kept = self.lake / RAW / film.sha256
        if kept.is_file():
            return kept
        if self.landing is None:
            return None
        for place in (self.landing / film.path, self.landing / plain(film.path)):
            if place.is_file() and place.stat().st_size == film.bytes:
                return place
        return None

    def checked(self, film: StoredFilm) -> Path | None:
        """The same, but None for a landing file whose bytes are no longer those that were taken into custody."""
        place = self.place(film)
        if place is None or place.parent == self.lake / RAW:
            return place
        return place if _sha256(place, place.stat().st_mtime_ns, film.bytes) == film.sha256 else None

    @property
    def missing(self) -> str:
        """Why a film cannot be shown, and what helps."""
        if self.landing is None:
            return "the lake keeps no copy of the film. Start audit21 serve with --landing, or run with --copy-footage."
        return "the lake keeps no copy of the film, and the landing zone no longer has it as it was audited."


def plain(path: str) -> str:
    """A path as it was in the landing zone."""
    pure = PurePosixPath(path)
    return str(pure.with_name(_AGAIN.sub("", pure.name, count=1)))


# A film may have gigabytes: it is read through once, and again only when it changes.
@lru_cache(256)
def _sha256(path: Path, _modified_ns: int, _size: int) -> str:
    return file_sha256(path)[0]
