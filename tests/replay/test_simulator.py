"""The simulated floor: it plays by the rules, the same way every time, and looks like a floor."""

import os
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from replay import cards, ops
from replay.codes import CODES
from replay.simulator import edge, house, profiles, zone
from replay.simulator import log as J
from replay.simulator import people as P
from replay.simulator.filming import Filming
from replay.simulator.plant import pick
from replay.simulator.simulate import FIRST_DAY, Simulation, SimulationOptions
from tests.books import IDS
from tests.replay import zone_reader
from tests.some import some


def a_floor(book: str, tables: int, seed: int, days: int = 1) -> str:
    return house.toml(house.default_floor(book, tables, FIRST_DAY, days, seed))


def written(out: Path, floor: str, wanted: SimulationOptions, rate: float = 0.0, *plants: str) -> zone.Summary:
    """A landing zone in a folder."""
    orders: Counter[pick.Order] = Counter()
    for text in plants:
        order, count = pick.parse(text)
        orders[order] += count
    out.mkdir()
    return zone.write(out, Simulation(floor, wanted, rate, orders), {})


# Clean and planted floors, audited from their files.


@pytest.mark.parametrize("book", IDS)
def test_a_clean_floor_has_nothing_to_find(book: str, tmp_path: Path) -> None:
    for seed in range(3):
        summary = written(tmp_path / str(seed), a_floor(book, 5, seed, 2), SimulationOptions(60, seed, 2))
        assert summary.truth.is_empty()
        assert not zone_reader.audited(tmp_path / str(seed))


@pytest.mark.parametrize("book", IDS)
def test_a_planted_floor_gives_what_was_planted(book: str, tmp_path: Path) -> None:
    for seed in range(3):
        written(tmp_path / str(seed), a_floor(book, 4, seed), SimulationOptions(150, seed), 0.08)
        truth, found = zone_reader.truth(tmp_path / str(seed)), zone_reader.audited(tmp_path / str(seed))
        assert truth, "nothing was planted"
        assert truth == found, f"seed {seed}: not found {truth - found}, not planted {found - truth}"


def test_plants_by_name_come_as_often_as_asked(tmp_path: Path) -> None:
    summary = written(
        tmp_path / "zone",
        a_floor("all", 5, 3),
        SimulationOptions(150, 3),
        0.0,
        "shoe.ten-found/unreported:2",
        "wager.late:3",
    )
    found = Counter(summary.truth["code"])
    found.pop("round.void-required", None)  # where one ten makes the round void, and nobody acted on it
    assert found == {"shoe.ten-found": 2, "wager.late": 3}
    assert set(summary.truth.filter(code="shoe.ten-found")["handling"]) == {"unreported"}
    assert not summary.unplanted


def test_a_plant_finds_the_one_table_that_it_suits(tmp_path: Path) -> None:
    for seed in range(3):
        floor = a_floor("md-pontoon21,mbs-pontoon", 2, seed)
        summary = written(
            tmp_path / str(seed), floor, SimulationOptions(60, seed), 0.0, "reader.not-used:1", "wager.separated:1"
        )
        assert Counter(summary.truth["code"]) == {"reader.not-used": 1, "wager.separated": 1}


def test_all_codes_at_once(tmp_path: Path) -> None:
    codes = [code.name for code in CODES if not code.name.startswith(("evidence.", "floor."))]
    written(tmp_path / "zone", a_floor("all", 10, 5), SimulationOptions(200, 5), 0.0, *(f"{code}:2" for code in codes))
    truth, found = zone_reader.truth(tmp_path / "zone"), zone_reader.audited(tmp_path / "zone")
    assert len({row[5] for row in truth}) > 65
    assert truth == found, f"not found {truth - found}, not planted {found - truth}"


def test_what_no_round_suits_is_told(tmp_path: Path) -> None:
    summary = written(
        tmp_path / "zone", a_floor("mbs-pontoon", 1, 1), SimulationOptions(30, 1), 0.0, "reader.not-used:2"
    )
    assert summary.unplanted == {"reader.not-used": 2}


@pytest.mark.parametrize("text", ["shoe.ten-found", "shoe.no-such:1", "shoe.ten-found/badly:1", "shoe.ten-found:x"])
def test_a_plant_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(pick.PlantError, match="expected a code and a number"):
        pick.parse(text)


