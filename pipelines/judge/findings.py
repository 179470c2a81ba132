"""Everything irregular at a table on a day, as rows of ``findings``."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

import polars as pl

from pipelines.align.backdated import LateSettlement, Wager
from pipelines.judge.day import JudgedDay
from replay import codes
from replay.audit import Reporter
from replay.finding import Finding, with_ids
from replay.finding_sentences import late_settlement
from replay.floor import Table
from warehouse.schemas import DATASETS

# Only the shoe's record shows these: a camera may have missed a card that was burned and put away at once.
_BY_SHOE: Final = frozenset({"shoe.burn-missed"})
_OPEN_MONEY: Final = frozenset({"settlement.missing", "settlement.underpaid", "settlement.overpaid"})
_SAME: Final = ("shoe", "path", "code", "severity", "seat", "bettor", "kind", "hand", "variance_cents", "handling")


def findings(
    day: JudgedDay,
    others: Iterable[Finding],
    evidence: Sequence[str],
    paths: Sequence[str],
    late: Mapping[Wager, Sequence[LateSettlement]],
) -> pl.DataFrame:
    """List the engine's findings and those of other steps; ``evidence`` has for each round what it rests on."""
    number = {name: n for n, name in enumerate(day.encoded.rounds)}
    table = day.judged.table
    found = Reporter(table, day.encoded).findings(day.judged, day.day)
    rows = []
    for finding in (*found, *with_ids(others, table.id, day.day)):
        at = number.get(finding.round or "", -1)
        if finding.code in _BY_SHOE and at >= 0 and "shoe" not in evidence[at]:
            continue
        row = _row(day.day, table, finding) | _shown(day, finding, at, paths)
        if finding.code in _OPEN_MONEY:
            row["message"] += "".join(late_settlement(*each) for each in late.get(_wager(finding), ()))
        if at >= 0:
            row["evidence"] = "inferred" if finding.inferred else evidence[at]
            row["dealer"] = day.encoded.dealers[day.rounds.dealer[at]] or None
        rows.append(row)
    return _frame(rows)


def silent(day: date, table: Table, others: Iterable[Finding] = ()) -> pl.DataFrame:
    """Report a table that sent nothing on a day when others did, and what there is to say of its footage."""
    code = "evidence.source-missing"
    found = (Finding(code=code, form=f"{code}/table", device="table"), *others)
    return _frame([_row(day, table, finding) for finding in with_ids(found, table.id, day)])


def _wager(finding: Finding) -> Wager:
    return Wager(finding.round or "", finding.seat or 1, finding.bettor or 1, finding.kind or "", finding.hand or 1)


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    types = DATASETS["findings"].types
    return pl.DataFrame(rows, schema={**types, "at": pl.Int64()}, orient="row").cast({"at": types["at"]})


def _row(day: date, table: Table, finding: Finding) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in _SAME} | {
        "gaming_day": day,
        "table": table.id,
        "finding_id": finding.id,
        "round_id": None if finding.round is None else f"{table.id}/{day}/{finding.round}",
        "card": finding.card,
        "device": finding.device,
        "currency": table.currency,
        "clause": None if finding.clause is None else str(finding.clause),
        "certainty": finding.certainty,
        "message": finding.message,
        "evidence": codes.CODES[codes.NUMBER[finding.code]].evidence,
        "dealer": None,
        "at": finding.at_ms,
        "event_path": finding.path,
        "event_line": finding.line,
    }


def _shown(day: JudgedDay, finding: Finding, at: int, paths: Sequence[str]) -> dict[str, Any]:
    """Say when and at which line a finding showed."""
    if finding.event is None:
        started = int(day.rounds.started[at]) if at >= 0 else None
        return {} if finding.at_ms is not None else {"at": started}
    columns, event = day.lines.columns, finding.event
    is_line = columns.file[event] >= 0
    return {
        "at": int(day.corrected[event]),
        "event_path": paths[columns.file[event]] if is_line else None,
        "event_line": int(columns.line[event]) if is_line else None,
    }
