"""Forms of field values: what a field of a line may hold, and the value as the columns hold it."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from replay import cards, ops
from replay.times import time_ms

# Kinds of value. Of ordinals a line has one or several, which have a column of their own.
(NOTHING, WHOLE, TRUTH, TIME, SHARE, TEXT, NAME, CHOICE, SYMBOL, ZONE) = range(10)
(PEOPLE, RULINGS, MEMBERS, ORDINALS, SEVERAL) = range(10, 15)
NUMERIC: Final = frozenset({WHOLE, TRUTH, TIME, SHARE})  # a number in the columns, where the others are words
LISTS: Final = frozenset({RULINGS, MEMBERS, SEVERAL})  # the word is a list's JSON, also where a line has one value

MOST: Final = 1 << 53
MOST_ORDINAL: Final = 1 << 40
MOST_ORDER: Final = (1 << 15) - 1
MOST_DIGITS: Final = 12  # of a symbol's amount
MILLION: Final = 1_000_000

SYMBOLS: Final = re.compile(rf"(?:community-)?\d{{1,{MOST_DIGITS}}}", re.ASCII)
ZONES: Final = re.compile(r"seat([1-9]\d?)\.hand([1-9]\d{0,2})", re.ASCII)


class ValueForm(NamedTuple):
    """A form of value; ``says`` is how a person is told."""

    kind: int
    says: str
    low: int = 0
    high: int = 0
    words: tuple[str, ...] = ()
    is_small: bool = False  # the number of a box, bettor or hand, which lakes store in 16 bits
    unit: str = ""


def whole(low: int, high: int = MOST, unit: str = "") -> ValueForm:
    """Return the form of a whole number."""
    return ValueForm(WHOLE, f"a whole number from {low} to {high}", low, high, unit=unit)


def small(low: int, high: int) -> ValueForm:
    """Return the form of a small number: box, bettor, hand, place in a zone."""
    return whole(low, high)._replace(is_small=True)


def choice(words: Sequence[str], says: str = "") -> ValueForm:
    """Return the form of one of some words."""
    return ValueForm(CHOICE, says or f"one of {', '.join(words)}", words=tuple(words))


def members(high: int, of: str) -> ValueForm:
    """Return the form of a list of boxes or bettors."""
    return ValueForm(MEMBERS, f"a list of {of} from 1 to {high}", 1, high)


NONE: Final = ValueForm(NOTHING, "nothing")
ANY_TEXT: Final = ValueForm(TEXT, "text")
A_NAME: Final = ValueForm(NAME, "text that is not empty")
A_TRUTH: Final = ValueForm(TRUTH, "true or false")
A_TIME: Final = ValueForm(TIME, "a time from 1970 on with its offset, such as 2026-11-16T14:05:07.250+08:00")
A_SHARE: Final = ValueForm(SHARE, "a number from 0 to 1")
A_COUNT: Final = whole(0)
AN_AMOUNT: Final = whole(0, unit="cents")
A_SIGNED_AMOUNT: Final = whole(-MOST, unit="cents")
A_CARD: Final = choice(cards.NAMES[1:], f"a card such as 7S (rank of {cards.RANKS}, suit of {cards.SUITS})")
SOME_PEOPLE: Final = ValueForm(PEOPLE, "text or a list of texts")
SOME_RULINGS: Final = ValueForm(RULINGS, f"one or a list of {', '.join(ops.RULINGS)}", words=ops.RULINGS)
SOME_ORDINALS: Final = ValueForm(ORDINALS, f"one or a list of whole numbers from 1 to {MOST_ORDINAL}", 1, MOST_ORDINAL)
A_SYMBOL: Final = ValueForm(
    SYMBOL,
    "jackpot, jackpot-secondary, an amount in dollars or community-100",
    words=("jackpot", "jackpot-secondary"),
)
A_ZONE: Final = ValueForm(
    ZONE, "a zone such as seat3.hand1, dealer, discard or burn", words=("dealer", "discard", "burn")
)


def merged(forms: Sequence[ValueForm]) -> ValueForm:
    """Return the form that admits whatever one of several admits, all of them numbers or all of them texts."""
    if len(set(forms)) == 1:
        return forms[0]
    if all(form.kind == WHOLE for form in forms):
        wide = whole(min(form.low for form in forms), max(form.high for form in forms), forms[0].unit)
        return wide._replace(is_small=all(form.is_small for form in forms))
    if all(form.kind == CHOICE for form in forms):
        return choice(tuple(dict.fromkeys(word for form in forms for word in form.words)))
    return ANY_TEXT


def listed(values: Sequence[int | str]) -> str:
    """Return the word of a list: compact JSON."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def fitted(form: ValueForm, value: Any) -> int | str | None:
    """Return a value as the columns hold it; None where it does not fit the form."""
    if form.kind == TIME:
        return time_ms(value)
    if form.kind in NUMERIC:
        return _number(form, value)
    if form.kind in (MEMBERS, ORDINALS):
        return _numbers(form, value)
    if form.kind in (PEOPLE, RULINGS):
        return _texts(form, value)
    return _text(form, value)


def _is_whole(form: ValueForm, value: Any) -> bool:
    return type(value) is int and form.low <= value <= form.high


def _number(form: ValueForm, value: Any) -> int | None:
    if form.kind == TRUTH:
        return int(value) if isinstance(value, bool) else None
    if form.kind == SHARE:
        return round(value * MILLION) if type(value) in (int, float) and 0 <= value <= 1 else None
    return value if _is_whole(form, value) else None


def _numbers(form: ValueForm, value: Any) -> int | str | None:
    if form.kind == ORDINALS and not isinstance(value, list):
        return value if _is_whole(form, value) else None
    values = value if isinstance(value, list) else [value]
    return listed(values) if all(_is_whole(form, each) for each in values) else None


def _texts(form: ValueForm, value: Any) -> str | None:
    if form.kind == PEOPLE and isinstance(value, str) and not value.startswith("["):
        return value  # what begins with a bracket could be taken for a list
    values = value if isinstance(value, list) else [value]
    known = all(isinstance(each, str) and (each in form.words or not form.words) for each in values)
    return listed(values) if known else None


def _text(form: ValueForm, value: Any) -> str | None:
    if form.kind == SYMBOL and type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        return None
    fits = {
        NOTHING: False,
        TEXT: True,
        NAME: value != "",
        CHOICE: value in form.words,
        SYMBOL: value in form.words or SYMBOLS.fullmatch(value) is not None,
        ZONE: value in form.words or _is_hand(value),
    }
    return value if fits[form.kind] else None


def _is_hand(zone: str) -> bool:
    found = ZONES.fullmatch(zone)
    return found is not None and int(found[1]) <= ops.MAX_SEAT and int(found[2]) <= ops.MAX_HAND
