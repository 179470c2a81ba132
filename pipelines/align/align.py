"""One table's day by one clock: when each line happened, in which order, in which round, and how sure that is."""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from pipelines.align import camera, walk
from pipelines.align.clocks import ClockFit, described, reference
from pipelines.align.fit import Fit, Line, fit
from pipelines.align.named import before_their_lines, cuts
from pipelines.align.rounds import Doubts, Rounds, numbered, round_at, round_of, rounds
from pipelines.align.spans import Spans, follows_at_once, of_type, settled_together, settles, spans
from pipelines.align.streams import Stream, streams
from replay.columns import CAMERA, I64, SHOE, TERMINAL, Columns, Lines

_TOO_LITTLE: Final = "too few lines to compare with the table's other devices"
_AGREES_NOWHERE: Final = "its lines suit those of the table's other devices at no time within 15 minutes"
_LONG_AGO, _LATER = np.iinfo(np.int64).min, np.iinfo(np.int64).max
_STILL: Final = Line(0, 0.0, 0.0)


@dataclass(frozen=True)
class Alignment:
    """A table's day in order."""

    corrected: I64  # by row: ms on the clock that all go by
    order: I64  # rows of terminal and shoe in the order in which they happened
    round: I64  # by row: place in ``rounds``, -1 between rounds
    rounds: list[str]  # in the order in which they come
    doubt: list[str | None]  # by round: why it is in doubt which cards belong to it
    clocks: list[ClockFit]


class _Placed(NamedTuple):
    """A stream whose times are on the clock that all go by."""

    stream: Stream
    ms: I64
    fit: Fit | None


def align(lines: Lines) -> Alignment:
    """Put the lines of one table's gaming day in order, by the clock of its terminal."""
    columns, words = lines.columns, lines.words
    found = streams(columns)
    if not found:
        none = np.zeros(0, np.int64)
        return Alignment(none, none, none, [], [], [])
    first, others = found[0], found[1:]
    table = _Table(lines, first)
    placed, clocks = [_Placed(first, first.ms, None)], [reference(first, words)]
    for stream in sorted(others, key=lambda stream: _TURN[stream.source]):
        line, known = table.clock(stream, placed)
        ms = table.mended(stream, known) if known and stream.source == SHOE else stream.ms - line.at(stream.ms)
        placed.append(_Placed(stream, ms, known))
        clocks.append(described(stream, words, line, known, _TOO_LITTLE if known is None else _AGREES_NOWHERE))
    return _in_order(lines, placed, clocks, table)


# A second terminal is fitted by way of the shoe, a camera to what the shoe drew.
_TURN: Final = {SHOE: 0, TERMINAL: 1, CAMERA: 2}


class _Table:
    """The device that all clocks are set against, and its spans."""

    def __init__(self, lines: Lines, first: Stream) -> None:
        self.columns, self.words = lines.columns, lines.words
        self.first = first
        self.spans = self._spans(first)

    def _spans(self, stream: Stream) -> Spans:
        if stream.source != TERMINAL:
            return spans(self.columns, stream.rows[:0], stream.ms[:0], stream.ms[:0])
        number = numbered(self.columns.text("round")[stream.rows])[1]
        return spans(self.columns, stream.rows, stream.ms, number)

    def _draws(self, stream: Stream) -> I64:
        return stream.ms[of_type(self.columns, stream.rows, "draw")]

    def clock(self, stream: Stream, placed: list[_Placed]) -> tuple[Line, Fit | None]:
        """A stream's clock, by those that are placed already."""
        shoes = [each for each in placed if each.stream.source == SHOE]
        if stream.source == SHOE:
            cut = cuts(self.columns, self.first, stream)
            known = fit(self.spans, self._draws(stream), stream.ms, self.first.ms, cut)
        elif stream.source == TERMINAL:
            return self._by_shoe(stream, shoes)
        elif shoes:
            known = self._by_cards(stream, shoes)
        else:
            laid = stream.ms[camera.laid(self.columns, stream.rows, self.words)]
            known = fit(self.spans, laid, laid, self.first.ms)
        return (known.line, known) if known else (_STILL, None)

    def _by_shoe(self, stream: Stream, shoes: list[_Placed]) -> tuple[Line, Fit | None]:
        """A second terminal: what the shoe is ahead of the first less what it is ahead of this one."""
        if not shoes or shoes[0].fit is None:
            return _STILL, None
        shoe, ahead = shoes[0], shoes[0].fit.line
        known = fit(self._spans(stream), self._draws(shoe.stream), shoe.stream.ms, stream.ms)
        if known is None:
            return _STILL, None
        by = known.line
        line = Line(ahead.origin_ms, ahead.ahead_ms - by.ahead_ms, ahead.drift - by.drift)
        return line, known._replace(sure=known.sure and shoes[0].fit.sure)

    def _by_cards(self, stream: Stream, shoes: list[_Placed]) -> Fit | None:
        drawn = [of_type(self.columns, shoe.stream.rows, "draw") for shoe in shoes]
        rows = np.concatenate([shoe.stream.rows[draws] for shoe, draws in zip(shoes, drawn, strict=True)])
        ms = np.concatenate([shoe.ms[draws] for shoe, draws in zip(shoes, drawn, strict=True)])
        card = self.columns.text("card").astype(np.int64)
        return camera.fit_cards(stream.ms, card[stream.rows], ms, card[rows])

    def mended(self, stream: Stream, known: Fit) -> I64:
        """A shoe's times, corrected; where they cannot tell, in the order in which things are done."""
        ms = stream.ms - known.line.at(stream.ms)
        margin = known.margin_ms // 2
        is_draw = of_type(self.columns, stream.rows, "draw")
        draws = ms[is_draw]
        walk.mend(self.spans.begins, self.spans.ends, self.spans.least, self.spans.most, draws, margin)
        before_their_lines(self.columns, self.words, self.first, stream.rows[is_draw], draws, margin)
        ms[is_draw] = draws
        self._by_custom(stream, ms, margin)
        rising: I64 = np.maximum.accumulate(ms)
        return rising

    def _by_custom(self, stream: Stream, ms: I64, margin: int) -> None:
        """Moves a shoe's lines where time cannot tell how they and the terminal's follow each other; changes ``ms``."""
        rows, at = self.first.rows, self.first.ms
        before, following = np.append(_LONG_AGO, at[:-1]), np.append(at[1:], _LATER)
        together = np.flatnonzero(settled_together(self.columns, rows))
        walk.put_out(at[together], following[together], ms, margin)
        upon = follows_at_once(self.columns, rows)
        walk.put_before(at[upon], following[upon], ms, margin)
        # Insurance is settled upon the reading of the hole card, side bets on the first cards before it.
        is_check = of_type(self.columns, stream.rows, "hole_card_check")
        checks = ms[is_check]
        insurance, sides = settles(self.columns, rows, "insurance"), settles(self.columns, rows, "pair", "match")
        walk.put_before(at[insurance], following[insurance], checks, margin)
        walk.put_after(at[sides], before[sides], checks, margin)
        ms[is_check] = checks


