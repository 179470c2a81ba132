"""Stories in the lake: rows of ``stories`` and the findings that follow from them, against the simulator's truth."""

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from replay.simulator.nature import Nature
from tests.pipelines import lakes
from tests.pipelines.align import true_clocks
from tests.pipelines.stories.told_rounds import MOST_STORIES
from warehouse.lake import Lake


@pytest.fixture(scope="module")
def zone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A floor on which a tenth of the rounds is misdealt and nobody logs it; clocks drift and stamp late."""
    nature = Nature(clocks="jitter", misdeals=0.1)
    return true_clocks.written(tmp_path_factory.mktemp("misdealt"), nature, 80, 4)


@pytest.fixture(scope="module")
def lake(zone: Path, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return lakes.audited(zone, tmp_path_factory.mktemp("lake"))


@pytest.fixture(scope="module")
def misdealt(zone: Path) -> pl.DataFrame:
    return pl.read_parquet(zone / "truth-rounds.parquet")


def test_weights_of_a_round_sum_to_at_most_one_and_fall_with_rank(lake: Lake) -> None:
    stories = lake.read("stories")
    assert stories.height > 0
    for (_,), rows in stories.group_by("round_id", maintain_order=True):
        assert rows["rank"].to_list() == list(range(1, rows.height + 1))
        assert rows.height <= MOST_STORIES
        assert rows["weight"].is_sorted(descending=True)
        assert rows["weight"].sum() <= 1 + 1e-9


def test_every_ambiguous_round_has_its_stories_and_no_other_accusation(lake: Lake) -> None:
    findings, stories = lake.read("findings"), lake.read("stories")
    ambiguous = findings.filter(code="evidence.ambiguous")
    assert ambiguous.height > 0
    assert set(ambiguous["severity"]) == {"low"}
    assert set(ambiguous["variance_cents"]) == {0}
    assert set(ambiguous["round_id"]) <= set(stories["round_id"])
    assert ambiguous["round_id"].is_unique().all()
    for row in ambiguous.iter_rows(named=True):
        first = stories.filter(round_id=row["round_id"], rank=1)["summary"].item()
        assert first in row["message"]


def test_wagers_that_stories_differ_on_are_undetermined(lake: Lake) -> None:
    """An ambiguous round accuses nobody of a payment."""
    ambiguous = lake.read("findings").filter(code="evidence.ambiguous")["round_id"].implode()
    settled = lake.read("settlements").filter(pl.col("round_id").is_in(ambiguous))
    assert set(settled["verdict"]) <= {"correct", "undetermined"}
    assert settled["variance_cents"].sum() == 0


def test_inferred_findings_say_so(lake: Lake, misdealt: pl.DataFrame) -> None:
    inferred = lake.read("findings").filter(evidence="inferred")
    assert inferred.height > 0
    assert inferred["code"].str.starts_with("deal.").all()
    assert (inferred["certainty"] >= 0.99).all()
    assert set(inferred["handling"]) <= {"unreported", None}
    assert inferred["round_id"].is_in(misdealt["round_id"].implode()).all(), "an innocent round was called misdealt"


def test_rounds_that_were_dealt_well_are_not_accused(lake: Lake, misdealt: pl.DataFrame) -> None:
    findings = lake.read("findings").filter(pl.col("round_id").is_not_null())
    innocent = findings.filter(~pl.col("round_id").is_in(misdealt["round_id"].implode()))
    assert innocent.select("round_id", "code", "message").rows() == []


def test_boxes_of_misdealt_rounds_are_not_accused(lake: Lake, misdealt: pl.DataFrame) -> None:
    """All of them were paid for the cards as they lay."""
    findings = lake.read("findings").filter(pl.col("round_id").is_in(misdealt["round_id"].implode()))
    accused = findings.filter(pl.col("code").str.starts_with("settlement."))
    assert accused.select("round_id", "code", "seat", "message").rows() == []


def _told(stories: pl.DataFrame) -> set[str]:
    """The codes of the misdeals that stories suppose, and of those that nobody can tell from them."""
    also = stories["alternatives"].explode().drop_nulls().str.split(" ").list.first()
    return {*stories["deviations"].explode().drop_nulls(), *also}


def test_the_likeliest_storys_misdeal_is_the_true_one_or_is_listed(
    lake: Lake, zone: Path, misdealt: pl.DataFrame
) -> None:
    """Of misdealt rounds that were noticed, nearly all have their true code among the stories."""
    truth = pl.read_parquet(zone / "truth.parquet").filter(pl.col("round_id").is_in(misdealt["round_id"].implode()))
    stories = lake.read("stories")
    told = truth.filter(pl.col("round_id").is_in(stories["round_id"].implode()))
    missing = [
        (row["round_id"], row["code"])
        for row in told.iter_rows(named=True)
        if row["code"] not in _told(stories.filter(round_id=row["round_id"]))
    ]
    assert len(missing) <= told.height // 10, missing


def test_the_same_input_gives_the_same_rows(zone: Path, lake: Lake, tmp_path: Path) -> None:
    again = lakes.verdicts(lakes.audited(zone, tmp_path))
    for name, rows in lakes.verdicts(lake).items():
        assert_frame_equal(rows, again[name])


def test_a_certainty_in_the_floor_plan_changes_what_is_said(zone: Path, lake: Lake, tmp_path: Path) -> None:
    text = (zone / "floor.toml").read_text()
    (zone / "floor.toml").write_text(f"{text}\n[audit]\ncertainty = 0.7\n")
    try:
        bold = lakes.audited(zone, tmp_path).read("findings")
    finally:
        (zone / "floor.toml").write_text(text)
    usual = lake.read("findings")
    assert bold.filter(code="evidence.ambiguous").height < usual.filter(code="evidence.ambiguous").height
    assert bold.filter(evidence="inferred").height > usual.filter(evidence="inferred").height
    assert (bold["certainty"] >= 0.7).all()
