"""The scorer of rendered footage: what it counts as right, wrong, abstained, missed, misplaced and invented."""

from typing import Any

import pytest

from vision.faces.deck import HOUSE_DECKS
from vision.footage.layout import LOOKS
from vision.scoring.films import Match, Tally, matched, shots, tally
from vision.watching.sightings import Sighting


def truth(card: str = "7S", x: float = 500.0, **changes: Any) -> dict[str, Any]:
    """A card that lies for five seconds, with its indices beside its middle."""
    boxes = [[x - 30, 70.0, x - 16, 94.0], [x + 16, 130.0, x + 30, 154.0]]
    place = {"zone": "seat2.hand1", "order": 1, "face": "up", "sideways": False, "round": 1}
    when = {"settled_ms": 1_000, "until_ms": 6_000}
    return {"card": card, "x": x, "y": 112.0, "index_boxes": boxes} | place | when | changes


def seen(card: str | None = "7S", x: float = 500.0, **changes: Any) -> Sighting:
    """A sighting by the upper index of such a card."""
    outline = ((x - 31, 68.0), (x + 31, 68.0), (x + 31, 156.0), (x - 31, 156.0))
    given: dict[str, Any] = {
        "frame": 12,
        "time_ms": 1_200.0,
        "until_ms": 5_900.0,
        "zone": "seat2.hand1",
        "order": 1,
        "face": "up",
        "card": card,
        "confidence": 0.99,
        "sideways": False,
        "outline": outline,
        "box": (round(x - 30), 70, round(x - 16), 94),
    }
    return Sighting(**given | changes)


def scored(truths: list[dict[str, Any]], *sightings: Sighting) -> Tally:
    return tally(matched(truths, sightings))


@pytest.mark.parametrize(
    ("sightings", "fault"),
    [
        ([seen()], None),
        ([seen("7C")], "wrong"),
        ([seen(), seen("7C", time_ms=5_000.0)], "wrong"),
        ([seen(None)], "abstained"),
        ([], "missed"),
        ([seen(face="down", card=None, box=(469, 68, 531, 156))], "missed"),
        ([seen(zone="seat3.hand1")], "misplaced"),
        ([seen(order=2)], "misplaced"),
    ],
)
def test_what_is_said_of_a_card(sightings: list[Sighting], fault: str | None) -> None:
    [match] = matched([truth()], sightings)
    assert match.fault == fault


def test_counts() -> None:
    down = truth("AS", 900.0, face="down", index_boxes=[])
    hidden = seen(None, 900.0, face="down", box=(869, 68, 931, 156))
    found = scored([truth(), truth("KH", 700.0, order=5), down], seen(), seen("KD", 700.0, order=5), hidden)
    assert (found.up, found.right, found.wrong, found.missed) == (2, 1, 1, 0)
    assert (found.down, found.down_found, found.placed, found.cards) == (1, 1, 3, 3)
    assert found.long == 3 and (found + found).up == 4


def test_a_sighting_elsewhere_or_at_another_time_is_invented() -> None:
    found = scored([truth()], seen(), seen(x=640.0), seen(time_ms=8_000.0, until_ms=9_000.0))
    assert (found.right, found.invented, found.again) == (1, 2, 0)
    assert matched([], [seen()]) == [Match(None, [matched([], [seen()])[0].seen[0]])]


def test_a_card_told_twice_counts_as_one() -> None:
    found = scored([truth()], seen(until_ms=3_000.0), seen(time_ms=3_500.0))
    assert (found.right, found.again) == (1, 1)


def test_cards_that_lie_for_less_than_half_a_second_do_not_count() -> None:
    found = scored([truth(until_ms=1_400)], seen("KD", until_ms=1_300.0))
    assert found == Tally()


def test_of_cards_upon_each_other_each_has_its_own_sighting() -> None:
    found = scored([truth("7S", 500.0), truth("7S", 517.0, order=2)], seen(x=517.0, order=2), seen())
    assert (found.right, found.placed, found.again) == (2, 2, 0)


def test_twenty_films_have_each_deck_on_each_table() -> None:
    made = shots(20, seed=5)
    assert {(shot.deck, shot.look) for shot in made} == {(deck, look) for deck in HOUSE_DECKS for look in LOOKS}
    assert len({shot.name for shot in made}) == 20 and {shot.boxes for shot in made} == {5, 6, 7}
