"""Misdeals and the dealer's own mistakes, planted and found: by the day, and in single rounds."""

import pytest

from replay import ops
from replay.simulator.plant import REGISTRY
from replay.simulator.plant.base import AS_PRESCRIBED, NONE, NOT_PRESCRIBED
from tests.generator import BOOKS, plain_setup
from tests.replay.plant import harness as H
from tests.replay.plant.told import a_round, outcomes, stake, told, turn

CODES = [code for code in sorted(REGISTRY) if code.startswith(("deal.", "dealer."))]
RULED = {AS_PRESCRIBED, NOT_PRESCRIBED}
EVERYWHERE = {
    *(("deal.dealer-missed-card", each) for each in RULED),
    *(("deal.player-no-cards", each) for each in RULED),
    *(("deal.player-one-card", each) for each in RULED),
    *(("deal.hit-not-dealt", each) for each in RULED),
    *(("deal.drawn-in-error", each) for each in RULED),
    *(("dealer.drew-on-standing-total", each) for each in RULED),
    *(("deal.count-mismatch", NONE), ("dealer.failed-to-draw", NONE), ("dealer.drew-without-effect", NONE)),
}
# Maryland and Massachusetts prescribe nothing for cards in the wrong box; their hole card may be seen, or read.
SILENT = {
    *(("deal.wrong-box", NONE), ("deal.unwagered-box", NONE)),
    *(("deal.hole-card-exposed", NONE), ("deal.drawn-in-error", NONE)),
}
RECONSTRUCTED = {
    *(("deal.wrong-box", each) for each in RULED),
    *(("deal.unwagered-box", each) for each in RULED),
    *(("deal.count-mismatch", each) for each in RULED),
}
PLANTED = {
    "md-pontoon21": EVERYWHERE | SILENT,
    "md-spanish21": EVERYWHERE | SILENT,
    "ma-pontoon21": EVERYWHERE | SILENT,
    "mbs-pontoon": EVERYWHERE | RECONSTRUCTED | {("deal.drawn-together", each) for each in RULED},
    "div15-pontoon": EVERYWHERE | RECONSTRUCTED,
}


@pytest.mark.parametrize("book", BOOKS)
def test_all_that_is_planted_is_found(book: str) -> None:
    days = [H.a_day(book, seed, 120) for seed in (0, 3)]
    if book == "ma-pontoon21":
        days.append(H.play(plain_setup(book, hole_card=True, card_reader=True), 0, 120))
    planted: set[tuple[str, int]] = set()
    for on in days:
        result, done = H.plant_all(CODES, on)
        H.assert_same(result, f"{book} seed {on.seed}")
        planted |= {(code, handling) for code, _, handling in done}
    assert planted == PLANTED[book]


MD, MA = plain_setup("md-pontoon21"), plain_setup("ma-pontoon21")
MBS, DIV15 = plain_setup("mbs-pontoon"), plain_setup("div15-pontoon")
BETS = [stake(1, 2000), stake(2, 1000)]
PLAY = [*turn(1, "hit 6C", "stand"), *turn(2, "hit 4D", "stand")]  # 18 and 19
HOLE = a_round(BETS, "1:7S 2:KS d:9H 1:5D 2:5C d:8C", PLAY)
NO_HOLE = a_round(BETS, "1:7S 2:KS d:9H 1:5D 2:5C", PLAY, "d:8C")


def clauses(act: str, handling: int = NONE) -> dict[str, set[str]]:
    """The clauses that a planter's findings cite in otherwise the same round, by rulebook."""
    cited = {}
    for setup, rows in ((MD, HOLE), (MA, NO_HOLE), (MBS, NO_HOLE), (DIV15, NO_HOLE)):
        found = {truth for truths in outcomes(act, setup, rows, handling) for truth in truths}
        assert all(truth.handling == (ops.HANDLINGS[handling] or None) for truth in found)
        cited[setup.table.book.id.partition("-")[0]] = {truth.clause for truth in found}
    return cited


@pytest.mark.parametrize("handling", [AS_PRESCRIBED, NOT_PRESCRIBED])
def test_a_box_or_the_dealer_passed_over(handling: int) -> None:
    early, one = {"md": {"13.M"}, "ma": {"15(h)"}}, {"md": {"13.N"}, "ma": {"15(h)/one-card"}}
    dealer = {"md": {"13.J"}, "ma": {"15(f)"}}
    div15 = {"div15": {"16.5"}}
    assert clauses("miss_own_card", handling) == dealer | {"mbs": {"5.11"}} | div15
    assert clauses("miss_own_card_long", handling)["mbs"] == {"5.12"}
    assert clauses("pass_over", handling) == early | {"mbs": {"5.13"}} | div15
    assert clauses("pass_over_long", handling) == early | {"mbs": {"5.14"}} | div15
    assert clauses("skip_card", handling) == one | {"mbs": {"5.13"}} | div15
    assert clauses("skip_second_card_long", handling)["mbs"] == {"5.16"}
    assert clauses("forget_hit", handling) == {"md": {"13.O"}, "ma": {"15(i)"}, "mbs": {"5.17"}} | div15


