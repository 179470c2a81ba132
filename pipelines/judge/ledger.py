"""The engine's verdicts on a table's day, as rows of the datasets."""

from collections.abc import Sequence
from datetime import datetime, time
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from pipelines.judge import arrow as A
from pipelines.judge.day import JudgedDay
from replay import cards, ops, situations
from replay.columns import ABSENT, I64, SOURCES
from replay.engine import layout as L
from replay.floor import Floor
from replay.rules import ODDS, Rules

_DEALER, _DISCARD, _BURN, _HANDS = range(1, 5)


class CardLocations(NamedTuple):
    """The cards drawn: a row each, in the order of events."""

    row: I64  # line
    round: I64  # -1 between rounds
    card: I64
    zone: I64  # number in ops.ZONES
    position: I64
    seat: I64
    hand: I64


class RoundMoney(NamedTuple):
    """Sums by round."""

    wagers: I64
    handle: I64
    paid: I64
    taken: I64
    over: I64
    under: I64
    undetermined: I64


def locate_cards(day: JudgedDay) -> CardLocations:
    """Locate every card: those of the rounds by the engine's verdicts, those between rounds were burned."""
    encoded, zones = day.encoded, day.judged.verdicts.zones
    drawn = np.flatnonzero(encoded.tape.op == ops.DRAW)
    role, seat, hand, position = (zones[drawn, n].astype(np.int64) for n in range(4))
    zone = np.select(
        [role == L.TO_BOX, role == L.TO_DEALER, role == L.REMOVED, role == L.BURNED],
        [_HANDS + (seat - 1) * ops.MAX_HAND + hand - 1, _DEALER, _DISCARD, _BURN],
    )
    rounds = np.searchsorted(encoded.offsets, drawn, "right") - 1
    every = np.flatnonzero(encoded.table.op == ops.DRAW)
    between = every[~np.isin(encoded.table_source[every], encoded.source[drawn])]
    burned = np.full(len(between), _BURN)
    none = np.zeros(len(between), np.int64)
    found = CardLocations(
        np.concatenate([encoded.source[drawn], encoded.table_source[between]]),
        np.concatenate([rounds, np.full(len(between), -1)]),
        np.concatenate([encoded.tape.card[drawn], encoded.table.card[between]]).astype(np.int64),
        np.concatenate([zone, burned]),
        np.concatenate([position, none]),
        np.concatenate([seat, none]),
        np.concatenate([hand, none]),
    )
    by = np.argsort(day.place[found.row])
    return CardLocations(*(column[by] for column in found))


def sums(day: JudgedDay) -> RoundMoney:
    """The money of every round."""
    lines = day.judged.verdicts.settlements
    count = len(day.encoded.rounds)

    def summed(values: I64) -> I64:
        total = np.zeros(count, np.int64)
        np.add.at(total, lines[:, L.S_ROUND], values)
        return total

    variance = lines[:, L.S_VARIANCE]
    return RoundMoney(
        wagers=summed(np.ones(len(lines), np.int64)),
        handle=summed(lines[:, L.S_STAKE]),
        paid=summed(lines[:, L.S_ACTUAL_PAID]),
        taken=summed(lines[:, L.S_ACTUAL_TAKEN]),
        over=summed(np.maximum(variance, 0)),
        under=summed(np.minimum(variance, 0)),
        undetermined=summed((lines[:, L.S_VERDICT] == ops.UNDETERMINED).astype(np.int64)),
    )


