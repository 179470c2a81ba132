"""``python -m vision.train``: makes scenes, trains both networks and writes their weights. See TRAINING.md."""

import argparse
import os
from pathlib import Path

import cv2
import torch

from vision.train.export import export
from vision.train.fit import fit_finder, fit_reading
from vision.train.materials import fetch
from vision.train.pool import make

_WEIGHTS = Path(__file__).parents[1] / "reading" / "weights"


def main() -> None:
    """Everything from packages to weights."""
    parser = argparse.ArgumentParser(prog="python -m vision.train", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path(".train"), help="where materials and scenes are kept")
    parser.add_argument("--scenes", type=int, default=18_000)
    parser.add_argument("--finder-epochs", type=int, default=3)
    parser.add_argument("--reading-epochs", type=int, default=14)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=_WEIGHTS)
    wanted = parser.parse_args()
    cv2.setNumThreads(1)
    torch.use_deterministic_algorithms(True)
    fetch(wanted.work / "materials")
    cores = os.cpu_count() or 1
    shards = []
    for path in make(wanted.work / "scenes", wanted.work / "materials", wanted.scenes, wanted.seed, cores):
        shards.append(path)
        print(f"scenes: {path.name}", flush=True)
    finder = fit_finder(shards, wanted.finder_epochs, wanted.seed, print)
    reading = fit_reading(shards, wanted.reading_epochs, wanted.seed, print)
    export(finder, reading, wanted.out)


if __name__ == "__main__":
    main()
