"""Versions of floor.toml that are in custody."""

from functools import lru_cache
from pathlib import Path

from replay.floor import Floor, read
from replay.library import Library


@lru_cache(maxsize=16)
def parsed(path: Path, books: Library) -> Floor:
    """The floor of a floor.toml that never changes, with rulebooks that never do: those in custody."""
    return read(path, books)
