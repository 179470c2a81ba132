"""Lines in columns as tapes, which the engine reads: the one way by which a tape comes about."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from replay import ops
from replay.columns import (
    ABSENT,
    CAMERA,
    I32,
    I64,
    NUMBER_OF,
    SEED_OF,
    SEEDS,
    TEXT_OF,
    TYPE_OF,
    U8,
    Lines,
    lines_of_events,
)
from replay.compiled import compiled, entry, inlined
from replay.contract import forms
from replay.contract.events import AUX, DEALERS, EVENTS, NAME_TABLES, PATRONS, ROUNDS, SETS, SHOES, Field, Slot
from replay.meanings import Meanings, meanings
from replay.outages import outages
from replay.tape import COLUMNS, Encoded, Event, Tape

# How a field's value becomes a number of the tape.
(AS_NUMBER, AS_WORD, AS_NAME, AS_MEMBERS, AS_RULINGS, AS_SYMBOL, AS_COUNT) = range(7)
_BY_FORM: Final = {
    forms.CHOICE: AS_WORD,
    forms.MEMBERS: AS_MEMBERS,
    forms.RULINGS: AS_RULINGS,
    forms.SYMBOL: AS_SYMBOL,
    forms.PEOPLE: AS_COUNT,
}
_ALSO_IN_ROUND: Final = np.zeros(ops.ROUND_BEGIN + 1, np.bool_)
_ALSO_IN_ROUND[[ops.DRAW, ops.HOLE_CHECK, ops.FAULT, ops.REPAIRED, ops.CUT_CARD, ops.SHOE_LOADED, ops.SHOE_ENDED]] = (
    True
)
_N, _METER_CENTS, _SEAT = (NUMBER_OF[name] for name in ("n", "meter_cents", "seat"))
_ROUND, _METER, _N_LIST = (TEXT_OF[name] for name in ("round", "meter", "n_list"))
_SECONDARY: Final = SEED_OF["secondary"]
_BETS_CLOSED: Final = TYPE_OF["bets_closed"]
_ROUNDS: Final = NAME_TABLES.index(ROUNDS)
_MOST_COUNTED: Final = 255
_NO_TIME: Final = -1

# Columns of a row under construction: those of a tape, the line it comes from, the round (-1: the table's tape).
R_OP, R_SEAT, R_BETTOR, R_HAND, R_KIND, R_CARD, R_FLAGS, R_CENTS, R_AUX, R_SOURCE, R_ROUND = range(11)
_ROW: Final = 11
_DTYPES: Final = {"flags": np.uint16, "cents": np.int64, "aux": np.int64}


class TapePlan(NamedTuple):
    """The declarations' places on the tape as numbers."""

    ops: I64  # by type: its operation
    of_round: U8  # by type: 1 where it has a round
    first: I64  # by type: where its steps begin, and where they end
    steps: I64  # how, place in the columns, vocabulary or table of names, usual number, column of the tape, unit there
    codes: I64  # vocabulary, seed -> number


@cache
def plan() -> TapePlan:
    """Return the one plan."""
    vocabularies: dict[tuple[tuple[str, ...], int], int] = {}
    steps: list[tuple[int, ...]] = []
    first = [0]
    for event in EVENTS:
        told = ((field, field.slot) for field in event.fields if field.slot is not None and not field.slot.row)
        steps += [_step(field, slot, vocabularies) for field, slot in told]
        first.append(len(steps))
    codes = np.zeros((len(vocabularies), len(SEEDS)), np.int64)
    for (words, least), row in vocabularies.items():
        for number, word in enumerate(words, least):
            codes[row, SEED_OF[word]] = number
    return TapePlan(
        ops=np.array([event.op for event in EVENTS], np.int64),
        of_round=np.array([any(field.name == "round" for field in event.fields) for event in EVENTS], np.uint8),
        first=np.array(first, np.int64),
        steps=np.array(steps, np.int64),
        codes=codes,
    )


def _step(field: Field, slot: Slot, vocabularies: dict[tuple[tuple[str, ...], int], int]) -> tuple[int, ...]:
    form = field.form
    if form.kind in forms.NUMERIC:
        return AS_NUMBER, NUMBER_OF[field.column], 0, slot.usual, slot.column, slot.flag or 1
    which = 0
    if slot.names:
        how, which = AS_NAME, NAME_TABLES.index(slot.names)
    else:
        how = _BY_FORM[form.kind]
        if how == AS_WORD:
            which = vocabularies.setdefault((form.words, slot.first), len(vocabularies))
    return how, TEXT_OF[field.column], which, slot.usual, slot.column, slot.flag or 1


class NameNumbers(NamedTuple):
    """Numbers by table of names and word, from 1 in the order of appearance; 0 where a word has none."""

    numbers: I64
    sizes: I64  # how many of each there are so far


