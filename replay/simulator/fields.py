"""Fields of an event's line: their names, the columns of a log that they come from, and how they are written.

Every text that a line can hold (keys, types, kinds, names) is a *word*, written once as JSON. Lines are made of words
and printed numbers.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import accumulate
from typing import Final, NamedTuple

import numpy as np

from replay import ops
from replay.contract import forms
from replay.contract.events import EVENTS, SEAT, EventType, Field
from replay.simulator.log import FAULT_KINDS, Names
from replay.tape import I64, U8

# Where a value comes from beside the columns of the log: what is known at that moment.
(STAKED_HAND, SEATED_BETTOR, FAULT_KIND, CARDS, CARDS_SHOE, METER, METER_CENTS, SUPERVISOR, AUTHORISER) = range(9, 18)
# How it is written.
(NUMBER, WORD, TRUE, RULINGS, MEMBERS, ORDINALS, PEOPLE, SYMBOL) = range(8)

_ANY: Final = -(1 << 62)
FAULTS_EACH: Final = max(len(kinds) for kinds in FAULT_KINDS)  # words per device
_RULING_WORDS: Final = tuple({bit: name for name, bit in reversed(ops.RULING_BITS.items())}[1 << n] for n in range(10))
RULING_COUNT: Final = len(_RULING_WORDS)
W_HEAD, W_TS, W_ROUND, W_OPEN, W_COMMA, W_CLOSE, W_TRUE, W_COMMUNITY, W_JACKPOT, W_SECONDARY = range(10)
_MARKS: Final = (
    *('{"table":', ',"ts":"', ',"round":"', "[", ",", "]"),
    *("true", "community-", "jackpot", "jackpot-secondary"),
)


class ValueOrigin(NamedTuple):
    """A field's value: its origin and form, what its numbers stand for, and from which number on it is written."""

    origin: int
    form: int = NUMBER
    words: tuple[str, ...] | str = ()  # or the name of a list in ``Names``
    least: int = _ANY
    flag: int = 0  # bit of the origin that it is, where it is not all of it


_FORMS: Final = {
    forms.TRUTH: TRUE,
    forms.CHOICE: WORD,
    forms.TEXT: WORD,
    forms.SYMBOL: SYMBOL,
    forms.PEOPLE: PEOPLE,
    forms.RULINGS: RULINGS,
    forms.MEMBERS: MEMBERS,
}
_FAULT_WORDS: Final = tuple((*kinds, *[""] * FAULTS_EACH)[n] for kinds in FAULT_KINDS for n in range(FAULTS_EACH))
_SUPERVISOR: Final = ValueOrigin(SUPERVISOR, WORD, "supervisors", least=1)
# Fields that no column of the log has, or only under a condition.
_SPECIAL: Final = {
    ("cut", "by"): ValueOrigin(SEAT, WORD, ("dealer", *(f"seat {seat}" for seat in range(1, ops.MAX_SEAT + 1)))),
    ("wager", "hand"): ValueOrigin(STAKED_HAND, least=1),
    ("irregularity", "by"): _SUPERVISOR,
    ("irregularity", "shoe"): ValueOrigin(CARDS_SHOE, WORD, "shoes", least=1),
    ("irregularity", "n"): ValueOrigin(CARDS, ORDINALS, least=1),
    ("progressive", "bettor"): ValueOrigin(SEATED_BETTOR, least=1),
    ("progressive", "meter"): ValueOrigin(METER, WORD, ("primary", "secondary"), least=0),
    ("progressive", "meter_cents"): ValueOrigin(METER_CENTS, least=0),
    ("progressive", "by"): ValueOrigin(AUTHORISER, WORD, "supervisors", least=1),
    ("reader_check", "by"): _SUPERVISOR,
    ("fault", "kind"): ValueOrigin(FAULT_KIND, WORD, _FAULT_WORDS),
    ("repaired", "kind"): ValueOrigin(FAULT_KIND, WORD, _FAULT_WORDS),
}


_NEVER: Final = frozenset({("decision", "bettor")})  # the box decides; ``bettors`` names some


