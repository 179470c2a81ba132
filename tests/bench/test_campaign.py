"""The campaign matches findings with the truth: known rows go in, known verdicts come out."""

from pathlib import Path

import polars as pl
import pytest

from tests.bench import campaign
from tests.bench.campaign_compare import _Table, compare_zone
from tests.bench.campaign_match import Finding, Story, Supposed, compare, is_aside, is_true, is_true_story
from tests.bench.campaign_planted import matched_rows
from tests.bench.campaign_truth import CLEAN, Expected, Happened, Misdeal, Truth, read
from tests.bench.campaign_zones import ZoneOrder, audit, jobs, write_zone

ONE_CARD = "deal.player-one-card"
IN_ERROR = "deal.drawn-in-error"
MISDEALT = Happened("first-card", misdeal=Misdeal(frozenset({ONE_CARD}), frozenset({3})))
OVERPAID = Happened("overpaid", irregular=(Expected(frozenset({"settlement.overpaid"}), frozenset({2})),))
DISCARDED = Happened("discarded", misdeal=Misdeal(frozenset({IN_ERROR}), cards=frozenset({7})))
TOO_MANY = Happened("extra-card", misdeal=Misdeal(frozenset({IN_ERROR}), frozenset({4}), frozenset({9, 12})))
TRUTH = Truth(
    {"misdealt": MISDEALT, "overpaid": OVERPAID, "discarded": DISCARDED, "too-many": TOO_MANY},
    {"shoe-1": (Expected(frozenset({"shoe.composition"})),)},
    frozenset({"T2"}),
    pl.DataFrame(),
    pl.DataFrame(),
)


def found(
    round_id: str | None, code: str, seat: int | None = None, table: str = "T1", shoe: str | None = None
) -> Finding:
    return Finding(table, round_id, shoe, None, code, seat)


def skipped(seat: int) -> Supposed:
    return Supposed(ONE_CARD, frozenset({seat}))


@pytest.mark.parametrize(
    ("finding", "true"),
    [
        (found("overpaid", "settlement.overpaid", 2), True),
        (found("overpaid", "settlement.overpaid", 3), False),
        (found("overpaid", "settlement.underpaid", 2), False),
        (found("other", "settlement.overpaid", 2), False),
        (found("misdealt", ONE_CARD, 3), True),
        (found("misdealt", ONE_CARD, 4), False),
        (found("misdealt", "deal.player-no-cards", 3), False),
        (found(None, "shoe.composition", shoe="shoe-1"), True),
        (found(None, "shoe.composition", shoe="shoe-2"), False),
        (found(None, "shoe.burn-missed", shoe="shoe-1"), False),
    ],
)
def test_finding_is_true_at_its_round_code_and_box(finding: Finding, true: bool) -> None:
    assert is_true(TRUTH, finding) is true


def test_evidence_that_is_irregular_by_design_is_set_aside() -> None:
    assert is_aside(TRUTH, found(None, "evidence.clock-skew"))
    assert is_aside(TRUTH, found("other", "evidence.backdated", table="T2"))
    assert not is_aside(TRUTH, found("other", "evidence.backdated", table="T1"))
    assert not is_aside(TRUTH, found("other", "evidence.duplicate"))
    assert not is_aside(TRUTH, found("other", "settlement.overpaid", 1))


def test_clean_round() -> None:
    nothing = compare(TRUTH, Happened(), [found("other", "evidence.clock-skew")], [])
    assert nothing.called_clean and not nothing.accused and not nothing.named and not nothing.listed
    accused = compare(TRUTH, Happened(), [found("other", "settlement.overpaid", 1)], [])
    assert accused.accused and accused.against_others and not accused.called_clean
    ambiguous = compare(TRUTH, Happened(), [found("other", "evidence.ambiguous")], [Story(1, 1.0)])
    assert ambiguous.ambiguous and not ambiguous.accused and not ambiguous.called_clean and not ambiguous.listed


