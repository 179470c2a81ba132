"""A supervisor's summary of audited days, read from the lake."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

import polars as pl

from warehouse.lake import Lake, Snapshot
from warehouse.lake.errors import reading

_SEVERITIES: Final = ("high", "medium", "low")
_LOOK_FIRST: Final = 3
_MONEY: Final = ("handle_cents", "paid_cents", "taken_cents", "over_cents", "under_cents")


@dataclass(frozen=True)
class RunSummary:
    """Days as they are published, with sums per currency."""

    snapshot: int
    days: list[date]
    tables: int
    rounds: int
    verified: int
    undetermined: int
    in_doubt: int
    evidence: dict[str, int]  # rounds
    lines: dict[str, int]  # all, accepted, repeated, quarantined; and files
    money: list[dict[str, Any]]  # by currency
    severities: dict[str, int]
    findings: list[dict[str, Any]]  # by code and currency, the gravest and dearest first
    look_first: list[dict[str, Any]]  # rounds in which most money went wrong

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"days": [day.isoformat() for day in self.days]}


def summarise(lake: Lake, days: Collection[date], tables: Collection[str] | None = None) -> RunSummary:
    """The newest snapshot of some days; ``LakeError`` where a part of it is damaged."""
    with reading(lake.path):
        return _summarise(lake, days, tables)


def _summarise(lake: Lake, days: Collection[date], tables: Collection[str] | None) -> RunSummary:
    snapshot = lake.snapshot()
    shown = sorted(set(days) & set(snapshot.days))

    def rows(name: str) -> pl.LazyFrame:
        return lake.scan(name, snapshot, shown, tables)

    verdict = pl.col("verdict")
    counted = rows("rounds").select(
        rounds=pl.len(),
        verified=(verdict != "undetermined").sum(),
        undetermined=(verdict == "undetermined").sum(),
        in_doubt=pl.col("doubt").is_not_null().sum(),
    )
    counts = counted.collect().row(0, named=True)
    evidence = rows("rounds").group_by("evidence").len().sort("len", descending=True).collect()
    return RunSummary(
        snapshot=snapshot.number,
        days=shown,
        tables=_tables(lake, snapshot, shown, tables),
        **counts,
        evidence=dict(evidence.iter_rows()),
        lines=_lines(rows("files")),
        money=_money(rows("rounds")),
        severities=_severities(rows("findings")),
        findings=_findings(rows("findings")),
        look_first=_dearest(rows("findings")),
    )


def _tables(lake: Lake, snapshot: Snapshot, days: list[date], tables: Collection[str] | None) -> int:
    files = lake.scan("files", snapshot, days, tables).filter(pl.col("table") != "")
    return int(files.select(pl.col("table").n_unique()).collect().item())


def _lines(files: pl.LazyFrame) -> dict[str, int]:
    names = ("lines", "accepted", "repeated", "quarantined")
    found = files.filter(pl.col("lines").is_not_null()).select(*(pl.col(name).sum() for name in names), files=pl.len())
    return found.collect().row(0, named=True)


def _money(rounds: pl.LazyFrame) -> list[dict[str, Any]]:
    found = rounds.group_by("currency").agg(pl.col(_MONEY).sum()).sort("currency")
    win = pl.col("taken_cents") - pl.col("paid_cents")
    hold = pl.when(pl.col("handle_cents") > 0).then(win / pl.col("handle_cents"))
    return found.with_columns(win_cents=win, hold=hold).collect().to_dicts()


def _severities(findings: pl.LazyFrame) -> dict[str, int]:
    found = dict(findings.group_by("severity").len().collect().iter_rows())
    return {name: found.get(name, 0) for name in _SEVERITIES}


def _findings(findings: pl.LazyFrame) -> list[dict[str, Any]]:
    variance = pl.col("variance_cents")
    by_code = findings.group_by("severity", "code", "currency").agg(
        count=pl.len(),
        over_cents=variance.filter(variance > 0).sum(),
        under_cents=variance.filter(variance < 0).sum(),
    )
    rank = pl.col("severity").replace_strict({name: n for n, name in enumerate(_SEVERITIES)}, return_dtype=pl.Int8)
    cost = pl.col("over_cents") - pl.col("under_cents")
    return by_code.sort(rank, -cost, -pl.col("count").cast(pl.Int64), "code", "currency").collect().to_dicts()


def _dearest(findings: pl.LazyFrame) -> list[dict[str, Any]]:
    """Rounds by what went wrong in them, whoever it favoured, of each currency the first few."""
    by_round = (
        findings.filter(pl.col("variance_cents") != 0, pl.col("round_id").is_not_null())
        .group_by("currency", "round_id")
        .agg(cents=pl.col("variance_cents").abs().sum(), codes=pl.col("code").unique().sort())
    )
    ranked = by_round.sort("cents", "round_id", descending=[True, False])
    return ranked.group_by("currency", maintain_order=True).head(_LOOK_FIRST).collect().to_dicts()