def _in_order(lines: Lines, placed: list[_Placed], clocks: list[ClockFit], table: _Table) -> Alignment:
    """Merge what is placed, and find each line's round."""
    columns = lines.columns
    corrected = columns.number("ts").copy()
    for each in placed:
        if each.stream.source != TERMINAL or each.stream is not table.first:
            corrected[each.stream.rows] = each.ms
    merged = [each for each in placed if each.stream.source != CAMERA]
    rows = np.concatenate([each.stream.rows for each in merged] or [np.zeros(0, np.int64)])
    ms = np.concatenate([each.ms for each in merged] or [np.zeros(0, np.int64)])
    by_time = np.lexsort((columns.source[rows], ms))
    order, ms = rows[by_time], ms[by_time]
    found = rounds(columns, order, ms)
    number = np.full(len(lines), -1, np.int64)
    number[order] = round_of(columns, order, found)
    for each in placed:
        if each.stream.source == CAMERA:
            number[each.stream.rows] = round_at(each.ms, ms, found)
    return Alignment(
        corrected=corrected,
        order=order,
        round=number,
        rounds=[lines.words[word] for word in found.words],
        doubt=_doubts(columns, order, ms, found, placed, table).reasons,
        clocks=sorted(clocks, key=lambda clock: (clock.source, clock.device or "")),
    )


def _doubts(columns: Columns, order: I64, ms: I64, found: Rounds, placed: list[_Placed], table: _Table) -> Doubts:
    """What is in doubt, as far as a shoe shows it."""
    doubts = Doubts(found)
    doubts.unbounded()
    own = numbered(columns.text("round")[table.first.rows])[0]
    place = {word: number for number, word in enumerate(found.words)}
    local = np.array([place[word] for word in own], np.int64)  # from the terminal's own numbers
    shoes = [each for each in placed if each.stream.source == SHOE and each.stream is not table.first]
    for each in shoes:
        _doubt_clock(doubts, each, local)
    if not shoes or not len(table.spans.begins):
        return doubts
    doubts.missing_draws(columns, order, ms)
    draws = ms[of_type(columns, order, "draw")]
    keeps, shuts = _dealt(table.spans, draws)
    margin = max((each.fit.margin_ms // 2 for each in shoes if each.fit), default=0)
    doubts.near_bounds(draws, margin, local[keeps], local[shuts])
    return doubts


def _doubt_clock(doubts: Doubts, shoe: _Placed, local: I64) -> None:
    """Rounds whose draws rest on a clock that is not known, or not known there."""
    known = shoe.fit
    if known is None or not known.sure:
        doubts.add(range(len(doubts.reasons)), "the shoe's clock could not be worked out")
        return
    for stretch in known.stretches:
        off = stretch.off_ms(known.line)
        if stretch.is_firm() and off > known.slack_ms:
            span = local[stretch.first_round : stretch.last_round + 1]
            doubts.add(span, f"the shoe's clock is {off} ms off here after correction")


def _dealt(found: Spans, draws: I64) -> tuple[I64, I64]:
    """Rounds, by the terminal's own numbers, whose deal can spare no card, and those whose deal can take no other."""
    deals = found.take(found.least > 1)
    count = np.searchsorted(draws, deals.ends) - np.searchsorted(draws, deals.begins)
    exact = deals.selective()
    more = (count - deals.least)[exact & (count >= deals.least) & (count <= deals.most)]
    # Whether the dealer takes a hole card at once is the same all day.
    wanted = deals.least + (int(np.bincount(more).argmax()) if len(more) else 0)
    return deals.round[count == wanted], deals.round[exact & (count == wanted)]