@pytest.mark.parametrize("handling", [AS_PRESCRIBED, NOT_PRESCRIBED])
def test_cards_drawn_in_error(handling: int) -> None:
    unasked = {"md": {"13.E", "13.F"}, "ma": {"15(c)", "15(d)"}, "mbs": {"5.8"}, "div15": {"16.2", "16.4"}}
    assert clauses("draw_unasked", handling) == unasked


def test_cards_in_the_wrong_place() -> None:
    nothing: dict[str, set[str]] = {"md": set(), "ma": set(), "mbs": set(), "div15": set()}
    wrong = {"mbs": {"5.6.1"}, "div15": {"16.5"}}
    assert clauses("deal_to_wrong_box", AS_PRESCRIBED) == nothing | wrong
    assert clauses("deal_to_wrong_box", NONE) == nothing | {"md": {"7.E"}, "ma": {"7(d)"}}
    assert clauses("void_for_wrong_box", AS_PRESCRIBED) == nothing | {"mbs": {"5.2"}}
    assert clauses("deal_to_empty_box", AS_PRESCRIBED) == nothing | wrong
    assert clauses("deal_to_empty_box", NONE) == nothing | {"md": {"7.E(1)"}, "ma": {"7(d)(1)"}}
    assert clauses("deal_to_empty_box_long", AS_PRESCRIBED)["mbs"] == {"5.15"}


def test_an_exposed_card_that_nobody_takes() -> None:
    # md 13.H: discarded where the dealer cannot use it. mbs 5.10, div15 16.4: the dealer's.
    stands = [*turn(1, "stand"), *turn(2, "stand")]
    hole = a_round(BETS, "1:KS 2:9S d:9H 1:9D 2:9C d:8C", stands)
    assert told(outcomes("refuse_card_all", MD, hole, AS_PRESCRIBED)) == {("deal.drawn-in-error", "13.H", 0)}
    rows = a_round(BETS, "1:KS 2:9S d:9H 1:9D 2:8C", stands, "d:9C")
    for setup, clause in ((MBS, "5.10"), (DIV15, "16.4/refused-by-all")):
        for handling in RULED:
            assert told(outcomes("refuse_card_all", setup, rows, handling)) == {("deal.drawn-in-error", clause, 0)}


def test_a_surplus_card_that_counts() -> None:
    # md 13.I, ma 15(e), mbs 5.7, div15 16.3: 17 stands, and 18 wins $20 against it.
    for setup, clause, initial, second in (
        (MD, "13.I", "1:KS d:9H 1:8D d:8C", ""),
        (MA, "15(e)", "1:KS d:9H 1:8D", "d:8C"),
        (MBS, "5.7", "1:KS d:9H 1:8D", "d:8C"),
        (DIV15, "16.3", "1:KS d:9H 1:8D", "d:8C"),
    ):
        rows = a_round([stake(1, 2000)], initial, turn(1, "stand"), second)
        counted = told(outcomes("count_surplus", setup, rows, NOT_PRESCRIBED))
        # With an ace it would tie, to a two, three or four lose; anything more is a bust and changes nothing.
        assert counted <= {("dealer.drew-on-standing-total", clause, cents) for cents in (-2000, -4000)}
        discarded = told(outcomes("discard_surplus", setup, rows, AS_PRESCRIBED))
        assert discarded == {("dealer.drew-on-standing-total", clause, 0)}


def test_a_dealer_who_stops_short_or_draws_for_nothing() -> None:
    rows = a_round([stake(1, 2000)], "1:KS d:9H 1:8D", turn(1, "stand"), "d:6C", "d:KD")
    bust = a_round([stake(1, 2000)], "1:KS d:9H 1:6D", turn(1, "hit KD"))
    for setup, short, nothing in ((MA, "12(b)", "12(c)"), (MBS, "3.33", "3.34"), (DIV15, "14.3", "14.4")):
        assert told(outcomes("stop_short", setup, rows)) == {("dealer.failed-to-draw", short, 0)}
        assert told(outcomes("draw_for_nothing", setup, bust)) == {("dealer.drew-without-effect", nothing, 0)}
