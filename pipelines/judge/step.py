"""The step ``judge``: where every line and every card of a judged day belongs."""

from dataclasses import dataclass
from datetime import date

import numpy as np

from pipelines.judge.day import JudgedDay
from pipelines.judge.ledger import CardLocations, locate_cards
from pipelines.stories.step import InferredDay
from replay.columns import I64


@dataclass(frozen=True)
class DayToJudge:
    """A table's day as it was inferred."""

    day: date
    inferred: InferredDay


@dataclass(frozen=True)
class JudgedTable:
    """A table's judged day, with the round of every line and the place of every card."""

    day: JudgedDay
    round_of: I64  # by line; -1 between rounds
    cards: CardLocations


def run(given: DayToJudge) -> JudgedTable:
    """Locate the lines and cards of a day."""
    day = JudgedDay(given.day, given.inferred.ordered, given.inferred.judged)
    return JudgedTable(day, _rounds_of_lines(day, given.inferred), locate_cards(day))


def _rounds_of_lines(day: JudgedDay, inferred: InferredDay) -> I64:
    """Find the round of each line: of a sighting by its time, of a line that does not count by what it says."""
    aligned, late = inferred.aligned, inferred.backdated
    round_of = day.round_of.copy()
    number = {name: n for n, name in enumerate(day.encoded.rounds)}
    if len(day.sightings):
        names = np.array([number.get(name, -1) for name in aligned.rounds] + [-1], np.int64)
        round_of[day.sightings] = names[aligned.round[day.sightings]]
    rounds = day.lines.columns.text("round")
    for row in late.rows[~late.counts].tolist():
        round_of[row] = number.get(day.lines.words[rounds[row]], -1)
    return round_of
