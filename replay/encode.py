"""Lines in columns as tapes. For events that are not lines (the notation, one line alone) see ``replay.tape``."""

from typing import Final, NamedTuple

import numpy as np

from replay import meanings as W
from replay import ops
from replay.columns import ABSENT, CAMERA, I32, I64, NUMBER_OF, TEXT_OF, TYPE_OF, TYPES, U8, Lines
from replay.compiled import compiled, entry, inlined
from replay.meanings import SEED_CODES, Meanings, meanings
from replay.outages import outages
from replay.tape import COLUMNS, Encoded, Tape

_OPS: Final = {
    "open": ops.OPEN,
    "inspection": ops.INSPECTION,
    "dealer_change": ops.DEALER_CHANGE,
    "cut": ops.CUT,
    "wager": ops.WAGER,
    "bets_closed": ops.BETS_CLOSED,
    "offer": ops.OFFER,
    "decision": ops.DECISION,
    "assign": ops.ASSIGN,
    "withdraw": ops.WITHDRAW,
    "settle": ops.SETTLE,
    "irregularity": ops.IRREGULARITY,
    "progressive": ops.PROGRESSIVE,
    "round_end": ops.ROUND_END,
    "close": ops.CLOSE,
    "shoe_loaded": ops.SHOE_LOADED,
    "draw": ops.DRAW,
    "cut_card": ops.CUT_CARD,
    "shoe_ended": ops.SHOE_ENDED,
    "hole_card_check": ops.HOLE_CHECK,
    "reader_check": ops.READER_CHECK,
    "fault": ops.FAULT,
    "repaired": ops.REPAIRED,
}
_OP_OF_TYPE: Final = np.array([_OPS.get(name, 0) for name in TYPES], np.int64)
_OF_ROUND: Final = np.isin(_OP_OF_TYPE, range(ops.WAGER, ops.ROUND_END + 1))
_ALSO_IN_ROUND: Final = np.zeros(ops.ROUND_BEGIN + 1, np.bool_)
_ALSO_IN_ROUND[[ops.DRAW, ops.HOLE_CHECK, ops.FAULT, ops.REPAIRED, ops.CUT_CARD, ops.SHOE_LOADED, ops.SHOE_ENDED]] = (
    True
)

# Fields by their place in the columns.
_SEAT, _BETTOR, _HAND, _FOR, _CENTS, _PAID, _TAKEN, _PRIZE, _METER_CENTS, _N, _DECKS, _CARDS, _TENS = (
    NUMBER_OF[name]
    for name in (
        *("seat", "bettor", "hand", "for_bettor", "cents", "paid_cents", "taken_cents", "prize_cents", "meter_cents"),
        *("n", "decks", "cards", "tens_removed"),
    )
)
_TOP, _BOTTOM, _REMAINING, _EXPOSED, _MISSED_CARD, _INFERRED = (
    NUMBER_OF[name] for name in ("from_top", "from_bottom", "remaining", "exposed", "missed_card", "inferred")
)
_KIND, _ACTION, _WHAT, _STATE, _CODE, _SYSTEM, _SYMBOL, _METER, _CARD, _FACE, _SHUFFLE, _FROM, _RESULT = (
    TEXT_OF[name]
    for name in (
        *("kind", "action", "what", "state", "code", "system", "symbol", "meter", "card", "face", "shuffle"),
        *("from", "result"),
    )
)
_ROUND, _PATRON, _SHOE, _SET, _DEALER, _DEVICE, _BY, _RULING, _BETTORS, _REFUSED, _N_LIST = (
    TEXT_OF[name]
    for name in (
        *("round", "patron", "shoe", "decks_id", "dealer", "device", "by", "ruling", "bettors", "refused_by"),
        "n_list",
    )
)
_BETS_CLOSED: Final = TYPE_OF["bets_closed"]

