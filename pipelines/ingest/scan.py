"""The fast reader, compiled: plain lines straight into columns; whatever is not plain is left to the careful reader.

It accepts a line only where the careful reader would, with the same values, and never refuses one.

Why not msgspec: on 52,552 lines of seven simulated zones (``make bench ARGS="--only landing"`` has it side by side) it
makes typed objects in 0.56 to 0.65 of this reader's time, but to bring these into columns takes 5.7 times as long, and
nothing is checked by then.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pipelines.ingest import tokens as token
from pipelines.ingest.plan import NO_KEY, TABLE_KEY, TYPE_KEY, ReadingPlan, plan
from pipelines.ingest.times import NO_TIME, time_and_offset
from pipelines.ingest.tokens import KIND, LENGTH, VALUE, Tokens, new_tokens
from pipelines.ingest.words import NO_WORD, Words, byte, find, new_words, same, seed
from replay import ops
from replay.columns import ABSENT, I32, I64, NUMBER_OF, SEEDS, SOURCES, TEXT_OF, U8
from replay.compiled import compiled, entry, inlined
from replay.contract.forms import (
    MEMBERS,
    MILLION,
    MOST_DIGITS,
    NAME,
    ORDINALS,
    PEOPLE,
    RULINGS,
    SHARE,
    SYMBOL,
    TEXT,
    TIME,
    TRUTH,
    WHOLE,
    ZONE,
)
from replay.contract.stored import KEYS

MOST_BYTES: Final = 1 << 20  # of a line

_N_LIST, _TABLE = TEXT_OF["n_list"], TEXT_OF["table"]
_TS_KEY: Final = KEYS.index("ts")
_SEED_COUNT: Final = len(SEEDS)
_BRACKET, _ZERO = (ord(each) for each in "[0")
_COMMUNITY: Final = np.frombuffer(b"community-", np.uint8)
_SEAT: Final = np.frombuffer(b"seat", np.uint8)
_HAND: Final = np.frombuffer(b".hand", np.uint8)


class Rows(NamedTuple):
    """Columns under construction, a row per line of the file."""

    type: U8
    offset_minutes: npt.NDArray[np.int16]
    numbers: I64  # field, row
    texts: I32  # field, row
    is_read: npt.NDArray[np.bool_]


class Memory(NamedTuple):
    """By key: the last text and its word, since texts often come again on the next line."""

    starts: I64
    lengths: I64
    words: I64


def new_rows(lines: int) -> Rows:
    """Rows of lines that are not read yet."""
    return Rows(
        np.zeros(lines, np.uint8),
        np.zeros(lines, np.int16),
        np.full((len(NUMBER_OF), lines), ABSENT, np.int64),
        np.zeros((len(TEXT_OF), lines), np.int32),
        np.zeros(lines, np.bool_),
    )


class Scanned(NamedTuple):
    """The lines of a file, the plain ones read, and the words of their texts."""

    starts: I64  # where the lines begin, and where one more would
    rows: Rows
    words: list[str]


def scan(data: U8, source: str, table: str) -> Scanned:
    """Find the lines of a file and read the plain ones."""
    is_cut = len(data) > 0 and int(data[-1]) != token.NEWLINE  # text after the last newline is a line too
    lines = int(_newlines(data)) + is_cut
    starts = np.zeros(lines + 1, np.int64)
    rows, words = new_rows(lines), new_words(lines + 1024, table)
    memory = Memory(*(np.zeros(NO_KEY, np.int64) for _ in range(3)))
    name = np.frombuffer(table.encode(), np.uint8).copy()
    _scan(data, starts, lines - is_cut, SOURCES.index(source), name, plan(), new_tokens(), words, memory, rows)
    if is_cut:
        starts[-1] = len(data) + 1
    return Scanned(starts, rows, _texts(data, words, table))


def _texts(data: U8, words: Words, table: str) -> list[str]:
    """All words as texts."""
    first, count = int(words.seed_count[0]), int(words.used[0])
    spans = zip(words.starts[first:count].tolist(), words.lengths[first:count].tolist(), strict=True)
    view = data.data
    return [*dict.fromkeys((*SEEDS, table)), *(str(view[start : start + length], "utf-8") for start, length in spans)]


@entry
def after_lines(data: U8, at: int, lines: int, size: int) -> int:
    """The place behind so many lines, or behind the first of them that ends beyond so many bytes; the end if none."""
    last = at + size
    while at < len(data):
        if data[at] == token.NEWLINE:
            lines -= 1
            if lines == 0 or at >= last:
                return at + 1
        at += 1
    return len(data)


@entry
def _newlines(data: U8) -> int:
    count = 0
    for at in range(len(data)):
        count += data[at] == token.NEWLINE
    return count


@entry
def _scan(
    data: U8,
    starts: I64,
    lines: int,
    source: int,
    table: U8,
    plan: ReadingPlan,
    tokens: Tokens,
    words: Words,
    memory: Memory,
    rows: Rows,
) -> None:
    """Read lines that all have their newline."""
    seed(words)
    table_word = find(words, table, 0, len(table), False)
    for row in range(lines):
        start = starts[row]
        end = token.read(data, start, plan, tokens)
        if end == token.UNREADABLE:
            starts[row + 1] = _after_line(data, start)
            continue
        starts[row + 1] = end + 1
        kind = _type(data, source, table, plan, tokens, words, memory) if end - start <= MOST_BYTES else -1
        if kind >= 0 and _store(data, row, kind, plan, tokens, words, memory, rows):
            rows.type[row] = kind
            rows.texts[_TABLE, row] = table_word
            rows.is_read[row] = True


@inlined
def _after_line(data: U8, at: int) -> int:
    while byte(data, at) != token.NEWLINE:
        at += 1
    return at + 1


@compiled
def _type(data: U8, source: int, table: U8, plan: ReadingPlan, tokens: Tokens, words: Words, memory: Memory) -> int:
    """Return the line's type if it has every field that its type needs and is of this table; else -1."""
    present = tokens.present[0]
    both = 1 << TYPE_KEY | 1 << TABLE_KEY
    name, kind = tokens.values[TABLE_KEY], tokens.values[TYPE_KEY]
    if present & both != both or name[KIND] != token.STRING or kind[KIND] != token.STRING:
        return -1
    if name[LENGTH] != len(table) or not same(data, name[VALUE], table, 0, len(table)):
        return -1
    word = _word(data, TYPE_KEY, kind, words, memory)
    if word == NO_WORD or word >= _SEED_COUNT:
        return -1
    number = plan.type_of[source, word]
    return number if number >= 0 and present & plan.required[number] == plan.required[number] else -1


