"""The stored lines of a table's day, logged and inferred, and the order of events."""

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
    logged = place.rows("events")
    if has_camera_cards:
        logged = pl.concat([logged, _camera_cards(place)], how="diagonal")
    stories = place.rows("stories").filter(pl.col("place").is_not_null())
    rows = pl.concat([logged, supposed_lines(stories, logged)], how="diagonal") if len(stories) else logged
    places = rows["place"].fill_null(0).to_numpy()
    order = np.argsort(places, kind="stable")[np.count_nonzero(places == 0) :]
    if (places[order] != np.arange(1, len(order) + 1)).any():
        where = f"{place.lake.path}: {place.table} on {place.day}"
        raise RoundError(f"{where}: places 1 to {len(order)} expected in the order of events, others found")
    return StoredLines(rows, places, order)


def supposed_lines(stories: pl.DataFrame, logged: pl.DataFrame) -> pl.DataFrame:
    """Return the irregularities that stories suppose and nobody logged, each at the time of the line before it.

    ``place`` of a story is that of its line in the order of events.
    """
    name = pl.col("round_id").str.splitn("/", 3).struct.field("field_2").alias("round")
    told = pl.lit("terminal").alias("source"), pl.lit("irregularity").alias("type"), pl.lit(True).alias("inferred")
    times = logged.select("place", "corrected").drop_nulls("place").sort("place")
    lines = stories.select("place", name, *told, *_SUPPOSED).sort("place").join_asof(times, on="place")
    return lines.with_columns(pl.col("corrected").fill_null(times["corrected"][0]))


def _camera_cards(place: Place) -> pl.DataFrame:
    """Return the cards that only the camera saw as draws."""
    seen = pl.col("source") == "camera"
    needed = ("place", "source", pl.lit("draw").alias("type"), "card", pl.col("ts").alias("corrected"))
    return place.rows("cards").filter(seen).select(*needed)
