"""Placements of cards, and what a camera reports of them."""

import json
from datetime import date, datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from replay import cards, codes, ops
from replay.simulator import camera, landing
from replay.simulator import log as J
from replay.simulator.clocks import SimulatedClock, TableClocks
from replay.simulator.log import Names, Row, from_rows
from tests.some import some

START: Final = 1_794_801_600_000
STEP: Final = 1000
DAY: Final = date(2026, 11, 16)
NAMES: Final = Names("P21-04", [""], ["", "S1"], [""], [""], [])
CLOCKS: Final = TableClocks(ZoneInfo("Asia/Singapore"), START, camera=SimulatedClock(-1500, 40.0))
DEALER, BURN, DISCARD = J.ZONE_DEALER, J.ZONE_BURN, J.ZONE_DISCARD


def hand(seat: int, number: int = 1) -> int:
    return seat * J.ZONE_HANDS + number


class Day:
    """Rows one second apart; cards in the order of their draws."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.round = 1
        self.drawn = 0

    def add(self, op: int, **values: int) -> int:
        """One more row; says when."""
        ms = START + STEP * len(self.rows)
        row = Row(op, round=self.round, ms=ms)
        for name, value in values.items():
            setattr(row, name, value)
        self.rows.append(row)
        return ms

    def draw(self, card: str, zone: int) -> int:
        self.drawn += 1
        return self.add(ops.DRAW, card=cards.parse(card), zone=zone, cents=1, aux=self.drawn)

    def decide(self, seat: int, number: int, action: int) -> int:
        return self.add(ops.DECISION, seat=seat, hand=number, kind=action)

    def settle(self, seat: int, number: int = 1, kind: int = ops.MAIN, bettor: int = 1) -> int:
        return self.add(ops.SETTLE, seat=seat, bettor=bettor, hand=number, kind=kind, cents=100)

    def end(self) -> int:
        return self.add(ops.ROUND_END)

    def deal(self, *boxes: str, dealer: str = "5H") -> None:
        """Two cards to boxes 1, 2..., and the dealer's up card between."""
        for seat, two in enumerate(boxes, 1):
            self.draw(two[:2], hand(seat))
        self.draw(dealer[:2], DEALER)
        for seat, two in enumerate(boxes, 1):
            self.draw(two[2:], hand(seat))
        if dealer[2:]:
            self.draw(dealer[2:], DEALER)

    def placed(self, hole_card: bool = False) -> pl.DataFrame:
        return camera.placements(from_rows(self.rows), NAMES, hole_card)

    def stays(self, zone: str, hole_card: bool = False) -> list[tuple[Any, ...]]:
        """Card, order, face, sideways, laid and until of a zone's cards."""
        own = self.placed(hole_card).filter(zone=zone)
        return own.select("card", "order", "face", "sideways", "laid_ms", "until_ms").rows()


def test_cards_lie_until_their_hand_is_settled() -> None:
    day = Day()
    day.deal("9S8S", "KDQD")
    settled = day.settle(2)
    end = day.end()
    assert day.stays("seat1.hand1") == [
        ("9S", 1, "up", False, START, end),
        ("8S", 2, "up", False, START + 3 * STEP, end),
    ]
    assert day.stays("seat2.hand1") == [
        ("KD", 1, "up", False, START + STEP, settled),
        ("QD", 2, "up", False, START + 4 * STEP, settled),
    ]
    assert day.stays("dealer") == [("5H", 1, "up", False, START + 2 * STEP, end)]
    placed = day.placed()
    assert placed.columns == [
        *("round", "shoe", "n", "card", "zone", "order", "face", "sideways", "laid_ms", "until_ms"),
    ]
    assert placed["n"].to_list() == [1, 2, 3, 4, 5]
    assert placed["shoe"].unique().to_list() == ["S1"]


def test_side_wagers_do_not_pick_a_hand_up() -> None:
    day = Day()
    day.deal("9S8S")
    for kind in (ops.INSURANCE, ops.PAIR, ops.MATCH, ops.BONUS_SPIN, ops.BSX16):
        day.settle(1, kind=kind)
    end = day.end()
    assert {stay[5] for stay in day.stays("seat1.hand1")} == {end}


