"""The severity of a finding: by its code, and by its variance."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from replay import codes

_RANKS: Final = (codes.LOW, codes.MEDIUM, codes.HIGH)
# These are about money alone: a cent too much is no grave matter.
BY_MONEY: Final = frozenset(
    {
        "settlement.overpaid",
        "settlement.underpaid",
        "settlement.missing",
        "settlement.unexpected",
        "progressive.wrong-prize",
    }
)


class Limits(NamedTuple):
    """Variances in cents from which a finding is medium and high, whoever they favour."""

    medium: int
    high: int


USUAL: Final = Limits(2_500, 50_000)
# About the same in other currencies; one that is not listed has the amounts of USD.
_BY_CURRENCY: Final[Mapping[str, Limits]] = {
    "AUD": Limits(4_000, 80_000),
    "CAD": Limits(3_500, 70_000),
    "GBP": Limits(2_000, 40_000),
    "HKD": Limits(20_000, 400_000),
    "MOP": Limits(20_000, 400_000),
    "NZD": Limits(4_000, 80_000),
    "PHP": Limits(150_000, 3_000_000),
    "SGD": Limits(3_500, 70_000),
}


def limits(currency: str, given: Mapping[str, Sequence[int]]) -> Limits:
    """Return the limits of a currency: those of floor.toml, or the usual ones."""
    return Limits(*given[currency]) if currency in given else _BY_CURRENCY.get(currency, USUAL)


def severity(code: str, variance_cents: int, limits: Limits) -> str:
    """Return ``low``, ``medium`` or ``high``: by variance for payments, else by code, unless its variance is graver."""
    cents = abs(variance_cents)
    by_money = codes.HIGH if cents >= limits.high else codes.MEDIUM if cents >= limits.medium else codes.LOW
    if code in BY_MONEY:
        return by_money
    of_code = codes.CODES[codes.NUMBER[code]].severity
    return max(of_code, by_money, key=_RANKS.index) if cents else of_code
