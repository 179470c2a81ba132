"""The usual floor stays as it is; the truth about another one tells where every card lay and how every clock ran."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from replay import ops
from replay.simulator import camera, house, nature, truth, zone
from replay.simulator.nature import Nature, PlannedOutage
from replay.simulator.plant import pick
from replay.simulator.simulate import FIRST_DAY, SimulatedDay, Simulation, SimulationOptions
from tests.replay.nature_days import played

# Of the landing files below, as they were before there were options.
USUAL_FLOOR = "b0c2aa7fe41e92edd26b3ea9ecf88c96b73786cb830624185e7288798625d9ea"
WORST = Nature("hostile", "mixed", late_keying=True)
TRUTHS = {truth.CARDS, truth.CLOCKS, truth.ROUNDS}


def written(out: Path, wanted: SimulationOptions, rate: float = 0.0) -> zone.Summary:
    floor = house.toml(house.default_floor("all", 5, FIRST_DAY, wanted.days, wanted.seed))
    out.mkdir()
    return zone.write(out, Simulation(floor, wanted, rate), {})


def digest(out: Path) -> str:
    """A hash of the landing files and their names."""
    found = sha256()
    for path in sorted(out.rglob("*.ndjson")):
        found.update(path.relative_to(out).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def test_the_usual_floor_is_what_it_was(tmp_path: Path) -> None:
    wanted = SimulationOptions(15, 21, 2, camera=True)
    written(tmp_path / "usual", wanted, 0.1)
    assert digest(tmp_path / "usual") == USUAL_FLOOR
    assert not TRUTHS & {path.name for path in (tmp_path / "usual").iterdir()}
    written(tmp_path / "told", wanted._replace(nature=Nature(truth_cards=True)), 0.1)
    assert digest(tmp_path / "told") == USUAL_FLOOR
    assert {path.name for path in (tmp_path / "told").iterdir()} > TRUTHS


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        written(tmp_path / name, SimulationOptions(30, 11, camera=True, nature=WORST), 0.05)
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir() if path.is_file()}
        for name in ("one", "two")
    )
    assert one == two
    assert digest(tmp_path / "one") == digest(tmp_path / "two")


# Cards.


def last_stays(each: SimulatedDay) -> pl.DataFrame:
    """Return the last zone of every card, from the camera's placements."""
    placed = camera.placements(each.log, each.names, bool(each.rules.hole_card))
    last = placed.group_by("shoe", "n", maintain_order=True).agg(pl.all().last(), began=pl.col("laid_ms").min())
    return last.select("shoe", "n", "card", "zone", position="order", ms="began").sort("shoe", "n")


@pytest.mark.parametrize(("options", "rate"), [(Nature(truth_cards=True), 0.0), (WORST, 0.0), (WORST, 0.1)])
def test_cards_lie_where_the_camera_has_them(options: Nature, rate: float) -> None:
    moved = 0
    for each in played(options, rounds=120, rate=rate):
        told = truth.cards_frame(FIRST_DAY, each.log, each.names)
        assert len(told) == np.count_nonzero(each.log.op == ops.DRAW)
        told = told.with_columns(ms=pl.col("true_time").dt.epoch("ms")).sort("shoe", "n")
        assert told.select("shoe", "n", "card", "zone", "position", "ms").equals(last_stays(each))
        moved += int(told["zone"].str.ends_with("hand2").sum())
    assert moved > 5, "no pair was split"


def test_truth_files_agree_with_the_lines(tmp_path: Path) -> None:
    written(tmp_path / "zone", SimulationOptions(20, 3, camera=True, nature=Nature("step", "dense")))
    told = pl.read_parquet(tmp_path / "zone" / truth.CARDS)
    clocks = pl.read_parquet(tmp_path / "zone" / truth.CLOCKS).filter(source="shoe").sort("from")
    drawn = []
    for path in sorted((tmp_path / "zone").glob("2*/*/shoe.ndjson")):
        lines = pl.read_ndjson(path, infer_schema_length=None).filter(type="draw")
        drawn.append(lines.select("table", "shoe", "n", "card", shown=pl.col("ts").str.to_datetime(time_zone="UTC")))
    both = pl.concat(drawn).join(told, ["table", "shoe", "n", "card"], "full", coalesce=True, validate="1:1")
    assert not both["shown"].null_count() and not both["true_time"].null_count()
    both = both.sort("true_time").join_asof(clocks, left_on="true_time", right_on="from", by="table")
    gained = (pl.col("true_time") - pl.col("from")).dt.total_milliseconds() * pl.col("drift_ppm") / 1e6
    off = (pl.col("shown") - pl.col("true_time")).dt.total_milliseconds()
    late = both.select(off - pl.col("offset_ms") - gained).to_series()
    assert late.min() >= -1 and late.max() <= 301  # type: ignore[operator]


# Options.


def test_options_are_read() -> None:
    assert nature.parse_misdeals("unlogged:0.02") == 0.02
    assert nature.parse_misdeals(None) == 0
    assert nature.parse_outage("shoe:5:2") == PlannedOutage("shoe", 5, 2)
    assert nature.parse_outage("camera:0.5:1") == PlannedOutage("camera", 0.5, 1)


@pytest.mark.parametrize("text", ["0.02", "logged:0.02", "unlogged:", "unlogged:2", "unlogged:-1", "unlogged:nan"])
def test_misdeals_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(nature.NatureError, match="--misdeals: found"):
        nature.parse_misdeals(text)


@pytest.mark.parametrize("text", ["shoe", "shoe:5", "wheel:5:1", "shoe:0:1", "shoe:x:1", "shoe:5:x", "shoe:5:1:1"])
def test_outages_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(nature.NatureError, match="--outage: found"):
        nature.parse_outage(text)


@pytest.mark.parametrize("option", [("--clocks", "wrong"), ("--pace", "fast"), ("--misdeals", "2")])
def test_the_command_names_a_bad_option(option: tuple[str, str], tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["simulate", str(tmp_path / "zone"), *option])
    assert result.exit_code == 2
    assert f"{option[0]}: found '{option[1]}', expected" in result.stderr


def test_the_command_takes_the_options(tmp_path: Path) -> None:
    options = ["--clocks", "hostile", "--pace", "mixed", "--habits", "--late-keying"]
    out = tmp_path / "zone"
    result = CliRunner().invoke(app, ["simulate", str(out), "--tables", "2", "--rounds", "10", *options])
    assert result.exit_code == 0, result.stderr
    assert {path.name for path in out.iterdir()} > TRUTHS
    assert pl.read_parquet(out / truth.CLOCKS).filter(source="terminal")["jitter_ms"].to_list()[0] == 300


def test_plants_that_go_by_the_time_of_day_are_refused_at_another_pace() -> None:
    floor = house.toml(house.default_floor("md-pontoon21", 1, FIRST_DAY, 1, 1))
    with pytest.raises(pick.PlantError, match=r"shoe\.decks-stale"):
        Simulation(floor, SimulationOptions(10, nature=Nature(pace="dense")), 0.0, {pick.Order("shoe.decks-stale"): 1})