def settlements(day: JudgedDay) -> pa.Table:
    """Every wager, and every payment without one."""
    s = day.judged.verdicts.settlements
    if not len(s):
        s = np.zeros((0, L.S_COLUMNS), np.int64)
    table = day.judged.table
    return A.table(
        day.day,
        table.id,
        len(s),
        round_id=A.names(s[:, L.S_ROUND], day.round_ids, none=-1),
        seat=A.small(s[:, L.S_SEAT]),
        bettor=A.small(s[:, L.S_BETTOR]),
        for_bettor=A.small(s[:, L.S_FOR]),
        patron=A.names(s[:, L.S_PATRON], day.encoded.patrons),
        kind=A.names(s[:, L.S_KIND], ops.KINDS, none=-1),
        hand=A.small(s[:, L.S_HAND]),
        currency=A.one(table.currency, len(s)),
        stake_cents=A.numbers(s[:, L.S_STAKE]),
        expected_paid_cents=A.numbers(s[:, L.S_PAID]),
        expected_taken_cents=A.numbers(s[:, L.S_TAKEN]),
        actual_paid_cents=A.numbers(s[:, L.S_ACTUAL_PAID]),
        actual_taken_cents=A.numbers(s[:, L.S_ACTUAL_TAKEN]),
        variance_cents=A.numbers(s[:, L.S_VARIANCE]),
        clause=clauses(day, s[:, L.S_CLAUSE]),
        reason=A.names(s[:, L.S_REASON], situations.NAMES, none=-1),
        odds=A.names(s[:, L.S_ODDS], ODDS, none=-1),
        verdict=A.names(s[:, L.S_VERDICT], ops.VERDICTS, none=-1),
    )


def clauses(day: JudgedDay, numbers: I64) -> pa.DictionaryArray:
    """Clauses as they are cited: the rulebook and its own numbering; any number below 0 is none."""
    book = day.judged.table.book
    return A.names(np.maximum(numbers, -1), [f"{book.id} {clause.id}" for clause in book.clauses], none=-1)


def hands(day: JudgedDay, placed: CardLocations) -> pa.Table:
    """Every hand with its cards."""
    h = day.judged.verdicts.hands
    if not len(h):
        h = np.zeros((0, L.O_COLUMNS), np.int64)
    by = np.lexsort((h[:, L.O_HAND], h[:, L.O_SEAT], h[:, L.O_ROUND]))
    h = h[by]
    held, keys = _held(placed, placed.zone >= _HANDS)
    found = A.grouped(held, keys, _key(h[:, L.O_ROUND], h[:, L.O_SEAT], h[:, L.O_HAND]))
    empty = h[:, L.O_CARDS] == 0
    return A.table(
        day.day,
        day.table_id,
        len(h),
        round_id=A.names(h[:, L.O_ROUND], day.round_ids, none=-1),
        seat=A.small(h[:, L.O_SEAT]),
        hand=A.small(h[:, L.O_HAND]),
        cards=found,
        total=A.small(h[:, L.O_TOTAL], empty),
        soft=pa.array(h[:, L.O_SOFT] == 1, mask=empty),
        outcome=A.names(h[:, L.O_OUTCOME], situations.NAMES, none=-1),
    )


def _key(number: I64, seat: I64, hand: I64) -> I64:
    return (number * 64 + seat) * 256 + hand


def _held(placed: CardLocations, chosen: npt.NDArray[np.bool_]) -> tuple[pa.Array, I64]:
    """Names of some cards, and the key of the hand that each belongs to; sorted by hand, then by place in it."""
    rows = np.flatnonzero(chosen)
    keys = _key(placed.round[rows], placed.seat[rows], placed.hand[rows])
    by = np.lexsort((placed.position[rows], keys))
    return pa.array(cards.NAMES).take(pa.array(placed.card[rows[by]])), keys[by]


