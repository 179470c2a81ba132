"""Play that was not open, planted and found: by the day, and in single rounds whose cost the rulebook's text gives."""

import pytest

from replay import ops
from replay.simulator.log import Row
from replay.simulator.plant import REGISTRY
from replay.simulator.plant.base import AS_PRESCRIBED, NONE, NOT_PRESCRIBED
from tests.generator import BOOKS, plain_setup
from tests.replay.plant import harness as H
from tests.replay.plant.told import a_round, dealt, outcomes, stake, told, turn

CODES = [code for code in sorted(REGISTRY) if code.startswith("play.")]
EVERYWHERE = {
    *("play.illegal-hit", "play.illegal-double", "play.illegal-split", "play.illegal-surrender"),
    *("play.illegal-rescue", "play.decision-missing", "play.out-of-turn"),
}
ELSEWHERE: dict[str, set[tuple[str, int]]] = {
    "md-pontoon21": set(),
    "md-spanish21": set(),
    "ma-pontoon21": {("play.illegal-assign", NONE)},
    "mbs-pontoon": {
        *(("play.illegal-assign", NONE), ("play.must-draw", NONE)),
        *(("play.absent-player", AS_PRESCRIBED), ("play.absent-player", NOT_PRESCRIBED)),
    },
    "div15-pontoon": {("play.illegal-assign", NONE), ("play.must-draw", NONE), ("play.absent-player", NONE)},
}


@pytest.mark.parametrize("book", BOOKS)
def test_all_that_is_planted_is_found(book: str) -> None:
    planted: set[tuple[str, int]] = set()
    for seed in range(3):
        result, done = H.plant_all(CODES, H.a_day(book, seed, 150))
        H.assert_same(result, f"{book} seed {seed}")
        planted |= {(code, handling) for code, _, handling in done}
    assert planted == {(code, NONE) for code in EVERYWHERE} | ELSEWHERE[book]


MD, MA = plain_setup("md-pontoon21"), plain_setup("ma-pontoon21", bettors_per_box=3)
MBS, DIV15 = plain_setup("mbs-pontoon", bettors_per_box=3), plain_setup("div15-pontoon", bettors_per_box=3)
TWO = [stake(1, 2000), stake(1, 1000, bettor=2)]  # somebody bets behind


def test_a_surrender_after_a_hit_costs_what_half_a_wager_saves() -> None:
    # md 9.B(4): not once a card was drawn. 16 loses $20 to 19; the dealer took $10.
    rows = a_round([stake(1, 2000)], "1:9S d:9H 1:2D d:KC", turn(1, "hit 5D", "stand"))
    assert told(outcomes("surrender_many_cards", MD, rows)) == {("play.illegal-surrender", "9.B(4)", 0)}
    assert ("play.illegal-surrender", "9.B(4)", 1000) in told(outcomes("honour_surrender", MD, rows))


def test_a_surrender_of_a_winning_hand_costs_the_player() -> None:
    # mbs 3.24: only against an ace or a picture. 19 wins $25 against 18; half of it was taken, rounded down to a cent.
    rows = a_round([stake(1, 2501)], "1:KS d:9H 1:9D", turn(1, "stand"), "d:9C")
    assert ("play.illegal-surrender", "3.24", -1250 - 2501) in told(outcomes("honour_surrender", MBS, rows))


def test_surrender_is_over_when_others_have_played() -> None:
    # div15 9.3: before any further card is dealt, except where it was not offered (16.12); mbs 3.24.1.
    play = [*turn(1, "hit 6S", "stand"), *turn(2, "stand")]
    rows = a_round([stake(1, 1000), stake(2, 1000)], "1:9S 2:KS d:KH 1:4D 2:6D", play, "d:9C")
    assert told(outcomes("surrender_too_late", MBS, rows)) == {("play.illegal-surrender", "3.24.1", 0)}
    assert told(outcomes("surrender_too_late", DIV15, rows)) == set()


def test_half_of_a_split_hand_is_not_to_be_given_up() -> None:
    # md 9.B(2). Both hands, $20 each, lose with 18 and 15 against 19; the dealer took $10 for one of them.
    split = [stake(1, 2000, ops.SPLIT, hand=2), *turn(1, "split KD", "stand"), *dealt("1.2:7D")]
    rows = a_round([stake(1, 2000)], "1:8S d:9H 1:8C d:KC", [*split, *turn(1, "stand", hand=2)])
    found = {truth for truths in outcomes("honour_split_surrender", MD, rows) for truth in truths}
    assert {truth.hand for truth in found} == {1, 2}
    assert {(truth.clause, truth.variance_cents) for truth in found} == {("9.B(2)", 1000)}


