"""Rounds dealt and played in the plainest way: no double, split, surrender or insurance; hit a little, then stand."""

from collections.abc import Callable
from typing import Final

from replay import cards, ops
from replay.rules import Rules
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant.base import Segment

Draw = Callable[[int], list[Row]]  # a zone to the rows that lay the next card there, the card last
_STIFF: Final = 12
_ENOUGH: Final = 17
_WEAK: Final = range(1, 6)  # ranks of the up cards against which a stiff hand stands


def can_be_plain(segment: Segment) -> bool:
    """Tell whether nothing hangs on how the round goes: no wheel, no cut card, no other shoe in it."""
    wheel = any(row.kind in (ops.BONUS_SPIN, ops.BSX16) for row in segment.find(ops.WAGER))
    return not wheel and not any(row.op in (ops.PROGRESSIVE, ops.CUT_CARD, ops.SHOE_LOADED) for row in segment.rows)


def anew(segment: Segment, r: Rules, draw: Draw) -> list[Row]:
    """The round as it goes from the closing of bets on with other cards, but for its end."""
    seats = segment.seats()
    rows = _deal(seats, r, draw)
    if not _is_stopped(rows):
        rows.append(Row(J.MOMENT, kind=J.AT_TURNS))
        for seat in seats:
            rows += turn(seat, rows, draw)
    return rows + _finish(seats, rows, r, draw)


def replace(segment: Segment, rows: list[Row]) -> None:
    """Let a round go like that, in the time that it took."""
    closed = segment.first(ops.BETS_CLOSED)
    assert closed is not None
    end = segment.end()
    for n, row in enumerate(rows, 1):
        row.ms, row.round = closed.ms + (end.ms - closed.ms) * n // (len(rows) + 1), segment.number
    segment.rows = [*segment.rows[: segment.index(closed) + 1], *rows, end]


def hand_of(rows: list[Row], zone: int) -> list[int]:
    return [row.card for row in rows if row.op == ops.DRAW and row.zone == zone]


def zone_of(seat: int) -> int:
    return seat * J.ZONE_HANDS + 1


def turn(seat: int, rows: list[Row], draw: Draw) -> list[Row]:
    """A box's first hand is played out."""
    hand, up = hand_of(rows, zone_of(seat)), hand_of(rows, J.ZONE_DEALER)[0]
    played: list[Row] = []
    total, soft = cards.total(hand)
    while total < 21:
        least = _STIFF if cards.RANK[up] in _WEAK and not soft else _ENOUGH + int(soft)
        hits = total < least
        played.append(Row(ops.DECISION, seat=seat, bettor=1, hand=1, kind=ops.HIT if hits else ops.STAND))
        if not hits:
            break
        played += draw(zone_of(seat))
        hand.append(played[-1].card)
        total, soft = cards.total(hand)
    return [*played, Row(J.MOMENT, kind=J.AT_HAND, seat=seat, hand=1)]


def _deal(seats: list[int], r: Rules, draw: Draw) -> list[Row]:
    zones = [zone_of(seat) for seat in seats]
    rows: list[Row] = []
    for zone in [*zones, J.ZONE_DEALER, *zones, *([J.ZONE_DEALER] if r.hole_card else [])]:
        rows += draw(zone)
    rows.append(Row(J.MOMENT, kind=J.AT_DEALT))
    dealer = hand_of(rows, J.ZONE_DEALER)
    if r.hole_card and r.reader and r.reader_up >> int(cards.RANK[dealer[0]]) & 1:
        found = cards.total(dealer)[0] == 21
        rows.append(Row(ops.HOLE_CHECK, kind=ops.CHECK_BLACKJACK if found else ops.CHECK_NO_BLACKJACK))
        rows.append(Row(J.MOMENT, kind=J.AT_CHECKED))
    return rows


def _is_stopped(rows: list[Row]) -> bool:
    return any(row.op == ops.HOLE_CHECK and row.kind == ops.CHECK_BLACKJACK for row in rows)


def _finish(seats: list[int], dealt: list[Row], r: Rules, draw: Draw) -> list[Row]:
    """The dealer's own hand, as far as somebody's result hangs on it."""
    rows: list[Row] = []
    if not r.hole_card:
        rows += draw(J.ZONE_DEALER)
    rows.append(Row(J.MOMENT, kind=J.AT_SECOND))
    hands = [hand_of(dealt, zone_of(seat)) for seat in seats]
    if any(_is_open(hand, r) for hand in hands):
        while _must_draw(hand_of([*dealt, *rows], J.ZONE_DEALER), r):
            rows += draw(J.ZONE_DEALER)
    return [*rows, Row(J.MOMENT, kind=J.AT_END)]


def _is_open(hand: list[int], r: Rules) -> bool:
    total = cards.total(hand)[0]
    return total < 21 or (total == 21 and len(hand) == 2 and bool(r.blackjack_against_21))


def _must_draw(hand: list[int], r: Rules) -> bool:
    total, soft = cards.total(hand)
    return total < r.stands_on or bool(r.soft_17_draws and soft and total == r.stands_on)
