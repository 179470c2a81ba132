"""The meanings of a table's words, as arrays that compiled code can index by word."""

import json
from typing import Final, NamedTuple

import numpy as np

from replay import ops
from replay.columns import I64, Lines
from replay.contract import forms
from replay.contract.stored import COLUMNS

_SYMBOLS: Final = {"jackpot": ops.JACKPOT, "jackpot-secondary": ops.JACKPOT_SECONDARY}
_COMMUNITY: Final = "community-"


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
    for word in _used(lines, forms.RULINGS):
        rulings[word] = sum({ops.RULING_BITS[name] for name in json.loads(lines.words[word])})
    for word in _used(lines, forms.MEMBERS):
        members[word] = sum({1 << number for number in json.loads(lines.words[word])})
    for word in _used(lines, forms.SEVERAL):
        numbers = json.loads(lines.words[word])
        first[word], size[word] = len(ordinals), len(numbers)
        ordinals += numbers
    for word in _used(lines, forms.SYMBOL):
        symbols[word], amounts[word] = symbol(lines.words[word])
    for word in _used(lines, forms.PEOPLE):
        size[word] = len(people(lines.words[word]))
    return Meanings(rulings, members, symbols, amounts, first, size, np.array(ordinals, np.int64))


def people(text: str) -> list[str]:
    """Read the names in a ``by``: one name, or a list of them as JSON."""
    try:
        names = json.loads(text) if text.startswith("[") else text
    except ValueError:
        names = text
    return names if isinstance(names, list) else [text]


def symbol(label: str) -> tuple[int, int]:
    """Class and amount in cents of a wheel's symbol."""
    if label in _SYMBOLS:
        return _SYMBOLS[label], 0
    amount = label.removeprefix(_COMMUNITY)
    return (ops.AMOUNT if amount == label else ops.COMMUNITY_AMOUNT), int(amount) * 100


def _used(lines: Lines, kind: int) -> list[int]:
    """Words in the columns of a kind."""
    columns = [name for name, column in COLUMNS.items() if column.form.kind == kind]
    used = {word for name in columns for word in np.unique(lines.columns.text(name)).tolist()}
    return sorted(used - {0})
