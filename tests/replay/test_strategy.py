"""Basic strategy: against published facts, against an independent enumeration, and what must hold in every game."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from replay import floor, rules
from replay.compile_rules import compile_rules
from replay.rules import Rules
from replay.simulator import profiles, strategy
from replay.simulator.strategy import DOUBLE, HIT, MIXED, SPADES, SPLIT, SUITED, SURRENDER, Strategy
from tests.books import IDS
from tests.some import some

CLASS = {name: n for n, name in enumerate("A23456789T")}
UPS = "23456789TA"


def table_rules(book: str, decks: int = 6, **options: Any) -> Rules:
    row = {"id": "T1", "rulebook": book, "decks": decks, "boxes": 7, "min_cents": 500, "max_cents": 100_000}
    return compile_rules(floor.parse({"table": [{**row, "options": options}]}).tables[0])


GAMES = {
    **{book: table_rules(book) for book in IDS},
    "md-spanish21, two hands": table_rules("md-spanish21", 8, max_hands_per_box=2, resplit_aces=False),
    "ma-pontoon21, hole card": table_rules("ma-pontoon21", hole_card=True),
    "ma-pontoon21, reader": table_rules("ma-pontoon21", hole_card=True, card_reader=True),
    "mbs-pontoon, four decks": table_rules("mbs-pontoon", 4),
    "spanish21-8-h17": profiles.load("spanish21-8-h17").rules,
}


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Rules:
    return GAMES[request.param]


@cache
def solved(profile: str) -> Strategy:
    return strategy.solve(profiles.load(profile).rules)


def action(bits: int) -> str:
    for bit, letter in ((SPLIT, "P"), (SURRENDER, "R"), (DOUBLE, "D"), (HIT, "H")):
        if bits & bit:
            return letter
    return "S"


def two(s: Strategy, hand: str, up: str, suits: int = MIXED, phase: int = 0) -> str:
    return action(int(s.first[phase, CLASS[hand[0]], CLASS[hand[1]], suits, CLASS[up]]))


def many(s: Strategy, count: int, total: int, up: str, soft: bool = False) -> str:
    return action(int(s.later[0, min(count, 7) - 3, int(soft), total, CLASS[up]]))


# Cells of published charts for the game in which the dealer draws on soft 17, where what is published agrees.
# Hard hands: "Spanish 21 Strategy Guide and Advice" (debitcardcasino.ca, 2019) and "How to play Spanish 21"
# (howtocasino.com); 11: "Advanced game play for Spanish 21 Blackjack" (blackjackfiesta.net); soft hands: "How to Play
# Spanish 21" (mycasinobonus24.com); pairs: "Splitting pairs: best practices in Spanish 21" (acrpoker.eu), and for fours
# "Spanish 21 match the dealer payouts" (thetruefacs.biz).
PUBLISHED_TWO = [
    *(("36", up, "H") for up in "2345789TA"),
    ("36", "6", "D"),
    *(("28", up, "D") for up in "234567"),
    *(("37", up, "H") for up in "9TA"),
    *(("29", up, "D") for up in "2345678"),
    *(("T2", up, "H") for up in UPS),
    *(("T3", up, "H") for up in "234789T"),
    ("T3", "6", "S"),
    *(("T4", up, "H") for up in "23789TA"),
    *(("T4", up, "S") for up in "456"),
    *(("T5", up, "S") for up in "23456"),
    *(("T5", up, "H") for up in "789TA"),
    *(("T6", up, "S") for up in "23456"),
    *(("T6", up, "H") for up in "789T"),
    ("T6", "A", "R"),
    *(("T7", up, "S") for up in "23456789T"),
    ("T7", "A", "R"),
    *(("T8", up, "S") for up in UPS),
    *((f"A{low}", up, "H") for low, up in product("23", UPS)),
    ("A4", "6", "D"),
    ("A4", "5", "H"),
    *(("A5", up, "D") for up in "56"),
    ("A5", "4", "H"),
    *((f"A{high}", up, "D") for high, up in product("67", "456")),
    ("A6", "3", "H"),
    *(("AA", up, "P") for up in UPS),
    *(("88", up, "P") for up in "23456789"),
    *(("TT", up, "S") for up in UPS),
    *(("44", up, "H") for up in UPS),
    *(("55", up, "D") for up in "234567"),
]


@pytest.mark.parametrize(("hand", "up", "wanted"), PUBLISHED_TWO)
def test_two_cards_as_published(hand: str, up: str, wanted: str) -> None:
    assert two(solved("spanish21-6-h17"), hand, up) == wanted
    assert two(solved("spanish21-8-h17"), hand[::-1], up) == wanted


# The same sources: from that many cards on a total is hit on which one stands or doubles with fewer.
PUBLISHED_COUNTS = [
    (14, "4", 4),
    (14, "5", 5),
    (14, "6", 5),
    (15, "2", 4),
    (15, "3", 5),
    (15, "4", 5),
    (15, "5", 6),
    (15, "6", 6),
    (16, "2", 5),
    (16, "3", 6),
    (16, "4", 6),
    (17, "8", 6),
    (17, "9", 6),
    (17, "T", 6),
    (9, "6", 3),
    (11, "2", 4),
    (11, "7", 4),
    (11, "8", 4),
    (11, "5", 5),
    (11, "T", 3),
    (11, "A", 3),
]


@pytest.mark.parametrize(("total", "up", "count"), PUBLISHED_COUNTS)
def test_more_cards_are_hit_as_published(total: int, up: str, count: int) -> None:
    s = solved("spanish21-6-h17")
    assert many(s, count, total, up) == "H"
    if count > 3:
        assert many(s, count - 1, total, up) == ("D" if total < 12 else "S")


def test_rescue_as_published() -> None:
    """Stiff doubled hands go back against an eight or higher, 17 against an ace, none against a seven or lower.

    "Knowing When to Double Double Down in Spanish 21" (onlinecasinosingapore.com, 2014).
    """
    rescue = solved("spanish21-6-h17").rescue
    for total, up in product(range(12, 21), UPS):
        assert rescue[total, CLASS[up]] == ((total <= 16 and up in "89TA") or (total == 17 and up == "A"))


def test_three_card_bonuses_decide_by_suit() -> None:
    """Some hands are hit only where a 6-7-8 is possible, some only for a suited one, some only for one of spades."""
    s = solved("spanish21-6-h17")
    assert [two(s, "78", "2", suits) for suits in (MIXED, SUITED, SPADES)] == ["H", "H", "H"]
    assert [two(s, "78", "3", suits) for suits in (MIXED, SUITED, SPADES)] == ["S", "H", "H"]
    assert [two(s, "68", "6", suits) for suits in (MIXED, SUITED, SPADES)] == ["S", "S", "H"]
    assert two(s, "T5", "2") == "S"
    without = profiles.load("spanish21-6-h17").rules._replace(bonus_on_split=0)
    assert two(strategy.solve(without), "78", "2", SPADES, phase=1) == "S"


@pytest.mark.parametrize("name", profiles.profiles())
def test_house_edge_as_published(name: str) -> None:
    profile = profiles.load(name)
    assert -100 * strategy.expectation(profile.rules) == pytest.approx(profile.house_edge_percent, abs=0.02)


@pytest.mark.parametrize(
    ("name", "change", "published"),
    [
        ("spanish21-6-h17", {"surrender_up": 0}, 0.018),
        ("spanish21-6-s17", {"surrender_up": 0}, 0.006),
    ],
)
def test_rules_cost_what_is_published(name: str, change: dict[str, Any], published: float) -> None:
    """Compare the house's gain from rules without surrender with Wikipedia, Spanish 21."""
    plain = profiles.load(name).rules
    cost = 100 * (strategy.expectation(plain) - strategy.expectation(plain._replace(**change)))
    assert cost == pytest.approx(published, abs=0.001)


