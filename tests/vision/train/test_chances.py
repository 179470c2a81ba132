"""Figures by which chances are made of what the networks say."""

import numpy as np
import pytest

from vision.reading.reader import AT_SUITS, AT_THERE, log_softmax
from vision.train.chances import LabelledReading, opinion, sharpness
from vision.train.patches import NONE

RNG = np.random.default_rng(4)


@pytest.mark.parametrize("true", [0.7, 1.6])
def test_chances_are_as_often_right_as_they_say(true: float) -> None:
    """Cards are drawn by the chances that outputs have when they are made so much sharper."""
    told = []
    for said in RNG.normal(0, 2, (4000, 22)):
        parts = said[:AT_SUITS], said[AT_SUITS:AT_THERE]
        rank, suit = (int(RNG.choice(len(part), p=np.exp(log_softmax(true * part)))) for part in parts)
        told.append(LabelledReading(said, 0.0, 13 * suit + rank))
    assert sharpness(told) == pytest.approx(true, abs=0.1)


def test_what_the_finder_counts_on_whether_there_is_an_index() -> None:
    told = []
    for said, heat in zip(RNG.normal(0, 2, (6000, 22)), RNG.normal(0, 1, 6000).tolist(), strict=True):
        is_there = RNG.random() < 1 / (1 + np.exp(-(said[AT_THERE] + 1.5 * heat - 1.0)))
        told.append(LabelledReading(said, heat, 5 if is_there else NONE))
    assert opinion(told) == pytest.approx((1.5, -1.0), abs=0.26)