def test_a_hand_of_several_bettors_lies_until_the_last_is_settled() -> None:
    day = Day()
    day.deal("9S8S")
    day.settle(1, bettor=1)
    last = day.settle(1, bettor=2)
    day.end()
    assert {stay[5] for stay in day.stays("seat1.hand1")} == {last}


def test_a_hand_that_plays_on_after_one_bettor_was_settled_lies_on() -> None:
    day = Day()
    day.deal("9S3S")
    day.settle(1, bettor=2)
    day.decide(1, 1, ops.HIT)
    day.draw("7C", hand(1))
    end = day.end()
    assert {stay[5] for stay in day.stays("seat1.hand1")} == {end}


def test_a_card_that_comes_after_a_settlement_keeps_the_hand_there() -> None:
    day = Day()
    day.deal("9S3S")
    day.settle(1, bettor=2)
    day.draw("7C", hand(1))
    end = day.end()
    assert {stay[5] for stay in day.stays("seat1.hand1")} == {end}


def test_a_doubled_hands_card_lies_sideways() -> None:
    day = Day()
    day.deal("6S5S", "6D5D")
    day.decide(1, 1, ops.DOUBLE_DOWN)
    day.draw("KC", hand(1))
    day.decide(2, 1, ops.HIT)
    day.draw("QC", hand(2))
    day.draw("2C", hand(1))
    day.end()
    assert [stay[3] for stay in day.stays("seat1.hand1")] == [False, False, True, False]
    assert [stay[3] for stay in day.stays("seat2.hand1")] == [False, False, False]


@pytest.mark.parametrize(("code", "refused"), [("play.illegal-double", True), ("wager.late", False)])
def test_a_refused_double_leaves_the_next_card_straight(code: str, refused: bool) -> None:
    day = Day()
    day.deal("6S5S")
    day.decide(1, 1, ops.DOUBLE_DOWN)
    day.add(ops.IRREGULARITY, seat=1, hand=1, kind=codes.NUMBER[code], cents=ops.REFUSE)
    day.decide(1, 1, ops.HIT)
    day.draw("KC", hand(1))
    day.end()
    assert [stay[3] for stay in day.stays("seat1.hand1")] == [False, False, not refused]


def test_a_split_moves_the_second_card() -> None:
    day = Day()
    day.deal("8S8H")
    split = day.decide(1, 1, ops.SPLIT_PAIR)
    on_first = day.draw("8D", hand(1))
    again = day.decide(1, 1, ops.SPLIT_PAIR)
    last_on_first = day.draw("2C", hand(1))
    on_third = day.draw("3C", hand(1, 3))
    on_second = day.draw("4C", hand(1, 2))
    second_settled = day.settle(1, 2, kind=ops.SPLIT)
    end = day.end()
    assert day.stays("seat1.hand1") == [
        ("8S", 1, "up", False, START, end),
        ("8H", 2, "up", False, START + 2 * STEP, split),
        ("8D", 2, "up", False, on_first, again),
        ("2C", 2, "up", False, last_on_first, end),
    ]
    assert day.stays("seat1.hand2") == [
        ("8H", 1, "up", False, split, second_settled),
        ("4C", 2, "up", False, on_second, second_settled),
    ]
    assert day.stays("seat1.hand3") == [
        ("8D", 1, "up", False, again, end),
        ("3C", 2, "up", False, on_third, end),
    ]


def test_a_doubled_split_hand() -> None:
    day = Day()
    day.deal("8S8H")
    day.decide(1, 1, ops.SPLIT_PAIR)
    day.draw("3D", hand(1))
    day.decide(1, 1, ops.STAND)
    day.draw("3C", hand(1, 2))
    day.decide(1, 2, ops.DOUBLE_DOWN)
    day.draw("KS", hand(1, 2))
    day.end()
    assert [(stay[0], stay[1], stay[3]) for stay in day.stays("seat1.hand2")] == [
        ("8H", 1, False),
        ("3C", 2, False),
        ("KS", 3, True),
    ]


def test_a_refused_split_moves_nothing() -> None:
    day = Day()
    day.deal("8S9H")
    day.decide(1, 1, ops.SPLIT_PAIR)
    day.add(ops.IRREGULARITY, seat=1, kind=codes.NUMBER["play.illegal-split"], cents=ops.REFUSE)
    day.decide(1, 1, ops.STAND)
    end = day.end()
    assert [(stay[0], stay[5]) for stay in day.stays("seat1.hand1")] == [("8S", end), ("9H", end)]
    assert day.stays("seat1.hand2") == []


