"""What a line can hold, as columns: a row per line, a column per field of the contract.

Numbers, truths and times are 64-bit integers; every text is the number of a *word* in a table of words; a list is the
word of its JSON text. ``ABSENT`` and word 0 stand for a field that a line does not have.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay import cards, codes, ops

I64 = npt.NDArray[np.int64]
I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

ABSENT: Final = -(1 << 63)

SOURCES: Final = ("terminal", "shoe", "camera")
TERMINAL, SHOE, CAMERA = range(3)

# Types of line, by source; the number of a type is its place in TYPES.
TYPES_OF: Final[dict[str, tuple[str, ...]]] = {
    "terminal": (
        *("open", "inspection", "dealer_change", "cut", "wager", "bets_closed", "offer", "decision", "assign"),
        *("withdraw", "settle", "irregularity", "progressive", "round_end", "close"),
    ),
    "shoe": (
        *("shoe_loaded", "draw", "cut_card", "shoe_ended", "hole_card_check", "reader_check", "fault", "repaired"),
    ),
    "camera": ("seen",),
}
TYPES: Final = tuple(name for source in SOURCES for name in TYPES_OF[source])

# Whole numbers; truths are 0 and 1; times are milliseconds since 1970.
NUMBERS: Final = (
    *("seq", "ts", "seat", "bettor", "hand", "for_bettor", "cents", "paid_cents", "taken_cents"),
    *("prize_cents", "meter_cents", "n", "decks", "cards", "tens_removed", "from_top", "from_bottom", "remaining"),
    *("order", "exposed", "sideways", "until", "confidence"),  # confidence: millionths
    "missed_card",  # an irregularity's ``card``: 1 or 2, where that of a draw is a text
    "inferred",  # 1 for an irregularity that nobody logged; no line of a file has it
)
TRUTHS: Final = frozenset({"exposed", "sideways"})
TIMES: Final = frozenset({"ts", "until"})
TEXTS: Final = (
    *("table", "device", "round", "shoe", "decks_id", "dealer", "patron", "kind", "action", "what", "state", "code"),
    *("system", "symbol", "meter", "card", "face", "shuffle", "from", "result", "camera", "zone"),
    *("by", "ruling", "bettors", "refused_by", "n_list"),  # n_list: an irregularity's several ``n``
)
# Texts that are lists: the word is compact JSON of the list, also where a line has one value only.
LISTS: Final = frozenset({"ruling", "bettors", "refused_by", "n_list"})  # ``by`` is a list if its word begins with [

NUMBER_OF: Final[dict[str, int]] = {name: place for place, name in enumerate(NUMBERS)}
TEXT_OF: Final[dict[str, int]] = {name: place for place, name in enumerate(TEXTS)}
TYPE_OF: Final[dict[str, int]] = {name: place for place, name in enumerate(TYPES)}


def listed(values: Sequence[int | str]) -> str:
    """The word of a list: compact JSON."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


# Words that every table of words begins with, so that their numbers are constants: "" is word 0.
SEEDS: Final[tuple[str, ...]] = tuple(
    dict.fromkeys(
        (
            "",
            *cards.NAMES[1:],
            *ops.KINDS,
            *ops.ACTIONS,
            *ops.OFFERS,
            *("open", "closed", "down", "up", "primary", "secondary", "decks", "discards", "ok"),
            *ops.SYSTEMS,
            *ops.PROGRESSIVE_ACTIONS,
            *ops.SHUFFLES,
            *ops.CHECK_RESULTS,
            *ops.DEVICES,
            *(code.name for code in codes.CODES),
            *("jackpot", "jackpot-secondary", "dealer", "discard", "burn"),
            *TYPES,
            *ops.RULINGS,
            *(listed([ruling]) for ruling in ops.RULINGS),
        )
    )
)
SEED_OF: Final[dict[str, int]] = {word: number for number, word in enumerate(SEEDS)}


class Columns(NamedTuple):
    """Rows of lines. ``numbers[NUMBER_OF[name]]`` and ``texts[TEXT_OF[name]]`` are a field's column."""

    file: I32  # which file of the table's day
    line: I32  # in the file, from 1
    source: U8
    type: U8
    offset_minutes: npt.NDArray[np.int16]  # of ``ts`` to UTC
    numbers: I64  # field, row
    texts: I32  # field, row
    stream: I32  # word of the device whose ``seq`` counts the row; a fault's ``device`` is the one that failed

    @classmethod
    def blank(cls, rows: int) -> "Columns":
        """Rows of no file and without any field."""
        return cls(
            file=np.full(rows, -1, np.int32),
            line=np.zeros(rows, np.int32),
            source=np.zeros(rows, np.uint8),
            type=np.zeros(rows, np.uint8),
            offset_minutes=np.zeros(rows, np.int16),
            numbers=np.full((len(NUMBERS), rows), ABSENT, np.int64),
            texts=np.zeros((len(TEXTS), rows), np.int32),
            stream=np.zeros(rows, np.int32),
        )

    def number(self, name: str) -> I64:
        """A field's column of numbers, a view."""
        column: I64 = self.numbers[NUMBER_OF[name]]
        return column

    def text(self, name: str) -> I32:
        """A field's column of words, a view."""
        column: I32 = self.texts[TEXT_OF[name]]
        return column

    def take(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> "Columns":
        """Some of the rows, in the order given."""
        places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return Columns(
            self.file[places],
            self.line[places],
            self.source[places],
            self.type[places],
            self.offset_minutes[places],
            np.take(self.numbers, places, axis=1),  # indexed, the fields' columns would not lie one after the other
            np.take(self.texts, places, axis=1),
            self.stream[places],
        )


@dataclass(frozen=True)
class Lines:
    """Accepted lines of one table on one gaming day, and the words that their texts stand for."""

    columns: Columns
    words: list[str]

    def __len__(self) -> int:
        return len(self.columns.type)
