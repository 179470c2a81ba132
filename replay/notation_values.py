"""Values of the plain-text notation: how each kind is read from tokens and written.

A value in double quotes (as in JSON) may hold anything: spaces, commas, ``#``, words that otherwise mean something.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Final, NamedTuple

from replay import cards, ops
from replay.contract.events import EVENT_OF

AN_AMOUNT: Final = "an amount such as 25 or 12.50"

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|#.*|[^\s"#]+|"')
_MONEY = re.compile(r"-?(?:[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4})(?:\.[0-9][0-9])?")
_INTEGER = re.compile(r"-?[0-9]{1,17}")
_LARGEST = 10**17 - 1


FIRST_SHOE: Final = "S1"  # where no line names a shoe
DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CLOCK = re.compile(r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?")
_MOMENT = re.compile(r"([-0-9]{10}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]{3})?(Z|[+-][0-9]{2}:[0-9]{2})")
_CARDLIKE = re.compile(r"\^.*|(?:[0-9]{1,2}|[A-Z])[SHDC]")

Event = dict[str, Any]
"""An event of the landing zone, with its ``source``, without ``table`` and ``seq``; ``ts`` only where written."""


@dataclass(frozen=True)
class Script:
    """A floor with one table, as tomllib gives floor.toml, and what happened at it."""

    floor: dict[str, Any]
    events: tuple[Event, ...]


class NotationError(ValueError):
    """A text that is not in the notation; one line that names the place, what was expected and what was found."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class Line:
    """One statement's tokens, taken from left to right. Quoted tokens keep their quotes until ``plain``."""

    __slots__ = ("number", "position", "stops", "tokens", "ts")

    def __init__(self, number: int, tokens: list[str]) -> None:
        self.number = number
        self.tokens = tokens
        self.position = 0
        self.stops: Collection[str] = ()  # the words that end a free text
        self.ts: str | None = None

    def peek(self) -> str:
        """The next token, empty at the end of the line."""
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self, expected: str) -> str:
        if self.position >= len(self.tokens):
            raise self.error(expected)
        self.position += 1
        return self.tokens[self.position - 1]

    def word(self, expected: str) -> None:
        """Takes exactly this word."""
        token = self.take(f"'{expected}'")
        if token != expected:
            raise self.error(f"'{expected}'", token)

    def finish(self) -> None:
        if self.position < len(self.tokens):
            raise self.error("the end of the line", self.tokens[self.position])

    def error(self, expected: str, found: str = "", advice: str = "") -> NotationError:
        seen = f"'{found}'" if found else "the end of the line"
        return NotationError(self.number, f"expected {expected}, found {seen}{'; ' if advice else ''}{advice}")


def tokens_of(number: int, line: str) -> list[str]:
    """The words and quoted texts of a line, without its comment."""
    if '"' not in line:
        return line.partition("#")[0].split()
    tokens = _TOKEN.findall(line)
    if tokens[-1][0] == "#":
        tokens.pop()
    if '"' in tokens:
        raise NotationError(number, "expected a closing quote, found the end of the line; quotes come in pairs")
    return tokens


def plain(line: Line, token: str) -> str:
    """A token's text, without quotes."""
    if token[0] != '"':
        return token
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        raise line.error("a quoted text with no escapes but those of JSON", token) from None


def is_bare(word: str, stops: Collection[str] = ()) -> bool:
    """Tell whether a word can stand without quotes."""
    return word.split() == [word] and word[0] != "@" and '"' not in word and "#" not in word and word not in stops


def quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def nearest(word: str, choices: Iterable[str]) -> str:
    """Advice for a word that is none of the choices; empty where none is near."""
    close = get_close_matches(word, choices, 1)
    return f"did you mean '{close[0]}'?" if close else ""


def is_money(token: str) -> bool:
    return _MONEY.fullmatch(token) is not None


def _whole(token: str) -> int:
    """A token of plain digits as a number, -1 for any other."""
    return int(token) if token.isascii() and token.isdigit() and len(token) <= 17 else -1


def is_cardlike(token: str) -> bool:
    """Tell whether a word was meant as a card, right or wrong."""
    return _CARDLIKE.fullmatch(token) is not None


def moment(text: str, day: str) -> str | None:
    """A time as RFC 3339 with milliseconds, None where it is none."""
    if _CLOCK.fullmatch(text):
        text = f"{day}T{text}+00:00"
    match = _MOMENT.fullmatch(text)
    if match is None:
        return None
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return None
    return f"{match[1]}{match[2] or '.000'}{match[3]}"


