"""The queries of triage and of the queue. Each reads the findings of one day or of all, with their statuses."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import pyarrow as pa

from dashboards.lake.gravity import BY_GRAVITY, COST, SEVERITY_RANK
from dashboards.lake.pinned import Pinned, Scope
from dashboards.triage.wanted import FACETS, PAGE_ROWS, Wanted
from warehouse.cases.models import FindingChange
from warehouse.cases.words import STATUSES
from warehouse.schemas import DATASETS, SEVERITIES

_FLAGS: Final = ",\n        ".join(
    f"len($chosen_{facet}::VARCHAR[]) = 0 OR list_contains($chosen_{facet}::VARCHAR[], {facet}_value) AS in_{facet}"
    for facet in FACETS
)
_KEPT: Final = " AND ".join(f"in_{facet}" for facet in FACETS)

# All findings of the day that have the words searched for; in_code and so on tell which facets let them through.
_DAY: Final = f"""
WITH marked AS (
    SELECT unnest($ids::VARCHAR[]) AS finding_id, unnest($statuses::VARCHAR[]) AS status,
        unnest($notes::VARCHAR[]) AS note, unnest($authors::VARCHAR[]) AS author,
        unnest($times::TIMESTAMPTZ[]) AS status_at
), v AS (
    SELECT f.*, coalesce(m.status, 'new') AS status, m.note, m.author, m.status_at,
        f.severity AS severity_value, coalesce(m.status, 'new') AS status_value, f.code AS code_value,
        f."table" AS table_value, coalesce(f.dealer, '') AS dealer_value,
        coalesce(f.handling, '') AS handling_value, f.evidence AS evidence_value,
        lower(concat_ws(' ', f.code, f.message, f."table", f.round_id, f.dealer, f.clause, f.shoe, f.path,
            'round ' || regexp_extract(f.round_id, '^[^/]*/[^/]*/(.*)$', 1) || ';', 'shoe ' || f.shoe || ';',
            'box ' || f.seat || ';', 'hand ' || f.hand || ';')) AS words_of
    FROM findings AS f LEFT JOIN marked AS m USING (finding_id)
), day AS MATERIALIZED (
    SELECT *,
        {_FLAGS}
    FROM v
    WHERE len(list_filter($words::VARCHAR[], lambda word: NOT contains(v.words_of, word))) = 0
)
"""
_ORDERS: Final = {
    "severity": f'{BY_GRAVITY}, "at" NULLS LAST, finding_id',
    "newest": f'gaming_day DESC, {BY_GRAVITY}, "at" NULLS LAST, finding_id',
    "cost": f'{COST}, {SEVERITY_RANK}, "at" NULLS LAST, finding_id',
    "time": f'"at" DESC NULLS LAST, {SEVERITY_RANK}, finding_id',
}
_GROUP_ORDERS: Final = {
    "newest": f'{SEVERITY_RANK}, greatest(over_cents, -under_cents) DESC, count DESC, code, "table"',
    "severity": f'{SEVERITY_RANK}, greatest(over_cents, -under_cents) DESC, count DESC, code, "table"',
    "cost": f'greatest(over_cents, -under_cents) DESC, {SEVERITY_RANK}, count DESC, code, "table"',
    "time": f'last_at DESC NULLS LAST, {SEVERITY_RANK}, code, "table"',
}
_COLUMNS: Final = ", ".join((*(f'"{name}"' for name in DATASETS["findings"].types), "status, note, author, status_at"))
_GROUP: Final = 'code, severity, "table", currency'
# Facets whose values have an order of their own.
_SEQUENCES: Final = {"severity": SEVERITIES[::-1], "status": STATUSES}
_OVER: Final = "coalesce(sum(variance_cents) FILTER (variance_cents > 0), 0)::BIGINT AS over_cents"
_UNDER: Final = "coalesce(sum(variance_cents) FILTER (variance_cents < 0), 0)::BIGINT AS under_cents"
# A row per value of every facet, filtered by the other facets; and under "total" one per currency.
_COUNTS: Final = "\nUNION ALL\n".join(
    (
        *(
            f"SELECT '{facet}' AS facet, {facet}_value AS value, count(*) AS count, 0 AS over_cents, 0 AS under_cents "
            f"FROM day WHERE {' AND '.join(f'in_{other}' for other in FACETS if other != facet)} GROUP BY value"
            for facet in FACETS
        ),
        f"SELECT 'total', currency, count(*), {_OVER}, {_UNDER} FROM day WHERE {_KEPT} GROUP BY currency",
    )
)


@dataclass(frozen=True)
class Marks:
    """The statuses of a day's findings, as columns for a query."""

    ids: list[str]
    statuses: list[str]
    notes: list[str]
    authors: list[str]
    times: list[Any]

    @classmethod
    def of(cls, changes: Sequence[FindingChange]) -> "Marks":
        """From the newest change of every finding that has one."""
        return cls(
            [row.finding_id for row in changes],
            [row.status for row in changes],
            [row.note for row in changes],
            [row.author for row in changes],
            [row.at for row in changes],
        )


