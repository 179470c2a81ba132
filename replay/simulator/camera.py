"""Places and times of every card of a table's day, and the lines an overhead camera logs about them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
import polars as pl

from replay import cards, codes, ops
from replay.simulator import landing
from replay.simulator import log as J
from replay.simulator.clocks import TableClocks, texts
from replay.simulator.log import Log, Names, Row

CAMERA: Final = "camera"
FOOTAGE: Final = "footage-1"  # the stem of a film's name
ABSTAINS: Final = 0.004  # share of sightings in which the card is not read

_SCHEMA: Final = {
    "row": pl.Int64,
    "zone": pl.String,
    "order": pl.Int64,
    "face": pl.String,
    "sideways": pl.Boolean,
    "laid_ms": pl.Int64,
    "until_ms": pl.Int64,
}
# Wagers that lie with a hand: their settlement is when its cards are picked up.
_HAND_KINDS: Final = frozenset({ops.MAIN, ops.SPLIT, ops.DOUBLE, ops.SUPER_BONUS})
# What happens before the dealer turns the hole card.
_BEFORE_TURNING: Final = frozenset({ops.WAGER, ops.OFFER, ops.DECISION, ops.ASSIGN, ops.HOLE_CHECK})
_PLAY_CODES: Final = frozenset(number for name, number in codes.NUMBER.items() if name.startswith("play."))
_HOLE_EXPOSED: Final = codes.NUMBER["deal.hole-card-exposed"]


def placements(log: Log, names: Names, hole_card: bool) -> pl.DataFrame:
    """List the stays of all cards in zones: a row per card, and one more when a split moves it or it is turned.

    ``hole_card`` says that the dealer's second card lies face down until the players are done.
    """
    stays = [stay for felt in _felts(log, hole_card) for stay in felt.stays]
    frame = pl.DataFrame(
        [
            (s.row, zone_name(s.zone), s.order, "down" if s.down else "up", s.sideways, s.laid_ms, s.until_ms)
            for s in stays
        ],
        schema=_SCHEMA,
        orient="row",
    )
    rows = frame["row"].to_numpy()
    drawn = {
        "round": pl.Series(log.round[rows].astype(np.int64)),
        "shoe": pl.Series([names.shoes[shoe] for shoe in log.cents[rows].tolist()], dtype=pl.String),
        "n": pl.Series(log.aux[rows]),
        "card": pl.Series([cards.NAMES[card] for card in log.card[rows].tolist()], dtype=pl.String),
    }
    return (
        frame.select(**drawn, **{name: pl.col(name) for name in [*_SCHEMA, "row"][1:]})
        .sort("laid_ms", "row")
        .drop("row")
    )


def zone_name(zone: int) -> str:
    """Return the name of a zone, as ``seat3.hand1``."""
    named = {J.ZONE_DEALER: "dealer", J.ZONE_BURN: "burn", J.ZONE_DISCARD: "discard"}
    return named.get(zone) or f"seat{zone // J.ZONE_HANDS}.hand{zone % J.ZONE_HANDS}"


@dataclass(slots=True)
class _Stay:
    """Stay of one card in one zone, lying one way."""

    row: int  # of its draw
    zone: int
    order: int
    down: bool
    sideways: bool
    laid_ms: int
    until_ms: int = -1


@dataclass
class _Felt:
    """The cards on a table during one round, or between two."""

    hole_card: bool
    stays: list[_Stay] = field(default_factory=list)
    zones: dict[int, list[_Stay]] = field(default_factory=dict)
    settled: dict[int, int] = field(default_factory=dict)  # by zone: when its hand was settled, if nothing followed
    doubled: set[int] = field(default_factory=set)  # zones whose next card lies sideways
    hands: dict[int, int] = field(default_factory=dict)  # by seat: hands so far
    strays: list[_Stay] = field(default_factory=list)  # cards in a box without a wager

    def play(self, rows: Sequence[Row], first: int, end_ms: int) -> None:
        """Follow the rows of a round, of which ``first`` is the number in the log."""
        for n, row in enumerate(rows):
            if row.op != ops.DRAW and row.op != J.MOMENT:
                self.clear_strays(row.ms)
            if row.op == ops.DRAW:
                self.lay(row, first + n)
            elif row.op == ops.DECISION:
                self.decide(row, rows[n + 1 :])
            elif row.op == ops.SETTLE and row.kind in _HAND_KINDS:
                self.settled[_zone_of(row)] = row.ms
        if self.hole_card:
            self.turn_hole_card(rows)
        for zone, lying in self.zones.items():
            for stay in lying:
                stay.until_ms = self.settled.get(zone, end_ms)

    def clear_strays(self, ms: int) -> None:
        """Put cards of a box without a wager into the discards."""
        for stay in self.strays:
            stay.until_ms = ms
            self.zones[stay.zone].remove(stay)
            order = len(self.zones.get(J.ZONE_DISCARD, ())) + 1
            self.put(_Stay(stay.row, J.ZONE_DISCARD, order, False, False, ms))
        self.strays.clear()

    def lay(self, row: Row, number: int) -> None:
        if row.zone == J.ZONE_DISCARD and row.seat:
            box = row.seat * J.ZONE_HANDS + 1
            self.strays.append(_Stay(number, box, len(self.zones.get(box, ())) + 1, False, False, row.ms))
            self.put(self.strays[-1])
            return
        lying = self.zones.setdefault(row.zone, [])
        hole = self.hole_card and row.zone == J.ZONE_DEALER and len(lying) == 1
        stay = _Stay(
            number, row.zone, len(lying) + 1, hole or row.zone == J.ZONE_BURN, row.zone in self.doubled, row.ms
        )
        self.doubled.discard(row.zone)
        self.settled.pop(row.zone, None)
        self.put(stay)

    def put(self, stay: _Stay) -> None:
        self.zones.setdefault(stay.zone, []).append(stay)
        self.stays.append(stay)
        if stay.zone >= J.ZONE_HANDS:
            seat, hand = divmod(stay.zone, J.ZONE_HANDS)
            self.hands[seat] = max(self.hands.get(seat, 1), hand)

    def decide(self, row: Row, later: Sequence[Row]) -> None:
        zone = _zone_of(row)
        self.settled.pop(zone, None)
        if row.kind == ops.DOUBLE_DOWN and not refused(row, later):
            self.doubled.add(zone)
        elif row.kind == ops.SPLIT_PAIR and len(self.zones.get(zone, ())) > 1 and not refused(row, later):
            moved = self.zones[zone].pop(1)
            moved.until_ms = row.ms
            new = row.seat * J.ZONE_HANDS + self.hands[row.seat] + 1
            self.put(_Stay(moved.row, new, 1, moved.down, moved.sideways, row.ms))

    def turn_hole_card(self, rows: Sequence[Row]) -> None:
        lying = self.zones.get(J.ZONE_DEALER, [])
        if len(lying) < 2:
            return
        hole = lying[1]
        hole.until_ms = _turned_ms(rows, hole.laid_ms, lying[2].laid_ms if len(lying) > 2 else rows[-1].ms)
        lying[1] = _Stay(hole.row, hole.zone, hole.order, False, hole.sideways, hole.until_ms)
        self.stays.append(lying[1])


def _zone_of(row: Row) -> int:
    return row.seat * J.ZONE_HANDS + row.hand


def refused(decision: Row, later: Sequence[Row]) -> bool:
    """Return whether a decision was refused before a card was drawn on it."""
    for row in later:
        if row.op == ops.DRAW:
            return False
        about = row.op == ops.IRREGULARITY and row.seat == decision.seat and row.hand in (0, decision.hand)
        if about and row.kind in _PLAY_CODES and row.cents & ops.REFUSE:
            return True
    return False


def _turned_ms(rows: Sequence[Row], laid_ms: int, latest_ms: int) -> int:
    """Return the time in ms at which the hole card was turned: after the players, or when it was exposed earlier."""
    done = laid_ms
    for row in rows:
        if row.op == ops.IRREGULARITY and row.kind == _HOLE_EXPOSED and row.ms > laid_ms:
            return min(row.ms, latest_ms)
        if row.op in _BEFORE_TURNING or (row.op == ops.DRAW and row.zone >= J.ZONE_HANDS):
            done = max(done, row.ms)
    done = min(done, latest_ms)
    following = next((row.ms for row in rows if row.ms > done), done)
    return (done + min(following, latest_ms)) // 2


def _felts(log: Log, hole_card: bool) -> Iterator[_Felt]:
    """The table round by round, with what lies there between the rounds."""
    if not len(log.op):
        return
    starts = np.flatnonzero(np.diff(log.round, prepend=log.round[0] - 1))
    for lo, hi in zip(starts.tolist(), [*starts[1:].tolist(), len(log.op)], strict=True):
        rows = log.rows(lo, hi)
        felt = _Felt(hole_card and rows[0].round > 0)
        # Cards burned between rounds are put away when the next round begins.
        last = min(hi, len(log.op) - 1) if rows[0].round == 0 else hi - 1
        felt.play(rows, lo, int(log.ms[last]))
        yield felt


def reported(placed: pl.DataFrame, rng: Random) -> pl.DataFrame:
    """Return ``placements`` in the order in which a camera reports them, a moment after a card was laid.

    ``seen_ms`` and ``gone_ms`` are true times; ``abstains`` says that the card is not read, ``sure`` how sure it is.
    """
    laid, until = placed["laid_ms"].to_numpy(), placed["until_ms"].to_numpy()
    chances = np.array([(rng.random(), rng.random(), rng.random(), rng.random()) for _ in range(len(laid))]).reshape(
        -1, 4
    )
    seen = laid + np.minimum(40 + 360 * chances[:, 0], (until - laid) / 2).astype(np.int64)
    gone = np.maximum(until - (200 * chances[:, 1]).astype(np.int64), seen)
    abstains = chances[:, 2] < ABSTAINS
    sure = np.where(abstains, 0.4 + 0.4 * chances[:, 3], 0.93 + 0.069 * chances[:, 3])
    columns = {"seen_ms": seen, "gone_ms": gone, "abstains": abstains, "sure": sure}
    order = np.argsort(seen, kind="stable")
    return placed.with_columns(pl.Series(name, column) for name, column in columns.items())[order]


def sightings(placed: pl.DataFrame, table: str, camera: str, clocks: TableClocks, rng: Random) -> pl.DataFrame:
    """``placements`` as a camera reports them: by its own clock, not always sure."""
    seen = reported(placed, rng)
    ts = clocks.camera.stamps(seen["seen_ms"].to_numpy(), clocks.day_starts_ms)
    last = np.maximum(clocks.camera.shows(seen["gone_ms"].to_numpy(), clocks.day_starts_ms), ts)
    return seen.select(
        table=pl.lit(table),
        seq=pl.int_range(1, pl.len() + 1),
        ts=texts(ts, clocks.timezone),
        type=pl.lit("seen"),
        camera=pl.lit(camera),
        zone="zone",
        order="order",
        face="face",
        card=pl.when(~pl.col("abstains") & (pl.col("face") == "up")).then("card"),
        confidence=pl.Series(seen["sure"].to_numpy().round(3)),
        sideways="sideways",
        until=texts(last, clocks.timezone),
    )


def write(out: Path, day: date, seen: pl.DataFrame, form: landing.Form = landing.PLAIN) -> list[Path]:
    """Write a table's sightings beside its other landing files."""
    if seen.is_empty():
        return []
    folder = out / day.isoformat() / seen["table"][0]
    folder.mkdir(parents=True, exist_ok=True)
    return landing.save(folder, CAMERA, np.frombuffer(seen.write_ndjson().encode(), np.uint8), form)
