"""Lines of two devices nearer than the clocks are sure: whichever order accuses nobody is possible."""

from typing import Final

import pytest

from pipelines.stories import sentences
from tests.pipelines.stories.told_rounds import ask

# md 7.G: an ace up, insurance is placed before the reader is used; 8.C: a losing insurance wager is taken at once.
_HEADER: Final = "rulebook md-pontoon21\ndecks 6\nround 1\nbet 1 20\nbet 2 10\nno more bets\ndeal KS 9H AH 9C 8D 9D\n"
_PLAY: Final = "take 1 insurance 10\n1 stand\n2 stand\ntake 2 10\ntake 1 20\nend\n"
INSURED: Final = f"{_HEADER}bet 1 insurance 10\ncheck no-blackjack\n{_PLAY}"
INSURED_LATE: Final = f"{_HEADER}check no-blackjack\nbet 1 insurance 10\n{_PLAY}"
# Stamps of the reader that come before the wager: it is used 1.0 to 2.5 s after it.
_STAMPED_EARLY_MS: Final = -2_600


def test_insurance_before_the_reader_is_no_finding() -> None:
    assert ask(INSURED).findings == []


@pytest.mark.parametrize("uncertainty_ms", [1_000, 1_500, 2_500])
def test_a_reader_stamped_too_early_within_the_uncertainty_accuses_nobody(uncertainty_ms: int) -> None:
    said = ask(INSURED, uncertainty_ms, hole_card_check1=_STAMPED_EARLY_MS)
    assert said.findings == [], said
    assert {s.verdict for s in said.settlements} == {"correct"}
    assert not said.is_ambiguous
    assert said.weighed is not None
    assert sentences.supposes(said.weighed.stories[0]) == sentences.REORDERED


@pytest.mark.parametrize("uncertainty_ms", [1_500, 2_500])
def test_what_looks_late_within_the_uncertainty_accuses_nobody(uncertainty_ms: int) -> None:
    assert ask(INSURED_LATE, uncertainty_ms).findings == []


@pytest.mark.parametrize("uncertainty_ms", [0, 50, 100])
def test_insurance_after_the_reader_is_found_where_the_clocks_are_sure(uncertainty_ms: int) -> None:
    said = ask(INSURED_LATE, uncertainty_ms)
    assert [(f.code, f.seat) for f in said.findings] == [("wager.insurance-not-open", 1)], said


@pytest.mark.parametrize("uncertainty_ms", [0, 100, 2_000])
def test_a_reader_that_was_not_used_is_found(uncertainty_ms: int) -> None:
    """md 7.G(2): no order of the lines makes up for a reading that is missing."""
    said = ask(f"{_HEADER}1 stand\n2 stand\ntake 2 10\ntake 1 20\nend\n", uncertainty_ms)
    assert [f.code for f in said.findings] == ["reader.not-used"], said


@pytest.mark.parametrize("move", range(-2_400, 2_401, 800))
def test_a_card_stamped_before_or_after_its_decision_is_the_same_card(move: int) -> None:
    """Box 2 hits 15 to 21 (12.A(1)); its card is stamped too early or too late, past the lines around it."""
    text = (
        "rulebook md-pontoon21\ndecks 6\nround 1\nbet 1 20\nbet 2 10\nno more bets\n"
        "deal KS 5D 8H 9C KH 9D\n1 stand\n2 hit 6C\npay 2 10\npay 1 20\nend\n"
    )
    said = ask(text, 1_300, draw7=move)
    assert said.findings == [], said
    assert {s.verdict for s in said.settlements} == {"correct"}
