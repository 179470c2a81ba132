"""Severity: payments by their variance, other findings by their code and their variance."""

import pytest

from replay.severity import USUAL, limits, severity


@pytest.mark.parametrize("code", ["settlement.overpaid", "settlement.missing", "progressive.wrong-prize"])
@pytest.mark.parametrize(
    ("cents", "expected"), [(100, "low"), (2_499, "low"), (-2_500, "medium"), (49_999, "medium"), (-50_000, "high")]
)
def test_a_payment_is_as_grave_as_its_variance(code: str, cents: int, expected: str) -> None:
    assert severity(code, cents, USUAL) == expected


@pytest.mark.parametrize(
    ("code", "cents", "expected"),
    [
        ("settlement.out-of-order", 0, "low"),
        ("play.illegal-hit", 0, "medium"),
        ("play.illegal-hit", -8_250, "medium"),
        ("play.illegal-hit", 60_000, "high"),
        ("round.void-required", 100, "high"),  # never less grave than its code
    ],
)
def test_other_findings_have_at_least_the_severity_of_their_code(code: str, cents: int, expected: str) -> None:
    assert severity(code, cents, USUAL) == expected


def test_an_unknown_currency_has_the_amounts_of_the_dollar() -> None:
    assert limits("XTS", {}) == limits("USD", {}) == (2_500, 50_000)
    assert limits("XTS", {"XTS": [1, 2]}) == (1, 2)
