"""Looks at pictures of a spread: counts the decks and learns their look."""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from vision.enrolment.inspection import SURE, Inspection, Spotted, count
from vision.enrolment.look import Look
from vision.enrolment.places import gather, lines
from vision.reading.finder import Picture
from vision.reading.index import Index

_CLEAR: Final = 0.5
_SIZES: Final = (1.0, 0.85, 0.7, 1.2)  # an index that is not found in one size of a picture may be in another


class Reads(Protocol):
    """Reader of all corner indices of a picture, such as ``vision.reading.reader.Reader``."""

    def read(self, picture: Picture, index_px: float | None = None) -> list[Index]: ...


class SpreadCards(NamedTuple):
    """Result of reading the pictures of one spread."""

    inspection: Inspection
    look: Look
    cards: list[Spotted]


def inspect(pictures: Sequence[Picture], reader: Reads, index_px: float | None = None) -> SpreadCards:
    """Count the decks of one spread, of which there may be several pictures by one camera that did not move."""
    if index_px is None:
        index_px = _usual_height(reader.read(pictures[0]))
    read = [reader.read(picture, size * index_px) for picture, size in _looks(pictures)] if index_px else []
    inspection, cards = count(lines(gather(read)))
    known = [card for card in cards if card.sure >= SURE]
    shown = ((card.card, picture, card.place.best) for card in known for picture in pictures)
    return SpreadCards(inspection, Look.learn(shown), cards)


def _looks(pictures: Sequence[Picture]) -> list[tuple[Picture, float]]:
    """Return the pictures with the sizes to read them at: every picture and every size at least once."""
    looks = max(len(pictures), len(_SIZES))
    return [(pictures[n % len(pictures)], _SIZES[n % len(_SIZES)]) for n in range(looks)]


def _usual_height(found: Sequence[Index]) -> float | None:
    """Return the median height of the clearly read indices, in pixels; None if there are none."""
    heights = sorted(index.height for index in found if index.confidence > _CLEAR)
    return heights[len(heights) // 2] if heights else None
