"""A line's JSON taken apart, compiled: its known keys and the value after each.

It reads flat objects in plain form: texts without escapes, numbers without exponents, lists of numbers or of texts
without spaces. For whatever else it says that it cannot, and leaves the line to the careful reader. Every line ends
with a newline, which no value can hold, so that nothing reads beyond it.
"""

from typing import Final, NamedTuple

import numpy as np

from pipelines.ingest.plan import KEY_SLOTS, NO_KEY, ReadingPlan
from pipelines.ingest.words import byte, same
from replay.columns import I64, U8
from replay.compiled import compiled, inlined
from replay.contract.forms import MILLION

# Kinds of the value after a key.
NULL, TRUE_FALSE, INTEGER, DECIMAL, STRING, INTEGERS, STRINGS = range(7)
KIND, VALUE, LENGTH, LEAST, GREATEST = range(5)  # columns of ``Tokens.values``

UNREADABLE: Final = -1
NEWLINE: Final = ord("\n")

_MOST_STRANGERS: Final = 16
_MOST_DIGITS: Final = 17
_MOST_DECIMALS: Final = 6
_TAB, _RETURN, _SPACE, _QUOTE, _COMMA, _MINUS, _POINT, _ZERO, _COLON = (ord(each) for each in '\t\r ",-.0:')
_OPEN_LIST, _BACKSLASH, _CLOSE_LIST, _OPEN, _CLOSE, _E, _F = (ord(each) for each in "[\\]{}ef")
_TRUE, _ALSE, _NULL = (int.from_bytes(each, "little") for each in (b"true", b"alse", b"null"))


class Tokens(NamedTuple):
    """Scratch memory for one line."""

    values: I64  # by key: kind, value (or where it begins), length, least and greatest of a list's numbers
    keys: I64  # in the order of the line
    strangers: I64  # unknown keys: start and length of each
    present: I64  # one element: keys with a value, as bits
    known: I64  # one element: how many those are


def new_tokens() -> Tokens:
    """Scratch memory."""
    strangers = np.zeros((_MOST_STRANGERS, 2), np.int64)
    values = np.zeros((NO_KEY + 1, 5), np.int64)
    return Tokens(values, np.zeros(NO_KEY + 1, np.int64), strangers, np.zeros(1, np.int64), np.zeros(1, np.int64))


@inlined
def _after_space(data: U8, at: int) -> int:
    while byte(data, at) == _SPACE or byte(data, at) == _TAB or byte(data, at) == _RETURN:
        at += 1
    return at


@inlined
def _text_end(data: U8, at: int) -> int:
    """Return the position of the closing quote of the text that begins here, else UNREADABLE."""
    while True:
        found = byte(data, at)
        if found < _SPACE or found in (_QUOTE, _BACKSLASH):
            return at if found == _QUOTE else UNREADABLE
        at += 1


@inlined
def _is_ascii(data: U8, start: int, end: int) -> bool:
    for at in range(start, end):  # noqa: SIM110 - compiled code has no generators
        if byte(data, at) >= 0x80:
            return False
    return True