def written(event: EventType) -> dict[str, ValueOrigin]:
    """Return the fields that the simulator writes beside those of every line, in order."""
    found = {}
    for field in event.fields:
        source = _SPECIAL.get((event.name, field.name)) or _told(field)
        if source is not None and field.is_logged and (event.name, field.name) not in _NEVER:
            found[field.name] = source
    return found


def _told(field: Field) -> ValueOrigin | None:
    """Return a field's value as the column of the log has it."""
    slot = field.slot
    if slot is None or slot.row:
        return None
    words: tuple[str, ...] | str = slot.names or ("",) * slot.first + field.form.words
    if field.form.kind in (forms.RULINGS, forms.SYMBOL):
        words = _RULING_WORDS if field.form.kind == forms.RULINGS else ()
    return ValueOrigin(
        slot.column,
        _FORMS.get(field.form.kind, NUMBER),
        words,
        _ANY if slot.is_told else slot.usual + 1,
        slot.flag,
    )


EVENT_OF_OP: Final = {event.op: event for event in EVENTS if event.op}


class Words(NamedTuple):
    """Bytes of all words in a row, and the start of each."""

    text: U8
    starts: I64


class WritingPlan(NamedTuple):
    """The fields as numbers: a row per field, the rows and the type's word of each operation."""

    fields: I64  # key (a word), origin, form, vocabulary, least, flag
    first: I64
    types: I64


# Vocabularies that differ from table to table and day to day.
_LISTS: Final = ("patrons", "shoes", "sets", "dealers", "supervisors", "dates")
V_DEALERS: Final = 1 + _LISTS.index("dealers")
V_SUPERVISORS: Final = 1 + _LISTS.index("supervisors")
V_DATES: Final = 1 + _LISTS.index("dates")
_EPOCH: Final = date(1970, 1, 1)


def _quoted(names: Iterable[str]) -> list[bytes]:
    return [json.dumps(name, ensure_ascii=False).encode() for name in names]


def _plan() -> tuple[WritingPlan, list[bytes], list[int]]:
    """The plan, the words that every table has, and where the vocabularies begin among them."""
    words = [mark.encode() for mark in _MARKS]
    vocabularies: dict[tuple[str, ...] | str, int] = {(): 0}
    vocabularies |= {name: n for n, name in enumerate(_LISTS, 1)}
    bases = [0] * len(vocabularies)
    rows, first, types = [], [0], []
    for op in range(ops.ROUND_BEGIN + 1):
        event = EVENT_OF_OP.get(op)
        types.append(len(words))
        words.append(f'","type":"{event.name if event else ""}"'.encode())
        for name, source in written(event).items() if event else ():
            if source.words not in vocabularies:
                vocabularies[source.words] = len(bases)
                bases.append(len(words))
                words += _quoted(source.words)
            own = vocabularies[source.words]
            rows.append((len(words), source.origin, source.form, own, source.least, source.flag))
            words.append(f',"{name}":'.encode())
        first.append(len(rows))
    return WritingPlan(*(np.array(column, np.int64) for column in (rows, first, types))), words, bases


PLAN, _WORDS, _BASES = _plan()


def vocabulary(names: Names, first_day: int, last_day: int) -> tuple[Words, I64]:
    """The words of one table's day, and where each vocabulary begins among them; days count from 1970."""
    words, bases = list(_WORDS), list(_BASES)
    words[W_HEAD] += json.dumps(names.table, ensure_ascii=False).encode() + b',"seq":'
    lists: Sequence[Sequence[str]] = (*names[1:5], ["", *(name for _, name in names.supervisors)])
    for n, listed in enumerate(lists, 1):
        bases[n] = len(words)
        words += _quoted(listed)
    bases[V_DATES] = len(words)
    words += [f"{_EPOCH + timedelta(n)}T".encode() for n in range(first_day, last_day + 1)]
    starts = np.array([0, *accumulate(map(len, words))], np.int64)
    return Words(np.frombuffer(b"".join(words), np.uint8), starts), np.array(bases, np.int64)
