"""Figures of a gaming day, from the few queries on the lake that its page and its PDF need."""

from collections.abc import Collection, Iterable
from datetime import date
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import pyarrow as pa

from dashboards.lake.gravity import BY_GRAVITY
from dashboards.lake.pinned import Pinned, Scope
from dashboards.web.words import NOTHING, share

TREND_DAYS: Final = 30
MOST_ROWS: Final = 200  # of a list on the page; files have all
WIDEST: Final = 58  # of a bar, in units of its drawing

_BY: Final = """
SELECT {key}, currency, rounds, rounds_verified, rounds_wrong, rounds_undetermined, verified_share, wagers,
    wagers_checked, handle_cents, win_cents, hold, over_cents, under_cents, variance_cents, findings, findings_high
FROM {mart} WHERE gaming_day = $day AND currency IS NOT NULL
"""
_NEARLY: Final = 0.9995  # what would be rounded to the whole
_LARGEST: Final = "ORDER BY currency, over_cents - under_cents DESC, "
# The parts of the page that have rows of their own: from where, and the query.
QUERIES: Final = {
    "coverage": (
        "day",
        """
        SELECT currency, evidence, count(*) AS rounds,
            count(*) FILTER (verdict <> 'undetermined') AS rounds_verified,
            sum(handle_cents)::BIGINT AS handle_cents,
            coalesce(sum(handle_cents) FILTER (verdict <> 'undetermined'), 0)::BIGINT AS handle_verified_cents,
            sum(wagers)::BIGINT AS wagers
        FROM rounds GROUP BY currency, evidence ORDER BY currency, length(evidence) DESC, evidence
        """,
    ),
    "tables": ("marts", _BY.format(key='"table"', mart="table_day") + _LARGEST + '"table"'),
    "dealers": ("marts", _BY.format(key="dealer", mart="dealer_day") + "AND rounds > 0 " + _LARGEST + "dealer"),
    "rulebooks": ("marts", _BY.format(key="rulebook", mart="rulebook_day") + "AND rounds > 0 " + _LARGEST + "rulebook"),
    "trend": (
        "marts",
        """
        SELECT gaming_day, currency, rounds, rounds_verified, verified_share, over_cents, under_cents, variance_cents,
            handle_cents, findings_high, findings_medium, findings_low
        FROM day_summary
        WHERE gaming_day <= $day AND gaming_day > $day - $days AND currency IS NOT NULL AND rounds > 0
        ORDER BY gaming_day, currency
        """,
    ),
    "quarantine": (
        "day",
        """
        SELECT "table", path, reason, count(*) AS lines, min(line) AS first_line FROM quarantine
        GROUP BY ALL ORDER BY "table", path, first_line
        """,
    ),
    "sources": (
        "marts",
        """
        SELECT "table", sources, files, lines, lines_accepted, lines_repeated, lines_quarantined, clocks_unsure
        FROM evidence_day WHERE gaming_day = $day AND "table" <> '' ORDER BY "table"
        """,
    ),
    "missing": (
        "day",
        """
        SELECT "table", code, severity, message, path, finding_id FROM findings
        WHERE code IN ('evidence.source-missing', 'evidence.sequence-gap')
        ORDER BY code, "table", message
        """,
    ),
    "restatements": (
        "day",
        """
        SELECT snapshot, before, "table", code, currency, findings_before, findings_after, variance_before,
            variance_after, reason
        FROM restatements ORDER BY snapshot DESC, "table", code, currency
        """,
    ),
}
_TOP: Final = f"""
SELECT finding_id, code, severity, "table", round_id, dealer, clause, message, currency, variance_cents FROM findings
WHERE variance_cents <> 0 OR severity = 'high'
ORDER BY {BY_GRAVITY}, finding_id LIMIT $limit
"""
_SUMMARY: Final = "FROM day_summary WHERE gaming_day = $day ORDER BY currency"
_OPEN: Final = """
SELECT severity, count(*) AS findings, count(*) FILTER (finding_id NOT IN (SELECT unnest($handled::VARCHAR[]))) AS open
FROM findings GROUP BY severity
"""
_FLOOR: Final = "SELECT sha256 FROM files WHERE source = 'floor' ORDER BY log_index DESC LIMIT 1"


class DayFigures:
    """A gaming day of a snapshot."""

    def __init__(self, lake: Pinned, day: date) -> None:
        self.lake = lake
        self.day = day

    def rows(self, part: str) -> list[dict[str, Any]]:
        """The rows of a part of the page."""
        scope, query, params = self._query(part)
        return scope.rows(query, **params)

    def table(self, part: str) -> pa.Table:
        """The same for a file."""
        scope, query, params = self._query(part)
        return scope.table(query, **params)

    def _query(self, part: str) -> tuple[Scope, str, dict[str, object]]:
        where, query = QUERIES[part]
        if where == "day":
            return self.lake.day(self.day), query, {}
        return self.lake.marts(), query, {"day": self.day, **({"days": TREND_DAYS} if part == "trend" else {})}

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """The whole floor, by currency; tables without rounds or findings stand in a row without one."""
        return self.lake.marts().rows(_SUMMARY, day=self.day)

    def top(self, limit: int) -> list[dict[str, Any]]:
        """The gravest findings, of each severity those that cost most first."""
        return self.lake.day(self.day).rows(_TOP, limit=limit)

    def unhandled(self, handled: Collection[str]) -> dict[str, dict[str, Any]]:
        """Count the findings by severity: all of them, and those still unhandled."""
        rows = self.lake.day(self.day).rows(_OPEN, handled=[*handled])
        return {row["severity"]: row for row in rows}

    @property
    def floor_sha256(self) -> str | None:
        """The hash of the floor.toml in force."""
        row = self.lake.day(self.day).row(_FLOOR)
        return row["sha256"] if row else None


def by_currency(rows: Iterable[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]], float]]:
    """Rows that come in the order of their currencies, with the width of a cent in the bars beside them."""
    found = []
    for currency, each in groupby(rows, itemgetter("currency")):
        own = list(each)
        most_cents = max(max(row["over_cents"], -row["under_cents"]) for row in own)
        found.append((currency, own, WIDEST / most_cents if most_cents else 0.0))
    return found


def covered(part: int, whole: int) -> str:
    """A share in per cent that is 100 only where it is the whole."""
    if not whole:
        return NOTHING
    return share(part / whole) if part == whole or part / whole < _NEARLY else f"> {share(0.999)}"
