"""The rulebooks as data: complete, connected, in our words; and what floor.toml may make of them."""

import tomllib
from copy import deepcopy
from importlib import resources
from typing import Any

import pytest

from replay import floor, library, rulebook_file
from replay.compile_rules import compile_rules
from replay.rulebook_file import Clause, Rulebook, RulebookError
from tests.books import IDS
from tests.some import some

CLAUSES = {"md-pontoon21": 334, "md-spanish21": 331, "ma-pontoon21": 194, "mbs-pontoon": 192, "div15-pontoon": 182}
LINE = 120
TABLE = {"id": "T1", "decks": 6, "boxes": 7, "min_cents": 500, "max_cents": 100_000}

# The readings of RULES.md with their permitted values.
READINGS = {
    "blackjack_pays": {"always", "against-21"},
    "split_two_card_21": {"push", "win", "win-3-2"},
    "dealer_blackjack_after_split": {"busted-plus-one", "original", "all"},
    "bust_before_dealer_blackjack": {"lost", "original-only"},
    "undoubled_bettor_odds": {"bonus", "even"},
    "share_per": {"wager", "player"},
    "super_bonus_steps": {"up-to-next", "literal"},
    "dealer_stopped_short": {"as-dealt", "complete"},
    "late_wager": {"refused", "honoured"},
    "more_than_one_within": {"round", "shoe"},
    "excess_wager": {"to-limit", "whole"},
    "surrender_binds": {"box", "bettor"},
}


@pytest.fixture(params=IDS)
def book(request: pytest.FixtureRequest) -> Rulebook:
    return library.load(request.param)


def raw(name: str) -> dict[str, Any]:
    """The TOML of a rulebook, to be changed at will."""
    return deepcopy(tomllib.loads(resources.files("replay.rulebooks").joinpath(f"{name}.toml").read_text("utf-8")))


def planned(**changes: Any) -> floor.Table:
    """A table of floor.toml."""
    return floor.parse({"table": [{**TABLE, "rulebook": "md-pontoon21", **changes}]}).tables[0]


def test_every_clause_of_the_document_is_there(book: Rulebook) -> None:
    assert len(book.clauses) == CLAUSES[book.id]


@pytest.mark.parametrize(
    ("name", "clause", "does"),
    [
        ("md-pontoon21", "12.B(3)", "settles"),
        ("md-pontoon21", "12.D(3)(j)/2", "settles"),
        ("md-pontoon21", "13.S", "unobservable"),
        ("md-spanish21", "12.E(6)(a)(viii)", "settles"),
        ("md-spanish21", "2.B(7)(b)", "checks"),
        ("ma-pontoon21", "5(f)(4)/spades", "settles"),
        ("ma-pontoon21", "15(m)", "rules"),
        ("mbs-pontoon", "4.1.1.4", "settles"),
        ("mbs-pontoon", "Appendix A", "configures"),
        ("div15-pontoon", "13.8", "settles"),
        ("div15-pontoon", "16.12", "rules"),
    ],
)
def test_clause_is_known(name: str, clause: str, does: str) -> None:
    assert library.load(name).find(clause).does == does


def test_what_settles_or_checks_says_how(book: Rulebook) -> None:
    silent = [c.id for c in book.clauses if c.does in ("settles", "checks") and not (c.sets or c.cites or c.via)]
    assert silent == []


def test_via_leads_to_a_clause_with_content_of_its_own(book: Rulebook) -> None:
    assert [clause.id for clause in book.clauses if clause.via and not _arrives(book, clause, set())] == []


def _arrives(book: Rulebook, clause: Clause, seen: set[str]) -> bool:
    """Return whether every path from a clause ends at a clause that sets or cites something, without circles."""
    if clause.sets or clause.cites:
        return True
    if clause.id in seen or not clause.via:
        return False
    return all(_arrives(book, book.find(other), seen | {clause.id}) for other in clause.via)


def test_texts_are_short(book: Rulebook) -> None:
    assert [clause.id for clause in book.clauses if len(clause.says) > LINE or "\n" in clause.says] == []


def test_what_cannot_be_observed_says_why(book: Rulebook) -> None:
    assert [clause.id for clause in book.clauses if clause.does == "unobservable" and not clause.why] == []


