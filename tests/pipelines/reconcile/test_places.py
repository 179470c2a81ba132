"""First places of cards, and the cards dealt on a double."""

from typing import Any

import polars as pl

from pipelines.reconcile.places import with_doubled, with_first_places
from tests.pipelines.reconcile import zone_cards

Act = tuple[int, int, int | None, str]  # row, seat, hand, act


def acts(*lines: Act) -> pl.DataFrame:
    return pl.DataFrame([("T", "1", *line) for line in lines], schema=zone_cards.ACTS, orient="row")


def placed(*lines: tuple[int, str | None, int | None]) -> pl.DataFrame:
    """Cards by row, zone and position."""
    rows = [("T", "1", row, "S1", n, "2S", zone, position, 0) for n, (row, zone, position) in enumerate(lines, 1)]
    return pl.DataFrame(rows, schema=zone_cards.CARDS, orient="row")


def first_places(cards: pl.DataFrame, *lines: Act) -> list[tuple[Any, ...]]:
    found = with_first_places(cards, acts(*lines))
    assert found.select(cards.columns).equals(cards)
    return found.select("first_zone", "first_position").rows()


def test_cards_that_stay_were_laid_where_they_lie() -> None:
    cards = placed((0, "seat1.hand1", 1), (1, "dealer", 1), (2, None, None), (3, "discard", None))
    assert first_places(cards) == [("seat1.hand1", 1), ("dealer", 1), (None, None), ("discard", None)]


def test_a_split_and_the_split_of_a_split() -> None:
    cards = placed(
        (0, "seat1.hand1", 1),
        (1, "seat2.hand1", 1),
        (2, "seat1.hand2", 1),
        (3, "seat2.hand2", 1),
        (6, "seat1.hand1", 2),
        (7, "seat1.hand3", 1),
        (9, "seat1.hand2", 2),
        (11, "seat2.hand1", 2),
    )
    found = first_places(cards, (5, 1, 1, "split"), (8, 1, 2, "split"), (10, 2, 1, "split"))
    assert found[2] == ("seat1.hand1", 2)
    assert found[3] == ("seat2.hand1", 2)
    assert found[5] == ("seat1.hand2", 2)
    stayed = [n for n in range(len(cards)) if n not in (2, 3, 5)]
    assert [found[n] for n in stayed] == [cards.row(n)[6:8] for n in stayed]


def test_a_moved_card_without_a_split_has_no_first_place() -> None:
    cards = placed((0, "seat1.hand1", 1), (3, "seat1.hand2", 1))
    assert first_places(cards)[1] == (None, None)
    assert first_places(cards, (2, 1, 1, "split"))[1] == (None, None)  # split before the card was there


def doubled(cards: pl.DataFrame, *lines: Act) -> list[int]:
    """Rows of the cards dealt on a double."""
    found = with_doubled(with_first_places(cards, acts(*lines)), acts(*lines))
    assert found["row"].to_list() == cards["row"].to_list()
    return found.filter("doubled")["row"].to_list()


CARDS = placed((0, "seat1.hand1", 3), (3, "dealer", 2), (5, "seat1.hand1", 4), (7, "seat1.hand1", 5))


def test_the_next_card_of_the_hand_is_dealt_on_a_double() -> None:
    assert doubled(CARDS) == []
    assert doubled(CARDS, (2, 1, 1, "double")) == [5]
    assert doubled(CARDS, (2, 1, 1, "double"), (6, 1, 1, "double")) == [5, 7]
    assert doubled(CARDS, (2, 2, 1, "double"), (8, 1, 1, "double")) == []


def test_a_refused_double_has_no_card() -> None:
    assert doubled(CARDS, (1, 1, 1, "double"), (2, 1, 1, "refuse")) == []
    assert doubled(CARDS, (1, 1, 1, "double"), (2, 1, None, "refuse")) == []
    assert doubled(CARDS, (8, 1, 1, "double"), (9, 1, 1, "refuse")) == []


def test_refusals_of_something_else() -> None:
    assert doubled(CARDS, (1, 1, 1, "double"), (2, 1, 2, "refuse")) == [5]
    assert doubled(CARDS, (1, 1, 1, "double"), (2, 2, 1, "refuse")) == [5]
    assert doubled(CARDS, (1, 1, 1, "double"), (4, 1, 1, "refuse")) == [5]  # a card has been drawn by then
    assert doubled(CARDS, (1, 1, 1, "refuse"), (2, 1, 1, "double")) == [5]


def test_rows_are_those_of_a_table() -> None:
    other = CARDS.with_columns(table=pl.lit("U"))
    both = pl.concat([CARDS, other])
    lines = acts((2, 1, 1, "double"))
    found = with_doubled(with_first_places(both, lines), lines)
    assert found.filter("doubled").select("table", "row").rows() == [("T", 5)]