@inlined
def _key(data: U8, start: int, length: int, plan: ReadingPlan) -> int:
    if length == 0:
        return NO_KEY
    factors = plan.key_factors
    code = factors[0] * length + factors[1] * byte(data, start)
    code += factors[2] * byte(data, start + length // 2) + factors[3] * byte(data, start + length - 1)
    key: int = plan.key_slots[code % KEY_SLOTS] + np.int64(0)
    if key == NO_KEY or plan.key_starts[key + 1] - plan.key_starts[key] != length:
        return NO_KEY
    return key if same(data, start, plan.key_text, plan.key_starts[key], length) else NO_KEY


@compiled
def _is_new(data: U8, start: int, length: int, tokens: Tokens, count: int) -> bool:
    """Record an unknown key; return False if it is a repeat, is not plain ASCII, or the list is full."""
    if count == _MOST_STRANGERS or not _is_ascii(data, start, start + length):
        return False
    for n in range(count):
        if tokens.strangers[n, 1] == length and same(data, start, data, tokens.strangers[n, 0], length):
            return False
    tokens.strangers[count, 0] = start
    tokens.strangers[count, 1] = length
    return True


@inlined
def _number(data: U8, at: int, value: I64) -> int:
    """Read a number; returns where it ends."""
    start = at + (byte(data, at) == _MINUS)
    at = start
    number = 0
    while _ZERO <= byte(data, at) <= _ZERO + 9:
        number = number * 10 + byte(data, at) - _ZERO
        at += 1
        if at - start > _MOST_DIGITS:
            return UNREADABLE
    if at == start or (byte(data, start) == _ZERO and at > start + 1):
        return UNREADABLE
    is_negative = byte(data, start - 1) == _MINUS
    value[KIND] = INTEGER
    value[VALUE] = -number if is_negative else number
    if byte(data, at) == _POINT and not is_negative:
        at = _decimals(data, at, number, value)
    return UNREADABLE if at != UNREADABLE and byte(data, at) | 0x20 == _E else at


@compiled
def _decimals(data: U8, point: int, number: int, value: I64) -> int:
    """Read the digits after the point of a number that is not negative, in millionths."""
    at, factor, fraction = point + 1, MILLION, 0
    while _ZERO <= byte(data, at) <= _ZERO + 9:
        factor //= 10
        fraction += (byte(data, at) - _ZERO) * factor
        at += 1
    count = at - point - 1
    if not 1 <= count <= _MOST_DECIMALS or number >= MILLION:
        return UNREADABLE
    value[KIND] = DECIMAL
    value[VALUE] = number * MILLION + fraction
    return at


@compiled
def _list(data: U8, start: int, value: I64) -> int:
    """Read a list that is not empty and has numbers only, or texts only."""
    at, kind = start + 1, STRINGS if byte(data, start + 1) == _QUOTE else INTEGERS
    least, greatest = 1 << 62, -(1 << 62)
    while True:
        if kind == STRINGS:
            end = _text_end(data, at + 1) if byte(data, at) == _QUOTE else UNREADABLE
            at = end + 1 if end != UNREADABLE else UNREADABLE
        else:
            at = _number(data, at, value) if byte(data, at) != _MINUS else UNREADABLE
            if at == UNREADABLE or value[KIND] != INTEGER:
                return UNREADABLE
            least, greatest = min(least, value[VALUE]), max(greatest, value[VALUE])
        if at == UNREADABLE or (byte(data, at) != _COMMA and byte(data, at) != _CLOSE_LIST):
            return UNREADABLE
        at += 1
        if byte(data, at - 1) == _CLOSE_LIST:
            break
    value[KIND], value[VALUE], value[LENGTH], value[LEAST], value[GREATEST] = kind, start, at - start, least, greatest
    return at


@inlined
def _literal(data: U8, at: int, value: I64) -> int:
    """Read true, false or null."""
    is_false = byte(data, at) == _F
    at += is_false
    if (
        byte(data, at) < _SPACE
        or byte(data, at + 1) < _SPACE
        or byte(data, at + 2) < _SPACE
        or byte(data, at + 3) < _SPACE
    ):
        return UNREADABLE
    four = byte(data, at) | byte(data, at + 1) << 8 | byte(data, at + 2) << 16
    four |= byte(data, at + 3) << 24
    if four != _ALSE if is_false else four != _TRUE and four != _NULL:
        return UNREADABLE
    value[KIND] = NULL if four == _NULL else TRUE_FALSE
    value[VALUE] = four == _TRUE
    return at + 4


@inlined
def _value(data: U8, at: int, value: I64) -> int:
    """Read the value after a key; return the position of its end."""
    first = byte(data, at)
    if first == _QUOTE:
        end = _text_end(data, at + 1)
        value[KIND], value[VALUE], value[LENGTH] = STRING, at + 1, end - at - 1
        return end + 1 if end != UNREADABLE else UNREADABLE
    if first == _OPEN_LIST:
        return _list(data, at, value)
    if first == _MINUS or _ZERO <= first <= _ZERO + 9:
        return _number(data, at, value)
    return _literal(data, at, value)


@compiled
def read(data: U8, at: int, plan: ReadingPlan, tokens: Tokens) -> int:
    """Take the line apart that begins here; returns where it ends, or ``UNREADABLE``."""
    count, strangers, seen, present = 0, 0, 0, 0
    at = _after_space(data, at)
    if byte(data, at) != _OPEN:
        return UNREADABLE
    while True:
        at = _after_space(data, at + 1)
        start = at + 1
        at = _text_end(data, start) if byte(data, at) == _QUOTE else UNREADABLE
        if at == UNREADABLE:
            return UNREADABLE
        key = _key(data, start, at - start, plan)
        if key == NO_KEY:
            if not _is_new(data, start, at - start, tokens, strangers):
                return UNREADABLE
            strangers += 1
        elif seen >> key & 1:
            return UNREADABLE
        at = _after_space(data, at + 1)
        if byte(data, at) != _COLON:
            return UNREADABLE
        start = _after_space(data, at + 1)
        at = _value(data, start, tokens.values[key])
        if at == UNREADABLE or (key == NO_KEY and not _is_ascii(data, start, at)):
            return UNREADABLE
        seen |= 1 << key
        if key != NO_KEY and tokens.values[key, KIND] != NULL:
            present |= 1 << key
            tokens.keys[count] = key
            count += 1
        at = _after_space(data, at)
        if byte(data, at) != _COMMA:
            break
    if byte(data, at) != _CLOSE:
        return UNREADABLE
    at = _after_space(data, at + 1)
    tokens.present[0], tokens.known[0] = present, count
    return at if byte(data, at) == NEWLINE else UNREADABLE
