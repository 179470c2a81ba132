"""A deck's look as learnt from its spread: how the index of each card appears in pictures of this camera."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.reading.cut import HEIGHT, WIDTH, patch
from vision.reading.finder import Picture
from vision.reading.index import Index

Crops = npt.NDArray[np.uint8]  # n × HEIGHT × WIDTH × 3

_FORM: Final = 1  # of the file


class LookError(ValueError):
    """A file that holds no look; says which."""


@dataclass(frozen=True, eq=False)
class Look:
    """Mean upright crops around the indices, by card, and how high an index is."""

    cards: tuple[str, ...]
    crops: Crops
    seen: tuple[int, ...]  # how many crops each is the mean of
    index_px: float  # in the pictures of the spread

    @classmethod
    def learn(cls, shown: Iterable[tuple[str, Picture, Index]]) -> "Look":
        """Create a look from cards, their pictures, and the places of the indices in the pictures."""
        sums: dict[str, npt.NDArray[np.float64]] = {}
        counts: Counter[str] = Counter()
        heights = []
        for card, picture, index in shown:
            crop = patch(picture, (index.x, index.y), index.height, index.angle)
            sums[card] = sums.get(card, np.zeros(crop.shape)) + crop
            counts[card] += 1
            heights.append(index.height)
        return cls._mean(sums, counts, float(np.median(heights)) if heights else 0.0)

    @classmethod
    def merged(cls, looks: Sequence["Look"]) -> "Look":
        """Combine the looks from several spreads of identical decks into one."""
        sums: dict[str, npt.NDArray[np.float64]] = {}
        counts: Counter[str] = Counter()
        for look in looks:
            for card, crop, seen in zip(look.cards, look.crops, look.seen, strict=True):
                sums[card] = sums.get(card, np.zeros(crop.shape)) + crop.astype(np.float64) * seen
                counts[card] += seen
        return cls._mean(sums, counts, float(np.mean([look.index_px for look in looks])))

    @classmethod
    def _mean(cls, sums: Mapping[str, npt.NDArray[np.float64]], counts: Mapping[str, int], index_px: float) -> "Look":
        cards = tuple(sorted(sums))
        crops = np.array([sums[card] / counts[card] for card in cards]).reshape(-1, HEIGHT, WIDTH, 3)
        return cls(cards, np.rint(crops).astype(np.uint8), tuple(counts[card] for card in cards), index_px)

    @classmethod
    def load(cls, path: Path) -> "Look":
        """Load a look from a file. Raises ``LookError``."""
        try:
            with np.load(path) as data:
                if int(data["form"]) != _FORM:
                    raise LookError(f"{path}: found form {int(data['form'])}, expected {_FORM}; enrol the deck again")
                cards, seen = tuple(data["cards"].tolist()), tuple(data["seen"].tolist())
                return cls(cards, data["crops"], seen, float(data["index_px"]))
        except (OSError, KeyError, ValueError) as error:
            if isinstance(error, LookError):
                raise
            raise LookError(f"{path}: expected a deck's look as audit21 inspect writes it") from None

    def save(self, path: Path) -> None:
        """Save the look to a file."""
        with path.open("wb") as file:
            np.savez_compressed(
                file, form=_FORM, cards=np.array(self.cards), crops=self.crops, seen=self.seen, index_px=self.index_px
            )

    def likeness(self, crop: npt.NDArray[np.uint8]) -> dict[str, float]:
        """Return the likeness of an upright crop to each card, as a correlation from -1 to 1."""
        return {
            card: float(cv2.matchTemplate(crop, known, cv2.TM_CCOEFF_NORMED)[0, 0])
            for card, known in zip(self.cards, self.crops, strict=True)
        }
