"""Truth about a table's day: where every card went, how every clock ran, and which rounds are irregular."""

from datetime import date
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from replay import cards, ops
from replay.simulator import log as J
from replay.simulator.camera import refused, zone_name
from replay.simulator.clocks import TableClocks
from replay.simulator.log import Log, Names
from replay.tape import I64

CARDS: Final = "truth-cards.parquet"
CLOCKS: Final = "truth-clocks.parquet"
ROUNDS: Final = "truth-rounds.parquet"
SOURCES: Final = ("terminal", "shoe", "camera")

_TIME: Final = pl.Datetime("ms", "UTC")
_CLOCKS: Final[dict[str, Any]] = {
    "gaming_day": pl.Date,
    "table": pl.String,
    "source": pl.String,
    "from": _TIME,
    "until": _TIME,
    "offset_ms": pl.Int64,
    "drift_ppm": pl.Float64,
    "jitter_ms": pl.Int64,
}
_ROUNDS: Final[dict[str, Any]] = {
    "gaming_day": pl.Date,
    "table": pl.String,
    "round_id": pl.String,
    "class": pl.String,
    "seat": pl.Int64,
}


class OddRound(NamedTuple):
    """A round that is out of the ordinary, and in which way: ``misdeal:second-card``, ``blind:shoe``."""

    number: int
    what: str
    seat: int | None = None


def cards_frame(day: date, log: Log, names: Names) -> pl.DataFrame:
    """Return every card drawn on a table's day: where it lay in the end, and when it was drawn."""
    rows = np.flatnonzero(log.op == ops.DRAW)
    zone, position = placed(log)
    number = log.round[rows]
    zones = {each: zone_name(each) for each in np.unique(zone).tolist()}
    return pl.DataFrame(
        {
            "gaming_day": pl.repeat(day, len(rows), dtype=pl.Date, eager=True),
            "table": pl.repeat(names.table, len(rows), dtype=pl.String, eager=True),
            "shoe": pl.Series([names.shoes[shoe] for shoe in log.cents[rows].tolist()], dtype=pl.String),
            "n": log.aux[rows],
            "card": pl.Series([cards.NAMES[card] for card in log.card[rows].tolist()], dtype=pl.String),
            "round": pl.Series([str(each) if each else None for each in number.tolist()], dtype=pl.String),
            "zone": pl.Series([zones[each] for each in zone.tolist()], dtype=pl.String),
            "position": position,
            "true_time": pl.Series(log.ms[rows]).cast(_TIME),
        }
    )


def placed(log: Log) -> tuple[I64, I64]:
    """Return the zone and the position in it of every draw, once splits have moved second cards to new hands."""
    rows = np.flatnonzero(log.op == ops.DRAW)
    zone, number = log.zone[rows].astype(np.int64), log.round[rows].astype(np.int64)
    stretch = np.cumsum(np.diff(number, prepend=0) != 0)  # rounds, and what lies between them
    position = _counted(stretch * (1 << 16) + zone)
    starts, ends = J.bounds(log)
    hands: dict[tuple[int, int], int] = {}
    for row in np.flatnonzero((log.op == ops.DECISION) & (log.kind == ops.SPLIT_PAIR)).tolist():
        box = int(log.round[row]), int(log.seat[row])
        here = np.arange(*np.searchsorted(rows, [starts[box[0] - 1], ends[box[0] - 1]]))
        old, number_of_new = box[1] * J.ZONE_HANDS + int(log.hand[row]), hands.get(box, 1) + 1
        new = box[1] * J.ZONE_HANDS + number_of_new
        moved = here[(zone[here] == old) & (position[here] == 2) & (rows[here] < row)]
        if len(moved) != 1 or _is_refused(log, row, int(ends[box[0] - 1])):
            continue
        hands[box] = number_of_new
        later = here[rows[here] > row]
        position[later[zone[later] == old]] -= 1
        position[later[zone[later] == new]] += 1
        zone[moved], position[moved] = new, 1
    return zone, position


def _counted(keys: I64) -> I64:
    """Return how often each key has come up so far, itself included."""
    by = np.argsort(keys, kind="stable")
    firsts = np.flatnonzero(np.diff(keys[by], prepend=keys[by][:1] - 1)) if len(keys) else by
    counted = np.empty(len(keys), np.int64)
    counted[by] = np.arange(len(keys)) - np.repeat(firsts, np.diff(np.append(firsts, len(keys)))) + 1
    return counted


def _is_refused(log: Log, row: int, end: int) -> bool:
    decision, *later = log.rows(row, end)
    return refused(decision, later)


def clocks_frame(day: date, table: str, clocks: TableClocks, until_ms: int) -> pl.DataFrame:
    """Return the stretches in which each of a table's clocks ran evenly."""
    rows = [
        (day, table, source, *piece)
        for source in SOURCES
        for piece in getattr(clocks, source).pieces(clocks.day_starts_ms, until_ms)
    ]
    schema = _CLOCKS | {"from": pl.Int64, "until": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").cast({"from": _TIME, "until": _TIME})


def rounds_frame(day: date, table: str, odd: list[OddRound]) -> pl.DataFrame:
    """Return the rounds that are out of the ordinary, one row for each way."""
    by_round = sorted(odd, key=lambda each: (each.number, each.what, each.seat or 0))
    rows = [(day, table, f"{table}/{day.isoformat()}/{each.number}", each.what, each.seat) for each in by_round]
    return pl.DataFrame(rows, schema=_ROUNDS, orient="row")
