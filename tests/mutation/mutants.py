"""All single changes to what the clauses of a rulebook say."""

import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from replay import ops
from replay.rulebook_checks import CAMERA_CODES

MUTATED: Final = ("settles", "checks", "rules", "configures")
DOLLAR_CENTS: Final = 100
UNKNOWN: Final = "mutated"

# What a word can be replaced by: the words that the engine knows in its place.
WORDS: Final = (
    {"stop", "without-reader"},
    {"draws", "stands"},
    {"wins-at-once", "beats-dealer-21"},
    {"normal", "first-two-count-one", "initial-deal-counts-one"},
    {"first-two", "two-or-more"},
    {"none", "table-minimum", "increment"},
    {"once-one-card", "free"},
    {"first-hand", "either-hand"},
    {"first", "turn"},
    {"after-second-card", "after-check"},
    {"free", "collect-then-pay", "right-to-left"},
    {"finish-round", "reshuffle-at-once"},
    {"fixed", "meter"},
)
# The same word in two places, with other choices.
WORDS_OF: Final[Mapping[str, tuple[Any, ...]]] = {
    "cut_needed": ("always", "not-after-machine"),
    "split_aces": ("once-one-card", "free"),
    "settle_order": ("free", "collect-then-pay", "right-to-left"),
    "match_order": ("free", "collect-then-pay", "right-to-left"),
    "hole_card": ("never", "always"),
    "reader": ("never", "always"),
    "burn_first": (True, False),
    "bsx16.jackpot": (UNKNOWN,),
}
_RANKS: Final = frozenset("A23456789JQK")


@dataclass(frozen=True)
class Mutant:
    """One change: where in the clause it is, and what stands there instead (nothing: the entry is removed)."""

    book: str
    clause: str
    path: tuple[str | int, ...]
    value: Any
    told: str

    def data(self) -> dict[str, Any]:
        """The rulebook's TOML with the change."""
        source = read(self.book)
        clause = deepcopy(source["clauses"][self.clause])
        parent = clause
        for step in self.path[:-1]:
            parent = parent[step]
        if self.value is None:
            del parent[self.path[-1]]
            clause["does"] = "defines"  # else the rulebook refuses a clause left empty, and no round is asked
        else:
            parent[self.path[-1]] = self.value
        return {**source, "clauses": {**source["clauses"], self.clause: clause}}

    def __str__(self) -> str:
        return f"{self.clause}: {self.told}"


@lru_cache
def read(book: str) -> dict[str, Any]:
    """The TOML of a rulebook."""
    return tomllib.loads(resources.files("replay.rulebooks").joinpath(f"{book}.toml").read_text(encoding="utf-8"))


def mutants(book: str) -> list[Mutant]:
    """All mutants of a rulebook, in the order of its clauses."""
    found = []
    for key, row in read(book)["clauses"].items():
        if row["does"] in MUTATED:
            found += [Mutant(book, key, *change) for change in _changes(row)]
    return found


def _changes(row: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any, str]]:
    for name, value in row.get("sets", {}).items():
        for path, old, new in _others(name, value):
            yield ("sets", name, *path), new, f"{'.'.join(map(str, (name, *path)))} {_show(old)} -> {_show(new)}"
    for n, cited in enumerate(row.get("cites", ())):
        if cited not in CAMERA_CODES:  # the camera is not replayed
            yield ("cites", n), None, f"no longer cites {cited}"
    known = {ruling for rulings in row.get("prescribes", ()) for ruling in rulings} | set(row.get("permits", ()))
    for n, rulings in enumerate(row.get("prescribes", ())):
        for k, ruling in enumerate(rulings):
            new = next(other for other in ops.RULING_BITS if other not in known)
            yield ("prescribes", n, k), new, f"prescribes {new} instead of {ruling}"


def _others(name: str, value: Any) -> Iterator[tuple[tuple[str | int, ...], Any, Any]]:
    """Path within the value, what stands there, and what else could."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from (((key, *path), old, new) for path, old, new in _others(key, part))
    elif isinstance(value, list):
        for n, part in enumerate(value):
            yield from (((n, *path), old, new) for path, old, new in _others(name, part))
    elif name in WORDS_OF:
        yield from (((), value, new) for new in WORDS_OF[name] if new != value or type(new) is not type(value))
    elif value == "option":
        yield from (((), value, new) for new in (2, 3, 4))
    elif isinstance(value, bool):
        yield (), value, not value
    elif isinstance(value, int):
        step = DOLLAR_CENTS if value >= DOLLAR_CENTS else 1
        yield (), value, value + step
        yield (), value, value - step
    else:
        yield from (((), value, new) for new in _words(str(value)))


def _words(value: str) -> list[str]:
    paid, _, staked = value.partition(":")
    if paid.isdigit() and staked.isdigit():
        return [f"{int(paid) // int(staked) + 1}:1"]
    top, _, bottom = value.partition("/")
    if top.isdigit() and bottom.isdigit():
        return [f"{top}/{int(bottom) + 1}", f"{top}/{int(bottom) - 1}"]
    if value == "any" or set(value) <= _RANKS:
        ranks = "A23456789JQK" if value == "any" else value
        fewer = [ranks.replace(rank, "") for rank in ranks]
        return [*fewer, *([] if value == "any" else [value + "9"])]
    for choices in WORDS:
        if value in choices:
            return sorted(choices - {value})
    return [UNKNOWN]


def _show(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value) if value == "" else str(value)
