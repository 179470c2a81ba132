"""Cards as they were drawn and placed, held against what the camera saw of them."""

from dataclasses import dataclass

import polars as pl

from pipelines.reconcile.discrepancies import discrepancies
from pipelines.reconcile.match import MISREAD, match


@dataclass(frozen=True)
class Reconciled:
    """The frames given to ``compare`` with what they say of each other, in the order given."""

    cards: pl.DataFrame  # with seen_card and seen_zone
    sightings: pl.DataFrame  # with shoe and n of the card that was seen
    discrepancies: pl.DataFrame  # see ``discrepancies.DISCREPANCIES``


def compare(cards: pl.DataFrame, sightings: pl.DataFrame, rounds: pl.DataFrame) -> Reconciled:
    """Hold the cards of one or several tables on a gaming day against the sightings of a camera.

    ``cards``, a row each in the order drawn: table, round (null between rounds), shoe, n, card, zone and position (null
    where the card could not be placed), first_zone and first_position (before a split moved it), doubled, ms.
    ``sightings``: table, round, seq, zone, order, face, card (null where it was not read), sideways, ms.
    ``rounds``: table, round, boxes (list of those with a main wager), codes (list of the irregularities logged),
    decided_ms (when a player last decided; null where nobody did, or the dealer takes no hole card).
    """
    found = match(cards, sightings)
    drawn = cards.with_row_index("card_row")
    seen = sightings.with_row_index("seen_row")
    shown = seen.select("seen_row", "seq", "face", "sideways", seen_zone="zone", seen_card="card", seen_ms="ms")
    pairs = found.join(drawn, on="card_row").join(shown, on="seen_row")
    of_card = pairs.select("seen_row", "shoe", "n")
    return Reconciled(
        cards=_left(_left(drawn, _read_as(pairs)), _lay_last(pairs)).drop("card_row"),
        sightings=seen.join(of_card, on="seen_row", how="left", maintain_order="left").drop("seen_row"),
        discrepancies=discrepancies(pairs, seen, rounds),
    )


def _left(drawn: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    return drawn.join(known, on="card_row", how="left", maintain_order="left")


def _read_as(pairs: pl.DataFrame) -> pl.DataFrame:
    """Find the card that the camera read for each: another one if it ever did."""
    read = pairs.filter(pl.col("seen_card").is_not_null())
    ordered = read.select("card_row", "seen_card", "seen_ms", "seq", agrees=pl.col("how") != MISREAD)
    first = ordered.sort("card_row", "agrees", "seen_ms", "seq").unique("card_row", keep="first")
    return first.select("card_row", "seen_card")


def _lay_last(pairs: pl.DataFrame) -> pl.DataFrame:
    """The zone in which the camera saw each card last."""
    ordered = pairs.select("card_row", "seen_zone", "seen_ms", "seq").sort("card_row", "seen_ms", "seq")
    return ordered.unique("card_row", keep="last").select("card_row", "seen_zone")
