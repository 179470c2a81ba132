"""Totals of a day's audit, counted while its rows are written."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final, TypeAlias

import polars as pl
import pyarrow as pa

Frame: TypeAlias = "pa.Table | pl.DataFrame"
_COUNTERS: Final = ("findings", "codes", "evidence", "rows")
_NUMBERS: Final = (
    *("tables", "rounds", "lines", "accepted", "repeated", "quarantined", "files", "wagers", "undetermined"),
    "in_doubt",
)


@dataclass
class Money:
    """Sums in one currency, in cents."""

    handle: int = 0
    paid: int = 0
    taken: int = 0
    over: int = 0
    under: int = 0

    @property
    def win(self) -> int:
        """The house's win, in cents."""
        return self.taken - self.paid

    @property
    def variance(self) -> int:
        """The net cost of errors to the house, in cents."""
        return self.over + self.under


@dataclass
class Audited:
    """A day's audit: staged, not yet published."""

    day: date
    tables: int = 0
    rounds: int = 0
    lines: int = 0
    accepted: int = 0
    repeated: int = 0
    quarantined: int = 0
    files: int = 0
    wagers: int = 0
    undetermined: int = 0
    in_doubt: int = 0
    unbalanced: list[str] = field(default_factory=list)  # files whose lines do not add up
    findings: Counter[str] = field(default_factory=Counter)  # by severity
    codes: Counter[str] = field(default_factory=Counter)
    evidence: Counter[str] = field(default_factory=Counter)  # rounds
    money: dict[str, Money] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)  # tables that a fault of ours kept from being audited
    rows: Counter[str] = field(default_factory=Counter)  # by dataset

    def add(self, found: Mapping[str, Frame]) -> None:
        """Count a table's rows."""
        self.tables += 1
        for name, rows in found.items():
            self.rows[name] += len(rows)
        self._add_files(pl.DataFrame(found["files"]))
        if "findings" in found:
            findings = pl.DataFrame(found["findings"])
            self.findings.update(findings["severity"].to_list())
            self.codes.update(findings["code"].to_list())
        if "rounds" in found:
            self._add_rounds(found["rounds"])

    def join(self, other: "Audited") -> None:
        """Count what was counted elsewhere."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))
        self.unbalanced += other.unbalanced
        self.failed |= other.failed
        for currency, sums in other.money.items():
            self._add_money(currency, *vars(sums).values())

    def _add_money(self, currency: str, *sums: int) -> None:
        known = self.money.setdefault(currency, Money())
        for name, value in zip(vars(known), sums, strict=True):
            setattr(known, name, getattr(known, name) + value)

    def _add_files(self, files: pl.DataFrame) -> None:
        self.files += len(files)
        lined = files.filter(pl.col("lines").is_not_null())
        for name in ("lines", "accepted", "repeated", "quarantined"):
            setattr(self, name, getattr(self, name) + int(lined[name].sum()))
        odd = pl.col("lines") != pl.sum_horizontal("accepted", "repeated", "quarantined")
        self.unbalanced += lined.filter(odd)["path"].to_list()

    def _add_rounds(self, table: pa.Table) -> None:
        money = ("handle_cents", "paid_cents", "taken_cents", "over_cents", "under_cents")
        rounds = pl.DataFrame(table.select(["currency", "evidence", "verdict", "doubt", "wagers", *money]))
        self.rounds += len(rounds)
        self.wagers += int(rounds["wagers"].sum())
        self.undetermined += int((rounds["verdict"].cast(pl.String) == "undetermined").sum())
        self.in_doubt += int(rounds["doubt"].is_not_null().sum())
        self.evidence.update(rounds["evidence"].cast(pl.String).to_list())
        for row in rounds.group_by(pl.col("currency").cast(pl.String)).agg(pl.col(money).sum()).iter_rows():
            self._add_money(*row)

    def as_data(self) -> dict[str, Any]:
        """For JSON."""
        money = {currency: asdict(sums) for currency, sums in self.money.items()}
        return vars(self) | {"day": self.day.isoformat(), "money": money}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Audited":
        """From what ``as_data`` gave."""
        counters = {name: Counter(data[name]) for name in _COUNTERS}
        money = {currency: Money(**sums) for currency, sums in data["money"].items()}
        return cls(**{**data, **counters, "money": money, "day": date.fromisoformat(data["day"])})


@dataclass(frozen=True)
class PublishedDay:
    """A day as readers see it now."""

    day: date
    snapshot: int
    reason: str
    restates: bool
    checkpoint: Path
    stills: int = 0  # of films, that show findings
    followed: tuple[
        "PublishedDay", ...
    ] = ()  # later days that had to be audited again because of what this one carries
