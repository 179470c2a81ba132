"""The chosen stories put into a table's lines: the order of events, and the lines that nobody logged."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pipelines.align.ordered import InferredLines, OrderedLines
from pipelines.stories.suppose import Line
from pipelines.stories.trial import Candidate, Court
from replay import codes, ops
from replay.columns import I64, SHOE, TERMINAL, TYPE_OF, Columns, Lines, Mask, listed

F64 = npt.NDArray[np.float64]

_NEXT: Final = 1e-4  # from one line to the one behind it, where places in the order are whole numbers
_BIT_OF: Final = {name: bit for name, bit in ops.RULING_BITS.items() if name != "burn-card"}


def applied(ordered: OrderedLines, court: Court, chosen: Sequence[Candidate]) -> OrderedLines:
    """Put chosen candidates into the order of events."""
    place = np.full(len(ordered.lines), -1.0)
    place[ordered.order] = np.arange(len(ordered.order))
    columns = ordered.lines.columns
    moved = np.zeros(len(ordered.lines), np.bool_)
    front = np.full(len(ordered.lines), np.inf)
    supposed: list[tuple[float, Line, str]] = []
    for each in chosen:
        own = court.source[each.rows]
        keys = _keys(own, place, columns.source == TERMINAL)
        shoe = columns.source[own] == SHOE
        place[own[shoe]] = keys[shoe]
        moved[own[shoe]] = True
        if shoe.any():  # what the shoe logged before the round's first card came before bets were closed
            closed = keys[columns.type[own] == TYPE_OF["bets_closed"]].min(initial=keys[shoe][0])
            front[own[shoe][0]] = closed - _NEXT / 2
        name = court.judged.encoded.rounds[each.round]
        supposed += [(float(keys[max(line.at - 1, 0)]) + _NEXT / 2, line, name) for line in each.supposed]
    _keep_shoe_in_order(columns, place, moved, front)
    kept = np.flatnonzero(place >= 0)
    order = kept[np.argsort(place[kept], kind="stable")]
    changed = ordered._replace(order=order)
    return _with_supposed(changed, supposed, np.sort(place[kept])) if supposed else changed


def _keys(own: I64, place: F64, terminal: Mask) -> F64:
    """Give every line of a story a place: the terminal's keep theirs, a shoe's line follows the line before it."""
    keys = np.empty(len(own))
    anchor, behind = place[own[terminal[own]]].min() - 0.5, 0
    for n, line in enumerate(own.tolist()):
        if terminal[line]:
            anchor, behind = max(anchor, place[line]), 0
            keys[n] = place[line]
        else:
            behind += 1
            keys[n] = anchor + behind * _NEXT
    return keys


def _keep_shoe_in_order(columns: Columns, place: F64, moved: Mask, front: F64) -> None:
    """Keep a shoe's other lines between the draws that were moved, before ``front`` of the next; changes ``place``."""
    rows = np.flatnonzero((columns.source == SHOE) & (place >= 0))
    rows = rows[np.lexsort((columns.number("seq")[rows], columns.stream[rows]))]
    for part in np.split(rows, np.flatnonzero(np.diff(columns.stream[rows])) + 1):
        own = place[part]
        fixed = moved[part]
        low = np.maximum.accumulate(np.where(fixed, own, -1.0))
        high = np.minimum.accumulate(np.where(fixed, np.minimum(own, front[part]), np.inf)[::-1])[::-1]
        place[part] = np.where(fixed, own, np.clip(own, low, high))


def _with_supposed(ordered: OrderedLines, supposed: list[tuple[float, Line, str]], places: F64) -> OrderedLines:
    """Insert supposed lines as irregularities that nobody logged."""
    words = {word: number for number, word in enumerate(ordered.lines.words)}
    supposed = sorted(supposed, key=lambda each: each[0])
    columns = Columns.blank(len(supposed))
    columns.source[:], columns.type[:] = TERMINAL, TYPE_OF["irregularity"]
    columns.number("inferred")[:] = 1
    for n, (_, line, name) in enumerate(supposed):
        for field, value in fields(line).items():
            if isinstance(value, int):
                columns.number(field)[n] = value
            else:
                columns.text(field)[n] = words.setdefault(value, len(words))
        columns.text("round")[n] = words[name]
    before = np.searchsorted(places, [each[0] for each in supposed])
    ms = ordered.corrected[ordered.order[np.maximum(before - 1, 0)]]
    columns.number("ts")[:] = ms
    lines = Lines(ordered.lines.columns, list(words))
    return ordered._replace(lines=lines).insert(InferredLines(columns, ms, before))


def fields(line: Line) -> dict[str, int | str]:
    """Name the fields of an irregularity line that tells what a story supposes; lists are compact JSON."""
    found: dict[str, int | str] = {"code": codes.CODES[line.code].name}
    rulings = [name for name, bit in _BIT_OF.items() if line.rulings & bit]
    numbers = {"seat": line.seat, "hand": line.hand, "missed_card": line.missed, "bettor": line.passes}
    found |= {name: value for name, value in numbers.items() if value}
    found["ruling"] = listed(rulings or ["continue"])
    if line.others:
        found["refused_by"] = listed(list(line.others))
    if line.cards:
        found["n_list"] = listed(list(line.cards))
    return found
