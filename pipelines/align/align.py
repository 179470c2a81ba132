"""One table's day by one clock: when each line happened, in which order, in which round, and how sure that is."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from pipelines.align import camera, parts, shoe, walk
from pipelines.align.clock import Clock, still
from pipelines.align.devices import DeviceClock
from pipelines.align.procedure import Asked, Deals, Mask, asked, chosen, deals, heard, of_type
from pipelines.align.rounds import Doubts, Rounds, numbered, round_at, round_of, rounds
from pipelines.align.streams import Stream, streams
from replay.columns import CAMERA, I64, SHOE, TERMINAL, Columns, Lines

_BESIDE: Final = 1  # rounds before and after a step of a clock, or one that contradicts it, that it may reach
_AMONG: Final = 6  # rounds among which two that contradict their clock put it in doubt


class Dealt(NamedTuple):
    """The round of every card, where it follows from the cards themselves."""

    round: I64  # by line: word of the round that a draw belongs to, 0 for none
    clean: frozenset[int]  # words of rounds that leave nothing to explain: their lines tell of the clocks
    moved: Mask  # by line: draws that belong to another round than the clocks say

    def take(self, rows: I64) -> "Dealt | None":
        """Select lines; None where the clocks were right about all of them."""
        return Dealt(self.round[rows], self.clean, self.moved[rows]) if self.moved[rows].any() else None


@dataclass(frozen=True)
class Alignment:
    """A table's day in order."""

    corrected: I64  # by row: ms on the clock that all go by
    slack: I64  # by row: within how many ms its order to lines of other devices is open
    order: I64  # rows of terminal and shoe in the order in which they happened
    round: I64  # by row: place in ``rounds``, -1 between rounds
    rounds: list[str]  # in the order in which they come
    doubt: list[str | None]  # by round: why it is in doubt which cards belong to it
    stepped: frozenset[str]  # rounds beside which a clock stepped
    untimed: frozenset[str]  # those, and rounds whose cards contradict their clock, with their neighbours
    clocks: list[DeviceClock]
    part: I64  # by row: number of the part of the day


class _Placed(NamedTuple):
    """A stream on the clock that all go by: by line its time, and the time that puts it on its side of other lines."""

    stream: Stream
    clock: Clock
    ms: I64
    ordered: I64
    odd: I64 = np.zeros(0, np.int64)  # moments at which its lines contradict its clock


def align(lines: Lines, hole_card: bool, dealt: Dealt | None = None) -> Alignment:
    """Put the lines of one table's gaming day in order, by the clock of its terminal.

    ``hole_card`` says whether the dealer takes a second card in the initial deal. ``dealt`` has the round of every
    card where that is known; otherwise it follows from the clocks.
    """
    found = []
    rows = parts.parts(lines.columns, streams(lines.columns))
    for own in rows:
        part = lines if len(rows) == 1 else Lines(lines.columns.take(own), lines.words)
        found.append(_align(part, hole_card, dealt and dealt.take(own)))
    return found[0] if len(found) == 1 else _joined(lines, rows, found)


def _joined(lines: Lines, rows: list[I64], found: list[Alignment]) -> Alignment:
    """Put parts of a day one after another; where the clock was set back in one, times go on from there."""
    corrected, slack, part = (np.zeros(len(lines), np.int64) for _ in range(3))
    number = np.full(len(lines), -1, np.int64)
    names: list[str] = []
    clocks: dict[tuple[str, str | None], DeviceClock] = {}
    latest = np.iinfo(np.int64).min // 2
    for n, (own, each) in enumerate(zip(rows, found, strict=True)):
        later = max(0, latest - int(each.corrected[each.order].min(initial=latest)))
        corrected[own], slack[own], part[own] = each.corrected + later, each.slack, n
        latest = int(corrected[own].max(initial=latest))
        number[own] = np.where(each.round >= 0, each.round + len(names), -1)
        names += each.rounds
        for clock in each.clocks:
            before = clocks.get((clock.source, clock.device))
            moved = clock.moved(-later)
            clocks[clock.source, clock.device] = before.followed(moved) if before else moved
    return Alignment(
        corrected=corrected,
        slack=slack,
        order=np.concatenate([own[each.order] for own, each in zip(rows, found, strict=True)]),
        round=number,
        rounds=names,
        doubt=[reason for each in found for reason in each.doubt],
        stepped=frozenset().union(*(each.stepped for each in found)),
        untimed=frozenset().union(*(each.untimed for each in found)),
        clocks=list(clocks.values()),
        part=part,
    )


