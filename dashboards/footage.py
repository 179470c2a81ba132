"""Locations of footage files. The lake has the path and hash of each, and a copy only where it was set to keep one."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from warehouse import folders
from warehouse.evidence.files import file_sha256


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
        """Return the path of footage, matched by name and size: the lake's copy or the landing file, else None."""
        return folders.find_footage(self.lake, self.landing, *film)

    def checked(self, film: StoredFilm) -> Path | None:
        """The same, but None for a landing file whose bytes are no longer those that were taken into custody."""
        place = self.place(film)
        if place is None or place.parent == self.lake / folders.RAW:
            return place
        return place if _sha256(place, place.stat().st_mtime_ns, film.bytes) == film.sha256 else None

    @property
    def missing(self) -> str:
        """Return the reason why footage cannot be shown, and the remedy."""
        if self.landing is None:
            return (
                "the lake keeps no copy of the footage. Start audit21 serve with --landing, or run with --copy-footage."
            )
        return "the lake keeps no copy of the footage, and the landing zone no longer has the audited file."


# A film may have gigabytes: it is read through once, and again only when it changes.
@lru_cache(256)
def _sha256(path: Path, _modified_ns: int, _size: int) -> str:
    return file_sha256(path)[0]