def rounds(
    day: JudgedDay,
    placed: CardLocations,
    floor: Floor,
    found: list[int],
    known: dict[str, Sequence[str | None]],
    stamps: dict[str, str],
) -> pa.Table:
    """Every round: ``found`` counts its findings, ``known`` are columns of texts, ``stamps`` are the same for all."""
    r, when, money = day.judged.verdicts.rounds, day.rounds, sums(day)
    count = len(day.encoded.rounds)
    if not count:
        r = np.zeros((0, L.R_COLUMNS), np.int64)
    wrong = (money.over != 0) | (money.under != 0)
    open_ = ~when.complete | (money.undetermined > 0)
    numbers = np.arange(count)
    held, keys = _held(placed, placed.zone == _DEALER)
    return A.table(
        day.day,
        day.table_id,
        count,
        round_id=pa.array(day.round_ids, pa.string()),
        round=pa.array(day.encoded.rounds, pa.string()),
        shoe=A.names(when.shoe, day.encoded.shoes),
        dealer=A.names(when.dealer, day.encoded.dealers),
        shift=_shifts(when.started, floor),
        started=A.moments(when.started),
        ended=A.moments(when.ended, ~when.complete),
        complete=pa.array(when.complete),
        void=pa.array(r[:, L.R_VOID] == 1),
        void_logged=pa.array(r[:, L.R_VOID_LOGGED] == 1),
        dealer_cards=A.grouped(held, keys, _key(numbers, 0 * numbers, 0 * numbers)),
        dealer_total=A.small(r[:, L.R_DEALER_TOTAL], r[:, L.R_DEALER_CARDS] == 0),
        boxes=A.numbers(_boxes(day), pa.int16()),
        verdict=A.names(np.select([open_, wrong], [2, 1]), ("correct", "wrong", "undetermined"), none=-1),
        currency=A.one(day.judged.table.currency, count),
        handle_cents=A.numbers(money.handle),
        paid_cents=A.numbers(money.paid),
        taken_cents=A.numbers(money.taken),
        over_cents=A.numbers(money.over),
        under_cents=A.numbers(money.under),
        wagers=A.numbers(money.wagers, pa.int32()),
        findings=pa.array(found, pa.int32()),
        **{name: pa.array(texts, pa.string()).dictionary_encode() for name, texts in known.items()},
        **{name: A.one(text, count) for name, text in stamps.items()},
    )


