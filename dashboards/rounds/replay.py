"""A round judged again, as its page steps through it: every step with picture, clause, arithmetic and source."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from dashboards.kept import Kept
from dashboards.packets.gather import gather_at
from dashboards.packets.limits import limits
from dashboards.packets.notation import notation
from dashboards.packets.stills import stills
from dashboards.rounds.films import Moment, moments
from dashboards.rounds.telling import tell
from warehouse import rounds
from warehouse.folders import STILLS
from warehouse.lake import Lake, Snapshot
from warehouse.rounds import Place, PublishedTable

Data = dict[str, Any]
_REPLAYS: Final = 32  # the last rounds that were looked at: all pictures of one take about half a megabyte
_DAYS: Final = 8  # the last tables' days, some ten megabytes each


@dataclass(frozen=True)
class Replay:
    """Replay of a round judged again, with everything that its page shows."""

    steps: list[Data]
    settlements: list[Data]
    findings: list[Data]
    cards: list[Data]  # each with the readings of terminal, shoe and cameras
    notation: str
    limits: list[str]
    moments: list[Moment | None]  # by step: the place in the footage that shows it
    stills: frozenset[str]  # findings of which the lake has a still


class Replays:
    """Rounds judged again for those who look at them: a table's day is judged once for all its rounds."""

    def __init__(self) -> None:
        self._days = Kept[PublishedTable](_DAYS)
        self._made = Kept[Replay](_REPLAYS)

    def replay(self, lake: Lake, known: Snapshot, round_id: str, rank: int | None = None) -> Replay:
        """Replay a round as a snapshot has it, or as one of its explanations has it.

        Raises ``RoundError`` where there is no such round or explanation.
        """
        place = rounds.find_in(lake, known, round_id, self._open)
        asked = place.snapshot.number, round_id, rank, stills_changed_ns(lake.path)
        return self._made.get(asked, lambda: replay(place, rank))

    def _open(self, lake: Lake, publication: int, table: str, day: date) -> PublishedTable:
        return self._days.get((publication, table, day), lambda: rounds.open_day(lake, publication, table, day))


def replay(place: Place, rank: int | None = None) -> Replay:
    """Replay a round, or one of its explanations."""
    dossier = gather_at(place, None, rank)  # a page names its snapshot itself
    told = tell(dossier)
    pictured, shown = stills(dossier), moments(dossier)
    return Replay(
        steps=told.steps,
        settlements=told.settlements,
        findings=told.findings,
        cards=told.cards,
        notation=notation(dossier),
        limits=limits(dossier, told.cards, told.settlements, [], len(pictured) or any(shown)),
        moments=shown,
        stills=frozenset(still.finding_id for still in pictured),
    )


def stills_changed_ns(lake: Path) -> int:
    """When a still was last added; stills are drawn after the day was published."""
    try:
        return (lake / STILLS).stat().st_mtime_ns
    except FileNotFoundError:
        return 0
