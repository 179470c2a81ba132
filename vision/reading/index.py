"""Corner indices as they were found and read."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay.cards import RANKS

SUITS: Final = "SHDC"  # in the order of the network's outputs
SURE: Final = 0.85  # below this chance of being right, nothing is said


class Index(NamedTuple):
    """Corner index in a picture."""

    x: float  # centre, px
    y: float
    width: float  # px, along its own axes
    height: float
    angle: float  # radians, clockwise from the picture's top: where its own top points
    card: str  # best reading
    confidence: float  # chance that this is right
    ranks: tuple[float, ...]  # log-likelihoods, in the order of RANKS
    suits: tuple[float, ...]  # and of SUITS

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The upright box around it: left, top, right, bottom."""
        across, along = abs(np.cos(self.angle)), abs(np.sin(self.angle))
        half_x = (self.width * across + self.height * along) / 2
        half_y = (self.width * along + self.height * across) / 2
        return self.x - half_x, self.y - half_y, self.x + half_x, self.y + half_y

    def moved(self, x: float, y: float) -> "Index":
        """Return the index shifted by ``x`` and ``y``: from a part of a picture to the whole."""
        return self._replace(x=self.x + x, y=self.y + y)


def named(ranks: npt.NDArray[np.float64], suits: npt.NDArray[np.float64]) -> str:
    """The card of the best rank and suit."""
    return RANKS[int(np.argmax(ranks))] + SUITS[int(np.argmax(suits))]


def chance(ranks: npt.NDArray[np.float64], suits: npt.NDArray[np.float64]) -> float:
    """Return the probability, 0 to 1, that the best rank and suit are right."""
    return float(np.exp(ranks.max()) / np.exp(ranks).sum() * np.exp(suits.max()) / np.exp(suits).sum())


def fused(indices: Sequence[Index]) -> tuple[str | None, float]:
    """The card that several readings of it speak for, None where that is not sure, and the chance that it is right.

    Readings of one card err alike, so that many of them count for little more than a few.
    """
    if not indices:
        return None, 0.0
    weight = len(indices) ** 0.25
    ranks = weight * np.mean([index.ranks for index in indices], axis=0)
    suits = weight * np.mean([index.suits for index in indices], axis=0)
    sure = chance(ranks, suits)
    return (named(ranks, suits) if sure >= SURE else None), sure