def test_misdeal_named_listed_or_missed() -> None:
    named = compare(TRUTH, MISDEALT, [found("misdealt", ONE_CARD, 3)], [])
    assert named.named and named.listed and not named.accused
    told = [Story(1, 0.6, told=(skipped(4),)), Story(2, 0.4, told=(skipped(3),))]
    listed = compare(TRUTH, MISDEALT, [found("misdealt", "evidence.ambiguous")], told)
    assert listed.listed and listed.ambiguous and not listed.named and not listed.accused
    missed = compare(TRUTH, MISDEALT, [found("misdealt", "settlement.missing", 5)], told[:1])
    assert missed.against_others and missed.accused and not missed.listed
    itself = compare(TRUTH, MISDEALT, [found("misdealt", "settlement.missing", 3)], [])
    assert itself.against_box and itself.accused and not itself.against_others


def test_misdeals_that_nobody_can_tell_apart_are_told_as_one() -> None:
    """Box 3 was skipped for its second card, or that was exchanged with box 4's: the finding says both."""
    exchanged = Supposed("deal.wrong-box", frozenset({3}))
    story = Story(1, 1.0, (ONE_CARD,), told=(skipped(3), exchanged))
    for code in (ONE_CARD, "deal.wrong-box"):
        happened = Happened("misdealt", misdeal=Misdeal(frozenset({code}), frozenset({3})))
        truth = TRUTH._replace(rounds={"misdealt": happened})
        said = compare(truth, happened, [found("misdealt", ONE_CARD, 3)], [story])
        assert said.named and not said.alone and not said.accused
        assert is_true_story(happened, story)
    other = Happened("misdealt", misdeal=Misdeal(frozenset({"deal.player-no-cards"}), frozenset({3})))
    said = compare(TRUTH._replace(rounds={"misdealt": other}), other, [found("misdealt", ONE_CARD, 3)], [story])
    assert said.accused and not said.named and not said.listed


def test_card_too_many_is_known_by_where_it_went() -> None:
    discarded = Story(1, 1.0, told=(Supposed(IN_ERROR, cards=frozenset({8}), discards=True),))
    kept = Story(1, 1.0, told=(Supposed(IN_ERROR, cards=frozenset({9})),))
    elsewhere = Story(1, 1.0, told=(Supposed(IN_ERROR, cards=frozenset({10})),))
    assert is_true(TRUTH, found("discarded", IN_ERROR), [discarded])
    assert not is_true(TRUTH, found("discarded", IN_ERROR), [kept])
    assert is_true(TRUTH, found("too-many", IN_ERROR), [kept])
    assert not is_true(TRUTH, found("too-many", IN_ERROR), [discarded])
    assert not is_true(TRUTH, found("too-many", IN_ERROR), [elsewhere])


def test_story_is_true_with_its_misdeal_and_the_true_findings() -> None:
    assert is_true_story(Happened(), Story(1, 1.0))
    assert not is_true_story(Happened(), Story(1, 1.0, ("settlement.overpaid",)))
    assert not is_true_story(Happened(), Story(1, 1.0, (ONE_CARD,), told=(skipped(3),)))
    assert is_true_story(OVERPAID, Story(1, 1.0, ("settlement.overpaid",)))
    assert not is_true_story(OVERPAID, Story(1, 1.0))
    assert is_true_story(MISDEALT, Story(1, 1.0, (ONE_CARD,), told=(skipped(3),)))
    assert not is_true_story(MISDEALT, Story(1, 1.0, (ONE_CARD, "settlement.missing"), told=(skipped(3),)))


def test_planted_rows_are_matched_in_all_columns() -> None:
    columns = ["round_id", "code", "seat"]
    truth = pl.DataFrame([("1", "a", 1), ("1", "a", 2), ("2", "b", 1)], schema=columns, orient="row")
    rows = pl.DataFrame([("1", "a", 1), ("1", "a", 3), ("2", "b", 1)], schema=columns, orient="row")
    assert matched_rows(truth, rows).drop("rounds").rows() == [("a", 2, 1, 1, 1), ("b", 1, 1, 0, 0)]


