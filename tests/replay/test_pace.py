"""Another pace gives the same events in the same order, with other times between them."""

from itertools import pairwise

import numpy as np
import pytest

from replay.simulator import house, landing
from replay.simulator.nature import PACES, Nature
from replay.simulator.pace import GAPS_MS, LONGEST_MS
from replay.simulator.simulate import FIRST_DAY, SimulatedDay, Simulation, SimulationOptions
from replay.tape import I64
from tests.replay.nature_days import played
from tests.some import some


def gaps(each: SimulatedDay) -> I64:
    """Time between the lines of a table, breaks left out."""
    log = each.material.log
    found = np.diff(log.ms[landing.has_line(log)])
    return found[found <= LONGEST_MS]


@pytest.mark.parametrize("pace", GAPS_MS)
def test_gaps(pace: str) -> None:
    least, most = GAPS_MS[pace]
    for each in some(played(Nature(pace=pace))):
        found = gaps(each)
        assert len(found) > 1000
        assert least <= found.min() < least + 20 and most - 20 < found.max() <= most


def test_a_mixed_day_has_stretches_of_each_pace() -> None:
    dense, sparse = GAPS_MS["dense"], GAPS_MS["sparse"]
    for each in some(played(Nature(pace="mixed"), rounds=150)):
        log = each.material.log
        paces = []
        for number in range(1, 151):
            inside = np.diff(log.ms[landing.has_line(log) & (log.round == number)])
            is_dense = ((inside >= dense[0]) & (inside <= dense[1])).all()
            is_sparse = ((inside >= sparse[0]) & (inside <= sparse[1])).all()
            paces.append("dense" if is_dense else "sparse" if is_sparse else "usual")
        changes = sum(one != other for one, other in pairwise(paces))
        assert set(paces) == {"dense", "sparse", "usual"}
        assert changes < 40, "the pace changes by stretches"


@pytest.mark.parametrize("pace", PACES)
def test_events_and_their_order_stay(pace: str) -> None:
    for usual, other in some(zip(played(Nature(habits=True)), played(Nature(pace=pace)), strict=True)):
        for name in ("op", "seat", "bettor", "hand", "kind", "card", "flags", "round", "zone"):
            assert (getattr(usual.material.log, name) == getattr(other.material.log, name)).all(), name
        assert (np.diff(other.log.ms) >= 0).all()


@pytest.mark.parametrize("nature", [Nature(pace="sparse"), Nature(clocks="restart"), Nature("hostile", "sparse")])
def test_the_gaming_day_has_room_for_it(nature: Nature) -> None:
    floor = house.toml(house.default_floor("all", 5, FIRST_DAY, 1, 6))
    simulation = Simulation(floor, SimulationOptions(900, 6, nature=nature))
    first, last = simulation.house.bounds(FIRST_DAY)
    for each in some(simulation.play(FIRST_DAY)):
        for log in (each.log, each.material.log):
            assert first <= log.ms[0] and log.ms[-1] < last
            assert (np.diff(log.ms) >= 0).all()
