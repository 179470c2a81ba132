"""Events as lines of JSON, by compiled code that follows the plan of ``replay.simulator.fields``."""

from typing import Any, Final

import numpy as np

from replay import ops
from replay.compiled import compiled, entry, inlined
from replay.contract import events as C
from replay.simulator import fields as F
from replay.simulator.clocks import Offsets
from replay.simulator.fields import Words, WritingPlan
from replay.simulator.log import Log, Names
from replay.tape import I64, U8

_QUOTE, _PLUS, _MINUS, _POINT, _ZERO, _COLON, _BRACE, _NEWLINE = b'"+-.0:}\n'
_MINUTE: Final = 60_000
_DAY: Final = 86_400_000


def lines(log: Log, rows: I64, shown: I64, ahead: Offsets, names: Names) -> U8:
    """Lines for rows of a log (at least one), at the times shown, as bytes."""
    first_day, last_day = (int(shown[n] + ahead.minutes[n] * _MINUTE) // _DAY for n in (0, -1))
    words, bases = F.vocabulary(names, first_day, last_day)
    duty = np.array([since for since, _ in names.supervisors], np.int64)
    dealers = log.aux[log.op == ops.OPEN]
    dealer = int(dealers[0]) if len(dealers) else 0
    room = 500 + 6 * int(np.diff(words.starts).max())  # for the longest line, but for the cards that it lists
    out = np.empty(len(rows) * room + 32 * np.count_nonzero(log.op == ops.IRREGULAR_CARD), np.uint8)
    return out[: _format(log, rows, shown, ahead, words, bases, F.PLAN, duty, dealer, first_day, out)]


@entry
def _format(
    log: Log,
    rows: I64,
    shown: I64,
    ahead: Offsets,
    words: Words,
    bases: I64,
    plan: WritingPlan,
    duty: I64,
    dealer: int,
    first_day: int,
    out: U8,
) -> int:
    at = 0
    offset = 0
    for line in range(len(rows)):
        row, meter = _rows_of(log, rows[line])
        op = log.op[row]
        if op == ops.OPEN or op == ops.DEALER_CHANGE:
            dealer = log.aux[row]
        while offset + 1 < len(ahead.since_ms) and shown[line] >= ahead.since_ms[offset + 1]:
            offset += 1
        at = _put(out, at, words, F.W_HEAD)
        at = _number(out, at, line + 1)
        local = shown[line] + ahead.minutes[offset] * _MINUTE
        at = _put(out, at, words, F.W_TS)
        at = _put(out, at, words, bases[F.V_DATES] + local // _DAY - first_day)
        at = _time(out, at, local % _DAY, ahead.minutes[offset])
        at = _put(out, at, words, plan.types[op])
        if op <= ops.ROUND_END and log.round[row] > 0:
            at = _put(out, at, words, F.W_ROUND)
            at = _number(out, at, log.round[row])
            at = _byte(out, at, _QUOTE)
        for field in range(plan.first[op], plan.first[op + 1]):
            value, flag = _value(log, row, meter, plan.fields[field, 1], duty), plan.fields[field, 5]
            if flag:
                value = 1 if value & flag else 0
            if value < plan.fields[field, 4]:
                continue
            at = _put(out, at, words, plan.fields[field, 0])
            base = bases[plan.fields[field, 3]]
            form = plan.fields[field, 2]
            if form == F.NUMBER:
                at = _number(out, at, value)
            elif form == F.WORD:
                at = _put(out, at, words, base + value)
            elif form == F.PEOPLE:
                on_duty = bases[F.V_SUPERVISORS] + _supervisor(duty, log.ms[row])
                at = _people(out, at, words, value, on_duty, bases[F.V_DEALERS] + dealer)
            else:
                at = _rare(out, at, words, log, row, form, value, base)
        at = _byte(out, _byte(out, at, _BRACE), _NEWLINE)
    return at


@inlined
def _rows_of(log: Log, row: int) -> tuple[int, int]:
    """The row that has a line's fields, and the row of its meter or -1."""
    meter = -1
    if log.op[row] == ops.METER:
        meter = row
        while log.op[row] == ops.METER:
            row -= 1
    elif log.op[row] == ops.PROGRESSIVE and row + 1 < len(log.op) and log.op[row + 1] == ops.METER:
        meter = row + 1
    return row, meter


@inlined
def _value(log: Log, row: int, meter: int, origin: int, duty: I64) -> int:
    """The number behind a field; -1, or 0 where numbers begin at 1, if there is none."""
    value = 0
    if origin == C.SEAT:
        value = _wide(log.seat[row])
    elif origin == C.BETTOR:
        value = _wide(log.bettor[row])
    elif origin == C.HAND:
        value = _wide(log.hand[row])
    elif origin == C.KIND:
        value = _wide(log.kind[row])
    elif origin == C.CARD:
        value = _wide(log.card[row])
    elif origin == C.FLAGS:
        value = _wide(log.flags[row])
    elif origin == C.CENTS:
        value = log.cents[row]
    elif origin == C.AUX:
        value = log.aux[row]
    elif origin == F.STAKED_HAND:
        if log.kind[row] == ops.SPLIT or log.kind[row] == ops.DOUBLE:
            value = _wide(log.hand[row])
    elif origin == F.SEATED_BETTOR:
        value = _wide(log.bettor[row]) if log.seat[row] > 0 else 0
    elif origin == F.FAULT_KIND:
        value = _wide(log.kind[row]) * F.FAULTS_EACH + log.aux[row]
    elif origin == F.METER:
        value = _wide(log.flags[meter]) & ops.SECONDARY_METER if meter >= 0 else -1
    elif origin == F.METER_CENTS:
        value = log.cents[meter] if meter >= 0 else -1
    elif origin == F.CARDS:
        value = _listed_cards(log, row)
    elif origin == F.CARDS_SHOE:
        value = _shoe_of_card(log, row)
    elif origin == F.SUPERVISOR or log.kind[row] == ops.AUTHORIZE:
        value = _supervisor(duty, log.ms[row])
    return value


@inlined
def _wide(value: Any) -> int:
    """A column's number, wide enough to count with."""
    wide: int = value + np.int64(0)
    return wide


@compiled
def _supervisor(duty: I64, ms: int) -> int:
    """Number of the supervisor on duty; the first one until somebody takes over, 0 where there is none."""
    number = min(1, len(duty))
    while number < len(duty) and ms >= duty[number]:
        number += 1
    return number


@compiled
def _listed_cards(log: Log, row: int) -> int:
    """Return the number of cards that an irregularity lists."""
    count = 0
    while row + count + 1 < len(log.op) and log.op[row + count + 1] == ops.IRREGULAR_CARD:
        count += 1
    return count


@compiled
def _shoe_of_card(log: Log, row: int) -> int:
    """The shoe that an irregularity's first card came from, where the log knows the draw."""
    if _listed_cards(log, row) > 0:
        draw = row + 1 + log.cents[row + 1]
        if 0 <= draw < len(log.op) and log.op[draw] == ops.DRAW and log.aux[draw] == log.aux[row + 1]:
            return _wide(log.cents[draw])
    return 0


@compiled
def _rare(out: U8, at: int, words: Words, log: Log, row: int, form: int, value: int, base: int) -> int:
    """Fields that are neither a number nor a word."""
    if form == F.RULINGS:
        return _rulings(out, at, words, value, base)
    if form == F.MEMBERS:
        return _members(out, at, words, value)
    if form == F.ORDINALS:
        return _ordinals(out, at, words, log, row, value)
    if form == F.SYMBOL:
        return _symbol(out, at, words, value, log.aux[row] // 100)
    return _put(out, at, words, F.W_TRUE)


@compiled
def _rulings(out: U8, at: int, words: Words, bits: int, base: int) -> int:
    several = bits & (bits - 1) != 0
    if several:
        at = _put(out, at, words, F.W_OPEN)
    written = 0
    for bit in range(F.RULING_COUNT):
        if bits >> bit & 1:
            if written:
                at = _put(out, at, words, F.W_COMMA)
            at = _put(out, at, words, base + bit)
            written += 1
    return _put(out, at, words, F.W_CLOSE) if several else at


@compiled
def _members(out: U8, at: int, words: Words, mask: int) -> int:
    """The numbers of the bits of a mask, as a list."""
    at = _put(out, at, words, F.W_OPEN)
    written = 0
    for number in range(1, ops.MAX_SEAT + 1):
        if mask >> number & 1:
            if written:
                at = _put(out, at, words, F.W_COMMA)
            at = _number(out, at, number)
            written += 1
    return _put(out, at, words, F.W_CLOSE)


@compiled
def _ordinals(out: U8, at: int, words: Words, log: Log, row: int, count: int) -> int:
    if count == 1:
        return _number(out, at, log.aux[row + 1])
    at = _put(out, at, words, F.W_OPEN)
    for n in range(1, count + 1):
        if n > 1:
            at = _put(out, at, words, F.W_COMMA)
        at = _number(out, at, log.aux[row + n])
    return _put(out, at, words, F.W_CLOSE)


@compiled
def _people(out: U8, at: int, words: Words, count: int, supervisor: int, dealer: int) -> int:
    """Write the people who inspected: the supervisor on duty, then the dealer; returns the end of the text."""
    at = _put(out, at, words, F.W_OPEN)
    if count > 0:
        at = _put(out, at, words, supervisor)
    if count > 1:
        at = _put(out, _put(out, at, words, F.W_COMMA), words, dealer)
    return _put(out, at, words, F.W_CLOSE)


@compiled
def _symbol(out: U8, at: int, words: Words, symbol: int, dollars: int) -> int:
    at = _byte(out, at, _QUOTE)
    if symbol == ops.JACKPOT:
        at = _put(out, at, words, F.W_JACKPOT)
    elif symbol == ops.JACKPOT_SECONDARY:
        at = _put(out, at, words, F.W_SECONDARY)
    else:
        if symbol == ops.COMMUNITY_AMOUNT:
            at = _put(out, at, words, F.W_COMMUNITY)
        at = _number(out, at, dollars)
    return _byte(out, at, _QUOTE)


@inlined
def _put(out: U8, at: int, words: Words, word: int) -> int:
    start = words.starts[word]
    size: int = words.starts[word + 1] - start
    for i in range(size):
        out[at + i] = words.text[start + i]
    return at + size


@inlined
def _byte(out: U8, at: int, byte: int) -> int:
    out[at] = byte
    return at + 1


@compiled
def _number(out: U8, at: int, number: int) -> int:
    if number < 0:
        at = _byte(out, at, _MINUS)
        number = -number
    top = 10
    size = 1
    while number >= top and size < 18:
        top *= 10
        size += 1
    return _digits(out, at, number, size)


@inlined
def _digits(out: U8, at: int, number: int, size: int) -> int:
    for i in range(at + size - 1, at - 1, -1):
        out[i] = _ZERO + number % 10
        number //= 10
    return at + size


@compiled
def _time(out: U8, at: int, ms: int, minutes: int) -> int:
    """The time of day with milliseconds and offset."""
    at = _digits(out, at, ms // 3_600_000, 2)
    at = _digits(out, _byte(out, at, _COLON), ms // 60_000 % 60, 2)
    at = _digits(out, _byte(out, at, _COLON), ms // 1000 % 60, 2)
    at = _digits(out, _byte(out, at, _POINT), ms % 1000, 3)
    at = _byte(out, at, _MINUS if minutes < 0 else _PLUS)
    at = _digits(out, at, abs(minutes) // 60, 2)
    return _digits(out, _byte(out, at, _COLON), abs(minutes) % 60, 2)
