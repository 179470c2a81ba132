"""A device that was off: its rounds are blind, not guilty, and one finding tells of each outage."""

from pathlib import Path

import polars as pl
import pytest

from tests.bench.campaign_truth import read
from tests.bench.campaign_zones import AuditedTable, ZoneOrder, audit, jobs, write_zone
from tests.some import some

SOURCE_MISSING = "evidence.source-missing"


def audited(folder: Path, *options: str, rounds: int = 150, seed: int = 5) -> list[AuditedTable]:
    write_zone(ZoneOrder("adversary", rounds, seed, options), folder / "zone")
    return [audit(job) for job in jobs(folder / "zone", folder / "lake" / "raw")]


def outages_of(folder: Path, least_lines: int) -> pl.DataFrame:
    return pl.read_parquet(folder / "zone" / "truth" / "outages.parquet").filter(pl.col("lines") >= least_lines)


@pytest.mark.parametrize("source", ["terminal", "shoe"])
def test_outage_without_missing_numbers(tmp_path: Path, source: str) -> None:
    tables = audited(tmp_path, "--clocks=drift", f"--outage={source}:30:1", "--outage-off")
    expected = outages_of(tmp_path, 30)
    assert len(expected) >= 4
    for table in tables:
        found = table.rows["findings"]
        assert found.filter(~pl.col("code").str.starts_with("evidence."))["message"].to_list() == []
        own = expected.filter(table=table.rows["rounds"]["table"][0])
        told = found.filter(code=SOURCE_MISSING).sort("at")
        assert len(told) == len(own)
        since = own["from_true_ms"].to_numpy() - told["at"].dt.epoch("ms").to_numpy()
        assert (abs(since) < 300_000).all()
        assert all(f"No lines received from the {source} from" in message for message in told["message"])


def test_rounds_cut_by_an_outage_are_undetermined(tmp_path: Path) -> None:
    tables = audited(tmp_path, "--outage=terminal:30:1", "--outage-off")
    blind = {name for name, happened in read("adversary", tmp_path / "zone").rounds.items() if happened.blind}
    settled = pl.concat([table.rows["settlements"] for table in tables])
    cut = settled.filter(pl.col("round_id").is_in(list(blind)))
    assert len(cut) > 5
    assert set(cut["verdict"]) == {"undetermined"}


@pytest.mark.parametrize("clocks", ["none", "hostile"])
def test_breaks_and_clocks_are_no_outages(tmp_path: Path, clocks: str) -> None:
    """Both devices are silent in a break; a clock that stepped moves cards away from their round."""
    for table in some(audited(tmp_path, f"--clocks={clocks}", "--late-keying", rounds=300)):
        assert table.rows["findings"].filter(code=SOURCE_MISSING)["message"].to_list() == []
