"""Many scenes on disk, made by all cores, in shards that are the same whoever makes them."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from vision.faces import deck
from vision.faces.deck import Deck
from vision.train.artwork import art_decks
from vision.train.designs import any_design, typefaces
from vision.train.scenes import Faces, Label, scene

SHARD: Final = 240  # scenes
_DECKS: Final = 8  # a shard
_ART: Final = 0.35  # share of decks that are somebody's artwork
_NOT_DRAWING: Final = frozenset({"__main__", "chances", "crops", "export", "fit", "found", "networks", "patches"})


class Shard(NamedTuple):
    """Scenes and their labels: rows of scene, x, y, width, height, angle, card."""

    scenes: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.float32]


def make(work: Path, scenes: int, seed: int, processes: int) -> Iterator[Path]:
    """Make the shards that are not there yet; those that other code has drawn are left aside."""
    folder, materials = work / f"scenes-{_drawn_by()}", work / "materials"
    folder.mkdir(parents=True, exist_ok=True)
    numbers = range(-(-scenes // SHARD))
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from pool.map(partial(_make, folder, materials, seed), numbers)


def _drawn_by() -> str:
    """Tells apart versions of the code that draws scenes."""
    rooms = Path(__file__).parent, Path(deck.__file__).parent
    sources = sorted(path for room in rooms for path in room.glob("*.py") if path.stem not in _NOT_DRAWING)
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:8]


def _make(folder: Path, materials: Path, seed: int, number: int) -> Path:
    path = folder / f"{seed}-{number:05d}.npz"
    if path.exists():
        return path
    rng, random = np.random.default_rng([seed, number]), Random(seed * 1_000_003 + number)
    fonts, art = typefaces(materials), art_decks(materials)
    decks: list[Faces] = [
        random.choice(art) if art and random.random() < _ART else Deck(any_design(random, fonts)) for _ in range(_DECKS)
    ]
    made = [scene(decks, rng) for _ in range(SHARD)]
    rows = [(n, *label) for n, (_, labels) in enumerate(made) for label in labels]
    unfinished = path.with_suffix(".tmp.npz")
    np.savez(
        unfinished,
        scenes=np.stack([picture for picture, _ in made]),
        labels=np.array(rows, np.float32).reshape(-1, 1 + len(Label._fields)),
    )
    unfinished.rename(path)
    return path


def load(path: Path) -> Shard:
    """A shard from disk."""
    found = np.load(path)
    return Shard(found["scenes"], found["labels"])
