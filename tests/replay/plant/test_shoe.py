"""Shoes, their cards, the reader and void rounds, planted and found: by the day, and in single rounds."""

from collections import Counter

import numpy as np
import pytest

from replay import cards, ops
from replay.simulator import log as J
from replay.simulator.log import Row
from replay.simulator.plant import PLAYED, REGISTRY, Planter
from replay.simulator.plant.base import AS_PRESCRIBED, NONE, NOT_PRESCRIBED, UNREPORTED
from tests.generator import BOOKS, plain_setup
from tests.replay.plant import harness as H
from tests.replay.plant.told import a_round, outcomes, stake, told, turn
from tests.some import some

NOTHING, RULED, REPORTED = {NONE}, {AS_PRESCRIBED, NOT_PRESCRIBED}, {AS_PRESCRIBED, NOT_PRESCRIBED, UNREPORTED}
EVERYWHERE: dict[str, set[int]] = {
    "shoe.face-up": RULED,
    "shoe.insufficient-cards": RULED,
    **dict.fromkeys(("shoe.deck-count", "shoe.ended-mid-round"), NOTHING),
}
INSPECTED = dict.fromkeys(("shoe.not-inspected", "shoe.cut-shallow", "shoe.cut-card-depth"), NOTHING)
AMERICA: dict[str, set[int]] = {
    **EVERYWHERE,
    **INSPECTED,
    **dict.fromkeys(("shoe.ten-found", "shoe.tens-multiple", "shoe.face-up-multiple", "reader.misused"), REPORTED),
    **dict.fromkeys(("shoe.composition", "shoe.unshuffled", "shoe.burn-missed"), NOTHING),
    **dict.fromkeys(("shoe.cut-card-ignored", "shoe.cut-card-missing"), NOTHING),
    **dict.fromkeys(("reader.not-used", "reader.fault-play-continued", "reader.contradicts-cards"), NOTHING),
    "shoe.fault-play-continued": RULED,
    "round.void-required": {NOT_PRESCRIBED, UNREPORTED},
    "round.void-unjustified": {NONE, NOT_PRESCRIBED},
}
MARYLAND = AMERICA | {
    **dict.fromkeys(("shoe.decks-stale", "reader.not-inspected"), NOTHING),
    "shoe.decks-withdrawn-reused": {NOT_PRESCRIBED},
}
HANDLINGS: dict[str, dict[str, set[int]]] = {
    "md-pontoon21": MARYLAND,
    "md-spanish21": MARYLAND,
    "ma-pontoon21": AMERICA | {"shoe.decks-withdrawn-reused": NOTHING},
    "mbs-pontoon": {
        **EVERYWHERE,
        **dict.fromkeys(("shoe.ten-found", "shoe.tens-multiple", "shoe.composition", "shoe.unshuffled"), REPORTED),
        **dict.fromkeys(("shoe.burn-missed", "shoe.cut-card-ignored", "round.power-failure"), RULED),
        **dict.fromkeys(("shoe.decks-withdrawn-reused", "round.void-unjustified"), NOTHING),
        "round.void-required": {NOT_PRESCRIBED, UNREPORTED},
    },
    "div15-pontoon": {
        **EVERYWHERE,
        **INSPECTED,
        **dict.fromkeys(("shoe.ten-found", "shoe.tens-multiple", "shoe.composition", "shoe.unshuffled"), NOTHING),
        **dict.fromkeys(("shoe.burn-missed", "shoe.single-set", "shoe.decks-withdrawn-reused"), NOTHING),
        **dict.fromkeys(("shoe.cut-card-ignored", "shoe.cut-card-missing"), RULED),
        "round.void-unjustified": NOTHING,
    },
}
CODES = [code for code in sorted(REGISTRY) if code.startswith(("shoe.", "reader.", "round."))]
SEEDS = (0, 2, 3, 4)
READER = plain_setup("ma-pontoon21", hole_card=True, card_reader=True)


def days(book: str) -> list[H.Day]:
    found = [H.a_day(book, seed, 150) for seed in SEEDS]
    return [*found, H.play(READER, 1, 150)] if book == "ma-pontoon21" else found


@pytest.mark.parametrize("book", BOOKS)
def test_every_planter_gives_its_truth(book: str) -> None:
    planted: dict[str, set[int]] = {}
    on_days = days(book)
    for code, handlings in HANDLINGS[book].items():
        for planter in REGISTRY[code]:
            for handling in handlings & set(planter.handlings):
                result = next(filter(None, (H.plant(planter, on, handling) for on in on_days)), None)
                if result is not None:
                    H.assert_same(result, f"{planter.act.__name__} {ops.HANDLINGS[handling]}")
                    assert any(truth.code == code for truth in result.truth)
                    planted.setdefault(code, set()).add(handling)
    assert planted == HANDLINGS[book]


