"""Error rates of dealers over a range of days."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import pyarrow as pa

from dashboards.lake.pinned import Pinned
from dashboards.rates.span import Span
from dashboards.rates.wilson import rate


class Measure(NamedTuple):
    """A kind of dealer error, and the events it is a share of."""

    label: str
    of: str
    codes: tuple[str, ...] = ()  # of findings; none where verdicts count

    @property
    def pattern(self) -> str:
        """The codes as a regular expression."""
        return f"^({'|'.join(self.codes)})" if self.codes else ""


MEASURES: Final[Mapping[str, Measure]] = {
    "settled": Measure("Settlement errors", "rounds verified"),
    "dealt": Measure("Dealing errors", "rounds dealt", (r"deal\.", r"dealer\.")),
    "taken": Measure("Improper wagers and play", "rounds dealt", (r"wager\.", r"play\.")),
}
_IN: Final = """
gaming_day BETWEEN $first AND $last AND dealer IS NOT NULL AND ($dealer::VARCHAR IS NULL OR dealer = $dealer)
"""
_VERDICTS: Final = f"""
SELECT {{key}}, sum(rounds)::BIGINT AS rounds, count(DISTINCT gaming_day) AS days, sum(hours_dealt) AS hours,
    sum(rounds_wrong)::BIGINT AS errors, sum(rounds_verified)::BIGINT AS of, sum(findings)::BIGINT AS findings
FROM dealer_day WHERE {_IN} GROUP BY {{key}} HAVING sum(rounds) > 0 ORDER BY {{key}}
"""
_FOUND: Final = f"""
SELECT {{key}}, count(DISTINCT round_id) AS errors FROM findings
WHERE {_IN} AND round_id IS NOT NULL AND regexp_matches(code, $pattern) GROUP BY {{key}}
"""
_MONEY: Final = f"""
SELECT {{key}}, currency, sum(rounds)::BIGINT AS rounds, sum(handle_cents)::BIGINT AS handle_cents,
    sum(over_cents)::BIGINT AS over_cents, sum(under_cents)::BIGINT AS under_cents
FROM dealer_day WHERE {_IN} AND currency IS NOT NULL GROUP BY {{key}}, currency ORDER BY {{key}}, currency
"""
_FIELDS: Final = pa.schema(
    [
        ("dealer", pa.string()),
        *((name, pa.int64()) for name in ("rounds", "errors", "of")),
        *((name, pa.float64()) for name in ("share", "low", "high")),
        ("currency", pa.string()),
        *((name, pa.int64()) for name in ("currency_rounds", "handle_cents", "over_cents", "under_cents")),
    ]
)


class Dealers:
    """The dealers of a range of days, or one of them day by day."""

    def __init__(self, lake: Pinned, span: Span, measure: str, dealer: str | None = None) -> None:
        self._lake = lake
        self._span = span
        self._measure = MEASURES[measure]
        self._dealer = dealer

    def rows(self) -> list[dict[str, Any]]:
        """By dealer: rounds, errors, and money by currency."""
        return self._figures(("dealer",), None)

    def days(self) -> list[dict[str, Any]]:
        """The chosen dealer, by day."""
        return self._figures(("gaming_day", "dealer"), self._dealer)

    def table(self) -> pa.Table:
        """The rows for a file: one by dealer (and day) and currency, with the interval of the dealer."""
        rows = self.days() if self._dealer is not None else self.rows()
        fields = _FIELDS if self._dealer is None else _FIELDS.insert(0, pa.field("gaming_day", pa.date32()))
        return pa.Table.from_pylist([_flat(row, money) for row in rows for money in row["money"]], fields)

    def _figures(self, names: tuple[str, ...], dealer: str | None) -> list[dict[str, Any]]:
        key, params = ", ".join(names), {**self._span.params, "dealer": dealer}
        rows = self._lake.marts().rows(_VERDICTS.format(key=key), **params)
        money: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for each in self._lake.marts().rows(_MONEY.format(key=key), **params):
            money.setdefault(tuple(each[name] for name in names), []).append(each)
        errors = self._errors(names, params)
        for row in rows:
            place = tuple(row[name] for name in names)
            row["money"] = money.get(place, [])
            if errors is not None:
                row["errors"], row["of"] = min(errors.get(place, 0), row["rounds"]), row["rounds"]
        return rows

    def _errors(self, names: tuple[str, ...], params: dict[str, object]) -> dict[tuple[Any, ...], int] | None:
        """Rounds with such findings, where findings count."""
        if not self._measure.codes:
            return None
        query = _FOUND.format(key=", ".join(names))
        found = self._lake.every_day().rows(query, pattern=self._measure.pattern, **params)
        return {tuple(row[name] for name in names): row["errors"] for row in found}


def _flat(row: dict[str, Any], money: dict[str, Any]) -> dict[str, Any]:
    found = rate(row["errors"], row["of"])
    return {
        **({"gaming_day": row["gaming_day"]} if "gaming_day" in row else {}),
        **{name: row[name] for name in ("dealer", "rounds", "errors", "of")},
        "share": found.share,
        "low": found.low,
        "high": found.high,
        "currency": money["currency"],
        "currency_rounds": money["rounds"],
        **{name: money[name] for name in ("handle_cents", "over_cents", "under_cents")},
    }
