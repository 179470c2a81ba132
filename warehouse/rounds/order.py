"""The stored lines of a table's day, logged and inferred, and the order of events."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from replay.columns import I64
from warehouse.rounds.place import Place, RoundError

_SUPPOSED: Final = ("code", "seat", "bettor", "hand", "missed_card", "ruling", "refused_by", "n_list", "round_id")


class StoredLines(NamedTuple):
    """Rows as in ``events``. An inferred line has no ``path``; a row without a ``place`` does not count."""

    rows: pl.DataFrame
    place: I64  # by row, from 1; 0 for none
    order: I64  # rows in the order of events


def stored_lines(place: Place, has_camera_cards: bool) -> StoredLines:
    """Read the lines of a round's table and day."""
    rows = pl.concat([place.rows("events"), *_inferred(place, has_camera_cards)], how="diagonal")
    places = rows["place"].fill_null(0).to_numpy()
    order = np.argsort(places, kind="stable")[np.count_nonzero(places == 0) :]
    if (places[order] != np.arange(1, len(order) + 1)).any():
        where = f"{place.lake.path}: {place.table} on {place.day}"
        raise RoundError(f"{where}: places 1 to {len(order)} expected in the order of events, others found")
    return StoredLines(rows, places, order)


def _inferred(place: Place, has_camera_cards: bool) -> Iterator[pl.DataFrame]:
    """Yield the inferred lines, by dataset; each has its place in the order of events."""
    if has_camera_cards:
        yield _camera_cards(place)
    yield _supposed(place)


def _supposed(place: Place) -> pl.DataFrame:
    """Return the irregularities that the likeliest stories suppose and nobody logged."""
    at = pl.col("place").is_not_null()
    name = pl.col("round_id").str.splitn("/", 3).struct.field("field_2").alias("round")
    told = pl.lit("terminal").alias("source"), pl.lit("irregularity").alias("type"), pl.lit(1).alias("inferred")
    return place.rows("stories", lambda frame: frame.filter(at).select("place", name, *told, *_SUPPOSED))


def _camera_cards(place: Place) -> pl.DataFrame:
    """Return the cards that only the camera saw as draws."""
    seen = pl.col("source") == "camera"
    needed = ("place", "source", pl.lit("draw").alias("type"), "card", pl.col("ts").alias("corrected"))
    return place.rows("cards", lambda frame: frame.filter(seen).select(*needed))
