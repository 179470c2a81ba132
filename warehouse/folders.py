"""The folders of a lake beside its datasets, and where the bytes of footage are at hand."""

import os
import re
from pathlib import Path, PurePosixPath
from typing import Final

EVIDENCE: Final = "evidence"  # the evidence log
RAW: Final = "raw"  # landing bytes as they came, by their hash
WATCHED: Final = "watched"  # sightings of each film, by its hash and that of its sidecar
STILLS: Final = "stills"  # frames that show findings
STAGED: Final = ".staged"  # days that wait to be published
DAGSTER: Final = ".dagster"  # history of runs
_AGAIN: Final = re.compile(r"~(\d+)")  # bytes that came under a name that other bytes had


def raw(lake: Path, sha256: str) -> Path:
    """The path of bytes in custody."""
    return lake / RAW / sha256


def landing_path(path: str) -> str:
    """The path that a file has in the landing zone: without the number that sets it apart from earlier bytes."""
    pure = PurePosixPath(path)
    return str(pure.with_name(_AGAIN.sub("", pure.name, count=1)))


def turn(path: str) -> int:
    """The number that sets a file apart from earlier bytes of its name, from 1."""
    found = _AGAIN.search(PurePosixPath(path).name)
    return int(found[1]) if found else 1


def is_inside(root: Path, path: Path) -> bool:
    """Tell whether a path, wherever its links lead, lies in a folder."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def find_footage(lake: Path, landing: Path | None, path: str, sha256: str, size: int) -> Path | None:
    """Find a film as far as name and size tell: the lake's copy, or the file in the landing zone."""
    known = [] if landing is None else [landing / path, landing / landing_path(path)]
    for place in (raw(lake, sha256), *(each for each in known if landing and is_inside(landing, each))):
        if place.is_file() and place.stat().st_size == size:
            return place
    return None
