"""What a server is started with."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
DATABASE: Final = "cases.db"


def utc_now() -> datetime:
    """The time."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Settings:
    """The lake to show, the database of cases, and what the operator allows."""

    lake: Path
    database: str | Path
    show_live_shoes: bool = False
    hosts: tuple[str, ...] = LOOPBACK
    landing: Path | None = None  # where films are that the lake keeps no copy of
    now: Callable[[], datetime] = utc_now
