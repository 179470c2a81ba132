"""Money and wagers gone wrong: what is planted is found, and costs what the rulebook's text says."""

from typing import Any

import pytest

from replay import cards, ops
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import REGISTRY, Truth
from replay.simulator.plant.base import AS_PRESCRIBED, NONE, NOT_PRESCRIBED
from tests.generator import BOOKS, Setup, plain_setup
from tests.replay.plant import harness as H

CODES = [code for code in sorted(REGISTRY) if code.startswith(("settlement.", "wager."))]
EVERYWHERE = {
    *("settlement.overpaid", "settlement.underpaid", "settlement.missing", "settlement.unexpected"),
    *("settlement.out-of-order", "wager.late", "wager.below-minimum", "wager.above-maximum"),
    *("wager.insurance-not-open", "wager.insurance-excess", "wager.insurance-ineligible"),
    *("wager.double-excess", "wager.split-unequal", "wager.too-many-bettors", "wager.not-offered"),
}
ELSEWHERE = {
    "md-pontoon21": {"wager.side-without-main", "wager.side-limit"},
    "md-spanish21": {"wager.side-without-main", "wager.side-limit"},
    "ma-pontoon21": {"wager.side-without-main", "wager.side-limit", "wager.too-many-boxes"},
    "mbs-pontoon": {"wager.side-without-main", "wager.separated"},
    "div15-pontoon": {"wager.not-payable"},
}


@pytest.mark.parametrize("book", BOOKS)
def test_all_that_is_planted_is_found(book: str) -> None:
    planted: set[tuple[str, int]] = set()
    for seed in range(3):
        result, done = H.plant_all(CODES, H.a_day(book, seed, 150))
        H.assert_same(result, f"{book} seed {seed}")
        planted |= {(code, handling) for code, _, handling in done}
    assert {code for code, _ in planted} >= EVERYWHERE | ELSEWHERE[book]
    handlings = {handling for code, handling in planted if code == "wager.late"}
    assert handlings == ({AS_PRESCRIBED, NOT_PRESCRIBED} if book == "mbs-pontoon" else {NONE})


# What only the house's own posting forbids; mbs-pontoon has no posting about mid-shoe entry, div15-pontoon no ban.
POSTED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("md-pontoon21", "wager.mid-shoe-entry", {"mid_shoe_entry": "forbid"}),
    ("md-spanish21", "wager.mid-shoe-entry", {"mid_shoe_entry": "forbid"}),
    ("ma-pontoon21", "wager.mid-shoe-entry", {"mid_shoe_entry": "forbid"}),
    ("div15-pontoon", "wager.mid-shoe-entry", {"mid_shoe_entry": "minimum"}),
    *((book, "wager.too-many-boxes", {"boxes_per_player": 1}) for book in BOOKS),
)


@pytest.mark.parametrize(("book", "code", "options"), POSTED)
def test_what_the_house_forbids(book: str, code: str, options: dict[str, Any]) -> None:
    setup = plain_setup(book, **options)
    done: set[tuple[str, str, int]] = set()
    for seed in range(8):
        result, done = H.plant_all([code], H.play(setup, seed, 80))
        H.assert_same(result, f"{book} {options} seed {seed}")
        if done:
            break
    assert done


@pytest.mark.parametrize("book", ["md-pontoon21", "md-spanish21", "ma-pontoon21"])
def test_match_wagers_beyond_a_posted_limit(book: str) -> None:
    day = H.play(plain_setup(book, match=True, match_max_cents=1000), 0, 60)
    result, done = H.plant_all(["wager.side-limit"], day)
    H.assert_same(result, book)
    assert done


# Single rounds, told card by card.


def card(name: str, box: int = 0, hand: int = 1) -> Row:
    """A card to a box, or to the dealer."""
    return Row(ops.DRAW, card=cards.parse(name), zone=box * J.ZONE_HANDS + hand if box else J.ZONE_DEALER)


def dealt(text: str) -> list[Row]:
    """Cards such as ``1:AS d:9H``."""
    return [card(name, 0 if box == "d" else int(box)) for box, name in (word.split(":") for word in text.split())]


def stake(box: int, cents: int, kind: int = ops.MAIN, bettor: int = 1, patron: int = 0) -> Row:
    return Row(ops.WAGER, box, bettor, 1, kind, cents=cents, aux=patron)


def decide(box: int, kind: int = ops.STAND) -> Row:
    return Row(ops.DECISION, box, 1, 1, kind)


def moment(which: int, box: int = 0, hand: int = 0) -> Row:
    return Row(J.MOMENT, seat=box, hand=hand, kind=which)


