"""State shared by all pages of a running server."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from jinja2 import Environment

from dashboards.footage import Films, StoredFilm
from dashboards.kept import Kept
from dashboards.lake.house import Houses
from dashboards.lake.reader import LakeReader
from dashboards.rounds.replay import Replays
from dashboards.settings import Settings
from warehouse.cases.database import Database

_MOST_BYTES: Final = 32_000_000  # of packed replays, some two thousand


class Reply(NamedTuple):
    """The replay of a round as it is sent, and the films that it shows as far as they were at hand."""

    packed: bytes
    films: dict[StoredFilm, bool]


@dataclass(frozen=True)
class Site:
    """Settings, lake, database of cases and templates."""

    settings: Settings
    lake: LakeReader
    database: Database
    templates: Environment
    houses: Houses = field(default_factory=Houses)
    replays: Replays = field(default_factory=Replays)
    replies: Kept[Reply] = field(default_factory=lambda: Kept(_MOST_BYTES, lambda reply: len(reply.packed)))

    @property
    def films(self) -> Films:
        """The films, as far as they are at hand."""
        return Films(self.settings.lake, self.settings.landing)

    def now(self) -> datetime:
        """The time, from the clock that the server was given."""
        return self.settings.now()

    def close(self) -> None:
        """Let go of the lake's snapshots and of the database's connections."""
        self.lake.close()
        self.database.close()