def test_same_game_by_another_rulebook() -> None:
    """Massachusetts with hole card and reader is the published game."""
    for mine, other in some(zip(strategy.solve(GAMES["ma-pontoon21, reader"]), solved("spanish21-6-s17"), strict=True)):
        assert np.array_equal(mine, other)


# A second opinion: every card taken from the shoe as it goes, in plain recursion.
Shoe = tuple[int, ...]


def take(shoe: Shoe, card: int) -> Shoe:
    return (*shoe[:card], shoe[card] - 1, *shoe[card + 1 :])


def balance(shoe: Shoe, hard: int, ace: bool, points: int, cards: int, without: int) -> float:
    """Return the value of standing while the dealer has these cards; the second is not of class `without`."""
    total = hard + 10 if ace and hard <= 11 else hard
    if cards > 1 and total >= 17:
        return 1.0 if total > 21 or points > total or points == 21 else 0.0 if points == total else -1.0
    open_cards = [card for card in range(10) if shoe[card] and not (cards == 1 and card == without)]
    seen = sum(shoe[card] for card in open_cards)
    worth = 0.0
    for card in open_cards:
        worth += shoe[card] / seen * balance(take(shoe, card), hard + card + 1, ace or card == 0, points, cards + 1, -1)
    return worth


def hit(shoe: Shoe, up: int, points: int, count: int) -> float:
    """Return the value of a hit on a hard hand, followed by the best hits and stands."""
    worth = 0.0
    for card in range(10):
        chance = shoe[card] / sum(shoe)
        total, left = points + card + 1, take(shoe, card)
        if total > 21:
            worth -= chance
        elif total == 21:
            worth += chance * {5: 1.5, 6: 2.0}.get(count + 1, 1.0)
        else:
            stands = balance(left, up + 1, up == 0, total, 1, -1)
            worth += chance * (max(stands, hit(left, up, total, count + 1)) if total < 18 else stands)
    return worth


