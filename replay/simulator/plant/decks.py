"""The shoes of a table's day and the sets of decks in them, as they stand with everything planted so far."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from replay import ops
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant.base import Scene, Segment


class Load(NamedTuple):
    """A shoe that was loaded."""

    number: int  # of the segment, one more than there are rounds for what comes after the last
    shoe: int
    decks: int  # number of the set
    in_round: bool


def loads(scene: Scene) -> list[Load]:
    """The day's shoes in order."""
    return [Load(number, row.cents, row.aux, row.round > 0) for number, row in rows(scene, ops.SHOE_LOADED)]


def set_of(scene: Scene, shoe: int) -> int:
    """The set of decks that is in a shoe."""
    return next((load.decks for load in loads(scene) if load.shoe == shoe), 0)


def draws_of(scene: Scene, shoe: int) -> Iterator[tuple[int, Row]]:
    """All cards of a shoe in order, each with the number of its segment."""
    return rows(scene, ops.DRAW, shoe)


def rows(scene: Scene, op: int, cents: int | None = None) -> Iterator[tuple[int, Row]]:
    """Rows with an operation (and what ``cents`` holds) with the numbers of their segments, as they now are."""
    log, changed = scene.log, scene.taken
    wanted = log.op == op if cents is None else (log.op == op) & (log.cents == cents)
    at = np.flatnonzero(wanted)
    numbers = (np.searchsorted(J.bounds(log)[1], at, side="right") + 1).tolist()
    now = zip(numbers, log.where(wanted).rows(0, len(at)), strict=True)
    found = [each for each in now if each[0] not in changed]
    for number, segment in changed.items():
        found += [(number, row) for row in [*segment.gap, *segment.rows] if row.op == op]
    found.sort(key=lambda each: each[0])
    return ((number, row) for number, row in found if cents is None or row.cents == cents)


def lock(scene: Scene, numbers: set[int]) -> bool:
    """Keep segments from being changed by others; those that were changed already are safe. False where one is gone."""
    return all(number in scene.used or scene.segment(number) is not None for number in numbers)


def comes_from_another(scene: Scene, number: int) -> bool | None:
    """Tell whether the next round comes from another shoe, and that stays so; None where it cannot be said."""
    following = scene.segment(number + 1)
    return None if following is None else any(row.op == ops.SHOE_LOADED for row in following.gap)


def withdraw(scene: Scene, segment: Segment) -> bool:
    """Take the decks in use out of play: later shoes are filled from the other set. False where that cannot be."""
    mine = set_of(scene, scene.shoe_of(segment))
    others = {row.aux for _, row in rows(scene, ops.INSPECTION)} - {mine}
    if not mine or not others:
        return False
    for load in loads(scene):
        if load.number <= segment.number or load.decks != mine:
            continue
        later = scene.segment(load.number)
        if later is None:
            return False
        for row in [*later.gap, *later.rows]:
            if row.op == ops.SHOE_LOADED and row.aux == mine:
                row.aux = min(others)
    return True
