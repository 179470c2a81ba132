"""The steps ``align`` and ``infer``: a table's lines into the likeliest order of events, replayed.

They are one step because the clocks are fitted once more to the rounds that replay without a finding.
"""

from dataclasses import dataclass

from pipelines.align.align import Alignment
from pipelines.align.backdated import Backdated
from pipelines.align.ordered import OrderedLines
from pipelines.stories.doubt import as_far_as_certain
from pipelines.stories.replayed import replay_day
from pipelines.stories.shoeless import Shown
from pipelines.stories.stories import Told, tell
from replay.audit import Judged, contexts, judge
from replay.carry import Carry
from replay.columns import Lines
from replay.encode import encode
from replay.floor import Floor, Table


@dataclass(frozen=True)
class TableEvidence:
    """A table's lines of a day, and what they are judged by."""

    floor: Floor
    table: Table
    lines: Lines
    before: Carry


@dataclass(frozen=True)
class InferredDay:
    """A table's day in its likeliest order, with the engine's verdicts as far as they are certain."""

    aligned: Alignment
    backdated: Backdated
    shown: Shown
    told: Told
    ordered: OrderedLines
    judged: Judged


def run(given: TableEvidence) -> InferredDay:
    """Align a table's lines, infer what happened, and judge it."""
    floor, table = given.floor, given.table
    aligned, backdated, shown, judged, court = replay_day(floor, table, given.lines, given.before)
    cards_from = shown.cards_from(judged.encoded.rounds)
    told = tell(court, aligned.stepped, floor.audit)
    ordered = told.applied(shown.ordered)
    if ordered is not None:
        judged = judge(floor, table, encode(*ordered), given.before, contexts(cards_from))
    judged = as_far_as_certain(judged, told.rounds, shown.lost, aligned.untimed)
    return InferredDay(aligned, backdated, shown, told, ordered or shown.ordered, judged)
