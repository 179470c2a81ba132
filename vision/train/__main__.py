"""Makes scenes, trains the networks on them and writes their weights. See TRAINING.md."""

import argparse
import os
from pathlib import Path

import cv2
import torch

from vision.train.chances import write_figures
from vision.train.export import export_finder, export_reading
from vision.train.fit import fit_finder, fit_reading
from vision.train.found import found_in
from vision.train.materials import fetch
from vision.train.pool import make

_UNSEEN = 1_440  # scenes to which chances are fitted
_WEIGHTS = Path(__file__).parents[1] / "reading" / "weights"


def main() -> None:
    """Everything from packages to weights."""
    wanted = _wanted()
    cv2.setNumThreads(1)
    torch.use_deterministic_algorithms(True)
    fetch(wanted.work / "materials")
    shards = _scenes(wanted, wanted.scenes, wanted.seed)
    if wanted.only != "reading":
        export_finder(fit_finder(shards, wanted.finder_epochs, wanted.seed, print), wanted.out)
    if wanted.only != "finder":
        found = found_in(shards, wanted.out / "finder.onnx")
        export_reading(fit_reading(shards, found, wanted.reading_epochs, wanted.seed, print), wanted.out)
    print(write_figures(_scenes(wanted, _UNSEEN, wanted.seed + 1), wanted.out))


def _scenes(wanted: argparse.Namespace, scenes: int, seed: int) -> list[Path]:
    """Shards with so many scenes, those made that are not there yet."""
    shards = []
    for path in make(wanted.work, scenes, seed, os.cpu_count() or 1):
        shards.append(path)
        print(f"scenes: {path.name}", flush=True)
    return shards


def _wanted() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m vision.train", description=__doc__)
    parser.add_argument("--work", type=Path, default=Path(".train"), help="where materials and scenes are kept")
    parser.add_argument("--scenes", type=int, default=36_000)
    parser.add_argument("--finder-epochs", type=int, default=4)
    parser.add_argument("--reading-epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", choices=("finder", "reading"), help="train one network; the other stays as it is")
    parser.add_argument("--out", type=Path, default=_WEIGHTS, help="where the weights go")
    return parser.parse_args()


if __name__ == "__main__":
    main()