class Value(NamedTuple):
    """A field's reader and writer. ``write`` raises ValueError for a value that it cannot write."""

    read: Callable[[Line], Any]
    write: Callable[[Any, Collection[str]], str]


def _text_of(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, found {value!r}")
    return value


def _word() -> Value:
    def write(value: Any, stops: Collection[str]) -> str:
        return value if is_bare(_text_of(value)) and value != "ends" else quoted(value)

    return Value(lambda line: plain(line, line.take("a word")), write)


def _text(*, commas: bool) -> Value:
    def read(line: Line) -> str:
        start = line.position
        while (token := line.peek()) and token not in line.stops:
            if not commas and "," in token and token[0] != '"':
                raise line.error("one name without a comma", token, "put it in quotes if the comma belongs to it")
            line.position += 1
        if line.position == start:
            raise line.error("a name", token)
        return " ".join([plain(line, token) for token in line.tokens[start : line.position]])

    def write(value: Any, stops: Collection[str]) -> str:
        bare = all(is_bare(word, stops) for word in _text_of(value).split(" ")) and (commas or "," not in value)
        return value if bare else quoted(value)

    return Value(read, write)


def _integer(least: int, what: str) -> Value:
    def read(line: Line) -> int:
        token = line.take(what)
        number = _whole(token)
        if number < least:
            raise line.error(what, token)
        return number

    def write(value: Any, stops: Collection[str]) -> str:
        if type(value) is not int or not least <= value <= _LARGEST:
            raise ValueError(f"expected {what}, found {value!r}")
        return str(value)

    return Value(read, write)


def money(*, signed: bool) -> Value:
    def read(line: Line) -> int:
        token = line.take(AN_AMOUNT)
        if not is_money(token) or (token[0] == "-" and not signed):
            raise line.error(AN_AMOUNT, token)
        dollars, _, cents = token.lstrip("-").replace(",", "").partition(".")
        amount = int(dollars) * 100 + int(cents or 0)
        return -amount if token[0] == "-" else amount

    def write(value: Any, stops: Collection[str]) -> str:
        if type(value) is not int or abs(value) > _LARGEST or (value < 0 and not signed):
            raise ValueError(f"expected whole cents, found {value!r}")
        dollars, cents = divmod(abs(value), 100)
        return f"{'-' if value < 0 else ''}{dollars}{f'.{cents:02}' if cents else ''}"

    return Value(read, write)


def choice(what: str, *choices: str) -> Value:
    """One of some words."""
    expected = f"{what} ({', '.join(choices)})"

    def read(line: Line) -> str:
        token = line.take(expected)
        if token not in choices:
            raise line.error(expected, token, nearest(token, choices))
        return token

    def write(value: Any, stops: Collection[str]) -> str:
        if value not in choices:
            raise ValueError(f"expected {expected}, found {value!r}")
        return str(value)

    return Value(read, write)


def _items(item: Value, *, or_one: bool) -> Value:
    """A list with commas. With ``or_one``, a lone item is no list unless a comma follows it."""

    def read(line: Line) -> Any:
        joined = line.peek()
        line.position += bool(joined)
        while (token := line.peek()) and (token[0] == "," or (joined[-1] == "," and token not in line.stops)):
            joined += token
            line.position += 1
        parts = joined.split(",")
        comma = or_one and len(parts) > 1 and not parts[-1]
        line_of_items = Line(line.number, parts[:-1] if comma else parts)
        values = [item.read(line_of_items) for _ in line_of_items.tokens]
        return values[0] if or_one and len(values) == 1 and not comma else values

    def write(value: Any, stops: Collection[str]) -> str:
        if or_one and not isinstance(value, list):
            return item.write(value, stops)
        if not isinstance(value, list) or not value:
            raise ValueError(f"expected a list with something in it, found {value!r}")
        return ", ".join([item.write(one, stops) for one in value]) + ("," if or_one and len(value) == 1 else "")

    return Value(read, write)


def _names() -> Value:
    """Names with commas between them; each may have several words."""

    def read(line: Line) -> list[str]:
        names: list[list[str]] = [[]]
        while (token := line.peek()) and token not in line.stops:
            line.position += 1
            pieces = [plain(line, token)] if token[0] == '"' else token.split(",")
            for index, piece in enumerate(pieces):
                if index:
                    names.append([])
                if piece or token[0] == '"':
                    names[-1].append(piece)
        if not all(names):
            raise line.error("a name on both sides of a comma", token)
        return [" ".join(words) for words in names]

    return Value(read, _items(NAME, or_one=False).write)


def flag() -> Value:
    def read(line: Line) -> bool:
        refuted = line.peek() == "no"
        line.position += refuted
        return not refuted

    def write(value: Any, stops: Collection[str]) -> str:
        if not isinstance(value, bool):
            raise ValueError(f"expected true or false, found {value!r}")
        return "" if value else "no"

    return Value(read, write)


def refused() -> Value:
    def read(line: Line) -> Any:
        line.word("by")
        return BETTORS.read(line)

    return Value(read, lambda value, stops: f"by {BETTORS.write(value, stops)}")


def _card() -> Value:
    def read(line: Line) -> tuple[str, str]:
        token = line.take("a card such as 7S")
        name = token.removeprefix("^")
        if name not in cards.BY_NAME:
            raise line.error("a card such as 7S", token)
        return name, "up" if token[0] == "^" else "down"

    def write(value: Any, stops: Collection[str]) -> str:
        name, face = value
        if not isinstance(name, str) or name not in cards.BY_NAME or face not in ("up", "down"):
            raise ValueError(f"expected a card such as 7S that lies up or down, found {name!r} {face!r}")
        return f"^{name}" if face == "up" else str(name)

    return Value(read, write)


def _setting() -> Value:
    """An option's value: true, false, an integer or a word."""
    expected = "true, false, an integer or a word"

    def read(line: Line) -> bool | int | str:
        token = line.take(expected)
        if token in ("true", "false"):
            return token == "true"
        if _INTEGER.fullmatch(token):
            return int(token)
        if token[0] in "+-.0123456789":
            raise line.error(expected, token, "put it in quotes if it is a word")
        return plain(line, token)

    def write(value: Any, stops: Collection[str]) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int) and abs(value) <= _LARGEST:
            return str(value)
        if not isinstance(value, str):
            raise ValueError(f"expected {expected}, found {value!r}")
        return value if is_bare(value, ("true", "false")) and value[0] not in "+-.0123456789" else quoted(value)

    return Value(read, write)


