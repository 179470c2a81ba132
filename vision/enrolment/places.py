"""Lines of cards, from the corner indices read in pictures of a spread."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.reading.index import Index, chance

Values = npt.NDArray[np.float64]

# Lengths are in heights of an index.
_SAME: Final = 0.5  # distance within which two readings are of one place
_SEEN: Final = 1 / 3  # share of the pictures that have to show a place
_ASKEW: Final = 0.4  # radians by which indices of a spread may be turned against each other
_NEXT: Final = (0.2, 5.0)  # how far to the right the next card's index is
_OFF_LINE: Final = 0.3  # how much higher or lower that index may be
_SLOPE: Final = 0.04  # and by how much more for each height that it is further away
_SHORTEST: Final = 3  # cards of a line
_CLOSE: Final = 0.45  # of the usual step, within which two are not both cards
_ALONE: Final = 0.9  # confidence of the reading of an index that counts without a line
_THERE: Final = 0.6  # and that there is an index at all
# Where a card's other index is seen from the first: to the right, and down.
_OTHER_CORNER: Final = ((0.8, 4.5), (1.3, 5.5))


@dataclass(frozen=True)
class IndexPlace:
    """Place of an index, with all readings taken there."""

    readings: list[Index]

    @property
    def best(self) -> Index:
        """The surest reading."""
        return max(self.readings, key=lambda reading: reading.confidence)

    @property
    def ranks(self) -> Values:
        """Log-likelihoods, in the order of the cards' ranks. Readings of one card err alike: many count little more."""
        return np.asarray(len(self.readings) ** 0.25 * np.mean([each.ranks for each in self.readings], axis=0))

    @property
    def suits(self) -> Values:
        """Log-likelihoods, in the order of the cards' suits, weighted like those of the ranks."""
        return np.asarray(len(self.readings) ** 0.25 * np.mean([each.suits for each in self.readings], axis=0))

    @property
    def confidence(self) -> float:
        """Return the probability, 0 to 1, that the reading is right, given that there is an index."""
        return chance(self.ranks, self.suits)


@dataclass(frozen=True)
class CardLine:
    """Cards side by side, from left to right as their indices stand."""

    places: tuple[IndexPlace, ...]
    along: tuple[float, ...]  # where each is in the direction of the line, in heights of an index
    levels: tuple[float, ...]  # and across it, downwards

    @property
    def step(self) -> float:
        """Return the median distance between neighbouring cards."""
        return float(np.median(np.diff(self.along))) if len(self.along) > 1 else 1.0


def gather(pictures: Sequence[Sequence[Index]]) -> list[IndexPlace]:
    """Readings of the same spread in several pictures, by place. What only few of the pictures show is left out."""
    readings = sorted((index for indices in pictures for index in indices), key=lambda index: -index.confidence)
    places: list[IndexPlace] = []
    for index in readings:
        near = next((place for place in places if _is_at(index, place.readings[0])), None)
        if near is None:
            places.append(IndexPlace([index]))
        else:
            near.readings.append(index)
    return [place for place in places if len(place.readings) >= _SEEN * len(pictures)]


def _is_at(index: Index, known: Index) -> bool:
    return math.hypot(index.x - known.x, index.y - known.y) < _SAME * known.height


def lines(places: Sequence[IndexPlace]) -> list[CardLine]:
    """The lines that cards lie in. A card's second index is added to its first."""
    if not places:
        return []
    flat = _Flat(_usual_angle(places), float(np.median([place.best.height for place in places])))
    upright = [place for place in places if abs(_turn(place.best.angle - flat.up)) < _ASKEW]
    turned = [place for place in places if abs(_turn(place.best.angle - flat.up - math.pi)) < _ASKEW]
    chains = _chains(upright, flat)
    made = [_thinned(flat.line(chain)) for chain in chains if len(chain) >= _SHORTEST]
    loose = [place for chain in chains if len(chain) < _SHORTEST for place in chain]
    for other in turned:
        first = _first_index(other, made, flat)
        if first is None:
            loose.append(other)
        else:
            first.readings.extend(other.readings)
    made += [flat.line([place]) for place in loose if place.confidence > _ALONE and place.best.confidence > _THERE]
    return made


@dataclass(frozen=True)
class _Flat:
    """Coordinates along the lines and down across them, in heights of an index."""

    up: float  # where the tops of indices point
    height: float

    def at(self, place: IndexPlace) -> tuple[float, float]:
        cos, sin = math.cos(self.up), math.sin(self.up)
        x, y = place.best.x / self.height, place.best.y / self.height
        return x * cos + y * sin, y * cos - x * sin

    def line(self, places: Sequence[IndexPlace]) -> CardLine:
        along, levels = zip(*(self.at(place) for place in places), strict=True)
        return CardLine(tuple(places), along, levels)


def _usual_angle(places: Sequence[IndexPlace]) -> float:
    """The direction in which most indices stand, weighted by how sure they are."""
    angles = np.array([place.best.angle for place in places])
    weights = np.array([place.confidence for place in places]) + 1e-6
    alike = np.cos(angles[:, None] - angles) > math.cos(_ASKEW)
    near = alike[int(np.argmax(alike @ weights))]
    return float(np.angle(np.sum(weights[near] * np.exp(1j * angles[near]))))


def _turn(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi


def _chains(places: Sequence[IndexPlace], flat: _Flat) -> list[list[IndexPlace]]:
    """Places that follow each other: each is the next to the right of the one before, and that the next to its left."""
    if not places:
        return []
    at = np.array([flat.at(place) for place in places])
    right, down = (at[None, :, axis] - at[:, None, axis] for axis in (0, 1))
    follows = (right > _NEXT[0]) & (right < _NEXT[1]) & (np.abs(down) < _OFF_LINE + _SLOPE * right)
    distance = np.where(follows, right, np.inf)
    following, before = distance.argmin(axis=1), distance.argmin(axis=0)
    count = len(places)
    linked = [int(n) if follows[m, n] and before[n] == m else -1 for m, n in enumerate(following)]
    starts = sorted(set(range(count)) - set(linked))
    chains = []
    for start in starts:
        chain, at_place = [], start
        while at_place >= 0:
            chain.append(places[at_place])
            at_place = linked[at_place]
        chains.append(chain)
    return chains


def _thinned(line: CardLine) -> CardLine:
    """A line without what was found between two cards by mistake."""
    kept = list(range(len(line.places)))
    n = 0
    while n + 1 < len(kept):
        one, other = kept[n : n + 2]
        if line.along[other] - line.along[one] < _CLOSE * line.step:
            kept.remove(min(one, other, key=lambda each: line.places[each].confidence))
        else:
            n += 1
    along, levels = (tuple(values[n] for n in kept) for values in (line.along, line.levels))
    return CardLine(tuple(line.places[n] for n in kept), along, levels)


def _first_index(other: IndexPlace, made: Sequence[CardLine], flat: _Flat) -> IndexPlace | None:
    """The index in the opposite corner of the card that an index is on: only the uppermost of a row shows both."""
    x, y = flat.at(other)
    (near, far), (high, low) = _OTHER_CORNER
    found = None
    for line in made:
        for place, following in zip(line.places, [*line.along[1:], math.inf], strict=True):
            left, top = flat.at(place)
            right, down = x - left, y - top
            away = math.hypot(right, down)
            fits = near < right < far and high < down < low and following - left > right
            if fits and (found is None or away < found[0]):
                found = away, place
    return None if found is None else found[1]
