"""A round judged again, with every step, from the lines that a snapshot has of its table's day."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from replay.audit import Audit, Judged, Reporter, contexts
from replay.audit import judge as judge_table
from replay.carry import NOTHING, Carry
from replay.encode import encode
from replay.engine import layout as L
from replay.finding import Finding
from replay.tape import Encoded
from warehouse import carry
from warehouse.rounds.candidate import as_told, find_story
from warehouse.rounds.columns import lines_of
from warehouse.rounds.events import Events
from warehouse.rounds.order import StoredLines, stored_lines
from warehouse.rounds.place import Place
from warehouse.rounds.published import as_published, as_weighed


@dataclass(frozen=True)
class Retold:
    """The audit of a table's day, with the settlements and findings of one round, and the lines that it rests on."""

    audit: Audit  # its events are numbered in their order
    lines: StoredLines

    def line(self, event: int) -> dict[str, Any] | None:
        """The line behind an event; none for a card that only the camera saw."""
        row = self.lines.rows.row(int(self.lines.order[event]), named=True)
        return None if row["path"] is None else row

    def with_patrons(self, labels: Mapping[str, str]) -> "Retold":
        """Return a copy with labels in place of some patrons."""
        lines = self.lines._replace(rows=self.lines.rows.with_columns(pl.col("patron").replace(labels)))
        patrons = [labels.get(name, name) for name in self.audit.encoded.patrons]
        encoded = replace(self.audit.encoded, events=Events(lines.rows, lines.order), patrons=patrons)
        settled = (replace(each, patron=labels.get(each.patron or "", each.patron)) for each in self.audit.settlements)
        return Retold(replace(self.audit, encoded=encoded, settlements=tuple(settled)), lines)


def retell(place: Place, rank: int | None = None) -> Retold:
    """Judge the round's table and day as the bulk run did, with a trace of every step.

    With a rank, as that one of the round's stories has it, whether it is certain or not.
    """
    if rank is None:
        said, lines, findings = place.published_table.once("audit", lambda: _judged_again(place))
        return Retold(_reported(said, findings, place), lines)
    story = find_story(place, rank)
    lines = as_told(place.published_table.once("lines", lambda: _lines(place)), place, story)
    said = as_weighed(_judged(place, lines), place.name, story)
    return Retold(_reported(said, _findings(said, place), place), lines)


def _judged_again(place: Place) -> tuple[Judged, StoredLines, list[Finding]]:
    """Judge the whole day, and leave out what was not published."""
    lines = place.published_table.once("lines", lambda: _lines(place))
    said = as_published(_judged(place, lines), place, lines)
    return said, lines, _findings(said, place)


def _findings(said: Judged, place: Place) -> list[Finding]:
    return Reporter(said.table, said.encoded).findings(said, place.day)


def _lines(place: Place) -> StoredLines:
    return stored_lines(place, "camera" in place.rows("rounds")["cards_from"])


def _judged(place: Place, lines: StoredLines) -> Judged:
    encoded = _encoded(lines)
    cards_from: dict[str, str | None] = dict(place.rows("rounds").select("round", "cards_from").iter_rows())
    return judge_table(
        place.floor,
        place.floor.table(place.table, place.day),
        encoded,
        _before(place),
        contexts(cards_from[name] for name in encoded.rounds),
        trace=True,
    )


def _encoded(lines: StoredLines) -> Encoded:
    """Return the tapes of stored lines, with events numbered in their order."""
    ms = lines.rows["corrected"].to_physical().to_numpy(writable=True)
    encoded = encode(lines_of(lines.rows), lines.order, ms)
    return replace(
        encoded,
        events=Events(lines.rows, lines.order),
        source=lines.place[encoded.source] - 1,
        table_source=lines.place[encoded.table_source] - 1,
    )


def _reported(judged: Judged, findings: list[Finding], place: Place) -> Audit:
    """Add the settlements and findings of one round, and the findings that belong to no round."""
    reporter, settled = Reporter(judged.table, judged.encoded), judged.verdicts.settlements
    own = settled[settled[:, L.S_ROUND] == judged.encoded.rounds.index(place.name)]
    found = (finding for finding in findings if finding.round in (None, place.name))
    return Audit(**vars(judged), settlements=tuple(map(reporter.settlement, own)), findings=tuple(found))


def _before(place: Place) -> Carry:
    """The state that the day began with."""
    earlier = [each for each in place.snapshot.days if each < place.day]
    if not earlier:
        return NOTHING
    return carry.from_frame(place.lake.scan("carry", place.snapshot, [max(earlier)]).collect())
