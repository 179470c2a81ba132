"""The fields of a line as columns: a row per line, a column per field of the contract.

Numbers, truths and times are 64-bit integers; every text is the number of a *word* in a table of words; a list is the
word of its JSON text. ``ABSENT`` and word 0 stand for a field that a line does not have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from replay import ops
from replay.contract import forms
from replay.contract.events import EVENT_OF, EVENTS
from replay.contract.events import SOURCES as SOURCES
from replay.contract.forms import listed as listed
from replay.contract.read import FieldError, Fields, read_fields, shown
from replay.contract.stored import COLUMNS

I64 = npt.NDArray[np.int64]
I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

ABSENT: Final = -(1 << 63)

TERMINAL, SHOE, CAMERA = range(3)

# Types of line, by source; the number of a type is its place in TYPES.
TYPES: Final = tuple(event.name for event in EVENTS)
TYPES_OF: Final[dict[str, tuple[str, ...]]] = {
    source: tuple(event.name for event in EVENTS if event.source == source) for source in SOURCES
}

_NOTED: Final = (*TYPES_OF["terminal"], *TYPES_OF["shoe"])  # what a tape has

# Columns of the fields. Whole numbers; truths are 0 and 1; times are milliseconds since 1970; shares are millionths.
NUMBERS: Final = tuple(name for name, column in COLUMNS.items() if column.form.kind in forms.NUMERIC)
# Texts; the word of a list is compact JSON, also where a line has one value only.
TEXTS: Final = tuple(name for name in COLUMNS if name not in NUMBERS)

NUMBER_OF: Final[dict[str, int]] = {name: place for place, name in enumerate(NUMBERS)}
TEXT_OF: Final[dict[str, int]] = {name: place for place, name in enumerate(TEXTS)}
TYPE_OF: Final[dict[str, int]] = {name: place for place, name in enumerate(TYPES)}


# Words that every table of words begins with, so that their numbers are constants: "" is word 0.
SEEDS: Final[tuple[str, ...]] = tuple(
    dict.fromkeys(
        (
            "",
            *(word for event in EVENTS for field in event.fields for word in field.form.words),
            *TYPES,
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


class Cells(Protocol):
    """Rows that fields are put into."""

    @property
    def numbers(self) -> I64: ...

    @property
    def texts(self) -> I32: ...


@dataclass(frozen=True)
class Lines:
    """Accepted lines of one table on one gaming day, and the words that their texts stand for."""

    columns: Columns
    words: list[str]

    def __len__(self) -> int:
        return len(self.columns.type)


def put(columns: Cells, row: int, fields: Fields, words: dict[str, int]) -> None:
    """Put the fields of an event into its row; adds to the words."""
    for name, value in fields.items():
        if isinstance(value, str) and name in TEXT_OF:
            columns.texts[TEXT_OF[name], row] = words.setdefault(value, len(words))
        elif name in NUMBER_OF:
            columns.numbers[NUMBER_OF[name], row] = value


def lines_of_events(events: Sequence[Mapping[str, Any]]) -> Lines:
    """Return events that are no lines of files as lines without numbers; ``FieldError`` names a field."""
    columns, words = Columns.blank(len(events)), dict(SEED_OF)
    for row, event in enumerate(events):
        kind = event.get("type")
        if kind not in _NOTED:
            raise FieldError(f"type: found {shown(kind)}, expected one of {', '.join(_NOTED)}")
        fields = read_fields(EVENT_OF[kind], event, is_line=False)
        fields.pop("seq", None)
        put(columns, row, fields, words)
        columns.source[row], columns.type[row] = SOURCES.index(EVENT_OF[kind].source), TYPE_OF[kind]
    return Lines(columns, list(words))
