"""The tape that the engine reads: a row per event, in the order of time, a few small integers and two amounts wide.

``replay.encode`` makes the tapes of one table's day: the rounds' tape (each round's rows contiguous) and the table's
tape (shoes, dealers, faults and the rounds' beginnings and ends), which ``replay.engine.shoes`` walks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay import cards, ops
from replay.contract.events import EVENTS, KIND

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
Event = Mapping[str, Any]


class Tape(NamedTuple):
    """Columns of events. What they hold depends on the operation, as ``replay.contract.events`` declares it."""

    op: U8
    seat: U8
    bettor: U8
    hand: U8
    kind: U8
    card: U8
    flags: npt.NDArray[np.uint16]
    cents: I64
    aux: I64


class TapeError(ValueError):
    """Columns that no tape can have; says which, in which row, and what was expected."""


COLUMNS: Final = Tape._fields


@dataclass
class Encoded:
    """One table's events as tapes, with the names that the columns' numbers stand for."""

    tape: Tape
    offsets: I64  # rows of round i: offsets[i] to offsets[i + 1]
    table: Tape
    rounds: list[str]
    patrons: list[str]
    shoes: list[str]
    sets: list[str]
    dealers: list[str]
    events: Sequence[Event]
    source: I64  # row of the rounds' tape -> index into events
    table_source: I64  # row of the table's tape -> index into events
    table_ms: I64  # when each row of the table's tape happened, negative where nobody knows


def _top_kinds() -> U8:
    """The highest kind that each operation can have, by the declarations; any where none speaks of it."""
    tops = np.full(ops.ROUND_BEGIN + 1, np.iinfo(np.uint8).max, dtype=np.uint8)
    for event in EVENTS:
        for field in event.fields:
            if field.slot is not None and field.slot.column == KIND:
                tops[event.op] = field.slot.first + len(field.form.words) - 1
    return tops


_TOP_KIND: Final = _top_kinds()
_PLACED: Final = np.zeros(ops.ROUND_BEGIN + 1, dtype=np.bool_)
_PLACED[[ops.WAGER, ops.DECISION, ops.ASSIGN, ops.WITHDRAW, ops.SETTLE]] = True

_MONEY: Final = np.zeros(ops.ROUND_BEGIN + 1, dtype=np.bool_)
_MONEY[[ops.WAGER, ops.SETTLE, ops.PROGRESSIVE, ops.METER]] = True
_MOST: Final = 1 << 53  # cents; what is beyond could overflow when multiplied


def check(tape: Tape, offsets: I64) -> None:
    """Refuse columns that would lead the compiled engine astray; says which column and row."""
    rows = len(tape.op)
    for name in COLUMNS:
        if len(getattr(tape, name)) != rows:
            raise TapeError(f"{name}: {len(getattr(tape, name))} rows where op has {rows}")
    if offsets[0] != 0 or offsets[-1] != rows or np.any(np.diff(offsets) < 0):
        raise TapeError(f"offsets: expected to run from 0 up to {rows}, never back")
    for name, column, top in (
        ("op", tape.op, ops.ROUND_BEGIN),
        ("seat", tape.seat, ops.MAX_SEAT),
        ("bettor", tape.bettor, ops.MAX_BETTOR),
        ("hand", tape.hand, ops.MAX_HAND),
        ("card", tape.card, cards.CARD_CODES - 1),
    ):
        if rows and column.max() > top:
            row = int(np.argmax(column > top))
            raise TapeError(f"{name}: row {row} has {column[row]}, expected at most {top}")
    if not rows:
        return
    for name, wrong in (
        ("kind", tape.kind > _TOP_KIND[tape.op]),
        ("seat", _PLACED[tape.op] & (tape.seat == 0)),
        ("bettor", _PLACED[tape.op] & (tape.bettor == 0)),
        ("hand", _PLACED[tape.op] & (tape.hand == 0)),
        ("cents", (tape.op == ops.WAGER) & (tape.cents < 0)),
        ("cents", _MONEY[tape.op] & (np.abs(tape.cents) > _MOST)),
        ("aux", (tape.op == ops.SETTLE) & (np.abs(tape.aux) > _MOST)),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise TapeError(
                f"{name}: row {row} has {getattr(tape, name)[row]}, which operation {tape.op[row]} cannot have"
            )
