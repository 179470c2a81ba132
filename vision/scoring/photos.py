"""Scores the reader on photographs whose corner indices somebody has labelled.

``labels.csv`` in the folder has file, card, and x0 y0 x1 y1 of each index as fractions of width and height.
"""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from replay.cards import BY_NAME
from vision.reading.index import SURE, Index
from vision.reading.reader import Reader

_WHAT: Final[dict[str, Callable[[str], str]]] = {
    "rank": lambda card: card[:1],
    "suit": lambda card: card[1:],
    "both": lambda card: card,
}


class Labelled(NamedTuple):
    """An index that somebody saw."""

    card: str
    box: tuple[float, float, float, float]  # px


class Pair(NamedTuple):
    """An index that was labelled, found, or both."""

    label: Labelled | None
    read: Index | None


class Score(NamedTuple):
    """Numbers of indices labelled, read, and read correctly."""

    labelled: int
    read: int
    right: int
    found: int  # labelled ones that were found and read, right or wrong

    @property
    def precision(self) -> float:
        return self.right / max(1, self.read)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.labelled)

    @property
    def as_classes(self) -> float:
        """Share of correct readings among the labelled indices that were read."""
        return self.right / max(1, self.found)


def labels(folder: Path) -> dict[str, list[Labelled]]:
    """The labelled cards of each photograph, jokers and backs left out."""
    found: dict[str, list[Labelled]] = defaultdict(list)
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["card"] in BY_NAME:
                x0, y0, x1, y1 = (float(row[name]) for name in ("x0", "y0", "x1", "y1"))
                found[row["file"]].append(Labelled(row["card"], (x0, y0, x1, y1)))
    return found


def pairs(reader: Reader, folder: Path, files: Iterable[str]) -> dict[str, list[Pair]]:
    """Read every photograph, and match the readings with its labels."""
    known = labels(folder)
    found = {}
    for name in files:
        picture = cv2.imread(str(folder / name), cv2.IMREAD_COLOR)
        if picture is None:
            raise ValueError(f"{folder / name}: not a picture")
        height, width = picture.shape[:2]
        scale = (width, height, width, height)
        there = [Labelled(each.card, _times(each.box, scale)) for each in known[name]]
        found[name] = matched(there, reader.read(picture.astype(np.uint8)))
    return found


def _times(box: Sequence[float], scale: Sequence[float]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = (value * by for value, by in zip(box, scale, strict=True))
    return x0, y0, x1, y1


def matched(there: Sequence[Labelled], found: Sequence[Index]) -> list[Pair]:
    """Each label with the surest reading whose middle lies in its box."""
    free = list(there)
    result = []
    for index in sorted(found, key=lambda index: -index.confidence):
        inside = [label for label in free if _holds(label.box, index)]
        label = min(inside, key=lambda label: _away(label.box, index), default=None)
        if label is not None:
            free.remove(label)
        result.append(Pair(label, index))
    return result + [Pair(label, None) for label in free]


def _holds(box: tuple[float, float, float, float], index: Index) -> bool:
    return box[0] <= index.x <= box[2] and box[1] <= index.y <= box[3]


def _away(box: tuple[float, float, float, float], index: Index) -> float:
    return float(np.hypot((box[0] + box[2]) / 2 - index.x, (box[1] + box[3]) / 2 - index.y))


def score(found: Iterable[Pair], what: str, sure: float = SURE) -> Score:
    """Counts for ``rank``, ``suit`` or ``both``; where that very thing is less sure, it counts as not read."""
    part = _WHAT[what]
    every = list(found)
    read = [pair for pair in every if pair.read is not None and _chance(pair.read, what) >= sure]
    known = [pair for pair in read if pair.label is not None]
    right = sum(part(pair.label.card) == part(pair.read.card) for pair in known if pair.label and pair.read)
    return Score(sum(pair.label is not None for pair in every), len(read), right, len(known))


def _chance(index: Index, what: str) -> float:
    """Return the probability, 0 to 1, of an index with this rank, this suit or both."""
    without = {"rank": index.suits, "suit": index.ranks}.get(what)
    return index.confidence if without is None else index.confidence / float(np.exp(max(without)))


def map50(photos: Iterable[Sequence[Pair]]) -> float:
    """Mean over all labelled cards of their average precision, where a reading's box must half overlap the label's."""
    labelled: dict[str, int] = defaultdict(int)
    hits: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for found in photos:
        free = [pair.label for pair in found if pair.label is not None]
        for label in free:
            labelled[label.card] += 1
        read = [pair.read for pair in found if pair.read is not None]
        for index in sorted(read, key=lambda index: -index.confidence):
            like = [label for label in free if label.card == index.card]
            best = max(like, key=lambda label: _overlap(label.box, index.box), default=None)
            is_hit = best is not None and _overlap(best.box, index.box) >= 0.5
            if best is not None and is_hit:
                free.remove(best)
            hits[index.card].append((index.confidence, is_hit))
    return float(np.mean([_average_precision(hits[card], count) for card, count in labelled.items()]))


def _average_precision(found: Sequence[tuple[float, bool]], labelled: int) -> float:
    """The area below the best precision that is reached at each recall or more."""
    right = np.array([is_hit for _, is_hit in sorted(found, reverse=True)], bool)
    precision = np.cumsum(right) / np.arange(1, len(right) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return float(best[right].sum() / labelled)


def _overlap(one: Sequence[float], other: Sequence[float]) -> float:
    """The share of what two boxes cover that both of them cover."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    both = max(0.0, width) * max(0.0, height)
    sizes = ((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return both / max(sum(sizes) - both, 1e-9)