def _align(lines: Lines, hole_card: bool, dealt: Dealt | None) -> Alignment:
    found = streams(lines.columns)
    if not found:
        none = np.zeros(0, np.int64)
        return Alignment(none, none, none, none, [], [], frozenset(), frozenset(), [], none)
    table = _Table(lines, found[0], hole_card, dealt)
    placed = [_Placed(found[0], still(found[0].ms), found[0].ms, found[0].ms)]
    for stream in sorted(found[1:], key=lambda stream: _TURN[stream.source]):
        placed.append(table.place(stream, placed))
    return _in_order(lines, placed)


# A second terminal is fitted by way of the shoe, a camera to what the shoe drew.
_TURN: Final = {SHOE: 0, TERMINAL: 1, CAMERA: 2}


class _Table:
    """The device that all clocks are set against, and its rounds."""

    def __init__(self, lines: Lines, first: Stream, hole_card: bool, dealt: Dealt | None) -> None:
        self.columns, self.words, self.hole_card, self.dealt = lines.columns, lines.words, hole_card, dealt
        self.deals, self.asked = self._deals(first)
        self.changes = first.ms[of_type(lines.columns, first.rows, "dealer_change")]
        self.round_words = np.array(numbered(lines.columns.text("round")[first.rows])[0], np.int64)

    def _deals(self, stream: Stream) -> tuple[Deals, Asked]:
        rows, ms = (stream.rows, stream.ms) if stream.source == TERMINAL else (stream.rows[:0], stream.ms[:0])
        number = numbered(self.columns.text("round")[rows])[1]
        found = deals(self.columns, rows, ms, number, self.hole_card)
        return found, asked(self.columns, rows, ms, number, found)

    def place(self, stream: Stream, placed: list[_Placed]) -> _Placed:
        """Work out a stream's clock by those that are placed already."""
        shoes = [each for each in placed if each.stream.source == SHOE]
        if stream.source == SHOE:
            return self._shoe(stream)
        if stream.source == TERMINAL:
            clock, ms = self._second_terminal(stream, shoes)
        else:
            clock = self._camera(stream, shoes)
            ms = stream.ms - clock.ahead(stream.ms)
        return _Placed(stream, clock, ms, ms)

    def _facts(self, stream: Stream, found: Deals, wanted: Asked) -> shoe.Facts:
        is_draw = of_type(self.columns, stream.rows, "draw")
        fresh = (self.columns.number("n")[stream.rows[is_draw]] == 1).astype(np.uint8)
        return shoe.Facts(found, wanted, stream.ms[is_draw], fresh, stream.ms[stream.breaks])

    def _shoe(self, stream: Stream) -> _Placed:
        """Correct a shoe's times; draws keep to their side of the closing of bets and of the end of rounds."""
        is_draw = of_type(self.columns, stream.rows, "draw")
        if self.dealt is not None:
            return self._dealt_shoe(stream, is_draw, self.dealt)
        found, wanted = heard(self.deals, self.asked, stream.ms[is_draw])
        fitted = shoe.fit(self._facts(stream, found, wanted), stream.ms)
        if fitted is None:
            return _Placed(stream, still(stream.ms, sure=False), stream.ms, stream.ms)
        ms = stream.ms - fitted.clock.ahead(stream.ms)
        draws = ms[is_draw]
        reach = fitted.clock.uncertainty(found.ended + fitted.clock.ahead(found.ended))
        walk.keep_sides(found.closed, found.ended, found.quiet, fitted.firsts, reach, draws)
        deal = np.searchsorted(fitted.firsts, np.arange(len(draws)), side="right") - 1
        deal[draws >= np.append(found.ended, 0)[deal]] = -1
        ordered = self._kept(stream, ms, is_draw, draws, deal, found)
        odd = shoe.contradicted(self._facts(stream, found, wanted), fitted.firsts, fitted.clock)
        return _Placed(stream, fitted.clock, ms, ordered, found.closed[odd])

    def _dealt_shoe(self, stream: Stream, is_draw: Mask, dealt: Dealt) -> _Placed:
        """Correct a shoe's times by rounds whose cards are known; every draw keeps to its round."""
        words = dealt.round[stream.rows[is_draw]]
        deal = self._deal_of_word()[words]
        firsts = np.full(len(self.deals.closed), len(words))
        np.minimum.at(firsts, deal[deal >= 0], np.flatnonzero(deal >= 0))
        clean = np.isin(self.round_words[self.deals.round], list(dealt.clean)) & (firsts < len(words))
        facts = self._facts(stream, *chosen(self.deals, self.asked, clean))
        fitted = shoe.fit(facts, stream.ms, firsts[clean])
        clock = fitted.clock if fitted is not None else still(stream.ms, sure=False)
        odd = shoe.contradicted(self._facts(stream, self.deals, self.asked), firsts, clock)
        ms = stream.ms - clock.ahead(stream.ms)
        draws = walk.keep_rounds(self.deals.closed, self.deals.ended, deal, ms[is_draw])
        ordered = self._kept(stream, ms, is_draw, draws, deal, self.deals)
        return _Placed(stream, clock, ms, ordered, self.deals.closed[odd])

    def _kept(self, stream: Stream, ms: I64, is_draw: Mask, draws: I64, deal: I64, found: Deals) -> I64:
        """Order a shoe's lines: draws as given, ``deal`` with the round of each, -1 for none.

        A card drawn between rounds is burned by the dealer who takes over between them; a reading of the hole card
        comes before its cards' round ends, a change of shoes between two rounds after the first of them has ended.
        """
        ordered = ms.copy()
        ordered[is_draw] = walk.keep_burns(self.deals.closed, self.deals.ended, self.changes, draws)
        before = np.append(deal, -1)[np.cumsum(is_draw) - 1]  # by line: the round of the last draw
        ended = np.append(found.ended, np.iinfo(np.int64).max)[before]
        checks = of_type(self.columns, stream.rows, "hole_card_check")
        ordered[checks] = np.minimum(ordered[checks], ended[checks] - 1)
        after = np.append(deal, -1)[np.minimum(np.cumsum(is_draw), len(deal))]
        changes = of_type(self.columns, stream.rows, "shoe_loaded", "shoe_ended") & (before >= 0) & (after != before)
        ordered[changes] = np.maximum(ordered[changes], ended[changes])
        return np.maximum.accumulate(ordered)

    def _deal_of_word(self) -> I64:
        """By word of a round: its deal, -1 for none."""
        found = np.full(int(self.round_words.max(initial=0)) + 1, -1)
        found[self.round_words[self.deals.round]] = np.arange(len(self.deals.round))
        found[0] = -1
        return found

    def _second_terminal(self, stream: Stream, shoes: list[_Placed]) -> tuple[Clock, I64]:
        """Set a second terminal by the shoe: shoe minus second, then shoe minus first."""
        fitted = shoe.fit(self._facts(shoes[0].stream, *self._deals(stream)), shoes[0].stream.ms) if shoes else None
        if fitted is None:
            return still(stream.ms, sure=False), stream.ms
        by_shoe = stream.ms + fitted.clock.ahead(stream.ms)
        ms = np.maximum.accumulate(by_shoe - shoes[0].clock.ahead(by_shoe))
        return fitted.clock.relative(stream.ms, stream.ms - ms), ms

    def _camera(self, stream: Stream, shoes: list[_Placed]) -> Clock:
        if not shoes:
            laid = stream.ms[camera.laid(self.columns, stream.rows, self.words)]
            facts = shoe.Facts(self.deals, self.asked, laid, np.zeros(len(laid), np.uint8), stream.ms[stream.breaks])
            fitted = shoe.fit(facts, stream.ms)
            return fitted.clock if fitted else still(stream.ms, sure=False)
        card = self.columns.text("card").astype(np.int64)
        drawn = [of_type(self.columns, each.stream.rows, "draw") for each in shoes]
        rows = np.concatenate([each.stream.rows[draws] for each, draws in zip(shoes, drawn, strict=True)])
        ms = np.concatenate([each.ms[draws] for each, draws in zip(shoes, drawn, strict=True)])
        return camera.fit(stream.ms, card[stream.rows], ms, card[rows]) or still(stream.ms, sure=False)


