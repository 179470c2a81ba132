"""Findings as rows of the dataset ``findings``, and rows as findings."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final

from replay import codes
from replay.finding import CitedClause, Finding

_SAME: Final = ("shoe", "card", "device", "path", "code", "seat", "bettor", "kind", "hand")
_SAME_VERDICT: Final = ("severity", "variance_cents", "handling", "certainty")
INFERRED: Final = "inferred"

Row = dict[str, Any]


def finding_row(finding: Finding, table: str, day: date, currency: str) -> Row:
    """Make the row of a finding; ``at`` is in milliseconds.

    Evidence is that of the code where no story supposes the finding; ``dealer`` is for whoever knows the round.
    """
    return {name: getattr(finding, name) for name in (*_SAME, *_SAME_VERDICT)} | {
        "gaming_day": day,
        "table": table,
        "finding_id": finding.id,
        "round_id": None if finding.round is None else f"{table}/{day}/{finding.round}",
        "situation": finding.slot or None,
        "currency": currency,
        "clause": None if finding.clause is None else str(finding.clause),
        "rulebook": None if finding.clause is None else finding.clause.rulebook,
        "clause_id": None if finding.clause is None else finding.clause.number,
        "message": finding.message,
        "sentence": finding.form or finding.code,
        "arguments": json.dumps(finding.said, ensure_ascii=False, default=str),
        "evidence": INFERRED if finding.inferred else codes.CODES[codes.NUMBER[finding.code]].evidence,
        "dealer": None,
        "at": finding.at_ms,
        "event_path": finding.path,
        "event_line": finding.line,
    }


def read_finding(row: Mapping[str, Any]) -> Finding:
    """Make the finding of a row; which event showed it is known only where the round is replayed."""
    at: datetime | None = row["at"]
    return Finding(
        **{name: row[name] for name in (*_SAME, *_SAME_VERDICT)},
        id=row["finding_id"],
        round=row["round_id"] and row["round_id"].split("/", 2)[2],
        slot=row["situation"] or "",
        clause=CitedClause(row["rulebook"], row["clause_id"]) if row["clause_id"] else None,
        form=row["sentence"],
        said=json.loads(row["arguments"]),
        inferred=row["evidence"] == INFERRED,
        at_ms=None if at is None else round(at.timestamp() * 1000),
        line=row["event_line"] if row["path"] else None,
    )
