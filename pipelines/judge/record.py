"""A table's lines as events, made when they are looked at."""

from collections.abc import Sequence
from typing import Any, Final, overload

from pipelines.ingest.columns import ABSENT, LISTS, NUMBERS, SOURCES, TEXTS, TIMES, TRUTHS, TYPES, Lines
from pipelines.judge.arrow import read_list
from pipelines.judge.words import people
from replay.tape import Event

_PLAIN: Final = tuple(name for name in NUMBERS if name not in TIMES and name != "confidence")


class Events(Sequence[Event]):
    """Events by the row of their line, as the source sent them but for the time, which is the corrected one."""

    def __init__(self, lines: Lines, corrected: Any) -> None:
        self.lines = lines
        self.corrected = corrected

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, row: int) -> Event: ...

    @overload
    def __getitem__(self, row: slice) -> "list[Event]": ...

    def __getitem__(self, row: int | slice) -> "Event | list[Event]":
        if isinstance(row, slice):
            return [self[n] for n in range(*row.indices(len(self)))]
        columns, words = self.lines.columns, self.lines.words
        event: dict[str, Any] = {"source": SOURCES[columns.source[row]], "type": TYPES[columns.type[row]]}
        event["ms"] = int(self.corrected[row])
        for name in _PLAIN:
            value = int(columns.number(name)[row])
            if value != ABSENT:
                event[name] = bool(value) if name in TRUTHS else value
        for name in TEXTS:
            word = int(columns.text(name)[row])
            if word:
                event["n" if name == "n_list" else name] = _value(name, words[word])
        return event


def _value(name: str, text: str) -> Any:
    if name in LISTS:
        return read_list(text)
    return people(text) if name == "by" and text.startswith("[") else text