@pytest.mark.parametrize(("hand", "up"), [("T5", "5"), ("T6", "4"), ("T6", "7"), ("96", "3"), ("T7", "8")])
def test_hit_or_stand_by_enumeration(hand: str, up: str) -> None:
    one, other, shown = CLASS[hand[0]], CLASS[hand[1]], CLASS[up]
    full = (*[24] * 9, 72)
    shoe = take(take(take(full, one), other), shown)
    stands = balance(shoe, shown + 1, False, one + other + 2, 1, -1)
    draws = hit(shoe, shown, one + other + 2, 2)
    assert abs(stands - draws) > 0.005
    assert two(solved("spanish21-6-s17"), hand, up) == ("H" if draws > stands else "S")


def test_surrender_and_stand_by_enumeration() -> None:
    """17 against an ace that is known to have no blackjack: worth less than half a wager, 18 worth more."""
    full = (*[24] * 9, 72)
    for other, wanted in (("7", "R"), ("8", "S")):
        shoe = take(take(take(full, 9), CLASS[other]), 0)
        stands = balance(shoe, 1, True, 11 + CLASS[other], 1, 9)
        assert (stands < -0.5) == (wanted == "R")
        assert two(solved("spanish21-6-s17"), f"T{other}", "A") == wanted


# What holds in every game.


def test_shapes(game: Rules) -> None:
    s = strategy.solve(game)
    assert (s.first.shape, s.later.shape, s.rescue.shape) == ((2, 10, 10, 3, 10), (2, 5, 2, 22, 10), (22, 10))
    assert {table.dtype for table in s} == {np.dtype(np.uint8)}
    s.first[:] = 255
    assert strategy.solve(game).first.max() < 16


