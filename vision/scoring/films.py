"""Scores the watcher on rendered footage, against what is known of every card in it.

The decks and tables of rendered footage are never trained on. Films have ten frames a second: a watcher looks at no
more of a film with a higher rate.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from vision.calibration import load
from vision.faces.deck import HOUSE_DECKS, house_deck
from vision.footage import film
from vision.footage.drill import hurried, idle
from vision.footage.layout import LOOKS, layout
from vision.reading.reader import Reader
from vision.watching.sightings import Sighting
from vision.watching.watch import Watch

FPS: Final = 10.0
SETTLED_MS: Final = 500  # cards that lie for less are not counted
LONG: Final = 5  # cards of a hand that make it a long cascade
_BOXES: Final = (7, 6, 5)  # of tables, in turn
_NEAR: Final = 0.75  # of an index' or a card's shorter side, from where it is to where it was seen
_START: Final = datetime(2026, 1, 5, 20, tzinfo=UTC)

Truth = dict[str, Any]  # a row of vision.footage.truth
Progress = Callable[[int], object]


class Shot(NamedTuple):
    """A film to be made: a deck on a table."""

    deck: str
    look: str
    boxes: int
    seed: int

    @property
    def name(self) -> str:
        return f"{self.deck}-{self.look}-{self.seed}"

    def set(self) -> film.Set:
        """The table and its camera, another for each seed."""
        return film.Set.somewhere(layout(self.boxes, LOOKS[self.look]), house_deck(self.deck), self.seed)


@dataclass(frozen=True)
class Tally:
    """Cards that lay face up or down for long enough, and what was said of them."""

    up: int = 0
    right: int = 0  # found, and read right in rank and suit
    wrong: int = 0  # reported as another card at least once
    abstained: int = 0
    missed: int = 0
    down: int = 0
    down_found: int = 0
    placed: int = 0  # of all cards, those reported in their zone and order
    long: int = 0  # cards of hands of five and more
    sideways: int = 0  # doubled cards
    again: int = 0  # repeated sightings of the same card
    invented: int = 0  # sightings where no card is

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))

    @property
    def cards(self) -> int:
        return self.up + self.down


class Match(NamedTuple):
    """A card that lay on the table, and its sightings, the longest first; or sightings of no card."""

    truth: Truth | None
    seen: list[Sighting]

    @property
    def fault(self) -> str | None:
        """Return the kind of error in one word; None if the card was seen correctly."""
        if self.truth is None:
            return "invented"
        if not self.seen or self.seen[0].face != self.truth["face"]:
            return "missed"
        if any(each.card not in (None, self.truth["card"]) for each in self.seen):
            return "wrong"
        if self.truth["face"] == "up" and self.seen[0].card is None:
            return "abstained"
        return None if self.is_placed else "misplaced"

    @property
    def is_placed(self) -> bool:
        """Return whether the card was reported in its true zone and order."""
        first = self.seen[0] if self.seen else None
        return (
            first is not None
            and self.truth is not None
            and (first.zone, first.order) == (self.truth["zone"], self.truth["order"])
        )


def shots(films: int, seed: int) -> list[Shot]:
    """So many films: all decks and all looks of a table, in turn, so that twenty have each deck on each table."""
    decks, looks = len(HOUSE_DECKS), list(LOOKS)
    turn = decks * len(looks)
    return [
        Shot(HOUSE_DECKS[(n + n // turn) % decks], looks[n % len(looks)], _BOXES[n % len(_BOXES)], seed + n)
        for n in range(films)
    ]


def rounds_of(shot: Shot, rounds: int) -> tuple[film.Set, film.Take]:
    """Hurried rounds to be filmed."""
    on = shot.set()
    return on, film.take(on, *hurried(on.layout, rounds, np.random.default_rng([shot.seed, 4])))


def nothing_of(shot: Shot, seconds: float) -> tuple[film.Set, film.Take]:
    """A table without cards, with hands, chips and shadows."""
    on = shot.set()
    return on, film.take(on, [], *idle(on.layout, seconds, np.random.default_rng([shot.seed, 5])))


def shoot(shot: Shot, staged: tuple[film.Set, film.Take], folder: Path, fps: float, progress: Progress) -> Path:
    """Film a take into a folder, with sidecar and truth beside the video."""
    on, take = staged
    path = folder / f"{shot.name}.mp4"
    film.write_sidecar(path.with_suffix(".json"), on, _START, "CAM")
    film.shoot(path, on, take, fps, progress).write_parquet(path.with_suffix(".parquet"))
    return path


def watched(path: Path, reader: Reader, progress: Progress) -> list[Match]:
    """Run the product on rendered footage; returns its sightings matched with the ground truth."""
    watch, told = Watch(path, load(path.with_suffix(".json")), reader), 0

    def tell(frames: int) -> None:
        nonlocal told
        progress(frames - told)
        told = frames

    sightings = list(watch.sightings(tell))
    return matched(pl.read_parquet(path.with_suffix(".parquet")).rows(named=True), sightings)


def matched(truths: Sequence[Truth], sightings: Iterable[Sighting]) -> list[Match]:
    """Each sighting with the card that lay there at that time."""
    seen: dict[int, list[Sighting]] = {number: [] for number in range(len(truths))}
    invented = []
    for each in sightings:
        at = [(distance, number) for number, distance in _near(truths, each)]
        if at:
            seen[min(at)[1]].append(each)
        else:
            invented.append(Match(None, [each]))
    for number, many in seen.items():
        many.sort(key=lambda each: -_together_ms(truths[number], each))
    return [Match(truths[number], many) for number, many in seen.items()] + invented


def _near(truths: Sequence[Truth], seen: Sighting) -> Iterator[tuple[int, tuple[bool, float]]]:
    """The cards that a sighting may be of, with how far off it is; those that show the same side come first."""
    x, y = (seen.box[0] + seen.box[2]) / 2, (seen.box[1] + seen.box[3]) / 2
    corners = np.array(seen.outline)
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    is_whole = max(seen.box[2] - seen.box[0], seen.box[3] - seen.box[1]) > 0.9 * sides.max()
    for number, truth in enumerate(truths):
        if _together_ms(truth, seen) < 0:
            continue
        places = [(truth["x"], truth["y"], sides.min())] if is_whole else [_middle(b) for b in truth["index_boxes"]]
        for px, py, size in places:
            off = float(np.hypot(px - x, py - y) / size)
            if off < _NEAR:
                yield number, (seen.face != truth["face"], off)


def _middle(box: Sequence[float]) -> tuple[float, float, float]:
    """The middle of a box and its shorter side."""
    x0, y0, x1, y1 = box
    return (x0 + x1) / 2, (y0 + y1) / 2, min(x1 - x0, y1 - y0)


def _together_ms(truth: Truth, seen: Sighting) -> float:
    """For how long the card lay there while it was seen."""
    return float(min(truth["until_ms"], seen.until_ms) - max(truth["settled_ms"], seen.time_ms))


def counts(match: Match) -> bool:
    """Return whether a card lay long enough to be scored; invented cards always count."""
    return match.truth is None or bool(match.truth["until_ms"] - match.truth["settled_ms"] >= SETTLED_MS)


def tally(matches: Iterable[Match]) -> Tally:
    """Counts over the cards that lay for long enough."""
    counted = [match for match in matches if counts(match)]
    there = [(match, match.truth) for match in counted if match.truth is not None]
    long = {(t["round"], t["zone"]) for _, t in there if t["order"] >= LONG and t["zone"].startswith("seat")}
    up = [match.fault for match, truth in there if truth["face"] == "up"]
    down = [match.fault for match, truth in there if truth["face"] == "down"]
    return Tally(
        up=len(up),
        right=sum(fault in (None, "misplaced") for fault in up),
        wrong=up.count("wrong") + down.count("wrong"),
        abstained=up.count("abstained"),
        missed=up.count("missed"),
        down=len(down),
        down_found=sum(fault in (None, "misplaced") for fault in down),
        placed=sum(match.is_placed for match, _ in there),
        long=sum((truth["round"], truth["zone"]) in long for _, truth in there),
        sideways=sum(truth["sideways"] for _, truth in there),
        again=sum(max(0, len(match.seen) - 1) for match, _ in there),
        invented=len(counted) - len(there),
    )
