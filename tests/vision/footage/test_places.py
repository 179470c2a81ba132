"""Places of cards: in their zone, in order, with an index of each visible."""

import math

import numpy as np
import polars as pl
import pytest

from vision.faces.deck import HOUSE_DECKS, house_deck
from vision.footage import film, truth
from vision.footage.drill import hurried
from vision.footage.layout import LOOKS, layout
from vision.footage.places import CardStay, Lain, lay_out


def stay(card: str, zone: str, order: int, ms: int, sideways: bool = False, n: int = 0) -> CardStay:
    return CardStay(card, zone, order, "up", sideways, ms, 60_000, n=n or ms)


def laid(*stays: CardStay, boxes: int = 7) -> list[Lain]:
    return lay_out(stays, layout(boxes, LOOKS["green"]), house_deck("harbour"), np.random.default_rng(1))


def drilled(boxes: int, deck: str, rounds: int) -> tuple[film.Set, pl.DataFrame]:
    """A set, and the truth of some hurried rounds on it."""
    on = film.Set.somewhere(layout(boxes, list(LOOKS.values())[boxes % 5]), house_deck(deck), boxes)
    filmed = film.take(on, *hurried(on.layout, rounds, np.random.default_rng(boxes)))
    settled, frames = filmed.stage.settled, film.count(filmed)
    return on, truth.rows(filmed.lain, settled, on.view, on.deck, filmed.from_ms, film.FPS, frames)


@pytest.mark.parametrize("deck", HOUSE_DECKS)
@pytest.mark.parametrize("boxes", [5, 8])
def test_an_index_of_every_card_stays_free_and_every_card_in_its_zone(boxes: int, deck: str) -> None:
    on, cards = drilled(boxes, deck, 4)
    faces = cards.filter(pl.col("face") == "up")
    assert max(faces["order"]) >= 6 and any(faces["sideways"])
    assert min(max(seen) for seen in faces["index_visible"].to_list()) > 0.85
    calibration = on.view.calibration(on.layout, on.deck.card_mm)
    found = [calibration.zone_at(calibration.to_mm([place])[0]) for place in cards.select("x", "y").rows()]
    assert found == [zone.partition(".")[0] for zone in cards["zone"]]


def test_about_half_of_the_cards_are_upside_down() -> None:
    _, cards = drilled(7, "pier", 4)
    turned = cards.filter(~pl.col("sideways"), pl.col("angle").abs() > math.pi / 2).height
    assert 0.35 < turned / cards.filter(~pl.col("sideways")).height < 0.65


def test_a_hand_grows_to_the_right_and_towards_the_dealer() -> None:
    first, second = laid(stay("7S", "seat4.hand1", 1, 0), stay("8S", "seat4.hand1", 2, 1))
    assert 10 < second.pose.x_mm - first.pose.x_mm < 20
    assert 8 < first.pose.y_mm - second.pose.y_mm < 16
    assert second.depth > first.depth


def test_a_doubled_card_lies_across() -> None:
    *_, last, doubled = laid(
        stay("5S", "seat4.hand1", 1, 0), stay("6S", "seat4.hand1", 2, 1), stay("9D", "seat4.hand1", 3, 2, sideways=True)
    )
    between = math.remainder(doubled.pose.angle - last.pose.angle, math.pi)
    assert abs(between) == pytest.approx(math.pi / 2, abs=0.1)


def test_hands_of_a_split_lie_in_the_order_of_play() -> None:
    """1 is split into 1 and 2, then into 1 and 3: the third lies between them, under the one to its right."""
    split = laid(
        *(stay("8S", "seat4.hand1", 1, 0, n=1), stay("8H", "seat4.hand1", 2, 1, n=2)),
        *(stay("8H", "seat4.hand2", 1, 2, n=2), stay("8D", "seat4.hand1", 2, 3, n=3)),
        stay("8D", "seat4.hand3", 1, 4, n=3),
    )
    hands = {each.stay.zone[-1]: each for each in split if each.stay.order == 1}
    assert hands["1"].pose.x_mm < hands["3"].pose.x_mm < hands["2"].pose.x_mm
    assert hands["3"].depth < hands["2"].depth


def test_a_card_that_is_turned_over_lies_as_before() -> None:
    down = CardStay("KH", "dealer", 2, "down", False, 0, 5_000, n=4)
    before, after = laid(down, down._replace(face="up", laid_ms=5_000, until_ms=9_000))
    assert before.pose._replace(facing=1.0) == after.pose and before.pose.facing == -1.0
