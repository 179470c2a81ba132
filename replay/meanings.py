"""The meanings of a table's words, as arrays that compiled code can index by word."""

import json
from typing import Final, NamedTuple

import numpy as np

from replay import cards, codes, ops
from replay.columns import I64, SEEDS, TEXT_OF, Lines
from replay.tape import symbol

# Closed vocabularies: a row of SEED_CODES each, the place of a seed word in it, -1 where it has none.
_VOCABULARIES: Final[dict[str, tuple[str, ...]]] = {
    "kind": ops.KINDS,
    "action": ops.ACTIONS,
    "progressive": ops.PROGRESSIVE_ACTIONS,
    "system": ops.SYSTEMS,
    "what": ops.OFFERS,
    "state": ("open", "closed"),
    "code": tuple(code.name for code in codes.CODES),
    "card": cards.NAMES,
    "face": ("down", "up"),
    "shuffle": ops.SHUFFLES,
    "from": ("decks", "discards"),
    "result": ops.CHECK_RESULTS,
    "reader": ("ok", "fault"),
    "device": ops.DEVICES,
    "meter": ("primary", "secondary"),
}
(KIND, ACTION, PROGRESSIVE, SYSTEM, WHAT, STATE, CODE, CARD, FACE, SHUFFLE, FROM, RESULT, READER, DEVICE, METER) = (
    range(len(_VOCABULARIES))
)
SEED_CODES: Final = np.array(
    [[names.index(word) if word in names else -1 for word in SEEDS] for names in _VOCABULARIES.values()], np.int64
)


class Meanings(NamedTuple):
    """By word: what it means where it is a list or a symbol."""

    rulings: I64  # bits
    members: I64  # bits of the numbers in a list
    symbol: I64  # class
    amount: I64  # cents
    first: I64  # of a list of ordinals: where its numbers begin in ``ordinals``
    size: I64  # ... and how many there are; of a list of people likewise
    ordinals: I64


def meanings(lines: Lines) -> Meanings:
    """The meanings of the words that stand in list and symbol columns."""
    rulings, members, symbols, amounts, first, size = (np.zeros(len(lines.words), np.int64) for _ in range(6))
    ordinals: list[int] = []
    for word in _used(lines, "ruling"):
        rulings[word] = sum({ops.RULING_BITS[name] for name in json.loads(lines.words[word])})
    for name in ("bettors", "refused_by"):
        for word in _used(lines, name):
            members[word] = sum({1 << number for number in json.loads(lines.words[word])})
    for word in _used(lines, "symbol"):
        symbols[word], amounts[word] = symbol(lines.words[word])
    for word in _used(lines, "n_list"):
        numbers = json.loads(lines.words[word])
        first[word], size[word] = len(ordinals), len(numbers)
        ordinals += numbers
    for word in _used(lines, "by"):
        size[word] = len(people(lines.words[word]))
    return Meanings(rulings, members, symbols, amounts, first, size, np.array(ordinals, np.int64))


def people(text: str) -> list[str]:
    """Read the names in a ``by``: one name, or a list of them as JSON."""
    try:
        names = json.loads(text) if text.startswith("[") else text
    except ValueError:
        names = text
    return names if isinstance(names, list) else [text]


def _used(lines: Lines, name: str) -> list[int]:
    used: list[int] = np.unique(lines.columns.texts[TEXT_OF[name]]).tolist()
    return [word for word in used if word]
