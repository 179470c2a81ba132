"""A round judged again, as its page steps through it: every step with picture, clause, arithmetic and source."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from dashboards.packets.gather import gather
from dashboards.packets.limits import limits
from dashboards.packets.notation import notation
from dashboards.packets.stills import stills
from dashboards.rounds.films import Moment, moments
from dashboards.rounds.telling import tell

Data = dict[str, Any]
_KEPT: Final = 32  # the last rounds that were looked at: all pictures of one take about half a megabyte


@dataclass(frozen=True)
class Replay:
    """All that the page shows of a round once it is judged again."""

    steps: list[Data]
    settlements: list[Data]
    findings: list[Data]
    cards: list[Data]  # each with what terminal, shoe and cameras say of it
    notation: str
    limits: list[str]
    moments: list[Moment | None]  # by step: where a film shows it
    stills: frozenset[str]  # findings of which the lake has a still


@lru_cache(_KEPT)
def replay(lake: Path, round_id: str, as_of: datetime, rank: int | None = None) -> Replay:
    """Replay a round as it was published by a time, or as one of its explanations has it.

    Raises ``RoundError`` where there is no such round or explanation.
    """
    dossier = replace(gather(lake, round_id, as_of, rank), as_of=None)  # a page names its snapshot itself
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
