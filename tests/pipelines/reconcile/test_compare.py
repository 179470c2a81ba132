"""Shoe and terminal against the camera: rule by rule on tables laid by hand, then on random ones."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.reconcile.discrepancies import CARD, EXPOSED, SIDEWAYS, UNWAGERED, WRONG_BOX, ZONE
from replay import cards
from tests.pipelines.reconcile.felt import STEP_MS, Felt


def test_what_agrees_gives_no_note() -> None:
    felt = Felt(1, 2)
    felt.deal("9S3S", "KDQD")
    felt.lay("7C", "seat1.hand1", 3, doubled=True)
    result = felt.compared()
    assert result.discrepancies.is_empty()
    assert result.cards["seen_card"].to_list() == result.cards["card"].to_list()
    assert result.cards["seen_zone"].to_list() == result.cards["zone"].to_list()
    assert result.sightings["n"].to_list() == [1, 2, 3, 4, 5, 6]
    assert result.sightings["shoe"].unique().to_list() == ["S1"]


def test_without_a_camera_nothing_is_seen_and_nothing_is_wrong() -> None:
    felt = Felt(1)
    felt.draw("9S", "seat1.hand1", 1)
    result = felt.compared()
    assert result.discrepancies.is_empty()
    assert result.cards.select("seen_card", "seen_zone").row(0) == (None, None)


def test_sightings_without_cards() -> None:
    felt = Felt(1)
    felt.see("9S", "seat1.hand1", 1)
    result = felt.compared()
    assert result.discrepancies.is_empty()
    assert result.sightings["n"].to_list() == [None]


# Another card.


def test_another_card_in_the_same_place() -> None:
    felt = Felt(1)
    felt.draw("9S", "seat1.hand1", 1)
    felt.see("6S", "seat1.hand1", 1)
    result = felt.compared()
    (note,) = result.discrepancies.to_dicts()
    assert (note["code"], note["round"], note["seat"], note["hand"], note["n"]) == (CARD, "1", 1, 1, 1)
    assert (note["shoe"], note["seq"]) == ("S1", 1)
    assert felt.messages() == ["Box 1: the shoe read 9♠, the camera saw 6♠"]
    assert result.cards.select("seen_card", "seen_zone").row(0) == ("6S", "seat1.hand1")


def test_the_dealers_card_has_no_box() -> None:
    felt = Felt(1)
    felt.draw("9S", "dealer", 1)
    felt.see("6S", "dealer", 1)
    assert felt.found() == [(CARD, None, None, 1)]


def test_a_card_that_the_camera_does_not_read_is_no_disagreement() -> None:
    felt = Felt(1)
    felt.draw("9S", "seat1.hand1", 1)
    felt.see(None, "seat1.hand1", 1, confidence=0.5)
    assert felt.found() == []


def test_a_card_that_the_shoe_did_not_read_is_no_disagreement() -> None:
    felt = Felt(1)
    felt.draw(None, "seat1.hand1", 1)
    felt.see("9S", "seat1.hand1", 1)
    assert felt.found() == []
    assert felt.compared().cards["seen_card"].to_list() == ["9S"]


@pytest.mark.parametrize(("turned", "expected"), [("KC", []), ("QC", [(CARD, None, None, 4)])])
def test_the_hole_card_is_judged_when_it_is_turned(turned: str, expected: list[object]) -> None:
    felt = Felt(1)
    felt.deal("9S8S")
    felt.draw("KC", "dealer", 2)
    felt.see(None, "dealer", 2, face="down")
    felt.ms += 20 * STEP_MS
    felt.see(turned, "dealer", 2)
    assert felt.found() == expected


@pytest.mark.parametrize("seen_there", ["6S", None])
def test_a_wrong_card_through_a_split_is_one_disagreement(seen_there: str | None) -> None:
    felt = Felt(1)
    felt.lay("8S", "seat1.hand1", 1)
    felt.draw("9S", "seat1.hand1", 2)
    felt.see("6S", "seat1.hand1", 2)
    felt.split(1, "9S", seen=seen_there)
    felt.lay("2D", "seat1.hand1", 2)
    assert felt.found() == [(CARD, 1, 1, 2)]


def test_a_card_that_turns_into_another_is_a_disagreement() -> None:
    felt = Felt(1)
    felt.lay("9S", "seat1.hand1", 1)
    felt.ms += 10 * STEP_MS
    felt.see("AS", "seat1.hand1", 1)
    assert felt.found() == [(CARD, 1, 1, 1)]
    assert felt.compared().cards["seen_card"].to_list() == ["AS"]


def test_a_shadow_beside_a_wrong_card_hides_nothing() -> None:
    felt = Felt(1)
    felt.deal("9S3S")
    felt.draw("JC", "dealer", 2)
    felt.see("JS", "dealer", 2)
    felt.see(None, "dealer", 3)
    assert felt.found() == [(CARD, None, None, 4)]


# Splits.


@pytest.mark.parametrize("follows", ["2D", "8H"])  # also the very same card of another deck
def test_a_split_moves_a_card(follows: str) -> None:
    felt = Felt(1)
    felt.deal("8S8H")
    felt.split(1, "8H")
    felt.lay(follows, "seat1.hand1", 2)
    felt.lay("3D", "seat1.hand2", 2)
    result = felt.compared()
    assert result.discrepancies.is_empty()
    assert result.cards["seen_zone"].to_list() == ["seat1.hand1", "dealer", "seat1.hand2", "seat1.hand1", "seat1.hand2"]
    assert result.sightings["n"].to_list() == [1, 2, 3, 3, 4, 5]


def test_a_moved_card_whose_first_place_is_not_known_gives_no_note() -> None:
    felt = Felt(1)
    felt.deal("8S8H")
    felt.split(1, "8H")
    felt.cards[-1] |= {"first_zone": None, "first_position": None}
    assert felt.found() == []


# Elsewhere.


@pytest.mark.parametrize("read", ["7C", None])
def test_a_card_in_another_box_is_one_disagreement(read: str | None) -> None:
    felt = Felt(1, 2)
    felt.deal("9S3S", "4D5D")
    felt.draw("7C", "seat1.hand1", 3)
    felt.see(read, "seat2.hand1", 3)
    felt.lay("6C", "seat2.hand1", 4)
    assert felt.found() == [(ZONE, 1, 1, 6)]
    message = felt.messages()[0]
    assert message == "7♣ was dealt to box 1, the camera saw it with box 2"
    assert felt.compared().cards["seen_zone"][5] == "seat2.hand1"


def test_a_strange_card_elsewhere_at_the_moment_of_a_draw_is_told_with_it() -> None:
    felt = Felt(1, 2)
    felt.deal("9S3S", "4D5D")
    felt.draw("7C", "seat1.hand1", 3)
    felt.see("AC", "seat2.hand1", 3)
    assert felt.found() == [(ZONE, 1, 1, 6)]
    assert felt.messages()[0] == "7♣ was dealt to box 1, the camera saw it as A♣ with box 2"


def test_a_strange_card_long_after_is_nothing() -> None:
    felt = Felt(1, 2)
    felt.deal("9S3S", "4D5D")
    felt.draw("7C", "seat1.hand1", 3)
    felt.ms += 5 * STEP_MS
    felt.see("AC", "seat2.hand1", 3)
    assert felt.found() == []


def test_a_card_elsewhere_that_shifts_the_other_hand_is_one_disagreement() -> None:
    felt = Felt(1, 2)
    felt.deal("9S3S", "4D5D")
    felt.draw("7C", "seat1.hand1", 3)
    felt.see("7C", "seat2.hand1", 3)
    felt.ms += 3 * STEP_MS
    felt.draw("6C", "seat2.hand1", 3)
    felt.see("6C", "seat2.hand1", 4)
    assert felt.found() == [(ZONE, 1, 1, 6)]
    assert felt.compared().cards["seen_zone"][6] == "seat2.hand1"


def test_cards_dealt_in_another_order_are_one_disagreement() -> None:
    felt = Felt(1, 2, 3)
    for seat, card, seen_in in ((1, "9S", 3), (2, "3S", 1), (3, "KD", 2)):
        felt.draw(card, f"seat{seat}.hand1", 1)
        felt.see(card, f"seat{seen_in}.hand1", 1)
    assert felt.found() == [(ZONE, 1, 1, 1)]
    assert felt.messages()[0].endswith("with box 3, and 2 more after it")


def test_two_cards_astray_at_different_times_are_two_disagreements() -> None:
    felt = Felt(1, 2)
    felt.deal("9S3S", "4D5D")
    felt.draw("7C", "seat1.hand1", 3)
    felt.see("7C", "seat2.hand1", 3)
    felt.lay("2S", "dealer", 2)
    felt.draw("8C", "seat1.hand1", 4)
    felt.see("8C", "dealer", 3)
    assert felt.found() == [(ZONE, 1, 1, 6), (ZONE, 1, 1, 8)]


@pytest.mark.parametrize("zone", [None, "discard", "burn"])
def test_a_card_that_was_not_placed_or_set_aside_may_lie_anywhere(zone: str | None) -> None:
    felt = Felt(1)
    felt.deal("9S3S")
    felt.draw("TC", zone)
    felt.see("TC", "seat1.hand1", 3)
    assert felt.found() == []
    assert felt.compared().cards["seen_zone"][3] == "seat1.hand1"


def test_a_card_in_the_discard_rack_was_picked_up() -> None:
    felt = Felt(1)
    felt.draw("9S", "seat1.hand1", 1)
    felt.see("9S", "discard", 1)
    felt.see("4D", "discard", 2)
    assert felt.found() == []
    assert felt.compared().cards["seen_zone"].to_list() == ["discard"]


def test_a_card_that_is_not_seen_is_no_finding() -> None:
    felt = Felt(1)
    felt.deal("9S3S")
    felt.draw("7C", "seat1.hand1", 3)
    assert felt.found() == []


def test_burned_cards_lie_face_down() -> None:
    felt = Felt(1)
    felt.draw("9S", "burn", round=None)
    felt.see(None, "burn", 1, face="down", round=None)
    felt.lay("3S", "seat1.hand1", 1)
    result = felt.compared()
    assert result.discrepancies.is_empty()
    assert result.cards["seen_zone"].to_list() == ["burn", "seat1.hand1"]


def test_rounds_are_kept_apart() -> None:
    felt = Felt(1)
    felt.lay("9S", "seat1.hand1", 1)
    felt.round = "2"
    felt.draw("3S", "seat1.hand1", 1)
    felt.see("9S", "seat1.hand1", 1)
    assert felt.found() == [(CARD, 1, 1, 2)]


# Sideways.


@pytest.mark.parametrize(
    ("doubled", "text"),
    [
        (False, "Box 1: 7♣ lies sideways without a double"),
        (True, "Box 1: 7♣ lies straight on a double"),
    ],
)
@pytest.mark.parametrize("read", ["7C", None])
def test_a_card_that_lies_the_wrong_way(doubled: bool, text: str, read: str | None) -> None:
    felt = Felt(1)
    felt.deal("9S3S")
    felt.draw("7C", "seat1.hand1", 3, doubled=doubled)
    felt.see(read, "seat1.hand1", 3, sideways=not doubled)
    assert felt.found() == [(SIDEWAYS, 1, 1, 4)]
    assert felt.messages() == [text]


def test_a_card_that_nobody_read_is_told_all_the_same() -> None:
    felt = Felt(1)
    felt.deal("9S3S")
    felt.draw(None, "seat1.hand1", 3)
    felt.see(None, "seat1.hand1", 3, sideways=True)
    assert felt.messages() == ["Box 1: a card lies sideways without a double"]


def test_something_unread_that_lies_across_beside_its_place_is_nothing() -> None:
    felt = Felt(1)
    felt.deal("9S3S")
    felt.draw("7C", "seat1.hand1", 3)
    felt.see(None, "seat1.hand1", 4, sideways=True)
    assert felt.found() == []


def test_how_a_card_is_moved_later_does_not_matter() -> None:
    felt = Felt(1)
    felt.lay("9S", "seat1.hand1", 1)
    felt.ms += 10 * STEP_MS
    felt.see("9S", "seat1.hand1", 1, sideways=True)
    assert felt.found() == []


def test_the_dealers_cards_may_lie_any_way() -> None:
    felt = Felt(1)
    felt.draw("9S", "dealer", 1)
    felt.see("9S", "dealer", 1, sideways=True)
    assert felt.found() == []


# Boxes without a wager.


def test_a_single_card_in_a_box_without_a_wager_went_to_the_wrong_box() -> None:
    felt = Felt(1)
    felt.deal("9S3S")
    felt.draw("7C", "seat1.hand1", 3)
    felt.see("7C", "seat4.hand1", 1)
    assert felt.found() == [(WRONG_BOX, 4, None, 4)]


def test_a_box_without_a_wager_that_was_dealt_in() -> None:
    felt = Felt(1, 3)
    dealt = (("9S", 1, 1, 1), ("4C", 3, 2, 1), ("3S", 1, 3, 1), ("KD", 3, 1, 2), ("5D", 1, 2, 2), ("6D", 3, 3, 2))
    for card, seat, seen_in, order in dealt:  # the log knows nothing of box 2: its cards seem to be those of others
        felt.draw(card, f"seat{seat}.hand1", order)
        felt.see(card, f"seat{seen_in}.hand1", order)
    assert felt.found() == [(UNWAGERED, 2, None, 2)]
    assert felt.messages() == ["Box 2 has no wager and was dealt 2 cards"]


def test_a_card_from_nowhere_in_a_box_without_a_wager() -> None:
    felt = Felt(1)
    felt.deal("9S3S")
    felt.see("7C", "seat4.hand1", 1, ms=felt.ms + 9 * STEP_MS)
    assert felt.found() == [(UNWAGERED, 4, None, None)]


@pytest.mark.parametrize("code", [WRONG_BOX, UNWAGERED])
def test_what_the_log_reports_is_not_noted_again(code: str) -> None:
    felt = Felt(1, 2, codes=[code])
    felt.deal("9S3S", "4D5D")
    felt.draw("7C", "seat1.hand1", 3)
    felt.see("7C", "seat4.hand1", 1)
    felt.draw("8C", "seat1.hand1", 4)
    felt.see("8C", "seat2.hand1", 3)
    assert felt.found() == []


def test_another_report_hides_nothing() -> None:
    felt = Felt(1, codes=["shoe.ten-found"])
    felt.deal("9S3S")
    felt.draw("7C", "seat1.hand1", 3)
    felt.see("7C", "seat4.hand1", 1)
    assert felt.found() == [(WRONG_BOX, 4, None, 4)]


# The hole card.


def with_hole_card(turned_ms: int, decided_ms: int | None, read: str | None = "KC", code: str = "") -> Felt:
    """A round whose hole card is turned so long after it was laid, and the last decision made."""
    felt = Felt(1, codes=[code])
    felt.deal("9S3S")
    laid = felt.draw("KC", "dealer", 2)
    felt.see(None, "dealer", 2, face="down")
    felt.see(read, "dealer", 2, ms=laid + turned_ms)
    felt.decided_ms = None if decided_ms is None else laid + decided_ms
    return felt


def test_a_hole_card_that_players_saw_before_they_decided() -> None:
    felt = with_hole_card(turned_ms=3_000, decided_ms=9_500)
    assert felt.found() == [(EXPOSED, None, None, 4)]
    assert felt.messages() == ["Hole card K♣ face up 6.5 s before the last player decision"]


@pytest.mark.parametrize(
    "felt",
    [
        with_hole_card(turned_ms=9_000, decided_ms=8_000),
        with_hole_card(turned_ms=9_000, decided_ms=10_500),  # the last decision was logged a moment late
        with_hole_card(turned_ms=3_000, decided_ms=None),
        with_hole_card(turned_ms=3_000, decided_ms=9_500, read=None),
        with_hole_card(turned_ms=3_000, decided_ms=9_500, code=EXPOSED),
    ],
)
def test_a_hole_card_turned_in_time_or_reported_is_not_noted(felt: Felt) -> None:
    assert felt.found() == []


# Random tables.

_few = settings(max_examples=40, deadline=None)
_NAMES = [name for name in cards.NAMES[1:] if name[0] != "T"]


@st.composite
def tables(draw: st.DrawFn) -> Felt:
    """A round with hits and doubles in which everything is seen rightly."""
    boxes = draw(st.integers(1, 5))
    felt = Felt(*range(1, boxes + 1))
    pick = st.sampled_from(_NAMES)
    felt.deal(*(draw(pick) + draw(pick) for _ in range(boxes)), dealer=draw(pick))
    for seat in range(1, boxes + 1):
        hits = draw(st.integers(0, 3))
        for n in range(hits):
            felt.lay(draw(pick), f"seat{seat}.hand1", n + 3, doubled=n == hits - 1 and draw(st.booleans()))
    return felt


@_few
@given(felt=tables(), data=st.data(), skew_ms=st.integers(-900, 3000))
def test_a_poor_camera_is_no_finding(felt: Felt, data: st.DataObject, skew_ms: int) -> None:
    seen, felt.seen = felt.seen, []
    for line in seen:
        what = data.draw(st.sampled_from(["seen", "unread", "missed"]))
        line["ms"] += skew_ms + data.draw(st.integers(-90, 90))
        if what != "missed":
            felt.seen.append({**line, "card": None if what == "unread" else line["card"]})
    assert felt.found() == []


@_few
@given(felt=tables(), data=st.data())
def test_one_wrong_sighting_is_one_finding(felt: Felt, data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(felt.seen))
    drawn = felt.cards[line["seq"] - 1]
    line["card"] = data.draw(st.sampled_from([name for name in _NAMES if name != drawn["card"]]))
    (note,) = felt.compared().discrepancies.to_dicts()
    assert (note["code"], note["n"], note["seq"]) == (CARD, drawn["n"], line["seq"])


@_few
@given(felt=tables())
def test_the_order_of_rows_is_kept(felt: Felt) -> None:
    day, result = felt.frames(), felt.compared()
    assert result.cards.select(day.cards.columns).equals(day.cards)
    assert result.sightings.select(day.sightings.columns).equals(day.sightings)
    assert result.cards.filter(pl.col("seen_card") != pl.col("card")).is_empty()
