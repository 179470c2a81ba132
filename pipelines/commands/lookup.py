"""One round of a lake for ``audit21 explain``."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import polars as pl

from pipelines.commands.explain import BadFile, OddEvidence
from replay.audit import Audit
from replay.floor import FloorError
from replay.narrative import Considered
from warehouse import rounds
from warehouse.lake import LakeError


class Explained(NamedTuple):
    """The audit of a round's table and day, what was considered for the round, and what is odd about its evidence."""

    audit: Audit
    name: str
    considered: Considered
    odd_evidence: list[OddEvidence]


def judge(path: Path, round_id: str, as_of: datetime | None = None) -> Explained:
    """Judge a round's table and day up to the round, with every step."""
    try:
        place = rounds.find(path, round_id, as_of)
        odd = [OddEvidence(*row) for row in _about_evidence(place.of_round("findings")).rows()]
        return Explained(rounds.retell(place).audit, place.name, rounds.considered(place), odd)
    except (LakeError, rounds.RoundError, FloorError, OSError) as error:
        raise BadFile(str(error)) from None


def _about_evidence(findings: pl.DataFrame) -> pl.DataFrame:
    """Findings about the round's evidence; that it has several explanations is told with them."""
    is_told = pl.col("code").str.starts_with("evidence.") & (pl.col("code") != "evidence.ambiguous")
    return findings.filter(is_told).select("code", "severity", "message")