class LineSource(NamedTuple):
    """Columns of lines, and what their words mean."""

    source: U8
    lost: U8  # 1 where lines of the same device are missing after the line
    type: U8
    ms: I64
    numbers: I64
    texts: I32
    meanings: Meanings


def encode_events(events: Iterable[Event]) -> Encoded:
    """Return the tapes of one table's events that are no lines of files, given in their order; an error names a field.

    Nothing is known of lines that are missing: events have no numbers.
    """
    given = list(events)
    lines = lines_of_events(given)
    ms = lines.columns.number("ts").copy()
    ms[ms == ABSENT] = _NO_TIME
    return replace(encode(lines, np.arange(len(given)), ms), events=given)


def encode(lines: Lines, order: I64, ms: I64) -> Encoded:
    """The tapes of one table's lines; ``order`` has the lines of terminal and shoe as they happened, ``ms`` when.

    The result's ``source`` points to rows of ``lines``; it holds no events.
    """
    columns = lines.columns
    size = len(lines.words)
    names = NameNumbers(np.zeros((len(NAME_TABLES), size), np.int64), np.zeros(len(NAME_TABLES), np.int64))
    known = meanings(lines)
    listed = int(known.size[columns.texts[_N_LIST][order]].sum())
    room = 4 * len(order) + max(listed, 2 * len(known.ordinals)) + 8  # the same list may stand on several lines
    rows = np.empty((room, _ROW), np.int64)
    source = LineSource(
        columns.source, _lost(lines, order, ms), columns.type, ms, columns.numbers, columns.texts, known
    )
    rows = rows[: _encode(source, order, plan(), names, rows)]
    named = {table: _in_order(names.numbers[n], lines.words) for n, table in enumerate(NAME_TABLES)}
    rounds = named[ROUNDS][1:]
    ends = np.cumsum(np.bincount(rows[:, R_ROUND] + 1, minlength=len(rounds) + 1))  # the table's rows are the first
    by_round = np.empty((_ROW, len(rows)), np.int64)
    _sort(rows, np.append(0, ends[:-1]), by_round)
    own, by_round = by_round[:, : ends[0]], by_round[:, ends[0] :]
    return Encoded(
        tape=_tape(by_round),
        offsets=ends - ends[0],
        table=_tape(own),
        rounds=rounds,
        patrons=named[PATRONS],
        shoes=named[SHOES],
        sets=named[SETS],
        dealers=named[DEALERS],
        events=[],
        source=by_round[R_SOURCE],
        table_source=own[R_SOURCE],
        table_ms=ms[own[R_SOURCE]],
    )


def _lost(lines: Lines, order: I64, ms: I64) -> U8:
    """Mark lines after which lines of the same device are missing, by their numbers or by a silence."""
    columns = lines.columns
    found = np.zeros(len(lines), np.uint8)
    seq = columns.number("seq")
    by = np.lexsort((seq, columns.stream, columns.source))
    by = by[(seq[by] != ABSENT) & (columns.source[by] != CAMERA)]
    same = (np.diff(columns.stream[by]) == 0) & (np.diff(columns.source[by]) == 0)
    found[by[:-1][same & (np.diff(seq[by]) > 1)]] = 1
    found[[each.before for each in outages(lines, order, ms)]] = 1
    return found


def _in_order(numbers: I64, words: list[str]) -> list[str]:
    used = np.flatnonzero(numbers)
    return ["", *(words[word] for word in used[np.argsort(numbers[used])].tolist())]


def _tape(columns: I64) -> Tape:
    return Tape(*(columns[n].astype(_DTYPES.get(name, np.uint8)) for n, name in enumerate(COLUMNS)))


@entry
def _sort(rows: I64, places: I64, columns: I64) -> None:
    """Put rows into columns by round; ``places`` has where the next row of each round goes, the table's first."""
    for row in range(len(rows)):
        number = rows[row, R_ROUND] + 1
        for column in range(_ROW):
            columns[column, places[number]] = rows[row, column]
        places[number] += 1


@entry
def _encode(s: LineSource, order: I64, plan: TapePlan, names: NameNumbers, rows: I64) -> int:
    """Rows of the table's tape and the rounds' tapes as they come; returns how many."""
    closed = np.zeros(names.numbers.shape[1], np.bool_)
    for i in order:
        if s.type[i] == _BETS_CLOSED:
            closed[s.texts[_ROUND, i]] = True
    at = 0
    current = -1
    before = -1
    for i in order:
        if before >= 0 and s.lost[before]:
            at = start(rows, at, ops.GAP, before, -1)
            rows[at - 1, R_KIND] = s.source[before]
        before = i
        op = plan.ops[s.type[i]]
        word = s.texts[_ROUND, i] if plan.of_round[s.type[i]] else 0
        if word == 0:
            at = add_table(s, plan, names, rows, at, i, op)
            if current >= 0 and _ALSO_IN_ROUND[op]:
                at = copy(rows, at, current)
            continue
        is_new = names.numbers[_ROUNDS, word] == 0
        number = numbered(names, _ROUNDS, word) - 1
        if is_new and not closed[word]:
            current = number
            at = add_begin(s, rows, at, i, number)
        at = add_round(s, plan, names, rows, at, i, number)
        if op == ops.BETS_CLOSED and current != number:
            current = number
            at = add_begin(s, rows, at, i, number)
        elif op == ops.ROUND_END:
            at = start(rows, at, ops.ROUND_END, i, -1)
            rows[at - 1, R_AUX] = number
            current = -1 if current == number else current
    return at


