"""The choice of what is filmed: where most is planted; and the chips that lie there meanwhile."""

import polars as pl

from replay import cards, ops
from replay.simulator import log as J
from replay.simulator.filming import Filming, Stretch, chosen, stretch, wagers, within
from replay.simulator.log import Log, Row, from_rows


def rounds(*lengths_ms: int) -> Log:
    """A day of rounds that last so long, with a card each and a burn before."""
    rows, ms = [], 0
    for number, lasts in enumerate(lengths_ms, 1):
        rows.append(Row(ops.DRAW, ms=ms + 10, zone=J.ZONE_BURN, card=cards.parse("5S"), cents=1))
        rows.append(Row(ops.WAGER, seat=1, bettor=1, cents=500, ms=ms + 100, round=number))
        rows.append(Row(ops.DRAW, ms=ms + 200, round=number, zone=J.ZONE_DEALER, card=cards.parse("6S"), cents=1))
        rows.append(Row(ops.ROUND_END, ms=ms + lasts, round=number))
        ms += lasts + 1_000
    return from_rows(rows)


def test_the_stretch_with_most_planted_in_it() -> None:
    log = rounds(*[10_000] * 8)
    assert stretch(log, {6, 8}, 3)[:3] == (6, 8, 2)
    assert stretch(log, {2}, 3)[2] == 1
    assert stretch(log, {2}, 99)[:3] == (1, 8, 1)


def test_of_stretches_alike_the_shortest() -> None:
    assert stretch(rounds(10_000, 90_000, 10_000, 12_000, 50_000), (), 2)[:2] == (3, 4)


def test_tables_where_most_goes_wrong_are_filmed() -> None:
    log = rounds(10_000, 10_000)
    days = [(7, log, set[int]()), (9, log, {1, 2}), (5, log, {1}), (8, log, {2})]
    assert list(chosen(days, Filming(1, 1))) == [2]
    assert list(chosen(days, Filming(9, 1))) == [0, 2, 3]


def test_what_is_burned_between_filmed_rounds_is_filmed() -> None:
    log = rounds(10_000, 10_000, 10_000)
    placed = pl.DataFrame({"round": [0, 1, 0, 2, 0, 3], "laid_ms": log.ms[log.op == ops.DRAW]})
    assert within(placed, log, Stretch(1, 2, 0, 0))["round"].to_list() == [1, 0, 2]


def test_chips_lie_until_they_are_taken_or_the_round_is_over() -> None:
    rows = [
        Row(ops.WAGER, seat=1, bettor=1, kind=ops.MAIN, cents=5_000, ms=1_000, round=1),
        Row(ops.WAGER, seat=2, bettor=1, kind=ops.MAIN, cents=2_500, ms=1_200, round=1),
        Row(ops.WAGER, seat=2, bettor=1, kind=ops.INSURANCE, cents=1_200, ms=1_300, round=1),
        Row(ops.SETTLE, seat=1, bettor=1, hand=1, kind=ops.MAIN, aux=5_000, ms=20_000, round=1),
        Row(ops.SETTLE, seat=2, bettor=1, hand=1, kind=ops.SUPER_BONUS, cents=100_000, ms=21_000, round=1),
        Row(ops.WITHDRAW, seat=2, bettor=1, hand=1, kind=ops.INSURANCE, ms=15_000, round=1),
        Row(ops.ROUND_END, ms=30_000, round=1),
    ]
    found = wagers(from_rows(rows), Stretch(1, 1, 0, 0))
    assert found.select("seat", "kind", "cents", "laid_ms", "until_ms", "is_paid", "is_taken").rows() == [
        (1, "main", 5_000, 1_000, 20_000, False, True),
        (2, "main", 2_500, 1_200, 31_500, False, False),
        (2, "insurance", 1_200, 1_300, 15_000, False, False),
        (2, "main", 100_000, 21_000, 31_500, True, False),
    ]
