"""Whole simulated floors: what was done to the camera's evidence is found, and nothing else."""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipelines.reconcile.compare import compare
from pipelines.reconcile.discrepancies import CARD, SIDEWAYS, ZONE
from pipelines.stories.camera_draws import draws_from_camera
from replay.simulator import house, zone
from replay.simulator.plant import pick
from replay.simulator.simulate import FIRST_DAY, Simulation, SimulationOptions
from tests.pipelines.reconcile import zone_cards
from tests.replay import zone_reader

SEEN = (CARD, ZONE, SIDEWAYS)
Days = dict[tuple[date, str], zone_cards.TableDay]


def simulated(out: Path, seed: int, rate: float, *plants: str) -> Days:
    floor = house.toml(house.default_floor("all", 5, FIRST_DAY, 1, seed))
    orders = Counter(dict(pick.parse(text) for text in plants))
    zone.write(out, Simulation(floor, SimulationOptions(70, seed, camera=True), rate, orders), {})
    return {(day, table): zone_cards.table_day(out, day, table) for day, table in zone_reader.table_days(out)}


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Days:
    return simulated(tmp_path_factory.mktemp("clean"), 3, 0.0)


def sequences(frame: pl.DataFrame) -> dict[str, list[str | None]]:
    return dict(frame.group_by("round", maintain_order=True).agg("card").iter_rows())


def noted(days: Days) -> Iterator[tuple[Any, ...]]:
    for (day, table), given in days.items():
        result = compare(given.cards, given.sightings, given.rounds)
        for code, name, seat, hand in result.discrepancies.select("code", "round", "seat", "hand").iter_rows():
            yield code, f"{table}/{day.isoformat()}/{name}", seat, hand


@pytest.mark.parametrize("seed", [1, 2])
def test_discrepancies_are_what_was_planted(seed: int, tmp_path: Path) -> None:
    days = simulated(tmp_path, seed, 0.3, *(f"{code}:4" for code in SEEN))
    truth = pl.read_parquet(tmp_path / "truth.parquet").filter(pl.col("code").is_in(SEEN))
    planted = Counter(truth.select("code", "round_id", "seat", "hand").rows())
    assert planted.total() >= 12
    found = Counter(noted(days))
    assert found == planted, f"not found {planted - found}, not planted {found - planted}"


def test_a_clean_floor_has_no_discrepancies_and_every_card_is_seen(clean: Days) -> None:
    assert not list(noted(clean))
    for given in clean.values():
        cards = compare(given.cards, given.sightings, given.rounds).cards
        assert cards["seen_zone"].equals(cards["zone"], null_equal=True)
        unread = cards.filter(pl.col("seen_card").is_null(), pl.col("zone") != "burn")
        assert len(unread) < 0.02 * len(cards)
        assert cards.drop_nulls("seen_card").filter(pl.col("seen_card") != pl.col("card")).is_empty()


def test_tables_together_give_what_each_gives(clean: Days) -> None:
    together = [pl.concat(getattr(day, name) for day in clean.values()) for name in ("cards", "sightings", "rounds")]
    alone = [compare(day.cards, day.sightings, day.rounds).cards for day in clean.values()]
    assert compare(*together).cards.equals(pl.concat(alone))


def test_the_camera_gives_the_cards_that_the_shoe_would(clean: Days) -> None:
    rounds = unread = 0
    for given in clean.values():
        shoe = sequences(given.cards.filter(pl.col("round").is_not_null(), pl.col("zone") != "burn"))
        camera = sequences(draws_from_camera(given.sightings, given.rounds))
        assert camera.keys() == shoe.keys()
        for name, drawn in shoe.items():
            seen = camera[name]
            assert [card if read else None for card, read in zip(drawn, seen, strict=True)] == seen
            rounds, unread = rounds + 1, unread + seen.count(None)
    assert rounds == 350
    assert unread < 0.01 * 13 * rounds
