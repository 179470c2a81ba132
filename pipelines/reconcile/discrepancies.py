"""Discrepancies between the shoe, the terminal and the camera: one row for each cause."""

from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from pipelines.reconcile.match import ELSEWHERE, IN_PLACE, MISREAD
from pipelines.watch.zones import ROUND, hand_of, on_felt, seat_of

CARD: Final = "evidence.card-disagreement"
ZONE: Final = "evidence.zone-disagreement"
SIDEWAYS: Final = "evidence.sideways-disagreement"
WRONG_BOX: Final = "deal.wrong-box"
UNWAGERED: Final = "deal.unwagered-box"
EXPOSED: Final = "deal.hole-card-exposed"
_ASTRAY: Final = (WRONG_BOX, UNWAGERED)

_EARLY_MS: Final = 2000  # a decision logged later than this after the hole card was seen was made with it in view

# ``n`` is the card's ordinal in ``shoe``; ``ms`` and ``seq`` are those of the sighting that shows it. ``form`` names
# the finding's sentence, ``card`` to ``count`` are its arguments.
DISCREPANCIES: Final = pl.Schema(
    {
        "table": pl.String,
        "code": pl.String,
        "round": pl.String,
        "seat": pl.Int16,
        "hand": pl.Int16,
        "shoe": pl.String,
        "n": pl.Int64,
        "ms": pl.Int64,
        "seq": pl.Int64,
        "form": pl.String,
        "card": pl.String,
        "seen_card": pl.String,
        "due": pl.String,
        "seen_zone": pl.String,
        "count": pl.Int64,
    }
)


def discrepancies(pairs: pl.DataFrame, sightings: pl.DataFrame, rounds: pl.DataFrame) -> pl.DataFrame:
    """List the discrepancies of the pairs of cards and sightings, in the order of time."""
    in_rounds = pairs.filter(pl.col("round").is_not_null())
    astray = _boxes_without_wager(in_rounds, sightings, rounds)
    told = pl.concat([astray.select(ROUND), _reported(rounds, _ASTRAY).select(ROUND)]).unique()
    zones = _other_zone(in_rounds).join(told, on=ROUND, how="anti")
    found = [_other_card(in_rounds), zones, _other_way(in_rounds), astray, _exposed(in_rounds, rounds)]
    return pl.concat([_in_form(frame) for frame in found]).sort("table", "ms", "code", "seq")


def arguments(row: Mapping[str, Any]) -> dict[str, object]:
    """Return the arguments of the sentence of a discrepancy."""
    misread = row["seen_card"] if row["seen_card"] != row["card"] else None
    return {name: row[name] for name in ("card", "seen_card", "due", "seen_zone", "count")} | {"misread": misread}


def _in_form(frame: pl.DataFrame) -> pl.DataFrame:
    absent = [pl.lit(None).alias(name) for name in DISCREPANCIES if name not in frame.columns]
    return frame.with_columns(absent).select(pl.col(name).cast(kind) for name, kind in DISCREPANCIES.items())


def _of_card(found: pl.DataFrame, code: str, form: pl.Expr | None = None) -> pl.DataFrame:
    """Keep one row for each card, about the place where it was laid first, from the earliest sighting."""
    first = found.sort("seen_ms", "seq").unique("card_row", keep="first", maintain_order=True)
    return first.with_columns(
        code=pl.lit(code),
        seat=seat_of("first_zone"),
        hand=hand_of("first_zone"),
        ms="seen_ms",
        form=pl.lit(code) if form is None else form,
        due="first_zone",
    )


def _other_card(pairs: pl.DataFrame) -> pl.DataFrame:
    return _of_card(pairs.filter(how=MISREAD), CARD)


