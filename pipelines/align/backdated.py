"""Lines that were logged after their round was over, or with a time that goes back: ``evidence.backdated``.

By its ``seq``, a line has a place among the lines of its device. A dealer may key a round's settlements until bets of
the next round are closed. A line of the round behind that is not counted, and neither is one behind the round's end
whose time pretends otherwise: it is evidence that somebody added to the log.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from pipelines.align.align import Alignment, Dealt, align
from pipelines.align.devices import SKEW_MS, DeviceClock
from replay.columns import ABSENT, CAMERA, I64, SOURCES, TERMINAL, TYPE_OF, Columns, Lines, Mask
from replay.finding import Finding

CODE: Final = "evidence.backdated"
_CLOSED, _ENDED, _SETTLE, _WAGER = (TYPE_OF[name] for name in ("bets_closed", "round_end", "settle", "wager"))
_ODD_MS: Final = 300_000  # a time within its round that goes back by more is no step that one line hides


class Wager(NamedTuple):
    """A wager of a table's day."""

    round: str
    seat: int
    bettor: int
    kind: str
    hand: int


class LateSettlement(NamedTuple):
    """A settlement that was logged too late to count, and how long after its round."""

    payment: tuple[int, int]  # cents paid and taken
    after_ms: int


class _Stream(NamedTuple):
    """One device's rows in the order of ``seq``."""

    rows: I64
    ts: I64
    seq: I64
    round: I64  # word, 0 for none
    type: I64

    def first(self, chosen: Mask, words: int) -> I64:
        """By word of a round: the place of its first chosen line, beyond the last where it has none."""
        found = np.full(words, len(self.rows), np.int64)
        places = np.flatnonzero(chosen & (self.round > 0))
        np.minimum.at(found, self.round[places], places)
        return found


@dataclass(frozen=True)
class Backdated:
    """The lines in question: rows, whether each counts all the same, and when it was logged after which moment."""

    rows: I64
    counts: Mask
    logged: I64  # ms on its device's clock: that of the line above it, unless its own is later
    ended: I64  # ms on the same clock: the end of its round

    def uncounted(self, lines: int) -> Mask:
        """Mark, among so many lines, those that do not count."""
        found = np.zeros(lines, np.bool_)
        found[self.rows[~self.counts]] = True
        return found


def align_without_backdated(lines: Lines, hole_card: bool) -> tuple[Alignment, Backdated]:
    """Put a table's lines in order by one clock, all but those that were logged after their round."""
    columns, words = lines.columns, len(lines.words)
    late = np.zeros(len(lines), np.bool_)
    for stream in _streams(columns, TERMINAL):
        late[stream.rows] = _after_next_closing(stream, words)
    aligned = align_without(lines, late, hole_card)
    gone, odd = _going_back(lines, aligned.clocks, late)
    gone |= _after_closing_elsewhere(columns, aligned, words)
    if gone.any():  # times that were made up must not pass for a step of the clock
        late |= gone
        aligned = align_without(lines, late, hole_card)
    return aligned, _described(columns, late | odd, ~late, words)


def align_without(lines: Lines, late: Mask, hole_card: bool, dealt: Dealt | None = None) -> Alignment:
    """Align all but ``late`` rows, which keep the time that they say, and lie in no round and nowhere in the order.

    ``dealt`` has the round of every card where that is known.
    """
    if not late.any():
        return align(lines, hole_card, dealt)
    columns, kept = lines.columns, np.flatnonzero(~late)
    dealt = dealt and dealt.take(kept)
    aligned = align(Lines(columns.take(kept), lines.words), hole_card, dealt)
    corrected, slack, part = columns.number("ts").copy(), np.zeros(len(lines), np.int64), np.zeros(len(lines), np.int64)
    number = np.full(len(lines), -1, np.int64)
    corrected[kept], slack[kept], number[kept] = aligned.corrected, aligned.slack, aligned.round
    part[kept] = aligned.part
    return replace(aligned, corrected=corrected, slack=slack, round=number, order=kept[aligned.order], part=part)


