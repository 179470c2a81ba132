"""Cards as drawn, from the camera alone."""

from typing import Any

import pytest

from tests.pipelines.reconcile.felt import STEP_MS, Felt


def cards(felt: Felt) -> list[str | None]:
    return felt.drawn()["card"].to_list()


def is_sure(felt: Felt) -> bool:
    return felt.drawn()["sure"].all()


def test_cards_come_in_the_order_seen() -> None:
    felt = Felt(1, 2)
    felt.deal("9S3S", "4D5D")
    felt.seen.reverse()
    found = felt.drawn()
    assert found["card"].to_list() == ["9S", "4D", "5H", "3S", "5D"]
    assert found["ms"].to_list() == sorted(line["ms"] for line in felt.seen)
    assert found.columns == ["table", "round", "ms", "card", "face", "sure"]
    assert is_sure(felt)


def test_the_hole_card_is_one_card_known_when_turned() -> None:
    felt = Felt(1)
    felt.see(None, "dealer", 2, face="down")
    felt.ms += 9 * STEP_MS
    felt.see("KC", "dealer", 2)
    felt.see("5H", "dealer", 1, ms=0)
    assert felt.drawn().select("card", "face").rows() == [("5H", "up"), ("KC", "down")]


def test_a_card_seen_again_is_one_card() -> None:
    felt = Felt(1)
    for _ in range(3):
        felt.ms += STEP_MS
        felt.see("9S", "seat1.hand1", 1)
    felt.see(None, "seat1.hand1", 1, ms=felt.ms + 5 * STEP_MS)
    assert cards(felt) == ["9S"]


def test_another_card_in_the_same_place_is_another() -> None:
    felt = Felt(1)
    for card in ("TS", "9S"):
        felt.ms += STEP_MS
        felt.see(card, "seat1.hand1", 1)
    assert cards(felt) == ["TS", "9S"]


@pytest.mark.parametrize("follows", ["2D", "8H"])  # also the very same card of another deck
def test_a_split_draws_nothing(follows: str) -> None:
    felt = Felt(1)
    felt.deal("8S8H")
    felt.split(1, "8H")
    felt.lay(follows, "seat1.hand1", 2)
    felt.lay("3D", "seat1.hand2", 2)
    assert cards(felt) == ["8S", "5H", "8H", follows, "3D"]
    assert is_sure(felt)


def test_a_card_that_is_read_only_after_the_split() -> None:
    felt = Felt(1)
    felt.deal("8S8H")
    felt.seen[-1]["card"] = None
    felt.split(1, "8H")
    felt.lay("2D", "seat1.hand1", 2)
    assert cards(felt) == ["8S", "5H", "8H", "2D"]


def test_a_card_that_is_never_read() -> None:
    felt = Felt(1)
    felt.see(None, "seat1.hand1", 1)
    assert cards(felt) == [None]
    assert is_sure(felt)


def test_burned_cards_are_left_out() -> None:
    felt = Felt(1)
    felt.see(None, "burn", 1, face="down")
    felt.ms += STEP_MS
    felt.see("9S", "seat1.hand1", 1)
    assert cards(felt) == ["9S"]


@pytest.mark.parametrize(
    ("card", "after_ms", "expected"),
    [
        ("TD", 1000, ["9S", "TD"]),
        ("9S", 1000, ["9S", "9S"]),  # the other one still lies there
        ("9S", 9000, ["9S"]),
        (None, 9000, ["9S"]),
        ("TD", 9000, ["9S", "TD"]),
    ],
)
def test_cards_in_the_discard_rack(card: str | None, after_ms: int, expected: list[Any]) -> None:
    felt = Felt(1)
    felt.see("9S", "seat1.hand1", 1, ms=0, until_ms=8000)
    felt.see(card, "discard", 1, ms=after_ms)
    assert cards(felt) == expected


def test_a_missing_card_makes_the_round_unsure() -> None:
    felt = Felt(1)
    felt.deal("9S3S")
    assert is_sure(felt)
    del felt.seen[0]
    assert not is_sure(felt)


def test_a_moved_card_that_was_not_seen_before_makes_the_round_unsure() -> None:
    felt = Felt(1)
    felt.deal("8S8H")
    felt.split(1, "8H")
    felt.lay("2D", "seat1.hand1", 2)
    (first,) = (line for line in felt.seen if line["card"] == "8H" and line["order"] == 2)
    felt.seen.remove(first)
    assert cards(felt) == ["8S", "5H", "2D"]
    assert not is_sure(felt)


@pytest.mark.parametrize(("apart_ms", "sure"), [(199, False), (200, True)])
def test_cards_close_together_make_the_round_unsure(apart_ms: int, sure: bool) -> None:
    felt = Felt(1, 2)
    felt.see("9S", "seat1.hand1", 1, ms=0)
    felt.see("3S", "seat2.hand1", 1, ms=apart_ms)
    felt.see("4S", "seat1.hand1", 1, ms=apart_ms + 1, round="2")
    found = felt.drawn()
    assert found.filter(round="1")["sure"].to_list() == [sure, sure]
    assert found.filter(round="2")["sure"].to_list() == [True]


def test_only_the_rounds_asked_for() -> None:
    felt = Felt(1)
    felt.see("9S", "seat1.hand1", 1, round=None)
    assert felt.drawn().is_empty()