def test_only_what_is_open(game: Rules) -> None:
    s = strategy.solve(game)
    pairs = np.eye(10, dtype=bool)
    assert not (s.first[:, ~pairs] & SPLIT).any()
    assert not (s.later & (SPLIT | SURRENDER)).any()
    assert not (s.first[1] & SURRENDER).any()
    closed = [up for up, rank in enumerate([*range(9), 10]) if not game.surrender_up >> rank & 1]
    assert not (s.first[..., closed] & SURRENDER).any()
    if game.double_first_two:
        assert not (s.later & DOUBLE).any()
    if game.aces_once:
        assert not s.first[1, 0].any()
    if game.ace_on_double != rules.ACE_NORMAL:
        assert not (s.first[0, 0, 1:] & DOUBLE).any()
    if game.max_hands == 2:
        assert not (s.first[1] & SPLIT).any()
    assert not s.rescue[min(game.rescue_max + 1, 21) :].any()


def test_no_card_on_21_and_one_where_it_cannot_harm(game: Rules) -> None:
    s = strategy.solve(game)
    assert not s.later[:, :, :, 21].any()
    assert not s.first[:, 0, 9].any()
    assert not s.first[:, 9, 0].any()
    assert (s.later[:, :, 0, 4:12] & HIT).all()
    for one, other in product(range(1, 10), repeat=2):
        bits = s.first[:, one, other]
        if one + other + 2 <= 11:
            assert (bits & HIT).all()
        if one + other + 2 >= 18:
            assert not (bits & HIT).any()


def test_must_draw() -> None:
    forced = table_rules("div15-pontoon")._replace(must_draw_below=16)
    s = strategy.solve(forced)
    assert (s.later[:, :, :, 12:16] & HIT).all()
    assert two(s, "T5", "6") == "H"
    assert two(s, "T6", "6") == "S"


def test_more_cards_never_make_a_hit_worse(game: Rules) -> None:
    """Bonus odds only grow with the cards, and neither standing nor doubling gains by them."""
    later = strategy.solve(game).later[:, :, :, 4:].astype(np.int64)
    assert (np.diff(later & HIT, axis=1) >= 0).all()
    assert (np.diff(later & DOUBLE, axis=1) <= 0).all()


def test_first_two_cards_in_either_order(game: Rules) -> None:
    first = strategy.solve(game).first[0]
    assert np.array_equal(first, first.swapaxes(0, 1))


def test_blackjack_after_the_players_turns_makes_careful() -> None:
    """Without a look at the hole card a split against an ace risks more where the dealer takes every hand."""
    takes_one = table_rules("mbs-pontoon")._replace(after_split=rules.AFTER_SPLIT_ORIGINAL)
    takes_all = takes_one._replace(after_split=rules.AFTER_SPLIT_ALL, takes_double=1)
    one, every = strategy.solve(takes_one), strategy.solve(takes_all)
    assert np.count_nonzero(every.first[0] & SPLIT) < np.count_nonzero(one.first[0] & SPLIT)
    assert strategy.expectation(takes_all) < strategy.expectation(takes_one)


@pytest.mark.parametrize(
    "worse",
    [
        {"soft_17_draws": 1},
        {"bonus_on_split": 0},
        {"split_21": rules.SPLIT21_PUSH},
        {"rescue_max": 0},
        {"double_first_two": 1},
        {"max_hands": 3},
        {"resplit_aces": 0},
        {"aces_once": 1},
        {"surrender_up": 0},
        {"blackjack_against_21": 1},
        {"ace_on_double": rules.ACE_FIRST_TWO},
        {"reader": 0, "takes_double": 1, "after_split": rules.AFTER_SPLIT_ALL},
    ],
    ids=str,
)
def test_a_right_less_is_worth_less(worse: dict[str, Any]) -> None:
    plain = profiles.load("spanish21-6-s17").rules
    assert strategy.expectation(plain._replace(**worse)) < strategy.expectation(plain)


def test_chart() -> None:
    lines = strategy.chart(solved("spanish21-6-h17")).splitlines()
    assert lines[0].split() == list(UPS)
    rows = {line[:10].strip(): line[10:].split() for line in lines[1:]}
    assert rows["hard 15"] == ["S4", "S5", "S5", "S6", "S6", *"HHHHH"]
    assert rows["hard 17"][-1] == "R"
    assert rows["pair A"] == ["P"] * 10
