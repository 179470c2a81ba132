"""The looks of a rulebook's table, and the names of its simulated house: nothing here decides a round."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from zoneinfo import available_timezones

from replay.kinds import MOST_CENTS, Either, Fields, Flag, Kind, ListOf, Text, Whole, Wholes, Words
from replay.library import OF_THE_PACKAGE, PRESENTATION
from replay.rulebook_checks import nearest
from replay.rulebook_file import Rulebook, RulebookError
from replay.settings import OPTIONS, READINGS
from replay.toml_lines import line_of

_SIDES: Final = ("match", "pair", "bonus-spin", "bsx16")
POSTED: Final = "posted"  # a figure that follows from the table's limits
_VALUE: Final = Either(Flag(), Whole(0, MOST_CENTS), Text())
_COLOUR: Final = Wholes(0, 255, 3, count=3, rising=False)
_KINDS: Final[Mapping[str, Kind]] = {
    "like": Text(),
    "house": Text(),
    "timezone": Words(*sorted(available_timezones())),
    "table_prefix": Text(),
    "game": Text(),
    "blackjack": Text(),
    "felt": _COLOUR,
    "ink": _COLOUR,
    "sides": ListOf(Words(*_SIDES)),
    "tables": ListOf(Fields(dict.fromkeys(OPTIONS, _VALUE), frozenset(OPTIONS))),
    "refused": ListOf(
        Fields(
            {"option": Words(*OPTIONS), "reading": Words(*READINGS), "value": _VALUE, "clause": Text()},
            frozenset({"option", "reading", "clause"}),
        )
    ),
}

Colour = tuple[int, int, int]


class RefusedSetting(NamedTuple):
    """Something that floor.toml may ask for in vain, and the clause against it, where one speaks of it."""

    group: str
    name: str
    value: Any
    clause: str


@dataclass(frozen=True)
class Presentation:
    """A rulebook's felt, and a simulated house that plays by it."""

    house: str
    timezone: str
    table_prefix: str
    game: str
    blackjack: str
    felt: Colour
    ink: Colour
    sides: tuple[str, ...]
    tables: tuple[Mapping[str, Any], ...]
    refused: tuple[RefusedSetting, ...]


def presentation(book: Rulebook) -> Presentation:
    """Read the file beside the rulebook, or the package's; else return what follows from the rulebook."""
    own = Path(book.file).parent / PRESENTATION
    said = _section(own, book.id) or _section(OF_THE_PACKAGE / PRESENTATION, book.id)
    sides = [side for side in _SIDES if _may_be_offered(book, side.replace("-", "_"))]
    refused = said.get("refused", [])
    return Presentation(
        house=said.get("house", "Riverside Casino"),
        timezone=said.get("timezone", "UTC"),
        table_prefix=said.get("table_prefix", "T"),
        game=said.get("game", book.title.upper()),
        blackjack=said.get("blackjack", "BLACKJACK"),
        felt=tuple(said.get("felt", (60, 96, 40))),
        ink=tuple(said.get("ink", (215, 230, 240))),
        sides=tuple(said.get("sides", sides)),
        tables=tuple(said.get("tables", [{}])),
        refused=tuple(map(_refused, refused)),
    )


def _refused(row: Mapping[str, Any]) -> RefusedSetting:
    group = "options" if "option" in row else "readings"
    return RefusedSetting(group, row.get("option") or row["reading"], row["value"], row.get("clause", ""))


def _may_be_offered(book: Rulebook, name: str) -> bool:
    option = book.options.get(name)
    return option is not None and any(value is not False for value in (option.default, *option.permitted))


def _section(path: Path, book_id: str) -> dict[str, Any]:
    """A rulebook's entry with what it takes over from another; empty where there is none."""
    try:
        entries = _entries(path, path.stat().st_mtime_ns)
    except OSError:
        return {}
    found = dict(entries.get(book_id, {}))
    like = found.pop("like", None)
    if like is None:
        return found
    other = entries.get(like) or _section(OF_THE_PACKAGE / PRESENTATION, like)
    if not other:
        raise RulebookError(f"{path}: {book_id}: like is {like!r}, expected one of {', '.join(entries)}")
    return {**other, **found}


@lru_cache(maxsize=64)
def _entries(path: Path, mtime_ns: int) -> Mapping[str, Mapping[str, Any]]:
    text = path.read_text(encoding="utf-8")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulebookError(f"{path}: {error}") from None
    for book_id, entry in data.items():
        if not isinstance(entry, Mapping):
            raise RulebookError(f"{path}:{line_of(text, (book_id,))}: {book_id!r}, expected [{book_id!r}]")
        for name, value in entry.items():
            where = f"{path}:{line_of(text, (book_id, name))}: {book_id}: "
            if name not in _KINDS:
                raise RulebookError(f"{where}{name!r} is no key of a presentation; {nearest(name, _KINDS)}")
            if not _KINDS[name].allows(value):
                raise RulebookError(f"{where}{name} is {value!r:.60}, expected {_KINDS[name].expected():.200}")
    return data
