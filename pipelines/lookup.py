"""One round of a lake for ``audit21 explain``."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from pipelines.explain import BadFile
from replay.audit import Audit
from replay.floor import FloorError
from replay.narrative import Considered
from warehouse import rounds
from warehouse.lake import LakeError


class Explained(NamedTuple):
    """The audit of a round's table and day, and what was considered for the round."""

    audit: Audit
    name: str
    considered: Considered


def judge(path: Path, round_id: str, as_of: datetime | None = None) -> Explained:
    """Judge a round's table and day up to the round, with every step."""
    try:
        place = rounds.find(path, round_id, as_of)
        return Explained(rounds.retell(place).audit, place.name, rounds.considered(place))
    except (LakeError, rounds.RoundError, FloorError, OSError) as error:
        raise BadFile(str(error)) from None
