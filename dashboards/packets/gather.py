"""Dossier of one round, the basis of a packet: all rows about it in the lake, from one day and table."""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from replay import narrative
from replay.finding import Finding
from replay.narrative import Considered, RoundAccount, RoundStep
from warehouse import rounds
from warehouse.findings import finding_row
from warehouse.rounds import Place, Retold

Row = dict[str, Any]


@dataclass(frozen=True)
class Dossier:
    """A round: where it stands, its audit made again, and the rows that were published."""

    place: Place
    retold: Retold
    account: RoundAccount
    as_of: datetime | None
    settlements: list[Row]
    findings: list[Row]
    around: list[Row]  # findings of the round's files, shoe and table
    cards: list[Row]
    sightings: list[Row]
    clocks: list[Row]
    files: list[Row]
    hands: list[Row]
    considered: Considered

    @property
    def round(self) -> Row:
        """The round's own row."""
        return self.place.round

    def event(self, step: RoundStep) -> dict[str, Any]:
        """The event of a step."""
        return dict(self.retold.audit.encoded.events[step.event])

    def line(self, step: RoundStep) -> Row | None:
        """The line behind a step; None for a card that only the camera saw."""
        return self.retold.line(step.event)

    @cached_property
    def lines(self) -> dict[str, set[int]]:
        """By landing file: the lines that the round rests on."""
        found: dict[str, set[int]] = {}
        for step in self.account.steps:
            if row := self.line(step):
                found.setdefault(row["path"], set()).add(row["line"])
        for row in self.sightings:
            if row["frame"] is None:
                found.setdefault(row["path"], set()).add(row["line"])
        for row in self.findings:
            if row["code"] == "evidence.backdated":  # a line that does not count is in no step
                found.setdefault(row["event_path"], set()).add(row["event_line"])
        return found

    @cached_property
    def patrons(self) -> list[str]:
        """Patrons of the round, as logged, in the order in which they come."""
        events = (self.event(step) for step in self.account.steps)
        return list(dict.fromkeys(str(event["patron"]) for event in events if event.get("patron")))


def gather(lake: Path, round_id: str, as_of: datetime | None = None, rank: int | None = None) -> Dossier:
    """Read the dossier of a round, now or as of a time; a rank selects one of the round's explanations."""
    return gather_at(rounds.find(lake, round_id, as_of), as_of, rank)


def gather_at(place: Place, as_of: datetime | None = None, rank: int | None = None) -> Dossier:
    """Read the dossier of a round that was already located."""
    retold = rounds.retell(place, rank)
    dossier = _published(place, retold, as_of)
    return dossier if rank is None else _as_candidate(dossier)


def _published(place: Place, retold: Retold, as_of: datetime | None) -> Dossier:
    findings = place.rows("findings").filter(_findings(place)).to_dicts()
    return Dossier(
        place=place,
        retold=retold,
        account=narrative.account(retold.audit, place.name),
        as_of=as_of,
        settlements=place.of_round("settlements").to_dicts(),
        findings=[row for row in findings if row["round_id"] == place.round_id],
        around=[row for row in findings if row["round_id"] is None],
        cards=place.of_round("cards").sort("place").to_dicts(),
        sightings=place.of_round("sightings").sort("corrected", "seq").to_dicts(),
        clocks=place.rows("clocks").to_dicts(),
        files=place.rows("files").to_dicts(),
        hands=place.of_round("hands").to_dicts(),
        considered=rounds.considered(place),
    )


def _as_candidate(dossier: Dossier) -> Dossier:
    """Put the verdicts of a candidate in place of the published ones; where its cards went, its steps tell."""
    audit, row = dossier.retold.audit, dossier.round
    of_round = [each for each in audit.findings if each.round == dossier.place.name]
    settled = [{**asdict(each), "currency": row["currency"]} for each in audit.settlements]
    found = [_candidate_finding(each, dossier) for each in of_round]
    return replace(dossier, settlements=settled, findings=found, around=[], cards=[])


def _candidate_finding(finding: Finding, dossier: Dossier) -> Row:
    """Make the row of ``findings`` that a finding of a candidate would have."""
    place, row = dossier.place, dossier.round
    found = finding_row(finding, place.table, place.day, row["currency"])
    return found if finding.inferred else {**found, "evidence": row["evidence"]}


def _findings(place: Place) -> pl.Expr:
    """The round's own, and those of its table, files and shoe that are no other round's."""
    shoe = place.round["shoe"]
    own = pl.col("round_id") == place.round_id
    of_table = pl.col("round_id").is_null() & (pl.col("shoe").is_null() | (pl.col("shoe") == pl.lit(shoe)))
    return own | of_table