@pytest.mark.parametrize("book", BOOKS)
def test_nothing_else_can_be_planted(book: str) -> None:
    on = H.a_day(book, 0, 150)
    for code in CODES:
        others = {each for planter in REGISTRY[code] for each in planter.handlings} - HANDLINGS[book].get(code, set())
        for planter in some(REGISTRY[code]):
            for handling in others & set(planter.handlings):
                assert H.plant(planter, on, handling, range(1, 40)) is None, (planter, handling)


@pytest.mark.parametrize("book", BOOKS)
def test_many_in_one_day_do_not_disturb_each_other(book: str) -> None:
    result, done = H.plant_all(CODES, H.a_day(book, 2, 500))
    H.assert_same(result, book)
    assert len(done) > 12


def planter_of(act: str) -> Planter:
    return next(each for planters in REGISTRY.values() for each in planters if each.act.__name__ == act)


# Single rounds.

MD, MA = plain_setup("md-pontoon21"), plain_setup("ma-pontoon21")
MBS, DIV15 = plain_setup("mbs-pontoon"), plain_setup("div15-pontoon")


def a_win(hole: bool) -> list[Row]:
    """20 dollars on 19 against the dealer's 17."""
    initial = "1:KS d:9H 1:9D d:8C" if hole else "1:KS d:9H 1:9D"
    return a_round([stake(1, 2000)], initial, turn(1, "stand"), "" if hole else "d:8C")


def test_a_ten_and_who_is_told() -> None:
    # md 13.C, ma 15(b): removed, play goes on. To call the round off for one ten costs the player the 20 that were won.
    for setup, hole, clause in ((MD, True, "13.C"), (MA, False, "15(b)")):
        for handling in (AS_PRESCRIBED, UNREPORTED):
            assert told(outcomes("find_one_ten", setup, a_win(hole), handling)) == {("shoe.ten-found", clause, 0)}
        void = ("round.void-unjustified", "", -2000)
        assert told(outcomes("find_one_ten", setup, a_win(hole), NOT_PRESCRIBED)) == {
            ("shoe.ten-found", clause, 0),
            void,
        }
    # mbs 5.1, 5.1.1: the round is void; played on, it gave the player 20.
    ten = ("shoe.ten-found", "5.1", 0)
    assert told(outcomes("find_one_ten", MBS, a_win(False), AS_PRESCRIBED)) == {ten}
    for handling in (NOT_PRESCRIBED, UNREPORTED):
        required = ("round.void-required", "5.1.1", 2000)
        assert told(outcomes("find_one_ten", MBS, a_win(False), handling)) == {ten, required}
    # div15 16.5: no clause of its own, so the operator decides.
    assert told(outcomes("find_one_ten", DIV15, a_win(False), NONE)) == {("shoe.ten-found", "3.3(a)", 0)}


def test_several_cards_void_the_round() -> None:
    # md 13.D and 13.B, ma 15(b) and 15(a).
    for setup, hole, tens, ups in ((MD, True, "13.D", "13.B"), (MA, False, "15(b)/multiple", "15(a)/multiple")):
        found = told(outcomes("find_tens", setup, a_win(hole), UNREPORTED))
        assert {("shoe.tens-multiple", tens, 0), ("round.void-required", tens, 2000)} < found
        found = told(outcomes("find_face_up_cards", setup, a_win(hole), UNREPORTED))
        assert {("shoe.face-up-multiple", ups, 0), ("round.void-required", ups, 2000)} < found


def test_a_void_round_takes_back_what_was_paid() -> None:
    # mbs 3.29: the pontoon is paid at once; 5.1.1: the round is void all the same.
    bets = [stake(1, 2000), stake(2, 1000)]
    rows = a_round(bets, "1:AS 2:5S d:9H 1:KD 2:7D", [*turn(1), *turn(2, "hit 3C", "hit 5D")], "d:8C")
    paid = set()
    for seed in range(8):
        result = H.plant(planter_of("find_one_ten"), H.tell(MBS, rows, seed), AS_PRESCRIBED)
        assert result is not None
        lines = result.log.op == ops.SETTLE
        assert not result.log.aux[lines].any()
        paid.add(tuple(result.log.cents[lines].tolist()))
    assert paid == {(), (3000, -3000)}  # with the ten in the initial deal, nothing was paid yet


def test_a_reader_used_under_a_nine() -> None:
    # md 13.P(2): play goes on where nobody can see the card; 13.P(1): all hands are dead where somebody can.
    reveals = plain_setup("md-pontoon21", reader_reveals_hole_card=True)
    kept, dead = ("reader.misused", "13.P(2)", 0), ("reader.misused", "13.P(1)", 0)
    for handling in (AS_PRESCRIBED, UNREPORTED):
        assert told(outcomes("look_too_often", MD, a_win(True), handling)) == {kept}
    called = ("round.void-unjustified", "13.P(2)", -2000)
    assert told(outcomes("look_too_often", MD, a_win(True), NOT_PRESCRIBED)) == {kept, called}
    assert told(outcomes("look_too_often", reveals, a_win(True), AS_PRESCRIBED)) == {dead}
    required = ("round.void-required", "13.P(1)", 2000)
    assert told(outcomes("look_too_often", reveals, a_win(True), UNREPORTED)) == {dead, required}


