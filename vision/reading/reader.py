"""Reads every corner index of a picture."""

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime

from vision.reading.cut import patch
from vision.reading.finder import Found, Picture, apart, find
from vision.reading.index import Index, chance, named

_WEIGHTS: Final = files("vision.reading") / "weights"
_SIZES: Final = (0.92, 1.0, 1.08)  # each index is read in patches cut a little differently
# Where the network's outputs begin.
_SUITS: Final = 13
_THERE: Final = 17
_OFF: Final = 18


def _never(_x: float, _y: float) -> bool:
    return False


class Reader:
    """The two networks."""

    def __init__(self, threads: int = 1) -> None:
        self._finder = session((_WEIGHTS / "finder.onnx").read_bytes(), threads)
        self._reading = session((_WEIGHTS / "reading.onnx").read_bytes(), threads)
        figures: dict[str, float] = json.loads((_WEIGHTS / "figures.json").read_text())
        self._sharpness, self._heat, self._bias = (figures[name] for name in ("sharpness", "heat", "bias"))

    def read(
        self, picture: Picture, index_px: float | None = None, is_known: Callable[[float, float], bool] = _never
    ) -> list[Index]:
        """All indices but those at places that are known; ``index_px`` is how high they are where that is known."""
        places = [place for place in find(self._finder, picture, index_px) if not is_known(place.x, place.y)]
        read = self._read(picture, places) if places else []
        return apart(sorted(read, key=lambda index: -index.confidence))

    def _read(self, picture: Picture, places: list[Found]) -> list[Index]:
        """Each place both ways up, as the finder may have taken its foot for its top; then cut again, and better."""
        both = [place._replace(angle=place.angle + turn) for place in places for turn in (0.0, np.pi)]
        said = self._said(picture, both, (1.0,))
        wins = [n if said[n, _THERE] >= said[n + 1, _THERE] else n + 1 for n in range(0, len(both), 2)]
        better = [_moved(both[n], said[n, _OFF:]) for n in wins]
        said = self._said(picture, better, _SIZES)
        there = [self._there(place, told) for place, told in zip(better, said, strict=True)]
        return [self._index(*each) for each in zip(better, said, there, strict=True) if each[2] >= 0.5]

    def _said(self, picture: Picture, places: list[Found], sizes: tuple[float, ...]) -> npt.NDArray[np.float64]:
        """What the network says of each place, on average over patches of several sizes."""
        patches = [patch(picture, (p.x, p.y), p.height * size, p.angle) for p in places for size in sizes]
        given = np.stack(patches).transpose(0, 3, 1, 2).astype(np.float32)
        said = self._reading.run(None, {"patch": given})[0].astype(np.float64)
        return np.asarray(said.reshape(len(places), len(sizes), -1).mean(axis=1))

    def _there(self, place: Found, said: npt.NDArray[np.float64]) -> float:
        """The chance that there is an index at all: the reading network's opinion, and the finder's."""
        heat = np.log(place.heat / max(1 - place.heat, 1e-6))
        return float(1 / (1 + np.exp(-(said[_THERE] + self._heat * heat + self._bias))))

    def _index(self, place: Found, said: npt.NDArray[np.float64], there: float) -> Index:
        ranks = _log_softmax(self._sharpness * said[:_SUITS])
        suits = _log_softmax(self._sharpness * said[_SUITS:_THERE])
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


def _moved(place: Found, off: npt.NDArray[np.float64]) -> Found:
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


def _log_softmax(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    shifted = values - values.max()
    found: npt.NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum())
    return found