def a_round(wagers: list[Row], initial: str, play: list[Row], dealer: str = "") -> list[Row]:
    """A round: wagers, the initial deal, the players' part, and the dealer's second card where it comes after them."""
    return [
        *wagers,
        Row(ops.BETS_CLOSED),
        *dealt(initial),
        moment(J.AT_DEALT),
        moment(J.AT_TURNS),
        *play,
        *dealt(dealer),
        moment(J.AT_SECOND),
        moment(J.AT_END),
        Row(ops.ROUND_END),
    ]


def outcomes(act: str, setup: Setup, rows: list[Row], handling: int = NONE) -> set[tuple[Truth, ...]]:
    """List all that a planter may make of a round; each has to be found."""
    planter = next(planter for code in CODES for planter in REGISTRY[code] if planter.act.__name__ == act)
    truths = set()
    for seed in range(16):
        result = H.plant(planter, H.tell(setup, rows, seed), handling)
        if result is not None:
            H.assert_same(result, f"{act} seed {seed}")
            truths.add(tuple(result.truth))
    return truths


def costs(truths: set[tuple[Truth, ...]]) -> set[tuple[str, int]]:
    """Clauses and variances of single findings."""
    assert all(len(each) == 1 for each in truths)
    return {(each[0].clause, each[0].variance_cents) for each in truths}


MD, MBS = plain_setup("md-pontoon21"), plain_setup("mbs-pontoon")
BLACKJACK = a_round([stake(1, 1500)], "1:AS d:9H 1:KD d:8C", [moment(J.AT_HAND, 1, 1)])


def test_a_blackjack_paid_six_to_five_or_even_money() -> None:
    # md 12.A(2): 3 to 2, so $22.50 on $15; 6:5 is $18, even money $15.
    assert costs(outcomes("pay_worse_odds", MD, BLACKJACK)) == {("12.A(2)", -450), ("12.A(2)", -750)}
    assert costs(outcomes("pay_better_odds", MD, BLACKJACK)) == {("12.A(2)", 750)}


def test_a_five_card_21_paid_like_another() -> None:
    # md 12.B: 3 to 2 for five cards, 2 to 1 for six.
    play = [decide(1, ops.HIT), card("4S", 1), decide(1, ops.HIT), card("6S", 1), decide(1, ops.HIT), card("6D", 1)]
    rows = a_round([stake(1, 1000)], "1:2S d:9H 1:3D d:8C", [*play, moment(J.AT_HAND, 1, 1)])
    worse, better = outcomes("pay_worse_odds", MD, rows), outcomes("pay_better_odds", MD, rows)
    assert {variance for _, variance in costs(worse)} == {-500}
    assert {variance for _, variance in costs(better)} == {500}
    assert all(clause.startswith("12.B") for clause, _ in costs(worse | better))


PUSH = a_round([stake(1, 2500)], "1:KS d:9H 1:7D d:8C", [decide(1), moment(J.AT_HAND, 1, 1)])


def test_a_tie_paid_or_taken() -> None:
    # md 7.P: a tie.
    assert costs(outcomes("pay_push", MD, PUSH)) == {("7.P", 2500)}
    assert costs(outcomes("take_push", MD, PUSH)) == {("7.P", -2500)}


LOSER = a_round([stake(1, 2500)], "1:KS d:9H 1:6D d:8C", [decide(1), moment(J.AT_HAND, 1, 1)])


def test_a_loser_paid_or_forgotten() -> None:
    # A lower total loses by md 7.O; paid instead, the player has twice the wager too much.
    assert costs(outcomes("pay_loser", MD, LOSER)) == {("7.O", 5000)}
    assert costs(outcomes("forget", MD, LOSER)) == {("7.O", 2500)}


def test_a_surrender_that_costs_everything() -> None:
    # md 9.C(1): half, $12.50 of $25.
    rows = a_round([stake(1, 2500)], "1:KS d:9H 1:6D d:8C", [decide(1, ops.SURRENDER), moment(J.AT_HAND, 1, 1)])
    assert costs(outcomes("take_whole_surrender", MD, rows)) == {("9.C(1)", -1250)}


