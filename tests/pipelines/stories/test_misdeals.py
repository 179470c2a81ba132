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
    said = ask(inferred_rounds.as_logged(worked), audit={"prices": {"settlement": 3e-3}})
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


def test_what_players_usually_decide_tells_that_cards_were_misdealt() -> None:
    """As logged, box 1 stands on 13 and box 2 hits 19, which hardly anybody does; two payments alone leave it open."""
    said = ask(
        """
        rulebook md-pontoon21
        decks 6
        round 1
        bet 1 20
        bet 2 10
        no more bets
        deal KS QH 8H 3C 9C 9D
        1 stand
        2 hit 7C
        2 stand
        pay 2 10
        pay 1 20
        end
        """
    )
    assert {s.verdict for s in said.settlements} == {"correct"}
    assert said.listed and all(supposed for supposed, _, weight in said.listed if weight > 0.001), said


def test_misdeals_that_put_every_card_in_the_same_place_are_told_as_one() -> None:
    """Box 2's second card comes last: it was skipped, or its card and that of box 3 were exchanged."""
    (worked,) = [each for each in inferred_rounds.every_round() if inferred_rounds.name(each) == _SKIPPED]
    said = ask(inferred_rounds.as_logged(worked))
    told = [sentence for _, sentence, _ in said.listed if "Box 2 was skipped for its second card" in sentence]
    assert len(told) == 1, said
    assert "or the second cards of box 2 and box 3 were exchanged" in told[0]
    assert [sentence for _, sentence, _ in said.listed if sentence.startswith("The second cards of box 2 and")] == []


_SKIPPED: Final = "md-pontoon21: a box is skipped for its second card and gets it after the last box"


def test_a_card_too_many_that_changes_no_payment_is_certain_wherever_it_went() -> None:
    """Box 2 stands on 15 and 3C comes: to the discards, or to box 2, which loses to the dealer's 19 with 18 as well."""
    said = ask(
        """
        rulebook md-pontoon21
        decks 6
        round 1
        bet 1 20
        bet 2 10
        no more bets
        deal KS 9H 8H 9C 4D 4S
        1 stand
        2 hit 2C
        2 stand
        deal 3C
        dealer 7D
        take 2 10
        push 1 main
        end
        """
    )
    assert said.names("deal.drawn-in-error", None), said  # of no box
    assert {s.verdict for s in said.settlements} == {"correct"}
    (told, *_) = [sentence for _, sentence, _ in said.listed]
    assert "put into the discards" in told and "dealt to box 2" in told


def test_a_card_drawn_on_a_standing_total_may_as_well_have_gone_to_the_discards() -> None:
    """The dealer has 8H 9D, 17, when 2S comes; all are paid by 17 (md 13.E: a card drawn in error)."""
    said = ask(
        """
        rulebook md-pontoon21
        decks 6
        round 1
        bet 1 20
        bet 2 10
        no more bets
        deal KS 9H 8H 9C 4D 9D
        1 stand
        2 hit 7C
        2 stand
        dealer 2S
        pay 2 10
        pay 1 20
        end
        """
    )
    assert said.weighed is not None
    (finding,), story = said.findings, said.weighed.stories[0]
    assert finding.code == "dealer.drew-on-standing-total", said
    assert "drawn in error and put into the discards" in finding.message, finding
    assert story.candidate.supposed == () and story.also, said