def test_a_bust_double_taken_back() -> None:
    # md 10.H: up to 21. The double of $20 stays lost; left to the player it is $20 too much.
    rows = a_round([stake(1, 2000)], "1:KS d:9H 1:4D d:KC", turn(1, "hit 9D"))
    assert told(outcomes("rescue_bust", MD, rows)) == {("play.illegal-rescue", "10.H", 0)}
    assert told(outcomes("honour_rescue_bust", MD, rows)) == {("play.illegal-rescue", "10.H", 2000)}


def test_a_double_by_somebody_who_bets_behind() -> None:
    # ma 13(d), mbs 3.25.7, div15 15.3(e): nobody doubles unless the player in control does.
    rows = a_round(TWO, "1:KS d:9H 1:9D", turn(1, "stand"), "d:8C")
    for setup, clause in ((MA, "13(d)"), (MBS, "3.25.7"), (DIV15, "15.3(e)")):
        assert told(outcomes("stake_behind", setup, rows)) == {("play.illegal-double", clause, 0)}
        # 19 against 17: paid with the rest, the $10 that should have gone back have won $10.
        assert told(outcomes("stake_behind_settled", setup, rows)) == {("play.illegal-double", clause, 1000)}
        drawn = a_round(TWO, "1:KS d:9H 1:2D", turn(1, "hit 7D", "stand"), "d:8C")
        assert told(outcomes("double_behind", setup, drawn)) == {("play.illegal-double", clause, 0)}


def test_a_split_and_a_surrender_by_somebody_who_bets_behind() -> None:
    rows = a_round(TWO, "1:KS d:KH 1:QD", turn(1, "stand"), "d:8C")
    for setup, clause in ((MA, "13(b)"), (MBS, "3.23"), (DIV15, "15.3(e)")):
        assert told(outcomes("split_behind", setup, rows)) == {("play.illegal-split", clause, 0)}
    for setup, clause in ((MA, "13(b)"), (DIV15, "9.6")):
        for act in ("surrender_behind", "surrender_without_guests"):
            assert told(outcomes(act, setup, rows)) == {("play.illegal-surrender", clause, 0)}
        # 20 wins $10 against 18; the dealer took $5.
        paid = told(outcomes("honour_surrender_behind", setup, rows))
        assert paid == {("play.illegal-surrender", clause, -1500)}
    assert outcomes("surrender_behind", MBS, rows) == set()  # mbs 3.24: each bettor alone


SECOND_HAND = [*dealt("1.2:QC"), *turn(1, "stand", hand=2)]
SPLIT = [stake(1, 2000, ops.SPLIT, hand=2), stake(1, 1000, ops.SPLIT, 2, 2), *turn(1, "split KC", "stand")]


def test_a_wager_put_on_the_hand_that_it_may_not_choose() -> None:
    # mbs 3.23.2: the first hand. div15 15.3(d): either, before a card is dealt. ma 13(e): not the one in control.
    rows = a_round(TWO, "1:8S d:9H 1:8D", [*SPLIT, *SECOND_HAND], "d:8C")
    assert told(outcomes("assign_second_hand", MBS, rows)) == {("play.illegal-assign", "3.23.2", 0)}
    assert told(outcomes("assign_too_late", DIV15, rows)) == {("play.illegal-assign", "15.3(d)", 0)}
    assert told(outcomes("assign_own", MA, rows)) == {("play.illegal-assign", "13(e)", 0)}


def test_a_wager_for_which_nobody_named_a_hand() -> None:
    # ma 13(e), div15 15.3(d): no clause names a hand for it, so nothing is said of the money.
    split = [stake(1, 2000, ops.SPLIT, hand=2), *turn(1, "split")[:1], Row(ops.ASSIGN, 1, 2, 2)]
    rows = a_round(TWO, "1:8S d:9H 1:8D", [*split, *dealt("1:KC"), *turn(1, "stand"), *SECOND_HAND], "d:8C")
    for setup, clause in ((MA, "13(e)"), (DIV15, "15.3(d)")):
        assert told(outcomes("forget_to_assign", setup, rows)) == {("play.decision-missing", clause, 0)}


def test_an_absent_player() -> None:
    # mbs 5.22: drawn to above 11; div15 16.6: to 12, and nothing is prescribed.
    rows = a_round([stake(1, 2000)], "1:4S d:9H 1:5D", turn(1, "hit 2C", "hit 8C", "stand"), "d:8D")
    assert told(outcomes("play_for_absent", MBS, rows, AS_PRESCRIBED)) == {("play.absent-player", "5.22", 0)}
    assert told(outcomes("play_for_absent", DIV15, rows)) == {("play.absent-player", "16.6", 0)}
    low = told(outcomes("leave_absent_low", MBS, rows))
    assert low == {("play.absent-player", "5.22", 0), ("play.must-draw", "5.22", 0)}
    assert outcomes("play_for_absent", MD, rows) == set()