def test_half_of_a_surrender_taken_at_the_wrong_time() -> None:
    # md 9.C(1): at once against 2 to 9. mbs 3.24.3: when the dealer's hand shows no blackjack.
    turns = [moment(J.AT_HAND, 1, 1), decide(2), moment(J.AT_HAND, 2, 1)]
    stakes = [stake(1, 2500), stake(2, 2500)]
    at_once = a_round(stakes, "1:KS 2:KD d:9H 1:6D 2:9D d:8C", [decide(1, ops.SURRENDER), *turns])
    assert costs(outcomes("take_surrender_at_wrong_time", MD, at_once)) == {("9.C(1)", 0)}
    waits = a_round(stakes, "1:KS 2:KD d:KH 1:6D 2:9D", [decide(1, ops.SURRENDER), *turns], "d:8C")
    assert costs(outcomes("take_surrender_at_wrong_time", MBS, waits)) == {("3.24.3", 0)}


def test_a_winner_paid_before_the_loser_is_collected() -> None:
    # md 7.R(1): all losers first. The line that comes too late is the loser's.
    play = [decide(1), moment(J.AT_HAND, 1, 1), decide(2), moment(J.AT_HAND, 2, 1)]
    rows = a_round([stake(1, 1000), stake(2, 1000)], "1:KS 2:KD d:9H 1:9D 2:6D d:8C", play)
    ((truth,),) = outcomes("pay_before_collecting", MD, rows)
    assert (truth.clause, truth.seat, truth.variance_cents) == ("7.R(1)", 2, 0)


WINNER = a_round([stake(1, 1000, patron=1)], "1:KS d:9H 1:9D", [decide(1), moment(J.AT_HAND, 1, 1)], "d:8C")


def test_a_late_wager_is_refused_or_paid() -> None:
    # mbs 5.3 refuses it, 3.15 a late pair wager; paid, it costs what it won.
    refused = outcomes("past_post", MBS, WINNER, AS_PRESCRIBED)
    assert costs(refused) <= {("5.3", 0), ("3.15", 0)}
    assert {truth.handling for (truth,) in refused} == {"as-prescribed"}
    paid = outcomes("honour_past_post", MBS, WINNER, NOT_PRESCRIBED)
    assert {truth.handling for (truth,) in paid} == {"not-prescribed"}
    assert {truth.variance_cents for (truth,) in paid if truth.kind == "main"} <= {500, 1000, 2000}
    assert outcomes("past_post", MBS, WINNER, NONE) == outcomes("past_post", MD, BLACKJACK, AS_PRESCRIBED) == set()


def test_a_wager_above_the_maximum_paid_whole() -> None:
    # mbs 5.27 pays to the maximum of $1,000.
    truths = outcomes("settle_too_much", MBS, WINNER)
    assert truths and costs(truths) <= {("3.6", 100), ("3.6", 10100), ("3.6", 50100)}
    assert not outcomes("settle_too_much", MD, BLACKJACK)


def test_two_wagers_of_one_player_in_a_box() -> None:
    # mbs 3.10.2
    truths = outcomes("bet_twice_in_box", MBS, WINNER)
    assert {(truth.clause, truth.seat, truth.bettor) for (truth,) in truths} == {("3.10.2", 1, 2)}


def test_insurance_above_half_settled_whole() -> None:
    # ma 11(b): half of $25 rounded up to the next $1 chip is $13; a nine wins nothing, the rest should go back.
    rows = a_round([stake(1, 2500)], "1:KS d:AH 1:9D", [decide(1), moment(J.AT_HAND, 1, 1)], "d:9C")
    truths = outcomes("settle_insurance_too_high", plain_setup("ma-pontoon21"), rows)
    assert truths and costs(truths) <= {("11(b)", 1300 - cents) for cents in (1400, 1500, 2500)}


def test_insurance_against_a_king_goes_back() -> None:
    # div15 10.1: under an ace only.
    rows = a_round([stake(1, 2000)], "1:KS d:KH 1:9D", [decide(1), moment(J.AT_HAND, 1, 1)], "d:9C")
    div15 = plain_setup("div15-pontoon")
    assert costs(outcomes("insure_against_ten", div15, rows)) == {("10.1", 0)}
    assert costs(outcomes("take_insurance_against_ten", div15, rows)) == {("10.1", -1000)}


def test_a_double_for_more_than_the_original() -> None:
    # md 10.A: at most the original; the rest of a winning double goes back.
    play = [stake(1, 1000, ops.DOUBLE), decide(1, ops.DOUBLE_DOWN), card("9S", 1), moment(J.AT_HAND, 1, 1)]
    rows = a_round([stake(1, 1000)], "1:5S d:9H 1:6D d:8C", play)
    assert costs(outcomes("double_for_more", MD, rows)) == {("10.A", 0)}
    whole = costs(outcomes("settle_double_for_more", MD, rows))
    assert whole and whole <= {("10.A", cents) for cents in (100, 200, 500, 1000)}
