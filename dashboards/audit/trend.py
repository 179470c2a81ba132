"""Charts of the preceding days: amounts overpaid and underpaid, share of rounds proved, number of findings."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

import altair as alt

from dashboards import charts

HEIGHT: Final = 150
# The page's colours in their order: accent, blue, medium, high, low.
_COLOURS: Final = ("accent", "blue", "medium", "high", "low")


def trend(rows: Iterable[dict[str, Any]]) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the charts, each with a name and a caption: one of money for every currency, and two of counts."""
    return _drawn(tuple(tuple(row.items()) for row in rows))


# Altair takes longer than the queries; a published day's charts stay the same.
@lru_cache(64)
def _drawn(items: tuple[tuple[tuple[str, Any], ...], ...]) -> list[tuple[str, str, dict[str, Any]]]:
    rows = [dict(each) for each in items]
    made = [
        (f"variance-{currency.lower()}", f"Overpaid and underpaid in {currency}, by day", _money(rows, currency))
        for currency in sorted({row["currency"] for row in rows})
    ]
    made.append(("verified", "Rounds verified, in per cent", _verified(_by_day(rows, "rounds", "rounds_verified"))))
    severities = ("findings_high", "findings_medium", "findings_low")
    made.append(("findings", "Findings by severity", _findings(_by_day(rows, *severities))))
    return made


def _by_day(rows: Iterable[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    """Counts added up over the currencies of a day; money never is."""
    days: dict[str, dict[str, Any]] = {}
    for row in rows:
        day = days.setdefault(row["gaming_day"].isoformat(), {"day": row["gaming_day"].isoformat()})
        for name in names:
            day[name] = day.get(name, 0) + row[name]
    return list(days.values())


def _money(rows: Iterable[dict[str, Any]], currency: str) -> dict[str, Any]:
    values = [
        {"day": row["gaming_day"].isoformat(), "what": what, "amount": row[f"{what}_cents"] / 100}
        for row in rows
        if row["currency"] == currency
        for what in ("over", "under")
    ]
    bars = (
        _chart(values)
        .mark_bar()
        .encode(
            x=_day(),
            y=alt.Y("amount:Q", title=currency, axis=alt.Axis(format="~s", tickCount=5)),
            color=_colour("what", {"over": "high", "under": "blue"}),
            tooltip=[
                alt.Tooltip("day:N"),
                alt.Tooltip("what:N"),
                alt.Tooltip("amount:Q", format=",.2f", title=currency),
            ],
        )
    )
    return charts.spec(bars)


def _verified(days: Iterable[dict[str, Any]]) -> dict[str, Any]:
    values = [{**day, "share": day["rounds_verified"] / day["rounds"]} for day in days]
    line = (
        _chart(values)
        .mark_line(point=True)
        .encode(
            x=_day(),
            y=alt.Y(
                "share:Q",
                title="verified",
                scale=alt.Scale(zero=False, nice=True),
                axis=alt.Axis(format=".2%", tickCount=4),
            ),
            tooltip=[
                alt.Tooltip("day:N"),
                alt.Tooltip("share:Q", format=".2%", title="verified"),
                alt.Tooltip("rounds:Q", format=","),
            ],
        )
    )
    return charts.spec(line)


def _findings(days: Iterable[dict[str, Any]]) -> dict[str, Any]:
    values = [
        {"day": day["day"], "severity": severity, "findings": day[f"findings_{severity}"], "place": place}
        for day in days
        for place, severity in enumerate(("high", "medium", "low"))
    ]
    bars = (
        _chart(values)
        .mark_bar()
        .encode(
            x=_day(),
            y=alt.Y("findings:Q", title="findings", axis=alt.Axis(tickCount=5, format="d")),
            order=alt.Order("place:Q"),
            color=_colour("severity", {"high": "high", "medium": "medium", "low": "low"}),
            tooltip=[alt.Tooltip("day:N"), alt.Tooltip("severity:N"), alt.Tooltip("findings:Q", format=",")],
        )
    )
    return charts.spec(bars)


def _chart(values: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=values)).properties(width="container", height=HEIGHT)


def _day() -> alt.X:
    short = "slice(datum.value, 5)"  # the year stands above
    return alt.X("day:O", title=None, axis=alt.Axis(labelExpr=short, labelAngle=0, labelOverlap=True))


def _colour(field: str, wanted: dict[str, str]) -> alt.Color:
    """Words in colours of the page, which gives its colours to a domain in order: others fill the places between."""
    words = {colour: word for word, colour in wanted.items()}
    domain = [words.get(colour, f" {colour}") for colour in _COLOURS]
    legend = alt.Legend(title=None, orient="top", values=list(wanted), symbolType="square", offset=4)
    return alt.Color(f"{field}:N", scale=alt.Scale(domain=domain), legend=legend)
