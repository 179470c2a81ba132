"""The opening spread: every index to be seen, and what is planted in it."""

import numpy as np
import pytest

from vision.faces.deck import HOUSE_DECKS, house_deck
from vision.footage import film, truth
from vision.footage.layout import LOOKS, layout
from vision.footage.spread import spanish_deck, spread, with_card, without_card


@pytest.mark.parametrize("deck", HOUSE_DECKS)
def test_six_decks_with_all_indices_free(deck: str) -> None:
    on = film.Set.somewhere(layout(6, LOOKS["violet"]), house_deck(deck), 4)
    decks = [spanish_deck() for _ in range(6)]
    decks[2], decks[4] = with_card(decks[2], "TH"), without_card(decks[4], "7C")
    filmed = spread(decks, on.deck, np.random.default_rng(4))
    rows = truth.rows(filmed.lain, filmed.stage.settled, on.view, on.deck, 0.0, 15, film.count(filmed))
    counted = rows.group_by("shoe", maintain_order=True).len()["len"].to_list()
    assert counted == [48, 48, 49, 48, 47, 48]
    assert rows.filter(card="TH")["shoe"].to_list() == ["deck3"]
    assert "deck5" not in rows.filter(card="7C")["shoe"].to_list()
    assert min(max(seen) for seen in rows["index_visible"].to_list()) > 0.95


def test_a_suit_is_a_row_in_sequence() -> None:
    filmed = spread([spanish_deck()], house_deck("harbour"), np.random.default_rng(1))
    hearts = [each.pose for each in filmed.lain if each.stay.card[1] == "H"]
    assert len(hearts) == 12
    assert np.ptp([pose.y_mm for pose in hearts]) < 5
    assert (np.diff([pose.x_mm for pose in hearts]) > 12).all()


def test_more_decks_than_the_table_has_room_for() -> None:
    with pytest.raises(ValueError, match="found 7, expected 1 to 6"):
        spread([spanish_deck()] * 7, house_deck("harbour"), np.random.default_rng(1))