def test_readings_are_those_of_the_table(book: Rulebook) -> None:
    for reading in some(book.readings.values()):
        assert set(reading.permitted) <= READINGS[reading.name], reading.name
        assert reading.default in reading.permitted
        assert book.find(reading.clause).id == reading.clause
        assert reading.why


def test_every_reading_stands_in_some_rulebook() -> None:
    assert {name for book in IDS for name in library.load(book).readings} == set(READINGS)


@pytest.mark.parametrize(
    ("book", "reading", "default"),
    [
        ("md-pontoon21", "split_two_card_21", "push"),
        ("ma-pontoon21", "split_two_card_21", "win"),
        ("md-spanish21", "share_per", "player"),
        ("ma-pontoon21", "undoubled_bettor_odds", "bonus"),
        ("mbs-pontoon", "dealer_blackjack_after_split", "all"),
        ("div15-pontoon", "dealer_blackjack_after_split", "busted-plus-one"),
        ("div15-pontoon", "super_bonus_steps", "up-to-next"),
        ("ma-pontoon21", "surrender_binds", "box"),
        ("ma-pontoon21", "bust_before_dealer_blackjack", "lost"),
    ],
)
def test_reading_by_default(book: str, reading: str, default: str) -> None:
    assert library.load(book).readings[reading].default == default


def test_defaults_compile(book: Rulebook) -> None:
    table = planned(rulebook=book.id)
    assert table.not_permitted == ()
    assert compile_rules(table).decks == 6


@pytest.mark.parametrize(
    ("name", "options", "clause"),
    [
        ("md-pontoon21", {"hole_card": False}, "7.E(4)"),
        ("md-pontoon21", {"card_reader": False}, "2.E"),
        ("md-pontoon21", {"bettors_per_box": 2}, "2.B(2)"),
        ("md-pontoon21", {"burn_first_card": False}, "7.B(3)"),
        ("md-pontoon21", {"max_hands_per_box": 1}, "11.D"),
        ("md-pontoon21", {"bonus_spin": "E"}, "6.G(2)"),
        ("md-pontoon21", {"settle_order": "free"}, "7.R"),
        ("md-spanish21", {"bsx16": "yes"}, "6.G(3)"),
        ("ma-pontoon21", {"settle_order": "right-to-left"}, "5(e)"),
        ("ma-pontoon21", {"max_hands_per_box": 3}, "10(c)"),
        ("ma-pontoon21", {"bettors_per_box": 4}, "13(a)"),
        ("ma-pontoon21", {"match_min_cents": 100}, "6(b)"),
        ("mbs-pontoon", {"hole_card": True}, "3.18"),
        ("mbs-pontoon", {"bettors_per_box": 4}, "3.10"),
        ("div15-pontoon", {"hole_card": True}, "8.5"),
        ("div15-pontoon", {"bettors_per_box": 4}, "15.1"),
    ],
)
def test_option_that_is_not_permitted(name: str, options: dict[str, Any], clause: str) -> None:
    problems = planned(rulebook=name, options=options).not_permitted
    assert [(problem.setting, problem.clause) for problem in problems] == [(f"options.{next(iter(options))}", clause)]


def test_option_that_is_not_permitted_is_not_followed() -> None:
    table = planned(options={"bettors_per_box": 2, "settle_order": "free"})
    assert table.options["bettors_per_box"] == 1
    assert table.options["settle_order"] == "collect-then-pay"


@pytest.mark.parametrize(
    ("name", "changes", "clause"),
    [
        ("md-pontoon21", {"decks": 7}, "3.A"),
        ("md-pontoon21", {"boxes": 9}, "2.A"),
        ("md-spanish21", {"boxes": 8}, "2.A"),
        ("ma-pontoon21", {"decks": 4}, "2(a)"),
        ("mbs-pontoon", {"decks": 3}, "2.1"),
        ("mbs-pontoon", {"decks": 9}, "2.1"),
        ("mbs-pontoon", {"boxes": 4}, "Appendix A"),
        ("mbs-pontoon", {"boxes": 9}, "Appendix A"),
        ("div15-pontoon", {"decks": 3}, "3.3(a)"),
        ("div15-pontoon", {"boxes": 8}, "3.1"),
    ],
)
def test_table_that_is_not_permitted(name: str, changes: dict[str, Any], clause: str) -> None:
    (problem,) = planned(rulebook=name, **changes).not_permitted
    assert problem.clause == clause