def _in_order(lines: Lines, placed: list[_Placed]) -> Alignment:
    """Merge the streams, and find each line's round."""
    columns = lines.columns
    corrected, slack = columns.number("ts").copy(), np.zeros(len(lines), np.int64)
    for each in placed:
        corrected[each.stream.rows] = each.ms
        slack[each.stream.rows] = each.clock.uncertainty(each.stream.ms)
    merged = [each for each in placed if each.stream.source != CAMERA]
    rows = np.concatenate([each.stream.rows for each in merged] or [np.zeros(0, np.int64)])
    ms = np.concatenate([each.ordered for each in merged] or [np.zeros(0, np.int64)])
    by_time = np.lexsort((columns.source[rows], ms))
    order, ms = rows[by_time], ms[by_time]
    found = rounds(columns, order, ms)
    number = np.full(len(lines), -1, np.int64)
    number[order] = round_of(columns, order, found)
    for each in placed:
        if each.stream.source == CAMERA:
            number[each.stream.rows] = round_at(each.ms, ms, found)
    clocks = [DeviceClock.of(columns, lines.words, each.stream, each.clock) for each in placed]
    beside = _beside_steps(found, placed)
    odd = np.searchsorted(found.begins, np.concatenate([each.odd for each in placed])).tolist()
    untimed = beside.union(*(range(max(0, n - _BESIDE), min(len(found.words), n + _BESIDE + 1)) for n in odd))
    return Alignment(
        corrected=corrected,
        slack=slack,
        order=order,
        round=number,
        rounds=[lines.words[word] for word in found.words],
        doubt=_doubts(columns, order, ms, found, placed).reasons,
        stepped=frozenset(lines.words[found.words[n]] for n in beside),
        untimed=frozenset(lines.words[found.words[n]] for n in untimed),
        clocks=sorted(clocks, key=lambda clock: (clock.source, clock.device or "")),
        part=np.zeros(len(lines), np.int64),
    )


