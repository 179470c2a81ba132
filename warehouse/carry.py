"""The state of the floor between two days, as rows of ``carry``."""

import hashlib
import json
from datetime import UTC, date, datetime, timedelta
from typing import Final

import polars as pl

from replay.carry import Carry, Decks
from warehouse.schemas import DATASETS

# Decks that nobody has touched for so long are forgotten, unless they were withdrawn.
_FORGOTTEN_AFTER: Final = timedelta(days=30)


def to_frame(carry: Carry, day: date) -> pl.DataFrame:
    """The state after a day."""
    limit = datetime.combine(day, datetime.min.time(), UTC) - _FORGOTTEN_AFTER
    rows = [
        (day, "", "decks", name, *decks)
        for name, decks in carry.decks.items()
        if decks.withdrawn or decks.since_ms >= limit.timestamp() * 1000
    ]
    rows += [(day, "", "meter", name, millionths, 0, 0) for name, millionths in carry.meters.items()]
    rows += [(day, table, "player", patron, 1, 0, 0) for table, patron in carry.players]
    return pl.DataFrame(rows, schema=DATASETS["carry"].types, orient="row").sort("table", "kind", "key")


def from_frame(rows: pl.DataFrame) -> Carry:
    """The state that such rows tell of."""
    by_kind = {str(kind): part for (kind,), part in rows.partition_by("kind", as_dict=True).items()}
    empty = rows.clear()
    decks = by_kind.get("decks", empty).select("key", "a", "b", "c").iter_rows()
    meters = by_kind.get("meter", empty).select("key", "a").iter_rows()
    players = by_kind.get("player", empty).select("table", "key").iter_rows()
    return Carry({name: Decks(*values) for name, *values in decks}, frozenset(players), dict(meters))


def fingerprint(rows: pl.DataFrame) -> str:
    """A hash of the state, whatever the day."""
    text = json.dumps(rows.drop("gaming_day").rows(), separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