@pytest.mark.parametrize("decks", [4, 5, 6, 7, 8])
@pytest.mark.parametrize("name", ["mbs-pontoon", "div15-pontoon"])
def test_four_to_eight_decks_are_permitted(name: str, decks: int) -> None:
    assert planned(rulebook=name, decks=decks).not_permitted == ()


def test_reading_that_is_not_permitted() -> None:
    table = planned(rulebook="mbs-pontoon", readings={"split_two_card_21": "push", "blackjack_pays": "x"})
    first, *others = table.not_permitted
    assert (first.setting, first.clause) == ("readings.split_two_card_21", "3.20.1")
    assert [each.setting for each in others] == ["readings.blackjack_pays"]
    assert table.readings["split_two_card_21"] == "win"


def test_unknown_rulebook() -> None:
    with pytest.raises(RulebookError, match=r"'md-blackjack', expected one of md-pontoon21, "):
        library.load("md-blackjack")
    with pytest.raises(floor.FloorError, match=r"table T1: rulebook is 'md-blackjack', expected one of"):
        planned(rulebook="md-blackjack")


def test_unknown_clause() -> None:
    with pytest.raises(RulebookError, match=r"md-pontoon21 has no clause 99\.Z"):
        library.load("md-pontoon21").find("99.Z")


@pytest.mark.parametrize(
    ("clause", "change", "message"),
    [
        ("7.M", {"does": "guesses"}, "7.M: does is 'guesses', expected 'settles' or"),
        ("7.M", {"sets": {}, "cites": []}, "7.M: checks nothing; give it sets, cites or via"),
        ("7.M", {"cites": ["dealer.sneezed"]}, "7.M: cites 'dealer.sneezed', which is no situation and no code"),
        ("7.N", {"via": ["7.Z"]}, "7.N: via '7.Z', which is no clause"),
        ("7.S", {"why": ""}, "7.S: why is '', expected text"),
        ("7.N", {"cites": ["dealer.failed-to-draw"]}, "7.N: dealer.failed-to-draw is cited a second time"),
        ("7.N", {"sets": {"dealer_stands_on": 18}}, "7.N: dealer_stands_on is set a second time"),
    ],
)
def test_rulebook_that_contradicts_itself(clause: str, change: dict[str, Any], message: str) -> None:
    data = raw("md-pontoon21")
    data["clauses"][clause].update(change)
    with pytest.raises(RulebookError) as caught:
        rulebook_file.parse(data)
    assert message in str(caught.value)


def test_reading_without_a_clause() -> None:
    data = raw("md-pontoon21")
    data["readings"]["late_wager"]["clause"] = "6.Z"
    with pytest.raises(RulebookError, match=r"reading late_wager: clause is '6\.Z', which is no clause here"):
        rulebook_file.parse(data)


def test_word_that_means_nothing() -> None:
    data = raw("md-pontoon21")
    data["clauses"]["7.M"]["sets"]["dealer_soft_17"] = "hesitates"
    with pytest.raises(
        RulebookError, match=r"clause 7\.M: dealer_soft_17 is 'hesitates', expected 'stands' or 'draws'"
    ):
        rulebook_file.parse(data)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decks": "six"}, "table T1: decks is 'six', expected a number"),
        ({"boxes": True}, "table T1: boxes is True, expected a number"),
        ({"from": "2026-01-01"}, "table T1: from is '2026-01-01', expected a date"),
        (
            {"options": {"bonus_spin": "B"}, "progressive": {"bonus-spin": {"meter": "spin"}}},
            "table T1: progressive.bonus-spin.meter is 'spin', expected the id of a",
        ),
    ],
)
def test_floor_with_an_invalid_value(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(floor.FloorError) as caught:
        planned(**changes)
    assert message in str(caught.value)


def test_odds() -> None:
    assert rulebook_file.odds("3:2") * 2 == 3