def test_truth_of_adversary(tmp_path: Path) -> None:
    options = ("--misdeals=0.3", "--irregular=0.2", "--outage=10:1", "--clocks=step")
    write_zone(ZoneOrder("adversary", 60, 3, options), tmp_path / "zone")
    truth = read("adversary", tmp_path / "zone")
    kinds = {happened.kind for happened in truth.rounds.values()}
    assert {"no-first-card", "exchanged", "overpaid", "late-wager", CLEAN} <= kinds  # clean ones are blind
    for happened in truth.rounds.values():
        assert happened.misdeal or happened.irregular or happened.blind
        if happened.kind == "exchanged":
            assert len(happened.seats) == 2
        if happened.kind in ("extra-discarded", "extra-to-box"):
            assert happened.misdeal and happened.misdeal.cards
    assert any(happened.blind for happened in truth.rounds.values())


def test_truth_of_simulator(tmp_path: Path) -> None:
    options = ("--misdeals=unlogged:0.3", "--irregularities=0.2", "--outage=shoe:5:1", "--clocks=step")
    write_zone(ZoneOrder("simulator", 60, 3, options), tmp_path / "zone")
    truth = read("simulator", tmp_path / "zone")
    misdealt = [happened for happened in truth.rounds.values() if happened.misdeal]
    assert len(misdealt) > 20
    assert {"first-card", "exchanged", "no-cards"} <= {happened.kind for happened in misdealt}
    assert all(each.misdeal and each.misdeal.cards for each in misdealt if each.kind in ("discarded", "extra-card"))
    assert any(happened.kind == "irregular" and happened.irregular for happened in truth.rounds.values())
    assert any(happened.blind for happened in truth.rounds.values())


@pytest.mark.parametrize("generator", ["adversary", "simulator"])
def test_audit_of_a_clean_zone_agrees_with_the_truth(tmp_path: Path, generator: str) -> None:
    order = ZoneOrder(generator, 30, 3, ("--clocks=offset",))
    compared = compare_zone(order)
    sums = compared.rounds.select(pl.col(pl.Int64).sum()).row(0, named=True)
    assert sums["rounds"] == sums["called_clean"] == 150
    assert sums["cards"] > 1000 and sums["wrong_cards"] == sums["accused"] == 0
    assert (compared.clocks["beyond_ms"] <= 0).all()
    assert compared.examples.is_empty()


def test_comparison_notices_wrong_cards_and_wrong_clocks(tmp_path: Path) -> None:
    order = ZoneOrder("adversary", 30, 3, ("--clocks=offset",))
    write_zone(order, tmp_path / "zone")
    truth = read("adversary", tmp_path / "zone")
    audited = audit(next(jobs(tmp_path / "zone", tmp_path / "lake" / "raw")))
    moved = truth.cards.with_columns(zone=pl.when(pl.col("zone") == "dealer").then(pl.lit("discard")).otherwise("zone"))
    late = truth.clocks.with_columns(pl.col("offset_ms") + pl.when(pl.col("source") == "shoe").then(5000).otherwise(0))
    compared = _Table(order, truth._replace(cards=moved, clocks=late), audited).compared()
    assert compared.rounds["wrong_cards"].sum() >= 30
    assert (compared.clocks["beyond_ms"] > 0).all()
    assert not compared.examples.is_empty()


def test_every_part_has_both_generators_and_all_its_kinds_of_zones() -> None:
    for part in campaign.PARTS:
        orders = campaign.orders(part, 1_000, seed=5)
        assert len({order.seed for order in orders}) == len(orders)
        if part not in ("planted", "usual"):
            assert {order.generator for order in orders} == {"simulator", "adversary"}
    assert len(campaign.orders("clean", 1_000_000, seed=5)) * 5 * 300 >= 999_000