def _other_zone(pairs: pl.DataFrame) -> pl.DataFrame:
    """Cards that lie elsewhere. Where one goes astray those drawn next may follow: they are told with the first."""
    away = pairs.filter(
        pl.col("how") == ELSEWHERE,
        on_felt("first_zone"),
        on_felt("zone"),
        on_felt("seen_zone"),
        pl.col("seen_zone") != pl.col("first_zone"),
        pl.col("seen_zone") != pl.col("zone"),
    ).sort("card_row")
    begins = (pl.col("card_row").cast(pl.Int64).diff() != 1).fill_null(True).over(ROUND)
    runs = away.with_columns(run=begins.cum_sum()).with_columns(count=pl.len().over("run").cast(pl.Int64) - 1)
    return _of_card(runs.unique("run", keep="first", maintain_order=True), ZONE)


def _other_way(pairs: pl.DataFrame) -> pl.DataFrame:
    """Cards that were laid sideways without a double, or straight on one: how a card was first seen decides."""
    known = (pl.col("how") != ELSEWHERE) | pl.col("seen_card").is_not_null()  # by its place, or by itself
    laid = pairs.filter(
        known, pl.col("seen_zone") == pl.col("first_zone"), pl.col("first_zone").str.starts_with("seat")
    )
    first = laid.sort("seen_ms", "seq").unique("card_row", keep="first", maintain_order=True)
    turned = first.filter(pl.col("sideways") != pl.col("doubled"))
    form = pl.when("sideways").then(pl.lit(SIDEWAYS)).otherwise(pl.lit(f"{SIDEWAYS}/straight"))
    return _of_card(turned, SIDEWAYS, form)


def _exposed(pairs: pl.DataFrame, rounds: pl.DataFrame) -> pl.DataFrame:
    """Hole cards that lay face up, and were read so, while players still decided; where the log has no word of it."""
    quiet = rounds.join(_reported(rounds, (EXPOSED,)), on=ROUND, how="anti").select(*ROUND, "decided_ms")
    shown = pairs.filter(
        pl.col("how") == IN_PLACE,
        pl.col("first_zone") == "dealer",
        pl.col("first_position") == 2,
        pl.col("face") == "up",
        pl.col("seen_card").is_not_null(),
    )
    early_ms = pl.col("decided_ms") - pl.col("seen_ms")
    early = shown.join(quiet, on=ROUND).filter(early_ms > _EARLY_MS)
    return _of_card(early.with_columns(count=early_ms), EXPOSED, pl.lit(f"{EXPOSED}/seen"))


def _reported(rounds: pl.DataFrame, codes: tuple[str, ...]) -> pl.DataFrame:
    """Rounds whose log tells of one of these."""
    return rounds.filter(pl.col("codes").list.eval(pl.element().is_in(codes)).list.any())


def _boxes_without_wager(pairs: pl.DataFrame, sightings: pl.DataFrame, rounds: pl.DataFrame) -> pl.DataFrame:
    """Cards in boxes that nobody wagers on, a row for each box, where the log has no word of it.

    A single card that was due to another place went to the wrong box; otherwise the box was dealt in.
    """
    quiet = rounds.join(_reported(rounds, _ASTRAY), on=ROUND, how="anti").select(*ROUND, "boxes")
    seen = sightings.with_columns(seat=seat_of("zone")).filter(pl.col("seat").is_not_null()).join(quiet, on=ROUND)
    empty = seen.filter(~pl.col("seat").is_in(pl.col("boxes")))
    due = pairs.filter(on_felt("first_zone")).select("seen_row", "shoe", "n", "first_zone", "card")
    boxes = (
        empty.drop("card")
        .join(due, on="seen_row", how="left")
        .sort("ms", "seq")
        .group_by(*ROUND, "seat", maintain_order=True)
        .agg(
            pl.struct("zone", "order").n_unique().alias("places"),
            pl.first("shoe", "n", "ms", "seq", "first_zone", "card"),
        )
    )
    strayed = (pl.col("places") == 1) & pl.col("first_zone").is_not_null()
    code = pl.when(strayed).then(pl.lit(WRONG_BOX)).otherwise(pl.lit(UNWAGERED))
    return boxes.with_columns(code=code, form=pl.format("{}/seen", code), due="first_zone", count="places")