@dataclass(frozen=True)
class Counts:
    """Counts of findings: by value of every facet, and in total by currency."""

    facets: dict[str, list[dict[str, Any]]]
    totals: list[dict[str, Any]]

    @property
    def findings(self) -> int:
        """Count the findings shown."""
        return sum(row["count"] for row in self.totals)


@dataclass(frozen=True)
class Findings:
    """The findings of a day, or of all days, at a snapshot."""

    scope: Scope
    marks: Marks
    wanted: Wanted

    def rows(self) -> list[dict[str, Any]]:
        """A page of findings, in the order wanted."""
        return self._rows(f"SELECT {_COLUMNS} FROM day WHERE {_KEPT} ORDER BY {_ORDERS[self.wanted.sort]} {self._page}")

    def groups(self) -> list[dict[str, Any]]:
        """A page of repeated findings: the same code at the same table."""
        return self._rows(
            f"SELECT {_GROUP}, count(*) AS count, "
            'list(finding_id ORDER BY "at" NULLS LAST, finding_id) AS finding_ids, '
            "list(DISTINCT status ORDER BY status) AS statuses, "
            "coalesce(list(DISTINCT dealer ORDER BY dealer) FILTER (dealer IS NOT NULL), []) AS dealers, "
            "coalesce(list(DISTINCT handling ORDER BY handling) FILTER (handling IS NOT NULL), []) AS handlings, "
            f"{_OVER}, {_UNDER}, "
            'min("at") AS first_at, max("at") AS last_at, arg_min(message, "at") AS message '
            f"FROM day WHERE {_KEPT} GROUP BY {_GROUP} ORDER BY {_GROUP_ORDERS[self.wanted.sort]} {self._page}"
        )

    def counts(self) -> "Counts":
        """Count the findings by the value of every facet, and by currency with their variance."""
        found: dict[str, list[dict[str, Any]]] = {facet: [] for facet in (*FACETS, "total")}
        for row in self._rows(f"{_COUNTS} ORDER BY facet, count DESC, value"):
            found[row["facet"]].append(row)
        for facet, words in _SEQUENCES.items():
            found[facet].sort(key=lambda row: words.index(row["value"]))
        for facet, chosen in self.wanted.chosen.items():
            known = {row["value"] for row in found[facet]}
            found[facet] += [{"value": value, "count": 0} for value in dict.fromkeys(chosen) if value not in known]
        totals = sorted(found.pop("total"), key=lambda row: str(row["value"]))
        return Counts(found, totals)

    def table(self) -> pa.Table:
        """All findings wanted, for a file."""
        query = f"{_DAY} SELECT {_COLUMNS} FROM day WHERE {_KEPT} ORDER BY {_ORDERS[self.wanted.sort]}"
        return self.scope.table(query, **self._params())

    @property
    def _page(self) -> str:
        return f"LIMIT {PAGE_ROWS} OFFSET {(self.wanted.page - 1) * PAGE_ROWS}"

    def _rows(self, query: str) -> list[dict[str, Any]]:
        return self.scope.rows(_DAY + query, **self._params())

    def _params(self) -> dict[str, object]:
        return {**vars(self.marks), **self.wanted.params()}


def fresh(before: Pinned, now: Pinned, day: date) -> int:
    """Count the findings of a day that are in the snapshot ``now`` and not in ``before``."""
    if day not in now.days:
        return 0
    known = [row["finding_id"] for row in before.day(day).rows("SELECT finding_id FROM findings")]
    query = "SELECT count(*) AS count FROM findings WHERE finding_id NOT IN (SELECT unnest($known::VARCHAR[]))"
    found = now.day(day).row(query, known=known)
    return found["count"] if found else 0


def days_anywhere(lake: Pinned, finding_ids: Sequence[str]) -> dict[str, date]:
    """Return the gaming days of findings, of those that the snapshot has."""
    query = "SELECT finding_id, gaming_day FROM findings WHERE finding_id IN (SELECT unnest($ids::VARCHAR[]))"
    found = lake.every_day().rows(query, ids=list(finding_ids))
    return {row["finding_id"]: row["gaming_day"] for row in found}


def days_of(lake: Pinned, finding_ids: Sequence[str], days: Sequence[date]) -> dict[str, date]:
    """The gaming days of findings, of those that are in the lake on these days."""
    query = "SELECT finding_id FROM findings WHERE finding_id IN (SELECT unnest($ids::VARCHAR[]))"
    return {row["finding_id"]: day for day in days for row in lake.day(day).rows(query, ids=list(finding_ids))}
