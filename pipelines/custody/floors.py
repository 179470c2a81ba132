"""Versions of floor.toml that are in custody."""

from functools import lru_cache
from pathlib import Path

from replay.floor import Floor, read


@lru_cache(maxsize=16)
def parsed(path: Path) -> Floor:
    """The floor of a floor.toml that never changes: one in custody."""
    return read(path)
