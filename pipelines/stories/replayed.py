"""A table's day put in order and replayed: by the clocks first, then by the cards where the clocks contradict them."""

from typing import NamedTuple

import numpy as np

from pipelines.align.align import Alignment
from pipelines.align.backdated import Backdated, align_without, align_without_backdated
from pipelines.stories.chain import shared
from pipelines.stories.prices import costs
from pipelines.stories.shoeless import Shown, complete
from pipelines.stories.sighted import Sightings, sightings
from pipelines.stories.trial import Court
from replay.audit import Judged, contexts, judge
from replay.carry import NOTHING, Carry
from replay.columns import Lines
from replay.compile_rules import compile_rules
from replay.encode import encode
from replay.floor import Floor, Table


class ReplayedDay(NamedTuple):
    """A table's day in order, with all cards that any source shows, and what the engine says of it."""

    aligned: Alignment
    backdated: Backdated
    shown: Shown
    judged: Judged
    court: Court


def replay_day(floor: Floor, table: Table, lines: Lines, before: Carry = NOTHING) -> ReplayedDay:
    """Put a table's lines in order and replay them.

    Where rounds have cards that they cannot have had, the cards are shared anew, and the clocks fitted to that.
    """
    hole_card = bool(compile_rules(table).hole_card)
    aligned, backdated = align_without_backdated(lines, hole_card)
    shown, judged, court = _replay(floor, table, lines, before, aligned)
    dealt = shared(court, shown.ordered.lines.columns, aligned.part)
    if dealt is not None:
        aligned = align_without(lines, backdated.uncounted(len(lines)), hole_card, dealt)
        shown, judged, court = _replay(floor, table, lines, before, aligned)
    return ReplayedDay(aligned, backdated, shown, judged, court)


def _replay(floor: Floor, table: Table, lines: Lines, before: Carry, aligned: Alignment) -> tuple[Shown, Judged, Court]:
    shown = complete(lines, aligned)
    encoded = encode(*shown.ordered)
    judged = judge(floor, table, encoded, before, contexts(shown.cards_from(encoded.rounds)))
    # Inferred lines have no clock of their own.
    slack = np.append(aligned.slack, np.zeros(len(shown.ordered.lines) - len(lines), np.int64))
    seen = _seen(shown, aligned, judged)
    court = Court(judged, shown.ordered.corrected, slack, costs(floor.audit.chances), seen)
    return shown, judged, court


def _seen(shown: Shown, aligned: Alignment, judged: Judged) -> Sightings | None:
    """Collect what the camera saw, by round."""
    ordered, encoded = shown.ordered, judged.encoded
    number = {name: n for n, name in enumerate(encoded.rounds)}
    by_place = np.array([number.get(name, -1) for name in aligned.rounds] + [-1], np.int64)
    more = np.full(len(ordered.lines) - len(aligned.round), -1)
    return sightings(ordered.lines, ordered.corrected, by_place[np.append(aligned.round, more)], encoded)
