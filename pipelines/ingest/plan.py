"""The contract as arrays of numbers, for the compiled reader."""

import random
from collections.abc import Iterable
from functools import cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay import ops
from replay.columns import I32, I64, NUMBER_OF, SEED_OF, SEEDS, SOURCES, TEXT_OF, TYPE_OF, TYPES_OF, U8, listed
from replay.contract.events import EVENTS, EventType
from replay.contract.forms import ValueForm
from replay.contract.stored import KEYS, column_of, form_of

KEY_SLOTS: Final = 512
NO_KEY: Final = len(KEYS)  # a field that lines may have and that is not read
_BITS: Final = 63
TYPE_KEY, TABLE_KEY = KEYS.index("type"), KEYS.index("table")


class ReadingPlan(NamedTuple):
    """Known keys, the values allowed on a line of each type, and the column that each fills."""

    key_slots: U8  # hash of a key -> key
    key_factors: I64  # of the hash: length, first, middle and last byte
    key_text: U8  # all keys, one after another
    key_starts: I64
    form_of: U8  # type, key -> form
    kind: U8  # by form, as the next three
    low: I64
    high: I64
    allowed: npt.NDArray[np.bool_]  # form, seed
    required: I64  # by type: keys, as bits
    number_at: I64  # type, key -> row of ``Columns.numbers``, or -1
    text_at: I64  # by key: row of ``Columns.texts``, or -1
    type_of: I32  # source, seed -> type, or -1
    listed: I32  # by seed: the seed that is a list of it, or 0


@cache
def plan() -> ReadingPlan:
    """The one plan."""
    assert len(KEYS) < _BITS, f"{len(KEYS)} names of fields, of which a line's are bits of one number"
    forms = [[form_of(event, name) for name in KEYS] for event in EVENTS]
    distinct = list(dict.fromkeys(form for row in forms for form in row))
    number_of = {form: number for number, form in enumerate(distinct)}
    factors = _factors()
    starts = np.cumsum([0, *(len(name) for name in KEYS)])
    return ReadingPlan(
        key_slots=_key_slots(factors),
        key_factors=np.array(factors, np.int64),
        key_text=np.frombuffer("".join(KEYS).encode(), np.uint8).copy(),
        key_starts=starts.astype(np.int64),
        form_of=np.array([[number_of[form] for form in row] for row in forms], np.uint8),
        kind=np.array([form.kind for form in distinct], np.uint8),
        low=np.array([form.low for form in distinct], np.int64),
        high=np.array([form.high for form in distinct], np.int64),
        allowed=_allowed(distinct),
        required=np.array([_bits(_is_required(event, name) for name in KEYS) for event in EVENTS], np.int64),
        number_at=np.array(
            [[NUMBER_OF.get(column_of(event, name), -1) for name in KEYS] for event in EVENTS], np.int64
        ),
        text_at=np.array([TEXT_OF.get(name, -1) for name in KEYS], np.int64),
        type_of=_type_of(),
        listed=_listed(),
    )


def _number_at(event: EventType, name: str) -> int:
    return NUMBER_OF.get(column_of(event, name), -1)


def _is_required(event: EventType, name: str) -> bool:
    field = event.field(name)
    return field is not None and field.is_required


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << place for place, flag in enumerate(flags) if flag)


def _hash(name: str, factors: tuple[int, ...]) -> int:
    raw = name.encode()
    seen = (len(raw), raw[0], raw[len(raw) // 2], raw[-1])
    return sum(factor * value for factor, value in zip(factors, seen, strict=True)) % KEY_SLOTS


def _factors() -> tuple[int, ...]:
    """Factors under which no two keys have the same hash; the first ones that a fixed die throws."""
    die = random.Random(21)
    while True:
        factors = tuple(die.randrange(1, KEY_SLOTS) for _ in range(4))
        if len({_hash(name, factors) for name in KEYS}) == len(KEYS):
            return factors


def _key_slots(factors: tuple[int, ...]) -> U8:
    slots = np.full(KEY_SLOTS, NO_KEY, np.uint8)
    for key, name in enumerate(KEYS):
        slots[_hash(name, factors)] = key
    return slots


def _allowed(forms: list[ValueForm]) -> npt.NDArray[np.bool_]:
    allowed = np.zeros((len(forms), len(SEEDS)), np.bool_)
    for number, form in enumerate(forms):
        for word in form.words:
            allowed[number, SEED_OF[word]] = True
    return allowed


def _type_of() -> I32:
    types = np.full((len(SOURCES), len(SEEDS)), -1, np.int32)
    for number, source in enumerate(SOURCES):
        for kind in TYPES_OF[source]:
            types[number, SEED_OF[kind]] = TYPE_OF[kind]
    return types


def _listed() -> I32:
    lists = np.zeros(len(SEEDS), np.int32)
    for ruling in ops.RULINGS:
        lists[SEED_OF[ruling]] = lists[SEED_OF[listed([ruling])]] = SEED_OF[listed([ruling])]
    return lists
