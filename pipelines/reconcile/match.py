"""Pairs of cards and sightings: by place and time first, by the card itself where it lies elsewhere."""

from typing import Final

import polars as pl

from pipelines.watch.zones import ROUND, on_felt

# How a sighting was found to be of a card.
IN_PLACE: Final = "in place"  # where the card lies, and not read as another
ELSEWHERE: Final = "elsewhere"  # not where the card was laid
MISREAD: Final = "misread"  # where the card lies, and read as another

EARLY_MS: Final = 1000  # a sighting may seem to come this much before its card, once the camera's lag is taken off
NEAR_MS: Final = 1000  # a card and a sighting so close in time may be one, whatever else they say
_LAG_WITHIN_MS: Final = 5000  # sightings later than this are of cards that were seen again


def match(cards: pl.DataFrame, sightings: pl.DataFrame) -> pl.DataFrame:
    """Pairs of ``card_row`` and ``seen_row`` (row numbers of the two frames) with ``how`` they were found.

    A sighting is of one card at most; a card may be seen several times.
    """
    seen = _numbered(sightings, "seen_row").select(
        "seen_row", *ROUND, "zone", seen_card="card", seen_ms="ms", place=_place("order")
    )
    drawn = _numbered(cards, "card_row").select("card_row", *ROUND, "card", card_ms="ms", zone="zone")
    candidates = _candidates(_stays(cards), seen)
    seen = seen.join(_lags(candidates), on="table", how="left").with_columns(
        seen_ms=pl.col("seen_ms") - pl.col("lag_ms").fill_null(0)
    )
    placed = _occupants(candidates, seen)
    in_place, misread = placed.filter(~pl.col("differs")), placed.filter("differs")
    unseen = drawn.join(in_place, on="card_row", how="anti")
    free = seen.join(in_place, on="seen_row", how="anti")
    strayed = _same_card(unseen, free, misread)
    unseen = unseen.join(strayed, on="card_row", how="anti").join(
        _at_once(misread, drawn, seen), on="card_row", how="anti"
    )
    free = free.join(strayed, on="seen_row", how="anti").join(misread, on="seen_row", how="anti")
    strayed = pl.concat([strayed, _same_moment(unseen, free)])
    # What lies in the place of a card that was found elsewhere is not that card.
    misread = misread.join(strayed, on="seen_row", how="anti").join(strayed, on="card_row", how="anti")
    found = ((in_place, IN_PLACE), (strayed, ELSEWHERE), (misread, MISREAD))
    return pl.concat([pairs.select("card_row", "seen_row", how=pl.lit(how)) for pairs, how in found])


def _numbered(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Rows with their numbers; what is between two rounds counts as a round without a name."""
    return frame.with_row_index(name).with_columns(pl.col("round").fill_null(""))


def _place(position: str) -> pl.Expr:
    """The position in a zone, 0 where cards are piled up."""
    return pl.when(on_felt("zone")).then(position).otherwise(0)


def _stays(cards: pl.DataFrame) -> pl.DataFrame:
    """A row for every place that a card lay in: one, or two where a split moved it."""
    numbered = _numbered(cards, "card_row")
    moved = numbered.filter(pl.col("first_zone").ne_missing(pl.col("zone")))
    first = numbered.with_columns(zone="first_zone", position="first_position")
    stays = pl.concat([first, moved]).filter(pl.col("zone").is_not_null())
    return stays.select("card_row", *ROUND, "zone", "card", card_ms="ms", place=_place("position"))


def _candidates(stays: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    return stays.join(seen, on=(*ROUND, "zone", "place"))


def _lags(candidates: pl.DataFrame) -> pl.DataFrame:
    """By table, how long after the shoe the camera has a card: its own delay and what is left of clock skew."""
    late = pl.col("seen_ms") - pl.col("card_ms")
    fresh = candidates.filter(late.abs() < _LAG_WITHIN_MS)
    return fresh.group_by("table").agg(lag_ms=late.median().cast(pl.Int64))


def _occupants(candidates: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    """The card that lay where and when a sighting was: of several one that it reads right, then the nearest."""
    timed = candidates.drop("seen_ms").join(seen.select("seen_row", "seen_ms"), on="seen_row")
    after = pl.col("seen_ms") - pl.col("card_ms")
    known = timed.filter(after >= -EARLY_MS).with_columns(
        differs=(pl.col("seen_card") != pl.col("card")).fill_null(False), away_ms=after.abs()
    )
    best = known.sort("seen_row", "differs", "away_ms").unique("seen_row", keep="first", maintain_order=True)
    # In a pile any card may lie, also one that was picked up there.
    return best.filter(~pl.col("differs") | on_felt("zone")).select("card_row", "seen_row", "differs")


def _same_card(unseen: pl.DataFrame, free: pl.DataFrame, misread: pl.DataFrame) -> pl.DataFrame:
    """Cards seen nowhere, and the same card seen in a place that is not theirs.

    In the place of another card it has to be at the moment of the draw.
    """
    after = pl.col("seen_ms") - pl.col("card_ms")
    in_anothers_place = pl.col("seen_row").is_in(misread["seen_row"].implode())
    pairs = (
        unseen.select("card_row", *ROUND, "card", "card_ms")
        .join(free.select("seen_row", *ROUND, "seen_ms", card="seen_card"), on=(*ROUND, "card"))
        .filter(after >= -EARLY_MS, ~in_anothers_place | (after <= NEAR_MS))
    )
    return _one_to_one(pairs.with_columns(away_ms=after.abs()))


def _at_once(misread: pl.DataFrame, drawn: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    """Cards in whose place another was read at the moment of the draw: no need to look for them elsewhere."""
    times = misread.join(drawn.select("card_row", "card_ms"), on="card_row").join(
        seen.select("seen_row", "seen_ms"), on="seen_row"
    )
    return times.filter((pl.col("seen_ms") - pl.col("card_ms")).abs() <= NEAR_MS)


def _same_moment(unseen: pl.DataFrame, free: pl.DataFrame) -> pl.DataFrame:
    """Cards seen nowhere, and what appeared at the moment of the draw where no card was expected."""
    times = free.select("seen_row", *ROUND, "seen_ms", ms="seen_ms").sort("ms")
    pairs = (
        unseen.select("card_row", *ROUND, "card_ms", ms="card_ms")
        .sort("ms")
        .join_asof(times, on="ms", by=list(ROUND), strategy="nearest", tolerance=NEAR_MS, check_sortedness=False)
        .drop_nulls("seen_row")
    )
    return _one_to_one(pairs.with_columns(away_ms=(pl.col("seen_ms") - pl.col("card_ms")).abs()))


def _one_to_one(pairs: pl.DataFrame) -> pl.DataFrame:
    """The nearest pairs, with every card and every sighting in one of them at most."""
    nearest = pairs.sort("away_ms", "card_row", "seen_row").unique("seen_row", keep="first", maintain_order=True)
    return nearest.unique("card_row", keep="first", maintain_order=True).select("card_row", "seen_row")
