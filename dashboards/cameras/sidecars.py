"""The sidecars of footage that are in custody: which camera, which calibration, and which film they stand beside."""

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final

from dashboards.cameras.nested import parse
from dashboards.footage import Films, StoredFilm
from dashboards.lake.pinned import Pinned
from vision.calibration import Calibration, CalibrationError
from vision.watching.video import STILLS
from warehouse import folders
from warehouse.cases.models import CameraDraft

_OF_DAY: Final = """SELECT "table", path, sha256 FROM files WHERE source = 'sidecar' ORDER BY "table", path"""
_NAMED: Final = """
SELECT gaming_day, "table", path, sha256 FROM files WHERE source = 'sidecar' AND sha256 = $sha256
ORDER BY gaming_day DESC, path LIMIT 1
"""
_FILMS: Final = """SELECT path, sha256, bytes FROM files WHERE source = 'footage' AND "table" = $table ORDER BY path"""


@dataclass(frozen=True)
class Sidecar:
    """A sidecar as delivered, with its problems."""

    lake: Pinned
    day: date
    table: str
    path: str
    sha256: str

    @cached_property
    def data(self) -> dict[str, Any]:
        """Its content; nothing where it is no JSON object."""
        try:
            found = parse(folders.raw(self.lake.lake.path, self.sha256).read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def camera(self) -> str:
        """The camera that it names, else the file's own name."""
        named = self.data.get("camera")
        return named if isinstance(named, str) and named else PurePath(self.path).stem

    @cached_property
    def calibration(self) -> Calibration | CalibrationError:
        """Return the sidecar's calibration, or the problem with it."""
        try:
            return Calibration.from_json(self.data.get("calibration"))
        except CalibrationError as error:
            return error

    @cached_property
    def films(self) -> list[StoredFilm]:
        """Stills and films beside it, at hand or not, stills first."""
        rows = self.lake.day(self.day).rows(_FILMS, table=self.table)
        beside = [StoredFilm(**row) for row in rows if _stem(row["path"]) == _stem(self.path)]
        return sorted(beside, key=lambda film: PurePath(film.path).suffix.lower() not in STILLS)

    def has_film(self, films: Films) -> bool:
        """Return whether any footage of this sidecar is available."""
        return any(films.place(film) for film in self.films)

    def with_calibration(self, draft: CameraDraft | None) -> dict[str, Any]:
        """The sidecar to put into the landing zone: with the draft's calibration, if there is one."""
        return self.data if draft is None else {**self.data, "calibration": draft.calibration}


def of_day(lake: Pinned, day: date) -> list[Sidecar]:
    """The sidecars that came with a gaming day."""
    return [Sidecar(lake, day, row["table"], row["path"], row["sha256"]) for row in lake.day(day).rows(_OF_DAY)]


def find(lake: Pinned, sha256: str) -> Sidecar | None:
    """A sidecar by its hash."""
    row = lake.every_day().row(_NAMED, sha256=sha256)
    return None if row is None else Sidecar(lake, row["gaming_day"], row["table"], row["path"], row["sha256"])


def _stem(path: str) -> str:
    return str(PurePath(folders.landing_path(path)).with_suffix(""))
