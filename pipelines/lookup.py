"""One round of a lake for ``audit21 explain``."""

from datetime import datetime
from pathlib import Path

from pipelines.explain import BadFile
from replay.audit import Audit
from replay.floor import FloorError
from warehouse import rounds
from warehouse.lake import LakeError


def judge(path: Path, round_id: str, as_of: datetime | None = None) -> tuple[Audit, str]:
    """The audit of the round's table and day up to the round, with every step, and the round's name."""
    try:
        place = rounds.find(path, round_id, as_of)
        return rounds.retell(place).audit, place.name
    except (LakeError, rounds.RoundError, FloorError, OSError) as error:
        raise BadFile(str(error)) from None
