"""Sightings of films, kept in the lake: watching takes long, and its result is always the same."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from pipelines.watch.films import FilmFile
from warehouse.evidence.files import write_whole
from warehouse.folders import WATCHED

_FORM: Final = 1  # of the files; others are watched again


class SeenCard(NamedTuple):
    """A card that lay somewhere for a while; times are those of presentation."""

    time_ms: int
    until_ms: int
    frame: int
    zone: str | None
    order: int
    face: str
    card: str | None  # None where it was not read for certain
    confidence: float | None
    sideways: bool | None
    box: tuple[int, int, int, int]  # x0, y0, x1, y1 in pixels of what was read
    outline: tuple[tuple[float, float], ...] = ()  # of the card, in pixels


class Trouble(NamedTuple):
    """A while in which the camera could not be trusted."""

    kind: str  # moved, covered, dark, frozen
    from_ms: int
    until_ms: int
    message: str


@dataclass(frozen=True)
class Watched:
    """The sightings of a film. They depend on the film, its sidecar and the reader alone."""

    reader: str  # version
    start: str = ""  # time of the first frame, as the sidecar has it
    camera: str | None = None
    frames: int = 0
    duration_ms: int = 0
    seen: tuple[SeenCard, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    problem: str | None = None  # why it could not be watched, or not to its end
    inspected: tuple[dict[str, Any], ...] = ()  # by deck, what a film of the opening inspection shows

    @property
    def device(self) -> str:
        """Return the device by which its lines are numbered, apart from the lines that a camera itself may send."""
        return f"footage {self.camera}" if self.camera else "footage"

    @property
    def abstained(self) -> int:
        """Cards that lay face up and were not read for certain."""
        return sum(each.card is None and each.face == "up" for each in self.seen)

    def to_json(self) -> dict[str, Any]:
        """Plain data, the same for the same film."""
        rows = {"seen": [each._asdict() for each in self.seen], "troubles": [each._asdict() for each in self.troubles]}
        return {"form": _FORM, **asdict(self), **rows}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Watched":
        """From what ``to_json`` gave; ``ValueError`` or ``TypeError`` for anything else."""
        if data.pop("form") != _FORM:
            raise ValueError("written by another version")
        seen = tuple(_seen(each) for each in data.pop("seen"))
        troubles = tuple(Trouble(**each) for each in data.pop("troubles"))
        inspected = tuple(data.pop("inspected", ()))
        return cls(**data, seen=seen, troubles=troubles, inspected=inspected)


def _seen(data: dict[str, Any]) -> SeenCard:
    outline = tuple((x, y) for x, y in data["outline"])
    return SeenCard(**data | {"box": tuple(data["box"]), "outline": outline})


def kept(lake: Path, film: FilmFile) -> Watched | None:
    """Read the sightings of a film with this sidecar, of any reader; None where the lake has none."""
    try:
        return Watched.from_json(json.loads(_place(lake, film).read_bytes()))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def keep(lake: Path, film: FilmFile, watched: Watched) -> None:
    """Write the result of a video's analysis, whole or not at all."""
    text = json.dumps(watched.to_json(), separators=(",", ":"), allow_nan=False)
    write_whole(_place(lake, film), text.encode())


def fingerprint(lake: Path, film: FilmFile) -> str | None:
    """A hash of what the lake keeps of a film."""
    try:
        return hashlib.sha256(_place(lake, film).read_bytes()).hexdigest()
    except OSError:
        return None


def path_of(film: FilmFile) -> str:
    """Return the path of a film's sightings, below the lake."""
    sidecar = film.sidecar.sha256 if film.sidecar else "none"
    return f"{WATCHED}/{film.footage.sha256}-{sidecar[:16]}.json"


def sweep(lake: Path) -> None:
    """Remove what a killed run left."""
    for left in (lake / WATCHED).glob(".*"):
        left.unlink()


def _place(lake: Path, film: FilmFile) -> Path:
    return lake / path_of(film)