@pytest.mark.parametrize("draws", [0, 1])
def test_the_hole_card_is_turned_when_the_players_are_done(draws: int) -> None:
    day = Day()
    day.deal("9S3S", dealer="5HKC")
    laid = day.rows[-1].ms
    bust = day.settle(1, bettor=2)
    day.decide(1, 1, ops.HIT)
    hit = day.draw("7C", hand(1))
    stood = day.decide(1, 1, ops.STAND)
    for _ in range(draws):
        day.draw("2D", DEALER)
    day.settle(1)
    end = day.end()
    down, up = [stay for stay in day.stays("dealer", hole_card=True) if stay[0] == "KC"]
    turned = down[5]
    assert bust < hit < stood < turned < stood + STEP
    assert down == ("KC", 2, "down", False, laid, turned)
    assert up == ("KC", 2, "up", False, turned, end)
    assert [stay[2] for stay in day.stays("dealer")] == ["up"] * (2 + draws)


def test_a_hole_card_that_makes_blackjack_is_turned_after_the_check() -> None:
    day = Day()
    day.deal("9S8S", dealer="AHKC")
    checked = day.add(ops.HOLE_CHECK, kind=ops.CHECK_BLACKJACK)
    day.rows.append(Row(J.MOMENT, round=1, ms=checked))
    taken = day.settle(1)
    day.end()
    down = day.stays("dealer", hole_card=True)[1]
    assert down[2] == "down"
    assert checked < down[5] < taken


def test_an_exposed_hole_card_lies_face_up_from_then_on() -> None:
    day = Day()
    day.deal("9S8S", dealer="5HKC")
    seen = day.add(ops.IRREGULARITY, kind=codes.NUMBER["deal.hole-card-exposed"], cents=ops.CONTINUE)
    day.decide(1, 1, ops.STAND)
    day.draw("2D", DEALER)
    day.end()
    assert [stay[5] for stay in day.stays("dealer", hole_card=True) if stay[2] == "down"] == [seen]


def test_a_dealer_without_a_second_card_turns_nothing() -> None:
    day = Day()
    day.deal("9S8S", dealer="5H")
    day.end()
    assert len(day.stays("dealer", hole_card=True)) == 1


def test_removed_and_burned_cards() -> None:
    day = Day()
    day.round = 0
    burned = [day.draw("2S", BURN), day.draw("3S", BURN)]
    day.round = 1
    begins = day.add(ops.BETS_CLOSED)
    day.draw("9S", hand(1))
    removed = day.draw("TD", DISCARD)
    inside = day.draw("TH", BURN)
    day.draw("4D", DEALER)
    day.draw("8S", hand(1))
    end = day.end()
    assert day.stays("burn") == [
        ("2S", 1, "down", False, burned[0], begins),
        ("3S", 2, "down", False, burned[1], begins),
        ("TH", 1, "down", False, inside, end),
    ]
    assert day.stays("discard") == [("TD", 1, "up", False, removed, end)]
    assert [stay[1] for stay in day.stays("seat1.hand1")] == [1, 2]


def test_a_round_without_an_end_lies_until_its_last_event() -> None:
    day = Day()
    day.deal("9S8S")
    last = day.decide(1, 1, ops.STAND)
    day.round = 2
    day.deal("7S6S")
    assert {stay[5] for stay in day.stays("seat1.hand1") if stay[0] in ("9S", "8S")} == {last}


def test_an_empty_day() -> None:
    placed = Day().placed()
    assert placed.is_empty()
    assert camera.sightings(placed, "P21-04", "C1", CLOCKS, Random(1)).is_empty()


# What the camera reports.


