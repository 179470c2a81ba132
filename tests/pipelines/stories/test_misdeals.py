"""Misdeals that nobody logged: named or listed, and no box is accused for them.

The rounds and what they should come to are those of ``tests/replay/inferred``, each with its clause; here the line that
tells of the misdeal is left out, as no device logged it.
"""

from typing import Final

import pytest

from tests.pipelines.stories.told_rounds import MOST_STORIES, ask
from tests.replay import inferred_rounds
from tests.rules.worked import Worked


def misdeal(worked: Worked) -> tuple[str, int | None]:
    """The code of a round's misdeal, and its box."""
    (expected,) = worked.findings
    return expected.code, None if expected.place == "-" else int(expected.place)


@pytest.mark.parametrize("worked", inferred_rounds.every_round(), ids=inferred_rounds.name)
def test_no_box_is_accused_for_a_misdeal(worked: Worked) -> None:
    said = ask(inferred_rounds.as_logged(worked))
    assert [finding for finding in said.findings if finding.code.startswith("settlement.")] == [], said
    assert {s.verdict for s in said.settlements} <= {"correct", "undetermined"}, said
    assert [s.variance_cents for s in said.settlements] == [0] * len(said.settlements)


@pytest.mark.parametrize("worked", inferred_rounds.every_round(), ids=inferred_rounds.name)
def test_a_misdeal_is_named_or_listed(worked: Worked) -> None:
    said = ask(inferred_rounds.as_logged(worked))
    code, seat = misdeal(worked)
    if said.is_ambiguous:
        assert said.lists(code, seat), said
        assert said.findings == [], said  # nothing else is certain
    else:
        (finding,) = said.findings
        (expected,) = worked.findings
        assert (finding.code, finding.seat, finding.inferred) == (code, seat, True), said
        assert finding.handling == (None if expected.handling == "-" else expected.handling)
        assert (finding.clause.number if finding.clause else "").startswith(expected.clause.removesuffix("-"))
        assert finding.certainty >= 0.99


@pytest.mark.parametrize("worked", inferred_rounds.every_round(), ids=inferred_rounds.name)
def test_stories_are_ranked_by_weights_that_sum_to_one(worked: Worked) -> None:
    said = ask(inferred_rounds.as_logged(worked))
    assert said.weighed is not None
    weights = [story.weight for story in said.weighed.stories]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(1)
    sentences = [sentence for _, sentence, _ in said.listed]
    assert all(sentence and sentence[0].isupper() for sentence in sentences)
    assert len(sentences) <= MOST_STORIES


def test_a_wager_that_the_stories_agree_on_stays_settled() -> None:
    """Two boxes' cards were exchanged, or two payments are wrong; box 3 has the same cards in both."""
    (worked,) = [each for each in inferred_rounds.every_round() if inferred_rounds.name(each) == _EXCHANGED]
    said = ask(inferred_rounds.as_logged(worked))
    assert said.is_ambiguous
    verdicts = {s.seat: s.verdict for s in said.settlements}
    assert verdicts == {1: "undetermined", 2: "undetermined", 3: "correct"}


_EXCHANGED: Final = "md-pontoon21: two boxes get each other's first card"


def test_a_card_too_many_to_a_box_that_never_hit() -> None:
    """Box 2 stands on 15 and is given 6C all the same: 21, paid (md 13.E: a card drawn in error)."""
    said = ask(
        """
        rulebook md-pontoon21
        decks 6
        round 1
        bet 1 20
        bet 2 10
        bet 3 30
        no more bets
        deal KS 5D 9H 8H 9C KH 8S 9D
        1 stand
        2 stand
        deal 6C
        3 stand
        push 3 main
        pay 2 10
        pay 1 20
        end
        """
    )
    assert said.names("deal.drawn-in-error", 2) or (said.is_ambiguous and said.lists("deal.drawn-in-error", 2)), said
