"""Queries of the table pages on the lake."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from dashboards.lake.pinned import Pinned, Scope

Row = dict[str, Any]
BINS: Final = 96  # parts of the day in the strip of a table

# One row per table from the day's mart, the largest variance first.
DAY: Final = """
SELECT gaming_day, "table", currency, rounds, rounds_verified, verified_share, rounds_wrong, rounds_undetermined,
    rounds_void, over_cents, under_cents, variance_cents, handle_cents, win_cents, hold, rounds_per_hour,
    findings, findings_high, findings_medium, findings_low
FROM table_day WHERE gaming_day = $day ORDER BY "table", currency
"""
_STRIPS: Final = """
WITH played AS (
    SELECT "table", epoch_ms(started) AS at_ms, verdict, findings FROM rounds
), span AS (
    SELECT min(at_ms) AS first_ms, greatest(max(at_ms) - min(at_ms), 1) AS long_ms FROM played
), binned AS (
    SELECT "table", least($bins - 1, ($bins * (at_ms - first_ms)) // long_ms)::INTEGER AS bin, count(*) AS rounds,
        count(*) FILTER (verdict = 'wrong') AS wrong, sum(findings)::INTEGER AS findings
    FROM played, span GROUP BY ALL
)
FROM binned ORDER BY "table", bin
"""
_ROUNDS: Final = """
FROM rounds WHERE "table" = $table AND started BETWEEN $since AND $until ORDER BY started, round_id
"""
_FINDINGS: Final = """
FROM findings WHERE "table" = $table AND ("at" IS NULL OR "at" BETWEEN $since AND $until)
ORDER BY "at" NULLS LAST, code, finding_id
"""
# Reports by staff or devices: faults until they were repaired, and irregularities with the rulings on them.
# A card reader reports its own faults, so they count where it is used.
_REPORTS: Final = """
WITH told AS (
    SELECT *, CASE WHEN result = 'fault' THEN 'fault' ELSE type END AS report,
        CASE WHEN type IN ('hole_card_check', 'reader_check') THEN 'reader' ELSE device END AS faulty
    FROM events WHERE "table" = $table AND (type IN ('fault', 'repaired', 'irregularity') OR result = 'fault')
), ended AS (
    SELECT *, min(corrected) FILTER (report = 'repaired') OVER later AS repaired FROM told
    WINDOW later AS (PARTITION BY faulty ORDER BY corrected, seq ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
)
SELECT gaming_day, "table", report, corrected AS "at", CASE report WHEN 'fault' THEN repaired END AS until,
    faulty AS device, kind, code, ruling, "by", round_id, shoe, path, line
FROM ended WHERE corrected <= $until AND coalesce(until, corrected) >= $since
ORDER BY corrected, source, seq
"""
_SHOES: Final = """
FROM shoes WHERE "table" = $table AND NOT list_contains($hidden::VARCHAR[], shoe)
    AND coalesce(loaded, ended) <= $until AND coalesce(ended, loaded) >= $since
ORDER BY loaded, shoe
"""
FILES: Final = {"rounds": _ROUNDS, "findings": _FINDINGS, "reports": _REPORTS, "shoes": _SHOES}
# From the first event to the last, so that everything of the day is inside.
_SPAN: Final = """
SELECT min(first) AS since, max(last) AS until, any_value(rulebook) AS rulebook FROM (
    SELECT min(started) AS first, max(coalesce(ended, started)) AS last, any_value(rulebook) AS rulebook
    FROM rounds WHERE "table" = $table
    UNION ALL SELECT min(corrected), max(corrected), NULL FROM events WHERE "table" = $table
    UNION ALL SELECT min("at"), max("at"), NULL FROM findings WHERE "table" = $table
)
"""
_SHIFTS: Final = """
SELECT shift, min(started) AS since, max(coalesce(ended, started)) AS until, count(*) AS rounds
FROM rounds WHERE "table" = $table AND shift IS NOT NULL GROUP BY shift ORDER BY since
"""


def strips(scope: Scope) -> dict[str, list[Row]]:
    """Return, by table, the parts of the day in which it dealt, with their findings."""
    found: dict[str, list[Row]] = {}
    for row in scope.rows(_STRIPS, bins=BINS):
        found.setdefault(row["table"], []).append(row)
    return found


def floor_span(scope: Scope) -> Row | None:
    """Return the start times of the day's first and last round; None if no round was dealt."""
    found = scope.row("SELECT min(started) AS since, max(started) AS until FROM rounds")
    return found if found and found["since"] else None


def day_rows(lake: Pinned, day: object) -> list[Row]:
    """The tables of a day."""
    return lake.marts().rows(DAY, day=day)


@dataclass(frozen=True)
class TableDayQueries:
    """A table on a gaming day."""

    scope: Scope
    table: str
    hidden: frozenset[str]  # shoes that are in play

    def span(self) -> Row | None:
        """When its day began and ended, and its rulebook; None where the table left nothing."""
        found = self.scope.row(_SPAN, table=self.table)
        return found if found and found["since"] else None

    def shifts(self) -> list[Row]:
        """The shifts in which it dealt."""
        return self.scope.rows(_SHIFTS, table=self.table)

    def rows(self, name: str, since: datetime, until: datetime) -> list[Row]:
        """Rounds, findings, reports or shoes between two times."""
        return self.scope.rows(FILES[name], **self._params(name, since, until))

    def file(self, name: str, since: datetime, until: datetime) -> pa.Table:
        """The same for a file."""
        return self.scope.table(FILES[name], **self._params(name, since, until))

    def _params(self, name: str, since: datetime, until: datetime) -> dict[str, object]:
        times: dict[str, object] = {"table": self.table, "since": since, "until": until}
        return {**times, "hidden": sorted(self.hidden)} if name == "shoes" else times
