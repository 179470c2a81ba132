"""Log of one table on one gaming day: a row per event, in the order of true time.

The columns are those of ``replay.tape`` and three more: the time, the round, and the place of a card. Between the
events stand *moments*: rows that no device logs, at which a dealer settles wagers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay import ops
from replay.contract.events import EVENTS, SHOE
from replay.tape import I64, U8, Tape

MOMENT: Final = ops.ROUND_BEGIN + 1  # kind says which; seat and hand whose
(AT_DEALT, AT_CHECKED, AT_TURNS, AT_HAND, AT_SECOND, AT_END, AT_XTREME) = range(7)

ZONE_DEALER: Final = 1
ZONE_BURN: Final = 2
ZONE_DISCARD: Final = 3
ZONE_HANDS: Final = 32  # a hand's zone is its seat times this plus its number

LEAST_GAP_MS: Final = 20  # between two events of a table

# Kinds of fault by device, in the order of ``ops.DEVICES``.
FAULT_KINDS: Final = (
    ("card jam", "reader window dirty"),
    ("jam", "card count error"),
    ("no reading", "lamp"),
    ("display frozen", "no connection"),
    ("mains",),
)
SHOE_OPS: Final = frozenset(event.op for event in EVENTS if event.source == SHOE)


class Log(NamedTuple):
    """Columns of events; what they hold depends on the operation, as on a tape."""

    op: U8
    seat: U8
    bettor: U8
    hand: U8
    kind: U8
    card: U8
    flags: npt.NDArray[np.uint16]
    cents: I64
    aux: I64
    ms: I64  # true time since 1970
    round: npt.NDArray[np.int32]  # from 1; 0 between rounds
    zone: npt.NDArray[np.uint16]  # of a draw: where the card was laid

    def part(self, lo: int, hi: int) -> "Log":
        """Rows from one to another, as views."""
        return Log._make(column[lo:hi] for column in self)

    def where(self, mask: npt.NDArray[np.bool_]) -> "Log":
        """The rows that a mask selects."""
        return Log._make(column[mask] for column in self)

    def rows(self, lo: int, hi: int) -> list["Row"]:
        """Rows to look at and to change one by one."""
        columns = [column[lo:hi].tolist() for column in self]
        rows = [Row(*values) for values in zip(*columns, strict=True)]
        for n, row in enumerate(rows):
            if row.op == ops.IRREGULAR_CARD:
                row.of = rows[n + row.cents]
        return rows


class Names(NamedTuple):
    """Names for the numbers in a log; number 0 is nobody."""

    table: str
    patrons: list[str]
    shoes: list[str]
    sets: list[str]
    dealers: list[str]
    supervisors: list[tuple[int, str]]  # on duty from that moment on, in order


@dataclass(eq=False, slots=True)
class Row:
    """One event. ``of`` is the draw that an IRREGULAR_CARD is about."""

    op: int
    seat: int = 0
    bettor: int = 0
    hand: int = 0
    kind: int = 0
    card: int = 0
    flags: int = 0
    cents: int = 0
    aux: int = 0
    ms: int = 0
    round: int = 0
    zone: int = 0
    of: "Row | None" = None


_DTYPES: Final = {"flags": np.uint16, "cents": np.int64, "aux": np.int64, "ms": np.int64, "zone": np.uint16} | {
    "round": np.int32
}


def empty(rows: int) -> Log:
    """Columns of that many rows, all zero."""
    return Log._make(np.zeros(rows, _DTYPES.get(name, np.uint8)) for name in Log._fields)


def from_rows(rows: Sequence[Row]) -> Log:
    """A log of single rows; an IRREGULAR_CARD remembers how far away its draw stands."""
    index = {id(row): n for n, row in enumerate(rows)}
    for n, row in enumerate(rows):
        if row.of is not None:
            row.cents = index[id(row.of)] - n
    return Log._make(
        np.array([getattr(row, name) for row in rows], _DTYPES.get(name, np.uint8)) for name in Log._fields
    )


def joined(parts: Iterable[Log]) -> Log:
    """Logs one after another."""
    return Log._make(np.concatenate(columns) for columns in zip(*parts, strict=True))


def replaced(log: Log, changes: Sequence[tuple[int, int, Sequence[Row]]]) -> Log:
    """The log with ranges of rows replaced; the ranges are in order and do not overlap."""
    parts, at = [], 0
    for lo, hi, rows in changes:
        parts += [log.part(at, lo), from_rows(rows)]
        at = hi
    return joined([*parts, log.part(at, len(log.op))])


def inserted(log: Log, after: I64, new: Log) -> Log:
    """The log with a new row after each of some rows, which are in order; ruled cards stay beside their draws."""
    pairs: Iterable[tuple[Any, Any]] = zip(log, new, strict=True)
    joined = Log._make(np.insert(old, after + 1, added) for old, added in pairs)
    listed = np.flatnonzero(log.op == ops.IRREGULAR_CARD)
    if len(listed):
        drawn = listed + log.cents[listed]
        shift = np.searchsorted(after, [listed, drawn])  # rows that were put before each
        joined.cents[listed + shift[0]] = drawn + shift[1] - listed - shift[0]
    return joined


def bounds(log: Log) -> tuple[I64, I64]:
    """First and one-past-last rows of the rounds, by number from 1: entry 0 is the first round."""
    rows = np.flatnonzero(log.round)
    numbers = log.round[rows]
    first = np.flatnonzero(np.diff(numbers, prepend=0))
    return rows[first], np.append(rows[first[1:] - 1], rows[-1:]) + 1


def renumber(log: Log, cards_in_shoe: int) -> None:
    """Give draws their ordinals and all that counts cards its figures; keep time running. Changes the log.

    A SHOE_ENDED row has in ``seat`` how many cards are missing from what should be left.
    """
    index = np.arange(len(log.ms))
    log.ms[:] = np.maximum.accumulate(log.ms - LEAST_GAP_MS * index) + LEAST_GAP_MS * index
    draws = log.op == ops.DRAW
    loads = log.op == ops.SHOE_LOADED
    drawn = np.cumsum(draws)
    before = np.maximum.accumulate(np.where(loads, drawn, 0))  # draws up to the loading of the shoe in use
    ordinal = drawn - before
    log.aux[draws] = ordinal[draws]
    cut_cards = log.op == ops.CUT_CARD
    log.aux[cut_cards] = ordinal[cut_cards]
    ended = log.op == ops.SHOE_ENDED
    log.aux[ended] = np.maximum(cards_in_shoe - ordinal[ended] - log.seat[ended], 0)
    listed = np.flatnonzero(log.op == ops.IRREGULAR_CARD)
    log.aux[listed] = log.aux[listed + log.cents[listed]]


def tape(log: Log) -> tuple[Tape, I64]:
    """The rounds as the engine reads them: their tape and the offsets of the rounds."""
    inside = (log.round > 0) & (log.op != MOMENT) & ~np.isin(log.op, (ops.CUT, ops.READER_CHECK))
    kept = log.where(inside)
    starts = np.flatnonzero(np.diff(kept.round, prepend=0))
    return Tape._make(kept[: len(Tape._fields)]), np.append(starts, len(kept.op)).astype(np.int64)
