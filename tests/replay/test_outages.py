"""Outages lose a device's lines for some minutes: the gaps are those of the truth, and what is left is as it was."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from replay.simulator import house, landing, truth, zone
from replay.simulator.nature import Nature, NatureError, PlannedOutage
from replay.simulator.simulate import FIRST_DAY, SimulatedDay, Simulation, SimulationOptions
from tests.replay.nature_days import lines, played
from tests.some import some

DEVICES = ("shoe", "terminal", "camera")


def written(out: Path, nature: Nature, parts: int = 1) -> list[Path]:
    """The folders of a floor's tables."""
    floor = house.toml(house.default_floor("all", 5, FIRST_DAY, 1, 5))
    out.mkdir()
    wanted = SimulationOptions(60, 5, form=landing.Form(parts), camera=True, nature=nature)
    zone.write(out, Simulation(floor, wanted), {})
    return sorted(out.glob("2*/*"))


def events(folder: Path, source: str) -> list[dict[str, Any]]:
    """The lines of a source's files, with the path of the file that each stands in."""
    found = []
    for path in sorted(folder.glob(f"{source}*")):
        found += [json.loads(line) | {"path": path} for line in path.read_text().splitlines()]
    return found


def gaps(found: list[dict[str, Any]]) -> list[int]:
    """Positions of lines after a gap."""
    return [n for n in range(1, len(found)) if found[n]["seq"] != found[n - 1]["seq"] + 1]


def minutes_of(each: SimulatedDay, source: str) -> list[float]:
    """Return the length of each gap in minutes, from the first to the last line lost."""
    ms, _ = each.material.logged(source)
    rows = sorted(each.material.lost[source])
    parts = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    return [float(ms[part[-1]] - ms[part[0]]) / 60_000 for part in parts]


@pytest.mark.parametrize("device", DEVICES)
def test_numbers_jump_as_often_as_asked(device: str, tmp_path: Path) -> None:
    outage = PlannedOutage(device, 2, 3)
    folders = written(tmp_path / "zone", Nature(outages=(outage,)))
    for folder, each in some(zip(folders, by_table(Nature(outages=(outage,))), strict=True)):
        found = events(folder, device)
        assert len(gaps(found)) == 3
        for other in set(DEVICES) - {device}:
            assert not gaps(events(folder, other))
        # What is left is what was there before.
        whole = {line["seq"]: line for line in lines(each, device)}
        assert all(whole[line["seq"]] == {k: v for k, v in line.items() if k != "path"} for line in found)
        assert found[0]["seq"] == 1 and found[-1]["seq"] == len(whole)


def by_table(nature: Nature) -> list[SimulatedDay]:
    return sorted(played(nature), key=lambda each: each.table.id)


def test_the_shoes_ordinals_jump_too(tmp_path: Path) -> None:
    for folder in some(written(tmp_path / "zone", Nature(outages=(PlannedOutage("shoe", 3, 1),)))):
        draws = [line for line in events(folder, "shoe") if line["type"] == "draw"]
        jumps = [b["n"] - a["n"] for a, b in pairwise(draws) if a["shoe"] == b["shoe"] and b["n"] != a["n"] + 1]
        assert len(jumps) <= 1 and all(jump > 1 for jump in jumps)


@pytest.mark.parametrize("device", DEVICES)
def test_an_outage_lasts_so_long(device: str) -> None:
    for each in some(played(Nature(outages=(PlannedOutage(device, 4, 2),)))):
        lasted = minutes_of(each, device)
        assert len(lasted) == 2
        assert max(lasted) < 4
        ms, _ = each.material.logged(device)
        for first, last in _edges(sorted(each.material.lost[device])):
            assert ms[last + 1] - ms[first - 1] > 4 * 60_000


def _edges(rows: list[int]) -> list[tuple[int, int]]:
    parts = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    return [(int(part[0]), int(part[-1])) for part in parts]


@pytest.mark.parametrize("parts", [1, 4])
def test_the_truth_names_file_and_rounds(parts: int, tmp_path: Path) -> None:
    nature = Nature(outages=(PlannedOutage("shoe", 2, 2), PlannedOutage("terminal", 1, 1)))
    folders = written(tmp_path / "zone", nature, parts)
    planted = pl.read_parquet(tmp_path / "zone" / "truth.parquet")
    rounds = pl.read_parquet(tmp_path / "zone" / truth.ROUNDS)
    assert set(planted["code"]) == {"evidence.sequence-gap"} and len(planted) == 2 * len(folders)
    for folder in folders:
        shown = set()
        for source in ("shoe", "terminal"):
            found = events(folder, source)
            shown.add(found[gaps(found)[0]]["path"].relative_to(tmp_path / "zone").as_posix())
        assert shown == set(planted.filter(table=folder.name)["path"])
        (each,) = (each for each in played(nature) if each.table.id == folder.name)
        told = rounds.filter(table=folder.name)
        for source in ("shoe", "terminal"):
            blind = told.filter(pl.col("class") == f"blind:{source}")["round_id"].str.split("/").list.last()
            _, number = each.material.logged(source)
            lost = {str(number[row]) for row in each.material.lost[source]} - {"0"}
            assert set(blind) == lost and lost


def test_planted_disagreements_avoid_blind_rounds() -> None:
    for each in some(played(Nature(outages=(PlannedOutage("shoe", 20, 1),)), rate=0.3)):
        blind = {odd.number for odd in each.odd}
        seen = {truth.round for truth in each.truth if truth.code.endswith("-disagreement")}
        assert not blind & seen


def test_outages_that_do_not_fit_are_refused() -> None:
    with pytest.raises(NatureError, match="900 minutes do not fit"):
        played(Nature(outages=(PlannedOutage("shoe", 900, 1),)))
    floor = house.toml(house.default_floor("all", 1, FIRST_DAY, 1, 5))
    with pytest.raises(NatureError, match="add --camera"):
        Simulation(floor, SimulationOptions(10, nature=Nature(outages=(PlannedOutage("camera", 1, 1),))))


def test_the_command_tells_of_outages(tmp_path: Path) -> None:
    out = tmp_path / "zone"
    command = ["simulate", str(out), "--tables", "2", "--rounds", "30"]
    result = CliRunner().invoke(app, [*command, "--outage", "shoe:2:1", "--outage", "terminal:1:1"])
    assert result.exit_code == 0, result.stderr
    assert "evidence.sequence-gap" in result.stdout
    assert set(pl.read_parquet(out / truth.ROUNDS)["class"]) == {"blind:shoe", "blind:terminal"}