def _streams(columns: Columns, *sources: int) -> Iterator[_Stream]:
    seq, ts, rounds = columns.number("seq"), columns.number("ts"), columns.text("round")
    order = np.lexsort((seq, columns.stream, columns.source)).astype(np.int64)
    order = order[np.isin(columns.source[order], sources)]
    keys = columns.source[order].astype(np.int64) << 32 | columns.stream[order]
    for rows in np.split(order, np.flatnonzero(np.diff(keys)) + 1):
        if len(rows):
            yield _Stream(rows, ts[rows], seq[rows], rounds[rows].astype(np.int64), columns.type[rows].astype(np.int64))


def _after_next_closing(stream: _Stream, words: int) -> Mask:
    """Mark lines of a round behind the closing of bets of a round that began after it."""
    size, place = len(stream.rows), np.arange(len(stream.rows))
    closing = stream.first(stream.type == _CLOSED, words)
    opens = np.zeros(size + 1, np.int64)
    opens[closing[closing < size]] = 1
    closed = np.cumsum(opens)  # rounds whose bets were closed up to each line
    begun = np.where(closing < size, closing, stream.first(stream.type != _WAGER, words))[stream.round]
    late: Mask = (stream.round > 0) & (place > begun) & (closed[:-1] - closed[np.minimum(begun, size)] > 0)
    return late


def _after_closing_elsewhere(columns: Columns, aligned: Alignment, words: int) -> Mask:
    """Mark lines of a round that another terminal began, by when they were logged: a clock's doubt aside."""
    late = np.zeros(len(columns.type), np.bool_)
    unsure = {(clock.source, clock.device or "") for clock in aligned.clocks if not clock.sure}
    streams = list(_streams(columns, TERMINAL))
    if len(streams) < 2 or unsure & {(SOURCES[TERMINAL], clock.device or "") for clock in aligned.clocks}:
        return late
    closings = aligned.order[columns.type[aligned.order] == _CLOSED]
    until = np.full(words, np.iinfo(np.int64).max)  # by round: when bets of the next were closed
    rounds, first = np.unique(columns.text("round")[closings], return_index=True)
    firsts = np.sort(first)
    following = np.searchsorted(firsts, first, "right")
    has_next = following < len(firsts)
    until[rounds[has_next]] = aligned.corrected[closings[firsts[following[has_next]]]]
    for stream in streams:
        own = stream.first(stream.type == _CLOSED, words)[stream.round] < len(stream.rows)
        logged = np.maximum.accumulate(aligned.corrected[stream.rows])
        late[stream.rows] = (stream.round > 0) & ~own & (logged - SKEW_MS > until[stream.round])
    return late


def _going_back(lines: Lines, clocks: Sequence[DeviceClock], late: Mask) -> tuple[Mask, Mask]:
    """Mark lines whose time goes back though no piece of their clock does: behind their round's end, and others."""
    gone, odd = np.zeros(len(late), np.bool_), np.zeros(len(late), np.bool_)
    columns, words = lines.columns, len(lines.words)
    pieces = {(clock.source, clock.device or ""): clock.rows for clock in clocks}
    for stream in _streams(columns, *(n for n in range(len(SOURCES)) if n != CAMERA)):
        source, device = int(columns.source[stream.rows[0]]), int(columns.stream[stream.rows[0]])
        stream = _Stream(*(column[~late[stream.rows]] for column in stream))
        is_over = np.arange(len(stream.rows)) > stream.first(stream.type == _ENDED, words)[stream.round]
        is_over &= (stream.round > 0) & (source == TERMINAL)
        before = -(1 << 62)
        for piece in pieces.get((SOURCES[source], lines.words[device]), ()):
            first, last = np.searchsorted(stream.seq, [piece.since_seq, piece.until_seq + 1])
            if first == last:
                continue
            over, rows, ts = is_over[first:last], stream.rows[first:last], stream.ts[first:last]
            if ts[0] < before - SKEW_MS and (over | (stream.round[first:last] == 0)).all():
                gone[rows[over]] = True  # a step that only lines of old rounds tell of is none
                continue
            below = _below(ts)
            gone[rows[over & (below > SKEW_MS)]] = True
            odd[rows[~over & (below > _ODD_MS)]] = True
            before = int(ts[~(below > SKEW_MS)][-1])
    return gone, odd