# The same seed, the same files.


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    wanted = SimulationOptions(40, 11, 2, camera=True, filming=Filming(2, 10))
    for name in ("one", "two"):
        written(tmp_path / name, a_floor("all", 5, 11, 2), wanted, 0.1)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    written(tmp_path / "other", a_floor("all", 5, 11, 2), wanted._replace(seed=12), 0.1)
    assert contents(tmp_path / "one") != contents(tmp_path / "other")


def test_compiled_and_uncompiled_play_the_same(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("audit21")), "simulate", "--rounds", "12", "--irregularities", "0.2"]
    for name, off in (("compiled", "0"), ("uncompiled", "1")):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": off}
        subprocess.run([*command, str(tmp_path / name)], env=environment, check=True, capture_output=True, timeout=300)
    assert contents(tmp_path / "compiled") == contents(tmp_path / "uncompiled")


def test_days_of_a_longer_run_are_the_same(tmp_path: Path) -> None:
    floor = a_floor("all", 5, 4)
    written(tmp_path / "short", floor, SimulationOptions(30, 4, 1))
    written(tmp_path / "long", floor, SimulationOptions(30, 4, 3))
    day = FIRST_DAY.isoformat()
    assert contents(tmp_path / "short" / day) == contents(tmp_path / "long" / day)


# Chance and cards.


@pytest.fixture(scope="module")
def day_log() -> J.Log:
    simulation = Simulation(a_floor("all", 5, 2), SimulationOptions(600, 2))
    return J.joined([each.log for each in simulation.play(FIRST_DAY)])


def test_shoes_are_shuffled_well(day_log: J.Log) -> None:
    drawn = day_log.card[day_log.op == ops.DRAW]
    ranks = np.bincount(cards.RANK[drawn], minlength=13)
    assert ranks[cards.TEN] == 0
    expected = len(drawn) / 12
    square = ((np.delete(ranks, cards.TEN) - expected) ** 2 / expected).sum()
    assert square < 31.3  # 11 degrees of freedom: one in a thousand is above


def test_no_shoe_deals_a_card_more_often_than_it_holds_it(day_log: J.Log) -> None:
    loads = np.cumsum(day_log.op == ops.SHOE_LOADED)
    draws = day_log.op == ops.DRAW
    assert draws.sum() > 10_000
    pairs = Counter(zip(loads[draws].tolist(), day_log.card[draws].tolist(), strict=True))
    decks = dict(enumerate(day_log.seat[day_log.op == ops.SHOE_LOADED].tolist(), 1))
    continuous = {number for number, ordinal in zip(loads[draws], day_log.aux[draws], strict=True) if ordinal > 380}
    assert all(count <= decks[shoe] for (shoe, _), count in pairs.items() if shoe not in continuous)


def test_time_runs_forward_within_the_gaming_day() -> None:
    simulation = Simulation(a_floor("all", 5, 6), SimulationOptions(2500, 6))
    first, last = simulation.house.bounds(FIRST_DAY)
    for each in some(simulation.play(FIRST_DAY)):
        assert (np.diff(each.log.ms) > 0).all()
        assert first <= each.log.ms[0] and each.log.ms[-1] < last


# What a floor looks like.


def test_a_floor_has_its_people(day_log: J.Log) -> None:
    wagers = day_log.op == ops.WAGER
    mains = wagers & (day_log.kind == ops.MAIN)
    assert set(day_log.bettor[mains].tolist()) == {1, 2, 3}
    boxes = np.bincount(day_log.round[mains])
    assert boxes[boxes > 0].min() < boxes.max()
    assert {ops.MAIN, ops.SPLIT, ops.DOUBLE, ops.INSURANCE, ops.PAIR, ops.MATCH} <= set(day_log.kind[wagers].tolist())
    decisions = set(day_log.kind[day_log.op == ops.DECISION].tolist())
    assert decisions == set(range(len(ops.ACTIONS)))
    happened = set(day_log.op.tolist())
    assert {ops.OPEN, ops.CLOSE, ops.INSPECTION, ops.DEALER_CHANGE, ops.CUT, ops.CUT_CARD, ops.FAULT} <= happened
    assert {ops.REPAIRED, ops.READER_CHECK, ops.SHOE_ENDED, ops.OFFER, ops.ASSIGN} <= happened


