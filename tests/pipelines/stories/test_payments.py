"""Dealers who paid wrongly are still found: a misdeal that would explain it must be worth its own price."""

from typing import Final

import pytest

from pipelines.stories.prices import code_of
from pipelines.stories.weigh import Story
from replay import codes
from replay.engine import layout as L
from tests.pipelines.stories.told_rounds import ask

# Dealer 8H 9D: 17. Box 1 has 19, box 2 hits 15 to 21, box 3 has 17.
_HEADER: Final = "rulebook md-pontoon21\ndecks 6\nround 1\nbet 1 20\nbet 2 10\nbet 3 30\nno more bets\n"
_PLAY: Final = _HEADER + "deal KS 5D 9H 8H 9C KH 8S 9D\n1 stand\n2 hit 6C\n3 stand\n"


@pytest.mark.parametrize(
    ("payments", "expected"),
    [
        # 12.A(1): 19 and 21 win even money; 17 against 17 is a push.
        ("push 3 main\npay 2 10\npay 1 40\n", [("settlement.overpaid", 1, 2000)]),
        ("push 3 main\npay 2 5\npay 1 20\n", [("settlement.underpaid", 2, -500)]),
        ("push 3 main\npay 2 10\n", [("settlement.missing", 1, -2000)]),
        ("take 3 30\npay 2 10\npay 1 20\n", [("settlement.underpaid", 3, -3000)]),
    ],
)
def test_a_wrong_payment_is_found(payments: str, expected: list[tuple[str, int, int]]) -> None:
    said = ask(f"{_PLAY}{payments}end\n")
    assert [(f.code, f.seat, f.variance_cents) for f in said.findings] == expected, said
    assert all(f.certainty >= 0.99 and not f.inferred for f in said.findings), said
    assert not said.is_ambiguous


@pytest.mark.parametrize(
    ("payments", "expected"),
    [
        ("pay 3 30\npay 2 10\npay 1 20\n", []),
        ("pay 3 30\npay 2 5\npay 1 20\n", [("settlement.underpaid", 2, -500)]),
    ],
)
def test_a_payment_that_exchanged_cards_explain_as_well_accuses_nobody(
    payments: str, expected: list[tuple[str, int, int]]
) -> None:
    """Box 3 is paid on 17 against 17. With the first card of box 1, KS for 9H, it has 18, and both boxes win."""
    said = ask(f"{_PLAY}{payments}end\n")
    assert [(f.code, f.seat, f.variance_cents) for f in said.findings] == expected, said
    assert said.is_ambiguous
    assert 3 in {s.seat for s in said.settlements if s.verdict == "undetermined"}
    supposed, _, weight = said.listed[0]
    assert supposed == [] and weight > 0.9, said  # paid wrongly is the likeliest by far
    assert said.weighed is not None
    assert ("settlement.overpaid", 3) in _left(said.weighed.stories[0])
    assert said.lists("deal.wrong-box", 1), said


def _left(story: Story) -> list[tuple[str, int]]:
    """Findings that a story leaves, with their boxes."""
    names = [codes.CODES[code].name for code in code_of(story.findings).tolist()]
    return list(zip(names, story.findings[:, L.F_SEAT].tolist(), strict=True))


def test_a_payment_that_no_misdeal_explains_is_found() -> None:
    """Box 2 busts with 5D KH 8C and is paid."""
    said = ask(
        f"{_HEADER}deal KS 5D 9H 8H 9C KH 8S 9D\n1 stand\n2 hit 8C\n3 stand\npush 3 main\npay 2 10\npay 1 20\nend\n"
    )
    assert [(f.code, f.seat) for f in said.findings] == [("settlement.overpaid", 2)], said
    assert said.findings[0].certainty >= 0.99


def test_a_misdeal_that_leaves_errors_at_other_boxes_explains_nothing() -> None:
    """Box 2 asks for a card and gets none, and box 3 is paid 7.00 on 30.00: no story accounts for both."""
    said = ask(
        f"{_HEADER}deal KS 5D 9H 8H 9C KH 8S 9D\n1 stand\n2 hit\n3 stand\npay 3 7\ntake 2 10\npay 1 20\nend\n",
        audit={"prices": {"deal.hit-not-dealt": 0.01}},
    )
    assert said.weighed is not None and said.weighed.stories[0].candidate.supposed, said
    assert said.is_ambiguous and said.findings == [], said


def test_a_round_settled_by_the_rules_has_no_stories() -> None:
    said = ask(f"{_PLAY}push 3 main\npay 2 10\npay 1 20\nend\n")
    assert said.weighed is None
    assert said.findings == []
    assert {s.verdict for s in said.settlements} == {"correct"}


def test_a_void_round_is_not_inferred() -> None:
    """Payments in a round declared void prove nothing about its cards (md 13.B and others)."""
    said = ask(f"{_PLAY}rule round.power-failure void-round by ito\npay 1 20\nend\n")
    assert said.weighed is None
