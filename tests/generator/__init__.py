"""Random but legal rounds of any rulebook, settled or made irregular: what properties and fuzzing are tested on."""

from tests.generator.irregular import mutated
from tests.generator.play import (
    BOOKS,
    DAY,
    MOMENT,
    Box,
    Event,
    Hand,
    Round,
    Setup,
    from_data,
    plain_setup,
    play_round,
    random_setup,
    rounds,
    shuffled,
)
from tests.generator.settle import day, settle_all, settled

__all__ = [
    "BOOKS",
    "DAY",
    "MOMENT",
    "Box",
    "Event",
    "Hand",
    "Round",
    "Setup",
    "day",
    "from_data",
    "mutated",
    "plain_setup",
    "play_round",
    "random_setup",
    "rounds",
    "settle_all",
    "settled",
    "shuffled",
]
