"""The property that a lake is of: its name and its time zone, from the floor.toml of the newest gaming day."""

from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dashboards.lake.pinned import Pinned
from replay.floor import FloorError, read_data
from warehouse import folders

_UTC: Final = ZoneInfo("UTC")
_FLOOR: Final = "SELECT sha256 FROM files WHERE source = 'floor' ORDER BY log_index DESC LIMIT 1"


class House(NamedTuple):
    """A property, as its pages name it and count its hours."""

    name: str
    zone: ZoneInfo


NOWHERE: Final = House("", _UTC)  # before a gaming day has been published


class Houses:
    """The properties by snapshot, each read once."""

    def __init__(self) -> None:
        self._known: dict[int, House] = {}

    def of(self, lake: Pinned) -> House:
        """Return the property as the newest gaming day of a snapshot has it."""
        if lake.number not in self._known:
            row = lake.day(lake.days[-1]).row(_FLOOR) if lake.days else None
            self._known[lake.number] = _read(lake, row["sha256"]) if row else NOWHERE
        return self._known[lake.number]


def _read(lake: Pinned, sha256: str) -> House:
    try:
        place = read_data(folders.raw(lake.lake.path, sha256)).get("property", {})
    except FloorError:  # retention or damage: verify tells of it
        return NOWHERE
    return House(str(place.get("name", "")), ZoneInfo(place.get("timezone", "UTC")))