def random_day(rng: Random, rounds: int) -> Day:
    """Rounds with splits, doubles and hits in them."""
    day = Day()
    names = [name for name in cards.NAMES[1:] if name[0] != "T"]
    for day.round in range(1, rounds + 1):
        day.add(ops.BETS_CLOSED)
        day.deal(*("".join(rng.choices(names, k=2)) for _ in range(3)), dealer="".join(rng.choices(names, k=2)))
        for seat in (1, 2, 3):
            hands = [1]
            for number in hands:
                if number > 1:
                    day.draw(rng.choice(names), hand(seat, number))
                action = rng.choice((ops.HIT, ops.STAND, ops.DOUBLE_DOWN, ops.SPLIT_PAIR))
                day.decide(seat, number, action)
                if action == ops.SPLIT_PAIR:
                    hands.append(max(hands) + 1)
                if action != ops.STAND:
                    day.draw(rng.choice(names), hand(seat, number))
                if rng.random() < 0.5:
                    day.settle(seat, number)
                if len(hands) > 3:
                    break
        day.draw(rng.choice(names), DEALER)
        day.end()
    return day


def test_nothing_lies_in_the_same_place_at_the_same_time() -> None:
    placed = random_day(Random(3), 60).placed(hole_card=True)
    assert (placed["until_ms"] > placed["laid_ms"]).all()
    by_place = placed.sort("zone", "order", "laid_ms")
    later = by_place.with_columns(next=pl.col("laid_ms").shift(-1).over("zone", "order"))
    assert later.filter(pl.col("next") < pl.col("until_ms")).is_empty()
    by_card = placed.sort("n", "laid_ms").with_columns(next=pl.col("laid_ms").shift(-1).over("n"))
    assert by_card.filter(pl.col("next") != pl.col("until_ms")).is_empty()


def test_sightings_follow_the_placements() -> None:
    placed = random_day(Random(4), 300).placed(hole_card=True)
    seen = camera.sightings(placed, "P21-04", "C1", CLOCKS, Random(5))
    place = ("zone", "order", "face")
    pairs = zip(placed.sort(*place, "laid_ms").to_dicts(), seen.sort(*place, "ts").to_dicts(), strict=True)
    for lay, sight in some(pairs):
        assert [sight[name] for name in (*place, "sideways")] == [lay[name] for name in (*place, "sideways")]
        assert sight["card"] in (lay["card"], None)
        first, last = (true_ms(sight[name]) for name in ("ts", "until"))
        assert lay["laid_ms"] <= first <= lay["laid_ms"] + 410
        assert max(first, lay["until_ms"] - 210) <= last + 2 <= lay["until_ms"] + 12


def true_ms(text: str) -> float:
    """When it was that the camera's clock showed this."""
    shown = round(datetime.fromisoformat(text).timestamp() * 1000)
    return START + (shown - START - CLOCKS.camera.offset_ms) / (1 + CLOCKS.camera.drift_ppm / 1e6) + 1


def test_sightings_are_numbered_and_mostly_sure() -> None:
    placed = random_day(Random(4), 300).placed(hole_card=True)
    seen = camera.sightings(placed, "P21-04", "C1", CLOCKS, Random(5))
    assert seen["seq"].to_list() == list(range(1, len(placed) + 1))
    assert list(seen.columns) == list(landing.schema("camera"))
    assert all(a < b for a, b in pairwise(seen["ts"]))
    sure = seen.filter(pl.col("card").is_not_null())
    assert sure["confidence"].is_between(0.93, 0.999).all()
    unsure = seen.filter(pl.col("card").is_null(), face="up")
    assert 0 < len(unsure) < 0.02 * len(seen)
    assert (unsure["confidence"] < 0.9).all()
    assert seen.filter(face="down")["card"].is_null().all()


def test_camera_files(tmp_path: Path) -> None:
    placed = random_day(Random(6), 30).placed(hole_card=True)
    seen = camera.sightings(placed, "P21-04", "C1", CLOCKS, Random(7))
    (plain,) = camera.write(tmp_path, DAY, seen)
    assert plain == tmp_path / "2026-11-16" / "P21-04" / "camera.ndjson"
    events = [json.loads(line) for line in plain.read_text().splitlines()]
    assert events == seen.to_dicts()
    assert plain.read_text().splitlines()[0] == json.dumps(events[0], separators=(",", ":"))
    (parquet,) = camera.write(tmp_path, DAY, seen, landing.Form(1, "parquet"))
    assert pl.read_parquet(parquet).equals(seen)
    again = camera.sightings(placed, "P21-04", "C1", CLOCKS, Random(7))
    (copy,) = camera.write(tmp_path / "again", DAY, again)
    assert copy.read_bytes() == plain.read_bytes()
