"""What all pages of a running server share."""

from dataclasses import dataclass, field
from datetime import datetime

from jinja2 import Environment

from dashboards.footage import Films
from dashboards.lake.house import Houses
from dashboards.lake.reader import LakeReader
from dashboards.settings import Settings
from warehouse.cases.database import Database


@dataclass(frozen=True)
class Site:
    """Settings, lake, database of cases and templates."""

    settings: Settings
    lake: LakeReader
    database: Database
    templates: Environment
    houses: Houses = field(default_factory=Houses)

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
