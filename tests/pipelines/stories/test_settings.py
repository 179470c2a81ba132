"""``[audit]`` in floor.toml: how sure a finding has to be, and how likely what a story supposes is."""

from typing import Any, Final

import pytest

from replay import floor
from replay.floor import FloorError
from tests.pipelines.stories.told_rounds import Said, ask
from tests.replay import inferred_rounds

_TITLE: Final = "md-pontoon21: a box is skipped for its second card and gets it after the last box"
(_SKIPPED,) = (
    inferred_rounds.as_logged(each) for each in inferred_rounds.every_round() if inferred_rounds.name(each) == _TITLE
)
_RIGHT: Final = (
    "rulebook md-pontoon21\ndecks 6\nround 1\nbet 1 20\nbet 2 10\nbet 3 30\nno more bets\n"
    "deal KS 5D 9H 8H 9C KH 8S 9D\n1 stand\n2 hit 6C\n3 stand\npush 3 main\npay 2 10\npay 1 20\nend\n"
)


def test_a_lower_certainty_says_more() -> None:
    """The likeliest story has nine tenths of the weight: too little for 0.99, enough for 0.8."""
    usual, bold = (ask(_SKIPPED, audit={"certainty": each}) for each in (0.99, 0.8))
    assert usual.is_ambiguous and usual.findings == []
    assert not bold.is_ambiguous
    (finding,) = bold.findings
    assert (finding.code, finding.seat) == ("deal.player-one-card", 2)
    assert 0.8 <= finding.certainty < 0.99


def test_a_certainty_of_one_says_only_what_every_story_agrees_on() -> None:
    for each in inferred_rounds.every_round():
        said = ask(inferred_rounds.as_logged(each), audit={"certainty": 1.0})
        assert all(finding.certainty >= 1.0 - 1e-9 for finding in said.findings), said


def test_a_price_changes_which_story_is_likely() -> None:
    """A property at which exchanges are unheard of, and boxes are often skipped."""
    prices = {"deal.wrong-box": 1e-9, "deal.player-one-card": 1e-3}
    said = ask(_SKIPPED, audit={"prices": prices})
    assert said.names("deal.player-one-card", 2), said
    assert not said.is_ambiguous


def test_where_misdeals_are_unheard_of_the_payments_are_wrong() -> None:
    said = ask(_SKIPPED, audit={"prices": {"deal": 1e-15, "deal.wrong-box": 1e-15}})
    assert all(code.startswith(("settlement.", "play.", "dealer.")) for code, _ in _codes(said)), said
    assert said.money_findings


def _codes(said: Said) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.seat) for finding in said.findings]


def test_a_price_of_a_code_goes_before_that_of_its_first_part() -> None:
    both = {"deal": 1e-15, "deal.player-one-card": 1e-3}
    assert ask(_SKIPPED, audit={"prices": both}).names("deal.player-one-card", 2)


@pytest.mark.parametrize(
    ("audit", "message"),
    [
        ({"certainty": 0}, "audit: certainty is 0, expected a number above 0.5 and at most 1"),
        ({"certainty": 0.5}, "audit: certainty is 0.5, expected a number above 0.5 and at most 1"),
        ({"certainty": 1.01}, "audit: certainty is 1.01, expected a number above 0.5 and at most 1"),
        ({"certainty": "high"}, "audit: certainty is 'high', expected a number above 0.5 and at most 1"),
        ({"certainty": True}, "audit: certainty is True, expected a number above 0.5 and at most 1"),
        ({"certainty": float("nan")}, "audit: certainty is nan, expected a number above 0.5 and at most 1"),
        ({"prices": {"deal": 0}}, "audit: deal is 0, expected a number above 0 and at most 1"),
        ({"prices": {"deal": -1}}, "audit: deal is -1, expected a number above 0 and at most 1"),
        ({"prices": {"deal": "rare"}}, "audit: deal is 'rare', expected a number above 0 and at most 1"),
        ({"prices": 3}, "audit: expected one [audit], with chances by finding code in [audit.prices]"),
        ([], "audit: expected one [audit], with chances by finding code in [audit.prices]"),
    ],
)
def test_bad_settings_are_one_clear_error(audit: Any, message: str) -> None:
    table = {"id": "T1", "rulebook": "md-pontoon21", "decks": 6, "boxes": 7, "min_cents": 500, "max_cents": 100_000}
    with pytest.raises(FloorError) as error:
        floor.parse({"table": [table], "audit": audit})
    assert str(error.value) == message


def test_a_price_of_no_known_code_is_an_error() -> None:
    table = {"id": "T1", "rulebook": "md-pontoon21", "decks": 6, "boxes": 7, "min_cents": 500, "max_cents": 100_000}
    with pytest.raises(FloorError, match=r"deal\.wrongbox"):
        floor.parse({"table": [table], "audit": {"prices": {"deal.wrongbox": 0.1}}})


def test_a_round_without_doubt_has_no_use_for_settings() -> None:
    for audit in ({"certainty": 0.6}, {"certainty": 1.0}, {"prices": {"deal": 0.5}}):
        assert ask(_RIGHT, audit=audit).findings == []
