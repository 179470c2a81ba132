"""Planted irregularities of the simulator beside the findings of a whole run."""

import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from tests.bench.campaign_zones import ZoneOrder, write_zone
from tests.pipelines.lakes import audited


def compare_planted(order: ZoneOrder) -> pl.DataFrame:
    """Run a zone into a lake and compare its findings with the truth, all columns of a row; one row per code."""
    with tempfile.TemporaryDirectory(prefix="audit21-campaign-") as name:
        folder = Path(name)
        os.environ["AUDIT21_KEY"] = str(folder / "key.pem")
        write_zone(order, folder / "zone")
        truth = pl.read_parquet(folder / "zone" / "truth.parquet")
        found = audited(folder / "zone", folder / "lake").read("findings")
        rows = matched_rows(truth, found.select(truth.columns).cast(truth.schema))
        return rows.with_columns(command=pl.lit(order.command()))


def matched_rows(truth: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Count by code the rows planted, found, missed, and found but not planted; ``rounds`` are some of the last two."""
    planted, reported = Counter(truth.rows()), Counter(found.rows())
    place, where = truth.columns.index("code"), truth.columns.index("round_id")
    counts = {
        "planted": planted,
        "found": planted & reported,
        "missed": planted - reported,
        "not planted": reported - planted,
    }
    rows = []
    for code in sorted({row[place] for row in planted + reported}):
        own = {name: [row for row in rows_.elements() if row[place] == code] for name, rows_ in counts.items()}
        odd = [str(row[where]) for row in (*own["missed"], *own["not planted"])]
        rows.append({"code": code, **{name: len(each) for name, each in own.items()}, "rounds": odd[:5]})
    types: dict[str, Any] = {"code": pl.String, **dict.fromkeys(counts, pl.Int64), "rounds": pl.List(pl.String)}
    return pl.DataFrame(rows, schema=types)
