"""The tables that the campaign prints, from rows that were added up."""

from collections.abc import Iterator
from itertools import pairwise

import polars as pl
from rich.table import Table

from tests.bench.campaign_compare import Compared

_BINS = (0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0)


_CLEAN = [
    *("zones", "rounds", "accused", "per 10,000", "ambiguous", "settlements undetermined"),
    *("rounds undetermined, per 100,000", "cards in wrong places", "rounds with such"),
]
_MISDEALS = [
    *("class", "rounds", "named", "alone", "named or listed", "ambiguous", "called clean"),
    *("money: other boxes", "money: the box", "any false"),
]


def _table(title: str, columns: list[str], rows: Iterator[tuple[str, ...]]) -> Table:
    """Return a table whose first column is text and whose others are numbers."""
    table = Table(title=title)
    for n, name in enumerate(columns):
        table.add_column(name, justify="right" if n else "left", no_wrap=not n, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def _share(part: float, whole: float, digits: int = 1) -> str:
    return f"{100 * part / whole:.{digits}f} %" if whole else "–"


def clean(compared: Compared, title: str) -> Iterator[Table]:
    """Clean rounds: what they were accused of, and what was left open."""
    seen = compared.rounds.filter(~pl.col("blind"))
    hostile = seen.filter(pl.col("zones").str.contains("clocks=hostile", literal=True))
    sums = [seen, seen.with_columns(generator=pl.lit("all"))]
    sums.append(hostile.with_columns(generator=pl.lit("all with hostile clocks")))
    together = pl.concat(sums)
    yield _table(f"{title}, outside of outages", _CLEAN, _clean_rows(together, "generator"))
    yield _table(f"{title}, outside of outages, by kind of zone", _CLEAN, _clean_rows(seen, "zones"))
    blind = compared.rounds.filter(pl.col("blind"))
    if len(blind):
        yield _table(f"{title}: blind rounds, which lost a line", _CLEAN, _clean_rows(blind, "zones"))
    false = compared.findings.filter(~pl.col("true")).group_by("code", "place").len()
    places = ("round", "blind round", "no round")
    codes = false.pivot("place", index="code", values="len").fill_null(0).sort("code")
    yield _table(
        f"{title}: false findings by code",
        ["code", "rounds", "blind rounds", "shoes and tables"],
        ((row["code"], *(f"{row.get(place, 0):,}" for place in places)) for row in codes.iter_rows(named=True)),
    )


def _clean_rows(rounds: pl.DataFrame, by: str) -> Iterator[tuple[str, ...]]:
    for row in rounds.group_by(by).agg(pl.col(pl.Int64).sum()).sort(by).iter_rows(named=True):
        yield (
            row[by],
            f"{row['rounds']:,}",
            f"{row['accused']:,}",
            f"{1e4 * row['accused'] / row['rounds']:.1f}",
            f"{row['ambiguous']:,}",
            _share(row["undetermined"], row["settlements"], 3),
            f"{1e5 * row['open'] / row['rounds']:,.0f}",
            f"{row['wrong_cards']:,}",
            f"{row['misplaced']:,}",
        )


def clocks(compared: Compared, title: str) -> Table:
    """Pieces of shoes' clocks: whether the true offset is within the stated uncertainty, and how wide that is."""
    rows = compared.clocks.with_columns(
        within=pl.col("beyond_ms") <= 0, ratio=pl.col("uncertainty_ms") / pl.col("gap_ms")
    )
    all_ = rows.with_columns(zones=pl.lit("all"))
    sums = (
        pl.concat([rows, all_])
        .group_by("zones")
        .agg(
            pl.len(),
            pl.col("within").sum(),
            pl.col("draws", "inside").sum(),
            pl.col("uncertainty_ms", "gap_ms", "ratio").median(),
        )
        .sort("zones")
    )
    return _table(
        title,
        [
            "zones",
            "pieces",
            "true offset within",
            "draws within",
            "median uncertainty, ms",
            "usual gap, ms",
            "ratio",
        ],
        (
            (
                row["zones"],
                f"{row['len']:,}",
                _share(row["within"], row["len"], 2),
                _share(row["inside"], row["draws"], 2),
                f"{row['uncertainty_ms']:,.0f}",
                f"{row['gap_ms']:,.0f}",
                f"{row['ratio']:.2f}",
            )
            for row in sums.iter_rows(named=True)
        ),
    )


def misdeals(compared: Compared, title: str) -> Table:
    """Unlogged misdeals by class: whether each was named or listed, and who was accused instead."""
    counted = compared.rounds.filter(~pl.col("blind"))
    sums = counted.group_by("generator", "kind").agg(pl.col(pl.Int64).sum()).sort("generator", "kind")
    return _table(
        title,
        _MISDEALS,
        (
            (
                f"{row['generator']}: {row['kind']}",
                f"{row['rounds']:,}",
                *(
                    _share(row[name], row["rounds"])
                    for name in ("named", "alone", "listed", "ambiguous", "called_clean")
                ),
                f"{row['against_others']:,} ({_share(row['against_others'], row['rounds'], 2)})",
                f"{row['against_box']:,}",
                f"{row['accused']:,}",
            )
            for row in sums.iter_rows(named=True)
        ),
    )


def calibration(compared: Compared, title: str) -> Iterator[Table]:
    """Findings and stories by how certain they are, beside how often they are true; not those about the evidence."""
    about = ~pl.col("code").str.starts_with("evidence.") & (pl.col("place") != "blind round")
    findings = compared.findings.filter(about)
    yield _table(
        f"{title}: findings by certainty",
        ["certainty", "findings", "true", "mean certainty"],
        _reliability(findings.rename({"certainty": "weight"})),
    )
    yield _table(
        f"{title}: stories by weight",
        ["weight", "stories", "true", "mean weight"],
        _reliability(compared.stories),
    )
    by_code = findings.group_by("code").agg(pl.len(), pl.col("true").sum())
    yield _table(
        f"{title}: findings by code",
        ["code", "findings", "true"],
        ((code, f"{count:,}", f"{true:,}") for code, count, true in by_code.sort("code").iter_rows()),
    )


def _reliability(rows: pl.DataFrame) -> Iterator[tuple[str, ...]]:
    """Count rows and true rows by weight."""
    for low, high in pairwise(_BINS):
        top = high == _BINS[-1]
        own = rows.filter((pl.col("weight") >= low) & ((pl.col("weight") < high) | top))
        if len(own):
            mean = own.select(pl.col("weight").mean()).item()
            name = f"{low:g} and more" if top else f"{low:g} to {high:g}"
            yield name, f"{len(own):,}", _share(int(own["true"].sum()), len(own), 2), f"{mean:.3f}"


def planted(rows: pl.DataFrame, title: str) -> Table:
    """Planted irregularities by code: found, missed, and findings that nobody planted."""
    names = ["planted", "found", "missed", "not planted"]
    sums = rows.group_by("code").agg(pl.col(names).sum()).sort("code")
    all_ = sums.select(pl.lit("all").alias("code"), pl.col(names).sum())
    odd = sums.filter((pl.col("missed") > 0) | (pl.col("not planted") > 0))
    counted = pl.concat([odd, all_]).iter_rows()
    return _table(
        f"{title}; codes with a discrepancy, and all",
        ["code", *names],
        ((code, *(f"{count:,}" for count in counts)) for code, *counts in counted),
    )


def planted_examples(rows: pl.DataFrame, most: int) -> Iterator[str]:
    """Describe some rounds of every code with a discrepancy, so that each can be made again."""
    odd = rows.filter(pl.col("rounds").list.len() > 0).sort("code", maintain_order=True)
    for (code,), own in odd.group_by("code", maintain_order=True):
        yield f"missed or not planted: {code}"
        for row in own.head(most).iter_rows(named=True):
            yield f"  {row['command']}"
            yield f"    {row['missed']} missed, {row['not planted']} not planted: {', '.join(row['rounds'])}"


def cost(parts: dict[str, Compared]) -> Table:
    """Seconds of alignment and stories beside all of ``audit_table``, in one process."""

    def rows() -> Iterator[tuple[str, ...]]:
        for name, compared in parts.items():
            rounds, align, stories, all_ = compared.seconds.select("rounds", "align", "stories", "all").sum().row(0)
            per = 1e5 / rounds
            share = _share(align + stories, all_)
            yield name, f"{rounds:,}", f"{align * per:.1f}", f"{stories * per:.1f}", f"{all_ * per:.1f}", share

    columns = ["zones", "rounds", "align, s", "stories, s", "audit_table, s", "align and stories"]
    return _table("cost per 100,000 rounds, in one process", columns, rows())


def examples(compared: Compared, most: int) -> Iterator[str]:
    """Describe some examples of every kind of failure, so that each can be made again."""
    for (failure,), own in compared.examples.sort("failure", maintain_order=True).group_by(
        "failure", maintain_order=True
    ):
        yield f"{failure} ({len(own)} kept)"
        spread = own.unique("command", keep="first", maintain_order=True)
        for row in pl.concat([spread, own]).unique(maintain_order=True).head(most).iter_rows(named=True):
            yield f"  {row['command']}"
            yield f"    {row['table']}  {row['where']}: {row['detail']}"
            yield from (f"      {story}" for story in row["stories"][:5])
