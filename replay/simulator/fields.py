"""Which fields an event's line has, where each comes from in a log and how it is written.

Every text that a line can hold (keys, types, kinds, names) is a *word*, written once as JSON. Lines are made of words
and printed numbers.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import accumulate
from typing import Final, NamedTuple

import numpy as np

from replay import cards, codes, ops
from replay.simulator.log import FAULT_KINDS, Names
from replay.tape import I64, U8

# Where a field's value comes from: a column of the log, or part of one, or what is known at that moment.
(SEAT, BETTOR, HAND, KIND, CARD, FLAGS, CENTS, AUX, CENTS_LOW, CENTS_HIGH, FIRST_FLAG, FLAGS_ABOVE) = range(12)
(STAKED_HAND, SEATED_BETTOR, FAULT_KIND, CARDS, CARDS_SHOE, METER, METER_CENTS, SUPERVISOR, AUTHORISER) = range(12, 21)
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


class Field(NamedTuple):
    """A field of a type: its value's origin and form, what its numbers stand for, from which value on it is written."""

    name: str
    origin: int
    form: int = NUMBER
    words: tuple[str, ...] | str = ()  # or the name of a list in ``Names``
    least: int = _ANY


_SHOE: Final = Field("shoe", CENTS, WORD, "shoes")
_PLACE: Final = (Field("seat", SEAT), Field("bettor", BETTOR))
_KIND: Final = Field("kind", KIND, WORD, ops.KINDS)
_HAND: Final = Field("hand", HAND)
_DEVICE: Final = (
    Field("device", KIND, WORD, ops.DEVICES),
    Field(
        "kind",
        FAULT_KIND,
        WORD,
        tuple((*kinds, *[""] * FAULTS_EACH)[n] for kinds in FAULT_KINDS for n in range(FAULTS_EACH)),
    ),
)
_DEALER: Final = Field("dealer", AUX, WORD, "dealers")