def test_progressives_run_their_course() -> None:
    simulation = Simulation(a_floor("md-pontoon21,ma-pontoon21", 12, 1), SimulationOptions(500, 1))
    log = J.joined([each.log for each in simulation.play(FIRST_DAY)])
    steps = log.op == ops.PROGRESSIVE
    for system in range(len(ops.SYSTEMS)):
        seen = set(log.kind[steps & (log.card == system)].tolist())
        assert {ops.START_ROUND, ops.TRIGGER, ops.SPIN, ops.PRIZE, ops.PAID, ops.END_ROUND} <= seen
    assert (log.cents[log.op == ops.METER] > 0).all()


def test_a_counter_bets_more_when_it_pays() -> None:
    """Stakes of a counting patron follow the cards that are left; a steady patron's do not."""
    simulation = Simulation(a_floor("md-spanish21", 4, 9), SimulationOptions(900, 9))
    with_count: dict[bool, list[float]] = {True: [], False: []}
    for each in simulation.play(FIRST_DAY):
        counting = {int(row[P.P_NUMBER]) for row in each.cast.patrons if row[P.P_COUNTS]} - {0}
        units = {int(row[P.P_NUMBER]): int(row[P.P_UNIT_CENTS]) for row in each.cast.patrons}
        mains = np.flatnonzero((each.log.op == ops.WAGER) & (each.log.kind == ops.MAIN))
        for row in mains[np.isin(each.log.aux[mains], sorted(counting))]:
            raised = each.log.cents[row] > units[int(each.log.aux[row])]
            with_count[bool(raised)].append(_high_cards_left(each.log, int(row)))
    assert len(with_count[True]) > 10
    assert np.mean(with_count[True]) > np.mean(with_count[False]) + 5


def _high_cards_left(log: J.Log, row: int) -> float:
    """Low cards gone less high ones since the shoe was loaded, per card drawn so far."""
    loaded = np.flatnonzero(log.op[:row] == ops.SHOE_LOADED)[-1]
    drawn = log.card[loaded:row][log.op[loaded:row] == ops.DRAW]
    ranks = cards.RANK[drawn]
    return float(((ranks >= 1) & (ranks <= cards.SIX)).sum() - ((ranks == cards.ACE) | (ranks > cards.TEN)).sum())


# The house edge, which nobody here has worked out.


@pytest.mark.parametrize("name", profiles.profiles())
def test_the_house_edge_is_the_published_one(name: str) -> None:
    """A short run: four standard errors; `make bench` makes the long one."""
    profile = profiles.load(name)
    played = edge.house_edge(profile.rules, 1_000_000, seed=3)
    assert played.rounds >= 1_000_000
    assert abs(100 * played.edge - profile.house_edge_percent) < 400 * played.error
    assert played.deviation == pytest.approx(profile.standard_deviation, abs=0.01)


# The folder.


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(zone.ZoneError, match="no simulation"):
        zone.claim(tmp_path, {"seed": 1}, force=True)
    assert (tmp_path / "notes.txt").exists()


def test_the_same_command_completes_a_run_that_was_stopped(tmp_path: Path) -> None:
    out = tmp_path / "zone"
    zone.claim(out, {"seed": 1}, force=False)
    (out / "half").write_text("written so far")
    zone.claim(out, {"seed": 1}, force=False)
    assert not (out / "half").exists()
    with pytest.raises(zone.ZoneError, match="another simulation"):
        zone.claim(out, {"seed": 2}, force=False)
    zone.claim(out, {"seed": 2}, force=True)


def test_truth_has_the_columns_of_findings(tmp_path: Path) -> None:
    written(tmp_path / "zone", a_floor("all", 5, 8), SimulationOptions(60, 8), 0.1)
    truth = pl.read_parquet(tmp_path / "zone" / "truth.parquet")
    named = {"gaming_day", "table", "round_id", "shoe", "path", "code", "severity", "seat", "bettor", "kind", "hand"}
    assert set(truth.columns) == named | {"variance_cents", "currency", "clause", "handling"}
    assert truth["gaming_day"].unique().to_list() == [date(2026, 1, 5)]
    ids = truth["round_id"].drop_nulls()
    assert len(ids) and ids.str.contains(r"^[A-Z0-9]+-\d+/2026-01-05/\d+$").all()
