"""Settings of a server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from dashboards.packets.case import Rules
from warehouse.evidence.files import TextOf

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
DATABASE: Final = "cases.db"


def utc_now() -> datetime:
    """The time."""
    return datetime.now(UTC)


def database_of(lake: Path, named: str | None) -> str | Path:
    """The database that a path or URL names; without one the lake's own."""
    if named is None:
        return lake / DATABASE
    return named if "://" in named else Path(named)


@dataclass(frozen=True)
class Settings:
    """The lake to show, the case database, and the operator's options."""

    lake: Path
    database: str | Path
    show_live_shoes: bool = False
    hosts: tuple[str, ...] = LOOPBACK
    landing: Path | None = None  # where films are that the lake keeps no copy of
    now: Callable[[], datetime] = utc_now
    deadlines: Rules = field(default_factory=dict)
    text_of: TextOf | None = None  # reads the lines of landing files in Parquet
    is_demo: bool = False  # a simulated floor: its accounts are younger than its days, and may sign them all the same