def _below(ts: I64) -> I64:
    """By line: how far its time is below that of the line before it, as few lines as possible left aside."""
    if (np.diff(ts) >= 0).all():
        return np.zeros(len(ts), np.int64)
    tops: list[int] = []  # times and places of the ends of rises, by their length
    ends: list[int] = []
    before = np.full(len(ts), -1, np.int64)
    for place, moment in enumerate(ts.tolist()):
        length = bisect_right(tops, moment)
        before[place] = ends[length - 1] if length else -1
        tops[length : length + 1] = [moment]
        ends[length : length + 1] = [place]
    fits = np.zeros(len(ts), np.bool_)
    place = ends[-1]
    while place >= 0:
        fits[place] = True
        place = int(before[place])
    known = np.maximum.accumulate(np.where(fits, ts, np.iinfo(np.int64).min // 2))
    found: I64 = np.where(fits, 0, np.maximum(known - ts, 0))
    return found


def _described(columns: Columns, flagged: Mask, counts: Mask, words: int) -> Backdated:
    """When each line was logged, and when its round was over."""
    logged, ended = columns.number("ts").copy(), columns.number("ts").copy()
    for stream in _streams(columns, *range(len(SOURCES))) if flagged.any() else ():
        good, own = ~flagged[stream.rows], flagged[stream.rows]
        above = np.maximum.accumulate(np.where(good, np.arange(len(good)), -1))
        logged[stream.rows] = np.maximum(stream.ts, np.where(above >= 0, stream.ts[above], stream.ts))
        over = np.minimum(stream.first((stream.type == _ENDED) & good, words)[stream.round], len(good) - 1)
        has_end = (stream.round > 0) & (stream.type[over] == _ENDED) & (stream.round[over] == stream.round)
        ended[stream.rows[own & has_end]] = stream.ts[over][own & has_end]
    rows = np.flatnonzero(flagged).astype(np.int64)
    return Backdated(rows, counts[rows], logged[rows], ended[rows])


def findings(lines: Lines, found: Backdated, paths: Sequence[str]) -> Iterator[Finding]:
    """Report each of the lines."""
    columns = lines.columns
    for n, row in enumerate(found.rows.tolist()):
        is_settle, counts = columns.type[row] == _SETTLE, bool(found.counts[n])
        own, logged, ended = int(columns.number("ts")[row]), int(found.logged[n]), int(found.ended[n])
        yield Finding(
            code=CODE,
            form=f"{CODE}/counted" if counts else f"{CODE}/settle" if is_settle else CODE,
            round=lines.words[columns.text("round")[row]] or None,
            path=paths[columns.file[row]],
            line=int(columns.line[row]),
            seat=_present(columns, "seat", row),
            hand=_present(columns, "hand", row),
            bettor=_present(columns, "bettor", row),
            kind=lines.words[columns.text("kind")[row]] or None if columns.type[row] in (_SETTLE, _WAGER) else None,
            at_ms=own,
            said={"payment": _payment(columns, row), "after": max(0, logged - ended), "back": max(0, logged - own)},
        )


def late_settlements(lines: Lines, found: Backdated) -> dict[Wager, list[LateSettlement]]:
    """List by wager what was logged too late to count."""
    columns = lines.columns
    late: dict[Wager, list[LateSettlement]] = {}
    for n, row in enumerate(found.rows.tolist()):
        if columns.type[row] == _SETTLE and not found.counts[n]:
            seat, bettor, hand = (_present(columns, name, row) or 1 for name in ("seat", "bettor", "hand"))
            name, kind = (lines.words[columns.text(name)[row]] for name in ("round", "kind"))
            after_ms = max(0, int(found.logged[n] - found.ended[n]))
            settled = LateSettlement(_payment(columns, row), after_ms)
            late.setdefault(Wager(name, seat, bettor, kind, hand), []).append(settled)
    return late


def _payment(columns: Columns, row: int) -> tuple[int, int]:
    return _present(columns, "paid_cents", row) or 0, _present(columns, "taken_cents", row) or 0


def _present(columns: Columns, name: str, row: int) -> int | None:
    value = int(columns.number(name)[row])
    return None if value == ABSENT else value
