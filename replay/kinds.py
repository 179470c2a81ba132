"""Kinds of values that a rulebook or floor.toml may hold: which are allowed, how a message names them, their number."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Protocol

from replay.cards import RANKS

MOST_CENTS: Final = 1 << 53


class Kind(Protocol):
    """A kind of value."""

    def allows(self, value: Any) -> bool:
        """Tell whether a value is of this kind."""

    def expected(self) -> str:
        """The expected value, in the words of an error message."""


class NumberKind(Kind, Protocol):
    """A kind whose values the engine takes as one number."""

    def number(self, value: Any) -> int:
        """The engine's number for a value."""


@dataclass(frozen=True)
class Text:
    """Text that says something."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and bool(value.strip())

    def expected(self) -> str:
        return "text"


@dataclass(frozen=True)
class Flag:
    """True or false; 1 or 0 for the engine."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, bool)

    def expected(self) -> str:
        return "true or false"

    def number(self, value: bool) -> int:
        return int(value)


@dataclass(frozen=True, init=False)
class Words:
    """One of several words; the engine takes its place among them."""

    choices: tuple[str | bool, ...]

    def __init__(self, *choices: str | bool) -> None:
        object.__setattr__(self, "choices", choices)

    def allows(self, value: Any) -> bool:
        return any(value == choice and type(value) is type(choice) for choice in self.choices)

    def expected(self) -> str:
        return " or ".join(toml(choice) for choice in self.choices)

    def number(self, value: str | bool) -> int:
        return self.choices.index(value)


@dataclass(frozen=True)
class Whole:
    """A whole number in a range; ``or_false`` where false stands for none, which is 0."""

    low: int
    high: int
    or_false: bool = False

    def allows(self, value: Any) -> bool:
        if isinstance(value, bool):
            return self.or_false and not value
        return isinstance(value, int) and self.low <= value <= self.high

    def expected(self) -> str:
        return f"a whole number from {self.low} to {self.high}" + (" or false" if self.or_false else "")

    def number(self, value: int) -> int:
        return int(value)


@dataclass(frozen=True)
class Wholes:
    """A list of whole numbers in a range, each once, rising; ``count`` where their number is fixed."""

    low: int
    high: int
    most: int
    count: int | None = None
    rising: bool = True

    def allows(self, value: Any) -> bool:
        if not isinstance(value, list) or not 1 <= len(value) <= self.most or self.count not in (None, len(value)):
            return False
        one = Whole(self.low, self.high)
        return all(map(one.allows, value)) and (not self.rising or value == sorted(set(value)))

    def expected(self) -> str:
        how_many = str(self.count) if self.count else f"1 to {self.most}"
        rising = ", each once and rising" if self.rising else ""
        return f"a list of {how_many} whole numbers from {self.low} to {self.high}{rising}"


@dataclass(frozen=True)
class Ranks:
    """Ranks of cards such as ``AKQJ``, or a word for all of them; the engine takes a mask with a bit for each."""

    word_for_all: str = ""

    def allows(self, value: Any) -> bool:
        if not isinstance(value, str):
            return False
        is_all = bool(self.word_for_all) and value == self.word_for_all
        return is_all or (set(value) <= set(RANKS) and len(set(value)) == len(value))

    def expected(self) -> str:
        return "ranks such as 'AKQJ', each once" + (f", or {self.word_for_all!r}" if self.word_for_all else "")

    def number(self, value: str) -> int:
        letters = RANKS if self.word_for_all and value == self.word_for_all else value
        return sum(1 << RANKS.index(letter) for letter in letters)


_RATIO: Final = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})|[01]")


@dataclass(frozen=True)
class Share:
    """A share of something, such as ``1/2``."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and bool(_RATIO.fullmatch(value)) and Fraction(value) <= 1

    def expected(self) -> str:
        return "a share from 0 to 1, such as '1/2'"


_ODDS: Final = re.compile(r"(\d{1,6}):([1-9]\d{0,5})")


@dataclass(frozen=True)
class Odds:
    """Odds such as ``3:2``."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and bool(_ODDS.fullmatch(value))

    def expected(self) -> str:
        return "odds such as '3:2'"


@dataclass(frozen=True, init=False)
class Either:
    """A value of one of several kinds."""

    kinds: tuple[Kind, ...]

    def __init__(self, *kinds: Kind) -> None:
        object.__setattr__(self, "kinds", kinds)

    def allows(self, value: Any) -> bool:
        return any(kind.allows(value) for kind in self.kinds)

    def expected(self) -> str:
        return " or ".join(kind.expected() for kind in self.kinds)


@dataclass(frozen=True)
class Fields:
    """Values by name, each of its own kind; those in ``optional`` may be left out."""

    kinds: Mapping[str, Kind]
    optional: frozenset[str] = frozenset()

    def allows(self, value: Any) -> bool:
        return (
            isinstance(value, Mapping)
            and set(self.kinds) - self.optional <= set(value) <= set(self.kinds)
            and all(self.kinds[name].allows(each) for name, each in value.items())
        )

    def expected(self) -> str:
        told = (
            f"{name} ({kind.expected()}{', optional' if name in self.optional else ''})"
            for name, kind in self.kinds.items()
        )
        return f"{{ {', '.join(told)} }}"


@dataclass(frozen=True)
class ListOf:
    """A list whose items are of one kind."""

    item: Kind
    most: int = 1000

    def allows(self, value: Any) -> bool:
        return isinstance(value, list) and len(value) <= self.most and all(map(self.item.allows, value))

    def expected(self) -> str:
        at_most = f" of at most {self.most}" if self.most < 1000 else ""
        return f"a list{at_most}, each {self.item.expected()}"


def toml(value: Any) -> str:
    """A value as TOML writes it, for messages."""
    return str(value).lower() if isinstance(value, bool) else repr(value)
