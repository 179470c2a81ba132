"""Outages that only time shows: a device is silent while the other goes on, and no number of a line is missing."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay.columns import ABSENT, I64, SHOE, TERMINAL, TYPE_OF, U8, Lines

Mask = npt.NDArray[np.bool_]

_DRAW, _LOADED, _CLOSED, _ENDED = (TYPE_OF[name] for name in ("draw", "shoe_loaded", "bets_closed", "round_end"))
_MOST_CARDS: Final = 32  # more than any round takes between two lines of the terminal
_CARDS: Final = 4  # more than are burned between two rounds
_ROUNDS: Final = 2  # rounds without a card: one alone may be a line too many
_AWAY_MS: Final = 15_000  # lines that near to a silence may belong to its other side: clocks step


class Outage(NamedTuple):
    """A silence of a device: its last line before and its first line behind it, and what the other device logged."""

    source: int
    before: int  # row of the lines
    after: int
    meanwhile: int  # cards drawn without the terminal, or rounds begun without the shoe


def outages(lines: Lines, order: I64, ms: I64) -> list[Outage]:
    """List the outages of a table's day; ``order`` has the rows as they happened, ``ms`` is by row when."""
    columns = lines.columns
    rows = order[columns.number("seq")[order] != ABSENT]
    found = _of_terminal(lines, rows, ms) + _of_shoe(lines, rows, ms)
    return sorted(found, key=lambda each: each.before)


def _of_terminal(lines: Lines, rows: I64, ms: I64) -> list[Outage]:
    """Find silences in which more cards were drawn than the round in play takes, or cards while none was in play."""
    columns = lines.columns
    at = np.flatnonzero(columns.source[rows] == TERMINAL)
    draws = rows[columns.type[rows] == _DRAW]
    before = np.cumsum(columns.type[rows] == _DRAW)[at]  # draws up to each line of the terminal
    own, drawn = rows[at], np.diff(before)
    word, kind, places = columns.text("round")[own], columns.type[own], np.arange(len(own))
    closed, ended = (np.maximum.accumulate(np.where(kind == each, places, -1)) for each in (_CLOSED, _ENDED))
    playing = np.where(closed > ended, word[closed], -1)[:-1]
    goes_on = (playing >= 0) & ((word[1:] == playing) | (word[1:] == 0))
    found = []
    for n in np.flatnonzero((drawn > _MOST_CARDS) | (~goes_on & (drawn >= _CARDS))).tolist():
        away = _away(ms[draws[before[n] : before[n + 1]]], ms[own[n]], ms[own[n + 1]])
        few = goes_on[n] or _is_beside_no_cards(kind, before, n)
        if away > _MOST_CARDS or (away >= _CARDS and not few):
            found.append(Outage(TERMINAL, int(own[n]), int(own[n + 1]), int(drawn[n])))
    return found


def _is_beside_no_cards(kind: U8, before: I64, n: int) -> bool:
    """Tell whether the round before or after a silence has no cards: where a clock stepped, its own lie beside it."""
    closes, ends = np.flatnonzero(kind == _CLOSED), np.flatnonzero(kind == _ENDED)
    at = np.searchsorted(closes, n, side="right")
    for closed in closes[max(at - 1, 0) : at + 1].tolist():
        following = ends[np.searchsorted(ends, closed) :][:1]
        if len(following) and before[following[0]] == before[closed]:
            return True
    return False


def _of_shoe(lines: Lines, rows: I64, ms: I64) -> list[Outage]:
    """Find silences during which rounds were played, or a round was and the next card is not the next of its shoe."""
    columns = lines.columns
    at = np.flatnonzero((columns.source[rows] == SHOE) & np.isin(columns.type[rows], (_DRAW, _LOADED)))
    closes = rows[columns.type[rows] == _CLOSED]
    before = np.cumsum(columns.type[rows] == _CLOSED)[at]
    own, begun = rows[at], np.diff(before)
    torn = _torn(lines, own)
    found = []
    for n in np.flatnonzero((begun > _ROUNDS) | (torn & (begun > 0))).tolist():
        away = _away(ms[closes[before[n] : before[n + 1]]], ms[own[n]], ms[own[n + 1]])
        if away >= (1 if torn[n] else _ROUNDS):
            found.append(Outage(SHOE, int(own[n]), int(own[n + 1]), away))
    return found


def _torn(lines: Lines, own: I64) -> Mask:
    """Mark a shoe's cards behind which another is missing, by its ordinal."""
    columns = lines.columns
    shoe, ordinal = columns.text("shoe")[own], columns.number("n")[own]
    ordinal = np.where(columns.type[own] == _LOADED, 0, ordinal)
    fits = np.where(shoe[1:] == shoe[:-1], ordinal[1:] == ordinal[:-1] + 1, ordinal[1:] <= 1)
    torn: Mask = ~fits
    return torn


def _away(ms: I64, since: int, until: int) -> int:
    """Count moments that lie well inside a silence."""
    return int(((ms >= since + _AWAY_MS) & (ms <= until - _AWAY_MS)).sum())