FIELDS: Final[dict[int, tuple[str, tuple[Field, ...]]]] = {
    ops.OPEN: ("open", (Field("decks", SEAT), _DEALER)),
    ops.INSPECTION: (
        "inspection",
        (
            Field("decks_id", CENTS_LOW, WORD, "sets"),
            Field("cards", CENTS_HIGH),
            Field("tens_removed", FLAGS),
            Field("by", BETTOR, PEOPLE),
        ),
    ),
    ops.DEALER_CHANGE: ("dealer_change", (_DEALER,)),
    ops.CUT: (
        "cut",
        (
            Field("shoe", FLAGS, WORD, "shoes"),
            Field("by", SEAT, WORD, ("dealer", *(f"seat {seat}" for seat in range(1, ops.MAX_SEAT + 1)))),
            Field("from_top", CENTS, least=0),
            Field("from_bottom", AUX, least=0),
        ),
    ),
    ops.WAGER: (
        "wager",
        (
            *_PLACE,
            _KIND,
            Field("cents", CENTS),
            Field("hand", STAKED_HAND, least=1),
            Field("patron", AUX, WORD, "patrons", least=1),
            Field("for_bettor", CARD, least=1),
        ),
    ),
    ops.BETS_CLOSED: ("bets_closed", ()),
    ops.OFFER: (
        "offer",
        (Field("what", KIND, WORD, ops.OFFERS), Field("state", FIRST_FLAG, WORD, ("closed", "open"))),
    ),
    ops.DECISION: (
        "decision",
        (
            Field("seat", SEAT),
            _HAND,
            Field("action", KIND, WORD, ops.ACTIONS),
            Field("bettors", FLAGS, MEMBERS, least=1),
        ),
    ),
    ops.ASSIGN: ("assign", (*_PLACE, _HAND)),
    ops.WITHDRAW: ("withdraw", (*_PLACE, _KIND, _HAND)),
    ops.SETTLE: ("settle", (*_PLACE, _KIND, _HAND, Field("paid_cents", CENTS), Field("taken_cents", AUX))),
    ops.IRREGULARITY: (
        "irregularity",
        (
            Field("code", KIND, WORD, tuple(code.name for code in codes.CODES)),
            Field("ruling", CENTS, RULINGS, _RULING_WORDS, least=1),
            Field("by", SUPERVISOR, WORD, "supervisors", least=1),
            Field("seat", SEAT, least=1),
            Field("hand", HAND, least=1),
            Field("bettor", BETTOR, least=1),
            Field("shoe", CARDS_SHOE, WORD, "shoes", least=1),
            Field("n", CARDS, ORDINALS, least=1),
            Field("card", CARD, least=1),
            Field("exposed", FIRST_FLAG, TRUE, least=1),
            Field("refused_by", AUX, MEMBERS, least=1),
        ),
    ),
    ops.PROGRESSIVE: (
        "progressive",
        (
            Field("system", CARD, WORD, ops.SYSTEMS),
            Field("action", KIND, WORD, ops.PROGRESSIVE_ACTIONS),
            Field("seat", SEAT, least=1),
            Field("bettor", SEATED_BETTOR, least=1),
            Field("symbol", HAND, SYMBOL, least=1),
            Field("prize_cents", CENTS, least=0),
            Field("meter", METER, WORD, ("primary", "secondary"), least=0),
            Field("meter_cents", METER_CENTS, least=0),
            Field("by", AUTHORISER, WORD, "supervisors", least=1),
        ),
    ),
    ops.ROUND_END: ("round_end", ()),
    ops.CLOSE: ("close", ()),
    ops.SHOE_LOADED: (
        "shoe_loaded",
        (
            Field("shoe", CENTS_LOW, WORD, "shoes"),
            Field("decks_id", CENTS_HIGH, WORD, "sets", least=1),
            Field("decks", SEAT),
            Field("cards", FLAGS_ABOVE, least=1),
            Field("shuffle", KIND, WORD, ops.SHUFFLES),
            Field("from", FIRST_FLAG, WORD, ("decks", "discards"), least=1),
        ),
    ),
    ops.DRAW: (
        "draw",
        (
            _SHOE,
            Field("n", AUX),
            Field("card", CARD, WORD, cards.NAMES),
            Field("face", FIRST_FLAG, WORD, ("down", "up")),
        ),
    ),
    ops.CUT_CARD: ("cut_card", (_SHOE, Field("n", AUX))),
    ops.SHOE_ENDED: ("shoe_ended", (_SHOE, Field("remaining", AUX))),
    ops.HOLE_CHECK: ("hole_card_check", (Field("result", KIND, WORD, ops.CHECK_RESULTS),)),
    ops.READER_CHECK: (
        "reader_check",
        (
            Field("result", KIND, WORD, ("ok", "fault")),
            Field("by", SUPERVISOR, WORD, "supervisors", least=1),
        ),
    ),
    ops.FAULT: ("fault", _DEVICE),
    ops.REPAIRED: ("repaired", _DEVICE),
}


class Words(NamedTuple):
    """All words one after another, and where each begins."""

    text: U8
    starts: I64


class Plan(NamedTuple):
    """``FIELDS`` as numbers: a row per field, the rows and the type's word of each operation."""

    fields: I64  # key (a word), origin, form, vocabulary, least
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


def _plan() -> tuple[Plan, list[bytes], list[int]]:
    """The plan, the words that every table has, and where the vocabularies begin among them."""
    words = [mark.encode() for mark in _MARKS]
    vocabularies: dict[tuple[str, ...] | str, int] = {(): 0}
    vocabularies |= {name: n for n, name in enumerate(_LISTS, 1)}
    bases = [0] * len(vocabularies)
    rows, first, types = [], [0], []
    for op in range(ops.ROUND_BEGIN + 1):
        type_, fields = FIELDS.get(op, ("", ()))
        types.append(len(words))
        words.append(f'","type":"{type_}"'.encode())
        for field in fields:
            if field.words not in vocabularies:
                vocabularies[field.words] = len(bases)
                bases.append(len(words))
                words += _quoted(field.words)
            rows.append((len(words), field.origin, field.form, vocabularies[field.words], field.least))
            words.append(f',"{field.name}":'.encode())
        first.append(len(rows))
    return Plan(*(np.array(column, np.int64) for column in (rows, first, types))), words, bases


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
