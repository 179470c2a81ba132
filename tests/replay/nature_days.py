"""Table days played with options of ``replay.simulator.nature``, and what their lines say."""

import json
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np

from replay.simulator import house, landing
from replay.simulator.nature import USUAL, Nature
from replay.simulator.simulate import FIRST_DAY, SimulatedDay, Simulation, SimulationOptions
from replay.tape import I64


@cache
def played(
    nature: Nature = USUAL, book: str = "all", tables: int = 5, rounds: int = 60, seed: int = 5, rate: float = 0.0
) -> list[SimulatedDay]:
    """Tables of a simulated day, with cameras."""
    floor = house.toml(house.default_floor(book, tables, FIRST_DAY, 1, seed))
    return Simulation(floor, SimulationOptions(rounds, seed, camera=True, nature=nature), rate).play(FIRST_DAY)


def lines(each: SimulatedDay, source: str) -> list[dict[str, Any]]:
    """A source's lines, with nothing lost."""
    return [json.loads(line) for line in each.material.lines(source).tobytes().splitlines()]


def shown_ms(each: SimulatedDay, source: str) -> I64:
    """The stamps of a source's lines in milliseconds."""
    stamps = (datetime.fromisoformat(event["ts"]) for event in lines(each, source))
    return np.array([round(stamp.timestamp() * 1000) for stamp in stamps], np.int64)


def true_ms(each: SimulatedDay, source: str) -> I64:
    """When the lines of the terminal or the shoe were logged."""
    log = each.material.log
    return log.ms[landing.has_line(log, source)]
