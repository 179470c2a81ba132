"""Sources of each card, at tables with a camera."""

from pathlib import Path

import polars as pl
import pytest

from dashboards.packets import timeline
from dashboards.packets.gather import gather
from tests.pipelines import zones
from tests.pipelines.lakes import audited
from warehouse.lake import Lake

PLANTS = ("evidence.card-disagreement:2", "evidence.zone-disagreement:1")


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Lake:
    folder = tmp_path_factory.mktemp("seen")
    zone = zones.made(folder / "zone", tables=1, rounds=40, rulebook="ma-pontoon21", plant=PLANTS, camera=True, seed=4)
    return audited(zone, folder / "lake")


def test_sources_disagree_where_the_audit_found_it_and_nowhere_else(floor: Lake) -> None:
    found = floor.read("findings").filter(pl.col("code").str.ends_with("disagreement"))
    expected = dict(found.group_by("round_id").len().iter_rows())
    assert set(found["code"]) == {plant.partition(":")[0] for plant in PLANTS}
    split = floor.read("hands").filter(pl.col("hand") > 1)["round_id"].unique().to_list()
    assert split  # where a card moves on from its place, another one is seen there later
    for round_id in [*expected, *split]:
        cards = timeline.cards(gather(floor.path, round_id))
        odd = [card for card in cards if card["agreement"] == "disagree"]
        assert len(odd) == expected.get(round_id, 0), round_id
        assert len(list(timeline.marked(cards))) == len(odd)


def test_a_card_that_was_seen_has_the_camera_s_own_time(floor: Lake) -> None:
    ahead = floor.read("clocks").filter(source="camera")["offset_ms"][0]
    dossier = gather(floor.path, floor.read("rounds")["round_id"][5])
    seen = [card for card in timeline.cards(dossier) if card["agreement"] == "agree"]
    assert seen
    for look in (look for card in seen for look in card["sightings"]):
        assert abs((look["own_time"] - look["corrected"]).total_seconds() * 1000 - ahead) < 500