@compiled
def _store(
    data: U8, row: int, kind: int, plan: ReadingPlan, tokens: Tokens, words: Words, memory: Memory, rows: Rows
) -> bool:
    """Put a line's values into its row; False where one does not fit, or may not."""
    for n in range(tokens.known[0]):
        key = tokens.keys[n]
        value = tokens.values[key]
        if key in (TYPE_KEY, TABLE_KEY):
            continue
        form, at = plan.form_of[kind, key], plan.number_at[kind, key]
        if at >= 0:
            fits = _store_number(data, row, key, at, form, value, plan, words, rows)
        else:
            fits = _store_text(data, row, key, form, value, plan, words, memory, rows)
        if not fits:
            return False
    return True


@inlined
def _store_number(
    data: U8, row: int, key: int, at: int, form: int, value: I64, plan: ReadingPlan, words: Words, rows: Rows
) -> bool:
    what, found = plan.kind[form], value[VALUE]
    if what in (WHOLE, ORDINALS):
        if what == ORDINALS and value[KIND] == token.INTEGERS:
            return _store_list(data, row, _N_LIST, form, value, plan, words, rows)
        fits = value[KIND] == token.INTEGER and plan.low[form] <= found <= plan.high[form]
    elif what == TIME:
        fits = value[KIND] == token.STRING
        if fits:
            found, offset = time_and_offset(data, found, value[LENGTH])
            fits = found != NO_TIME
            if key == _TS_KEY:
                rows.offset_minutes[row] = offset
    elif what == TRUTH:
        fits = value[KIND] == token.TRUE_FALSE
    elif value[KIND] == token.INTEGER:
        fits = what == SHARE and 0 <= found <= 1
        found = MILLION if found else 0
    else:
        fits = what == SHARE and value[KIND] == token.DECIMAL and found <= MILLION
    rows.numbers[at, row] = found
    return bool(fits)


