"""Everything irregular at a table on a day, as rows of ``findings``."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

import polars as pl

from pipelines.align.backdated import LateSettlement, Wager
from pipelines.judge.day import JudgedDay
from replay.audit import Reporter
from replay.finding import Finding, with_ids
from replay.finding_sentences import LATE
from replay.floor import Table
from warehouse.findings import INFERRED, Row, finding_row
from warehouse.schemas import DATASETS

# Only the shoe's record shows these: a camera may have missed a card that was burned and put away at once.
_BY_SHOE: Final = frozenset({"shoe.burn-missed"})
_OPEN_MONEY: Final = frozenset({"settlement.missing", "settlement.underpaid", "settlement.overpaid"})


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
    for finding in (*found, *with_ids(others, table, day.day)):
        at = number.get(finding.round or "", -1)
        if finding.code in _BY_SHOE and at >= 0 and "shoe" not in evidence[at]:
            continue
        if finding.code in _OPEN_MONEY and (payments := late.get(_wager(finding))):
            finding = replace(finding, said={**finding.said, LATE: [each._asdict() for each in payments]})
        row = finding_row(finding, table.id, day.day, table.currency) | _shown(day, finding, at, paths)
        if at >= 0:
            row["evidence"] = INFERRED if finding.inferred else evidence[at]
            row["dealer"] = day.encoded.dealers[day.rounds.dealer[at]] or None
        rows.append(row)
    return _frame(rows)


def silent(day: date, table: Table, others: Iterable[Finding] = ()) -> pl.DataFrame:
    """Report a table that sent nothing on a day when others did, and what there is to say of its footage."""
    code = "evidence.source-missing"
    found = (Finding(code=code, form=f"{code}/table", device="table"), *others)
    return _frame([finding_row(each, table.id, day, table.currency) for each in with_ids(found, table, day)])


def _wager(finding: Finding) -> Wager:
    return Wager(finding.round or "", finding.seat or 1, finding.bettor or 1, finding.kind or "", finding.hand or 1)


def _frame(rows: list[Row]) -> pl.DataFrame:
    types = DATASETS["findings"].types
    return pl.DataFrame(rows, schema={**types, "at": pl.Int64()}, orient="row").cast({"at": types["at"]})


def _shown(day: JudgedDay, finding: Finding, at: int, paths: Sequence[str]) -> Row:
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
