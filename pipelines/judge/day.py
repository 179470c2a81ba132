"""One table's day as all further steps see it: its lines, when they happened, and what the engine says of them."""

from dataclasses import dataclass
from datetime import date
from functools import cached_property

import numpy as np

from pipelines.align.ordered import OrderedLines
from replay import ops
from replay.audit import Judged
from replay.columns import ABSENT, CAMERA, I64, Lines, Mask
from replay.tape import Encoded, Tape


@dataclass(frozen=True)
class JudgedDay:
    """A judged table's day; rounds are numbered as in ``encoded.rounds``.

    Cards that only the camera saw are inferred lines among the others.
    """

    day: date
    ordered: OrderedLines
    judged: Judged

    @property
    def lines(self) -> Lines:
        return self.ordered.lines

    @property
    def corrected(self) -> I64:
        """By line: ms on the terminal's clock."""
        return self.ordered.corrected

    @cached_property
    def place(self) -> I64:
        """By line: its place in the order of events, from 1; ``ABSENT`` for a line that does not count."""
        found = np.full(len(self.lines), ABSENT)
        found[self.ordered.order] = np.arange(1, len(self.ordered.order) + 1)
        return found

    @property
    def encoded(self) -> Encoded:
        return self.judged.encoded

    @property
    def table_id(self) -> str:
        return self.judged.table.id

    @cached_property
    def sightings(self) -> I64:
        """Lines of the camera."""
        columns = self.lines.columns
        return np.flatnonzero((columns.source == CAMERA) & (columns.file >= 0))

    @cached_property
    def round_of(self) -> I64:
        """By line of terminal and shoe: the round that it lies in, -1 between rounds."""
        found = np.full(len(self.lines), -1)
        offsets = self.encoded.offsets
        found[self.encoded.source] = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        return found

    @cached_property
    def rounds(self) -> "RoundTimes":
        return rounds(self)

    def round_id(self, name: str) -> str:
        """``<table>/<gaming_day>/<round>``."""
        return f"{self.table_id}/{self.day.isoformat()}/{name}"

    @cached_property
    def round_ids(self) -> list[str]:
        stem = self.round_id("")
        return [stem + name for name in self.encoded.rounds]


@dataclass(frozen=True)
class RoundTimes:
    """When each round was, who dealt it, and from which shoe."""

    started: I64
    ended: I64
    complete: Mask
    dealer: I64  # number in ``encoded.dealers``
    shoe: I64  # number in ``encoded.shoes``


def rounds(day: JudgedDay) -> RoundTimes:
    encoded = day.encoded
    tape, first, last = encoded.tape, encoded.offsets[:-1], encoded.offsets[1:] - 1
    times = day.corrected[encoded.source]
    count = len(encoded.rounds)
    ends = np.flatnonzero(tape.op == ops.ROUND_END)
    number = np.searchsorted(encoded.offsets, ends, "right") - 1
    complete = np.zeros(count, np.bool_)
    complete[number] = True
    return RoundTimes(
        started=times[first] if count else first,
        ended=times[last] if count else last,
        complete=complete,
        dealer=in_charge(encoded.table, (ops.OPEN, ops.DEALER_CHANGE), encoded.table.aux, count),
        shoe=_shoes(encoded, count),
    )


def in_charge(table: Tape, events: tuple[int, ...], numbers: I64, rounds: int) -> I64:
    """The number of the last of some events before each round began, 0 where there was none."""
    changes = np.isin(table.op, events)
    row = np.maximum.accumulate(np.where(changes, np.arange(len(changes)), -1))
    begins = np.flatnonzero(table.op == ops.ROUND_BEGIN)[::-1]  # of several beginnings the first counts
    found = np.zeros(rounds, np.int64)
    found[table.aux[begins]] = np.where(row[begins] >= 0, numbers[row[begins]], 0)
    return found


def _shoes(encoded: Encoded, count: int) -> I64:
    """The shoe of a round's first card; the one in use where it has none."""
    shoe = in_charge(encoded.table, (ops.SHOE_LOADED, ops.DRAW), encoded.table.cents, count)
    draws = np.flatnonzero(encoded.tape.op == ops.DRAW)[::-1]
    shoe[np.searchsorted(encoded.offsets, draws, "right") - 1] = encoded.tape.cents[draws]
    return shoe