@compiled
def _store_list(
    data: U8, row: int, at: int, form: int, value: I64, plan: ReadingPlan, words: Words, rows: Rows
) -> bool:
    """Put the word of a list of numbers into its row."""
    if value[token.LEAST] < plan.low[form] or value[token.GREATEST] > plan.high[form]:
        return False
    word = find(words, data, value[VALUE], value[LENGTH], True)
    rows.texts[at, row] = word
    return word != NO_WORD


@inlined
def _store_text(
    data: U8, row: int, key: int, form: int, value: I64, plan: ReadingPlan, words: Words, memory: Memory, rows: Rows
) -> bool:
    what, at = plan.kind[form], plan.text_at[key]
    if what == MEMBERS:
        return value[KIND] == token.INTEGERS and _store_list(data, row, at, form, value, plan, words, rows)
    is_list = value[KIND] == token.STRINGS
    if value[KIND] != token.STRING and not (is_list and what in (PEOPLE, RULINGS)):
        return False
    word = _word(data, key, value, words, memory)
    if word == NO_WORD:
        return False
    if what == RULINGS:
        word = plan.listed[word] if word < _SEED_COUNT else 0
    rows.texts[at, row] = word
    return _fits(data, what, form, word, is_list, value, plan)


@inlined
def _word(data: U8, key: int, value: I64, words: Words, memory: Memory) -> int:
    start, length = value[VALUE], value[LENGTH]
    if length != memory.lengths[key] or not same(data, start, data, memory.starts[key], length):
        word = find(words, data, start, length, True)
        if word == NO_WORD:
            return NO_WORD
        memory.starts[key], memory.lengths[key], memory.words[key] = start, length, word
    known: int = memory.words[key]
    return known


@inlined
def _fits(data: U8, what: int, form: int, word: int, is_list: bool, value: I64, plan: ReadingPlan) -> bool:
    """Return whether a text is allowed in its field."""
    if what == TEXT:
        return True
    if what in (NAME, RULINGS):
        return word != 0
    if what == PEOPLE:
        return is_list or value[LENGTH] == 0 or byte(data, value[VALUE]) != _BRACKET
    if word < _SEED_COUNT and plan.allowed[form, word]:
        return True
    if what == SYMBOL:
        return _is_symbol(data, value[VALUE], value[LENGTH])
    return what == ZONE and _is_hand(data, value[VALUE], value[LENGTH])


@compiled
def _is_symbol(data: U8, start: int, length: int) -> bool:
    """Return whether a text is an amount in digits, plain or with the community prefix."""
    end = start + length
    if length > len(_COMMUNITY) and same(data, start, _COMMUNITY, 0, len(_COMMUNITY)):
        start += len(_COMMUNITY)
    for at in range(start, end):
        if not _ZERO <= byte(data, at) <= _ZERO + 9:
            return False
    return 1 <= end - start <= MOST_DIGITS


@compiled
def _is_hand(data: U8, start: int, length: int) -> bool:
    """Return whether a text is the zone of a hand, such as seat3.hand1."""
    end, at = start + length, start + len(_SEAT)
    if length < len(_SEAT) + len(_HAND) or not same(data, start, _SEAT, 0, len(_SEAT)):
        return False
    seat, at = _ordinal(data, at, end)
    if at + len(_HAND) > end or not same(data, at, _HAND, 0, len(_HAND)):
        return False
    hand, at = _ordinal(data, at + len(_HAND), end)
    return at == end and 1 <= seat <= ops.MAX_SEAT and 1 <= hand <= ops.MAX_HAND


@inlined
def _ordinal(data: U8, at: int, end: int) -> tuple[int, int]:
    """A number of at most three digits without a leading zero, 0 if there is none; and where it ends."""
    start, number = at, 0
    while at < end and at < start + 3 and _ZERO <= byte(data, at) <= _ZERO + 9:
        number = number * 10 + byte(data, at) - _ZERO
        at += 1
    return (0 if byte(data, start) == _ZERO else number), at
