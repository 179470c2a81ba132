"""Results of the trained finder on scenes: the reading network learns from the finder's mistakes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vision.reading.finder import at_scale
from vision.reading.reader import session
from vision.train.crops import Rows
from vision.train.pool import load


def found_in(shards: Sequence[Path], weights: Path) -> list[Rows]:
    """For each shard rows of scene, x, y, height, angle."""
    network = session(weights.read_bytes(), threads=1)
    told = []
    for path in shards:
        scenes = load(path).scenes
        rows = [
            (number, place.x, place.y, place.height, place.angle)
            for number, picture in enumerate(scenes)
            for place in at_scale(network, picture, 1.0)
        ]
        told.append(np.array(rows, np.float32).reshape(-1, 5))
    return told