def test_power_failures() -> None:
    # mbs 5.29.1 before, 5.29.2 after a wager has won or lost.
    bets = [stake(1, 2000), stake(2, 1000)]
    rows = a_round(bets, "1:KS 2:KD d:9H 1:6D 2:9C", [*turn(1, "hit KH"), *turn(2, "stand")], "d:8C")
    clauses = {clause for _, clause, _ in told(outcomes("power_fails", MBS, rows, AS_PRESCRIBED))}
    assert clauses == {"5.29.1", "5.29.2"}
    withdrawn = told(outcomes("power_fails_and_all_withdraw", MBS, rows, AS_PRESCRIBED))
    assert withdrawn == {("round.power-failure", "5.29.1", 0)}
    # Box 1 lost 20, box 2 won 10: void, the players are 10 better off.
    voided = told(outcomes("power_fails_and_voids", MBS, rows, NOT_PRESCRIBED))
    assert voided == {("round.power-failure", "5.29.2", 0), ("round.void-unjustified", "5.29.2", 1000)}


def test_a_round_called_off_after_it_was_played() -> None:
    for setup, hole, clause in ((MD, True, ""), (MA, False, ""), (MBS, False, ""), (DIV15, False, "16.5/later-hands")):
        found = told(outcomes("call_off_at_end", setup, a_win(hole)))
        assert found == {("round.void-unjustified", clause, -2000)}


# Shoes.


def planted(act: str, book: str, handling: int = NONE, seeds: tuple[int, ...] = SEEDS) -> tuple[H.Planted, H.Day]:
    for seed in seeds:
        on = H.a_day(book, seed, 150)
        result = H.plant(planter_of(act), on, handling)
        if result is not None:
            return result, on
    raise AssertionError(act)


def test_a_shoe_that_runs_out_held_the_decks_exactly() -> None:
    result, on = planted("run_out", "mbs-pontoon", AS_PRESCRIBED)
    shoe = result.truth[0].shoe
    drawn = Counter(result.log.card[(result.log.op == ops.DRAW) & (result.log.cents == shoe)].tolist())
    deck = [card for card in range(1, cards.CARD_CODES) if cards.RANK[card] != cards.TEN]
    assert drawn == dict.fromkeys(deck, on.setup.rules.decks)
    ended = np.flatnonzero((result.log.op == ops.SHOE_ENDED) & (result.log.cents == shoe))
    assert result.log.aux[ended].tolist() == [0]
    assert result.log.round[ended].tolist() == [result.truth[0].round]


def test_decks_grow_old_before_the_round_that_is_told_of() -> None:
    # md 3.C: 24 hours.
    result, _ = planted("keep_decks", "md-pontoon21")
    number = result.truth[0].round
    assert number is not None
    inspected = result.log.ms[result.log.op == ops.INSPECTION].min()
    closed = result.log.ms[result.log.op == ops.BETS_CLOSED]
    assert closed[number - 2] - inspected <= 24 * 3_600_000 < closed[number - 1] - inspected


@pytest.mark.parametrize(
    ("act", "book"), [("cut_card_too_deep", "md-pontoon21"), ("cut_card_too_early", "div15-pontoon")]
)
def test_the_cut_card_lies_wrong(act: str, book: str) -> None:
    # md 5.E(2): at least a quarter behind it; div15 7.6: at most half.
    result, on = planted(act, book)
    [truth] = result.truth
    log = result.log
    [drawn] = log.aux[(log.op == ops.CUT_CARD) & (log.cents == truth.shoe)].tolist()
    behind = (on.cards() - drawn) / on.cards()
    assert behind < 1 / 4 if act == "cut_card_too_deep" else behind > 1 / 2


def test_time_runs_on_and_shuffling_takes_its_time() -> None:
    for act, book in (("deal_on", "md-pontoon21"), ("change_in_round", "mbs-pontoon"), ("run_out", "ma-pontoon21")):
        result, _ = planted(act, book, AS_PRESCRIBED if act == "run_out" else NONE)
        log = result.log
        loaded = np.flatnonzero(log.op == ops.SHOE_LOADED)[1:]
        assert (np.diff(log.ms) >= J.LEAST_GAP_MS).all()
        assert (log.ms[loaded + 1] - log.ms[loaded - 2] > 15_000).all(), act


def test_what_is_planted_before_settling_is_settled_rightly() -> None:
    for act in ("skip_burn", "change_in_round", "see_no_blackjack"):
        planter = planter_of(act)
        assert planter.phase == PLAYED
        result = next(filter(None, (H.plant(planter, on, NONE) for on in days("md-pontoon21"))))
        assert not any(truth.code.startswith("settlement.") for truth in result.found)