def _beside_steps(found: Rounds, placed: list[_Placed]) -> set[int]:
    """Find the rounds beside which a piece of a clock begins, and those among several that contradict their clock."""
    beside: set[int] = set()
    for each in (each for each in placed if each.stream.source != CAMERA):
        starts = [piece.since_ms for piece in each.clock.pieces[1:]] + each.stream.ms[each.stream.breaks].tolist()
        at = np.array(starts, np.int64) - each.clock.ahead(np.array(starts, np.int64))
        for number in np.searchsorted(found.begins, at).tolist():
            beside |= set(range(max(0, number - 1 - _BESIDE), min(len(found.words), number + _BESIDE)))
        odd = np.searchsorted(found.begins, each.odd)
        for first, last in pairwise(odd.tolist()):
            if last - first <= _AMONG:
                beside |= set(range(max(0, first - _AMONG), min(len(found.words), last + _AMONG)))
    return beside


def _doubts(columns: Columns, order: I64, ms: I64, found: Rounds, placed: list[_Placed]) -> Doubts:
    """List the rounds whose cards are in doubt."""
    doubts = Doubts(found)
    doubts.unbounded()
    shoes = [each for each in placed[1:] if each.stream.source == SHOE]
    if any(not each.clock.sure for each in shoes):
        doubts.add(range(len(doubts.reasons)), "the shoe's clock could not be worked out")
    if shoes:
        doubts.missing_draws(columns, order, ms)
    return doubts
