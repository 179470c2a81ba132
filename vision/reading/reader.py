"""Reads every corner index of a picture."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime

from vision.reading.cut import patch
from vision.reading.finder import IndexCandidate, Picture, apart, find
from vision.reading.index import Index, chance, named

Said = npt.NDArray[np.float64]

_WEIGHTS: Final = files("vision.reading") / "weights"
_SIZES: Final = (0.92, 1.0, 1.08)  # each index is read in patches cut a little differently
# Where the network's outputs begin.
AT_SUITS: Final = 13
AT_THERE: Final = 17
_OFF: Final = 18


def _never(_x: float, _y: float) -> bool:
    return False


class Figures(NamedTuple):
    """Parameters that turn the networks' outputs into probabilities."""

    sharpness: float  # by which ranks and suits are multiplied
    heat: float  # what the finder's opinion counts on whether there is an index, against the other network's
    bias: float


class Reader:
    """The two networks."""

    def __init__(self, threads: int = 1) -> None:
        self._finder = session((_WEIGHTS / "finder.onnx").read_bytes(), threads)
        self._reading = session((_WEIGHTS / "reading.onnx").read_bytes(), threads)
        self._figures = Figures(**json.loads((_WEIGHTS / "figures.json").read_text()))

    def read(
        self, picture: Picture, index_px: float | None = None, is_known: Callable[[float, float], bool] = _never
    ) -> list[Index]:
        """Read all indices except at known places; ``index_px`` is their height in pixels, if known."""
        places = [place for place in find(self._finder, picture, index_px) if not is_known(place.x, place.y)]
        told = [_index(place, said, self._figures) for place, said in looked_at(self._reading, picture, places)]
        return apart(sorted((index for index in told if index is not None), key=lambda index: -index.confidence))


def looked_at(network: Any, picture: Picture, places: Sequence[IndexCandidate]) -> list[tuple[IndexCandidate, Said]]:
    """Each place, put right, and what the reading network says of it.

    Both ways up, as the finder may have taken an index' foot for its top; then cut again, and better.
    """
    if not places:
        return []
    both = [place._replace(angle=place.angle + turn) for place in places for turn in (0.0, np.pi)]
    said = _said(network, picture, both, (1.0,))
    wins = [n if said[n, AT_THERE] >= said[n + 1, AT_THERE] else n + 1 for n in range(0, len(both), 2)]
    better = [_moved(both[n], said[n, _OFF:]) for n in wins]
    return list(zip(better, _said(network, picture, better, _SIZES), strict=True))


def _said(network: Any, picture: Picture, places: Sequence[IndexCandidate], sizes: Sequence[float]) -> Said:
    """Return the network's outputs for each place, averaged over patches of several sizes."""
    patches = [patch(picture, (p.x, p.y), p.height * size, p.angle) for p in places for size in sizes]
    given = np.stack(patches).transpose(0, 3, 1, 2).astype(np.float32)
    said = network.run(None, {"patch": given})[0].astype(np.float64)
    return np.asarray(said.reshape(len(places), len(sizes), -1).mean(axis=1))


def log_odds(heat: float) -> float:
    """Return the log odds of a place's heat."""
    return float(np.log(heat / max(1 - heat, 1e-6)))


def _index(place: IndexCandidate, said: Said, figures: Figures) -> Index | None:
    """An index as it was read; None where there is likely none."""
    there = 1 / (1 + np.exp(-(said[AT_THERE] + figures.heat * log_odds(place.heat) + figures.bias)))
    if there < 0.5:
        return None
    ranks = log_softmax(figures.sharpness * said[:AT_SUITS])
    suits = log_softmax(figures.sharpness * said[AT_SUITS:AT_THERE])
    return Index(
        x=place.x,
        y=place.y,
        width=place.width,
        height=place.height,
        angle=float((place.angle + np.pi) % (2 * np.pi) - np.pi),
        card=named(ranks, suits),
        confidence=float(chance(ranks, suits) * there),
        ranks=tuple(ranks.tolist()),
        suits=tuple(suits.tolist()),
    )


def _moved(place: IndexCandidate, off: npt.NDArray[np.float64]) -> IndexCandidate:
    """A place put right by what the network says it is off: right and down in its heights, log of the size, angle."""
    right, down, size, turn = np.clip(off, -0.5, 0.5).tolist()
    cos, sin, height = np.cos(place.angle), np.sin(place.angle), place.height
    return place._replace(
        x=float(place.x + height * (right * cos - down * sin)),
        y=float(place.y + height * (right * sin + down * cos)),
        height=float(height * np.exp(size)),
        width=float(place.width * np.exp(size)),
        angle=float(place.angle + turn),
    )


@cache
def _options(threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    options.enable_mem_pattern = False  # which keeps a plan for every size of picture that it has seen
    return options


def session(weights: bytes, threads: int) -> Any:
    """A network ready to run."""
    return onnxruntime.InferenceSession(weights, _options(threads), providers=["CPUExecutionProvider"])


def log_softmax(values: Said) -> Said:
    """Logarithms of chances; those of each row where there are rows."""
    shifted = values - values.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
