"""The opening inspection: decks spread face up are counted, and their look is learnt."""

from pathlib import Path

import numpy as np
import pytest

from vision.enrolment import Look, inspect
from vision.enrolment.look import LookError
from vision.enrolment.spread import SpreadCards
from vision.faces.deck import house_deck
from vision.footage import film
from vision.footage.layout import LOOKS, layout
from vision.footage.spread import Rows, spanish_deck, spread, with_card, without_card
from vision.reading.cut import patch
from vision.reading.finder import Picture
from vision.reading.reader import Reader


def a_set() -> film.Set:
    return film.Set.somewhere(layout(6, LOOKS["green"]), house_deck("pier"), 3)


def picture(decks: list[Rows]) -> Picture:
    """The part of the table on which the decks lie."""
    on = a_set()
    take = spread(decks, on.deck, np.random.default_rng(3))
    places = on.view.pixels([(each.pose.x_mm, each.pose.y_mm) for each in take.lain])
    (left, top), (right, bottom) = np.rint(places.min(axis=0) - 60).astype(int), np.rint(places.max(axis=0) + 60)
    return film.still(on, take, 1_000)[max(0, top) : int(bottom), max(0, left) : int(right)].copy()


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.fixture(scope="module")
def shown() -> Picture:
    """A complete deck, one with a ten, and one that lacks a card."""
    return picture([spanish_deck(), with_card(spanish_deck(), "TH"), without_card(spanish_deck(), "7C")])


@pytest.fixture(scope="module")
def seen(shown: Picture, reader: Reader) -> SpreadCards:
    return inspect([shown], reader)


def test_tens_and_missing_cards_are_found(seen: SpreadCards) -> None:
    decks = seen.inspection.decks
    assert [deck.cards for deck in decks] == [48, 49, 47]
    assert [deck.tens for deck in decks] == [(), ("TH",), ()]
    assert [deck.extra for deck in decks] == [(), ("TH",), ()]
    assert [deck.missing for deck in decks] == [(), (), ("7C",)]
    assert not seen.inspection.is_clean and seen.inspection.cards == 144


def test_what_is_told_of_them(seen: SpreadCards) -> None:
    told = seen.inspection.to_json()
    assert (told["decks"], told["tens"], told["missing"], told["clean"]) == (3, ["TH"], ["7C"], False)


def test_the_look_of_the_deck_is_learnt(seen: SpreadCards, shown: Picture, tmp_path: Path) -> None:
    look = seen.look
    assert len(look.cards) == 49 and sum(look.seen) >= 0.97 * 144
    right = 0
    for card in seen.cards[::6]:
        best = card.place.best
        likeness = look.likeness(patch(shown, (best.x, best.y), best.height, best.angle))
        right += max(likeness, key=likeness.__getitem__) == card.card
    assert right >= 0.9 * len(seen.cards[::6])
    look.save(tmp_path / "look.npz")
    again = Look.load(tmp_path / "look.npz")
    assert again.cards == look.cards and np.array_equal(again.crops, look.crops) and again.seen == look.seen


def test_a_file_that_is_no_look(tmp_path: Path) -> None:
    (tmp_path / "look.npz").write_bytes(b"nothing of that kind")
    with pytest.raises(LookError, match=r"look\.npz: expected a deck's look"):
        Look.load(tmp_path / "look.npz")


def test_a_table_without_cards(reader: Reader) -> None:
    on = a_set()
    bare = film.Camera(on, film.take(on, []).stage).bare
    found = inspect([bare[100:500, 500:1100].copy()], reader)
    assert found.cards == [] and found.inspection.decks == () and found.look.cards == ()
