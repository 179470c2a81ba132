"""Cards as they were drawn, from what the camera saw, for rounds in which the shoe is silent."""

from typing import Final

import polars as pl

from pipelines.watch.zones import ROUND, hand_of, on_felt, seat_of

_GONE_MS: Final = 500  # a card may be seen in its next place this much before it is gone from the last
_APART_MS: Final = 200  # cards seen closer together than this may have come in the other order
_PLACE: Final = (*ROUND, "zone", "order")


def draws_from_camera(sightings: pl.DataFrame, rounds: pl.DataFrame) -> pl.DataFrame:
    """One row for every card that came out of the shoe in ``rounds`` (table, round), in the order seen, without burns.

    ``sightings``: table, round, seq, zone, order, face, card, ms, until_ms. The result has table, round, ms, card (null
    where it was never read), face (as first seen: it does not tell how the card lay in the shoe), and ``sure``: false
    for a round in which a card is known to be missing, or two came so close together that their order is open.
    """
    wanted = sightings.join(rounds.select(ROUND), on=ROUND, how="semi").filter(pl.col("zone") != "burn")
    seen = wanted.sort("table", "ms", "seq").with_row_index("row")
    seen = seen.with_columns(seat=seat_of("zone"), hand=hand_of("zone"))
    in_front = (pl.col("hand") > 1) & (pl.col("order") == 1)
    moved = seen.filter(in_front)
    laid = seen.filter(on_felt("zone"), ~in_front.fill_null(False))
    origins = _origins(laid, moved)
    felt = _as_cards(laid.join(origins, on="row", how="left"))
    pile = seen.filter(zone="discard").with_columns(
        moved_row=pl.lit(None, pl.UInt32), moved_card=pl.lit(None, pl.String)
    )
    drawn = pl.concat([felt, _laid_aside(_as_cards(pile), felt)])
    in_order = drawn.sort("table", "ms", "row")
    apart = (pl.col("ms").diff() >= _APART_MS).fill_null(True).all().over(ROUND)
    doubtful = _incomplete(seen, moved, origins).with_columns(incomplete=pl.lit(True))
    marked = in_order.join(doubtful, on=ROUND, how="left", maintain_order="left")
    return marked.select(*ROUND, "ms", "card", "face", sure=pl.col("incomplete").is_null() & apart)


def _alike(one: str, other: str) -> pl.Expr:
    """Whether two columns of cards may be of the same card."""
    return (pl.col(one) == pl.col(other)).fill_null(True)


def _origins(laid: pl.DataFrame, moved: pl.DataFrame) -> pl.DataFrame:
    """Rows whose card a split put to the front of a new hand, with the row and the card as it was seen there."""
    away_ms = (pl.col("moved_ms") - pl.col("until_ms")).abs()
    box = (*ROUND, "seat")
    new = moved.select(*box, moved_row="row", new_hand="hand", moved_card="card", moved_ms="ms")
    return (
        laid.filter(pl.col("order") == 2)
        .join(new, on=box)
        .filter(pl.col("hand") < pl.col("new_hand"), pl.col("ms") <= pl.col("moved_ms"), _alike("card", "moved_card"))
        .sort(away_ms, "row", "moved_row")
        .unique("moved_row", keep="first", maintain_order=True)
        .unique("row", keep="first", maintain_order=True)
        .select("row", "moved_row", "moved_card")
    )


def _as_cards(seen: pl.DataFrame) -> pl.DataFrame:
    """A row per card: sightings of a place are of one card until it is split away or another is read."""
    begins = pl.any_horizontal(pl.col(name) != pl.col(name).shift(1) for name in _PLACE).fill_null(True)
    by_place = seen.sort(*_PLACE, "row").with_columns(begins=begins)
    unread = pl.when("begins").then(pl.lit(""))  # until a card is read
    before = pl.coalesce("card", unread).forward_fill().shift(1)
    another = (before != "") & (pl.col("card") != before).fill_null(False)
    is_new = pl.col("begins") | pl.col("moved_row").shift(1).is_not_null() | another
    read = pl.coalesce("card", "moved_card").drop_nulls().first()
    return (
        by_place.group_by(is_new.fill_null(True).cum_sum().alias("which"), maintain_order=True)
        .agg(pl.first(*_PLACE, "row", "ms", "face"), read.alias("card"), pl.last("until_ms"))
        .drop("which")
    )


def _laid_aside(pile: pl.DataFrame, felt: pl.DataFrame) -> pl.DataFrame:
    """Cards that went to the discard rack at once, and not from the felt."""
    left = felt.select(*ROUND, left_card="card", left_ms="until_ms")
    picked_up = pile.join(left, on=ROUND).filter(
        pl.col("left_ms") <= pl.col("ms") + _GONE_MS, _alike("card", "left_card")
    )
    return pile.join(picked_up, on="row", how="anti")


def _incomplete(seen: pl.DataFrame, moved: pl.DataFrame, origins: pl.DataFrame) -> pl.DataFrame:
    """Rounds in which a card was not seen though a later one of its hand was, or only after a split had moved it."""
    highest = seen.filter(on_felt("zone")).group_by(*ROUND, "zone").agg(pl.max("order"), places=pl.n_unique("order"))
    holes = highest.filter(pl.col("order") != pl.col("places"))
    strays = moved.join(origins, left_on="row", right_on="moved_row", how="anti")
    return pl.concat([holes.select(ROUND), strays.select(ROUND)]).unique()