def _boxes(day: JudgedDay) -> I64:
    """Boxes with a main wager, by round."""
    tape, offsets = day.encoded.tape, day.encoded.offsets
    staked = np.flatnonzero((tape.op == ops.WAGER) & (tape.kind == ops.MAIN))
    keys = np.unique((np.searchsorted(offsets, staked, "right") - 1) * 64 + tape.seat[staked])
    return np.bincount(keys // 64, minlength=len(offsets) - 1).astype(np.int64)


def _shifts(started: I64, floor: Floor) -> pa.DictionaryArray:
    """The shift in which each round began, by the property's own clock."""
    shifts = sorted((time.fromisoformat(wall), name) for name, wall in floor.property.get("shifts", {}).items())
    if not shifts:
        return A.one(None, len(started))
    zone = ZoneInfo(floor.property.get("timezone", "UTC"))
    hours = np.unique(started // 900_000)  # a quarter of an hour has one offset to UTC
    offsets = [_offset_ms(zone, int(quarter) * 900_000) for quarter in hours]
    local = (started + np.array(offsets, np.int64)[np.searchsorted(hours, started // 900_000)]) % 86_400_000
    begins = [((wall.hour * 60 + wall.minute) * 60 + wall.second) * 1000 for wall, _ in shifts]
    place = np.searchsorted(begins, local, "right") - 1  # before the first of the day the last one goes on
    return A.names(place % len(shifts), [name for _, name in shifts], none=-1)


def _offset_ms(zone: ZoneInfo, ms: int) -> int:
    ahead = datetime.fromtimestamp(ms / 1000, zone).utcoffset()
    return 0 if ahead is None else round(ahead.total_seconds() * 1000)


def card_columns(day: JudgedDay, placed: CardLocations) -> dict[str, Any]:
    """The columns of ``cards`` that do not come from a camera."""
    columns, words = day.lines.columns, day.lines.words
    faces = columns.text("face")[placed.row]
    return {
        "round_id": A.names(placed.round, day.round_ids, none=-1),
        "shoe": A.names(columns.text("shoe")[placed.row], words),
        "n": A.numbers(columns.number("n")[placed.row]),
        "card": A.names(placed.card, cards.NAMES),
        "face": A.names(np.where(faces == 0, words.index("down"), faces), words),
        "zone": A.names(placed.zone, ops.ZONES),
        "position": A.small(placed.position),
        "ts": A.moments(day.corrected[placed.row]),
        "place": A.numbers(day.place[placed.row]),
        "source": A.names(columns.source[placed.row].astype(np.int64), SOURCES, none=-1),
    }


def _likelier(logged: I64, rules: Rules, handled: I64) -> I64:
    """Return the decks that cards drawn and left fit better: as logged, or as the table plays.

    A wrong number that somebody logged is one finding, shoe.deck-count, and no card is missing for it.
    """
    played, deck = int(rules.decks), int(rules.cards_per_deck)
    fits = np.abs(handled - played * deck) < np.abs(handled - logged * deck)
    return np.where(fits, played, logged)


def shoes(day: JudgedDay) -> pa.Table:
    """Every shoe: what it held against what it should have held."""
    table, source, rules = day.encoded.table, day.encoded.table_source, day.judged.rules
    count = len(day.encoded.shoes)
    drawn = np.flatnonzero(table.op == ops.DRAW)
    held = np.zeros((count, cards.CARD_CODES), np.int64)
    np.add.at(held, (table.cents[drawn], table.card[drawn]), 1)
    tens = held[:, cards.RANK == cards.TEN].sum(axis=1)
    plain = held.copy()
    plain[:, cards.RANK == cards.TEN] = 0
    total = held.sum(axis=1)
    loaded = _of_shoe(table.op == ops.SHOE_LOADED, table.cents, count)
    ended = _of_shoe(table.op == ops.SHOE_ENDED, table.cents, count)
    cut = _of_shoe(table.op == ops.CUT_CARD, table.cents, count)
    remaining = _at(table.aux, ended, ABSENT)
    own_decks = _at(table.seat, loaded, 0)
    own_decks = np.where(own_decks == 0, int(rules.decks), own_decks)
    from_decks = _at(table.hand, loaded, ops.FROM_DISCARDS) == ops.FROM_DECKS
    handled = total - tens + remaining
    own_decks = np.where(ended >= 0, _likelier(own_decks, rules, handled), own_decks)
    wanting = own_decks * int(rules.cards_per_deck) - handled
    missing = np.where((ended >= 0) & from_decks, np.maximum(wanting, 0), ABSENT)
    extra = np.maximum(plain - own_decks[:, None], 0).sum(axis=1)
    seen = np.flatnonzero((total > 0) | (loaded >= 0) | (ended >= 0))
    seen = seen[seen > 0]
    times = day.corrected[source]
    return A.table(
        day.day,
        day.table_id,
        len(seen),
        shoe=A.names(seen, day.encoded.shoes),
        decks_id=A.names(_at(table.aux, loaded, 0)[seen], day.encoded.sets),
        decks=A.numbers(own_decks[seen]),
        cards_drawn=A.numbers(total[seen]),
        tens=A.numbers(tens[seen]),
        missing=A.numbers(missing[seen]),
        extra=A.numbers(extra[seen]),
        cut_card_n=A.numbers(_at(table.aux, cut, ABSENT)[seen]),
        remaining=A.numbers(remaining[seen]),
        loaded=A.moments(_at(times, loaded, ABSENT)[seen]),
        ended=A.moments(_at(times, ended, ABSENT)[seen]),
    )


def _of_shoe(chosen: npt.NDArray[np.bool_], shoe: I64, count: int) -> I64:
    """The last row of some kind for each shoe, -1 where it has none."""
    rows = np.flatnonzero(chosen)
    found = np.full(count, -1)
    found[shoe[rows]] = rows
    return found


def _at(values: A.Ints, rows: I64, absent: int) -> I64:
    """Values at some rows as 64-bit numbers, ``absent`` where the row is -1; there may be no values at all."""
    found = np.full(len(rows), absent, np.int64)
    found[rows >= 0] = values[rows[rows >= 0]]
    return found