def meter() -> Value:
    """A meter's name, its amount, or both: the fields ``meter`` and ``meter_cents`` that are there."""

    def read(line: Line) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if not is_money(line.peek()):
            found["meter"] = METER_NAME.read(line)
        if is_money(line.peek()):
            found["meter_cents"] = MONEY.read(line)
        return found

    def write(value: Any, stops: Collection[str]) -> str:
        name = [METER_NAME.write(value["meter"], stops)] if "meter" in value else []
        return " ".join(name + ([MONEY.write(value["meter_cents"], stops)] if "meter_cents" in value else []))

    return Value(read, write)


def words_of(event: str, name: str) -> tuple[str, ...]:
    """Return the words that the contract has for a field."""
    return next(field.form.words for field in EVENT_OF[event].fields if field.name == name)


WORD: Final = _word()
TEXT: Final = _text(commas=True)
NAME: Final = _text(commas=False)
NAMES: Final = _names()
COUNT: Final = _integer(0, "a whole number")
NUMBER: Final = _integer(1, "a number from 1")
MONEY: Final = money(signed=False)
SIGNED_MONEY: Final = money(signed=True)
CARD: Final = _card()
SETTING: Final = _setting()
KIND: Final = choice("a kind", *words_of("wager", "kind"))
SETTLE_KIND: Final = choice("a kind", *words_of("settle", "kind"))
ACTION: Final = choice("an action", *words_of("decision", "action"))
SYSTEM: Final = choice("a progressive", *ops.SYSTEMS)
METER_NAME: Final = choice("a meter", *words_of("progressive", "meter"))
BETTORS: Final = _items(NUMBER, or_one=False)
RULINGS: Final = _items(choice("a ruling", *ops.RULINGS), or_one=True)
ORDINALS: Final = _items(NUMBER, or_one=True)


def say(values: dict[str, Any], key: str, value: Value, stops: Collection[str] = ()) -> str:
    """A field in the notation; takes it out of ``values``."""
    if key not in values:
        raise ValueError(f"the field {key!r} is missing")
    try:
        return value.write(values.pop(key), stops)
    except ValueError as error:
        raise ValueError(f"the field {key!r} cannot be written: {error}") from None