# Columns of a row under construction: those of a tape, the line it comes from, the round (-1: the table's tape).
R_OP, R_SEAT, R_BETTOR, R_HAND, R_KIND, R_CARD, R_FLAGS, R_CENTS, R_AUX, R_SOURCE, R_ROUND = range(11)
_ROW: Final = 11
_DTYPES: Final = {"flags": np.uint16, "cents": np.int64, "aux": np.int64}


class Names(NamedTuple):
    """Numbers by word, from 1 in the order of appearance; 0 where a word has none."""

    rounds: I64
    patrons: I64
    shoes: I64
    sets: I64
    dealers: I64
    sizes: I64  # how many of each there are so far


class Source(NamedTuple):
    """Columns of lines, and what their words mean."""

    source: U8
    lost: U8  # 1 where lines of the same device are missing after the line
    type: U8
    ms: I64
    numbers: I64
    texts: I32
    meanings: Meanings


def encode(lines: Lines, order: I64, ms: I64) -> Encoded:
    """The tapes of one table's lines; ``order`` has the lines of terminal and shoe as they happened, ``ms`` when.

    The result's ``source`` points to rows of ``lines``; it holds no events.
    """
    columns = lines.columns
    size = len(lines.words)
    names = Names(*(np.zeros(n, np.int64) for n in (size, size, size, size, size, 5)))
    known = meanings(lines)
    listed = int(known.size[columns.texts[_N_LIST][order]].sum())
    room = 4 * len(order) + max(listed, 2 * len(known.ordinals)) + 8  # the same list may stand on several lines
    rows = np.empty((room, _ROW), np.int64)
    source = Source(columns.source, _lost(lines, order, ms), columns.type, ms, columns.numbers, columns.texts, known)
    rows = rows[: _encode(source, order, SEED_CODES, names, rows)]
    rounds = _in_order(names.rounds, lines.words)[1:]
    ends = np.cumsum(np.bincount(rows[:, R_ROUND] + 1, minlength=len(rounds) + 1))  # the table's rows are the first
    by_round = np.empty((_ROW, len(rows)), np.int64)
    _sort(rows, np.append(0, ends[:-1]), by_round)
    own, by_round = by_round[:, : ends[0]], by_round[:, ends[0] :]
    return Encoded(
        tape=_tape(by_round),
        offsets=ends - ends[0],
        table=_tape(own),
        rounds=rounds,
        patrons=_in_order(names.patrons, lines.words),
        shoes=_in_order(names.shoes, lines.words),
        sets=_in_order(names.sets, lines.words),
        dealers=_in_order(names.dealers, lines.words),
        events=[],
        source=by_round[R_SOURCE],
        table_source=own[R_SOURCE],
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
def _encode(s: Source, order: I64, seeds: I64, names: Names, rows: I64) -> int:
    """Rows of the table's tape and the rounds' tapes as they come; returns how many."""
    closed = np.zeros(names.rounds.shape[0], np.bool_)
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
        op = _OP_OF_TYPE[s.type[i]]
        word = s.texts[_ROUND, i] if _OF_ROUND[s.type[i]] else 0
        if word == 0:
            at = add_table(s, seeds, names, rows, at, i, op)
            if current >= 0 and _ALSO_IN_ROUND[op]:
                at = copy(rows, at, current)
            continue
        is_new = names.rounds[word] == 0
        number = numbered(names.rounds, names.sizes, 0, word) - 1
        if is_new and not closed[word]:
            current = number
            at = add_begin(s, rows, at, i, number)
        at = add_round(s, seeds, names, rows, at, i, op, number)
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
def numbered(numbers: I64, sizes: I64, which: int, word: int) -> int:
    """The number of a name, a new one where it has none yet; 0 for no name."""
    if word != 0 and numbers[word] == 0:
        sizes[which] += 1
        numbers[word] = sizes[which]
    return int(numbers[word])


@inlined
def given(s: Source, field: int, i: int, otherwise: int) -> int:
    """A field's number, or what it means that the line does not have it."""
    value = s.numbers[field, i]
    return int(otherwise if value == ABSENT else value)


@inlined
def coded(s: Source, seeds: I64, vocabulary: int, field: int, i: int) -> int:
    """The place of a field's word in its vocabulary, 0 where the line does not have it."""
    word = s.texts[field, i]
    return int(seeds[vocabulary, word]) if word else 0


@compiled
def add_begin(s: Source, rows: I64, at: int, i: int, number: int) -> int:
    at = start(rows, at, ops.ROUND_BEGIN, i, -1)
    rows[at - 1, R_CENTS], rows[at - 1, R_AUX] = s.ms[i], number
    return at


@compiled
def add_round(s: Source, seeds: I64, names: Names, rows: I64, at: int, i: int, op: int, number: int) -> int:
    """An event of a round."""
    if op == ops.IRREGULARITY:
        return add_irregularity(s, seeds, rows, at, i, number)
    at = start(rows, at, op, i, number)
    row = rows[at - 1]
    if op == ops.PROGRESSIVE:
        return add_progressive(s, seeds, rows, at, i, number)
    if op == ops.OFFER:
        row[R_KIND] = coded(s, seeds, W.WHAT, _WHAT, i)
        row[R_FLAGS] = 1 - coded(s, seeds, W.STATE, _STATE, i)
    elif op != ops.BETS_CLOSED and op != ops.ROUND_END:
        row[R_SEAT], row[R_BETTOR], row[R_HAND] = s.numbers[_SEAT, i], given(s, _BETTOR, i, 1), given(s, _HAND, i, 1)
        if op == ops.WAGER:
            row[R_KIND], row[R_CARD] = coded(s, seeds, W.KIND, _KIND, i), given(s, _FOR, i, 0)
            row[R_CENTS] = s.numbers[_CENTS, i]
            row[R_AUX] = numbered(names.patrons, names.sizes, 1, s.texts[_PATRON, i])
        elif op == ops.DECISION:
            row[R_KIND] = coded(s, seeds, W.ACTION, _ACTION, i)
            row[R_FLAGS] = s.meanings.members[s.texts[_BETTORS, i]]
        elif op == ops.WITHDRAW or op == ops.SETTLE:
            row[R_KIND] = coded(s, seeds, W.KIND, _KIND, i)
            if op == ops.SETTLE:
                row[R_CENTS], row[R_AUX] = given(s, _PAID, i, 0), given(s, _TAKEN, i, 0)
    return at


@compiled
def add_irregularity(s: Source, seeds: I64, rows: I64, at: int, i: int, number: int) -> int:
    """A ruling: on the round's tape with the cards that it names, and on the table's."""
    at = start(rows, at, ops.IRREGULARITY, i, number)
    row = rows[at - 1]
    row[R_SEAT], row[R_BETTOR], row[R_HAND] = given(s, _SEAT, i, 0), given(s, _BETTOR, i, 0), given(s, _HAND, i, 0)
    row[R_KIND], row[R_CARD] = coded(s, seeds, W.CODE, _CODE, i), given(s, _MISSED_CARD, i, 0)
    row[R_FLAGS] = ops.EXPOSED if given(s, _EXPOSED, i, 0) else 0
    row[R_FLAGS] |= ops.INFERRED if given(s, _INFERRED, i, 0) else 0
    row[R_CENTS] = s.meanings.rulings[s.texts[_RULING, i]]
    row[R_AUX] = s.meanings.members[s.texts[_REFUSED, i]]
    if number < 0:
        return at
    at = copy(rows, at, -1)
    if s.numbers[_N, i] != ABSENT:
        at = start(rows, at, ops.IRREGULAR_CARD, i, number)
        rows[at - 1, R_AUX] = s.numbers[_N, i]
    listed = s.texts[_N_LIST, i]
    for k in range(s.meanings.size[listed] if listed else 0):
        at = start(rows, at, ops.IRREGULAR_CARD, i, number)
        rows[at - 1, R_AUX] = s.meanings.ordinals[s.meanings.first[listed] + k]
    return at


@compiled
def add_progressive(s: Source, seeds: I64, rows: I64, at: int, i: int, number: int) -> int:
    row = rows[at - 1]
    seat = given(s, _SEAT, i, 0)
    row[R_SEAT], row[R_BETTOR] = seat, given(s, _BETTOR, i, 1) if seat else 1
    row[R_KIND], row[R_CARD] = coded(s, seeds, W.PROGRESSIVE, _ACTION, i), coded(s, seeds, W.SYSTEM, _SYSTEM, i)
    wheel = s.texts[_SYMBOL, i]
    row[R_HAND], row[R_AUX] = s.meanings.symbol[wheel], s.meanings.amount[wheel]
    row[R_CENTS] = given(s, _PRIZE, i, -1)
    if s.numbers[_METER_CENTS, i] != ABSENT:
        at = start(rows, at, ops.METER, i, number)
        rows[at - 1, R_FLAGS] = ops.SECONDARY_METER if coded(s, seeds, W.METER, _METER, i) == 1 else 0
        rows[at - 1, R_CENTS] = s.numbers[_METER_CENTS, i]
    return at


@compiled
def add_table(s: Source, seeds: I64, names: Names, rows: I64, at: int, i: int, op: int) -> int:
    """An event of the table."""
    if op == ops.IRREGULARITY:
        return add_irregularity(s, seeds, rows, at, i, -1)
    at = start(rows, at, op, i, -1)
    row = rows[at - 1]
    shoe = numbered(names.shoes, names.sizes, 2, s.texts[_SHOE, i])
    if op == ops.DRAW:
        row[R_CARD], row[R_FLAGS] = coded(s, seeds, W.CARD, _CARD, i), coded(s, seeds, W.FACE, _FACE, i)
        row[R_CENTS], row[R_AUX] = shoe, given(s, _N, i, 0)
    elif op == ops.SHOE_LOADED or op == ops.INSPECTION:
        which = numbered(names.sets, names.sizes, 3, s.texts[_SET, i])
        row[R_AUX] = s.ms[i]
        add_decks(s, seeds, row, i, op, shoe, which)
    elif op == ops.CUT:
        row[R_FLAGS], row[R_CENTS], row[R_AUX] = shoe, given(s, _TOP, i, -1), given(s, _BOTTOM, i, -1)
    elif op == ops.CUT_CARD:
        row[R_CENTS], row[R_AUX] = shoe, s.numbers[_N, i]
    elif op == ops.SHOE_ENDED:
        row[R_CENTS], row[R_AUX] = shoe, s.numbers[_REMAINING, i]
    elif op == ops.HOLE_CHECK:
        row[R_KIND] = coded(s, seeds, W.RESULT, _RESULT, i)
    elif op == ops.READER_CHECK:
        row[R_KIND] = coded(s, seeds, W.READER, _RESULT, i)
    elif op == ops.FAULT or op == ops.REPAIRED:
        row[R_KIND] = coded(s, seeds, W.DEVICE, _DEVICE, i)
    elif op == ops.OPEN or op == ops.DEALER_CHANGE:
        row[R_SEAT] = given(s, _DECKS, i, 0) if op == ops.OPEN else 0
        row[R_AUX] = numbered(names.dealers, names.sizes, 4, s.texts[_DEALER, i])
    return at


@compiled
def add_decks(s: Source, seeds: I64, row: I64, i: int, op: int, shoe: int, which: int) -> None:
    """A set of decks is inspected or loaded."""
    counted = given(s, _CARDS, i, 0)
    if op == ops.INSPECTION:
        row[R_BETTOR] = min(s.meanings.size[s.texts[_BY, i]], 255)
        row[R_FLAGS], row[R_CENTS] = given(s, _TENS, i, 0), which | counted << 32
    else:
        row[R_KIND], row[R_SEAT] = coded(s, seeds, W.SHUFFLE, _SHUFFLE, i), given(s, _DECKS, i, 0)
        row[R_FLAGS] = coded(s, seeds, W.FROM, _FROM, i) | counted << 1
        row[R_CENTS] = shoe | which << 32