@inlined
def start(rows: I64, at: int, op: int, source: int, number: int) -> int:
    """A new row, all zero but for what it is, where it comes from and whose it is."""
    rows[at, :] = 0
    rows[at, R_OP], rows[at, R_SOURCE], rows[at, R_ROUND] = op, source, number
    return at + 1


@inlined
def copy(rows: I64, at: int, number: int) -> int:
    """The last row once more, on another tape."""
    for column in range(_ROW):
        rows[at, column] = rows[at - 1, column]
    rows[at, R_ROUND] = number
    return at + 1


@inlined
def numbered(names: NameNumbers, table: int, word: int) -> int:
    """The number of a name, a new one where it has none yet; 0 for no name."""
    if word != 0 and names.numbers[table, word] == 0:
        names.sizes[table] += 1
        names.numbers[table, word] = names.sizes[table]
    return int(names.numbers[table, word])


@compiled
def fill(s: LineSource, plan: TapePlan, names: NameNumbers, row: I64, i: int) -> None:
    """Put a line's fields into its row."""
    for n in range(plan.first[s.type[i]], plan.first[s.type[i] + 1]):
        how, field, which = plan.steps[n, 0], plan.steps[n, 1], plan.steps[n, 2]
        value, column, unit = plan.steps[n, 3], plan.steps[n, 4], plan.steps[n, 5]
        if how == AS_NUMBER:
            if s.numbers[field, i] != ABSENT:
                value = s.numbers[field, i]
            row[column] |= value * unit
            continue
        word = s.texts[field, i]
        if how == AS_WORD:
            value = plan.codes[which, word] if word else value
        elif how == AS_NAME:
            value = numbered(names, which, word)
        elif how == AS_MEMBERS:
            value = s.meanings.members[word]
        elif how == AS_RULINGS:
            value = s.meanings.rulings[word]
        elif how == AS_COUNT:
            value = min(s.meanings.size[word], _MOST_COUNTED)
        else:
            value = s.meanings.symbol[word]
            row[AUX] = s.meanings.amount[word]
        row[column] |= value * unit


@compiled
def add_begin(s: LineSource, rows: I64, at: int, i: int, number: int) -> int:
    at = start(rows, at, ops.ROUND_BEGIN, i, -1)
    rows[at - 1, R_AUX] = number
    return at


@compiled
def add_round(s: LineSource, plan: TapePlan, names: NameNumbers, rows: I64, at: int, i: int, number: int) -> int:
    """An event of a round."""
    op = plan.ops[s.type[i]]
    at = start(rows, at, op, i, number)
    fill(s, plan, names, rows[at - 1], i)
    if op == ops.IRREGULARITY:
        at = add_cards(s, rows, copy(rows, at, -1), i, number)
    elif op == ops.PROGRESSIVE:
        if s.numbers[_SEAT, i] == ABSENT:
            rows[at - 1, R_BETTOR] = 1
        if s.numbers[_METER_CENTS, i] != ABSENT:
            at = start(rows, at, ops.METER, i, number)
            rows[at - 1, R_FLAGS] = ops.SECONDARY_METER if s.texts[_METER, i] == _SECONDARY else 0
            rows[at - 1, R_CENTS] = s.numbers[_METER_CENTS, i]
    return at


@compiled
def add_cards(s: LineSource, rows: I64, at: int, i: int, number: int) -> int:
    """The cards that a ruling names."""
    if s.numbers[_N, i] != ABSENT:
        at = start(rows, at, ops.IRREGULAR_CARD, i, number)
        rows[at - 1, R_AUX] = s.numbers[_N, i]
    listed = s.texts[_N_LIST, i]
    for k in range(s.meanings.size[listed] if listed else 0):
        at = start(rows, at, ops.IRREGULAR_CARD, i, number)
        rows[at - 1, R_AUX] = s.meanings.ordinals[s.meanings.first[listed] + k]
    return at


@compiled
def add_table(s: LineSource, plan: TapePlan, names: NameNumbers, rows: I64, at: int, i: int, op: int) -> int:
    """An event of the table."""
    at = start(rows, at, op, i, -1)
    fill(s, plan, names, rows[at - 1], i)
    return at
