"""Places of cards: a split moves one, a double turns one sideways."""

import polars as pl

from pipelines.watch.zones import ROUND, hand_of, seat_of


def with_first_places(cards: pl.DataFrame, acts: pl.DataFrame) -> pl.DataFrame:
    """Add ``first_zone`` and ``first_position``: where a card was laid before a split moved it.

    ``cards`` and ``acts`` share ``row``, the order of a table's events. ``acts`` (table, round, row, seat, hand, act)
    has the decisions to ``split``. A split moves the second card of a hand to the front of the box's next new hand.
    Where the log has no split that fits, the first place of a moved card is null.
    """
    box = (*ROUND, "seat")
    made = pl.int_range(2, pl.len() + 2, dtype=pl.Int16).over(box)
    splits = acts.filter(act="split").sort("row").select(*box, made.alias("moved_to"), "hand", split="row")
    moved_to = pl.when(hand_of("zone") > 1, pl.col("position") == 1).then(hand_of("zone"))
    placed = cards.with_columns(seat=seat_of("zone"), moved_to=moved_to)
    placed = placed.join(splits, on=(*box, "moved_to"), how="left", maintain_order="left")
    first = pl.when(pl.col("split") > pl.col("row")).then(pl.format("seat{}.hand{}", "seat", "hand"))
    second = pl.when(pl.col("split") > pl.col("row")).then(pl.lit(2, cards.schema["position"]))
    stayed = pl.col("moved_to").is_null()
    return placed.with_columns(
        first_zone=pl.when(stayed).then("zone").otherwise(first),
        first_position=pl.when(stayed).then("position").otherwise(second),
    ).drop("seat", "moved_to", "hand", "split")


def with_doubled(cards: pl.DataFrame, acts: pl.DataFrame) -> pl.DataFrame:
    """Add ``doubled``: whether a card was dealt on a double. ``cards`` have their first places.

    ``acts``, as in ``with_first_places``, has the decisions to ``double`` and the rulings that ``refuse`` a decision,
    whose hand is null where the box is meant.
    """
    doubles = acts.filter(act="double").with_columns(first_zone=pl.format("seat{}.hand{}", "seat", "hand"))
    answers = _next_draw(doubles, cards, ROUND)
    refusals = acts.filter(act="refuse").select(*ROUND, "seat", ruled="row", about="hand")
    refused = answers.join(refusals, on=(*ROUND, "seat")).filter(
        pl.col("about").is_null() | (pl.col("about") == pl.col("hand")),
        pl.col("ruled") > pl.col("row"),
        pl.col("drawn").is_null() | (pl.col("ruled") < pl.col("drawn")),
    )
    carried_out = doubles.join(refused, on=("table", "row"), how="anti")
    dealt = _next_draw(carried_out, cards, (*ROUND, "first_zone")).select("table", row="drawn", doubled=True)
    marked = cards.join(dealt.unique(), on=("table", "row"), how="left", maintain_order="left")
    return marked.with_columns(pl.col("doubled").fill_null(False))


def _next_draw(acts: pl.DataFrame, cards: pl.DataFrame, by: tuple[str, ...]) -> pl.DataFrame:
    """Acts with ``drawn``: the row of the next card that has the same values in ``by``."""
    draws = cards.select(*by, "row", drawn="row").sort("row")
    return acts.sort("row").join_asof(draws, on="row", by=list(by), strategy="forward", check_sortedness=False)
