"""Decks: every card has its indices where it says, and no two look alike."""

import numpy as np
import pytest

from vision.faces.deck import ALL_CARDS, HOUSE_DECKS, PX_PER_MM, Mark, Picture, house_deck
from vision.faces.design import FOUR_COLOURS


def under(face: Picture, mark: Mark) -> Picture:
    """The part of a face under an index, upright."""
    x, y = mark.x_mm * PX_PER_MM, mark.y_mm * PX_PER_MM
    half_x, half_y = mark.width_mm * PX_PER_MM / 2, mark.height_mm * PX_PER_MM / 2
    part = face[round(y - half_y) : round(y + half_y), round(x - half_x) : round(x + half_x), :3]
    return part[::-1, ::-1] if mark.turned else part


@pytest.mark.parametrize("name", HOUSE_DECKS)
def test_indices_are_where_the_deck_says_and_alike_in_both_corners(name: str) -> None:
    deck = house_deck(name)
    for card in ALL_CARDS:
        face, marks = deck.face(card), deck.marks(card)
        assert [mark.turned for mark in marks] == [False, True]
        upright, turned = (under(face, mark) for mark in marks)
        assert (upright.min(axis=2) < 128).mean() > 0.15  # ink
        assert np.abs(upright.astype(int) - turned.astype(int)).mean() < 6


@pytest.mark.parametrize("name", HOUSE_DECKS)
def test_no_two_indices_look_alike(name: str) -> None:
    deck = house_deck(name)
    seen = {under(deck.face(card), deck.marks(card)[0]).tobytes() for card in ALL_CARDS}
    assert len(seen) == 52


def test_a_face_is_a_card_with_round_corners() -> None:
    face = house_deck("harbour").face("7S")
    assert face.shape == (88 * PX_PER_MM, 63 * PX_PER_MM, 4)
    assert face[0, 0, 3] == 0 and face[300, 200, 3] == 255


def test_a_four_colour_deck_has_four_inks() -> None:
    deck = house_deck("signal")
    for card in ("7S", "7H", "7D", "7C"):
        index = under(deck.face(card), deck.marks(card)[0])
        ink = index[index.sum(axis=2) == index.sum(axis=2).min()][0]
        assert np.abs(ink.astype(int) - FOUR_COLOURS[card[1]]).max() <= 2
